"""Røvhult in the shells: the bot's rules of thumb, and words for what the rules refuse."""

from __future__ import annotations

from random import Random

import pytest

from p2pcards.games.rovhult import Arrange, Flip, Phase, Play, Take
from p2pcards.shells.bots import strategy
from p2pcards.shells.text.en import WORDS
from p2pcards.testing.referee import Referee
from tests.games.rovhult_positions import RULES, position


def choice(referee: Referee) -> str:
    """What `simple` does at its turn, in words."""
    seat = min(referee.owing)
    view = referee.view(seat)
    chosen = strategy("simple", Random(0))(view)
    move = next(option.move for option in view.options if option.id == chosen)
    name = referee.state.house.pack.name
    match move:
        case Play(cards) | Arrange(cards):
            return " ".join(sorted(name(referee.truth[card]) for card in cards))
        case Flip():
            return "flip"
        case _:
            assert move == Take()
            return "take"


OTHERS = "B: 3h 4h / - / -; C: 3d 4d / - / -"


def test_simple_lays_its_strong_cards_face_up() -> None:
    text = "A: Tc 3c 4c / Kd 2d 5d / 6d; B: 3h 4h 5h / 6h 7h 8h / 9h"
    assert choice(position(text, phase=Phase.ARRANGE)) == "2d Kd Tc"


@pytest.mark.parametrize(
    "own, pile, chosen",
    [
        ("5c 9c Kc", "4s", "5c"),
        ("5c 5d Kc", "4s", "5c 5d"),
        ("2c 9c Tc", "4s", "9c"),
        ("2c Tc", "Ks", "2c"),
        ("3c Tc", "Ks", "Tc"),
        ("3c 5c", "Ks", "take"),
        ("5c 9c", "9s 9h 9d", "9c"),
        ("5c 8c", "7s", "5c"),
    ],
)
def test_simple_plays_low_and_keeps_what_is_strong(own: str, pile: str, chosen: str) -> None:
    assert choice(position(f"A: {own} / - / -; {OTHERS}; pile: {pile}")) == chosen


def test_simple_plays_one_strong_card_at_a_time_while_there_is_stock() -> None:
    text = f"A: 2c 2d 3c / - / -; {OTHERS}; pile: Ks"
    assert choice(position(f"{text}; stock: 9s")) == "2c"
    assert choice(position(text)) == "2c 2d"


def test_simple_turns_a_card_over_rather_than_take() -> None:
    assert choice(position(f"A: - / - / 2c 3c; {OTHERS}; pile: As")) == "flip"


@pytest.mark.parametrize("seats", [2, 5, 10])
def test_simple_players_come_to_an_end(seats: int) -> None:
    for seed in range(3):
        referee = Referee.deal(RULES, seats, rng=Random(seed))
        referee.play_out([strategy("simple", Random(seat)) for seat in range(seats)])
        assert not referee.state.stalled


def test_simple_beats_three_that_play_at_random() -> None:
    """Those three may then go on for long among themselves; one place is enough to know."""
    wins = 0
    for match in range(150):
        referee = Referee.deal(RULES, 4, {"stall_limit": 100}, rng=Random(match))
        me = match % 4
        players = [
            strategy("simple" if seat == me else "random", Random(4 * match + seat))
            for seat in range(4)
        ]
        while not referee.state.finished and referee.outcome is None:
            seat = min(referee.owing)
            referee.choose(seat, players[seat](referee.view(seat)))
        wins += referee.state.finished[:1] == (me,)
    assert wins > 120, "a quarter would be chance"


@pytest.mark.parametrize(
    "code",
    [
        "arrange.count",
        "card.not_held",
        "move.order",
        "phase.wrong",
        "pile.empty",
        "play.empty",
        "play.mixed_ranks",
        "play.too_high_after_reverse",
        "play.too_low",
        "play.wrong_source",
        "turn.not_yours",
        *(f"phase.{phase.value}" for phase in Phase),
    ],
)
def test_every_code_of_the_game_has_words(code: str) -> None:
    assert code in WORDS
