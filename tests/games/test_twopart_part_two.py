"""Part two of Twopart: its worked examples, places and the stall guard, as positions."""

from __future__ import annotations

import pytest

from p2pcards.cards.rules import Over
from p2pcards.games.shedding import REMOVED, following, in_turn, places
from p2pcards.games.twopart import Phase
from p2pcards.games.twopart_house import PACK, is_run
from tests.games.twopart_positions import (
    RULES,
    held,
    legal,
    names,
    on_pile,
    part_two,
    pick_up,
    play,
    refused_run,
    to_move,
    with_state,
)

# --- part two -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cards, run",
    [
        ("9d", True),
        ("5d 6d 7d", True),
        ("Qs Ks As", True),
        ("6d 5d", False),
        ("5d 5d", False),
        ("5d 7d", False),
        ("5d 6h", False),
        ("As 2s", False),
    ],
)
def test_what_a_run_is(cards: str, run: bool) -> None:
    assert is_run([PACK.face(name) for name in cards.split()]) == run


def test_tp_08_runs_and_trumps() -> None:
    referee = part_two("A: 5d 6d 7d Kc; B: 8d 2c 9s; C: 3c 4c As")
    play(referee, "5d 6d 7d")
    assert refused_run(referee, "9s") == "play.not_higher"
    assert legal(referee) == ["2c", "8d", "-"]
    play(referee, "2c")
    assert refused_run(referee, "As") == "play.not_higher"
    assert legal(referee) == ["3c", "3c 4c", "4c", "-"]
    play(referee, "3c 4c")
    assert names(referee, REMOVED) == "5d 6d 7d 2c 3c 4c"
    assert to_move(referee) == "C"
    assert held(referee, "C") == "As"
    assert referee.state.due == 3
    assert referee.state.plays == ()


def test_tp_08_trump_on_trump() -> None:
    referee = part_two("A: 5c 2c 9s; B: 3d; pile: Tc")
    assert legal(referee) == ["-"]
    assert refused_run(referee, "5c") == "play.not_higher"
    pick_up(referee)
    assert held(referee, "A") == "5c 2c 9s Tc"


def test_every_card_of_a_run_is_above_the_top() -> None:
    referee = part_two("A: 4d 5d 7d 8d 9d; B: 3d; C: 3s; pile: 6d")
    assert legal(referee) == ["7d", "7d 8d", "7d 8d 9d", "8d", "8d 9d", "9d", "-"]


def test_tp_09_only_the_last_play_is_picked_up() -> None:
    referee = part_two("A: 4d 9h 2s; B: 5d 6d 7d 2c; C: 2d 2h; D: 8d 3s", trump="h")
    play(referee, "4d")
    play(referee, "5d 6d 7d")
    assert referee.state.due == 2
    pick_up(referee)
    assert held(referee, "C") == "2d 2h 5d 6d 7d"
    assert on_pile(referee) == "4d"
    assert (to_move(referee), referee.state.due) == ("D", 3)
    play(referee, "8d")
    play(referee, "9h")
    assert referee.state.due == 1
    pick_up(referee)
    assert held(referee, "B") == "2c 9h"
    assert (to_move(referee), referee.state.due) == ("C", 2)
    assert on_pile(referee) == "4d 8d"
    assert refused_run(referee, "5d") == "play.not_higher"


def test_tp_10_fewer_players_at_the_end_of_a_turn() -> None:
    referee = part_two("A: 4d 2s; B: 5d; C: 6d As; D: 8d Ks", trump="h")
    play(referee, "4d")
    play(referee, "5d")
    assert referee.state.finished == (1,)
    play(referee, "6d")
    assert referee.state.due == 1
    play(referee, "8d")
    assert names(referee, REMOVED) == "4d 5d 6d 8d"
    assert (to_move(referee), referee.state.due) == ("D", 3)


@pytest.mark.parametrize("turn_target", ["literal", "capped"])
def test_tp_11_a_leaders_last_card_is_picked_up(turn_target: str) -> None:
    text = "A: 4d; B: 9c 9s; C: 3c As; D: 8c Ks"
    referee = part_two(text, trump="h", turn_target=turn_target)
    play(referee, "4d")
    assert (referee.state.finished, referee.state.due) == ((0,), 3)
    pick_up(referee)
    capped = turn_target == "capped"
    assert referee.state.due == (3 if capped else 4)
    for run in ("3c", "8c", "9c"):
        play(referee, run)
    if capped:
        assert names(referee, REMOVED) == "3c 8c 9c"
        assert (to_move(referee), referee.state.due) == ("B", 3)
        return
    assert (to_move(referee), referee.state.due) == ("C", 1)
    assert legal(referee) == ["-"]
    pick_up(referee)
    assert held(referee, "C") == "As 9c"
    assert (to_move(referee), referee.state.due) == ("D", 2)
    assert on_pile(referee) == "3c 8c"


