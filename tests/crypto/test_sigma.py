"""Possession, shares and hand-overs: honest proofs convince, cheats and malformed bytes do not.

Verifiers with a hole, and the forgeries that only they accept, are in `test_sigma_mutants`.
"""

from collections.abc import Callable
from hashlib import sha256

import pytest

from p2pcards.crypto import sigma
from p2pcards.crypto.group import SECP256K1, L, P, Point, encode_scalar
from p2pcards.crypto.transcript import Context, Transcript
from p2pcards.errors import BadPoint, BadProof, BadScalar
from tests.crypto.hands import (
    BAD_SCALARS,
    CONTEXT,
    OTHER_CONTEXTS,
    Seat,
    flip,
    masked,
    other_forms,
    seeded,
)

decode, encode, base, mul = SECP256K1.decode, SECP256K1.encode, SECP256K1.base, SECP256K1.mul


def total(*points: Point) -> Point:
    return SECP256K1.sum(points)


def minus(point: Point) -> Point:
    return SECP256K1.negate(point)


def inverse(k: int) -> int:
    return pow(k, -1, L)


ALICE, BOB = Seat("alice"), Seat("bob")
FIRST, SECOND = ALICE.hand([(2, 7), (3, 11)])
MASKS = [FIRST, SECOND, *ALICE.hand([(1, 2), (4, 14), (2, 9)])]
BASES = [mask[:33] for mask in MASKS]
SHARES = [ALICE.share(mask) for mask in MASKS]

POSSESSION = sigma.prove_possession(CONTEXT, ALICE.x, ALICE.public, seeded(1))
ONE_SHARE = sigma.prove_shares(CONTEXT, ALICE.x, ALICE.public, BASES[:1], SHARES[:1], seeded(2))
ALL_SHARES = sigma.prove_shares(CONTEXT, ALICE.x, ALICE.public, BASES, SHARES, seeded(3))
GIVEN, GIVE = sigma.prove_give(CONTEXT, ALICE.x, ALICE.public, BOB.public, FIRST, seeded(4))


def check_one(proof: bytes) -> None:
    sigma.check_shares(CONTEXT, ALICE.public, BASES[:1], SHARES[:1], proof)


def check_all(proof: bytes) -> None:
    sigma.check_shares(CONTEXT, ALICE.public, BASES, SHARES, proof)


def check_give(proof: bytes) -> None:
    sigma.check_give(CONTEXT, ALICE.public, BOB.public, FIRST, GIVEN, proof)


def check_possession(proof: bytes) -> None:
    sigma.check_possession(CONTEXT, ALICE.public, proof)


Check = Callable[[bytes], None]
PROOFS = [
    pytest.param(check_possession, POSSESSION, id="possession"),
    pytest.param(check_one, ONE_SHARE, id="share"),
    pytest.param(check_all, ALL_SHARES, id="shares"),
    pytest.param(check_give, GIVE, id="give"),
]


# --- what holds for all of them ------------------------------------------------------------------


@pytest.mark.parametrize("check, proof", PROOFS)
def test_honest_proof_convinces(check: Check, proof: bytes) -> None:
    check(proof)


@pytest.mark.parametrize("check, proof", PROOFS)
def test_every_bit_counts(check: Check, proof: bytes) -> None:
    for bit in range(0, 8 * len(proof), 5):
        with pytest.raises((BadProof, BadScalar)):
            check(flip(proof, bit))


