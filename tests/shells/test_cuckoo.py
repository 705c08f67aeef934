"""Gnav for people and bots: `simple` keeps and asks with sense, and every code has words."""

from __future__ import annotations

from random import Random

import pytest

from p2pcards.games.cuckoo import Ask
from p2pcards.games.cuckoo_match import Phase
from p2pcards.shells.bots import strategy
from p2pcards.shells.text.en import WORDS
from p2pcards.testing.referee import Referee
from tests.games.gnav import RULES, act, hands, position


def choice(referee: Referee) -> str:
    """What `simple` does in the running turn."""
    seat = referee.state.turn
    view = referee.view(seat)
    chosen = strategy("simple", Random(0))(view)
    (move,) = (option.move for option in view.options if option.id == chosen)
    return "asks" if isinstance(move, Ask) else "keeps"


@pytest.mark.parametrize(
    "cards, does",
    [
        ("OWL X X X", "asks"),
        ("FOOL! X X X", "asks"),
        ("X OWL X X", "keeps"),
        ("CUCKOO II II II", "keeps"),
        ("I X X FOOL!", "asks"),  # the lowest but the fool pays too
        ("OWL FOOL! X X", "keeps"),  # the fool would be no better
        ("OWL CAT! X X", "keeps"),  # a life for certain
        ("OWL CUCKOO! X X", "keeps"),  # which would end the deal
        ("X OWL! X X", "keeps"),
        ("OWL HORSE! XII! X", "asks"),
    ],
)
def test_simple_keeps_or_asks(cards: str, does: str) -> None:
    assert choice(position(hands(cards, "V V"))) == does


def test_simple_knows_that_a_lower_card_lies_where_it_gave_it() -> None:
    low = position(hands("II IV X X", "V"))
    act(low, "A asks")
    assert choice(low) == "asks", "it is left with the lower one"
    high = position(hands("IV II X X", "V"))
    act(high, "A asks")
    assert choice(high) == "keeps", "A has the lower one now"


def test_simple_does_not_see_what_others_hold() -> None:
    for others in ("II II II", "XII XII XII", "CAT DRAGOON CAT"):
        assert choice(position(hands(f"POT {others}"))) == "asks"


def test_simple_beats_three_that_play_at_random() -> None:
    wins = 0
    for match in range(150):
        referee = Referee.deal(RULES, 4, rng=Random(match))
        me = match % 4
        players = [
            strategy("simple" if seat == me else "random", Random(4 * match + seat))
            for seat in range(4)
        ]
        wins += referee.play_out(players).places[me] == 1
    assert wins > 70, "a quarter would be chance"


@pytest.mark.parametrize(
    "code",
    [
        "card.not_held",
        "fool.must_announce",
        "fool.not_a_fool",
        "fool.other_way",
        "phase.wrong",
        "swap.must_bar",
        "swap.not_a_matador",
        "turn.not_yours",
        *(f"phase.{phase.value}" for phase in Phase),
    ],
)
def test_codes_have_words(code: str) -> None:
    assert code in WORDS
