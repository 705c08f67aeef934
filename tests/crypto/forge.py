"""A shuffler that cheats: everything that the forged proofs of `test_shuffle_mutants` share.

Notation of `p2pcards.crypto.shuffle`. A forger sends masks E' that are no permutation of E. It
needs weights u' that fit the ciphertexts (sum u'_i E'_i is a re-encryption of sum u_j E_j), and
must get them past the commitment C (equations 1 and 3) and the chain (equation 2: the product of
the u' is that of the u). What an honest prover knows as sums of its own scalars, `finish` takes as
arguments.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from p2pcards.crypto import shuffle
from p2pcards.crypto.elgamal import (
    Attributes,
    Ciphertext,
    Mask,
    card_point,
    decode_mask,
    dictionary,
    encode_masks,
    initial_deck,
    plaintext,
)
from p2pcards.crypto.group import SECP256K1, L, Point, Rng, encode_scalar, random_scalar
from p2pcards.crypto.shuffle import (
    Announcement,
    Statement,
    check_mix,
    start_transcript,
    statement_of,
)
from p2pcards.crypto.transcript import Transcript
from tests.crypto.hands import CONTEXT, PACK, Seat

G = SECP256K1
LOW: Sequence[Attributes] = [(1, 2), (1, 3), (1, 4), (1, 5)]
WISHED: Sequence[Attributes] = [(1, 14), (1, 14), (1, 13), (1, 2)]

HALF, THIRD = pow(2, -1, L), pow(3, -1, L)
W = [[HALF, HALF, 0], [1, -HALF, HALF], [-HALF, 1, HALF]]
"""Rows and columns sum to 1, and ranks (2, 4, 6) become (3, 3, 6)."""
M = [[1, 1, -1], [THIRD, -THIRD, 1], [-THIRD, THIRD, 1]]
"""The inverse transpose of W; its rows sum to 1."""


def encrypt(key: Point, face: Attributes, r: int) -> Ciphertext:
    """(rG, M + rX)."""
    return G.base(r), G.sum([card_point(face), G.mul(key, r)])


def combine(points: Sequence[Point], scalars: Sequence[int]) -> Point:
    """sum k_i P_i; terms with k_i = 0 are left out."""
    return G.sum([G.mul(p, k % L) for p, k in zip(points, scalars, strict=True) if k % L])


def both(pairs: Sequence[Ciphertext], scalars: Sequence[int]) -> Ciphertext:
    """sum k_i (A_i, B_i)."""
    return combine([a for a, _ in pairs], scalars), combine([b for _, b in pairs], scalars)


def product(values: Sequence[int]) -> int:
    """Of all values, mod L."""
    total = 1
    for value in values:
        total = total * value % L
    return total


def square_root(n: int) -> int | None:
    """mod L, by Tonelli and Shanks; None if there is none."""
    if pow(n, (L - 1) // 2, L) != 1:
        return None
    odd, twos = L - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    nonresidue = next(z for z in range(2, 99) if pow(z, (L - 1) // 2, L) == L - 1)
    c, root, t = pow(nonresidue, odd, L), pow(n, (odd + 1) // 2, L), pow(n, odd, L)
    while t != 1:
        i, power = 0, t
        while power != 1:
            power, i = power * power % L, i + 1
        b = pow(c, 1 << (twos - i - 1), L)
        twos, c, root, t = i, b * b % L, root * b % L, t * b * b % L
    return root


def fitting_weights(
    u: Sequence[int], before: Sequence[Attributes], after: Sequence[Attributes], rng: Rng
) -> list[int]:
    """u' with sum u'_i M'_i = sum u_j M_j and the product of the u.

    For cards of one suit (1, rank), the first two of `after` equal, the third another, and at least
    one more. Two linear equations and a product leave a quadratic one; half the tries have a root.
    """
    ranks = [rank for _, rank in after]
    weight = sum(u)
    ranked = sum(k * rank for k, (_, rank) in zip(u, before, strict=True))
    while True:
        rest = [random_scalar(rng) for _ in after[3:]]
        sum_left = weight - sum(rest)
        ranked_left = ranked - sum(k * rank for k, rank in zip(rest, ranks[3:], strict=True))
        third = (ranked_left - ranks[0] * sum_left) * pow(ranks[2] - ranks[0], -1, L) % L
        pair = (sum_left - third) % L
        target = product(u) * pow(product([third, *rest]), -1, L) % L
        root = square_root((pair * pair - 4 * target) % L)
        if root is not None:
            first = (pair + root) * pow(2, -1, L) % L
            return [first, (pair - first) % L, third, *rest]


def commit_to_weights(
    bases: Sequence[Point], u: Sequence[int], up: Sequence[int], rho: Sequence[int]
) -> list[Point]:
    """C for u known beforehand: to M = 1 + (u' - u) e with e 1 = 0 and e u = 1, so M u = u'."""
    slope = pow(u[0] - u[1], -1, L)
    e = [slope, -slope % L] + [0] * (len(u) - 2)
    gap = combine(bases[1:], [a - b for a, b in zip(up, u, strict=True)])
    C = []
    for k, base, factor in zip(rho, bases[1:], e, strict=True):
        extra = [G.mul(gap, factor)] if factor else []
        C.append(G.sum([G.base(k), base, *extra]))
    return C


def commit_to_identity(bases: Sequence[Point], rho: Sequence[int]) -> list[Point]:
    """C_j = rho_j G + H_j."""
    return [G.sum([G.base(k), base]) for k, base in zip(rho, bases[1:], strict=True)]


def commit_to_matrix(
    bases: Sequence[Point], matrix: Sequence[Sequence[int]], rho: Sequence[int]
) -> list[Point]:
    """C_j = rho_j G + sum_i M_ij H_i: to any matrix instead of a permutation."""
    return [
        G.sum([G.base(k), combine(bases[1:], [row[j] for row in matrix])])
        for j, k in enumerate(rho)
    ]


@dataclass(frozen=True, slots=True)
class Openings:
    """What the cheat knows: logarithms to the base G of what must be 0 in the other bases."""

    rbar: int
    """Of sum C_j - sum H_i."""
    rtil: int
    """Of sum u_j C_j - sum u'_i H_i."""
    rpr: int
    """sum u'_i E'_i - sum u_j E_j is rpr (G, X)."""
    trapdoor: int = 0
    """(the product of the u' - that of the u) times the logarithm of H_0."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A proof, and what of it a cheat may still want to adapt its statement to."""

    proof: bytes
    c: int
    s4: int
    sp: Sequence[int]
    t4: Ciphertext


def finish(
    transcript: Transcript,
    statement: Statement[Point],
    C: Sequence[bytes],
    u: Sequence[int],
    up: Sequence[int],
    openings: Openings,
    rng: Rng,
    *,
    t4: Ciphertext | None = None,
    t13: Point | None = None,
    last_link: int | None = None,
    w4: int | None = None,
) -> Finished:
    """From the weights to the proof as the honest prover does it; `transcript` has drawn u.

    With `t4` that equation is left to the caller; `t13` is announced for t1 and t3; with
    `last_link` = r the chain ends in r G + (the product of the u) H_0, whatever its last step
    ought to be; `w4` is that nonce instead of a random one.
    """
    n, bases = len(u), statement.bases
    rh, wh, wp = ([random_scalar(rng) for _ in range(n)] for _ in range(3))
    w1, w2, w3 = (random_scalar(rng) for _ in range(3))
    w4 = w4 or random_scalar(rng)
    chain, th = [], []
    R, U = 0, 1
    for i in range(n):
        th.append(G.sum([G.base((wh[i] + wp[i] * R) % L), G.mul(bases[0], wp[i] * U % L)]))
        R, U = (rh[i] + up[i] * R) % L, U * up[i] % L
        chain.append(G.sum([G.base(R), G.mul(bases[0], U)]))
    chat = R + openings.trapdoor
    if last_link is not None:
        chain[-1] = G.sum([G.base(last_link), G.mul(bases[0], product(u))])
        chat = last_link
    if t4 is None:
        a, b = both(statement.after, wp)
        t4 = G.sum([a, G.base(L - w4)]), G.sum([b, G.mul(statement.key, L - w4)])
    t1 = t13 or G.base(w1)
    t3 = t13 or G.sum([G.base(w3), combine(bases[1:], wp)])
    announcement = Announcement((t1, G.base(w2), t3, *t4), th)
    Ch = G.encode_all(chain)
    c = shuffle.challenge(transcript, Ch, announcement)
    s4 = (w4 + c * openings.rpr) % L
    sp = [(w + c * k) % L for w, k in zip(wp, up, strict=True)]
    responses = [
        *(w1 + c * openings.rbar, w2 + c * chat, w3 + c * openings.rtil, s4),
        *(w + c * k for w, k in zip(wh, rh, strict=True)),
        *sp,
    ]
    scalars = [encode_scalar(k % L) for k in (c, *responses)]
    return Finished(b"".join([*C, *Ch, *scalars]), c, s4, sp, t4)


class Forger:
    """A seat that mixes the initial deck of LOW, or its own hand, and would like other cards.

    The key is its own only so that the test can read the result; the forgeries use it where they
    say so.
    """

    def __init__(self, faces: Sequence[Attributes] = LOW) -> None:
        self.seat = Seat("forger")
        self.rng = self.seat.rng
        self.key = G.decode(self.seat.public)
        self.faces = faces
        self.before = initial_deck(self.seat.public, faces)
        self.inputs = list(map(decode_mask, self.before))
        self.n = len(faces)

    def scalars(self) -> list[int]:
        """One random scalar for each card."""
        return [random_scalar(self.rng) for _ in range(self.n)]

    def read(self, masks: Sequence[Mask]) -> list[Attributes | None]:
        """The cards of the masks; None where it is none."""
        entries = dictionary(tuple(PACK))
        return [entries.get(plaintext(mask, self.seat.share(mask))) for mask in masks]

    def transcript(
        self, after: Sequence[Mask], before: Sequence[Mask] | None = None, key: bytes | None = None
    ) -> Transcript:
        """Of this mix, or of one with another statement."""
        return start_transcript(
            CONTEXT, self.seat.public if key is None else key, before or self.before, after
        )

    def check(self, after: Sequence[Mask], proof: bytes) -> None:
        """As whoever is asked to believe the forger."""
        check_mix(CONTEXT, self.seat.public, self.before, after, proof)

    def wish(self) -> tuple[tuple[Mask, ...], list[Ciphertext], list[int]]:
        """WISHED as masks, parsed, and their randomness."""
        r = self.scalars()
        outputs = [encrypt(self.key, face, k) for face, k in zip(WISHED, r, strict=True)]
        return encode_masks(outputs), outputs, r

    def rpr(self, up: Sequence[int], r: Sequence[int], u: Sequence[int]) -> int:
        """The initial deck has the randomness 1, 2, 3, ..."""
        return dot(up, r) - dot(u, range(1, self.n + 1))


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    """sum a_i b_i."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def bent_hand(forger: Forger) -> tuple[tuple[Mask, ...], list[Ciphertext], list[int]]:
    """The masks W E, re-masked: for ranks 2, 4, 6 they hold 3, 3, 6."""
    r = forger.scalars()
    bent = [G.shift(both(forger.inputs, row), forger.key, k) for row, k in zip(W, r, strict=True)]
    return encode_masks(bent), bent, r


def bend(
    forger: Forger, *, h0: int = 0, last_link: int | None = None
) -> tuple[tuple[Mask, ...], bytes]:
    """Commits to M instead of a permutation; u' = M u fits everything but the product."""
    after, outputs, r = bent_hand(forger)
    statement = statement_of(forger.key, forger.inputs, outputs)
    transcript = forger.transcript(after)
    rho = forger.scalars()
    C = G.encode_all(commit_to_matrix(statement.bases, M, rho))
    u = shuffle.weigh(transcript, C)
    up = [dot(row, u) % L for row in M]
    excess = (up[0] * up[1] * up[2] - u[0] * u[1] * u[2]) * h0
    openings = Openings(sum(rho), dot(rho, u), dot(up, r), excess)
    finished = finish(transcript, statement, C, u, up, openings, forger.rng, last_link=last_link)
    return after, finished.proof
