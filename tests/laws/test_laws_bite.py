"""Each law fails for a game or a referee that breaks it: a law that cannot fail guards nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest

from p2pcards.cards.claims import NOTHING, SuitIsNot
from p2pcards.cards.faces import SPADES
from p2pcards.cards.ops import Op, Put
from p2pcards.cards.rules import Await, Dealing, Moves, Over, Ruling
from p2pcards.cards.table import STOCK, Table, hand
from p2pcards.engine.view import AnyRules, SeatView
from p2pcards.errors import IllegalMove
from p2pcards.games.oh_hell import Bid, Move, OhHell, Phase, Play, Ready, State
from p2pcards.testing.referee import Referee
from tests.laws import laws
from tests.laws.worlds import reach

Law = Callable[[Referee, Random], None]


class Silent(OhHell):
    """Does not offer a seat's first card."""

    def candidates(self, s: State, t: Table, seat: int) -> Iterable[Move]:
        return list(super().candidates(s, t, seat))[1:]


class Trusting(OhHell):
    """Asks for a card's face before it asks whose card it is."""

    def judge(self, s: State, t: Table, seat: int, m: Move) -> Ruling[State]:
        if isinstance(m, Play):
            t.face(m.card)
        return super().judge(s, t, seat, m)


class Prying(OhHell):
    """Makes a seat prove something about another seat's cards."""

    def judge(self, s: State, t: Table, seat: int, m: Move) -> Ruling[State]:
        ruling = super().judge(s, t, seat, m)
        others = t[hand((seat + 1) % s.seats)]
        atom = SuitIsNot(others[0], 0) if others else NOTHING
        return replace(ruling, claim=atom)


class Staring(OhHell):
    """Decides by cards that are turned up on one seat's screen only."""

    def candidates(self, s: State, t: Table, seat: int) -> Iterable[Move]:
        if any(t.is_up(slot) for slot in t[hand((seat + 1) % s.seats)]):
            return ()
        return super().candidates(s, t, seat)


class Hasty(OhHell):
    """The last to confirm deals next: the order of simultaneous moves matters."""

    def judge(self, s: State, t: Table, seat: int, m: Move) -> Ruling[State]:
        ruling = super().judge(s, t, seat, m)
        if isinstance(m, Ready) and ruling.state.phase is Phase.DEAL:
            return replace(ruling, state=replace(ruling.state, dealer=seat))
        return ruling


class Endless(OhHell):
    """Never leaves the first hand's bidding."""

    def judge(self, s: State, t: Table, seat: int, m: Move) -> Ruling[State]:
        if isinstance(m, Bid) and seat == s.turn and s.phase is Phase.BID:
            return Ruling(replace(s, turn=s.left_of(seat)))
        return super().judge(s, t, seat, m)


class Forgetful(OhHell):
    """Shows only the last hand on the sheet."""

    def sheet(self, s: State) -> list[Any]:
        return list(super().sheet(s))[-1:]


class Changeable(OhHell):
    """Answers differently when asked twice."""

    def __init__(self) -> None:
        self._asked = 0

    def awaits(self, s: State, t: Table) -> Await:
        self._asked += 1
        answer = super().awaits(s, t)
        return replace(answer, sealed=self._asked % 2 == 0) if isinstance(answer, Moves) else answer


class Moody(OhHell):
    """Rules on one move now so, now so."""

    def __init__(self) -> None:
        self._asked = 0

    def judge(self, s: State, t: Table, seat: int, m: Move) -> Ruling[State]:
        self._asked += 1
        return replace(super().judge(s, t, seat, m), reasons=(f"mood.{self._asked}",))


class Scribbling(OhHell):
    """Writes into the state that it was given."""

    def judge(self, s: State, t: Table, seat: int, m: Move) -> Ruling[State]:
        ruling = super().judge(s, t, seat, m)
        object.__setattr__(s, "trump", SPADES)
        return ruling


class Greedy(OhHell):
    """Asks a seat that has nothing to choose."""

    def awaits(self, s: State, t: Table) -> Await:
        answer = super().awaits(s, t)
        if isinstance(answer, Moves) and _bids_in_turn(s):
            return replace(answer, seats=frozenset(range(s.seats)))
        return answer


