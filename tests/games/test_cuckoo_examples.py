"""Gnav: the worked examples of the rules as positions."""

from __future__ import annotations

import pytest

from p2pcards.cards.rules import Over
from p2pcards.cards.table import hand
from p2pcards.games.cuckoo_match import Phase
from tests.games.gnav import (
    RULES,
    act,
    aside,
    confirm,
    hands,
    held,
    knocking,
    lives,
    position,
    resting,
    scored,
    slot,
    stock,
    turn,
)

# --- the worked examples --------------------------------------------------------------------------


def test_gn_01_the_cat_undoes_swaps_before_a_keep() -> None:
    game = position(hands("II XI V OWL CAT"))
    act(game, "A asks, B asks, C keeps")
    assert held(game) == "XI V II OWL CAT"
    act(game, "D asks")
    assert held(game) == "II XI V OWL CAT"
    assert game.state.phase is Phase.SCORE, "nobody is left of E"
    assert lives(game) == "3 3 3 1 3"
    assert game.state.exchanges == ()


def test_gn_02_a_chain() -> None:
    game = position(hands("POT HORSE HOUSE IX X"))
    act(game, "A asks")
    assert held(game) == "IX HORSE HOUSE POT X"
    assert turn(game) == "B"
    act(game, "B keeps, C keeps, D asks")
    assert held(game) == "IX HORSE HOUSE X POT"
    assert turn(game) == "E"


def test_gn_02_jumped_holders_may_have_no_turn() -> None:
    game = position(hands("POT HORSE HOUSE IX X"), jumped_holder_acts=False)
    act(game, "A asks")
    assert turn(game) == "D"
    game = position(hands("POT IX HOUSE X"), jumped_holder_acts=False)
    act(game, "A asks")
    assert turn(game) == "B", "who exchanged has its turn"
    game = position(hands("POT HORSE HOUSE", "IX"), jumped_holder_acts=False)
    act(game, "A asks")
    assert held(game) == "IX HORSE HOUSE"
    assert turn(game) == "score", "the request ran past everybody"


def test_gn_03_a_request_past_the_dealer() -> None:
    game = position(hands("IV I HORSE", "HOUSE VIII III"))
    act(game, "A keeps, B asks")
    assert held(game) == "IV VIII HORSE"
    assert aside(game) == "HOUSE I"
    assert stock(game) == "III"
    act(game, "C keeps")
    assert lives(game) == "2 3 3"


def test_gn_04_the_cuckoo() -> None:
    game = position(hands("III CUCKOO 0 XII"))
    act(game, "A asks")
    assert turn(game) == "score"
    assert lives(game) == "3 3 2 3"


def test_gn_05_the_dragoon_kills() -> None:
    game = position(hands("OWL DRAGOON IX X"), lives=(1,))
    act(game, "A asks")
    assert lives(game) == "0 3 3 3"
    assert turn(game) == "C"
    act(game, "C keeps, D keeps")
    assert lives(game) == "0 3 2 3"


def test_gn_06_one_fool() -> None:
    game = knocking(hands("FOOL II II X"))
    act(game, "A keeps, B keeps, C keeps, D keeps")
    assert lives(game) == "2 2 2 3"
    assert resting(game) == "A"


def test_gn_06_the_fool_is_swapped_away() -> None:
    game = knocking(hands("FOOL II V X"))
    act(game, "A asks, B keeps, C keeps, D keeps")
    assert held(game) == "II FOOL V X"
    assert lives(game) == "2 2 3 3"
    assert resting(game) == "B"


def test_gn_07_two_fools() -> None:
    game = knocking(hands("FOOL FOOL OWL X"), lives=(3, 1))
    act(game, "A keeps, B keeps, C keeps, D keeps")
    assert lives(game) == "2 0 3 3"
    assert resting(game) == "A"


def test_gn_08_everybody_to_zero() -> None:
    game = position(hands("IV IV"), lives=(1, 1))
    act(game, "A keeps, B keeps")
    assert game.outcome == Over((1, 1))
    game = position(hands("OWL DRAGOON DRAGOON"), lives=(1, 1, 1))
    act(game, "A asks, C keeps")
    assert lives(game) == "0 0 0"
    assert game.outcome == Over((3, 1, 1)), "A went before"


