"""The kernel: a small hand from keys to claims, and what each verb refuses."""

import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pcards.crypto.elgamal import Attributes, Mask
from p2pcards.crypto.formula import And, Or, Rep
from p2pcards.crypto.group import SECP256K1, L, P, Secp256k1
from p2pcards.crypto.kernel import HandKey, Kernel, RealKernel
from p2pcards.errors import BadPoint, BadProof, BadScalar, CryptoError, WrongWitness
from tests.crypto.hands import (
    BAD_SCALARS,
    CONTEXT,
    OTHER_CONTEXTS,
    at_least,
    masked,
    not_of_suit,
    other_forms,
    seeded,
)

KERNEL: Kernel = RealKernel()
FACES: list[Attributes] = [(1, 2), (2, 5), (3, 9), (3, 9), (4, 14), (1, 11)]
CONTEXTS = [replace(CONTEXT, seat=seat) for seat in range(3)]
KEYS = [
    KERNEL.keys(ctx, bytes([seat]) * 32, seeded(f"key {seat}")) for seat, ctx in enumerate(CONTEXTS)
]
JOINT = KERNEL.joint([key.public for key in KEYS])
INITIAL = KERNEL.initial(JOINT, FACES)
MIXED, MIX = KERNEL.mix(CONTEXTS[0], JOINT, INITIAL, b"s" * 32, seeded("mix"))


def dealt_to(seat: int, masks: tuple[Mask, ...]) -> list[Mask]:
    """The masks under one seat's key: the others' shares are made, checked and taken off."""
    rest = list(masks)
    for other, key in enumerate(KEYS):
        if other != seat:
            shares, proof = KERNEL.shares(
                CONTEXTS[other], key.x, key.public, masks, seeded(f"share {other}")
            )
            KERNEL.check_shares(CONTEXTS[other], key.public, masks, shares, proof)
            rest = [KERNEL.strip(m, [s]) for m, s in zip(rest, shares, strict=True)]
    return rest


HELD = dealt_to(0, MIXED)
HAND = [KERNEL.read(mask, KEYS[0].x, FACES) for mask in HELD]
ALICE, BOB, _ = KEYS
HERE = CONTEXTS[0]


def held(face: Attributes) -> Mask:
    return HELD[HAND.index(face)]


# --- keys ----------------------------------------------------------------------------------------


def test_keys_follow_from_secret_and_context() -> None:
    again = KERNEL.keys(HERE, bytes(32), seeded("other randomness"))
    assert (again.x, again.public) == (ALICE.x, ALICE.public)
    assert KERNEL.opens_key(ALICE.x, ALICE.public)
    others = [KERNEL.keys(ctx, bytes(32), seeded(0)).x for ctx in OTHER_CONTEXTS]
    others.append(KERNEL.keys(HERE, b"\1" * 32, seeded(0)).x)
    assert len({ALICE.x, *others}) == len(others) + 1
    with pytest.raises(ValueError, match="32 bytes"):
        KERNEL.keys(HERE, bytes(31), seeded(0))


# [PEER-2] of protocol.md
def test_secrets_are_not_shown() -> None:
    assert "x=" not in repr(ALICE)
    for text in (repr(ALICE), str(ALICE), f"{ALICE}", repr([ALICE]), repr(KERNEL)):
        assert ALICE.x.hex() not in text
        assert repr(ALICE.x) not in text
    assert repr(HandKey(b"secret", b"public", b"proof")).count("secret") == 0


# [KEY-1] of protocol.md
def test_possession_is_checked() -> None:
    for ctx, key in zip(CONTEXTS, KEYS, strict=True):
        KERNEL.check_key(ctx, key.public, key.proof)
    with pytest.raises(BadProof):
        KERNEL.check_key(CONTEXTS[1], ALICE.public, ALICE.proof)
    with pytest.raises(BadProof):
        KERNEL.check_key(HERE, BOB.public, ALICE.proof)


# [KEY-1] of protocol.md
def test_key_commitment_binds_everything() -> None:
    made = KERNEL.key_commitment(HERE, ALICE.public, ALICE.proof)
    assert len(made) == 32
    others = [KERNEL.key_commitment(ctx, ALICE.public, ALICE.proof) for ctx in OTHER_CONTEXTS]
    others.append(KERNEL.key_commitment(HERE, BOB.public, ALICE.proof))
    others.append(KERNEL.key_commitment(HERE, ALICE.public, BOB.proof))
    assert len({made, *others}) == len(others) + 1
    with pytest.raises(BadProof):
        KERNEL.key_commitment(HERE, ALICE.public, ALICE.proof + b"\0")
    with pytest.raises(BadPoint):
        KERNEL.key_commitment(HERE, ALICE.public[:-1], ALICE.proof)


