"""Røvhul's exchange and the three of clubs: worked examples, claims, refusals; the laws there."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from p2pcards.cards.claims import NOTHING, All, AtLeast, FaceIsNot, RankAtMost
from p2pcards.cards.claims import Any as AnyOf
from p2pcards.cards.faces import Attribute
from p2pcards.cards.rules import Moves, Value
from p2pcards.cards.table import hand
from p2pcards.games.president import Announce, Best, NotMine, Pass, Return
from p2pcards.games.president_match import Phase, State
from p2pcards.testing.referee import Referee
from tests.games.president_positions import (
    RULES,
    A,
    B,
    C,
    D,
    asking,
    exchanging,
    gifts,
    held,
    names,
    phase,
    play,
    playable,
    refusal,
    set_of,
    slots,
)
from tests.laws import laws

# --- RO-08 and RO-09: the exchange ----------------------------------------------------------------

WORSE = "X 2s 2h Ad Ts 5c"


def giving(cards: str = WORSE, **options: Any) -> Referee:
    """A is røvhul, B is president."""
    return exchanging(Phase.GIVE, cards, "3c 4c 5d 6d 7d 8d", places=(2, 1), **options)


def returning(cards: str, **options: Any) -> Referee:
    """A is president, B is røvhul."""
    return exchanging(Phase.RETURN, cards, "4c 5d 6d 7d 8d 8c", places=(1, 2), **options)


def sets(*texts: str) -> set[frozenset[str]]:
    return {frozenset(text.split()) for text in texts}


def test_ro_08_best_cards() -> None:
    assert gifts(giving(), A) == sets("X 2s", "X 2h")
    for wrong in ("2s 2h", "X Ad", "X Ts"):
        referee = giving()
        assert refusal(referee, A, Best(slots(referee, A, wrong))) == "exchange.not_best"
    assert gifts(giving(best_order="power"), A) == sets("X Ts")
    for wrong in ("X 2s", "2s 2h"):
        referee = giving(best_order="power")
        assert refusal(referee, A, Best(slots(referee, A, wrong))) == "exchange.not_best"


def test_the_best_card_is_given_first() -> None:
    referee = giving()
    joker, two = slots(referee, A, "X 2s")
    assert refusal(referee, A, Best((two, joker))) == "exchange.not_best"
    assert refusal(referee, A, Best((joker, two))) is None
    assert sorted(names(referee, referee.table[hand(B)]).split()) == sorted(
        ["X", "2s", "3c", "4c", "5d", "6d", "7d", "8d"]
    )


def test_ro_09_low_cards() -> None:
    plenty = "X 2d As 9c 4d 3c"
    assert gifts(returning(plenty), A) == sets("3c 9c", "4d 3c", "4d 9c")
    referee = returning(plenty)
    assert refusal(referee, A, Return(slots(referee, A, "3c As"))) == "exchange.not_low"
    assert refusal(referee, A, Return(slots(referee, A, "9c 3c"))) == "exchange.not_low"
    assert refusal(referee, A, Return(slots(referee, A, "3c 9c"))) is None

    few = "X 2d As Kc Kd 3c"
    assert gifts(returning(few), A) == sets("3c Kd", "3c Kc")
    for wrong in ("Kc Kd", "3c As"):
        referee = returning(few)
        assert refusal(referee, A, Return(slots(referee, A, wrong))) == "exchange.not_low"

    none = "X 2d As Kc Kd Qc"
    assert gifts(returning(none), A) == sets("Qc Kc", "Qc Kd")


def test_other_return_rules() -> None:
    plenty = "X 2d As 9c 4d 3c"
    assert gifts(returning(plenty, return_rule="lowest"), A) == sets("3c 4d")
    assert len(gifts(returning(plenty, return_rule="any"), A)) == 15
    referee = returning(plenty, return_rule="lowest")
    assert refusal(referee, A, Return(slots(referee, A, "3c 9c"))) == "exchange.not_low"
    referee = returning(plenty, return_rule="any")
    assert refusal(referee, A, Return(slots(referee, A, "3c 9c"))) == "move.order"
    assert refusal(referee, A, Return(slots(referee, A, "X As"))) is None


def test_the_return_goes_by_value_whatever_the_best_cards_go_by() -> None:
    referee = returning("X 2d As Ts Kd 3c", best_order="power")
    assert gifts(referee, A) == sets("3c Ts")


def test_gifts_have_their_number_and_their_owner() -> None:
    for count in (0, 1, 3):
        referee = giving()
        cards = referee.table[hand(A)][:count]
        assert refusal(referee, A, Best(cards)) == "exchange.wrong_count"
    referee = giving()
    joker, other = slots(referee, A, "X")[0], referee.table[hand(B)][0]
    assert refusal(referee, A, Best((joker, joker))) == "exchange.wrong_count"
    assert refusal(referee, A, Best((joker, other))) == "card.not_held"
    assert refusal(referee, B, Best(referee.table[hand(B)][:2])) == "turn.not_yours"
    assert refusal(referee, A, Return(referee.table[hand(A)][:2])) == "phase.wrong"


def test_both_pairs_exchange_at_once_and_only_receivers_see() -> None:
    referee = exchanging(
        Phase.GIVE,
        "3s 4s 5s",
        "X 6s 7s",
        "8s 9s Ts",
        "Js Qs Ks",
        places=(1, 2, 3, 4),
    )
    assert referee.owing == {C, D}
    referee.play(C, Best(slots(referee, C, "Ts")))
    assert refusal(referee, C, Best(slots(referee, C, "Ts"))) == "turn.not_yours"
    assert phase(referee) is Phase.GIVE, "the step wants both"
    before = referee.view(A)
    referee.play(D, Best(slots(referee, D, "Ks Qs")))
    assert phase(referee) is Phase.RETURN
    assert referee.owing == {A, B}
    assert sorted(held(referee, A).split()) == ["3s", "4s", "5s", "Ks", "Qs"]
    assert held(referee, D) == "Js"
    for seat in range(4):
        view = referee.view(seat)
        seen = {slot for slot in view.table.slots() if view.table.is_up(slot)}
        assert seen == set(view.table[hand(seat)])
    assert set(referee.table[hand(A)]).isdisjoint(before.table[hand(A)]), "the hand is mixed"
    assert not referee.table.faces

    low = min(referee.table[hand(B)], key=lambda slot: referee.truth[slot].rank)
    referee.play(B, Return((low,)))
    referee.play(A, Return(slots(referee, A, "3s 4s")))
    assert phase(referee) is Phase.CLUB
    assert [len(referee.table[hand(seat)]) for seat in range(4)] == [3, 3, 3, 3]
    assert sorted(held(referee, D).split()) == ["3s", "4s", "Js"]


def test_the_claims_of_the_exchange() -> None:
    referee = giving()
    joker, two, heart, *rest = referee.table[hand(A)]
    claim = RULES.judge(referee.state, referee.table, A, Best((joker, two))).claim
    assert claim == All((AtLeast(joker, two), *(AtLeast(two, kept) for kept in (heart, *rest))))
    power = giving(best_order="power")
    claim = RULES.judge(power.state, power.table, A, Best((joker, two))).claim
    assert isinstance(claim, All)
    assert claim.parts[0] == AtLeast(joker, two, Attribute.CLASS)

    back = returning("X 2d As 9c 4d 3c")
    *kept, low, lowest = back.table[hand(A)]
    lowest_of_all = All(AtLeast(card, low) for card in kept)
    claim = RULES.judge(back.state, back.table, A, Return((lowest, low))).claim
    assert claim == All((AtLeast(low, lowest), AnyOf((RankAtMost(low, 9), lowest_of_all))))
    anything = returning("X 2d As 9c 4d 3c", return_rule="any")
    claim = RULES.judge(anything.state, anything.table, A, Return((low, lowest))).claim
    assert claim == NOTHING


# --- who leads ------------------------------------------------------------------------------------


def test_the_three_of_clubs_is_shown_and_leads() -> None:
    referee = asking(Phase.CLUB, "4c 5c", "3c 6c", "7c 8c")
    assert referee.awaits == Moves(frozenset({A, B, C}), forced=True)
    club = slots(referee, B, "3c")[0]
    assert [option.move for option in referee.options(A)] == [NotMine()]
    assert [option.move for option in referee.options(B)] == [Announce(club)]
    assert refusal(referee, B, NotMine()) == "club3.must_show"
    for seat in (A, B, C):
        referee.play(seat, referee.options(seat)[0].move)
    assert phase(referee) is Phase.PLAY
    assert referee.owing == {B}
    assert referee.table.is_up(club)
    assert club in referee.table[hand(B)], "it stays in the hand"
    assert playable(referee, B) == {"3c", "6c"}, "any lead will do"


def test_only_the_three_of_clubs_is_announced_and_only_by_its_holder() -> None:
    referee = asking(Phase.CLUB, "4c 5c", "3c 6c")
    other, club = referee.table[hand(A)][0], referee.table[hand(B)][0]
    assert refusal(referee, A, Announce(other)) == "club3.other_card"
    assert refusal(referee, A, Announce(club)) == "card.not_held"
    referee.play(A, NotMine())
    assert refusal(referee, A, NotMine()) == "turn.not_yours"


def test_the_word_is_not_proven_and_the_proof_is() -> None:
    referee = asking(Phase.CLUB, "4c 5c", "3c 6c")
    club3 = referee.state.house.club3
    none = All(FaceIsNot(slot, club3) for slot in referee.table[hand(B)])
    ruling = RULES.judge(referee.state, referee.table, B, NotMine())
    assert (ruling.claim, ruling.word) == (NOTHING, none)
    proving = asking(Phase.PROVE, "4c 5c", "3c 6c")
    ruling = RULES.judge(proving.state, proving.table, B, NotMine())
    assert (ruling.claim, ruling.word) == (none, NOTHING)
    assert proving.awaits == Moves(frozenset({A, B}), forced=True)
    assert refusal(proving, B, NotMine()) == "club3.must_show"
    proving.play(A, NotMine())
    proving.play(B, Announce(slots(proving, B, "3c")[0]))
    assert phase(proving) is Phase.PLAY
    assert proving.owing == {B}, "shown late, but shown"


def denied(referee: Referee, *seats: int) -> State:
    """The state after these seats have said that they hold none, truly or not."""
    state: State = referee.state
    for seat in seats:
        state = RULES.judge(state, referee.table, seat, NotMine()).state
    return state


def test_if_nobody_shows_it_everybody_proves() -> None:
    referee = asking(Phase.CLUB, "4c 5c", "3c 6c", "7c 8c")
    state = denied(referee, A, B, C)
    assert RULES.awaits(state, referee.table) == Moves(frozenset({A, B, C}), forced=True)
    assert state.phase is Phase.PROVE


def test_ro_15_two_threes_of_clubs() -> None:
    referee = asking(Phase.CLUB, "4c 5c", "3c 6c", "3c 8c", decks=2)
    for seat in (C, B, A):
        referee.play(seat, referee.options(seat)[0].move)
    assert phase(referee) is Phase.PROVE
    assert referee.owing == {A}, "before the first that has shown one"
    referee.play(A, NotMine())
    assert referee.owing == {B}

    first = asking(Phase.CLUB, "3c 5c", "4c 6c", "3c 8c", decks=2)
    for seat in (A, B, C):
        first.play(seat, first.options(seat)[0].move)
    assert phase(first) is Phase.PLAY
    assert first.owing == {A}

    hidden = asking(Phase.CLUB, "4c 5c", "3c 6c", "3c 8c", decks=2)
    state = denied(hidden, A, B)
    club = slots(hidden, C, "3c")[0]
    shown = hidden.table.turn_up({club: hidden.truth[club]})
    state = RULES.judge(state, shown, C, Announce(club)).state
    assert RULES.awaits(state, shown) == Moves(frozenset({A, B}), forced=True)


def test_two_threes_of_clubs_in_one_hand_are_one_announcement() -> None:
    referee = asking(Phase.CLUB, "4c 5c", "6c 3c 3c", decks=2)
    first, second = slots(referee, B, "3c 3c")
    assert [option.move for option in referee.options(B)] == [Announce(first)]
    assert refusal(referee, B, Announce(second)) == "move.order"


def test_the_first_lead_may_have_to_contain_it() -> None:
    referee = asking(Phase.CLUB, "3c 3d 5c", "4c", first_lead_c3=True)
    for seat in (A, B):
        referee.play(seat, referee.options(seat)[0].move)
    assert playable(referee, A) == {"3c", "3c 3d"}
    assert refusal(referee, A, set_of(referee, A, "5c")) == "play.needs_club3"
    play(referee, A, "3c")
    referee.play(B, Pass())
    assert playable(referee, A) == {"3d", "5c"}, "only the first lead"


# --- laws where random play from the beginning seldom gets ----------------------------------------


@pytest.mark.parametrize("seats", [2, 4, 14])
@pytest.mark.parametrize("where", [Phase.GIVE, Phase.RETURN, Phase.CLUB, Phase.SCORE])
def test_the_laws_hold_between_the_tricks(where: Phase, seats: int) -> None:
    rng = Random(seats)
    order, deals = rng.choice(["listed", "power"]), rng.choice([0, 2])
    options: dict[str, Value] = {"best_order": order, "deals": deals}
    referee = Referee.deal(RULES, seats, options, rng=rng)
    while phase(referee) is not Phase.SCORE:
        seat = min(referee.owing)
        referee.play(seat, referee.options(seat)[0].move)
    while phase(referee) is not where:
        seat = min(referee.owing)
        referee.play(seat, referee.options(seat)[0].move)
    for law in (
        laws.what_is_not_offered_is_refused,
        laws.a_card_of_others_is_refused_unseen,
        laws.what_is_offered_is_accepted,
        laws.who_owes_can_move,
        laws.hidden_cards_change_nothing,
        laws.claims_speak_of_own_cards,
        laws.a_claim_is_the_same_for_all,
        laws.moves_of_one_step_commute,
        laws.no_card_is_lost_or_doubled,
    ):
        law(referee, rng)
