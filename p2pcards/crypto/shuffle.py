"""Verifiable shuffle: permute and re-mask a list of masks, and prove that nothing else was done.

Terelius and Wikstrom's proof in the form of Haenni, Locher, Koenig and Dubuis ("Pseudo-Code
Algorithms for Verifiable Re-Encryption Mix-Nets", FC 2017 workshops; security for ElGamal: Haines,
arXiv 1901.08371). Knows masks and one key, which may be the joint key of a table or the key of one
hand; knows no card. protocol.md section 5.2.

What a 32-byte mix seed determines. Stream(label) is SHA-512("P2PCARDS-V1-mix" | label | seed | i)
for i = 0, 1, 2, ..., with label 1 byte and i 4 bytes big-endian. Indices below count from 0.

    permutation   label 01; the blocks joined and read as 4-byte big-endian words. psi = [0..N-1];
                  for k = N-1 down to 1: take words until one is below 2^32 - (2^32 mod (k+1)),
                  j = word mod (k+1), swap psi[k] and psi[j].
    re-masking    label 02; each block is one scalar mod L (zeros passed over): r[0], ..., r[N-1].
    output        E'[i] = (A[j] + r[j] G, B[j] + r[j] X) with j = psi[i].

Transcript of the protocol "shuffle":

    put "ctx" | put "n" (4 bytes) | put "bases" ("P2PCARDS-V1-shuffle") | put "key"
    put_all "before" (66 bytes each) | put_all "after" | put_all "C"
    vector "u"
    put_all "Ch" | put_all "t" (t1, t2, t3, t4a, t4b) | put_all "th"
    scalar "c"

Nonces: a fork before "C" gives rho[0..N-1] (by input); a fork after "u" gives rh[0..N-1], w1..w4,
wh[0..N-1], w'[0..N-1]. The secret of both is the mix seed.

Proof, 130 N + 160 bytes: C (N points) | Ch (N points) | c | s1 | s2 | s3 | s4 | sh (N scalars) |
s' (N scalars).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha512
from struct import Struct
from typing import Final, Generic

from p2pcards.crypto.elgamal import Ciphertext, Mask, decode_mask, encode_masks, remask
from p2pcards.crypto.group import (
    POINT_SIZE,
    SCALAR_SIZE,
    SECP256K1,
    SH,
    Group,
    H,
    L,
    Point,
    Pt,
    Rng,
    decode_scalar,
    encode_scalar,
)
from p2pcards.crypto.transcript import Context, Transcript
from p2pcards.errors import BadPoint, BadProof

PROOF_NAME: Final = "shuffle"
SEED_SIZE: Final = 32
_WORDS: Final = Struct(">16I")


@dataclass(frozen=True, slots=True)
class Statement(Generic[Pt]):
    """`after` is a re-masked permutation of `before` under `key`; `bases` are H_0, ..., H_N."""

    key: Pt
    before: Sequence[tuple[Pt, Pt]]
    after: Sequence[tuple[Pt, Pt]]
    bases: Sequence[Pt]
    bases_sum: Pt
    """H_1 + ... + H_N."""


@dataclass(frozen=True, slots=True)
class Proof(Generic[Pt]):
    """A proof without its challenge; names as in the paper (s with a hat is `sh`, s' is `sp`)."""

    C: Sequence[Pt]
    Ch: Sequence[Pt]
    s: tuple[int, int, int, int]
    sh: Sequence[int]
    sp: Sequence[int]


@dataclass(frozen=True, slots=True)
class Announcement(Generic[Pt]):
    """The prover's first move, which the verifier recomputes: t1, t2, t3, t4a, t4b, and th_i."""

    t: tuple[Pt, Pt, Pt, Pt, Pt]
    th: Sequence[Pt]


@dataclass(frozen=True, slots=True)
class Mixing:
    """The secret of one mix: psi[i] is the input that becomes output i, r[j] re-masks input j."""

    psi: Sequence[int] = field(repr=False)
    r: Sequence[int] = field(repr=False)


def proof_size(n: int) -> int:
    """The exact length in bytes of a proof for n masks."""
    return 2 * n * POINT_SIZE + (2 * n + 5) * SCALAR_SIZE


# --- what the seed determines ---------------------------------------------------------------------


def _block(label: int, seed: bytes, i: int) -> bytes:
    return sha512(b"P2PCARDS-V1-mix" + bytes((label,)) + seed + i.to_bytes(4, "big")).digest()


def permutation(seed: bytes, n: int) -> list[int]:
    """A uniform permutation of 0..n-1 (Fisher-Yates from the top, indices by rejection)."""
    psi = list(range(n))
    words: list[int] = []
    blocks = 0
    for k in range(n - 1, 0, -1):
        limit = 2**32 - 2**32 % (k + 1)
        word = limit
        while word >= limit:
            if not words:
                words.extend(reversed(_WORDS.unpack(_block(1, seed, blocks))))
                blocks += 1
            word = words.pop()
        j = word % (k + 1)
        psi[k], psi[j] = psi[j], psi[k]
    return psi


def mixing(seed: bytes, n: int) -> Mixing:
    """The permutation and the re-masking scalars of a 32-byte seed."""
    if len(seed) != SEED_SIZE:
        raise ValueError("a mix seed has 32 bytes")
    r: list[int] = []
    blocks = 0
    while len(r) < n:
        k = int.from_bytes(_block(2, seed, blocks), "big") % L
        blocks += 1
        if k:
            r.append(k)
    return Mixing(permutation(seed, n), r)


# --- making ---------------------------------------------------------------------------------------


def recompute(key: bytes, before: Sequence[Mask], seed: bytes) -> tuple[Mask, ...]:
    """The masks that `mix` makes of this seed, without proof. BadPoint for undecodable input."""
    return encode_masks(_mix(key, before, mixing(seed, len(before))).after)


def mix(
    ctx: Context, key: bytes, before: Sequence[Mask], seed: bytes, rng: Rng
) -> tuple[tuple[Mask, ...], bytes]:
    """The mixed masks and the proof, `proof_size(N)` bytes; 1 <= N <= 108.

    Only the proof's nonces use `rng`. `seed` is secret until the hand is opened.
    """
    secret = mixing(seed, len(before))
    statement = _mix(key, before, secret)
    after = encode_masks(statement.after)
    transcript = start_transcript(ctx, key, before, after)
    return after, prove(transcript, statement, secret, seed, rng)


def _mix(key: bytes, before: Sequence[Mask], secret: Mixing) -> Statement[Point]:
    x = SECP256K1.decode(key)
    inputs = [decode_mask(mask) for mask in before]
    return statement_of(x, inputs, [remask(x, inputs[j], secret.r[j]) for j in secret.psi])


def statement_of(
    key: Point, before: Sequence[Ciphertext], after: Sequence[Ciphertext]
) -> Statement[Point]:
    """The statement with the generators of this protocol; N is the length of `before`."""
    n = len(before)
    return Statement(key, before, after, [H(i) for i in range(n + 1)], SH(n))


def start_transcript(
    ctx: Context, key: bytes, before: Sequence[Mask], after: Sequence[Mask]
) -> Transcript:
    """A transcript that has absorbed the whole statement."""
    transcript = Transcript.start(PROOF_NAME)
    transcript.put("ctx", ctx.pack(PROOF_NAME))
    transcript.put("n", len(before).to_bytes(4, "big"))
    transcript.put("bases", b"P2PCARDS-V1-shuffle")
    transcript.put("key", key)
    transcript.put_all("before", before)
    transcript.put_all("after", after)
    return transcript


def weigh(transcript: Transcript, C: Sequence[bytes]) -> list[int]:
    """Absorb the commitment to the permutation, then draw one weight for each input."""
    transcript.put_all("C", C)
    return transcript.vector("u", len(C))


def challenge(
    transcript: Transcript, Ch: Sequence[bytes], announcement: Announcement[Point]
) -> int:
    """Absorb the chain and the announcement, then draw the challenge."""
    transcript.put_all("Ch", Ch)
    t = SECP256K1.encode_all([*announcement.t, *announcement.th])
    transcript.put_all("t", t[:5])
    transcript.put_all("th", t[5:])
    return transcript.scalar("c")


def prove(
    transcript: Transcript, statement: Statement[Point], secret: Mixing, seed: bytes, rng: Rng
) -> bytes:
    """The proof of a statement that `transcript` has absorbed.

    A response of zero, which has no chance in practice, is BadScalar: call again.
    """
    group, bases, n = SECP256K1, statement.bases, len(statement.before)
    base, mul, total = group.base, group.mul, group.sum
    psi, r = secret.psi, secret.r

    rho = transcript.fork_rng(seed, rng).scalars(n)
    committed = [statement.key] * n
    for i, j in enumerate(psi):
        committed[j] = total((base(rho[j]), bases[i + 1]))
    C = group.encode_all(committed)
    u = weigh(transcript, C)

    nonces = transcript.fork_rng(seed, rng)
    rh = nonces.scalars(n)
    w1, w2, w3, w4 = nonces.scalars(4)
    wh = nonces.scalars(n)
    wp = nonces.scalars(n)

    up = [u[j] for j in psi]
    chain, th = [], []
    R, U = 0, 1
    for i in range(n):
        th.append(total((base((wh[i] + wp[i] * R) % L), mul(bases[0], wp[i] * U % L))))
        R, U = (rh[i] + up[i] * R) % L, up[i] * U % L
        chain.append(total((base(R), mul(bases[0], U))))
    Ch = group.encode_all(chain)
    after = statement.after
    announcement = Announcement(
        (
            base(w1),
            base(w2),
            total([base(w3), *map(mul, bases[1:], wp)]),
            total([base(L - w4), *(mul(a, w) for (a, _), w in zip(after, wp, strict=True))]),
            total(
                [
                    mul(statement.key, L - w4),
                    *(mul(b, w) for (_, b), w in zip(after, wp, strict=True)),
                ]
            ),
        ),
        th,
    )
    c = challenge(transcript, Ch, announcement)

    rhat, v = 0, 1
    for i in range(n - 1, -1, -1):
        rhat += rh[i] * v
        v = up[i] * v % L
    s = (
        w1 + c * sum(rho),
        w2 + c * rhat,
        w3 + c * sum(map(int.__mul__, rho, u)),
        w4 + c * sum(map(int.__mul__, r, u)),
    )
    responses = [
        *s,
        *(w + c * k for w, k in zip(wh, rh, strict=True)),
        *(w + c * k for w, k in zip(wp, up, strict=True)),
    ]
    return b"".join((*C, *Ch, encode_scalar(c), *(encode_scalar(k % L) for k in responses)))


# --- checking -------------------------------------------------------------------------------------


def check_mix(
    ctx: Context, key: bytes, before: Sequence[Mask], after: Sequence[Mask], proof: bytes
) -> None:
    """BadProof unless `after` is a re-masked permutation of `before` under `key`.

    N is the length of `before`, which the verifier knows. BadPoint or BadScalar for undecodable
    bytes. The A halves of `after` must be pairwise distinct.
    """
    n = len(before)
    if len(after) != n or len(proof) != proof_size(n):
        raise BadProof(detail="a shuffle of another size")
    parsed, c = decode_proof(proof, n)
    outputs = [decode_mask(mask) for mask in after]
    if len({mask[:POINT_SIZE] for mask in after}) != n:
        raise BadProof(detail="two masks with the same A")
    inputs = [decode_mask(mask) for mask in before]
    statement = statement_of(SECP256K1.decode(key), inputs, outputs)

    transcript = start_transcript(ctx, key, before, after)
    u = weigh(transcript, _points(proof, 0, n))
    try:
        announcement = verify_equations(SECP256K1, statement, parsed, u, c)
    except BadPoint as error:
        raise BadProof(detail="an equation is at infinity") from error
    if challenge(transcript, _points(proof, n, 2 * n), announcement) != c:
        raise BadProof(detail="the challenge differs")


def _points(proof: bytes, first: int, last: int) -> list[bytes]:
    return [
        proof[k : k + POINT_SIZE] for k in range(first * POINT_SIZE, last * POINT_SIZE, POINT_SIZE)
    ]


def decode_proof(proof: bytes, n: int) -> tuple[Proof[Point], int]:
    """The proof and its challenge; `proof` has `proof_size(n)` bytes. BadPoint, BadScalar."""
    points = [SECP256K1.decode(data) for data in _points(proof, 0, 2 * n)]
    scalars = [
        decode_scalar(proof[k : k + SCALAR_SIZE])
        for k in range(2 * n * POINT_SIZE, len(proof), SCALAR_SIZE)
    ]
    c, s1, s2, s3, s4 = scalars[:5]
    responses = scalars[5:]
    return Proof(points[:n], points[n:], (s1, s2, s3, s4), responses[:n], responses[n:]), c


def verify_equations(
    group: Group[Pt], statement: Statement[Pt], proof: Proof[Pt], u: Sequence[int], c: int
) -> Announcement[Pt]:
    """The announcement that makes the proof hold for weights u and challenge c.

    Generic over the group, and apart from how u and c came about. The caller accepts if the
    announcement is the prover's. BadPoint if some sum is at infinity.
    """
    mul, base, total, order = group.mul, group.base, group.sum, group.L
    bases, minus_c = statement.bases, order - c
    s1, s2, s3, s4 = proof.s

    product = 1
    for weight in u:
        product = product * weight % order
    cbar = total([*proof.C, group.negate(statement.bases_sum)])
    chat = total((proof.Ch[-1], mul(bases[0], order - product)))
    ctil = total([*map(mul, proof.C, u)])
    at = total([mul(a, k) for (a, _), k in zip(statement.before, u, strict=True)])
    bt = total([mul(b, k) for (_, b), k in zip(statement.before, u, strict=True)])

    t = (
        total((base(s1), mul(cbar, minus_c))),
        total((base(s2), mul(chat, minus_c))),
        total([base(s3), mul(ctil, minus_c), *map(mul, bases[1:], proof.sp)]),
        total(
            [
                base(order - s4),
                mul(at, minus_c),
                *(mul(a, k) for (a, _), k in zip(statement.after, proof.sp, strict=True)),
            ]
        ),
        total(
            [
                mul(statement.key, order - s4),
                mul(bt, minus_c),
                *(mul(b, k) for (_, b), k in zip(statement.after, proof.sp, strict=True)),
            ]
        ),
    )
    previous = [bases[0], *proof.Ch]
    th = [
        total((base(proof.sh[i]), mul(previous[i], proof.sp[i]), mul(proof.Ch[i], minus_c)))
        for i in range(len(u))
    ]
    return Announcement(t, th)
