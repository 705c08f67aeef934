"""Gnav: what the worked examples leave out, every option and every refusal, as positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from p2pcards.cards.claims import All, ClassIs, SuitIs
from p2pcards.cards.ops import Deck
from p2pcards.cards.rules import Dealing, Moves, Over, settle
from p2pcards.cards.table import ASIDE, STOCK, hand, lay
from p2pcards.engine.view import lawful
from p2pcards.errors import BadOption
from p2pcards.games.cuckoo import (
    Accept,
    Announce,
    Ask,
    Bar,
    Keep,
    Knock,
    NoFool,
    Ordinary,
    Ready,
    drawn,
)
from p2pcards.games.cuckoo_house import PACK, payers
from p2pcards.games.cuckoo_match import Phase, State, begin_deal
from p2pcards.testing.referee import Referee
from tests.games.gnav import (
    RULES,
    act,
    answer,
    confirm,
    hands,
    held,
    house,
    knocking,
    lives,
    position,
    refusal,
    resting,
    scored,
    slot,
    state_of,
    turn,
)
from tests.laws.test_games import AT_ANY_POSITION
from tests.laws.worlds import move_on, random_options

# --- what the examples leave out ------------------------------------------------------------------


def test_the_cat_refuses_only() -> None:
    game = position(hands("II XI V OWL CAT"), cat_effect="refuse")
    act(game, "A asks, B asks, C keeps, D asks")
    assert held(game) == "XI V II OWL CAT"
    assert lives(game) == "3 3 3 1 3"


def test_a_cat_that_kills_undoes_all_the_same() -> None:
    game = position(hands("II XI CAT IX"), lives=(3, 1))
    act(game, "A asks, B asks")
    assert held(game) == "II XI CAT IX"
    assert lives(game) == "3 0 3 3"
    act(game, "D keeps")
    assert lives(game) == "2 0 3 3"


def test_a_cat_that_ends_the_match_undoes_all_the_same() -> None:
    game = position(hands("II XI", "CAT"), lives=(3, 1))
    act(game, "A asks")
    assert held(game) == "XI II"
    act(game, "B asks")
    assert game.outcome == Over((1, 2))
    assert held(game) == "II XI"


def test_an_eliminated_seat_is_passed_over() -> None:
    game = position(hands("OWL DRAGOON IX X"), lives=(3, 0))
    act(game, "A asks")
    assert held(game) == "IX DRAGOON OWL X"
    assert turn(game) == "C"


def test_the_asker_of_the_stock_may_be_killed() -> None:
    game = position(hands("V IX III", "DRAGOON"), lives=(3, 3, 1))
    act(game, "A keeps, B keeps, C asks")
    assert lives(game) == "2 3 0", "III is not compared"
    assert game.state.fallen == ((2,),)


def test_who_is_left_alone_pays_nothing() -> None:
    game = position(hands("OWL DRAGOON IX", "CAT"), lives=(1, 3, 1), seats=5)
    game.state = replace(game.state, lives=(1, 0, 1, 3, 3))
    act(game, "A keeps, C asks")
    assert lives(game) == "1 0 0 3 3", "A alone is not compared"
    assert turn(game) == "score"
    assert game.owing == {0, 3, 4}


def test_an_empty_stock_gives_nothing() -> None:
    game = position(hands("V IX III"))
    act(game, "A keeps, B keeps, C asks")
    assert held(game) == "V IX III"
    assert turn(game) == "score"
    game = position(hands("V HORSE", "HOUSE"))
    act(game, "A asks")
    assert turn(game) == "B", "who draws the last house has kept"
    assert held(game) == "V HORSE"


@pytest.mark.parametrize(
    "cards, paying",
    [
        ("II XI V", "A"),
        ("II II V", "AB"),
        ("X FOOL V", "BC"),
        ("FOOL FOOL V", "AB"),
        ("CUCKOO CUCKOO", "AB"),
        ("FOOL CUCKOO", "AB"),
        ("FOOL FOOL", "AB"),
        ("FOOL", ""),
        ("", ""),
    ],
)
def test_who_pays(cards: str, paying: str) -> None:
    faces = {seat: PACK.face(name) for seat, name in enumerate(cards.split())}
    assert payers(faces) == {"ABC".index(name) for name in paying}


def test_who_cannot_live_does_not_rest() -> None:
    game = knocking(hands("FOOL II V"), lives=(1,))
    act(game, "A keeps, B keeps, C keeps")
    assert lives(game) == "0 2 3"
    assert resting(game) == ""


def test_a_fool_need_not_rest() -> None:
    game = knocking(hands("FOOL II V"), fool_rests=False)
    act(game, "A keeps, B keeps, C keeps")
    assert resting(game) == ""
    confirm(game)
    assert game.state.order == (1, 2, 0)


# --- dealers --------------------------------------------------------------------------------------


def test_the_first_dealer_is_drawn() -> None:
    dealers = {Referee.deal(RULES, 5, rng=Random(seed)).state.dealer for seed in range(40)}
    assert dealers == set(range(5))


@pytest.mark.parametrize(
    "left, rests, option, dealer, order",
    [
        ("3 3 3 3", "", "acting", 2, (3, 0, 1, 2)),
        ("3 3 0 3", "", "acting", 3, (0, 1, 3)),
        ("3 3 3 3", "C", "acting", 2, (3, 0, 1)),
        ("3 3 3 3", "C", "skip", 3, (0, 1, 3)),
        ("3 3 0 3", "D", "skip", 0, (1, 0)),
        ("3 3 3 3", "AB", "skip", 2, (3, 2)),
    ],
)
def test_who_deals_next(
    left: str, rests: str, option: str, dealer: int, order: tuple[int, ...]
) -> None:
    game = scored(seats=4, dealer=1, left=left, rests=rests, dealer_resting=option)
    confirm(game)
    assert (game.state.dealer, game.state.order) == (dealer, order)
    assert game.state.results == ()


def test_where_all_rest_the_deal_passes_to_the_next() -> None:
    for option in ("acting", "skip"):
        game = scored(seats=2, dealer=1, left="2 2", rests="AB", dealer_resting=option)
        confirm(game)
        assert [result.dealer for result in game.state.results] == [0]
        assert (game.state.dealer, game.state.order) == (1, (0, 1))


def test_only_participants_hold_keys() -> None:
    for rests, holders in (("", (3, 0, 1, 2)), ("D", (0, 1, 2))):
        state = State(house(), 4, (3, 3, 3, 3), resting=frozenset(map("ABCD".index, rests)))
        state = begin_deal(state, dealer=2)
        awaits = RULES.awaits(state, lay(PACK, "")[0])
        assert isinstance(awaits, Dealing)
        assert awaits.ops[0] == Deck(PACK, holders)


# --- announcing fools -----------------------------------------------------------------------------


def test_all_say_at_once_whether_they_were_dealt_a_fool() -> None:
    game = knocking(hands("FOOL II FOOL"))
    assert game.awaits == Moves(frozenset({0, 1, 2}), forced=True)
    offered = [[option.move for option in game.options(seat)] for seat in range(3)]
    assert offered == [[Announce(0)], [NoFool()], [Announce(2)]]
    answer(game)
    assert game.state.knocked == {0, 2}
    assert [game.table.is_up(slot(game.table, seat)) for seat in range(3)] == [True, False, True]
    assert turn(game) == "A"


def test_a_fool_may_be_announced_by_knocking() -> None:
    game = knocking(hands("FOOL II V"), fool_reveal="knock")
    assert [option.move for option in game.options(0)] == [Knock()]
    answer(game)
    assert game.state.knocked == {0}
    assert game.table.faces == {}


def test_fools_received_later_are_not_announced() -> None:
    game = position(hands("II FOOL V"))
    act(game, "A asks")
    assert turn(game) == "B"
    assert game.table.faces == {}


@pytest.mark.parametrize(
    "seat, move, option, code",
    [
        (0, NoFool(), "auto", "fool.must_announce"),
        (0, NoFool(), "knock", "fool.must_announce"),
        (0, Knock(), "auto", "fool.other_way"),
        (0, Announce(0), "knock", "fool.other_way"),
        (1, Announce(1), "auto", "fool.not_a_fool"),
        (1, Announce(0), "auto", "card.not_held"),
        (1, Announce(99), "auto", "card.not_held"),
        (1, Knock(), "knock", "fool.not_a_fool"),
        (3, NoFool(), "auto", "turn.not_yours"),
    ],
)
def test_announcements_that_are_refused(seat: int, move: object, option: str, code: str) -> None:
    game = knocking(hands("FOOL II V"), seats=4, fool_reveal=option)
    assert refusal(game, seat, move) == code


def test_nobody_says_it_twice() -> None:
    game = knocking(hands("FOOL II V"))
    game.play(1, NoFool())
    assert refusal(game, 1, NoFool()) == "turn.not_yours"


# --- answering ------------------------------------------------------------------------------------


def claims(game: Referee, seat: int) -> list[object]:
    """What this seat's lawful moves claim."""
    moves = lawful(RULES, game.state, game.table, seat, game.known[seat])
    return [ruling.claim for _, ruling in moves if ruling is not None]


