"""Rules of thumb for Røvhul: low cards go first, sets stay together, tens and jokers keep the lead.

Reads what the seat sees: its own hand, the play to answer, and how many cards the others hold.
"""

from __future__ import annotations

from collections import Counter

from p2pcards.cards.table import Seat, hand
from p2pcards.engine.view import Choice, SeatView
from p2pcards.games.president import Play, Return
from p2pcards.games.president_house import CLEARING
from p2pcards.games.president_match import Phase, State


def choose(view: SeatView) -> Choice:
    """A play or a gift by its rank and by the set that it comes from; elsewhere all is one."""
    state: State = view.state
    if view.seat is None or state.phase not in {Phase.PLAY, Phase.RETURN}:
        return view.options[0]
    thumb = _Thumb(view, state, view.seat)
    return thumb.play() if state.phase is Phase.PLAY else thumb.give_back()


class _Thumb:
    """One choice. `sets`: how many cards of each rank the seat holds."""

    def __init__(self, view: SeatView, state: State, seat: Seat) -> None:
        self._view = view
        self._state = state
        held = view.table[hand(seat)]
        self._size = len(held)
        self._sets = Counter(view.table.face(card).rank for card in held)

    def give_back(self) -> Choice:
        """Single cards before parts of sets, low ones before high ones."""

        def loss(choice: Choice) -> tuple[int, int]:
            gift: Return = choice.move
            ranks = [self._view.table.face(card).rank for card in gift.cards]
            broken = sum(ranks.count(rank) < self._sets[rank] for rank in ranks)
            return broken, sum(ranks)

        return min(self._view.options, key=loss)

    def play(self) -> Choice:
        """The lowest whole set that fits; failing that a clearing card, and only then part of a
        set. With nothing left but one set the clearing cards go first: they keep the lead."""
        plays = [choice for choice in self._view.options if isinstance(choice.move, Play)]
        if not plays:
            return self._view.options[-1]
        return min(plays, key=self._cost)

    def _cost(self, choice: Choice) -> tuple[int, int, int]:
        play: Play = choice.move
        rank = self._view.table.face(play.cards[0]).rank
        count = len(play.cards)
        if count == self._size:
            return 0, 0, 0
        broken = count < self._sets[rank]
        plain = sum(other not in CLEARING for other in self._sets)
        if rank in CLEARING:
            # one at a time: each of them clears once
            return (1 if plain <= 1 else 3), count, rank
        return (4 if broken else 2), rank, -count