def test_tp_11_the_end_comes_at_once() -> None:
    referee = part_two("A: 4d; B: 5d 3s")
    play(referee, "4d")
    assert referee.outcome == Over((1, 2))
    assert referee.state.phase is Phase.END
    assert referee.options(1) == ()


def test_who_goes_out_with_the_last_play_of_a_turn_does_not_lead() -> None:
    referee = part_two("A: 4d 2s; B: 5d 3s; C: 6d", turn="C", due=1)
    with_state(referee, plays=())
    play(referee, "6d")
    assert (to_move(referee), referee.state.due) == ("A", 2)


def test_picking_up_is_a_free_choice() -> None:
    referee = part_two("A: 9d; B: 3d; pile: 4d")
    assert legal(referee) == ["9d", "-"]
    pick_up(referee)
    assert (to_move(referee), on_pile(referee)) == ("B", "")
    assert legal(referee) == ["3d"]


def test_single_cards_only() -> None:
    referee = part_two("A: 5d 6d 7d; B: 8d 2c 9s", runs=False)
    assert legal(referee) == ["5d", "6d", "7d"]
    assert refused_run(referee, "5d 6d") == "play.one_card"
    assert refused_run(referee, "5d 7d") == "play.not_a_run"
    play(referee, "5d")


def test_the_direction() -> None:
    for direction, second in (("cw", "B"), ("ccw", "D")):
        referee = part_two("A: 4d 5c; B: 5d 6d; C: 6h; D: 6s", direction=direction)
        play(referee, "4d")
        assert to_move(referee) == second
    assert in_turn(1, 4, "ccw") == (1, 0, 3, 2)
    assert following(1, 4, "ccw", out={0}) == 3
    assert following(1, 4, "cw", out={0, 2, 3}) == 1


# --- places and the stall guard -------------------------------------------------------------------


@pytest.mark.parametrize(
    "finished, counts, together, expected",
    [
        ((2, 0), (0, 7, 0), 1, (2, 3, 1)),
        ((2, 0), (0, 7, 0), 2, (1, 3, 1)),
        ((), (3, 3, 1), 1, (2, 2, 1)),
        ((1,), (4, 0, 4, 2), 1, (3, 1, 3, 2)),
        ((1, 3, 0), (0, 0, 5, 0), 2, (3, 1, 4, 1)),
    ],
)
def test_places(
    finished: tuple[int, ...], counts: tuple[int, ...], together: int, expected: tuple[int, ...]
) -> None:
    assert places(finished, counts, together) == expected


def test_moves_without_progress_end_the_match() -> None:
    text = "A: 9d 2d; B: 3d 3s 4s; C: 3h 3c; D: -; pile: 4d"
    referee = part_two(text, idle=998)
    play(referee, "9d")
    assert referee.state.idle == 999
    pick_up(referee)
    assert referee.state.stalled
    assert referee.outcome == Over((2, 4, 3, 1))
    assert RULES.sheet(referee.state) == ({"hand": 1, "end": "stalled", "places": (2, 4, 3, 1)},)
    again = part_two(text, idle=999)
    play(again, "9d")
    assert again.outcome == Over((2, 4, 3, 1)), "the cards on the pile are nobody's"
    shared = part_two("A: 9d 2d; B: 3d; C: 3h; pile: 4d", idle=999)
    play(shared, "9d")
    assert shared.outcome == Over((1, 1, 1))


def test_the_guard_can_be_set_or_put_off() -> None:
    text = "A: 9d 2d; B: 3d 3s 4s; C: 3h 3c; pile: 4d"
    low = part_two(text, stall_limit=1)
    pick_up(low)
    assert low.state.stalled
    off = part_two(text, stall_limit=0, idle=9_999)
    pick_up(off)
    assert off.outcome is None
    assert off.state.idle == 10_000


def test_progress() -> None:
    complete = part_two("A: 9d 2d; B: 3d; pile: 4d", idle=999, due=1)
    play(complete, "9d")
    assert (complete.state.idle, complete.outcome) == (0, None)
    out = part_two("A: 9d; B: 3d; C: 3h; pile: 4d", idle=999, due=3)
    play(out, "9d")
    assert (out.state.idle, out.outcome) == (0, None)


def test_the_sheet_and_the_standing() -> None:
    referee = part_two("A: 4d; B: 5d 3s; C: 6d")
    assert RULES.sheet(referee.state) == ()
    assert RULES.standing(referee.state) == Over((1, 1, 1))
    play(referee, "4d")
    assert RULES.standing(referee.state) == Over((1, 2, 2))
    pick_up(referee)
    play(referee, "6d")
    assert referee.outcome == Over((1, 3, 2))
    assert RULES.sheet(referee.state) == ({"hand": 1, "end": "played", "places": (1, 3, 2)},)
