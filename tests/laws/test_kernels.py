"""What every kernel promises, real or open alike: the same verbs, sizes and refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pcards.cards.claims import (
    All,
    Any,
    AtLeast,
    Claim,
    ClassIs,
    FaceIs,
    FaceIsNot,
    OneOf,
    RankAtLeast,
    RankAtMost,
    SuitIs,
    SuitIsNot,
    holds,
    simplify,
)
from p2pcards.cards.faces import Attribute, Face, Pack, french, gnav
from p2pcards.crypto.formula import And, Or, Rep
from p2pcards.crypto.formula import proof_size as formula_size
from p2pcards.crypto.kernel import HandKey, Kernel, RealKernel
from p2pcards.crypto.shuffle import proof_size as shuffle_size
from p2pcards.crypto.transcript import Context
from p2pcards.engine.obligations import formula
from p2pcards.errors import BadPoint, BadProof, CryptoError, WrongWitness
from p2pcards.testing.open_kernel import OpenKernel

KERNELS: dict[str, Kernel] = {"open": OpenKernel(), "real": RealKernel()}
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())

RANDOM = Random(52)
SEATS = 3
FACES = (*(Face(2, rank) for rank in (2, 7, 14)), *(Face(4, rank) for rank in (2, 3)), Face(4, 3))


def rng(size: int) -> bytes:
    return RANDOM.randbytes(size)


def context(seat: int = 0, step: int = 5, index: int = 0) -> Context:
    return Context(b"t" * 32, step, b"p" * 32, seat, index)


def seed(number: int) -> bytes:
    return bytes([number]) * 32


@dataclass(frozen=True)
class Hand:
    """A deck that every seat has mixed, and the seats' keys."""

    keys: tuple[HandKey, ...]
    joint: bytes
    rounds: tuple[tuple[bytes, ...], ...]
    proofs: tuple[bytes, ...]

    @property
    def deck(self) -> tuple[bytes, ...]:
        return self.rounds[-1]


_hands: dict[int, Hand] = {}


def hand_of(kernel: Kernel) -> Hand:
    """One mixed deck a kernel, made once."""
    if id(kernel) not in _hands:
        keys = tuple(kernel.keys(context(seat), seed(seat), rng) for seat in range(SEATS))
        joint = kernel.joint([key.public for key in keys])
        rounds, proofs = [kernel.initial(joint, FACES)], []
        for seat in range(SEATS):
            after, proof = kernel.mix(context(seat), joint, rounds[-1], seed(10 + seat), rng)
            rounds.append(after)
            proofs.append(proof)
        _hands[id(kernel)] = Hand(keys, joint, tuple(rounds), tuple(proofs))
    return _hands[id(kernel)]


def dealt(kernel: Kernel, mask: bytes, to: int) -> bytes:
    """The mask with every layer off but the holder's."""
    keys = hand_of(kernel).keys
    others = [
        kernel.shares(context(), key.x, key.public, [mask], rng)[0][0]
        for seat, key in enumerate(keys)
        if seat != to
    ]
    return kernel.strip(mask, others)


def flipped(data: bytes, bit: int) -> bytes:
    """The bytes with one bit altered."""
    place, shift = divmod(bit % (8 * len(data)), 8)
    return data[:place] + bytes([data[place] ^ 1 << shift]) + data[place + 1 :]


# --- keys -----------------------------------------------------------------------------------------


@every_kernel
def test_a_key_follows_from_secret_and_context(kernel: Kernel) -> None:
    first, again = (kernel.keys(context(), seed(1), rng) for _ in range(2))
    assert (first.x, first.public) == (again.x, again.public)
    assert (len(first.x), len(first.public), len(first.proof)) == (32, 33, 64)
    assert kernel.keys(context(), seed(2), rng).x != first.x
    assert kernel.keys(context(step=6), seed(1), rng).x != first.x
    assert repr(first.x) not in repr(first)
    with pytest.raises(ValueError, match="32 bytes"):
        kernel.keys(context(), b"short", rng)


