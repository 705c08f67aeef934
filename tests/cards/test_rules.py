"""Options, and what a ruling says about a broken rule."""

from __future__ import annotations

from typing import Any

import pytest

from p2pcards.cards.claims import NOTHING, All, SuitIs, SuitIsNot
from p2pcards.cards.faces import Face
from p2pcards.cards.rules import Option, Ruling, need, settle
from p2pcards.errors import BadOption, IllegalMove

SCHEMA = (
    Option("mode", ("plain", "double"), "plain", "A name."),
    Option("hook", (False, True), False, "A truth."),
    Option("size", range(1, 18), None, "A number, worked out if not given."),
    Option("decks", (1, 2), 1, "A number."),
)


@pytest.mark.parametrize(
    "name, given, read",
    [
        ("mode", "double", "double"),
        ("hook", True, True),
        ("hook", "true", True),
        ("hook", "FALSE", False),
        ("size", 17, 17),
        ("size", "17", 17),
        ("size", "007", 7),
        ("size", None, None),
        ("size", "none", None),
        ("decks", "2", 2),
    ],
)
def test_a_value_is_read(name: str, given: Any, read: Any) -> None:
    value = settle(SCHEMA, {name: given})[name]
    assert (value, type(value)) == (read, type(read))


def test_a_name_may_be_a_word_that_elsewhere_means_something() -> None:
    option = Option("score", ("none", "places"), "none", "A name.")
    assert option.read("none") == "none"
    with pytest.raises(BadOption):
        option.read(None)


@pytest.mark.parametrize(
    "name, given",
    [
        ("mode", "triple"),
        ("mode", None),
        ("mode", 1),
        ("hook", 1),
        ("hook", 0),
        ("hook", "yes"),
        ("hook", None),
        ("size", 0),
        ("size", 18),
        ("size", True),
        ("size", "1_0"),
        ("size", " 7"),
        ("size", "-1"),
        ("size", "\N{ARABIC-INDIC DIGIT THREE}"),
        ("decks", True),
        ("decks", "1.0"),
    ],
)
def test_a_value_is_refused(name: str, given: Any) -> None:
    with pytest.raises(BadOption) as refused:
        settle(SCHEMA, {name: given})
    assert refused.value.code == "option.value"
    assert name in refused.value.detail


def test_an_unknown_option_is_refused_with_the_list() -> None:
    with pytest.raises(BadOption, match="mode, hook, size, decks") as refused:
        settle(SCHEMA, {"hock": True})
    assert refused.value.code == "option.unknown"
    with pytest.raises(BadOption, match="none"):
        settle((), {"hook": True})


def test_defaults_fill_what_is_not_said() -> None:
    assert settle(SCHEMA, {}) == {"mode": "plain", "hook": False, "size": None, "decks": 1}


def test_values_in_words() -> None:
    assert [option.describe() for option in SCHEMA] == [
        "plain | double",
        "false | true",
        "1..17",
        "1 | 2",
    ]
    for option in SCHEMA:
        for value in option.values:
            assert option.read(option.write(value)) == value


def test_need() -> None:
    need(True, "play.too_low")
    with pytest.raises(IllegalMove) as refused:
        need(False, "play.too_low", "9 under T")
    assert (refused.value.code, refused.value.detail) == ("play.too_low", "9 under T")


def test_a_broken_rule_is_named() -> None:
    cards = {0: Face(1, 2), 1: Face(2, 2)}
    follow, trump = All((SuitIsNot(0, 3), SuitIsNot(1, 3))), All((SuitIsNot(0, 2), SuitIsNot(1, 2)))
    ruling = Ruling("after", claim=All((follow, trump)), reasons=("must.follow", "must.trump"))
    assert ruling.broken(cards.__getitem__) == "must.trump"
    cards[1] = Face(3, 2)
    assert ruling.broken(cards.__getitem__) == "must.follow"
    cards[1] = Face(4, 2)
    assert ruling.broken(cards.__getitem__) is None
    assert Ruling("after").broken(cards.__getitem__) is None
    assert Ruling("after", claim=SuitIs(0, 4)).broken(cards.__getitem__) == "play.illegal"
    assert Ruling("after").claim == NOTHING


def test_the_word_must_be_true_as_well() -> None:
    cards = {0: Face(1, 2), 1: Face(2, 2)}
    ruling = Ruling(
        "after",
        claim=All((SuitIs(0, 1),)),
        reasons=("claim.false", "word.false"),
        word=All((SuitIs(1, 2),)),
    )
    assert ruling.broken(cards.__getitem__) is None
    cards[1] = Face(3, 2)
    assert ruling.broken(cards.__getitem__) == "word.false"
    cards[0] = Face(3, 2)
    assert ruling.broken(cards.__getitem__) == "claim.false"
    assert Ruling("after", word=SuitIs(0, 4)).broken(cards.__getitem__) == "play.illegal"
    assert Ruling("after").word == NOTHING