def test_each_duty_is_one_claim_about_one_card() -> None:
    game = knocking(hands("II II V"))
    assert claims(game, 1) == [All((SuitIs(1, 2),))]
    game = knocking(hands("FOOL II V"), fool_reveal="knock")
    assert claims(game, 0) == [All((SuitIs(0, 1),))]
    game = position(hands("II X V"))
    game.play(0, Ask())
    assert claims(game, 1) == [All((ClassIs(1, 1),))]
    game = position(hands("II HORSE", "V"))
    game.play(0, Ask())
    game.play(1, Bar(1))
    assert claims(game, 0) == [All((ClassIs(2, 1),))]


def test_an_answer_is_never_a_choice() -> None:
    game = position(hands("II X CAT", "V"))
    game.play(0, Ask())
    assert game.awaits == Moves(frozenset({1}), forced=True)
    assert [option.move for option in game.options(1)] == [Accept()]
    game.play(1, Accept())
    game.play(1, Ask())
    assert [option.move for option in game.options(2)] == [Bar(2)]
    game = position(hands("II HORSE", "V"))
    game.play(0, Ask())
    game.play(1, Bar(1))
    assert game.awaits == Moves(frozenset({0}), forced=True)
    assert [option.move for option in game.options(0)] == [Ordinary()]


