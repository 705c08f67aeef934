"""Forgeries against verifiers of possession, shares and hand-overs that have a hole.

Each mutant is ours with one thing missing from what it hashes. Each forgery is written for that
hole: the mutant accepts it, so a verifier that had the hole would fail here, and ours refuses it.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256

import pytest

from p2pcards.crypto import sigma
from p2pcards.crypto.group import SECP256K1, L, P, Point, encode_scalar
from p2pcards.crypto.transcript import Context
from p2pcards.errors import BadProof
from tests.crypto.hands import CONTEXT, OTHER_CONTEXTS, Seat, leave_out, seeded

decode, encode, base, mul = SECP256K1.decode, SECP256K1.encode, SECP256K1.base, SECP256K1.mul
G = SECP256K1.generator()

ALICE, BOB = Seat("alice"), Seat("bob")
FIRST, SECOND = ALICE.hand([(2, 7), (3, 11)])
A, B = decode(FIRST[:33]), decode(FIRST[33:])
X, Y = decode(ALICE.public), decode(BOB.public)

Forgery = Callable[[], None]
"""The check of a forged proof."""


def total(*points: Point) -> Point:
    return SECP256K1.sum(points)


def minus(point: Point) -> Point:
    return SECP256K1.negate(point)


def over(point: Point, c: int) -> Point:
    """The point divided by c."""
    return mul(point, pow(c, -1, L))


def scalars(*values: int) -> bytes:
    return b"".join(encode_scalar(value % L) for value in values)


def only_the_mutant_accepts(monkeypatch: pytest.MonkeyPatch, forged: Forgery) -> None:
    """Called with the mutant in force."""
    forged()
    monkeypatch.undo()
    with pytest.raises(BadProof):
        forged()


# --- possession ----------------------------------------------------------------------------------


def possession_challenge(public: bytes, t: bytes) -> int:
    transcript = sigma._possession_transcript(CONTEXT, public)
    transcript.put("commitments", t)
    return transcript.scalar("c")


def rogue_key() -> bytes:
    """Bob's key less Alice's: with it the joint key of both is Bob's."""
    return encode(total(Y, minus(X)))


def test_possession_without_the_commitment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The challenge is known beforehand, and any key has a proof: the rogue one too."""
    leave_out(monkeypatch, "commitments")
    rogue = rogue_key()
    proof = scalars(possession_challenge(rogue, b""), 77)
    only_the_mutant_accepts(monkeypatch, lambda: sigma.check_possession(CONTEXT, rogue, proof))


def test_possession_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """T holds Alice's key; X = (zG - T) / c is solved for, and nobody knows its secret."""
    leave_out(monkeypatch, "key")
    t = total(base(3), X)
    c = possession_challenge(b"", encode(t))
    rogue = encode(over(total(base(99), minus(t)), c))
    proof = scalars(c, 99)
    only_the_mutant_accepts(monkeypatch, lambda: sigma.check_possession(CONTEXT, rogue, proof))


@pytest.mark.parametrize("other", OTHER_CONTEXTS)
def test_possession_without_the_context(monkeypatch: pytest.MonkeyPatch, other: Context) -> None:
    leave_out(monkeypatch, "ctx")
    proof = sigma.prove_possession(CONTEXT, ALICE.x, ALICE.public, seeded(1))
    only_the_mutant_accepts(monkeypatch, lambda: sigma.check_possession(other, ALICE.public, proof))


# --- shares: BIP-374's hash ----------------------------------------------------------------------


Challenge = Callable[[bytes, bytes, bytes, Point | None, Point, Point, bytes], bytes]


def mutate_dleq(monkeypatch: pytest.MonkeyPatch, missing: str) -> Challenge:
    """The hash without the key (A), the share (C), a commitment (R1, R2) or the message (m)."""
    honest = sigma._dleq_challenge

    def partial(
        public: bytes,
        other: bytes,
        image: bytes,
        generator: Point | None,
        r1: Point,
        r2: Point,
        message: bytes,
    ) -> bytes:
        return honest(
            b"" if missing == "A" else public,
            other,
            b"" if missing == "C" else image,
            generator,
            G if missing == "R1" else r1,
            G if missing == "R2" else r2,
            b"" if missing == "m" else message,
        )

    monkeypatch.setattr(sigma, "_dleq_challenge", partial)
    return partial


def message() -> bytes:
    return sha256(CONTEXT.pack("shares")).digest()


def forged_share(public: bytes, share: bytes, e: bytes, s: int) -> Forgery:
    proof = e + scalars(s)
    return lambda: sigma.check_shares(CONTEXT, public, [FIRST[:33]], [share], proof)