@every_kernel
def test_possession_is_bound_to_the_seat(kernel: Kernel) -> None:
    key = kernel.keys(context(0), seed(1), rng)
    kernel.check_key(context(0), key.public, key.proof)
    with pytest.raises(BadProof):
        kernel.check_key(context(1), key.public, key.proof)
    other = kernel.keys(context(0), seed(2), rng)
    with pytest.raises(BadProof):
        kernel.check_key(context(0), other.public, key.proof)


@every_kernel
def test_a_commitment_binds_key_proof_and_context(kernel: Kernel) -> None:
    key, other = (kernel.keys(context(), seed(i), rng) for i in (1, 2))
    made = {
        kernel.key_commitment(ctx, k.public, k.proof)
        for ctx in (context(0), context(1))
        for k in (key, other)
    }
    assert len(made) == 4
    assert {len(c) for c in made} == {32}


@every_kernel
def test_an_opened_key_is_its_own(kernel: Kernel) -> None:
    key, other = (kernel.keys(context(), seed(i), rng) for i in (1, 2))
    assert kernel.opens_key(key.x, key.public)
    assert not kernel.opens_key(other.x, key.public)
    assert not kernel.opens_key(bytes(32), key.public)
    assert not kernel.opens_key(b"\xff" * 32, key.public)
    assert not kernel.opens_key(key.x[1:], key.public)


@every_kernel
def test_a_joint_key_is_of_different_keys(kernel: Kernel) -> None:
    keys = hand_of(kernel).keys
    with pytest.raises(BadPoint):
        kernel.joint([keys[0].public, keys[1].public, keys[0].public])
    with pytest.raises(BadPoint):
        kernel.joint([keys[0].public, b"\xff" * 33])
    with pytest.raises(BadPoint):
        kernel.joint([keys[0].public, keys[1].public[:-1]])


# --- mixing ---------------------------------------------------------------------------------------


@every_kernel
def test_every_mix_checks_and_keeps_the_cards(kernel: Kernel) -> None:
    hand = hand_of(kernel)
    for seat in range(SEATS):
        before, after = hand.rounds[seat], hand.rounds[seat + 1]
        kernel.check_mix(context(seat), hand.joint, before, after, hand.proofs[seat])
        assert len(hand.proofs[seat]) == shuffle_size(len(FACES))
        assert not set(before) & set(after)
    shown = [kernel.read(dealt(kernel, mask, 0), hand.keys[0].x, FACES) for mask in hand.deck]
    assert Counter(shown) == Counter(FACES)


@every_kernel
def test_recomputing_is_mixing(kernel: Kernel) -> None:
    hand = hand_of(kernel)
    for seat in range(SEATS):
        before, after = hand.rounds[seat], hand.rounds[seat + 1]
        assert kernel.recompute(hand.joint, before, seed(10 + seat)) == after
        assert kernel.recompute(hand.joint, before, seed(20 + seat)) != after


@every_kernel
def test_different_seeds_give_different_orders(kernel: Kernel) -> None:
    hand, orders = hand_of(kernel), set()
    for number in range(12):
        after = kernel.recompute(hand.joint, hand.rounds[0], seed(30 + number))
        orders.add(tuple(kernel.read(dealt(kernel, m, 0), hand.keys[0].x, FACES) for m in after))
    assert len(orders) > 6


@every_kernel
def test_a_mix_of_other_cards_is_refused(kernel: Kernel) -> None:
    hand = hand_of(kernel)
    before, after, proof = hand.rounds[0], hand.rounds[1], hand.proofs[0]
    doubled = (after[1], *after[1:])
    exchanged = (after[1], after[0], *after[2:])
    stranger = (*after[:-1], kernel.initial(hand.joint, [Face(3, 9)])[0])
    for wrong in (doubled, exchanged, stranger, before, after[:-1], (*after, after[0])):
        with pytest.raises(CryptoError):
            kernel.check_mix(context(0), hand.joint, before, wrong, proof)
    for ctx in (context(1), context(0, step=6), context(0, index=1)):
        with pytest.raises(CryptoError):
            kernel.check_mix(ctx, hand.joint, before, after, proof)
    with pytest.raises(CryptoError):
        kernel.check_mix(context(0), hand.keys[0].public, before, after, proof)


