"""Claims become statements: which branches, in which order, by the tables of protocol.md.

The expectations are written out by hand, so that a second implementation can be held against them.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

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
    simplify,
)
from p2pcards.cards.faces import Attribute, Face, Pack, french, gnav, president
from p2pcards.crypto.formula import And, Formula, Or, Rep, fold, statement
from p2pcards.engine.obligations import formula

FREE = None
UP: Mapping[int, Face] = {9: Face(2, 10)}
"""Slot 9 is the ten of diamonds, face up."""


def mask(slot: int) -> bytes:
    """A name for a slot's mask, as long as one."""
    return bytes([slot]) * 66


def card(slot: int, *patterns: tuple[int | None, ...]) -> Or:
    """What an atom about one card becomes."""
    return Or(tuple(Rep(mask(slot), None, pattern) for pattern in patterns))


def ranks(slot: int, *values: int) -> Or:
    """The rank fixed at each of these, in a pack without classes."""
    return card(slot, *((FREE, value, 0) for value in values))


NOT_CLUBS = ((2, FREE, 0), (3, FREE, 0), (4, FREE, 0))

CASES: dict[str, tuple[Pack, Claim, Formula]] = {
    "suit is": (french(), SuitIs(1, 3), card(1, (3, FREE, 0))),
    "suit is none of the pack's": (french(), SuitIs(1, 5), Or(())),
    "suit is not": (french(), SuitIsNot(1, 1), card(1, *NOT_CLUBS)),
    "suit is not, with jokers": (
        president(),
        SuitIsNot(1, 2),
        card(1, (1, FREE, 0), (3, FREE, 0), (4, FREE, 0), (5, FREE, 0)),
    ),
    "rank at most": (french(), RankAtMost(1, 4), ranks(1, 2, 3, 4)),
    "rank at least": (french(), RankAtLeast(1, 12), ranks(1, 12, 13, 14)),
    "class is": (gnav(), ClassIs(1, 1), card(1, (FREE, FREE, 1))),
    "not the fool": (gnav(), SuitIs(1, 2), card(1, (2, FREE, FREE))),
    "face is": (french(), FaceIs(1, Face(4, 14)), card(1, (4, 14, 0))),
    "one of": (
        french(),
        OneOf(1, (Face(4, 14), Face(1, 2))),
        card(1, (4, 14, 0), (1, 2, 0)),
    ),
    "face is not": (
        french(),
        FaceIsNot(1, Face(1, 3)),
        card(
            1,
            *NOT_CLUBS,
            (FREE, 2, 0),
            *((FREE, rank, 0) for rank in range(4, 15)),
        ),
    ),
    "at least": (
        president(),
        AtLeast(1, 2),
        Or(tuple(Rep(mask(1), mask(2), (FREE, d, 0)) for d in range(14))),
    ),
    "at least, by class": (
        gnav(),
        AtLeast(1, 2, Attribute.CLASS),
        Or(tuple(Rep(mask(1), mask(2), (FREE, FREE, d)) for d in range(2))),
    ),
    "at least a card that is up": (french(), AtLeast(1, 9), ranks(1, 10, 11, 12, 13, 14)),
    "at most a card that is up": (french(), AtLeast(9, 1), ranks(1, *range(2, 11))),
    "one card of many left": (
        french(),
        All((All((SuitIsNot(1, 1), SuitIsNot(9, 1))),)),
        card(1, *NOT_CLUBS),
    ),
    "all of two, in order": (
        french(),
        All((All((SuitIsNot(2, 1), SuitIsNot(1, 1))),)),
        And((card(2, *NOT_CLUBS), card(1, *NOT_CLUBS))),
    ),
    "two duties": (
        french(),
        All((All((SuitIsNot(1, 1), SuitIsNot(2, 1))), All((SuitIs(1, 4), SuitIs(2, 4))))),
        And(
            (
                And((card(1, *NOT_CLUBS), card(2, *NOT_CLUBS))),
                And((card(1, (4, FREE, 0)), card(2, (4, FREE, 0)))),
            )
        ),
    ),
    "any, with one that is false in the open": (
        french(),
        Any((SuitIs(9, 1), SuitIs(1, 3), SuitIs(2, 3))),
        Or((card(1, (3, FREE, 0)), card(2, (3, FREE, 0)))),
    ),
}


# [CLAIM-3], [CLAIM-4] of protocol.md
@pytest.mark.parametrize("name", CASES)
def test_a_claim_becomes_the_documented_statement(name: str) -> None:
    pack, claim, expected = CASES[name]
    assert formula(simplify(claim, UP), mask, pack) == expected


@pytest.mark.parametrize(
    "claim",
    [
        SuitIs(9, 2),
        All((SuitIs(9, 2), RankAtMost(9, 10))),
        Any((SuitIs(1, 3), SuitIs(9, 2))),
        AtLeast(1, 1),
    ],
    ids=str,
)
def test_what_is_true_in_the_open_has_nothing_to_prove(claim: Claim) -> None:
    assert simplify(claim, UP) == All(())


@pytest.mark.parametrize(
    "claim",
    [SuitIs(9, 1), All((SuitIs(1, 3), SuitIs(9, 1))), Any((SuitIs(9, 1), RankAtMost(9, 9)))],
    ids=str,
)
def test_what_is_false_in_the_open_is_impossible(claim: Claim) -> None:
    assert simplify(claim, UP) == Any(())


# [CLAIM-3] of protocol.md
def test_the_example_in_bytes() -> None:
    """Not clubs, two cards kept: what the transcript absorbs as the statement."""
    claim = All((All((SuitIsNot(60, 1), SuitIsNot(61, 1))),))
    folded = fold(formula(simplify(claim, {}), mask, french()))
    assert not isinstance(folded, bool)
    atoms = {
        slot: b"".join(b"\3" + mask(slot) + bytes([suit, 255, 0, 0]) for suit in (2, 3, 4))
        for slot in (60, 61)
    }
    assert statement(folded) == b"\1\0\2" + b"".join(b"\2\0\3" + atoms[slot] for slot in (60, 61))
