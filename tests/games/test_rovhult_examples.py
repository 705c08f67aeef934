"""Røvhult: the worked examples of the rules as positions, and rules that have no example."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from p2pcards.cards.rules import Over
from p2pcards.cards.table import STOCK, hand
from p2pcards.errors import FaceDown, IllegalMove
from p2pcards.games.rovhult import Arrange, Flip, Phase, Play, Take, down, up
from p2pcards.games.shedding import PILE, REMOVED
from tests.games.rovhult_positions import (
    RULES,
    flip,
    legal,
    names,
    play,
    position,
    refused,
    refused_cards,
    slots,
    take,
    to_move,
)

# --- the worked examples --------------------------------------------------------------------------


def test_rh_01_four_completed_by_the_third_player() -> None:
    referee = position(
        "A: 9s Kd 4c / - / 2c; B: 9c 9d 3s / - / 3c; C: 9h 5c 6c / - / 4d;"
        "stock: Ah Qh Jh Th; pile: 6d"
    )
    play(referee, "9s")
    assert names(referee, hand(0)) == "Kd 4c Ah"
    assert to_move(referee) == "B"
    play(referee, "9c 9d")
    assert names(referee, hand(1)) == "3s Qh Jh"
    assert names(referee, PILE) == "6d 9s 9c 9d"
    assert to_move(referee) == "C"
    play(referee, "9h")
    assert names(referee, hand(2)) == "5c 6c Th"
    assert referee.table[PILE] == ()
    assert len(referee.table[REMOVED]) == 5
    assert to_move(referee) == "C"


def test_rh_02_four_eights_cancel_the_skip() -> None:
    others = "B: 3h / - / -; C: 3d / - / -; pile: 8h 8d"
    referee = position(f"A: 8s 8c Kd / - / 2c; {others}")
    play(referee, "8c 8s")
    assert referee.table[PILE] == ()
    assert to_move(referee) == "A"

    last = position(f"A: 8s 8c / - / -; {others}")
    play(last, "8c 8s")
    assert last.state.finished == (0,)
    assert to_move(last) == "B"
    assert last.table[PILE] == ()


def test_rh_03_tens_and_an_empty_hand() -> None:
    referee = position("A: Td Th Tc / Kd / 2c; B: 3h / - / -; stock: Qs Js 3d 4h; pile: Ah")
    for ten, left in (("Td", "Th Tc"), ("Th", "Tc")):
        play(referee, ten)
        assert names(referee, hand(0)) == left
        assert to_move(referee) == "A"
        assert refused(referee, Take()) == "pile.empty"
    play(referee, "Tc")
    assert names(referee, hand(0)) == "Qs"
    assert to_move(referee) == "A"
    play(referee, "Qs")
    assert names(referee, hand(0)) == "Js 3d 4h"
    assert to_move(referee) == "B"
    assert names(referee, PILE) == "Qs"


def test_rh_03_a_ten_as_the_last_hand_card() -> None:
    referee = position("A: Td / Kd 3c / 2c; B: 3h / - / -; pile: 7h")
    play(referee, "Td")
    assert to_move(referee) == "A"
    assert legal(referee) == "3c Kd"


def test_rh_04_picking_up_while_on_face_up_cards() -> None:
    referee = position("A: - / 4d 5d / 2c 9c Jc; B: 5c / - / 3d; C: 9h / - / 4h; pile: 8h Ks")
    assert refused_cards(referee, "4d") == "play.too_low"
    assert refused_cards(referee, "5d") == "play.too_low"
    assert refused(referee, Flip(referee.table[down(0)][0])) == "play.wrong_source"
    assert legal(referee) == "take"
    take(referee)
    assert names(referee, hand(0)) == "8h Ks"
    assert names(referee, up(0)) == "4d 5d"
    assert to_move(referee) == "B"
    play(referee, "5c")
    play(referee, "9h")
    assert refused_cards(referee, "4d") == "play.wrong_source"
    assert refused_cards(referee, "8h") == "play.too_low"
    assert legal(referee) == "Ks take"


def test_rh_05a_a_flip_in_vain() -> None:
    referee = position("A: - / - / 8c 9c; B: 3h / - / -; C: 3d / - / -; pile: Kh As")
    assert legal(referee) == "flip take"
    flip(referee, "8c")
    assert names(referee, hand(0)) == "Kh As 8c"
    assert names(referee, down(0)) == "9c"
    assert referee.table[PILE] == ()
    assert to_move(referee) == "B"
    assert all(referee.table.is_up(slot) for slot in referee.table[hand(0)])


def test_rh_05b_a_flipped_ten() -> None:
    referee = position("A: - / - / Tc; B: 3h / - / -; C: 3d / - / -; pile: Kh As")
    flip(referee, "Tc")
    assert referee.table[PILE] == ()
    assert referee.state.finished == (0,)
    assert to_move(referee) == "B"


def test_rh_05c_a_flip_that_completes_four() -> None:
    referee = position("A: - / - / Qc 8c; B: 3h / - / -; C: 3d / - / -; pile: Qs Qh Qd")
    flip(referee, "Qc")
    assert referee.table[PILE] == ()
    assert to_move(referee) == "A"
    assert legal(referee) == "flip"
    flip(referee, "8c")
    assert referee.state.finished == (0,)
    assert to_move(referee) == "C", "an eight that could be played skips"


def test_rh_06_reverse() -> None:
    referee = position("A: 2s 7d 8h / - / Qd; B: 7c 3c 2h / - / Qh; C: 6h Ac 9d / - / Qs; pile: 7h")
    assert refused_cards(referee, "8h") == "play.too_high_after_reverse"
    play(referee, "7d")
    play(referee, "7c")
    assert refused_cards(referee, "Ac") == "play.too_high_after_reverse"
    assert refused_cards(referee, "9d") == "play.too_high_after_reverse"
    play(referee, "6h")
    play(referee, "2s")
    play(referee, "3c")
    assert names(referee, PILE) == "7h 7d 7c 6h 2s 3c"


def test_rh_06_seven_needs_a_lower_card_and_a_ten_needs_nothing() -> None:
    above = position("A: 7d 4c / - / 2c; B: 3h / - / -; pile: 8h")
    assert refused_cards(above, "7d") == refused_cards(above, "4c") == "play.too_low"
    ten = position("A: Td Ad / - / 2c; B: 3h / - / -; pile: 7h")
    play(ten, "Td")
    assert to_move(ten) == "A"
    assert legal(ten) == "Ad"


def test_rh_07_skip_with_two_players_left() -> None:
    referee = position("A: 8s 5d 9d / - / 2c; B: 5c / - / 2d; pile: 6h")
    play(referee, "8s")
    assert to_move(referee) == "A"
    assert refused_cards(referee, "5d") == "play.too_low"
    play(referee, "9d")
    assert to_move(referee) == "B"

    stuck = position("A: 8s 5d 4d / - / 2c; B: 5c / - / 2d; pile: 6h")
    play(stuck, "8s")
    assert legal(stuck) == "take"
    take(stuck)
    assert names(stuck, hand(0)) == "5d 4d 6h 8s"
    assert to_move(stuck) == "B"
    assert stuck.table[PILE] == ()


def test_rh_08_who_is_skipped() -> None:
    referee = position("A: 8s 8d / - / 2c; B: 3h / - / -; C: 3d / - / -; D: 3s / - / -; pile: 6h")
    play(referee, "8s 8d")
    assert to_move(referee) == "C"
    without_b = position("A: 8s / - / 2c; B: - / - / -; C: 3d / - / -; D: 3s / - / -; pile: 6h")
    play(without_b, "8s")
    assert to_move(without_b) == "D"


def test_rh_09_last_cards() -> None:
    others = "B: 3h / - / -; C: 3d / - / -"
    skip = position(f"A: 8s / - / -; {others}; pile: 6h")
    play(skip, "8s")
    assert (skip.state.finished, to_move(skip)) == ((0,), "C")

    over = position("A: 8s / - / -; B: 3h / - / -; C: - / - / -; pile: 6h")
    play(over, "8s")
    assert over.outcome == Over((2, 3, 1))
    assert over.options(1) == ()

    four = position(f"A: 5s / - / -; {others}; pile: 5h 5d 5c")
    play(four, "5s")
    assert (four.state.finished, to_move(four)) == ((0,), "B")
    assert four.table[PILE] == ()

    ten = position(f"A: Ts / - / -; {others}; pile: Ah")
    play(ten, "Ts")
    assert (ten.state.finished, to_move(ten)) == ((0,), "B")
    assert ten.table[PILE] == ()


def test_rh_10_configured_ranks() -> None:
    ranks: dict[str, Any] = {"nuke_rank": 4, "skip_rank": 11, "reverse_rank": 6}
    on_six = position("A: 4d 7c Qs / - / 2c; B: 3h / - / -; pile: 6d 6s", **ranks)
    assert refused_cards(on_six, "7c") == "play.too_high_after_reverse"
    assert refused_cards(on_six, "Qs") == "play.too_high_after_reverse"
    play(on_six, "4d")
    assert on_six.table[PILE] == ()
    assert to_move(on_six) == "A"

    on_king = position("A: Td Js / - / 2c; B: 3h / - / -; pile: Kd", **ranks)
    assert refused_cards(on_king, "Td") == refused_cards(on_king, "Js") == "play.too_low"

    jack = position("A: Js / - / 2c; B: 3h / - / -; C: 3d / - / -; pile: 9d", **ranks)
    play(jack, "Js")
    assert to_move(jack) == "C"


# --- rules without an example ---------------------------------------------------------------------


def test_any_number_of_equal_cards_may_be_played() -> None:
    referee = position("A: 5c 5d 5h 9c / - / -; B: 3h / - / -; pile: 4h")
    plays = [option.move.cards for option in referee.options(0) if option.move != Take()]
    assert [len(cards) for cards in plays] == [1, 1, 1, 2, 2, 2, 3, 1]
    assert len(set(plays)) == len(plays)


def test_a_run_counts_only_what_lies_on_top() -> None:
    referee = position("A: 9s / - / 2c; B: 3h / - / -; pile: 9h 9d Tc 9c")
    play(referee, "9s")
    assert len(referee.table[PILE]) == 5
    assert to_move(referee) == "B"


def test_with_two_packs_more_than_four_clear_too() -> None:
    referee = position("A: 9s 9s 9c / - / 2c; B: 3h / - / -; pile: 9h 9d", decks=2)
    play(referee, "9s 9s 9c")
    assert referee.table[PILE] == ()
    assert to_move(referee) == "A"


def test_a_hand_is_not_refilled_beyond_three_nor_past_the_stock() -> None:
    many = position("A: 4c 5c 6c 7c 8c / - / -; B: 3h / - / -; stock: Ah Kh; pile: 3d")
    play(many, "4c")
    assert len(many.table[hand(0)]) == 4
    assert len(many.table[STOCK]) == 2
    few = position("A: 4c 4d 4h / - / -; B: 3h / - / -; stock: Ah Kh; pile: 3d")
    play(few, "4c 4d 4h")
    assert names(few, hand(0)) == "Ah Kh"


def test_one_who_still_draws_has_not_finished() -> None:
    referee = position("A: 4c / - / -; B: 3h / - / -; stock: Ah; pile: 3d")
    play(referee, "4c")
    assert referee.state.finished == ()
    assert names(referee, hand(0)) == "Ah"


def test_taking_is_allowed_though_one_could_play() -> None:
    referee = position("A: Ah / - / 2c; B: 3h / - / -; pile: 4d; stock: 9c")
    assert legal(referee) == "Ah take"
    take(referee)
    assert names(referee, hand(0)) == "Ah 4d"
    assert len(referee.table[STOCK]) == 1, "nobody draws after taking"


def test_cards_that_everybody_has_seen_stay_known() -> None:
    referee = position("A: 3c Ah / - / -; B: 5h 6h / - / -; pile: 4d")
    take(referee)
    view = referee.view(1)
    shown = [view.table.is_up(slot) for slot in view.table[hand(0)]]
    assert shown == [False, False, True]


def test_a_hidden_card_is_asked_for_only_by_a_flip_that_may_be_made() -> None:
    referee = position("A: - / - / 8c 9c; B: - / - / 5c; C: 3c / - / -; pile: 4d")
    own, others = referee.table[down(0)][0], referee.table[down(1)][0]
    with pytest.raises(FaceDown):
        RULES.judge(referee.state, referee.table, 0, Flip(own))
    assert refused(referee, Flip(others)) == "card.not_held"
    assert refused(referee, Play((own,))) == "play.wrong_source"
    assert refused(referee, Play((others,))) == "card.not_held"


@pytest.mark.parametrize(
    "text, move, code",
    [
        ("A: 4c 5c / 6d / 2c; B: 3h / - / -; pile: 3d", "", "play.empty"),
        ("A: 4c 5c / 6d / 2c; B: 3h / - / -; pile: 3d", "4c 5c", "play.mixed_ranks"),
        ("A: 4c 5c / 5d / 2c; B: 3h / - / -; pile: 3d", "5c 5d", "play.wrong_source"),
        ("A: 4c 5c / 5d / 2c; B: 3h / - / -; pile: 3d", "5d", "play.wrong_source"),
        ("A: 4c 5c / 5d / 2c; B: 3h / - / -; pile: 3d", "2c", "play.wrong_source"),
        ("A: 4c 5c / 5d / 2c; B: 3h / - / -; pile: 3d", "3h", "card.not_held"),
        ("A: 4c 5c / 5d / 2c; B: 3h / - / -; pile: 3d", "3d", "card.not_held"),
        ("A: 4c 5c / 5d / 2c; B: 3h / - / -; pile: 3d; stock: 9c", "9c", "card.not_held"),
        ("A: 4c 5c / 5d / 2c; B: 3h / - / -; pile: 6d", "4c", "play.too_low"),
        ("A: 4c 8c / 5d / 2c; B: 3h / - / -; pile: 7d", "8c", "play.too_high_after_reverse"),
    ],
)
def test_plays_that_are_refused(text: str, move: str, code: str) -> None:
    assert refused_cards(position(text), move) == code


def test_a_move_names_each_card_once_and_in_order() -> None:
    referee = position("A: 5c 5d / - / -; B: 3h / - / -; pile: 3d")
    first, second = slots(referee, "5c 5d")
    assert refused(referee, Play((second, first))) == "move.order"
    assert refused(referee, Play((first, first))) == "move.order"
    assert refused(referee, Play((first, 99))) == "card.not_held"
    assert refused(referee, Play((first, second))) is None


def test_each_move_has_its_phase_and_its_turn() -> None:
    turns = position("A: 4c 5c 6c / 7c 8c 9c / -; B: 3h / - / -; pile: 3d")
    moves = (Play((0,)), Flip(0), Take())
    assert [refused(turns, move, seat=1) for move in moves] == ["turn.not_yours"] * 3
    assert refused(turns, Arrange((0, 1, 2))) == "phase.wrong"
    arranging = position("A: 4c 5c 6c / 7c 8c 9c / -; B: 3h / - / -", phase=Phase.ARRANGE)
    assert [refused(arranging, move) for move in moves] == ["phase.wrong"] * 3
    for phase in (Phase.DEAL, Phase.LOT, Phase.END):
        for move in (*moves, Arrange((0, 1, 2))):
            with pytest.raises(IllegalMove, match=r"phase\.wrong"):
                RULES.judge(replace(turns.state, phase=phase), turns.table, 0, move)
    with pytest.raises(ValueError, match="no cards have moved"):
        RULES.resume(turns.state, turns.table)
    assert list(RULES.candidates(replace(turns.state, phase=Phase.END), turns.table, 0)) == []
