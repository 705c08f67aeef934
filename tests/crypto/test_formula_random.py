"""Random formulas over random hands: what is true can be proven, and nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pcards.crypto import composition
from p2pcards.crypto.elgamal import Mask
from p2pcards.crypto.formula import And, Formula, Or, Rep, fold, proof_size
from p2pcards.errors import BadProof, BadScalar, WrongWitness
from tests.crypto.hands import CONTEXT, Seat, flip, seeded

DEALER = Seat("dealer")
FACES = [(suit, rank) for suit in (1, 2, 3) for rank in (1, 2, 3)]
SLOTS = {face: DEALER.hand([face] * 4) for face in FACES}

hands = st.lists(st.sampled_from(FACES), min_size=4, max_size=4)
values = st.one_of(st.none(), st.integers(0, 3))
places = st.integers(0, 3)
Place = tuple[int, int | None, tuple[int | None, int | None]]
Shape = Place | tuple[str, list["Shape"]]
"""A formula with places in a hand instead of masks."""

atoms = st.tuples(places, st.one_of(st.none(), places), st.tuples(values, values)).filter(
    lambda atom: atom[0] != atom[1]
)
shapes: st.SearchStrategy[Shape] = st.recursive(
    atoms,
    lambda inner: st.tuples(st.sampled_from(["and", "or"]), st.lists(inner, max_size=3)),
    max_leaves=7,
)


def formula_of(shape: Shape, masks: list[Mask]) -> Formula:
    if len(shape) == 3:
        place, minus, fixed = shape
        return Rep(masks[place], None if minus is None else masks[minus], fixed)
    word, inner = shape
    children = tuple(formula_of(child, masks) for child in inner)
    return And(children) if word == "and" else Or(children)


def is_true(shape: Shape, hand: list[tuple[int, int]]) -> bool:
    """By plain arithmetic on faces."""
    if len(shape) == 3:
        place, minus, fixed = shape
        gone = (0, 0) if minus is None else hand[minus]
        facts = (hand[place][0] - gone[0], hand[place][1] - gone[1])
        return all(want in (None, fact) for want, fact in zip(fixed, facts, strict=True))
    word, inner = shape
    truths = [is_true(child, hand) for child in inner]
    return all(truths) if word == "and" else any(truths)


def prove(formula: Formula) -> bytes:
    read = DEALER.cards.get
    return composition.prove(CONTEXT, DEALER.x, DEALER.public, formula, read, seeded(0))


def check(formula: Formula, proof: bytes) -> None:
    composition.check(CONTEXT, DEALER.public, formula, proof)


def deal(hand: list[tuple[int, int]]) -> list[Mask]:
    return [SLOTS[face][place] for place, face in enumerate(hand)]


@settings(max_examples=250)
@given(shapes, hands, st.integers(0, 2**16))
def test_truth_is_what_can_be_proven(shape: Shape, hand: list[tuple[int, int]], bit: int) -> None:
    formula = formula_of(shape, deal(hand))
    if not is_true(shape, hand):
        with pytest.raises(WrongWitness):
            prove(formula)
        return
    proof = prove(formula)
    check(formula, proof)
    if proof:
        with pytest.raises((BadProof, BadScalar)):
            check(formula, flip(proof, bit % (8 * len(proof))))


@settings(max_examples=150)
@given(shapes, hands, hands)
def test_size_says_nothing_about_the_cards(
    shape: Shape, hand: list[tuple[int, int]], other: list[tuple[int, int]]
) -> None:
    sizes = set()
    for cards in (hand, other):
        formula = formula_of(shape, deal(cards))
        sizes.add(proof_size(fold(formula)))
        if is_true(shape, cards):
            sizes.add(len(prove(formula)))
    assert len(sizes) == 1


@settings(max_examples=100)
@given(shapes, shapes, hands)
def test_a_proof_is_of_one_formula(shape: Shape, other: Shape, hand: list[tuple[int, int]]) -> None:
    masks = deal(hand)
    formula, wrong = formula_of(shape, masks), formula_of(other, masks)
    if is_true(shape, hand) and fold(formula) != fold(wrong):
        with pytest.raises((BadProof, BadScalar)):
            check(wrong, prove(formula))
