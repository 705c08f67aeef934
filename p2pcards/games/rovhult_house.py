"""What a table of Røvhult may agree on: the options, and what they say about single cards.

Plain arithmetic on the options; knows no cards on the table and nobody's turn. protocol.md
section 7.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from p2pcards.cards.faces import Pack, french
from p2pcards.cards.rules import Option, Value
from p2pcards.errors import BadOption
from p2pcards.games.shedding import DIRECTION, STALL_LIMIT

SEATS = range(2, 11)
SEATS_A_DECK = 5
ROW = 3
"""Cards a seat in each of its three groups: hand, face up, face down. A hand is refilled to it."""
FOUR = 4
"""So many equal cards on top of the pile take it out of the game."""
LOWEST = 2
"""The rank that may always be played."""

SPECIAL_RANKS = range(3, 15)

OPTIONS: tuple[Option, ...] = (
    Option(
        "reverse_rank",
        SPECIAL_RANKS,
        7,
        "On a card of this rank the next one must be equal or lower. 11 is the jack, 14 the ace.",
    ),
    Option("skip_rank", SPECIAL_RANKS, 8, "After a card of this rank the next player is skipped."),
    Option(
        "nuke_rank",
        SPECIAL_RANKS,
        10,
        "A card of this rank may always be played and takes the pile out of the game.",
    ),
    Option(
        "nuke_empty_draw",
        (1, 3),
        1,
        "Cards drawn by a player whose last hand card takes the pile out of the game that way.",
    ),
    Option(
        "arrange_mode",
        ("simultaneous", "sequential", "none"),
        "simultaneous",
        "Hand and face-up cards are exchanged by all at the same time, by one seat after the "
        "other in the open, or not at all.",
    ),
    Option(
        "decks",
        (1, 2),
        None,
        "Packs of 52 cards; one serves five players at the most. If not given one, and two for "
        "six players and more.",
    ),
    DIRECTION,
    Option(
        "unlinkable_draws",
        (False, True),
        False,
        "After a draw the hand is mixed, so that nobody can tell when the card just drawn is "
        "played.",
    ),
    STALL_LIMIT,
)


@dataclass(frozen=True, slots=True)
class House:
    """The options that this table plays by; see `OPTIONS`. `decks` is worked out."""

    reverse_rank: int
    skip_rank: int
    nuke_rank: int
    nuke_empty_draw: int
    arrange_mode: str
    decks: int
    direction: str
    unlinkable_draws: bool
    stall_limit: int

    @property
    def pack(self) -> Pack:
        """The cards that are dealt."""
        return french(self.decks)

    def refusal(self, top: int | None, rank: int) -> str | None:
        """Why a rank may not be played on a pile with this top rank (None: an empty pile); None if
        it may."""
        if top is None or rank in {LOWEST, self.nuke_rank}:
            return None
        if top == self.reverse_rank:
            return "play.too_high_after_reverse" if rank > top else None
        return "play.too_low" if rank < top else None

    def draws(self, rank: int, held: int, stock: int) -> int:
        """How many cards a seat draws that has played this rank and holds so many."""
        if rank == self.nuke_rank:
            wanted = 0 if held else self.nuke_empty_draw
        else:
            wanted = max(0, ROW - held)
        return min(wanted, stock)


def read_house(options: Mapping[str, Value], seats: int) -> House:
    """Settled options as a record."""
    chosen: dict[str, Any] = dict(options)
    if chosen["decks"] is None:
        chosen["decks"] = 1 if seats <= SEATS_A_DECK else 2
    return House(**chosen)


def check_house(options: Mapping[str, Value], seats: int) -> None:
    """Raises `BadOption` for options that contradict each other or do not fit the seats."""
    if seats not in SEATS:
        raise BadOption("option.seats", f"{seats} seats: takes {SEATS[0]} to {SEATS[-1]}")
    house = read_house(options, seats)
    if seats > SEATS_A_DECK * house.decks:
        raise BadOption("option.seats", f"decks: {seats} seats need two")
    if len({house.reverse_rank, house.skip_rank, house.nuke_rank}) < 3:
        raise BadOption("option.conflict", "reverse_rank, skip_rank and nuke_rank must differ")