class Pushy(OhHell):
    """Calls a free choice forced."""

    def awaits(self, s: State, t: Table) -> Await:
        answer = super().awaits(s, t)
        if isinstance(answer, Moves) and _bids_in_turn(s):
            return replace(answer, forced=True)
        return answer


def _bids_in_turn(s: State) -> bool:
    return s.phase is Phase.BID and s.house.bidding == "sequential"


class Partial(OhHell):
    """Gives the second place to nobody."""

    def standing(self, s: State) -> Over:
        over = super().standing(s)
        return replace(over, places=tuple(place + (place > 1) for place in over.places))


class CarelessReferee(Referee):
    """Lets a card lie in two piles."""

    def perform(self, op: Op) -> None:
        before = self.table
        super().perform(op)
        if isinstance(op, Put) and before[STOCK]:
            self.table = replace(self.table, piles={**self.table.piles, STOCK: before[STOCK][:1]})


class LeakyReferee(Referee):
    """Shows every seat every card."""

    def view(self, seat: int | None) -> SeatView:
        return replace(super().view(seat), table=self.table.turn_up(self.truth))


class LenientReferee(Referee):
    """Does not ask whether claims are true, nor whose turn it is."""

    def play(self, seat: int, move: object) -> None:
        try:
            super().play(seat, move)
        except IllegalMove:
            self.history.append((seat, move))


class StubbornReferee(Referee):
    """Refuses whatever is played."""

    def play(self, seat: int, move: object) -> None:
        raise IllegalMove


@dataclass
class Listed:
    """A move that could be altered, with a list in it."""

    cards: list[int]


class Loose(OhHell):
    """Has a move that is no record."""

    moves: tuple[type[Any], ...] = (Bid, Listed)


def broken_by(
    law: Law, rules: AnyRules, kind: type[Referee] = Referee, positions: int = 40
) -> bool:
    """Whether the law fails at one of many positions."""
    for seed in range(positions):
        rng = Random(seed)
        honest = reach(OhHell(), rng)
        referee = kind(
            **{name: getattr(honest, name) for name in Referee.__slots__} | {"rules": rules}
        )
        try:
            referee.awaits = rules.awaits(referee.state, referee.table)
            assert not isinstance(referee.awaits, Dealing)
            law(referee, rng)
        except (AssertionError, pytest.fail.Exception, IllegalMove):
            return True
    return False


@pytest.mark.parametrize(
    "law, rules, kind",
    [
        (laws.what_is_not_offered_is_refused, Silent(), Referee),
        (laws.what_is_not_offered_is_refused, OhHell(), LenientReferee),
        (laws.a_card_of_others_is_refused_unseen, Trusting(), Referee),
        (laws.claims_speak_of_own_cards, Prying(), Referee),
        (laws.a_claim_is_the_same_for_all, Moody(), Referee),
        (laws.nothing_changes_in_place, Scribbling(), Referee),
        (laws.what_is_offered_is_accepted, OhHell(), StubbornReferee),
        (laws.moves_of_one_step_commute, Hasty(), Referee),
        (laws.a_match_ends, Endless(), Referee),
        (laws.a_match_ends, Partial(), Referee),
        (laws.the_sheet_grows, Forgetful(), Referee),
        (laws.the_cards_have_turns, Changeable(), Referee),
        (laws.who_owes_can_move, Greedy(), Referee),
        (laws.who_owes_can_move, Pushy(), Referee),
        (laws.who_owes_can_move, Silent(), Referee),
        (laws.no_card_is_lost_or_doubled, OhHell(), CarelessReferee),
        (laws.hidden_cards_change_nothing, OhHell(), LeakyReferee),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_a_law_bites(law: Law, rules: AnyRules, kind: type[Referee]) -> None:
    assert broken_by(law, rules, kind)
    assert not broken_by(law, OhHell(), positions=5)


def test_replay_bites() -> None:
    first, other = (Referee.deal(OhHell(), 4, rng=Random(seed)) for seed in (1, 2))
    with pytest.raises(AssertionError):
        laws.a_replay_gives_the_same(first, other, Random(3))


def test_records_bite() -> None:
    with pytest.raises(AssertionError):
        laws.moves_are_records(Loose())