@every_kernel
def test_a_held_hand_can_be_mixed_by_its_holder(kernel: Kernel) -> None:
    hand, key = hand_of(kernel), hand_of(kernel).keys[1]
    before = tuple(dealt(kernel, mask, 1) for mask in hand.deck[:2])
    after, proof = kernel.mix(context(1), key.public, before, seed(3), rng)
    kernel.check_mix(context(1), key.public, before, after, proof)
    cards = (Counter(kernel.read(m, key.x, FACES) for m in masks) for masks in (before, after))
    assert next(cards) == next(cards)


# --- shares, reading, giving ----------------------------------------------------------------------


@every_kernel
@pytest.mark.parametrize("to", range(SEATS))
def test_reading_and_opening_agree(kernel: Kernel, to: int) -> None:
    hand = hand_of(kernel)
    key = hand.keys[to]
    for mask in hand.deck:
        mine = dealt(kernel, mask, to)
        shares, proof = kernel.shares(context(to), key.x, key.public, [mine], rng)
        assert (len(shares[0]), len(proof)) == (33, 64)
        kernel.check_shares(context(to), key.public, [mine], shares, proof)
        face = kernel.read(mine, key.x, FACES)
        assert face in FACES
        assert kernel.open_face(mine, shares[0], FACES) == face


@every_kernel
def test_a_card_cannot_be_read_while_a_layer_is_on(kernel: Kernel) -> None:
    hand = hand_of(kernel)
    for key in hand.keys:
        assert kernel.read(hand.deck[0], key.x, FACES) is None
    mine = dealt(kernel, hand.deck[0], 0)
    assert kernel.read(mine, hand.keys[1].x, FACES) is None
    others = [face for face in FACES if face != kernel.read(mine, hand.keys[0].x, FACES)]
    assert kernel.read(mine, hand.keys[0].x, others) is None


@every_kernel
@pytest.mark.parametrize("count", [1, 4])
def test_wrong_shares_are_refused(kernel: Kernel, count: int) -> None:
    hand = hand_of(kernel)
    key, other = hand.keys[:2]
    masks = hand.deck[:count]
    shares, proof = kernel.shares(context(), key.x, key.public, masks, rng)
    kernel.check_shares(context(), key.public, masks, shares, proof)
    theirs, _ = kernel.shares(context(), other.x, other.public, masks, rng)
    for wrong in (theirs, (*shares[:-1], theirs[-1]), shares[:-1], (*shares, theirs[0]), ()):
        with pytest.raises(CryptoError):
            kernel.check_shares(context(), key.public, masks, wrong, proof)
    for ctx in (context(1), context(step=6), context(index=1)):
        with pytest.raises(BadProof):
            kernel.check_shares(ctx, key.public, masks, shares, proof)
    with pytest.raises(BadProof):
        kernel.check_shares(context(), other.public, masks, shares, proof)
    with pytest.raises(BadProof):
        kernel.check_shares(context(), key.public, masks, shares, proof + b"\0")


@every_kernel
def test_a_given_card_arrives(kernel: Kernel) -> None:
    hand = hand_of(kernel)
    giver, receiver, other = hand.keys
    mine = dealt(kernel, hand.deck[2], 0)
    given, proof = kernel.give(context(), giver.x, giver.public, receiver.public, mine, rng)
    assert (len(given), len(proof)) == (66, 96)
    kernel.check_give(context(), giver.public, receiver.public, mine, given, proof)
    face = kernel.read(mine, giver.x, FACES)
    assert kernel.read(given, receiver.x, FACES) == face
    assert kernel.read(given, giver.x, FACES) is None

    another = dealt(kernel, hand.deck[3], 0)
    wrong, _ = kernel.give(context(), giver.x, giver.public, receiver.public, another, rng)
    for mask, end in ((another, given), (mine, wrong)):
        with pytest.raises(CryptoError):
            kernel.check_give(context(), giver.public, receiver.public, mask, end, proof)
    with pytest.raises(CryptoError):
        kernel.check_give(context(), giver.public, other.public, mine, given, proof)
    with pytest.raises(CryptoError):
        kernel.check_give(context(1), giver.public, receiver.public, mine, given, proof)


