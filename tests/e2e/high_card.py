"""A sixth game, as small as one can be: a card each, shown in turn; the highest wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from p2pcards.cards.claims import NOTHING, All, RankAtMost
from p2pcards.cards.faces import french
from p2pcards.cards.ops import Deck, Put, deal, shuffle
from p2pcards.cards.rules import Await, Dealing, Moves, Option, Over, Ruling, Value, need
from p2pcards.cards.table import TRICK, Seat, Slot, Table, hand


@dataclass(frozen=True, slots=True)
class Show:
    """Here is my card."""

    card: Slot


@dataclass(frozen=True, slots=True)
class Fold:
    """My card is not above the best one shown: proven, not seen."""


@dataclass(frozen=True, slots=True)
class State:
    """Ranks shown so far; 0 for a seat that folded."""

    seats: int
    dealt: bool = False
    ranks: tuple[int, ...] = ()


class HighCard:
    """The rules."""

    key = "high-card"
    title = "High Card"
    seats = range(2, 5)
    moves: tuple[type[Any], ...] = (Show, Fold)
    options: tuple[Option, ...] = ()

    def check(self, options: Mapping[str, Value], seats: int) -> None:
        """Anything goes."""

    def start(self, seats: int, options: Mapping[str, Value]) -> State:
        """Before the deal."""
        return State(seats)

    def awaits(self, s: State, t: Table) -> Await:
        """A deal, then each seat in turn."""
        if not s.dealt:
            return Dealing((Deck(french()), *shuffle(), *deal(range(s.seats), 1)))
        if len(s.ranks) < s.seats:
            return Moves(frozenset((len(s.ranks),)))
        return self.standing(s)

    def resume(self, s: State, t: Table) -> State:
        """Dealt."""
        return replace(s, dealt=True)

    def opens(self, m: Show | Fold) -> tuple[Slot, ...]:
        """A shown card."""
        return (m.card,) if isinstance(m, Show) else ()

    def judge(self, s: State, t: Table, seat: Seat, m: Show | Fold) -> Ruling[State]:
        """Whoever can beat the best card must show it; the others may fold."""
        need(s.dealt and len(s.ranks) < s.seats, "phase.wrong")
        need(seat == len(s.ranks), "turn.not_yours")
        held = t[hand(seat)]
        if isinstance(m, Show):
            need(m.card in held, "card.not_held")
            rank = t.face(m.card).rank
            return Ruling(replace(s, ranks=(*s.ranks, rank)), (Put((m.card,), TRICK),))
        best = max(s.ranks, default=0)
        claim = All(RankAtMost(card, best) for card in held) if best < 14 else NOTHING
        return Ruling(replace(s, ranks=(*s.ranks, 0)), claim=claim)

    def candidates(self, s: State, t: Table, seat: Seat) -> Iterable[Show | Fold]:
        """Both."""
        yield Fold()
        yield from (Show(card) for card in t[hand(seat)])

    def sheet(self, s: State) -> Sequence[Mapping[str, object]]:
        """One row."""
        return ({"hand": 1, "rank": s.ranks},) if len(s.ranks) == s.seats else ()

    def standing(self, s: State) -> Over:
        """The highest rank wins."""
        return Over(tuple(1 + sum(other > mine for other in s.ranks) for mine in s.ranks))