def test_a_request_is_answered_by_the_one_asked() -> None:
    game = position(hands("II X HORSE FOOL"))
    game.play(0, Ask())
    assert refusal(game, 2, Bar(2)) == "turn.not_yours"
    assert refusal(game, 3, Accept()) == "turn.not_yours"
    assert refusal(game, 1, Bar(2)) == "card.not_held"
    assert refusal(game, 1, Bar(1)) == "swap.not_a_matador"
    assert refusal(game, 1, Ordinary()) == "phase.wrong"
    assert refusal(game, 1, Accept()) is None
    game.play(1, Ask())
    assert refusal(game, 2, Accept()) == "swap.must_bar"
    assert refusal(game, 2, Bar(2)) is None
    assert refusal(game, 3, Accept()) is None, "the fool must accept too"


def test_the_stock_is_answered_for_by_the_asker() -> None:
    for top, wrong in (("X", "swap.not_a_matador"), ("CAT", "swap.must_bar")):
        game = position(hands("II HORSE", f"{top} V"))
        game.play(0, Ask())
        game.play(1, Bar(1))
        (card,) = game.table[drawn(0)]
        assert refusal(game, 1, Ordinary()) == "turn.not_yours"
        assert refusal(game, 1, Bar(1)) == "turn.not_yours"
        assert refusal(game, 0, Bar(0)) == "card.not_held"
        assert refusal(game, 0, Accept()) == "phase.wrong"
        assert refusal(game, 0, Bar(card) if top == "X" else Ordinary()) == wrong
        assert refusal(game, 0, Ordinary() if top == "X" else Bar(card)) is None


def test_only_whose_turn_it_is_keeps_or_asks() -> None:
    for move in (Keep(), Ask()):
        assert refusal(position(hands("II X V")), 1, move) == "turn.not_yours"


def test_each_move_has_its_phase() -> None:
    at_home = {
        Phase.KNOCK: (Announce(0), Knock(), NoFool()),
        Phase.TURN: (Keep(), Ask()),
        Phase.ANSWER: (Accept(), Bar(0)),
        Phase.DRAWN: (Ordinary(), Bar(0)),
        Phase.SCORE: (Ready(),),
    }
    every = {move for moves in at_home.values() for move in moves}
    text = hands("II X V")
    for phase in Phase:
        state = replace(state_of(text), phase=phase, asked=0)
        for move in every.difference(at_home.get(phase, ())):
            with pytest.raises(Exception, match=r"phase\.wrong"):
                RULES.judge(state, lay(PACK, text)[0], 0, move)


# --- who sees what --------------------------------------------------------------------------------


def test_a_swap_is_seen_by_the_two_alone() -> None:
    game = position(hands("II X V"))
    act(game, "A asks")
    seen = [sorted(game.view(seat).table.faces) for seat in (0, 1, 2, None)]
    assert seen == [[0, 1], [0, 1], [2], []]


def test_a_draw_is_seen_by_the_drawer_alone() -> None:
    game = position(hands("II X", "V XII"))
    act(game, "A keeps")
    game.play(1, Ask())
    seen = [sorted(game.view(seat).table.faces) for seat in (0, 1, None)]
    assert seen == [[0], [1, 2], []]
    assert not any(game.table.is_up(card) for card in game.table[drawn(1)])