@pytest.mark.parametrize("check, proof", PROOFS)
def test_length_is_refused_before_any_curve_work(
    check: Check, proof: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_work(*_: object) -> Point:
        raise AssertionError("work on the curve")

    for name in ("decode", "base", "mul", "sum"):
        monkeypatch.setattr(type(SECP256K1), name, no_work)
    for wrong in (b"", proof[:-1], proof + b"\0", proof + proof, proof[:32]):
        with pytest.raises(BadProof):
            check(wrong)


@pytest.mark.parametrize("check, proof", PROOFS)
def test_scalars_are_canonical(check: Check, proof: bytes) -> None:
    for start in range(0, len(proof), 32):
        for bad in BAD_SCALARS:
            # The challenge of an equality proof is a hash, not a scalar: there it is only wrong.
            with pytest.raises((BadScalar, BadProof)):
                check(proof[:start] + bad + proof[start + 32 :])
    for bad in BAD_SCALARS:
        with pytest.raises(BadScalar):
            check(proof[:-32] + bad)


def test_no_second_form_of_a_scalar(monkeypatch: pytest.MonkeyPatch) -> None:
    """s + L means the same on the curve, and fits into 32 bytes if s is small.

    A prover does not get small responses from real challenges; here every challenge is 3.
    """
    monkeypatch.setattr(Transcript, "scalar", lambda *_: 3)
    monkeypatch.setattr(sigma, "_dleq_challenge", lambda *_: (3).to_bytes(32, "big"))
    three, five = encode_scalar(3), encode_scalar(5)
    lifted = (5 + L).to_bytes(32, "big")
    for c in (three, (3 + L).to_bytes(32, "big")):
        for z in (five, lifted):
            for check, proof in ((check_possession, c + z), (check_one, c + z)):
                if (c, z) == (three, five):
                    check(proof)
                else:
                    with pytest.raises((BadScalar, BadProof)):
                        check(proof)
            for other in (five, lifted):
                if (c, z, other) == (three, five, five):
                    check_give(c + z + other)
                else:
                    with pytest.raises(BadScalar):
                        check_give(c + z + other)


# [CTX-1] of protocol.md
@pytest.mark.parametrize("ctx", OTHER_CONTEXTS)
def test_no_proof_is_worth_anything_elsewhere(ctx: Context) -> None:
    with pytest.raises(BadProof):
        sigma.check_possession(ctx, ALICE.public, POSSESSION)
    with pytest.raises(BadProof):
        sigma.check_shares(ctx, ALICE.public, BASES[:1], SHARES[:1], ONE_SHARE)
    with pytest.raises(BadProof):
        sigma.check_shares(ctx, ALICE.public, BASES, SHARES, ALL_SHARES)
    with pytest.raises(BadProof):
        sigma.check_give(ctx, ALICE.public, BOB.public, FIRST, GIVEN, GIVE)


def test_only_canonical_points() -> None:
    for bad in other_forms(ALICE.public):
        with pytest.raises(BadPoint):
            sigma.check_possession(CONTEXT, bad, POSSESSION)
        with pytest.raises(BadPoint):
            sigma.check_shares(CONTEXT, bad, BASES, SHARES, ALL_SHARES)
        with pytest.raises(BadPoint):
            sigma.check_give(CONTEXT, bad, BOB.public, FIRST, GIVEN, GIVE)
        with pytest.raises(BadPoint):
            sigma.check_give(CONTEXT, ALICE.public, bad, FIRST, GIVEN, GIVE)
    for bad in other_forms(SHARES[0]):
        with pytest.raises(BadPoint):
            sigma.check_shares(CONTEXT, ALICE.public, BASES[:1], [bad], ONE_SHARE)
        with pytest.raises(BadPoint):
            sigma.check_shares(CONTEXT, ALICE.public, BASES, [bad, *SHARES[1:]], ALL_SHARES)
    for bad in other_forms(GIVEN[:33]):
        with pytest.raises(BadPoint):
            sigma.check_give(CONTEXT, ALICE.public, BOB.public, FIRST, bad + GIVEN[33:], GIVE)
        with pytest.raises(BadPoint):
            sigma.check_give(CONTEXT, ALICE.public, BOB.public, FIRST, GIVEN[:33] + bad, GIVE)


# [CTX-3] of protocol.md
def test_nonces_follow_the_statement_even_if_randomness_repeats() -> None:
    """Two responses under one nonce would give the key away."""

    def stuck(n: int) -> bytes:
        return bytes(n)

    def key_from(one: bytes, other: bytes) -> int:
        c, z = (int.from_bytes(one[i : i + 32], "big") for i in (0, 32))
        d, y = (int.from_bytes(other[i : i + 32], "big") for i in (0, 32))
        return (z - y) * inverse(c - d) % L

    elsewhere = OTHER_CONTEXTS[1]
    pairs = [
        [sigma.prove_possession(ctx, ALICE.x, ALICE.public, stuck) for ctx in (CONTEXT, elsewhere)],
        [
            sigma.prove_shares(ctx, ALICE.x, ALICE.public, BASES[:1], SHARES[:1], stuck)
            for ctx in (CONTEXT, elsewhere)
        ],
        [
            sigma.prove_shares(CONTEXT, ALICE.x, ALICE.public, BASES[i:], SHARES[i:], stuck)
            for i in (0, 1)
        ],
        [
            sigma.prove_give(CONTEXT, ALICE.x, ALICE.public, BOB.public, mask, stuck)[1]
            for mask in (FIRST, SECOND)
        ],
    ]
    for one, other in pairs:
        assert one[:32] != other[:32]
        assert key_from(one, other) != ALICE.x


# --- possession ----------------------------------------------------------------------------------


def test_a_copied_key_is_refused() -> None:
    """Bob sends Alice's key and her proof as his own: the seat is in the context."""
    with pytest.raises(BadProof):
        sigma.check_possession(OTHER_CONTEXTS[3], ALICE.public, POSSESSION)


def test_a_rogue_key_has_no_proof() -> None:
    """X = X* - (the others): the joint key would be X*, whose secret the rogue knows."""
    rogue = encode(total(base(BOB.x), minus(decode(ALICE.public))))
    for x in (BOB.x, (BOB.x - ALICE.x + 1) % L):
        proof = sigma.prove_possession(CONTEXT, x, rogue, seeded(5))
        with pytest.raises(BadProof):
            sigma.check_possession(CONTEXT, rogue, proof)


# --- shares --------------------------------------------------------------------------------------


# [SHARE-1] of protocol.md
def test_wrong_shares_are_refused() -> None:
    shifted = encode(total(decode(SHARES[0]), SECP256K1.generator()))
    for wrong in (shifted, SHARES[1], BOB.share(FIRST), encode(minus(decode(SHARES[0])))):
        with pytest.raises(BadProof):
            sigma.check_shares(CONTEXT, ALICE.public, BASES[:1], [wrong], ONE_SHARE)
        with pytest.raises(BadProof):
            sigma.check_shares(CONTEXT, ALICE.public, BASES, [wrong, *SHARES[1:]], ALL_SHARES)
        # Alice's own prover, run on it:
        for shares in ([wrong], [wrong, *SHARES[1:]]):
            bases = BASES[: len(shares)]
            proof = sigma.prove_shares(CONTEXT, ALICE.x, ALICE.public, bases, shares, seeded(6))
            with pytest.raises(BadProof):
                sigma.check_shares(CONTEXT, ALICE.public, bases, shares, proof)


def test_shares_are_the_author_s() -> None:
    proof = sigma.prove_shares(
        CONTEXT, BOB.x, BOB.public, BASES, [BOB.share(mask) for mask in MASKS], seeded(7)
    )
    with pytest.raises(BadProof):
        sigma.check_shares(CONTEXT, ALICE.public, BASES, SHARES, proof)


# [SHARE-1] of protocol.md
def test_order_and_number_of_shares() -> None:
    swapped = [SHARES[1], SHARES[0], *SHARES[2:]]
    with pytest.raises(BadProof):
        sigma.check_shares(CONTEXT, ALICE.public, BASES, swapped, ALL_SHARES)
    for count in (0, 1, len(BASES) - 1):
        with pytest.raises(BadProof):
            sigma.check_shares(CONTEXT, ALICE.public, BASES, SHARES[:count], ALL_SHARES)
    with pytest.raises(BadProof):
        sigma.check_shares(CONTEXT, ALICE.public, [], [], ALL_SHARES)
    with pytest.raises(BadProof):
        sigma.prove_shares(CONTEXT, ALICE.x, ALICE.public, [], [], seeded(8))


def test_a_malleated_mask_needs_its_own_share() -> None:
    """(A + dG, B + dX) hides the same card, but no share of (A, B) opens it."""
    moved = encode(total(decode(BASES[0]), base(5)))
    with pytest.raises(BadProof):
        sigma.check_shares(CONTEXT, ALICE.public, [moved], SHARES[:1], ONE_SHARE)


def test_one_share_is_a_plain_bip374_proof() -> None:
    message = sha256(CONTEXT.pack("shares")).digest()
    key, card, share = decode(ALICE.public), decode(BASES[0]), decode(SHARES[0])
    sigma.check_dleq(key, card, share, ONE_SHARE, message=message)


# --- hand-over -----------------------------------------------------------------------------------


def test_the_receiver_reads_the_card() -> None:
    share = mul(decode(GIVEN[:33]), BOB.x)
    seen = encode(total(decode(GIVEN[33:]), minus(share)))
    card = total(mul(P(1), 2), mul(P(2), 7))
    assert seen == encode(card)


# [GIVE-1] of protocol.md
def test_another_card_cannot_be_given() -> None:
    other, _ = sigma.prove_give(CONTEXT, ALICE.x, ALICE.public, BOB.public, SECOND, seeded(9))
    with pytest.raises(BadProof):
        sigma.check_give(CONTEXT, ALICE.public, BOB.public, FIRST, other, GIVE)
    # The proof of the other card, and the prover's own code run with a share that is not xA.
    given, proof = sigma.prove_give(CONTEXT, ALICE.x, ALICE.public, BOB.public, SECOND, seeded(10))
    with pytest.raises(BadProof):
        sigma.check_give(CONTEXT, ALICE.public, BOB.public, FIRST, given, proof)
    lie = total(decode(ALICE.share(FIRST)), minus(P(2)))
    given, proof = sigma.prove_give(
        CONTEXT, ALICE.x, ALICE.public, BOB.public, FIRST, seeded(11), lie
    )
    with pytest.raises(BadProof):
        sigma.check_give(CONTEXT, ALICE.public, BOB.public, FIRST, given, proof)


def test_a_hand_over_is_for_one_receiver_by_one_giver() -> None:
    carol = Seat("carol")
    with pytest.raises(BadProof):
        sigma.check_give(CONTEXT, ALICE.public, carol.public, FIRST, GIVEN, GIVE)
    with pytest.raises(BadProof):
        sigma.check_give(CONTEXT, carol.public, BOB.public, FIRST, GIVEN, GIVE)
    with pytest.raises(BadProof):
        sigma.check_give(CONTEXT, BOB.public, ALICE.public, FIRST, GIVEN, GIVE)


def test_a_malleated_mask_is_not_what_was_given() -> None:
    a, b = decode(GIVEN[:33]), decode(GIVEN[33:])
    key = decode(BOB.public)
    same_card = encode(total(a, base(9))) + encode(total(b, mul(key, 9)))
    next_rank = GIVEN[:33] + encode(total(b, P(2)))
    for wrong in (same_card, next_rank, FIRST, GIVEN[33:] + GIVEN[:33]):
        with pytest.raises(BadProof):
            sigma.check_give(CONTEXT, ALICE.public, BOB.public, FIRST, wrong, GIVE)


# [GIVE-1] of protocol.md
def test_another_s_mask_cannot_be_copied() -> None:
    """A' = the A of a card whose r Alice does not know, B' made to fit as well as she can."""
    target = masked(BOB.public, (4, 12), 1234567)
    copied = target[:33] + GIVEN[33:]
    transcript = sigma._give_transcript(CONTEXT, ALICE.public, BOB.public, FIRST)
    transcript.put("given", copied)
    w, v = 11, 12
    t3 = total(mul(decode(FIRST[:33]), w), mul(decode(BOB.public), L - v))
    transcript.put("commitments", encode(base(w)) + encode(base(v)) + encode(t3))
    c = transcript.scalar("c")
    for guess in (1, 2, ALICE.x):
        parts = (c, (w + c * ALICE.x) % L, (v + c * guess) % L)
        with pytest.raises(BadProof):
            sigma.check_give(
                CONTEXT,
                ALICE.public,
                BOB.public,
                FIRST,
                copied,
                b"".join(map(encode_scalar, parts)),
            )


def test_a_hand_over_of_nothing_is_refused() -> None:
    """B' = B: the change is at infinity."""
    with pytest.raises(BadProof):
        sigma.check_give(CONTEXT, ALICE.public, BOB.public, FIRST, GIVEN[:33] + FIRST[33:], GIVE)
    with pytest.raises(BadPoint):
        sigma.check_give(CONTEXT, ALICE.public, BOB.public, FIRST, GIVEN[:-1], GIVE)
