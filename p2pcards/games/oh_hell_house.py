"""What a table of Oh Hell may agree on: the options, the plan of hands they make, and the score.

Plain arithmetic on the options; knows no cards on the table and nobody's turn. protocol.md
section 7.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from p2pcards.cards.faces import french
from p2pcards.cards.rules import Option, Value
from p2pcards.errors import BadOption

PACK = french()
SEATS = range(3, 8)
LARGEST_HAND = {3: 15, 4: 13, 5: 10, 6: 8, 7: 7}
"""Cards a seat in the largest hand, by the number of seats, unless `max_hand` says otherwise."""

OPTIONS: tuple[Option, ...] = (
    Option(
        "sequence",
        ("up", "down", "up_down", "down_up"),
        "up",
        "Sizes of the hands: from one card up to the largest, down to one, or there and back.",
    ),
    Option(
        "turning_hand_twice",
        (False, True),
        False,
        "Where the sizes turn round, the hand at the turn is played twice.",
    ),
    Option(
        "max_hand",
        range(1, len(PACK.faces) // SEATS[0] + 1),
        None,
        "Cards a seat in the largest hand; if not given 15, 13, 10, 8 or 7 for 3 to 7 seats.",
    ),
    Option(
        "hook",
        (False, True),
        False,
        "The dealer, who bids last, may not make the bids add up to the number of tricks.",
    ),
    Option(
        "bidding",
        ("sequential", "simultaneous"),
        "sequential",
        "Bids are said in turn from the dealer's left, or shown by all at the same time.",
    ),
    Option(
        "must_trump",
        (False, True),
        False,
        "Who cannot follow suit must play a trump if there is one in the hand.",
    ),
    Option(
        "miss_points",
        ("zero", "tricks"),
        "zero",
        "A missed bid scores nothing, or one point for each trick taken.",
    ),
    Option(
        "zero_bid",
        ("standard", "five_plus_hand"),
        "standard",
        "A bid of zero that is made scores 10, or 5 and the number of cards in the hand.",
    ),
    Option(
        "no_trump",
        ("last", "max", "never"),
        "last",
        "Which hands have no trump: the last of the match, the largest ones, or only those "
        "that use up the whole pack.",
    ),
)


@dataclass(frozen=True, slots=True)
class House:
    """The options that this table plays by; see `OPTIONS`."""

    sequence: str
    turning_hand_twice: bool
    max_hand: int | None
    hook: bool
    bidding: str
    must_trump: bool
    miss_points: str
    zero_bid: str
    no_trump: str


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand of the plan: cards a seat, and whether a card is turned up for trump."""

    cards: int
    trump: bool


def read_house(options: Mapping[str, Value]) -> House:
    """Settled options as a record."""
    chosen: dict[str, Any] = dict(options)
    return House(**chosen)


def check_house(options: Mapping[str, Value], seats: int) -> None:
    """Raises `BadOption` for options that contradict each other or do not fit the seats."""
    if seats not in SEATS:
        raise BadOption("option.seats", f"{seats} seats: takes {SEATS[0]} to {SEATS[-1]}")
    house = read_house(options)
    if house.hook and house.bidding == "simultaneous":
        raise BadOption("option.conflict", "hook needs a last bidder: bidding=sequential")
    if house.max_hand is not None and house.max_hand * seats > len(PACK.faces):
        most = len(PACK.faces) // seats
        raise BadOption("option.seats", f"max_hand: {seats} seats have {most} cards each")


def hand_sizes(house: House, seats: int) -> tuple[int, ...]:
    """Cards a seat in each hand of the match."""
    largest = house.max_hand if house.max_hand is not None else LARGEST_HAND[seats]
    up = tuple(range(1, largest + 1))
    down = up[::-1]
    skip = 0 if house.turning_hand_twice else 1
    match house.sequence:
        case "down":
            return down
        case "up_down":
            return up + down[skip:]
        case "down_up":
            return down + up[skip:]
        case _:
            return up


def plan(house: House, seats: int) -> tuple[Hand, ...]:
    """The hands of a match. Where no card is left none can be turned, whatever the option says."""
    sizes = hand_sizes(house, seats)
    bare: set[int] = set()
    if house.no_trump == "last":
        bare = {len(sizes) - 1}
    elif house.no_trump == "max":
        bare = {i for i, size in enumerate(sizes) if size == max(sizes)}
    return tuple(
        Hand(size, trump=size * seats < len(PACK.faces) and i not in bare)
        for i, size in enumerate(sizes)
    )


def points(house: House, cards: int, bid: int, tricks: int) -> int:
    """What a seat scores for one hand."""
    if tricks != bid:
        return tricks if house.miss_points == "tricks" else 0
    if bid == 0 and house.zero_bid == "five_plus_hand":
        return 5 + cards
    return 10 + tricks