@pytest.mark.parametrize(
    "turns, top, left, cards",
    [
        ("A asks, B keeps, C asks", "CAT", "2 3 2", "I X III"),
        ("A keeps, B keeps, C asks", "CUCKOO", "2 3 3", "I X III"),
        ("A keeps, B keeps, C asks", "DRAGOON", "2 3 2", "I X III"),
        ("A keeps, B keeps, C asks", "V", "2 3 3", "I X V"),
    ],
)
def test_gn_09_dealer_and_stock(turns: str, top: str, left: str, cards: str) -> None:
    game = position(hands("I X III", f"{top} XII"))
    act(game, turns)
    assert turn(game) == "score"
    assert lives(game) == left
    assert held(game) == cards
    assert stock(game) == "XII"
    assert aside(game) == ("III" if top == "V" else top)


def test_gn_10_fool_elimination_and_cat() -> None:
    game = knocking(hands("FOOL VI DRAGOON X CAT"), lives=(3, 1))
    act(game, "A asks, B asks")
    assert held(game) == "VI FOOL DRAGOON X CAT"
    assert lives(game) == "3 0 3 3 3"
    act(game, "D asks")
    assert held(game) == "FOOL VI DRAGOON X CAT"
    assert lives(game) == "2 0 3 1 3"
    assert resting(game) == "A"

    game = knocking(hands("FOOL VI DRAGOON X XI"), lives=(3, 1))
    act(game, "A asks, B asks, D keeps, E keeps")
    assert lives(game) == "2 0 3 3 3"
    assert resting(game) == ""


def test_gn_11a_both_rest() -> None:
    game = knocking(hands("FOOL FOOL"))
    act(game, "A keeps, B keeps")
    assert lives(game) == "2 2"
    assert resting(game) == "AB"
    confirm(game)
    assert game.state.phase is Phase.KNOCK
    assert game.state.order == (0, 1), "the deal after the skipped one is normal"
    assert game.state.dealer == 1
    settled, skipped = game.state.results
    assert (settled.dealer, settled.rest) == (1, (0, 1))
    assert (skipped.dealer, skipped.order, skipped.lost) == (0, (), (0, 0))


def test_gn_11b_one_participant() -> None:
    game = scored(seats=2, dealer=0, left="2 3", rests="A")
    confirm(game)
    assert game.state.order == (1, 0)
    assert game.state.dealer == 0
    assert [result.order for result in game.state.results] == [(1,)]
    assert game.state.lives == (2, 3)


def test_gn_11c_the_dealer_rests() -> None:
    game = scored(seats=4, dealer=2, left="3 3 3 2", rests="D")
    confirm(game)
    assert (game.state.dealer, game.state.order) == (3, (0, 1, 2))
    assert game.table[hand(3)] == ()
    assert game.state.following(2) is None, "C may exchange with the stock"


def test_gn_11d_one_left_to_compare() -> None:
    game = position(hands("OWL DRAGOON"), lives=(1, 3, 3), seats=3)
    act(game, "A asks")
    assert turn(game) == "score"
    assert lives(game) == "0 3 3"
    assert game.state.results[-1].lost == (1, 0, 0)


def test_gn_11e_the_last_alive_has_won_on_the_spot() -> None:
    game = position(hands("OWL DRAGOON"), lives=(1, 3))
    act(game, "A asks")
    assert game.outcome == Over((2, 1))
    assert not game.table.is_up(slot(game.table, 0)), "no settlement"
    (row,) = RULES.sheet(game.state)
    assert row["cards"] == ("-", "-")
    assert row["lost"] == (1, 0)


def test_gn_12a_two_cats() -> None:
    game = position(hands("I X II CAT III CAT"))
    act(game, "A asks, B keeps, C asks")
    assert held(game) == "I X II CAT III CAT"
    assert turn(game) == "E"
    act(game, "E asks")
    assert lives(game) == "2 3 2 3 2 3"


def test_gn_12b_a_stock_draw_is_undone() -> None:
    game = position(hands("IV HORSE HOUSE", "XII CAT X"))
    act(game, "A asks")
    assert held(game) == "XII HORSE HOUSE"
    act(game, "B asks")
    assert held(game) == "IV HORSE HOUSE"
    assert aside(game) == "CAT XII"
    assert stock(game) == "X", "what was drawn is not drawn again"
    assert lives(game) == "2 2 3"


def test_gn_13_where_play_resumes_after_a_cat() -> None:
    game = position(hands("CAT HORSE V X"))
    act(game, "A asks")
    assert held(game) == "V HORSE CAT X"
    act(game, "B asks")
    assert lives(game) == "3 2 3 3"
    assert held(game) == "CAT HORSE V X"
    assert turn(game) == "D"
