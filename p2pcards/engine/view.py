"""What one seat sees and may choose: the projection of public state plus that seat's own knowledge.

Nothing hidden from the seat can be in a view: it is built from the public table, the public state
of the rules, and the faces that this seat has been shown. Options are found by asking `judge` about
every candidate on the public table with exactly the opened cards turned up; the seat's own
knowledge only evaluates the claim and the word that come back (protocol.md section 6.7).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from p2pcards.cards.faces import Face, Pack
from p2pcards.cards.rules import Await, Moves, Rules, Ruling
from p2pcards.cards.table import Seat, Slot, Table
from p2pcards.errors import FaceDown, IllegalMove

AnyRules = Rules[Any, Any]
AnyRuling = Ruling[Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing a seat may do now: `id` is stable within its step (`o0`, `o1`, ...)."""

    id: str
    move: Any


@dataclass(frozen=True, slots=True)
class SeatView:
    """Everything a seat (None: a spectator) may know, and its options.

    `state` is the rules' own state: public by construction. `table` shows every face this seat
    knows; `public` only what everybody sees. `pack` names the faces (None: no hand yet).
    """

    seat: Seat | None
    seats: int
    step: int
    game: str
    state: Any
    table: Table
    public: Table
    pack: Pack | None
    awaits: Await
    options: tuple[Choice, ...]
    sheet: Sequence[Mapping[str, object]]

    def option(self, move: object) -> Choice | None:
        """The option with this move, if it is one."""
        return next((choice for choice in self.options if choice.move == move), None)


def lawful(
    rules: AnyRules, state: Any, table: Table, seat: Seat, known: Mapping[Slot, Face]
) -> Iterator[tuple[Any, AnyRuling | None]]:
    """Every move that this seat may make now, with its ruling.

    `table` is the public one, `known` the faces this seat has seen. A blind move (its card unknown
    even to the seat) has no ruling yet.
    """
    mine = table.turn_up(known)
    for move in rules.candidates(state, mine, seat):
        opened = rules.opens(move)
        shown = table.turn_up({slot: known[slot] for slot in opened if slot in known})
        try:
            ruling = rules.judge(state, shown, seat, move)
        except IllegalMove:
            continue
        except FaceDown:
            if all(mine.is_up(slot) for slot in opened):
                raise
            yield move, None
            continue
        if ruling.broken(mine.face) is None:
            yield move, ruling


def look(
    rules: AnyRules,
    state: Any,
    table: Table,
    seat: Seat | None,
    known: Mapping[Slot, Face],
    *,
    awaits: Await,
    pack: Pack | None,
    seats: int,
    step: int,
    owes: bool = True,
) -> SeatView:
    """The view of one seat. `owes`: whether this seat has not yet answered what `awaits` asks."""
    options: tuple[Choice, ...] = ()
    if seat is not None and owes and isinstance(awaits, Moves) and seat in awaits.seats:
        moves = lawful(rules, state, table, seat, known)
        options = tuple(Choice(f"o{i}", move) for i, (move, _) in enumerate(moves))
    return SeatView(
        seat=seat,
        seats=seats,
        step=step,
        game=rules.key,
        state=state,
        table=table.turn_up(known),
        public=table,
        pack=pack,
        awaits=awaits,
        options=options,
        sheet=rules.sheet(state),
    )
