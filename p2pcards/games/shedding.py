"""What games share in which you get rid of your cards: the order of play, places, the stall guard.

Whoever has no card left is placed at once, and the last one holding cards has lost. Cards that are
picked up and played again may go round for ever; so many moves without progress end the match.
Plain arithmetic on seats and counts; knows no cards and no turns. protocol.md section 7.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from p2pcards.cards.rules import Option
from p2pcards.cards.table import Pile, Seat

PILE = Pile("pile")
"""The cards played, last on top; public."""
REMOVED = Pile("removed")
"""Cards that are out of the game; public."""

DIRECTION = Option(
    "direction", ("ccw", "cw"), "ccw", "Which way the turn goes: ccw, or cw for clockwise."
)
STALL_LIMIT = Option(
    "stall_limit",
    range(10_001),
    1000,
    "So many turns in a row without a card drawn, a card out of the game or a player out of "
    "cards end the match; 0 for never.",
)


def in_turn(first: Seat, seats: int, direction: str) -> tuple[Seat, ...]:
    """All seats in the order of play, beginning with this one."""
    step = 1 if direction == "cw" else -1
    return tuple((first + step * i) % seats for i in range(seats))


def following(seat: Seat, seats: int, direction: str, out: Container[Seat] = ()) -> Seat:
    """The next seat in turn that is not out; perhaps the same one again."""
    first, *others = in_turn(seat, seats, direction)
    return next(other for other in (*others, first) if other not in out)


def places(finished: Sequence[Seat], counts: Sequence[int], together: int = 1) -> tuple[int, ...]:
    """The place of each seat: who has finished in that order, then by the fewest cards; equal
    numbers share. The first `together` finished at the same time and share the first place."""
    holding = [seat for seat in range(len(counts)) if seat not in finished]

    def place(seat: Seat) -> int:
        if seat in finished:
            index = finished.index(seat)
            return 1 if index < together else 1 + index
        return 1 + len(finished) + sum(counts[other] < counts[seat] for other in holding)

    return tuple(place(seat) for seat in range(len(counts)))


def end_row(stalled: bool, placed: Sequence[int]) -> Mapping[str, object]:
    """The one row of the score sheet: how the match ended, and the places."""
    return {"hand": 1, "end": "stalled" if stalled else "played", "places": tuple(placed)}
