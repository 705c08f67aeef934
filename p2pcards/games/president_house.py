"""What a table of Røvhul may agree on: the options, the roles, and how a match is placed.

Plain arithmetic on options and places; knows no cards on the table and nobody's turn. protocol.md
section 7.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from p2pcards.cards.faces import Attribute, Face, Pack, president
from p2pcards.cards.rules import Option, Over, Value
from p2pcards.cards.table import Seat
from p2pcards.errors import BadOption

SEATS = range(2, 15)
SEATS_A_DECK = 7
FOUR = 4
"""So many equal cards on top of the table clear it."""
HIGHEST_LOW = 9
"""Ranks from 3 up to this are the low cards, of which the better players return what they like."""
CLEARING = frozenset({10, 16})
"""The ranks that clear the table: the tens and the jokers."""

PRESIDENT, VICEPRESIDENT = "president", "vicepresident"
NEUTRAL = "neutral"
VICEROVHUL, ROVHUL = "vicerovhul", "rovhul"

OPTIONS: tuple[Option, ...] = (
    Option(
        "decks",
        (1, 2),
        None,
        "Packs of 54 cards; one serves seven players at the most. If not given one, and two for "
        "eight players and more.",
    ),
    Option(
        "vice_roles",
        (True, False),
        True,
        "With four players and more the second and the last but one exchange a card too.",
    ),
    Option(
        "clear_count",
        ("single", "match"),
        "single",
        "A single ten or joker clears whatever the number of cards played, or only as many as "
        "that number.",
    ),
    Option(
        "return_rule",
        ("low", "any", "lowest"),
        "low",
        "What comes back in the exchange: cards from 3 to 9 or else the lowest, any cards, or the "
        "lowest cards.",
    ),
    Option(
        "first_leader",
        ("club3", "rovhul", "president"),
        "club3",
        "Who leads first from the second deal on: the holder of the three of clubs, as in the "
        "first deal, the røvhul or the president.",
    ),
    Option(
        "first_lead_c3",
        (False, True),
        False,
        "Who leads first because of the three of clubs must lead it, alone or with its equals.",
    ),
    Option(
        "best_order",
        ("listed", "power"),
        "listed",
        "Which cards are the best of a hand: the ten between the nine and the jack, or between the "
        "two and the joker.",
    ),
    Option("deals", range(1001), 5, "Deals in the match; 0 for as many as the players like."),
    Option(
        "match_score",
        ("none", "places"),
        "none",
        "The places of the last deal stand, or those of all deals are summed and the lowest sum "
        "wins.",
    ),
)


@dataclass(frozen=True, slots=True)
class House:
    """The options that this table plays by; see `OPTIONS`. `decks` is worked out."""

    decks: int
    vice_roles: bool
    clear_count: str
    return_rule: str
    first_leader: str
    first_lead_c3: bool
    best_order: str
    deals: int
    match_score: str

    @property
    def pack(self) -> Pack:
        """The cards that are dealt."""
        return president(self.decks, power=self.best_order == "power")

    @property
    def best_by(self) -> Attribute:
        """The attribute by which cards are the best of a hand."""
        return Attribute.CLASS if self.best_order == "power" else Attribute.RANK

    @property
    def club3(self) -> Face:
        """The three of clubs."""
        return self.pack.face("3c")

    def roles(self, seats: int) -> tuple[str, ...]:
        """The role that each place gives, the first place first."""
        if self.vice_roles and seats > 3:
            between = (NEUTRAL,) * (seats - 4)
            return (PRESIDENT, VICEPRESIDENT, *between, VICEROVHUL, ROVHUL)
        return (PRESIDENT, *(NEUTRAL,) * (seats - 2), ROVHUL)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two seats that exchange so many cards; the worse one gives first."""

    worse: Seat
    better: Seat
    count: int


def read_house(options: Mapping[str, Value], seats: int) -> House:
    """Settled options as a record."""
    chosen: dict[str, Any] = dict(options)
    if chosen["decks"] is None:
        chosen["decks"] = 1 if seats <= SEATS_A_DECK else 2
    return House(**chosen)


def check_house(options: Mapping[str, Value], seats: int) -> None:
    """Raises `BadOption` if the options do not fit the seats."""
    if seats not in SEATS:
        raise BadOption("option.seats", f"{seats} seats: takes {SEATS[0]} to {SEATS[-1]}")
    if seats > SEATS_A_DECK * read_house(options, seats).decks:
        raise BadOption("option.seats", f"decks: {seats} seats need two")


def pairs(house: House, places: Sequence[int]) -> tuple[Pair, ...]:
    """Who exchanges with whom after a deal with these places, one entry a seat in `places`."""
    by_place = sorted(range(len(places)), key=lambda seat: places[seat])
    pair = Pair(by_place[-1], by_place[0], 2)
    if VICEPRESIDENT not in house.roles(len(places)):
        return (pair,)
    return (pair, Pair(by_place[-2], by_place[1], 1))


def standing(house: House, seats: int, deals: Sequence[Sequence[int]]) -> Over:
    """How the match stands after deals with these places, one entry a seat in each."""
    sums = tuple(sum(places[seat] for places in deals) for seat in range(seats))
    if house.match_score == "places":
        return Over(tuple(1 + sum(other < mine for other in sums) for mine in sums), sums)
    return Over(tuple(deals[-1]) if deals else (1,) * seats)
