"""Twopart up to part two, its options and its refusals: worked examples as positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import factorial
from random import Random
from typing import Any

import pytest

from p2pcards.cards.ops import EVERYONE, Mix, Put, Show, Toss
from p2pcards.cards.rules import Dealing, Moves, settle
from p2pcards.cards.table import STOCK, hand, lay, won
from p2pcards.errors import BadOption, FaceDown
from p2pcards.games.shedding import PILE, in_turn
from p2pcards.games.twopart import LOW, Lay, Phase, PickUp, Play, State
from p2pcards.games.twopart_house import PACK
from p2pcards.testing.referee import Referee
from tests.games.twopart_positions import (
    RULES,
    between,
    held,
    house,
    lay_down,
    legal,
    names,
    part_one,
    part_two,
    play,
    refused,
    refused_run,
    slots,
    to_move,
    with_state,
)

# --- part one -------------------------------------------------------------------------------------

FOUR = "A: 3d 2c 2d; B: Ks 2h 2s; C: 5h 3c 4c; D: 7c 4d 5d; stock: Ac Ad Ah As Qc"


def test_tp_01_the_highest_card_wins() -> None:
    referee = part_one(FOUR)
    lay_down(referee, "3d Ks 5h 7c")
    assert names(referee, won(1)) == "3d Ks 5h 7c"
    assert referee.table[PILE] == ()
    assert [len(referee.table[hand(seat)]) for seat in range(4)] == [3] * 4
    assert held(referee, "A") == "2c 2d Ac"
    assert held(referee, "D") == "4d 5d As"
    assert to_move(referee) == "B"
    assert referee.state.contest == (1, 2, 3, 0)


def test_a_card_is_drawn_right_after_ones_own() -> None:
    referee = part_one(FOUR)
    lay_down(referee, "3d")
    (drawn,) = slots(referee, "Ac")
    assert drawn in referee.table[hand(0)]
    assert referee.view(0).table.is_up(drawn)
    assert not any(referee.view(seat).table.is_up(drawn) for seat in (1, 2, 3, None))
    assert legal(referee) == ["Ks", "2h", "2s"]


def test_the_direction_of_part_one() -> None:
    for direction, second in (("cw", "B"), ("ccw", "D")):
        referee = with_state(part_one(FOUR), contest=in_turn(0, 4, direction))
        lay_down(referee, "3d")
        assert to_move(referee) == second


def test_tp_02_a_pair_below_the_top_card() -> None:
    referee = part_one("A: 9d 4d 2c; B: Ks 2d 2h; C: 9h 7h 2s; D: Jc 3c 3d; stock: 3h 3s 4c 4h")
    lay_down(referee, "9d Ks 9h Jc")
    assert referee.state.contest == (0, 2)
    assert to_move(referee) == "A"
    assert len(referee.table[PILE]) == 4
    lay_down(referee, "4d 7h")
    assert names(referee, won(2)) == "9d Ks 9h Jc 4d 7h"
    assert to_move(referee) == "C"


PAIRS = "A: 9d 2c; B: 5s 2d; C: 9h 2h; D: 5c 2s"


def test_tp_03_two_pairs() -> None:
    referee = part_one(PAIRS)
    lay_down(referee, "9d 5s 9h 5c")
    assert referee.state.contest == (0, 2)


def test_tp_03_all_equal() -> None:
    referee = part_one(PAIRS, tie_rule="all_equal")
    lay_down(referee, "9d 5s 9h 5c")
    assert referee.state.contest == (0, 1, 2, 3)
    one_pair = part_one("A: 9d 2c; B: 5s 2d; C: 8h 2h; D: 5c 2s", tie_rule="all_equal")
    lay_down(one_pair, "9d 5s 8h 5c")
    assert one_pair.state.contest == (1, 3)
    out = part_one("A: 5d; B: 9s; C: 5h; D: 9c; stock:", tie_rule="all_equal")
    last = with_state(out, last=slots(out, "5h")[0])
    lay_down(last, "5d 9s 5h 9c")
    assert last.state.trump == 3
    assert last.state.turn == 1, "the highest equal rank, and its first player"
    lower = part_one("A: 9d; B: 9s; C: 5h; D: 5c 2c", tie_rule="all_equal")
    lay_down(lower, "9d 9s 5h 5c")
    assert names(lower, won(3)) == "9d 9s 5h 5c", "the only equal one that has a card left"


def test_tp_04_a_tied_player_out_of_cards() -> None:
    referee = part_one("A: 9d; B: 4s 3s; C: 9h 6h; D: 2c 3c")
    lay_down(referee, "9d 4s 9h 2c")
    assert names(referee, won(2)) == "9d 4s 9h 2c"
    assert to_move(referee) == "C"
    assert referee.state.contest == (2, 3, 1)


def test_tp_04_three_tied_one_out() -> None:
    referee = part_one("A: 9d 2d; B: 9s; C: 9h 6h; D: Kc 8c")
    lay_down(referee, "9d 9s 9h Kc")
    assert referee.state.contest == (0, 2)
    lay_down(referee, "2d 6h")
    assert names(referee, won(2)) == "9d 9s 9h Kc 2d 6h"
    assert to_move(referee) == "D"


def test_tp_05_all_tied_players_out() -> None:
    referee = part_one("A: 4s 2s; B: 9d; C: 9h; D: Kc 8c")
    lay_down(referee, "4s 9d 9h Kc")
    assert names(referee, won(1)) == "4s 9d 9h Kc"
    assert to_move(referee) == "D"
    assert referee.state.contest == (3, 0)


def test_tp_05_the_end_of_part_one() -> None:
    referee = part_one("A: 9d 2d; B: 9s 2s; C: 4h", last="2s")
    lay_down(referee, "9d 9s 4h")
    assert referee.state.contest == (0, 1)
    lay_down(referee, "2d 2s")
    assert referee.state.phase is Phase.PART_TWO
    assert to_move(referee) == "A"
    assert referee.state.trump == 4
    assert referee.state.early == 0
    # B and C won nothing, and share the low cards of A
    assert held(referee, "A") == "9d 9s"
    assert Counter(f"{held(referee, 'B')} {held(referee, 'C')}".split()) == Counter(
        ["4h", "2d", "2s"]
    )


def test_equal_cards_of_earlier_rounds_do_not_count() -> None:
    referee = part_one("A: 9d 9c 3c; B: 9h 4c; C: Ks 3d")
    lay_down(referee, "9d 9h Ks")
    lay_down(referee, "9c 4c")
    assert names(referee, won(0)) == "9d 9h Ks 9c 4c"


def test_a_single_player_goes_on_alone() -> None:
    referee = part_one("A: 2d 3d; B: 9s; C: - / 5h", last="9s", contest="AB")
    lay_down(referee, "2d 9s")
    assert to_move(referee) == "A"
    assert referee.state.contest == (0,)
    lay_down(referee, "3d")
    assert referee.state.phase is Phase.PART_TWO
    assert to_move(referee) == "A"


@pytest.mark.parametrize(
    "reveal, shown",
    [
        ("contest", [False, False, False, False, True]),
        ("subround", [False, False, True, True, True]),
        ("immediate", [False, True, True, True, True]),
    ],
)
def test_tp_06_the_trump_is_shown(reveal: str, shown: list[bool]) -> None:
    referee = part_one("A: 9d 2h; B: 9s 7s; C: 6h 5c; stock: Qc Jd", trump_reveal=reveal)
    (trump,) = slots(referee, "Jd")
    up = []
    for card in ("9d", "9s", "6h", "2h", "7s"):
        lay_down(referee, card)
        up.append(referee.table.is_up(trump))
        assert referee.view(1).table.is_up(trump) == (card != "9d"), "B has drawn it"
        assert referee.view(2).table.is_up(trump) == up[-1]
    assert up == shown
    assert trump in referee.table[hand(1)]
    assert referee.state.last == trump
    assert names(referee, won(1)) == "9d 9s 6h 2h 7s"
    assert not any(referee.table.is_up(s) for s in slots(referee, "Qc 5c"))


def test_the_trump_may_have_been_played() -> None:
    referee = part_one("A: 9d 2h; B: 9s 7s; C: 6h 5c; stock: Qc Jd")
    lay_down(referee, "9d 9s 6h 2h")
    (trump,) = slots(referee, "Jd")
    assert not referee.table.is_up(trump)
    shown = referee.table.turn_up({trump: PACK.face("Jd")})
    ruling = RULES.judge(referee.state, shown, 1, Lay(trump))
    assert not any(isinstance(op, Show) for op in ruling.ops), "everybody sees it already"
    lay_down(referee, "Jd")
    assert referee.state.last == trump
    assert referee.table.is_up(trump)


def test_the_last_card_drawn_at_the_end_of_a_contest_is_shown_at_once() -> None:
    referee = part_one("A: 9d 2h; B: Ts 7s; stock: Qc Jd")
    lay_down(referee, "9d Ts")
    assert referee.table.is_up(slots(referee, "Jd")[0])
    assert not referee.table.is_up(slots(referee, "Qc")[0])


# --- between the parts ----------------------------------------------------------------------------

SHARED = "A: - / 2c 9d; B: -; C: - / As 3h 4s; D: -"


def test_tp_07_players_who_won_nothing() -> None:
    dealt: set[tuple[str, str]] = set()
    for seed in range(60):
        referee = between(SHARED, "C", last="As", seed=seed)
        assert referee.state.phase is Phase.PART_TWO
        assert referee.state.trump == 4
        assert held(referee, "A") == "9d"
        assert held(referee, "C") == "As"
        assert to_move(referee) == "C"
        assert referee.state.due == 4
        dealt.add((held(referee, "D"), held(referee, "B")))
        assert all(referee.table.is_up(slot) for slot in referee.table.slots())
    low = ("2c", "3h", "4s")
    orders = {(f"{a} {c}", b) for a in low for b in low for c in low if len({a, b, c}) == 3}
    assert dealt == orders, "D gets the first and the last card of any order"


def test_tp_07_in_secret() -> None:
    dealt: set[tuple[str, str]] = set()
    for seed in range(60):
        referee = between(SHARED, "C", last="As", seed=seed, low_share="random_private")
        assert (held(referee, "A"), held(referee, "C"), to_move(referee)) == ("9d", "As", "C")
        dealt.add((held(referee, "D"), held(referee, "B")))
        low = {*referee.table[hand(1)], *referee.table[hand(3)]}
        for seat in (*range(4), None):
            view = referee.view(seat)
            seen = {slot for slot in low if view.table.is_up(slot)}
            assert seen == (set(view.table[hand(seat)]) & low if seat is not None else set())
        assert referee.table[LOW] == ()
    assert len(dealt) == 6


def test_secret_low_cards_are_opened_when_they_are_played() -> None:
    tables = (
        between(SHARED, "C", last="2c", seed=seed, low_share="random_private") for seed in range(60)
    )
    referee = next(table for table in tables if "2c" in held(table, "D"))
    assert referee.state.trump == 1, "read before the card was mixed"
    play(referee, "As")
    assert to_move(referee) == "D"
    assert legal(referee) == ["2c", "-"], "the other card is no trump"
    (card,) = slots(referee, "2c")
    assert not referee.table.is_up(card)
    play(referee, "2c")
    assert referee.table.is_up(card)


def test_tp_07_a_starter_without_cards() -> None:
    referee = between("A: -; B: - / 3c 4d; C: - / Ah; D: -", "B", last="Ah")
    assert held(referee, "B") == ""
    assert {held(referee, "A"), held(referee, "D")} == {"3c", "4d"}
    assert referee.state.finished == (1,)
    assert to_move(referee) == "C"
    assert referee.state.due == 3
    play(referee, "Ah")
    assert referee.state.finished == (1, 2)


def test_several_without_cards_share_the_first_place() -> None:
    text = "A: - / 3c; B: - / 3d 4d; C: - / Ah; D: -; E: -"
    referee = between(text, "B", last="Ah", low_limit=4)
    assert referee.state.finished == (0, 1)
    assert referee.state.early == 2
    assert RULES.standing(referee.state).places == (1, 1, 3, 3, 3)
    assert to_move(referee) == "C"
    play(referee, "Ah")
    assert RULES.standing(referee.state).places == (1, 1, 3, 4, 4)


def test_one_unlucky_player_gets_all_low_cards() -> None:
    for low_share in ("random_public", "random_private"):
        referee = between(
            "A: - / 2c 9d; B: -; C: - / As 3h 4s", "C", last="As", low_share=low_share
        )
        assert held(referee, "B") == "2c 3h 4s"
        assert all(referee.table.is_up(slot) for slot in referee.table.slots())


def test_nobody_unlucky_gives_nothing_away() -> None:
    referee = between("A: - / 2c 9d; B: - / 5d", "A", last="5d")
    assert (held(referee, "A"), held(referee, "B")) == ("2c 9d", "5d")
    assert referee.state.trump == 2


def test_the_low_limit() -> None:
    text = "A: - / 2c 9d Ks; B: -; C: - / As Qh"
    for limit, low in ((2, "2c"), (9, "2c 9d"), (12, "2c 9d Qh"), (13, "2c 9d Ks Qh")):
        assert held(between(text, "C", last="As", low_limit=limit), "B") == low


def test_the_operations_between_the_parts() -> None:
    won_piles = "won 0: 2c! 9d!; won 2: As! 3h! 4s!"
    table, _ = lay(PACK, won_piles)
    gathering = State(house(), 4, phase=Phase.GATHER, turn=2, last=2)
    awaits = RULES.awaits(gathering, table)
    assert isinstance(awaits, Dealing)
    assert awaits.ops[-1] == Toss(6)
    secret = State(house(low_share="random_private"), 4, phase=Phase.GATHER, turn=2, last=2)
    awaits = RULES.awaits(secret, table)
    assert isinstance(awaits, Dealing)
    assert all(isinstance(op, Put) for op in awaits.ops), "the low cards are mixed, not tossed for"
    for seat in (0, 2):
        table = table.put(table[won(seat)], hand(seat))
    sharing = RULES.resume(secret, table)
    awaits = RULES.awaits(sharing, table)
    assert isinstance(awaits, Dealing)
    assert [op.by for op in awaits.ops if isinstance(op, Mix)] == [EVERYONE]
    assert [op.to for op in awaits.ops if isinstance(op, Show)] == [3, 1, 3]


def test_the_largest_toss_is_one_the_table_can_make() -> None:
    assert factorial(4 * (max(_values("low_limit")) - 1)) < 2**256


def _values(name: str) -> Sequence[Any]:
    return next(option.values for option in RULES.options if option.name == name)


# --- the deal -------------------------------------------------------------------------------------


def test_the_deal() -> None:
    for seats in RULES.seats:
        referee = Referee.deal(RULES, seats, rng=Random(seats))
        assert [len(referee.table[hand(seat)]) for seat in range(seats)] == [3] * seats
        assert len(referee.table[STOCK]) == 52 - 3 * seats
        assert not referee.table.faces
        first = referee.table.toss
        assert first is not None
        assert referee.owing == {first}
        assert referee.state.contest == in_turn(first, seats, "ccw")
        assert min(referee.table[hand(first)]) < min(
            referee.table[hand(seat)][0] for seat in range(seats) if seat != first
        )
        assert referee.awaits == Moves(frozenset((first,)))


def test_the_first_player_is_drawn() -> None:
    first = {Referee.deal(RULES, 4, rng=Random(seed)).state.turn for seed in range(40)}
    assert first == set(range(4))


# --- refusals -------------------------------------------------------------------------------------


def test_only_own_cards_are_played() -> None:
    referee = part_two("A: 9d 2d; B: 3d 3s; pile: 4d; removed: Kc")
    for name in ("3d", "4d", "Kc"):
        assert refused_run(referee, name) == "card.not_held"
    assert refused(referee, Play((99,))) == refused(referee, Play((-1,))) == "card.not_held"
    assert refused_run(referee, "9d 3d") == "card.not_held"
    assert refused(referee, Play(())) == "play.empty"
    assert refused_run(referee, "9d 9d") == "play.not_a_run"

    first = part_one(FOUR)
    assert refused(first, Lay(slots(first, "Ks")[0])) == "card.not_held"
    assert refused(first, Lay(slots(first, "Ac")[0])) == "card.not_held"


def test_an_empty_pile_cannot_be_picked_up() -> None:
    assert refused(part_two("A: 9d 2d; B: 3d 3s"), PickUp()) == "pile.empty"


def test_turns_are_kept() -> None:
    two = part_two("A: 9d 2d; B: 6d 3s; pile: 4d")
    assert refused(two, Play(slots(two, "6d")), 1) == "turn.not_yours"
    assert refused(two, PickUp(), 1) == "turn.not_yours"
    one = part_one(FOUR)
    assert refused(one, Lay(slots(one, "Ks")[0]), 1) == "turn.not_yours"


def test_each_move_has_its_phase() -> None:
    moves = (Lay(0), Play((0,)), PickUp())
    one, two = part_one(FOUR), part_two("A: 9d 2d; B: 3d 3s; pile: 4d")
    assert [refused(one, move) for move in moves[1:]] == ["phase.wrong"] * 2
    assert refused(two, moves[0]) == "phase.wrong"
    for phase in (Phase.LOT, Phase.DEAL, Phase.GATHER, Phase.LOW, Phase.END):
        state = State(house(), 2, phase=phase)
        for move in moves:
            with pytest.raises(Exception, match=r"phase\.wrong"):
                RULES.judge(state, two.table, 0, move)
        assert list(RULES.candidates(state, two.table, 0)) == []


def test_faces_are_asked_for_last() -> None:
    """Whatever can be refused unseen is; the face of an own card is wanted only to compare."""
    two = part_two("A: 9d 2d; B: 3d 3s; pile: 4d")
    hidden, _ = lay(PACK, "hand 0: 9d 2d; hand 1: 3d 3s; pile: 4d!")
    with pytest.raises(FaceDown):
        RULES.judge(two.state, hidden, 0, Play((0,)))
    with pytest.raises(Exception, match=r"card\.not_held"):
        RULES.judge(two.state, hidden, 0, Play((2,)))


def test_the_cards_have_moved_only_when_they_should() -> None:
    for referee in (part_one(FOUR), part_two("A: 9d; B: 3d 3s")):
        with pytest.raises(ValueError, match="no cards have moved"):
            RULES.resume(referee.state, referee.table)


# --- options --------------------------------------------------------------------------------------


def test_the_defaults() -> None:
    assert settle(RULES.options, {}) == {
        "direction": "ccw",
        "tie_rule": "highest_pair",
        "trump_reveal": "contest",
        "low_limit": 5,
        "low_share": "random_public",
        "turn_target": "literal",
        "runs": True,
        "stall_limit": 1000,
    }
    assert list(RULES.seats) == [2, 3, 4, 5, 6]


VALUES = [
    (option.name, value)
    for option in RULES.options
    for value in ((0, 1, 7, 10_000) if option.name == "stall_limit" else option.values)
]


@pytest.mark.parametrize("option, value", VALUES)
def test_every_value_of_every_option_plays(option: str, value: Any) -> None:
    rng = Random(3)
    referee = Referee.deal(RULES, 3, {option: value}, rng=rng)
    for _ in range(2_000):
        if referee.outcome is not None:
            break
        (seat,) = referee.owing
        referee.play(seat, rng.choice(referee.options(seat)).move)
    assert referee.outcome is not None
    assert getattr(referee.state.house, option) == value


@pytest.mark.parametrize(
    "seats, options, code",
    [
        (1, {}, "option.seats"),
        (7, {}, "option.seats"),
        (4, {"low_limit": 1}, "option.value"),
        (4, {"low_limit": 14}, "option.value"),
        (4, {"runs": 1}, "option.value"),
        (4, {"tie_rule": "none"}, "option.value"),
        (4, {"stall_limit": -1}, "option.value"),
        (4, {"decks": 2}, "option.unknown"),
    ],
)
def test_what_is_not_taken(seats: int, options: dict[str, Any], code: str) -> None:
    with pytest.raises(BadOption) as failure:
        Referee.deal(RULES, seats, options, rng=Random(0))
    assert failure.value.code == code
