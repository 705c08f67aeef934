"""Røvhul: the worked examples of the rules, every option and every refusal, as positions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from p2pcards.cards.rules import Dealing, Moves, Over, settle
from p2pcards.cards.table import STOCK, TRICK, hand
from p2pcards.errors import BadOption, IllegalMove
from p2pcards.games.president import (
    CLEARED,
    Announce,
    Best,
    NotMine,
    Pass,
    Play,
    Ready,
    Return,
)
from p2pcards.games.president_house import Pair, pairs
from p2pcards.games.president_match import Phase, Result, State
from p2pcards.shells.text.en import WORDS
from p2pcards.testing.referee import Referee
from tests.games.president_positions import (
    RULES,
    A,
    B,
    C,
    D,
    E,
    house,
    phase,
    play,
    playable,
    playing,
    refusal,
    set_of,
    slots,
)


def leads(referee: Referee, seat: int) -> bool:
    """Whether the table is cleared and this seat leads."""
    return referee.owing == {seat} and referee.state.count == 0 and referee.table[TRICK] == ()


def dealt(seats: int, seed: int = 1, deals: int = 2, **options: Any) -> Referee:
    """A new match."""
    return Referee.deal(RULES, seats, {"deals": deals, **options}, rng=Random(seed))


def play_on(referee: Referee, until: Phase, rng: Random | None = None) -> None:
    """Plays at random, or the first option, up to a phase."""
    while referee.outcome is None and phase(referee) is not until:
        seat = min(referee.owing)
        options = referee.options(seat)
        referee.play(seat, (rng.choice(options) if rng else options[0]).move)


# --- RO-01 to RO-06: tricks -----------------------------------------------------------------------


def test_ro_01_passing() -> None:
    referee = playing("7s Kd 3s", "7c 9s 4c", "8h 4d 5d", "Qd 3h 6s")
    play(referee, A, "7s")
    play(referee, B, "7c")
    assert "8h" in playable(referee, C)
    referee.play(C, Pass())
    play(referee, D, "Qd")
    play(referee, A, "Kd")
    assert referee.owing == {B}
    referee.play(B, Pass())
    assert referee.owing == {D}, "C has passed and is not asked"
    referee.play(D, Pass())
    assert leads(referee, A)
    assert len(referee.table[CLEARED]) == 4
    play(referee, A, "3s")
    referee.play(B, Pass())
    assert referee.owing == {C}, "C is back in"


def test_ro_02_four_equal() -> None:
    singles = playing("8s 3s", "8c 3d", "8h 4h", "8d 3h")
    for seat, card in enumerate(("8s", "8c", "8h", "8d")):
        play(singles, seat, card)
    assert leads(singles, D)

    twos = playing("8s 8c 3s", "8h 8d 3d", "4h", "3h")
    play(twos, A, "8s 8c")
    play(twos, B, "8h 8d")
    assert leads(twos, B)

    lead = playing("8s 8c 8h 8d 3s", "3d")
    play(lead, A, "8s 8c 8h 8d")
    assert leads(lead, A)


def test_only_the_topmost_run_counts() -> None:
    referee = playing("9s 3s", "9c 3d", trick="8s 8c 9h", last=B)
    play(referee, A, "9s")
    assert not leads(referee, A)
    play(referee, B, "9c")
    assert referee.owing == {A}
    assert len(referee.table[TRICK]) == 5


def test_ro_03_clearing_with_the_wrong_count() -> None:
    def nines(**options: Any) -> Referee:
        return playing("9s", "Ts Tc Td 3s", trick="9d 9c", turn=B, last=A, count=2, **options)

    single = nines()
    play(single, B, "Ts")
    assert leads(single, B)
    exactly = nines()
    play(exactly, B, "Ts Tc")
    assert leads(exactly, B)
    assert refusal(nines(), B, set_of(nines(), B, "Ts Tc Td")) == "play.wrong_count"

    strict = nines(clear_count="match")
    assert refusal(strict, B, set_of(strict, B, "Ts")) == "play.wrong_count"
    assert playable(strict, B) == {"Ts Tc", "Ts Td", "Tc Td"}

    twos = playing("3d", "X Ks 3s", trick="2s 2c", turn=B, last=A, count=2)
    assert refusal(twos, B, set_of(twos, B, "X Ks")) == "play.mixed_ranks"
    assert playable(twos, B) == {"X"}
    play(twos, B, "X")
    assert leads(twos, B)


def test_ro_04_going_out_on_a_clearing_card() -> None:
    referee = playing("Ts", "5c 6c", "4h 4d", trick="9h", last=C)
    play(referee, A, "Ts")
    assert referee.state.out == (A,)
    assert leads(referee, B)


def test_ro_05_going_out_on_an_ordinary_card() -> None:
    def king() -> Referee:
        referee = playing("Ks", "5c 6c", "Ad 4d", trick="9h", last=C)
        play(referee, A, "Ks")
        assert referee.owing == {B}
        assert referee.state.out == (A,)
        referee.play(B, Pass())
        return referee

    passing = king()
    passing.play(C, Pass())
    assert leads(passing, B), "although B passed"

    answered = king()
    play(answered, C, "Ad")
    assert leads(answered, C)

    a, d, b, c = range(4)
    variant = playing("9c Ks", "9h", "5c 6c", "Ad 4d")
    play(variant, a, "9c")
    play(variant, d, "9h")
    variant.play(b, Pass())
    variant.play(c, Pass())
    play(variant, a, "Ks")
    assert leads(variant, b), "nobody is left who may answer"


def test_ro_06_small_tables() -> None:
    referee = playing("5s 6s", "4c 3c", deals=1)
    play(referee, A, "5s")
    referee.play(B, Pass())
    assert leads(referee, A)
    assert refusal(referee, A, Pass()) == "play.must_lead"
    play(referee, A, "6s")
    assert referee.outcome == Over((1, 2))
    (row,) = RULES.sheet(referee.state)
    assert row["roles"] == ("president", "rovhul")


def test_clearing_cards_may_be_led() -> None:
    referee = playing("Ts Tc X 3s", "3d")
    play(referee, A, "Ts Tc")
    assert leads(referee, A)
    play(referee, A, "X")
    assert leads(referee, A)


def test_a_lead_is_any_number_of_equal_cards() -> None:
    referee = playing("7s 7c 7h Kd", "3d")
    assert playable(referee, A) == {
        *("7s", "7c", "7h", "Kd", "7s 7c", "7s 7h", "7c 7h", "7s 7c 7h"),
    }
    assert refusal(referee, A, Pass()) == "play.must_lead"


def test_a_joker_clears_and_so_do_as_many_as_were_played() -> None:
    referee = playing("X X 3s", "3d 3h", trick="2s 2c", last=B, count=2)
    assert playable(referee, A) == {"X", "X X"}


# --- RO-07: roles ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "order, vice, roles",
    [
        ((C, A, B), True, {C: "president", A: "neutral", B: "rovhul"}),
        (
            (C, A, B, D),
            True,
            {C: "president", A: "vicepresident", B: "vicerovhul", D: "rovhul"},
        ),
        (
            (C, A, B, D, E),
            True,
            {C: "president", A: "vicepresident", B: "neutral", D: "vicerovhul", E: "rovhul"},
        ),
        ((C, A, B, D), False, {C: "president", A: "neutral", B: "neutral", D: "rovhul"}),
        ((B, A), True, {B: "president", A: "rovhul"}),
    ],
)
def test_ro_07_roles(order: tuple[int, ...], vice: bool, roles: dict[int, str]) -> None:
    chosen = house(len(order), vice_roles=vice)
    by_place = chosen.roles(len(order))
    assert {seat: by_place[i] for i, seat in enumerate(order)} == roles


def test_ro_07_who_exchanges() -> None:
    four = (2, 3, 1, 4)
    assert pairs(house(4), four) == (Pair(D, C, 2), Pair(B, A, 1))
    assert pairs(house(4, vice_roles=False), four) == (Pair(D, C, 2),)
    assert pairs(house(3), (2, 3, 1)) == (Pair(B, C, 2),)
    assert pairs(house(2), (2, 1)) == (Pair(A, B, 2),)
    assert pairs(house(5), (2, 3, 1, 4, 5)) == (Pair(E, C, 2), Pair(D, A, 1))


# --- RO-10: two packs; the deal -------------------------------------------------------------------


def test_ro_10_two_packs() -> None:
    referee = playing("8s 8c 8h 3s", "8s 8d 8h 3d", decks=2)
    play(referee, A, "8s 8c 8h")
    play(referee, B, "8s 8d 8h")
    assert leads(referee, B)
    assert len(referee.table[CLEARED]) == 6

    hands = [len(dealt(14).table[hand(seat)]) for seat in range(14)]
    assert Counter(hands) == {8: 10, 7: 4}


@pytest.mark.parametrize("seats", RULES.seats)
def test_all_cards_are_dealt_from_the_dealers_left(seats: int) -> None:
    referee = dealt(seats)
    cards = 54 if seats <= 7 else 108
    first = (referee.state.dealer + 1) % seats
    order = [(first + i) % seats for i in range(seats)]
    assert referee.table[STOCK] == ()
    slot = min(referee.table.slots())
    for i in range(cards):
        assert slot + i in referee.table[hand(order[i % seats])]
    assert phase(referee) is Phase.CLUB


def test_the_dealer_is_drawn_and_moves_left() -> None:
    assert {dealt(5, seed).state.dealer for seed in range(40)} == set(range(5))
    referee = dealt(3, deals=3)
    dealer = referee.state.dealer
    play_on(referee, Phase.SCORE)
    play_on(referee, Phase.GIVE)
    assert referee.state.dealer == (dealer + 1) % 3


@pytest.mark.parametrize("first_leader", ["club3", "rovhul", "president"])
def test_who_leads_later_deals(first_leader: str) -> None:
    for seed in range(4):
        referee = dealt(4, seed, first_leader=first_leader, first_lead_c3=True)
        play_on(referee, Phase.PLAY)
        (leader,) = referee.owing
        assert referee.table.is_up(slots(referee, leader, "3c")[0]), "always in the first deal"
        assert referee.state.bound
        play_on(referee, Phase.SCORE, Random(seed))
        play_on(referee, Phase.PLAY)
        places = referee.state.results[0].places
        (leader,) = referee.owing
        if first_leader == "club3":
            assert referee.table.is_up(slots(referee, leader, "3c")[0])
            assert referee.state.bound
        else:
            assert places[leader] == (4 if first_leader == "rovhul" else 1)
            assert not referee.table.faces, "nobody is asked for the three of clubs"
            assert not referee.state.bound


# --- the end of a deal and of the match -----------------------------------------------------------


def test_the_last_players_cards_are_laid_open() -> None:
    referee = playing("5s", "4c 3c 8d", deals=2)
    play(referee, A, "5s")
    assert phase(referee) is Phase.SCORE
    assert all(referee.table.is_up(slot) for slot in referee.table[hand(B)])
    assert referee.state.results == (Result(1, (1, 2)),)
    ops = RULES.awaits(replace(referee.state, phase=Phase.SHOW), referee.table)
    assert isinstance(ops, Dealing)


def test_everybody_confirms_at_once() -> None:
    referee = playing("5s", "4c 3c", deals=2)
    play(referee, A, "5s")
    assert referee.awaits == Moves(frozenset({A, B}))
    assert [option.move for option in referee.options(A)] == [Ready()]
    assert refusal(referee, A, Ready(stop=True)) == "stop.fixed_deals"
    referee.play(B, Ready())
    assert refusal(referee, B, Ready()) == "turn.not_yours"
    referee.play(A, Ready())
    assert phase(referee) is Phase.GIVE
    assert referee.state.dealer == A
    assert referee.owing == {B}


def test_an_open_end_ends_when_somebody_says_so() -> None:
    referee = playing("5s", "4c 3c", "6c", deals=0)
    play(referee, A, "5s")
    play(referee, C, "6c") if referee.owing == {C} else referee.play(B, Pass())
    play_on(referee, Phase.SCORE)
    assert {option.move for option in referee.options(A)} == {Ready(), Ready(stop=True)}
    referee.play(A, Ready(stop=True))
    referee.play(B, Ready())
    assert referee.outcome is None, "all are asked"
    referee.play(C, Ready())
    assert phase(referee) is Phase.END
    assert referee.outcome == Over(referee.state.results[0].places)


def test_places_may_be_summed() -> None:
    start = State(house(3, match_score="places", deals=3), 3)
    results = (Result(0, (1, 2, 3)), Result(1, (2, 1, 3)), Result(2, (2, 3, 1)))
    state = replace(start, phase=Phase.END, results=results)
    assert RULES.standing(state) == Over((1, 2, 3), (5, 6, 7))
    assert RULES.standing(replace(state, results=results[:2])) == Over((1, 1, 3), (3, 3, 6))
    assert [row["totals"] for row in RULES.sheet(state)] == [(1, 2, 3), (3, 3, 6), (5, 6, 7)]
    plain = replace(state, house=house(3, deals=3))
    assert RULES.standing(plain) == Over((2, 3, 1)), "the last deal's places stand"
    assert all("totals" not in row for row in RULES.sheet(plain))
    assert RULES.standing(start) == Over((1, 1, 1), (0, 0, 0))


def test_the_sheet() -> None:
    state = replace(State(house(4), 4), results=(Result(2, (2, 4, 1, 3)),))
    (row,) = RULES.sheet(state)
    assert row == {
        "hand": 1,
        "dealer": 2,
        "places": (2, 4, 1, 3),
        "roles": ("vicepresident", "rovhul", "president", "vicerovhul"),
    }


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cards, code",
    [
        ("8s", "play.too_low"),
        ("9s 9c", "play.wrong_count"),
        ("9s", None),
        ("Ks", None),
        ("Ts", None),
        ("X", None),
        ("Ts Tc", "play.wrong_count"),
        ("9s Ks", "play.wrong_count"),
    ],
)
def test_answers_to_a_nine(cards: str, code: str | None) -> None:
    referee = playing("8s 9s 9c Ks Ts Tc X", "3d", trick="9h", last=B)
    assert refusal(referee, A, set_of(referee, A, cards)) == code
    offered = playable(playing("8s 9s 9c Ks Ts Tc X", "3d", trick="9h", last=B), A)
    assert (cards in offered) == (code is None)


def test_a_play_is_of_own_cards_in_order() -> None:
    referee = playing("7s 7c", "3d 4d", trick="4s 4c", last=B, count=2)
    a, b = referee.table[hand(A)]
    assert refusal(referee, A, Play(())) == "play.empty"
    assert refusal(referee, A, Play((a, referee.table[hand(B)][0]))) == "card.not_held"
    assert refusal(referee, A, Play((99,))) == "card.not_held"
    assert refusal(referee, A, Play((b, a))) == "move.order"
    assert refusal(referee, A, Play((a, a))) == "move.order"
    assert refusal(referee, B, set_of(referee, B, "3d")) == "turn.not_yours"
    assert refusal(referee, B, Pass()) == "turn.not_yours"
    assert refusal(referee, A, Play((a, b))) is None


def test_a_lead_is_of_one_value() -> None:
    referee = playing("7s 8s", "3d")
    assert refusal(referee, A, set_of(referee, A, "7s 8s")) == "play.mixed_ranks"


def test_the_number_is_refused_before_a_face_is_asked_for() -> None:
    referee = playing("7s 8s 9s", "3d", trick="4s", last=B)
    with pytest.raises(IllegalMove, match=r"play\.wrong_count"):
        RULES.judge(referee.state, referee.table, A, Play(referee.table[hand(A)]))


def test_each_move_has_its_phase() -> None:
    moves = (Announce(0), NotMine(), Best((0, 1)), Return((0, 1)), Play((0,)), Pass(), Ready())
    allowed = {
        Phase.CLUB: (Announce, NotMine),
        Phase.PROVE: (Announce, NotMine),
        Phase.GIVE: (Best,),
        Phase.RETURN: (Return,),
        Phase.PLAY: (Play, Pass),
        Phase.SCORE: (Ready,),
    }
    referee = playing("3s 4s", "5s 6s")
    for where in Phase:
        state = replace(referee.state, phase=where, owing=frozenset())
        for move in moves:
            with pytest.raises(IllegalMove) as refused:
                RULES.judge(replace(state, turn=B), referee.table, A, move)
            fits = type(move) in allowed.get(where, ())
            assert refused.value.code == ("turn.not_yours" if fits else "phase.wrong")


def test_the_cards_have_moved_only_when_they_should() -> None:
    referee = playing("3s", "5s 6s")
    with pytest.raises(ValueError, match="no cards have moved"):
        RULES.resume(referee.state, referee.table)


@pytest.mark.parametrize(
    "code",
    [
        "club3.must_show",
        "club3.other_card",
        "exchange.not_best",
        "exchange.not_low",
        "exchange.wrong_count",
        "move.order",
        "play.empty",
        "play.mixed_ranks",
        "play.must_lead",
        "play.needs_club3",
        "play.too_low",
        "play.wrong_count",
        "stop.fixed_deals",
        *(f"phase.{phase.value}" for phase in Phase),
    ],
)
def test_codes_have_words(code: str) -> None:
    assert code in WORDS


# --- options --------------------------------------------------------------------------------------


def test_the_defaults() -> None:
    assert settle(RULES.options, {}) == {
        "decks": None,
        "vice_roles": True,
        "clear_count": "single",
        "return_rule": "low",
        "first_leader": "club3",
        "first_lead_c3": False,
        "best_order": "listed",
        "deals": 5,
        "match_score": "none",
    }
    assert [house(seats).decks for seats in (2, 7, 8, 14)] == [1, 1, 2, 2]
    assert RULES.seats == range(2, 15)


@pytest.mark.parametrize(
    "seats, options, code",
    [
        (8, {"decks": 1}, "option.seats"),
        (1, {}, "option.seats"),
        (15, {}, "option.seats"),
        (4, {"decks": 3}, "option.value"),
        (4, {"deals": -1}, "option.value"),
        (4, {"first_leader": "dealer"}, "option.value"),
        (4, {"jokers": True}, "option.unknown"),
    ],
)
def test_what_does_not_fit(seats: int, options: dict[str, Any], code: str) -> None:
    with pytest.raises(BadOption) as refused:
        Referee.deal(RULES, seats, options, rng=Random(0))
    assert refused.value.code == code


@pytest.mark.parametrize(
    "option, value",
    [
        (o.name, value)
        for o in RULES.options
        for value in (o.values if o.name != "deals" else (0, 1, 3))
    ],
)
def test_every_value_of_every_option_plays(option: str, value: Any) -> None:
    referee = Referee.deal(RULES, 4, {"deals": 2} | {option: value}, rng=Random(3))
    rng = Random(4)
    while referee.outcome is None:
        seat = min(referee.owing)
        referee.play(seat, rng.choice(referee.options(seat)).move)
    if option != "deals" or value:
        assert len(referee.state.results) == (value if option == "deals" else 2)
