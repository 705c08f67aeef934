"""What a table of Gnav may agree on: the options, the values of the cards, and who pays.

Plain arithmetic on options and values; knows no cards on the table and nobody's turn. protocol.md
section 7.6.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from p2pcards.cards.faces import Face, gnav
from p2pcards.cards.rules import Option, Value
from p2pcards.cards.table import Seat
from p2pcards.errors import BadOption

PACK = gnav()
SEATS = range(2, 21)

FOOL = PACK.face("FOOL")
HOUSE, HORSE = PACK.face("HOUSE"), PACK.face("HORSE")
CAT, CUCKOO = PACK.face("CAT"), PACK.face("CUCKOO")

NO_FOOL = 2
"""The first attribute of every card but the fool."""

OPTIONS: tuple[Option, ...] = (
    Option("lives", range(1, 10), 3, "Lives of each player at the beginning."),
    Option(
        "fool_reveal",
        ("auto", "knock"),
        "auto",
        "Who is dealt a fool shows the card, or only knocks, which says the same.",
    ),
    Option(
        "fool_rests",
        (True, False),
        True,
        "Who holds a fool at the end of a deal sits out the next one.",
    ),
    Option(
        "jumped_holder_acts",
        (True, False),
        True,
        "Who showed a horse or house, and was passed over, still gets a turn after the exchange.",
    ),
    Option(
        "dealer_resting",
        ("acting", "skip"),
        "acting",
        "The deal may fall to a player who sits out, and the last in turn stands in; or it passes "
        "on to the next player who takes part.",
    ),
    Option(
        "cat_effect",
        ("undo_all", "refuse"),
        "undo_all",
        "The cat takes a life and undoes every exchange of the deal, or takes a life only.",
    ),
)


@dataclass(frozen=True, slots=True)
class House:
    """The options that this table plays by; see `OPTIONS`."""

    lives: int
    fool_reveal: str
    fool_rests: bool
    jumped_holder_acts: bool
    dealer_resting: str
    cat_effect: str


def read_house(options: Mapping[str, Value]) -> House:
    """Settled options as a record."""
    chosen: dict[str, Any] = dict(options)
    return House(**chosen)


def check_house(options: Mapping[str, Value], seats: int) -> None:
    """Raises `BadOption` if the options do not fit the seats."""
    if seats not in SEATS:
        raise BadOption("option.seats", f"{seats} seats: takes {SEATS[0]} to {SEATS[-1]}")


def payers(cards: Mapping[Seat, Face]) -> frozenset[Seat]:
    """Who loses a life when these cards are compared.

    Both fools pay alone. One fool pays with all who hold the lowest of the other cards; without a
    fool these pay. A card alone is compared with nothing.
    """
    if len(cards) < 2:
        return frozenset()
    fools = holders_of_fools(cards)
    if len(fools) > 1:
        return fools
    lowest = min(face.rank for seat, face in cards.items() if seat not in fools)
    return fools | {seat for seat, face in cards.items() if face.rank == lowest}


def holders_of_fools(cards: Mapping[Seat, Face]) -> frozenset[Seat]:
    """Who holds a fool."""
    return frozenset(seat for seat, face in cards.items() if face == FOOL)


# --- the circle -----------------------------------------------------------------------------------


def clockwise(seats: int, after: Seat, among: Collection[Seat]) -> tuple[Seat, ...]:
    """Some of the seats, clockwise from the left of one seat, which comes last if it is among
    them."""
    circle = ((after + i) % seats for i in range(1, seats + 1))
    return tuple(seat for seat in circle if seat in among)


def next_dealer(
    house: House, dealer: Seat, alive: Collection[Seat], resting: Collection[Seat], seats: int
) -> Seat:
    """Whose deal it is after `dealer`'s. With `skip` a resting player is passed over, unless all
    are resting."""
    order = clockwise(seats, dealer, alive)
    if house.dealer_resting == "skip":
        return next((seat for seat in order if seat not in resting), order[0])
    return order[0]