def test_a_shown_matador_stays_known_wherever_it_goes() -> None:
    game = position(hands("II HORSE V CAT"))
    act(game, "A asks, B asks")
    assert held(game) == "V II HORSE CAT"
    assert game.view(None).table.faces == {1: PACK.face("HORSE")}
    act(game, "C asks")
    assert held(game) == "II HORSE V CAT"
    assert game.table.is_up(slot(game.table, 1))


def test_at_the_end_all_cards_of_the_deal_are_shown() -> None:
    game = position(hands("II X V", "HOUSE IX XI XII"), lives=(3, 3, 3))
    act(game, "A asks, B keeps, C asks")
    shown = {*game.table[ASIDE], *(card for seat in range(3) for card in game.table[hand(seat)])}
    assert len(shown) == 5
    assert game.table.faces.keys() == shown
    assert len(game.table[STOCK]) == 2


def test_the_cards_of_the_eliminated_are_shown_too() -> None:
    game = position(hands("OWL DRAGOON IX X"), lives=(1,))
    act(game, "A asks, C keeps, D keeps")
    assert game.table.is_up(slot(game.table, 0))
    assert RULES.sheet(game.state)[0]["cards"] == ("OWL", "DRAGOON", "IX", "X")


# --- between the deals ----------------------------------------------------------------------------


def test_all_who_live_confirm_the_next_deal() -> None:
    game = position(hands("OWL DRAGOON IX"), lives=(1, 3, 3, 2), seats=4)
    act(game, "A asks, C keeps")
    assert game.awaits == Moves(frozenset({1, 2, 3}))
    assert refusal(game, 0, Ready()) == "turn.not_yours"
    game.play(3, Ready())
    assert refusal(game, 3, Ready()) == "turn.not_yours"
    game.play(1, Ready())
    assert turn(game) == "score"
    game.play(2, Ready())
    assert turn(game) == "knock"


def test_the_sheet() -> None:
    game = knocking(hands("FOOL II V"), lives=(3, 1), seats=4)
    act(game, "A keeps, B keeps, C keeps")
    assert RULES.sheet(game.state) == (
        {
            "deal": 1,
            "dealer": 2,
            "cards": ("FOOL", "II", "V", "-"),
            "lost": (1, 1, 0, 0),
            "lives": (2, 0, 3, 3),
            "rest": (1, 0, 0, 0),
        },
    )
    assert RULES.standing(game.state) == Over((3, 4, 1, 1))


def test_the_cards_have_moved_only_when_they_should() -> None:
    game = position(hands("II X V"))
    with pytest.raises(ValueError, match="no cards have moved"):
        RULES.resume(game.state, game.table)


# --- options --------------------------------------------------------------------------------------


def test_the_defaults() -> None:
    assert settle(RULES.options, {}) == {
        "lives": 3,
        "fool_reveal": "auto",
        "fool_rests": True,
        "jumped_holder_acts": True,
        "dealer_resting": "acting",
        "cat_effect": "undo_all",
    }
    assert list(RULES.seats) == [*range(2, 21)]


@pytest.mark.parametrize(
    "option, value", [(o.name, value) for o in RULES.options for value in o.values]
)
def test_every_value_of_every_option_plays(option: str, value: Any) -> None:
    rng = Random(5)
    game = Referee.deal(RULES, 3, {"lives": 2} | {option: value}, rng=rng)
    assert game.state.lives == ((value if option == "lives" else 2),) * 3
    while game.outcome is None:
        move_on(game, rng)


@pytest.mark.parametrize(
    "seats, options, code",
    [
        (1, {}, "option.seats"),
        (21, {}, "option.seats"),
        (4, {"lives": 0}, "option.value"),
        (4, {"lives": 10}, "option.value"),
        (4, {"lives": True}, "option.value"),
        (4, {"cat_effect": "purr"}, "option.value"),
        (4, {"deals": 3}, "option.unknown"),
    ],
)
def test_what_does_not_go(seats: int, options: dict[str, Any], code: str) -> None:
    with pytest.raises(BadOption) as refused:
        Referee.deal(RULES, seats, options, rng=Random(0))
    assert refused.value.code == code


# --- the laws at every size -----------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 4, 20])
@pytest.mark.parametrize("law", AT_ANY_POSITION, ids=lambda law: law.__name__)
def test_the_laws_hold_at_the_smallest_usual_and_largest_table(
    law: Callable[[Referee, Random], None], seats: int
) -> None:
    for seed in range(4):
        rng = Random(seed)
        game = Referee.deal(RULES, seats, random_options(RULES, seats, rng), rng=rng)
        for _ in range(rng.randrange(3 * seats)):
            move_on(game, rng)
        law(game, rng)
