"""Røvhult: the deal, the arrangement, the stall guard, every option and every value of it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from p2pcards.cards.ops import Mix, Put, Show
from p2pcards.cards.rules import Moves, Over, settle
from p2pcards.cards.table import STOCK, hand
from p2pcards.errors import BadOption
from p2pcards.games.rovhult import Arrange, Phase, Play, down, up
from p2pcards.games.rovhult_house import read_house
from p2pcards.testing.referee import Referee
from tests.games.rovhult_positions import (
    RULES,
    flip,
    names,
    play,
    position,
    refused,
    slots,
    take,
    to_move,
)

# --- the deal and the arrangement -----------------------------------------------------------------


@pytest.mark.parametrize("seats, stock", [(2, 34), (3, 25), (4, 16), (5, 7), (6, 50), (10, 14)])
def test_the_deal(seats: int, stock: int) -> None:
    referee = Referee.deal(RULES, seats, rng=Random(seats))
    table = referee.table
    assert len(table[STOCK]) == stock
    for seat in range(seats):
        assert len(table[hand(seat)]) == len(table[up(seat)]) == len(table[down(seat)]) == 3
        assert all(table.is_up(slot) for slot in table[up(seat)])
        known = referee.known[seat]
        assert set(table[hand(seat)]) <= known.keys()
        for other in range(seats):
            assert not known.keys() & set(table[down(other)])
    assert set(table.faces) == {slot for seat in range(seats) for slot in table[up(seat)]}


def test_cards_are_dealt_singly_in_the_direction_of_play() -> None:
    for direction, order in (("ccw", [0, 2, 1]), ("cw", [0, 1, 2])):
        referee = Referee.deal(RULES, 3, {"direction": direction}, rng=Random(1))
        first = min(referee.table.slots())
        seats = {
            slot - first: (pile.name, pile.seat)
            for pile, lying in referee.table.piles.items()
            for slot in lying
        }
        dealt = [
            (name, seat) for name in ("down", "up", "hand") for _ in range(3) for seat in order
        ]
        assert [seats[i] for i in range(27)] == dealt


SIX = "A: 4c 5c 6c / 7c 8c 9c / 2c; B: 4d 5d 6d / 7d 8d 9d / 2d; C: 4h 5h 6h / 7h 8h 9h / 2h"


def test_all_arrange_at_once_and_unseen() -> None:
    referee = position(SIX, phase=Phase.ARRANGE)
    assert referee.awaits == Moves(frozenset({0, 1, 2}), sealed=True)
    assert [len(referee.options(seat)) for seat in range(3)] == [20, 20, 20]
    before = referee.view(2)
    referee.play(0, Arrange(slots(referee, "4c 5c 9c")))
    referee.play(1, Arrange(slots(referee, "7d 8d 9d")))
    assert referee.view(2) == before
    assert refused(referee, Arrange(slots(referee, "7c 8c 9c")), seat=0) == "turn.not_yours"
    referee.play(2, Arrange(slots(referee, "4h 5h 6h")))
    assert (names(referee, hand(0)), names(referee, up(0))) == ("6c 7c 8c", "9c 4c 5c")
    assert (names(referee, hand(1)), names(referee, up(1))) == ("4d 5d 6d", "7d 8d 9d")
    assert (names(referee, hand(2)), names(referee, up(2))) == ("7h 8h 9h", "4h 5h 6h")
    public = referee.view(None).table
    assert [public.is_up(slot) for slot in public[hand(0)]] == [False, True, True]
    assert all(public.is_up(slot) for seat in range(3) for slot in public[up(seat)])
    assert referee.state.phase is Phase.TURNS


def test_an_arrangement_is_three_of_the_own_six() -> None:
    referee = position(SIX, phase=Phase.ARRANGE)
    for cards, code in (
        ("4c 5c", "arrange.count"),
        ("4c 5c 6c 7c", "arrange.count"),
        ("", "arrange.count"),
        ("4c 5c 2c", "card.not_held"),
        ("4c 5c 4d", "card.not_held"),
        ("4c 5c 9d", "card.not_held"),
    ):
        assert refused(referee, Arrange(slots(referee, cards)), seat=0) == code
    a, b, c = slots(referee, "4c 5c 6c")
    assert refused(referee, Arrange((b, a, c)), seat=0) == "move.order"
    assert refused(referee, Arrange((a, a, b)), seat=0) == "move.order"


def test_arranging_in_turn() -> None:
    options: dict[str, Any] = {"arrange_mode": "sequential", "direction": "ccw"}
    referee = position(SIX, phase=Phase.ARRANGE, **options)
    cards = ("4c 5c 9c", "7d 8d 9d", "4h 5h 6h")
    for seat in (0, 2, 1):
        assert referee.awaits == Moves(frozenset({seat}))
        other = (seat + 1) % 3
        early = Arrange(slots(referee, cards[other]))
        assert refused(referee, early, seat=other) == "turn.not_yours"
        referee.play(seat, Arrange(slots(referee, cards[seat])))
        assert all(referee.table.is_up(slot) for slot in referee.table[up(seat)])
    assert referee.state.phase is Phase.TURNS


def test_no_arranging() -> None:
    referee = Referee.deal(RULES, 4, {"arrange_mode": "none"}, rng=Random(1))
    assert referee.state.phase is Phase.TURNS
    assert referee.history == []


def test_the_first_player_is_drawn_after_the_arrangement() -> None:
    first = set()
    for seed in range(60):
        referee = Referee.deal(RULES, 5, rng=Random(seed))
        assert referee.table.toss is None
        for seat in range(5):
            referee.play(seat, referee.options(seat)[0].move)
        assert referee.state.turn == referee.table.toss
        first.add(referee.state.turn)
    assert first == set(range(5))


# --- options --------------------------------------------------------------------------------------


def test_the_direction() -> None:
    text = "A: 4c 5c / - / -; B: 4d 5d / - / -; C: 4h 5h / - / -"
    for direction, following in (("cw", "B"), ("ccw", "C")):
        referee = position(text, direction=direction)
        play(referee, "4c")
        assert to_move(referee) == following
    skip = position(
        "A: 8c 5c / - / -; B: 4d / - / -; C: 4h / - / -; D: 4s / - / -", direction="ccw"
    )
    play(skip, "8c")
    assert to_move(skip) == "C"


@pytest.mark.parametrize("count, drawn", [(1, "Qs"), (3, "Qs Js 3d")])
def test_cards_drawn_after_a_ten_as_the_last_card(count: int, drawn: str) -> None:
    text = "A: Tc / Kd / 2c; B: 3h / - / -; stock: Qs Js 3d 4h; pile: Ah"
    referee = position(text, nuke_empty_draw=count)
    play(referee, "Tc")
    assert names(referee, hand(0)) == drawn
    held = position(text.replace("Tc", "Tc Th"), nuke_empty_draw=count)
    play(held, "Tc")
    assert names(held, hand(0)) == "Th"


def test_draws_can_be_made_unlinkable() -> None:
    text = "A: 9s Kd 4c / - / 2c; B: 3s / - / -; stock: Ah Qh; pile: 6d"
    open_draw, hidden = position(text), position(text, unlinkable_draws=True)
    move = Play(slots(hidden, "9s"))
    shown = hidden.table.turn_up({slot: hidden.truth[slot] for slot in move.cards})
    ruling = RULES.judge(hidden.state, shown, 0, move)
    assert [type(op) for op in ruling.ops] == [Put, Show, Put, Mix]

    before = set(hidden.table[hand(0)])
    play(open_draw, "9s")
    play(hidden, "9s")
    assert set(open_draw.table[hand(0)]) & before
    assert not set(hidden.table[hand(0)]) & before
    assert sorted(names(hidden, hand(0)).split()) == sorted(names(open_draw, hand(0)).split())
    assert all(slot in hidden.known[0] for slot in hidden.table[hand(0)])
    assert not any(slot in hidden.known[1] for slot in hidden.table[hand(0)])


def test_cards_that_everybody_knows_are_not_mixed() -> None:
    referee = position(
        "A: 9s / - / 2c; B: 3s / - / -; pile: 6d; stock: Ah Qh", unlinkable_draws=True
    )
    take(referee)
    (exposed,) = slots(referee, "6d")
    play(referee, "3s")
    play(referee, "9s")
    assert exposed in referee.table[hand(0)]
    assert referee.table.is_up(exposed)


def stalling(idle: int, **options: Any) -> Referee:
    text = "A: 4c 9c / - / 2c; B: 3h 3c / - / -; C: 5d / - / -; D: - / - / -; pile: 3d"
    return position(text, idle=idle, **options)


def test_the_stall_guard() -> None:
    referee = stalling(998)
    play(referee, "4c")
    assert referee.state.idle == 999
    take(referee)
    assert referee.outcome == Over((3, 4, 2, 1)), "two, four and one cards"
    assert referee.state.stalled
    assert RULES.sheet(referee.state) == ({"hand": 1, "end": "stalled", "places": (3, 4, 2, 1)},)

    shared = stalling(999)
    take(shared)
    assert shared.outcome == Over((4, 3, 2, 1)), "the pile counts for who takes it"
    equal = stalling(4, stall_limit=5)
    play(equal, "4c")
    assert equal.outcome == Over((3, 3, 2, 1)), "the card that was played does not count"


def test_progress_starts_the_stall_guard_anew() -> None:
    ten = position("A: Tc 9c / - / -; B: 3h / - / -; pile: 3d", idle=999)
    play(ten, "Tc")
    assert ten.state.idle == 0
    draw = position("A: 4c 9c / - / -; B: 3h / - / -; pile: 3d; stock: Ac Ad", idle=999)
    play(draw, "4c")
    assert draw.state.idle == 0
    done = position("A: 4c / - / -; B: 3h / - / -; C: 5h / - / -; pile: 3d", idle=999)
    play(done, "4c")
    assert done.state.idle == 0
    assert done.outcome is None


def test_a_stall_limit_of_zero_is_none() -> None:
    referee = stalling(10**6, stall_limit=0)
    take(referee)
    assert referee.outcome is None


def test_a_flip_in_vain_is_no_progress() -> None:
    referee = position("A: - / - / 4c; B: 5h / - / -; pile: Kd", idle=4, stall_limit=5)
    flip(referee, "4c")
    assert referee.outcome == Over((2, 1))
    assert referee.state.stalled


def test_the_standing_before_the_end() -> None:
    referee = position("A: 4c / - / -; B: - / - / -; C: 5h / - / -; pile: 3d")
    assert RULES.standing(referee.state) == Over((2, 1, 2))
    assert RULES.sheet(referee.state) == ()
    play(referee, "4c")
    assert referee.outcome == Over((2, 1, 3))
    assert RULES.sheet(referee.state) == ({"hand": 1, "end": "played", "places": (2, 1, 3)},)


def test_the_defaults() -> None:
    assert settle(RULES.options, {}) == {
        "reverse_rank": 7,
        "skip_rank": 8,
        "nuke_rank": 10,
        "nuke_empty_draw": 1,
        "arrange_mode": "simultaneous",
        "decks": None,
        "direction": "ccw",
        "unlinkable_draws": False,
        "stall_limit": 1000,
    }
    assert [read_house(settle(RULES.options, {}), n).decks for n in RULES.seats] == [1] * 4 + [
        2
    ] * 5


VALUES = [
    (option.name, value)
    for option in RULES.options
    for value in ((0, 1, 7, 10_000) if option.name == "stall_limit" else option.values)
]


@pytest.mark.parametrize("option, value", VALUES)
def test_every_value_of_every_option_plays(option: str, value: Any) -> None:
    others = {"reverse_rank": 12, "skip_rank": 13, "nuke_rank": 14, "stall_limit": 150}
    ranks = {name: rank for name, rank in others.items() if rank != value}
    spare = {name: 9 for name in others if name not in ranks}
    rng = Random(3)
    referee = Referee.deal(RULES, 4, spare | ranks | {option: value}, rng=rng)
    for _ in range(100):
        if referee.outcome is not None:
            break
        seat = min(referee.owing)
        referee.play(seat, rng.choice(referee.options(seat)).move)
    assert getattr(referee.state.house, option) == value


@pytest.mark.parametrize(
    "seats, options, code",
    [
        (1, {}, "option.seats"),
        (11, {}, "option.seats"),
        (6, {"decks": 1}, "option.seats"),
        (4, {"decks": 3}, "option.value"),
        (4, {"reverse_rank": 2}, "option.value"),
        (4, {"nuke_rank": 15}, "option.value"),
        (4, {"skip_rank": 7}, "option.conflict"),
        (4, {"nuke_rank": 8}, "option.conflict"),
        (4, {"reverse_rank": 10}, "option.conflict"),
        (4, {"nuke_empty_draw": 2}, "option.value"),
        (4, {"arrange_mode": "later"}, "option.value"),
        (4, {"stall_limit": -1}, "option.value"),
        (4, {"jokers": 2}, "option.unknown"),
    ],
)
def test_what_does_not_go_together(seats: int, options: dict[str, Any], code: str) -> None:
    with pytest.raises(BadOption) as failure:
        Referee.deal(RULES, seats, options, rng=Random(0))
    assert failure.value.code == code
