"""`simple` at Twopart: what it plays, that it beats chance, and that it does not go in circles."""

from __future__ import annotations

from random import Random

from p2pcards.games.twopart_house import PACK
from p2pcards.shells.bots import strategy
from p2pcards.testing.referee import Referee
from tests.games.twopart_positions import RULES, part_one, part_two, with_state


def test_simple_beats_three_that_play_at_random() -> None:
    first = last = 0
    for match in range(150):
        referee = Referee.deal(RULES, 4, rng=Random(match))
        me = match % 4
        players = [
            strategy("simple" if seat == me else "random", Random(4 * match + seat))
            for seat in range(4)
        ]
        place = referee.play_out(players).places[me]
        first += place == 1
        last += place == 4
    assert first > 90, "a quarter would be chance"
    assert last < 10


def test_seats_that_think_alike_come_to_an_end() -> None:
    for match in range(10):
        referee = Referee.deal(RULES, 6, rng=Random(match))
        referee.play_out([strategy("simple", Random(seat)) for seat in range(6)])
        assert not referee.state.stalled


def choice(referee: Referee) -> str:
    """What `simple` plays, by name; nothing is picking up."""
    (seat,) = referee.owing
    view = referee.view(seat)
    chosen = strategy("simple", Random(0))(view)
    move = next(option.move for option in view.options if option.id == chosen)
    cards = referee.rules.opens(move)
    return " ".join(PACK.name(referee.truth[card]) for card in cards)


def test_in_part_one_it_wins_what_it_can() -> None:
    assert choice(part_one("A: 9d Ks 2h; B: 3d")) == "Ks"


def test_low_cards_go_first_and_as_many_as_go_together() -> None:
    assert choice(part_two("A: 5d 6d 4h 9s Kh; B: 3d 3s")) == "4h"
    assert choice(part_two("A: 5d 6d Kh; B: 3d 3s")) == "5d 6d"
    assert choice(part_two("A: 5d 6d 9d 2c; B: 3d 3s; pile: 4d")) == "5d 6d"


def test_trumps_go_last_and_picking_up_is_for_need() -> None:
    assert choice(part_two("A: 2c Kh; B: 3d 3s")) == "Kh"
    assert choice(part_two("A: 2c Kh; B: 3d 3s; pile: 4d")) == "2c"
    assert choice(part_two("A: 2s Kh; B: 3d 3s; pile: 4d")) == ""


def test_where_nothing_moves_it_changes_its_mind() -> None:
    position = part_two("A: 5d Jd Kh; B: 3d 3s; pile: 4d")
    chosen = {choice(with_state(position, idle=idle)) for idle in range(24, 60)}
    assert chosen == {"5d", "Jd", ""}
    assert {choice(with_state(position, idle=idle)) for idle in range(24)} == {"5d"}
