"""Rules of thumb for Gnav: keep or ask, by the lives that either is likely to cost.

Reads what the seat sees, and reckons with the cards it has not seen as if each were as likely to be
anywhere. That others exchange their low cards too is left out of account, but for one thing: a card
given away for a better one still lies on the table, below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from statistics import mean

from p2pcards.cards.faces import Face
from p2pcards.cards.table import Seat, hand
from p2pcards.engine.view import Choice, SeatView
from p2pcards.games.cuckoo import Ask
from p2pcards.games.cuckoo_house import CAT, CUCKOO, FOOL, HORSE, HOUSE, PACK
from p2pcards.games.cuckoo_match import Phase, State


def choose(view: SeatView) -> Choice:
    """Asks where that is likely to cost fewer lives than to keep; elsewhere there is no choice."""
    state: State = view.state
    seat = view.seat
    if seat is None or state.phase is not Phase.TURN:
        return view.options[0]
    keep, ask = view.options
    if not isinstance(ask.move, Ask):
        raise TypeError(f"not what a turn offers: {ask.move}")
    prospect = _Prospect(view, state, seat)
    return ask if prospect.asking() < prospect.keeping() else keep


class _Prospect:
    """What one seat expects of a deal.

    `seen` are the cards of other participants that it knows, `hidden` counts those that it does
    not; `unseen` are the faces that may lie anywhere else. `_dealt` is what a cat would give back.
    """

    def __init__(self, view: SeatView, state: State, seat: Seat) -> None:
        table = view.table
        others = {other: table[hand(other)][0] for other in state.compared if other != seat}
        self.own = table.face(table[hand(seat)][0])
        self.seen = {other: table.face(slot) for other, slot in others.items() if table.is_up(slot)}
        self.hidden = len(others) - len(self.seen)
        unseen = Counter(PACK.faces)
        unseen.subtract(table.face(slot) for slot in table.slots() if table.is_up(slot))
        self.unseen = tuple(unseen.elements())
        self._state = state
        self._seat = seat
        undone = state.exchanges if state.house.cat_effect == "undo_all" else ()
        taken = [e.taken for e in undone if e.other == seat]
        self._dealt = table.face(taken[0]) if taken else self.own

    def keeping(self) -> float:
        """Lives lost on average with the card that it has."""
        return self._cost(self.own)

    def asking(self) -> float:
        """Lives lost on average after a request."""
        asked = self._state.following(self._seat)
        while asked in self.seen and self.seen[asked] in {HOUSE, HORSE}:
            asked = self._state.following(asked)
        if asked is not None and asked in self.seen:
            return self._answered(self.seen[asked], swapped=True)
        # who is sent on past a horse or house meets the same chances again
        answers = [face for face in self.unseen if face not in {HOUSE, HORSE}]
        return mean(self._answered(face, swapped=asked is not None) for face in answers)

    def _answered(self, face: Face, *, swapped: bool) -> float:
        if face.rank < HOUSE.rank:
            return self._cost(face, below=(self.own,) if swapped else ())
        if face == CUCKOO:
            return self._cost(self.own)
        return 1 + self._cost(self._dealt if face == CAT else self.own)

    def _cost(self, face: Face, below: Iterable[Face] = ()) -> float:
        """The chance to pay with this card: none of the others that count is lower."""
        if face == FOOL:
            return 1.0
        known = (*below, *self.seen.values())
        if any(FOOL.rank < other.rank < face.rank for other in known):
            return 0.0
        lower = sum(FOOL.rank < other.rank < face.rank for other in self.unseen)
        return (1 - lower / len(self.unseen)) ** self.hidden