def test_share_without_the_share_in_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """D = (sA - R2) / e for an R2 of one's choice: a share that opens another card."""
    challenge = mutate_dleq(monkeypatch, "C")
    w, r2 = 11, total(mul(A, 13), P(2))
    e = challenge(ALICE.public, FIRST[:33], b"", None, base(w), r2, message())
    c = int.from_bytes(e, "big")
    s = (w + c * ALICE.x) % L
    share = encode(over(total(mul(A, s), minus(r2)), c))
    assert share != ALICE.share(FIRST)
    only_the_mutant_accepts(monkeypatch, forged_share(ALICE.public, share, e, s))


def test_share_without_the_key_in_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """D = dA is fixed, and X is made afterwards with another logarithm."""
    challenge = mutate_dleq(monkeypatch, "A")
    d, t, u = 21, 22, 23
    share = encode(mul(A, d))
    e = challenge(b"", FIRST[:33], share, None, base(u), mul(A, t), message())
    c = int.from_bytes(e, "big")
    s = (t + c * d) % L
    public = encode(over(total(base(s), minus(base(u))), c))
    assert public != encode(base(d))
    only_the_mutant_accepts(monkeypatch, forged_share(public, share, e, s))


def test_share_without_the_second_commitment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any D passes."""
    challenge = mutate_dleq(monkeypatch, "R2")
    share = ALICE.share(SECOND)
    e = challenge(ALICE.public, FIRST[:33], share, None, base(5), G, message())
    s = (5 + int.from_bytes(e, "big") * ALICE.x) % L
    only_the_mutant_accepts(monkeypatch, forged_share(ALICE.public, share, e, s))


def test_share_without_the_first_commitment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bob makes shares in Alice's name, with any logarithm."""
    challenge = mutate_dleq(monkeypatch, "R1")
    share = encode(mul(A, 31))
    e = challenge(ALICE.public, FIRST[:33], share, None, G, mul(A, 7), message())
    s = (7 + int.from_bytes(e, "big") * 31) % L
    only_the_mutant_accepts(monkeypatch, forged_share(ALICE.public, share, e, s))


@pytest.mark.parametrize("other", OTHER_CONTEXTS)
def test_share_without_the_context(monkeypatch: pytest.MonkeyPatch, other: Context) -> None:
    mutate_dleq(monkeypatch, "m")
    bases, shares = [FIRST[:33]], [ALICE.share(FIRST)]
    proof = sigma.prove_shares(CONTEXT, ALICE.x, ALICE.public, bases, shares, seeded(2))
    only_the_mutant_accepts(
        monkeypatch, lambda: sigma.check_shares(other, ALICE.public, bases, shares, proof)
    )


def test_batch_whose_weights_do_not_know_the_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors d2 Q in the one share and -d1 Q in the other cancel in the composite."""
    leave_out(monkeypatch, "shares")
    bases = [FIRST[:33], SECOND[:33]]
    honest = [ALICE.share(FIRST), ALICE.share(SECOND)]
    d1, d2 = sigma.composite_weights(CONTEXT, ALICE.public, bases, honest)
    shares = [
        encode(total(decode(honest[0]), mul(P(2), d2))),
        encode(total(decode(honest[1]), mul(P(2), L - d1))),
    ]
    proof = sigma.prove_shares(CONTEXT, ALICE.x, ALICE.public, bases, shares, seeded(3))
    only_the_mutant_accepts(
        monkeypatch, lambda: sigma.check_shares(CONTEXT, ALICE.public, bases, shares, proof)
    )


def test_batch_without_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """All weights 1: two shares may change places, and each card is opened as the other."""

    def ones(_ctx: Context, _key: bytes, bases: Sequence[bytes], _shares: object) -> list[int]:
        return [1] * len(bases)

    monkeypatch.setattr(sigma, "composite_weights", ones)
    bases = [FIRST[:33], SECOND[:33]]
    shares = [ALICE.share(SECOND), ALICE.share(FIRST)]
    proof = sigma.prove_shares(CONTEXT, ALICE.x, ALICE.public, bases, shares, seeded(4))
    only_the_mutant_accepts(
        monkeypatch, lambda: sigma.check_shares(CONTEXT, ALICE.public, bases, shares, proof)
    )


# --- hand-over -----------------------------------------------------------------------------------


W, V, R = 41, 42, 43
"""Nonces and the secret of the forger's own mask."""
NEW_A = encode(base(R))