# --- claims ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Held:
    """A hand of three cards under one key, dealt face down; `truth` is what its holder sees."""

    pack: Pack
    key: HandKey
    masks: tuple[bytes, ...]
    truth: dict[int, Face]


def held(kernel: Kernel, pack: Pack, faces: Sequence[Face]) -> Held:
    key = kernel.keys(context(), seed(7), rng)
    return Held(pack, key, kernel.initial(key.public, faces), dict(enumerate(faces)))


def claims(pack: Pack) -> st.SearchStrategy[Claim]:
    """Any claim about three cards of this pack."""
    slot, face = st.integers(0, 2), st.sampled_from(pack.faces)
    suit, rank, klass = (st.sampled_from(pack.values(attribute)) for attribute in Attribute)
    pairs = st.permutations(range(3))
    atoms = st.one_of(
        st.builds(FaceIs, slot, face),
        st.builds(FaceIsNot, slot, face),
        st.builds(SuitIs, slot, suit),
        st.builds(SuitIsNot, slot, suit),
        st.builds(RankAtMost, slot, rank),
        st.builds(RankAtLeast, slot, rank),
        st.builds(ClassIs, slot, klass),
        st.builds(lambda p: AtLeast(p[0], p[1]), pairs),
        st.builds(OneOf, slot, st.lists(face, max_size=3).map(tuple)),
    )
    return st.recursive(
        atoms,
        lambda parts: st.one_of(
            st.builds(All, st.lists(parts, max_size=3)), st.builds(Any, st.lists(parts, max_size=3))
        ),
        max_leaves=4,
    )


@every_kernel
@pytest.mark.parametrize("pack", [french(), gnav()], ids=lambda pack: pack.key)
@given(data=st.data())
@settings(max_examples=60)
def test_a_claim_proves_iff_it_is_true(kernel: Kernel, pack: Pack, data: st.DataObject) -> None:
    faces = data.draw(st.lists(st.sampled_from(pack.faces), min_size=3, max_size=3))
    claim = simplify(data.draw(claims(pack)), {})
    mine = held(kernel, pack, faces)
    statement = formula(claim, mine.masks.__getitem__, pack)
    arguments = (context(), mine.key.x, mine.key.public, statement, pack.faces, rng)
    if holds(claim, mine.truth.__getitem__):
        proof = kernel.prove(*arguments)
        kernel.check(context(), mine.key.public, statement, proof)
        if proof:
            with pytest.raises(CryptoError):
                kernel.check(context(1), mine.key.public, statement, proof)
            wrong = flipped(proof, data.draw(st.integers(0, 8 * len(proof) - 1)))
            with pytest.raises(CryptoError):
                kernel.check(context(), mine.key.public, statement, wrong)
    else:
        with pytest.raises(WrongWitness):
            kernel.prove(*arguments)
        with pytest.raises(CryptoError):
            kernel.check(context(), mine.key.public, statement, b"")


@every_kernel
def test_a_proof_is_of_one_statement(kernel: Kernel) -> None:
    pack = french()
    mine = held(kernel, pack, [pack.face("As"), pack.face("Kd"), pack.face("2c")])
    void, other = (
        formula(All(SuitIsNot(slot, suit) for slot in range(3)), mine.masks.__getitem__, pack)
        for suit in (3, 2)
    )
    proof = kernel.prove(context(), mine.key.x, mine.key.public, void, pack.faces, rng)
    kernel.check(context(), mine.key.public, void, proof)
    with pytest.raises(BadProof):
        kernel.check(context(), mine.key.public, other, proof)
    with pytest.raises(CryptoError):
        kernel.check(context(), hand_of(kernel).keys[0].public, void, proof)
    foreign = hand_of(kernel).keys[0].x
    with pytest.raises(WrongWitness):
        kernel.prove(context(), foreign, mine.key.public, void, pack.faces, rng)