def test_joint_key_is_the_sum() -> None:
    total = sum(int.from_bytes(key.x, "big") for key in KEYS) % L
    assert KERNEL.opens_key(total.to_bytes(32, "big"), JOINT)
    assert KERNEL.joint([ALICE.public]) == ALICE.public


# [KEY-3] of protocol.md
def test_colluding_keys_are_refused() -> None:
    point = SECP256K1.decode(ALICE.public)
    negative = SECP256K1.encode(SECP256K1.negate(point))
    for publics in (
        [ALICE.public, ALICE.public],
        [ALICE.public, BOB.public, ALICE.public],
        [ALICE.public, negative, BOB.public],
        [],
    ):
        with pytest.raises(BadPoint):
            KERNEL.joint(publics)
    both = KERNEL.joint([ALICE.public, BOB.public])
    undo = SECP256K1.encode(SECP256K1.negate(SECP256K1.decode(both)))
    with pytest.raises(BadPoint, match="infinity"):
        KERNEL.joint([ALICE.public, BOB.public, undo])


def test_opening_a_key() -> None:
    assert not KERNEL.opens_key(BOB.x, ALICE.public)
    lifted = (int.from_bytes(ALICE.x, "big") + L) % 2**256
    for wrong in (*BAD_SCALARS, b"", ALICE.x[:-1], ALICE.x + b"\0", lifted.to_bytes(32, "big")):
        assert not KERNEL.opens_key(wrong, ALICE.public)


# --- the deck ------------------------------------------------------------------------------------


def test_a_mix_hides_the_same_cards() -> None:
    KERNEL.check_mix(HERE, JOINT, INITIAL, MIXED, MIX)
    assert sorted(face for face in HAND if face) == sorted(FACES)
    assert KERNEL.recompute(JOINT, INITIAL, b"s" * 32) == MIXED
    assert KERNEL.recompute(JOINT, INITIAL, b"t" * 32) != MIXED


def test_another_mix_is_refused() -> None:
    for after in (MIXED[::-1], INITIAL, MIXED[:-1], (*MIXED, MIXED[0])):
        with pytest.raises(CryptoError):
            KERNEL.check_mix(HERE, JOINT, INITIAL, after, MIX)
    for ctx in OTHER_CONTEXTS:
        with pytest.raises(BadProof):
            KERNEL.check_mix(ctx, JOINT, INITIAL, MIXED, MIX)


# --- cards ---------------------------------------------------------------------------------------


def test_a_share_too_few_shows_nothing() -> None:
    """With all shares but one every reading is no card of the pack."""
    for mask in MIXED:
        share, _ = KERNEL.shares(CONTEXTS[1], BOB.x, BOB.public, [mask], seeded(0))
        stripped = KERNEL.strip(mask, share)
        assert KERNEL.read(stripped, ALICE.x, FACES) is None
        assert KERNEL.open_face(mask, share[0], FACES) is None


def test_playing_a_card() -> None:
    mask = held((2, 5))
    (share,), proof = KERNEL.shares(HERE, ALICE.x, ALICE.public, [mask], seeded(1))
    KERNEL.check_shares(HERE, ALICE.public, [mask], [share], proof)
    assert KERNEL.open_face(mask, share, FACES) == (2, 5)
    assert KERNEL.open_face(mask, share, [(1, 2)]) is None
    with pytest.raises(BadProof):
        KERNEL.check_shares(HERE, ALICE.public, [held((4, 14))], [share], proof)
    with pytest.raises(BadProof):
        KERNEL.check_shares(CONTEXTS[1], BOB.public, [mask], [share], proof)


def test_shares_are_refused_on_masks_that_are_none() -> None:
    for wrong in (b"", MIXED[0][:-1], MIXED[0] + b"\0", bytes(66)):
        with pytest.raises(BadPoint):
            KERNEL.shares(HERE, ALICE.x, ALICE.public, [wrong], seeded(0))
        with pytest.raises(BadPoint):
            KERNEL.check_shares(HERE, ALICE.public, [wrong], [ALICE.public], bytes([1]) * 64)
        with pytest.raises(BadPoint):
            KERNEL.read(wrong, ALICE.x, FACES)


def test_a_plaintext_at_infinity_is_no_card() -> None:
    mask = held((2, 5))
    with pytest.raises(BadPoint):
        KERNEL.open_face(mask, mask[33:], FACES)