def give_challenge(to: bytes, mask: bytes, given: bytes, commitments: Sequence[Point]) -> int:
    transcript = sigma._give_transcript(CONTEXT, ALICE.public, to, mask)
    transcript.put("given", given)
    transcript.put("commitments", b"".join(map(encode, commitments)))
    return transcript.scalar("c")


def forged_give(to: bytes, mask: bytes, given: bytes, c: int) -> Forgery:
    proof = scalars(c, W + c * ALICE.x, V + c * R)
    return lambda: sigma.check_give(CONTEXT, ALICE.public, to, mask, given, proof)


def honest_third() -> Point:
    return total(mul(A, W), mul(Y, L - V))


def honest_given(*extra: Point) -> bytes:
    """What an honest hand-over makes, plus what is extra in B'."""
    share = decode(ALICE.share(FIRST))
    return NEW_A + encode(total(B, minus(share), mul(Y, R), *extra))


def test_give_without_what_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """With Q in T3 the card that arrives is M + Q / c."""
    leave_out(monkeypatch, "given")
    commitments = (base(W), base(V), total(honest_third(), P(2)))
    c = give_challenge(BOB.public, FIRST, b"", commitments)
    given = honest_given(over(P(2), c))
    only_the_mutant_accepts(monkeypatch, forged_give(BOB.public, FIRST, given, c))


def test_give_without_the_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same from the other side: what is given is fixed, and the mask is made to fit."""
    leave_out(monkeypatch, "mask")
    commitments = (base(W), base(V), total(honest_third(), P(2)))
    given = honest_given(G)
    c = give_challenge(BOB.public, b"", given, commitments)
    mask = FIRST[:33] + encode(total(B, G, minus(over(P(2), c))))
    only_the_mutant_accepts(monkeypatch, forged_give(BOB.public, mask, given, c))


def test_give_without_the_receiver(monkeypatch: pytest.MonkeyPatch) -> None:
    """T3 = wA - uY with u != v: it is for Y (u + cr) / (v + cr), whose owner reads nothing."""
    leave_out(monkeypatch, "to")
    u = 4711
    commitments = (base(W), base(V), total(mul(A, W), mul(Y, L - u)))
    given = honest_given()
    c = give_challenge(b"", FIRST, given, commitments)
    to = encode(mul(Y, (u + c * R) * pow(V + c * R, -1, L) % L))
    only_the_mutant_accepts(monkeypatch, forged_give(to, FIRST, given, c))


def test_give_without_the_giver(monkeypatch: pytest.MonkeyPatch) -> None:
    """T1 = uG with u != w: the key is made afterwards, and is not the one that hid the card."""
    leave_out(monkeypatch, "key")
    u = 4711
    given = honest_given()
    c = give_challenge(BOB.public, FIRST, given, (base(u), base(V), honest_third()))
    zx = (W + c * ALICE.x) % L
    public = encode(over(total(base(zx), minus(base(u))), c))
    proof = scalars(c, zx, V + c * R)
    only_the_mutant_accepts(
        monkeypatch, lambda: sigma.check_give(CONTEXT, public, BOB.public, FIRST, given, proof)
    )


def test_give_without_the_third_commitment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any card may be given."""
    leave_out(monkeypatch, "commitments", lambda data: data[:66])
    given = honest_given(P(1))
    c = give_challenge(BOB.public, FIRST, given, (base(W), base(V)))
    only_the_mutant_accepts(monkeypatch, forged_give(BOB.public, FIRST, given, c))


def test_give_without_the_second_commitment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody need know the r of A', so it may be copied from another card.

    The forger uses any r' in B' and any A': the receiver cannot read what it is given.
    """
    leave_out(monkeypatch, "commitments", lambda data: data[:33] + data[66:])
    given = SECOND[:33] + honest_given()[33:]
    c = give_challenge(BOB.public, FIRST, given, (base(W), base(V), honest_third()))
    only_the_mutant_accepts(monkeypatch, forged_give(BOB.public, FIRST, given, c))


@pytest.mark.parametrize("other", OTHER_CONTEXTS)
def test_give_without_the_context(monkeypatch: pytest.MonkeyPatch, other: Context) -> None:
    leave_out(monkeypatch, "ctx")
    given, proof = sigma.prove_give(CONTEXT, ALICE.x, ALICE.public, BOB.public, FIRST, seeded(5))
    only_the_mutant_accepts(
        monkeypatch,
        lambda: sigma.check_give(other, ALICE.public, BOB.public, FIRST, given, proof),
    )
