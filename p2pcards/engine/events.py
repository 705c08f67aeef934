"""Events and effects: the whole surface between the sans-I/O machines and the world.

A machine takes one event with the time, and gives effects to be performed in their order: what is
kept and appended comes before what is sent. protocol.md section 11.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from p2pcards.cards.table import Seat
from p2pcards.engine.agreement import Agreement
from p2pcards.engine.view import SeatView
from p2pcards.errors import SeatFault
from p2pcards.wire.messages import Player


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a computation is for: checking a seat's contribution to a step, or making ours."""

    step: int
    seat: Seat
    check: bool


# --- events ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Received:
    """A message of the table's topics, from anybody."""

    message: bytes


@dataclass(frozen=True, slots=True)
class Chose:
    """The player chose an option of the view of this step."""

    option: str
    at: int


@dataclass(frozen=True, slots=True)
class Computed:
    """The result of a `Compute`, or the exception it ended with."""

    ticket: Ticket
    result: Any


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


Event = Received | Chose | Computed | Tick


# --- effects --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Keep:
    """A secret record (bytes), to be stored with an fsync before anything after it happens."""

    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Append:
    """An envelope for the journal; `own` ones with an fsync before anything after it happens."""

    envelope: bytes
    own: bool


@dataclass(frozen=True, slots=True)
class Send:
    """A message for a topic of the table (`seat/2`, `want`, `alive/2`, `fault`, `lobby`)."""

    topic: str
    message: bytes
    retain: bool = False


@dataclass(frozen=True, slots=True)
class Compute:
    """Work for another thread; its result comes back as `Computed`."""

    ticket: Ticket
    work: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Wake:
    """A `Tick` is wanted at this time."""

    at: float


@dataclass(frozen=True, slots=True)
class Show:
    """A new view for the player."""

    view: SeatView


@dataclass(frozen=True, slots=True)
class Left:
    """A seat has said goodbye before the end."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Stopped:
    """The match is stopped by a proven fault. A later one replaces the verdict."""

    fault: SeatFault


Effect = Keep | Append | Send | Compute | Wake | Show | Left | Stopped
"""What a peer gives."""


@dataclass(frozen=True, slots=True)
class Gathering:
    """Who sits at the table that is forming, and how many seats it has."""

    players: tuple[Player, ...]
    seats: int


@dataclass(frozen=True, slots=True)
class Agreed:
    """Everyone has signed: the match can begin."""

    agreement: Agreement


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """There is no seat for us; `reason` is a dotted code."""

    reason: str


@dataclass(frozen=True, slots=True)
class Invited:
    """The host of a match that is over has opened its next table at this place (8 bytes)."""

    place: bytes


LobbyEffect = Send | Wake | Gathering | Agreed | TurnedAway | Invited
"""What a lobby gives."""