def test_giving_and_putting_back() -> None:
    mask = held((4, 14))
    given, proof = KERNEL.give(HERE, ALICE.x, ALICE.public, BOB.public, mask, seeded(2))
    KERNEL.check_give(HERE, ALICE.public, BOB.public, mask, given, proof)
    assert KERNEL.read(given, BOB.x, FACES) == (4, 14)
    assert KERNEL.read(given, ALICE.x, FACES) is None
    with pytest.raises(BadProof):
        KERNEL.check_give(HERE, ALICE.public, BOB.public, held((2, 5)), given, proof)
    back, proof = KERNEL.give(HERE, ALICE.x, ALICE.public, JOINT, mask, seeded(3))
    KERNEL.check_give(HERE, ALICE.public, JOINT, mask, back, proof)
    assert [KERNEL.read(m, ALICE.x, FACES) for m in dealt_to(0, (back,))] == [(4, 14)]


def test_claims() -> None:
    ace, five = held((4, 14)), held((2, 5))
    claim = And((not_of_suit(ace, 1), at_least(ace, five)))
    proof = KERNEL.prove(HERE, ALICE.x, ALICE.public, claim, FACES, seeded(4))
    KERNEL.check(HERE, ALICE.public, claim, proof)
    with pytest.raises(BadProof):
        KERNEL.check(HERE, ALICE.public, And((not_of_suit(ace, 1), at_least(five, ace))), proof)
    for lie in (not_of_suit(ace, 4), at_least(five, ace), Or(())):
        with pytest.raises(WrongWitness):
            KERNEL.prove(HERE, ALICE.x, ALICE.public, lie, FACES, seeded(5))
    with pytest.raises(WrongWitness):
        KERNEL.prove(HERE, BOB.x, BOB.public, claim, FACES, seeded(6))


def test_sizes_say_nothing_about_the_card() -> None:
    """The same claim about different cards has proofs of one size."""
    sizes = set()
    for mask, face in zip(HELD, HAND, strict=True):
        if face is not None and face[0] != 1:
            claim = not_of_suit(mask, 1)
            proof = KERNEL.prove(HERE, ALICE.x, ALICE.public, claim, FACES, seeded(7))
            sizes.add(len(proof))
    assert len(sizes) == 1


# --- what is remembered --------------------------------------------------------------------------


def test_memory_changes_nothing_but_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = RealKernel()
    products = 0
    honest = Secp256k1.mul

    def counted(*arguments: object) -> object:
        nonlocal products
        products += 1
        return honest(*arguments)  # type: ignore[arg-type]  # a stand-in takes what it is given

    monkeypatch.setattr(Secp256k1, "mul", counted)
    mask = held((2, 5))
    made, works = [], []
    for _ in range(2):
        before = products
        made.append(kernel.shares(HERE, ALICE.x, ALICE.public, [mask], seeded(8)))
        works.append(products - before)
    assert made[0] == made[1]
    assert works == [2, 1]
    kernel.forget()
    before = products
    assert kernel.shares(HERE, ALICE.x, ALICE.public, [mask], seeded(8)) == made[0]
    assert products - before == 2


def test_memory_is_per_key_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("p2pcards.crypto.kernel._MAX_REMEMBERED", 3)
    kernel = RealKernel()
    mask = held((2, 5))
    assert kernel.read(mask, ALICE.x, FACES) == (2, 5)
    assert kernel.read(mask, BOB.x, FACES) is None
    for other, face in zip(HELD, HAND, strict=True):
        assert kernel.read(other, ALICE.x, FACES) == face
        assert max(len(kernel._shares), len(kernel._plaintexts)) <= 3
    assert not any(ALICE.x in name for name in (*kernel._shares, *kernel._plaintexts))
    kernel.forget()
    assert not kernel._shares
    assert not kernel._plaintexts


def test_threads_share_one_kernel() -> None:
    kernel = RealKernel()
    ace, five = held((4, 14)), held((2, 5))
    claim = at_least(ace, five)

    def work(seed: int) -> bytes:
        proof = kernel.prove(HERE, ALICE.x, ALICE.public, claim, FACES, seeded(seed))
        kernel.check(HERE, ALICE.public, claim, proof)
        given, giving = kernel.give(HERE, ALICE.x, ALICE.public, BOB.public, ace, seeded(seed))
        kernel.check_give(HERE, ALICE.public, BOB.public, ace, given, giving)
        shares, shared = kernel.shares(HERE, ALICE.x, ALICE.public, HELD, seeded(seed))
        kernel.check_shares(HERE, ALICE.public, HELD, shares, shared)
        kernel.forget()
        return proof + given + giving + b"".join(shares) + shared

    alone = [work(seed) for seed in range(12)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(12))) == alone


def test_the_real_kernel_has_every_verb_as_agreed() -> None:
    verbs = [name for name in vars(Kernel) if not name.startswith("_")]
    assert len(verbs) == 18
    for name in verbs:
        agreed = inspect.signature(getattr(Kernel, name))
        assert inspect.signature(getattr(RealKernel, name)) == agreed


# --- bytes that are nothing ----------------------------------------------------------------------


