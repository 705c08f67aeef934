"""Rules of thumb for Twopart: win what you can, then the lowest cards first and trumps last.

Reads what the seat sees and nothing else. Seats that all think alike can pass the same cards round
for ever; where nothing has moved for long, each move is in another mood.
"""

from __future__ import annotations

from enum import Enum

from p2pcards.cards.faces import Face
from p2pcards.engine.view import Choice, SeatView
from p2pcards.games.twopart import Lay, PickUp, Play, State

PATIENCE = 24
"""Moves without progress after which the same cards may be going round."""
MOODS_REPEAT_AFTER = 1009
"""A prime above the default stall limit: no shorter cycle of moods can keep cards going round."""


class _Mood(Enum):
    LOW = "low"  # the lowest run is played
    HIGH = "high"  # the highest
    GIVE_WAY = "give_way"  # the last play is picked up


_MOODS = (_Mood.GIVE_WAY, _Mood.HIGH, _Mood.LOW, _Mood.HIGH, _Mood.LOW)


def choose(view: SeatView) -> Choice:
    """The highest card in part one; in part two the run that costs least, picking up if none."""
    state: State = view.state
    mood = _Mood.LOW
    if state.idle >= PATIENCE:
        mood = _MOODS[pow(state.idle, 3, MOODS_REPEAT_AFTER) % len(_MOODS)]
    return min(view.options, key=lambda choice: _cost(view, state, mood, choice))


def _cost(view: SeatView, state: State, mood: _Mood, choice: Choice) -> tuple[int, int, int]:
    match choice.move:
        case Lay(card):
            return 0, -view.table.face(card).rank, 0  # who wins nothing gets all the low cards
        case Play(run):
            return _cost_of_run(state, mood, [view.table.face(card) for card in run])
        case PickUp():
            return -1 if mood is _Mood.GIVE_WAY else 2, 0, 0
        case move:
            raise TypeError(f"not what a turn offers: {move}")


def _cost_of_run(state: State, mood: _Mood, faces: list[Face]) -> tuple[int, int, int]:
    lowest, highest = faces[0], faces[-1]
    trumps = int(lowest.suit == state.trump)
    return trumps, -highest.rank if mood is _Mood.HIGH else lowest.rank, -len(faces)
