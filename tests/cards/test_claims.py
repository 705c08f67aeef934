"""Claims: what they say, and that folding in public cards changes nothing of it."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pcards.cards.claims import (
    IMPOSSIBLE,
    NOTHING,
    All,
    Any,
    AtLeast,
    Claim,
    ClassIs,
    FaceIs,
    FaceIsNot,
    OneOf,
    OneSlot,
    RankAtLeast,
    RankAtMost,
    SuitIs,
    SuitIsNot,
    holds,
    is_true_of,
    simplify,
    slots_of,
)
from p2pcards.cards.faces import Attribute, Face

# Two suits, three ranks, two classes: small enough to try every way the cards may lie.
FACES = [Face(suit, rank, klass) for suit, rank, klass in product((1, 2), (2, 3, 4), (1, 2))]
SLOTS = (0, 1, 2)

slot, face = st.sampled_from(SLOTS), st.sampled_from(FACES)
suit, rank, klass = st.sampled_from((1, 2)), st.sampled_from((2, 3, 4)), st.sampled_from((1, 2))
atoms = st.one_of(
    st.builds(FaceIs, slot, face),
    st.builds(FaceIsNot, slot, face),
    st.builds(SuitIs, slot, suit),
    st.builds(SuitIsNot, slot, suit),
    st.builds(RankAtMost, slot, rank),
    st.builds(RankAtLeast, slot, rank),
    st.builds(ClassIs, slot, klass),
    st.builds(AtLeast, slot, slot, st.sampled_from(Attribute)),
    st.builds(OneOf, slot, st.lists(face, max_size=3).map(tuple)),
)
claims = st.recursive(
    atoms,
    lambda part: st.one_of(
        st.builds(All, st.lists(part, max_size=3)), st.builds(Any, st.lists(part, max_size=3))
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(
    "atom, true_of",
    [
        (FaceIs(0, Face(1, 3, 1)), {(1, 3, 1)}),
        (FaceIsNot(0, Face(1, 3, 1)), set(FACES) - {Face(1, 3, 1)}),
        (SuitIs(0, 1), {f for f in FACES if f.suit == 1}),
        (SuitIsNot(0, 1), {f for f in FACES if f.suit == 2}),
        (RankAtMost(0, 3), {f for f in FACES if f.rank in (2, 3)}),
        (RankAtLeast(0, 3), {f for f in FACES if f.rank in (3, 4)}),
        (ClassIs(0, 2), {f for f in FACES if f.klass == 2}),
        (OneOf(0, (Face(1, 2, 1), Face(2, 4, 2))), {(1, 2, 1), (2, 4, 2)}),
        (OneOf(0, ()), set()),
    ],
)
def test_atoms(atom: OneSlot, true_of: set[Face]) -> None:
    assert {f for f in FACES if is_true_of(atom, f)} == true_of
    assert {f for f in FACES if holds(atom, lambda _: f)} == true_of  # noqa: B023 # used at once


def test_comparing_two_cards() -> None:
    cards = {0: Face(2, 3, 1), 1: Face(1, 4, 1)}
    assert not holds(AtLeast(0, 1), cards.__getitem__)
    assert holds(AtLeast(1, 0), cards.__getitem__)
    assert holds(AtLeast(0, 1, Attribute.SUIT), cards.__getitem__)
    assert holds(AtLeast(0, 1, Attribute.CLASS), cards.__getitem__)


def test_joining() -> None:
    cards = {0: Face(1, 2, 1), 1: Face(2, 4, 1)}
    true, false = SuitIs(0, 1), SuitIs(1, 1)
    assert holds(All((true, Any((false, true)))), cards.__getitem__)
    assert not holds(All((true, false)), cards.__getitem__)
    assert holds(NOTHING, cards.__getitem__)
    assert not holds(IMPOSSIBLE, cards.__getitem__)
    assert All([true, false]) == All((true, false))
    assert hash(All([true])) == hash(All((true,)))


def test_slots_of_a_claim() -> None:
    claim = All((SuitIs(0, 1), Any((AtLeast(3, 5), OneOf(7, ())))))
    assert slots_of(claim) == {0, 3, 5, 7}
    assert slots_of(NOTHING) == frozenset()


def compares_otherwise(claim: Claim) -> bool:
    """Whether cards are compared by another attribute than rank somewhere."""
    match claim:
        case All(parts) | Any(parts):
            return any(map(compares_otherwise, parts))
        case AtLeast(_, _, attribute):
            return attribute is not Attribute.RANK
        case _:
            return False


@given(claim=claims, up=st.dictionaries(slot, face, max_size=2))
@settings(max_examples=150)
def test_folding_in_public_cards_keeps_the_meaning(claim: Claim, up: dict[int, Face]) -> None:
    left = simplify(claim, up)
    hidden = [s for s in SLOTS if s not in up]
    assert slots_of(left) <= slots_of(claim)
    assert not slots_of(left) & up.keys() or compares_otherwise(claim)
    for faces in product(FACES, repeat=len(hidden)):
        cards = up | dict(zip(hidden, faces, strict=True))
        assert holds(left, cards.__getitem__) == holds(claim, cards.__getitem__)


@given(claim=claims, cards=st.tuples(face, face, face))
def test_of_public_cards_nothing_is_left(claim: Claim, cards: tuple[Face, ...]) -> None:
    left = simplify(claim, dict(enumerate(cards)))
    assert left == (NOTHING if holds(claim, cards.__getitem__) else IMPOSSIBLE)


def test_comparisons_with_a_public_card_become_bounds() -> None:
    assert simplify(AtLeast(0, 1), {1: Face(1, 3)}) == RankAtLeast(0, 3)
    assert simplify(AtLeast(0, 1), {0: Face(1, 3)}) == RankAtMost(1, 3)
    assert simplify(AtLeast(0, 0), {}) == NOTHING
    assert simplify(All((SuitIs(0, 1), SuitIs(1, 1))), {0: Face(1, 3)}) == SuitIs(1, 1)