CARD = HELD[0]
CLAIM = Rep(CARD, None, (None, None))
(SHARE,), SHOWN = KERNEL.shares(HERE, ALICE.x, ALICE.public, [CARD], seeded(9))
GIVEN, GIVING = KERNEL.give(HERE, ALICE.x, ALICE.public, BOB.public, CARD, seeded(10))
PROVEN = KERNEL.prove(HERE, ALICE.x, ALICE.public, CLAIM, FACES, seeded(11))
Refusal = Callable[[bytes], object]
DOORS: list[tuple[str, bytes, Refusal]] = [
    ("key", ALICE.public, lambda b: KERNEL.check_key(HERE, b, ALICE.proof)),
    ("possession", ALICE.proof, lambda b: KERNEL.check_key(HERE, ALICE.public, b)),
    ("joint", ALICE.public, lambda b: KERNEL.joint([BOB.public, b])),
    (
        "share",
        SHARE,
        lambda b: KERNEL.check_shares(HERE, ALICE.public, [CARD], [b], SHOWN),
    ),
    (
        "shares",
        SHOWN,
        lambda b: KERNEL.check_shares(HERE, ALICE.public, [CARD], [SHARE], b),
    ),
    (
        "given",
        GIVEN,
        lambda b: KERNEL.check_give(HERE, ALICE.public, BOB.public, CARD, b, GIVING),
    ),
    (
        "giving",
        GIVING,
        lambda b: KERNEL.check_give(HERE, ALICE.public, BOB.public, CARD, GIVEN, b),
    ),
    ("claim", PROVEN, lambda b: KERNEL.check(HERE, ALICE.public, CLAIM, b)),
    ("mix", MIX, lambda b: KERNEL.check_mix(HERE, JOINT, INITIAL, MIXED, b)),
    (
        "mixed",
        MIXED[0],
        lambda b: KERNEL.check_mix(HERE, JOINT, INITIAL, (b, *MIXED[1:]), MIX),
    ),
]
NAMES = [name for name, _, _ in DOORS]


@pytest.mark.parametrize("name, right, door", DOORS, ids=NAMES)
def test_the_right_bytes_pass(name: str, right: bytes, door: Refusal) -> None:
    door(right)


@pytest.mark.parametrize("name, right, door", DOORS, ids=NAMES)
def test_wrong_bytes_are_refused_as_what_they_are(name: str, right: bytes, door: Refusal) -> None:
    """No other error than ours, whatever the bytes."""

    @settings(max_examples=40)
    @given(
        st.one_of(
            st.binary(max_size=80),
            st.binary(min_size=len(right), max_size=len(right)),
            st.integers(0, len(right)).map(lambda n: right[:n]),
            st.binary(min_size=1, max_size=4).map(lambda tail: right + tail),
            st.integers(0, len(right) - 1).map(lambda n: right[:n] + b"\0" * (len(right) - n)),
        )
    )
    def refused(data: bytes) -> None:
        if data == right:
            return
        # Another key makes another joint key, and that is no fault.
        if name == "joint":
            try:
                door(data)
            except (BadPoint, BadScalar):
                return
            assert len(data) == 33
            return
        with pytest.raises((BadPoint, BadScalar, BadProof)):
            door(data)

    refused()


# [GROUP-1] of protocol.md
@pytest.mark.parametrize("name, right, door", DOORS, ids=NAMES)
def test_points_have_one_form(name: str, right: bytes, door: Refusal) -> None:
    if name in {"key", "joint", "share"}:
        for bad in other_forms(right):
            with pytest.raises(BadPoint):
                door(bad)
    elif name in {"given", "mixed"}:
        for bad in other_forms(right[:33]):
            with pytest.raises(BadPoint):
                door(bad + right[33:])
        for bad in other_forms(right[33:]):
            with pytest.raises(BadPoint):
                door(right[:33] + bad)


def test_pairs_of_cards_are_told_apart() -> None:
    """Equal faces are one card to every verb, and different masks to the eye."""
    twins = [mask for mask, face in zip(HELD, HAND, strict=True) if face == (3, 9)]
    assert len(set(twins)) == 2
    same = Rep(twins[0], twins[1], (0, 0))
    proof = KERNEL.prove(HERE, ALICE.x, ALICE.public, same, FACES, seeded(12))
    KERNEL.check(HERE, ALICE.public, same, proof)


# [CARD-2] of protocol.md
def test_a_foreign_card_is_no_card() -> None:
    other = masked(ALICE.public, (4, 2), 99)
    assert KERNEL.read(other, ALICE.x, FACES) is None
    point = SECP256K1.sum([SECP256K1.decode(CARD[33:]), P(3)])
    assert KERNEL.read(CARD[:33] + SECP256K1.encode(point), ALICE.x, FACES) is None