@every_kernel
def test_a_proof_is_as_long_as_its_shape_says(kernel: Kernel) -> None:
    pack = french()
    mine = held(kernel, pack, [pack.face("As"), pack.face("Kd"), pack.face("2c")])
    void = formula(All(SuitIsNot(s, 3) for s in range(3)), mine.masks.__getitem__, pack)
    proof = kernel.prove(context(), mine.key.x, mine.key.public, void, pack.faces, rng)
    assert len(proof) == formula_size(void)
    for wrong in (proof[:-1], proof + b"\0", b""):
        with pytest.raises(BadProof):
            kernel.check(context(), mine.key.public, void, wrong)


@every_kernel
def test_constants_need_no_proof(kernel: Kernel) -> None:
    key = kernel.keys(context(), seed(7), rng)
    assert kernel.prove(context(), key.x, key.public, And(()), FACES, rng) == b""
    kernel.check(context(), key.public, And(()), b"")
    with pytest.raises(BadProof):
        kernel.check(context(), key.public, And(()), b"\0")
    with pytest.raises(WrongWitness):
        kernel.prove(context(), key.x, key.public, Or(()), FACES, rng)
    with pytest.raises(BadProof):
        kernel.check(context(), key.public, Or(()), b"")


@every_kernel
def test_a_mask_that_hides_no_card_proves_nothing(kernel: Kernel) -> None:
    hand = hand_of(kernel)
    key = hand.keys[0]
    covered = Rep(hand.deck[0], None, (None, None, 0))
    with pytest.raises(WrongWitness):
        kernel.prove(context(), key.x, key.public, covered, FACES, rng)


# --- bytes that are nothing -----------------------------------------------------------------------


@every_kernel
@pytest.mark.parametrize("mask", [b"", b"\0" * 66, b"\xff" * 66, b"\2" * 65])
def test_undecodable_masks_are_refused(kernel: Kernel, mask: bytes) -> None:
    key = hand_of(kernel).keys[0]
    share, proof = kernel.shares(context(), key.x, key.public, [hand_of(kernel).deck[0]], rng)
    with pytest.raises(CryptoError):
        kernel.check_shares(context(), key.public, [mask], share, proof)
    with pytest.raises(CryptoError):
        kernel.read(mask, key.x, FACES)
    with pytest.raises(CryptoError):
        kernel.strip(mask, share)
    with pytest.raises(CryptoError):
        kernel.recompute(key.public, [mask], seed(1))


@every_kernel
@given(bit=st.integers(0, 2**16))
@settings(max_examples=20)
def test_no_bit_of_a_contribution_is_idle(kernel: Kernel, bit: int) -> None:
    hand = hand_of(kernel)
    key, masks = hand.keys[0], hand.deck[:2]
    shares, proof = kernel.shares(context(), key.x, key.public, masks, rng)
    with pytest.raises(CryptoError):
        kernel.check_shares(context(), key.public, masks, shares, flipped(proof, bit))
    wrong = (flipped(shares[0], bit), shares[1])
    with pytest.raises(CryptoError):
        kernel.check_shares(context(), key.public, masks, wrong, proof)
    before, after, mix_proof = hand.rounds[0], hand.rounds[1], hand.proofs[0]
    wrong_after = (flipped(after[0], bit), *after[1:])
    with pytest.raises(CryptoError):
        kernel.check_mix(context(0), hand.joint, before, wrong_after, mix_proof)
    with pytest.raises(CryptoError):
        kernel.check_mix(context(0), hand.joint, before, after, flipped(mix_proof, bit))
    ctx = replace(context(0), prev=flipped(b"p" * 32, bit))
    with pytest.raises(CryptoError):
        kernel.check_mix(ctx, hand.joint, before, after, mix_proof)
