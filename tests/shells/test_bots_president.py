"""`simple` at Røvhul: what it plays and gives back, and that it beats chance."""

from __future__ import annotations

from random import Random

from p2pcards.games.president_match import Phase
from p2pcards.shells.bots import strategy
from p2pcards.testing.referee import Referee
from tests.games.president_positions import RULES, A, B, exchanging, names, playing


def test_simple_beats_three_that_play_at_random() -> None:
    first = 0
    for match in range(150):
        referee = Referee.deal(RULES, 4, {"deals": 1}, rng=Random(match))
        me = match % 4
        players = [
            strategy("simple" if seat == me else "random", Random(4 * match + seat))
            for seat in range(4)
        ]
        first += referee.play_out(players).places[me] == 1
    assert first > 105, "a quarter would be chance"


def choice(referee: Referee, seat: int = A) -> str:
    """What `simple` plays or gives, by name; nothing is a pass."""
    view = referee.view(seat)
    chosen = strategy("simple", Random(0))(view)
    move = next(option.move for option in view.options if option.id == chosen)
    return names(referee, getattr(move, "cards", ()))


def test_it_leads_its_lowest_set() -> None:
    assert choice(playing("9s 5c 5d Kh Ts", "3d")) == "5c 5d"
    assert choice(playing("Kh Ks", "3d")) == "Kh Ks", "all it has"


def test_it_answers_with_a_whole_set() -> None:
    assert choice(playing("6c 6d 9s Kh Ts", "3d", trick="5h", last=B)) == "9s"
    assert choice(playing("6c 6d Ts Ks Kc", "3d", trick="5h", last=B)) == "Ts", "rather it clears"
    assert choice(playing("6c 6d Ks Kc", "3d", trick="5h", last=B)) == "6c"
    assert choice(playing("6c 6d", "3d", trick="9h", last=B)) == ""


def test_with_one_set_left_the_clearing_cards_go_first() -> None:
    assert choice(playing("4s Ts X", "3d")) == "Ts"
    assert choice(playing("4s 5s Ts X", "3d")) == "4s"


def test_it_gives_back_single_low_cards() -> None:
    back = exchanging(Phase.RETURN, "3s 3d 3h 5c 8d Ks X", "4c 6d 7d 9d", places=(1, 2))
    assert choice(back) == "5c 8d"
