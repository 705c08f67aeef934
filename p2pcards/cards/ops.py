"""The six operations on cards, as data: Deck, Toss, Put, Show, Mix, Give; and recipes of them.

Rules say what should happen to the cards; the engine works out which messages that takes
(protocol.md section 6.3). An op names its cards by slots, or by a reference that is resolved when
the op is reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from p2pcards.cards.faces import Pack
from p2pcards.cards.table import STOCK, Pile, Seat, Slot, Table, hand


class Everyone(Enum):
    """All seats that take part in the hand."""

    EVERYONE = "everyone"


EVERYONE = Everyone.EVERYONE


@dataclass(frozen=True, slots=True)
class Top:
    """The first `count` cards of a face-down pile, as many as there are."""

    pile: Pile
    count: int = 1


@dataclass(frozen=True, slots=True)
class Whole:
    """All cards of a pile."""

    pile: Pile


@dataclass(frozen=True, slots=True)
class Unexposed:
    """The cards of a pile that not everybody has seen."""

    pile: Pile


Cards = tuple[Slot, ...] | Top | Whole | Unexposed


def resolve(cards: Cards, table: Table) -> tuple[Slot, ...]:
    """The slots that a reference means on this table."""
    match cards:
        case Top(pile, count):
            return table[pile][:count]
        case Whole(pile):
            return table[pile]
        case Unexposed(pile):
            return tuple(slot for slot in table[pile] if not table.is_up(slot))
        case _:
            return cards


@dataclass(frozen=True, slots=True)
class Deck:
    """A new hand begins: a fresh pack in the stock, not yet shuffled. `holders` hold its keys;
    empty means every seat."""

    pack: Pack
    holders: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Toss:
    """A uniform joint random integer 0 <= k < sides, read in `resume` as `table.toss`."""

    sides: int


@dataclass(frozen=True, slots=True)
class Put:
    """Cards go to the end of a pile."""

    cards: Cards
    to: Pile


@dataclass(frozen=True, slots=True)
class Show:
    """One seat, or everyone, gets to see the faces."""

    cards: Cards
    to: Seat | Everyone


@dataclass(frozen=True, slots=True)
class Mix:
    """The cards are re-masked and permuted by these seats in turn (or everyone, in seat order)."""

    cards: Cards
    by: tuple[Seat, ...] | Everyone


@dataclass(frozen=True, slots=True)
class Give:
    """The holder hands cards to another seat, which then knows their faces; nobody else does."""

    cards: Cards
    giver: Seat
    to: Seat


Op = Deck | Toss | Put | Show | Mix | Give


# --- recipes --------------------------------------------------------------------------------------


def shuffle() -> tuple[Op, ...]:
    """Everyone mixes the stock in turn."""
    return (Mix(Whole(STOCK), EVERYONE),)


def draw(seat: Seat, count: int = 1) -> tuple[Op, ...]:
    """The seat takes cards from the stock into its hand and sees them."""
    return (Show(Top(STOCK, count), seat), Put(Top(STOCK, count), hand(seat)))


def deal(seats: Iterable[Seat], count: int) -> tuple[Op, ...]:
    """`count` cards each, singly, in this order of seats."""
    order = tuple(seats)
    return tuple(op for _ in range(count) for seat in order for op in draw(seat))


def turn_up(to: Pile) -> tuple[Op, ...]:
    """The top card of the stock is shown to everyone and laid into `to`."""
    return (Show(Top(STOCK), EVERYONE), Put(Top(STOCK), to))


def swap(a: Seat, b: Seat) -> tuple[Op, ...]:
    """Two seats exchange their whole hands, unseen by the others; `a` gives first."""
    return (
        Give(Whole(hand(a)), a, b),
        Give(Whole(hand(b)), b, a),
        Put(Whole(hand(a)), Pile("crossing", b)),
        Put(Whole(hand(b)), hand(a)),
        Put(Whole(Pile("crossing", b)), hand(b)),
    )


def hide(seat: Seat) -> tuple[Op, ...]:
    """The holder mixes its unexposed cards, so that the others lose the thread."""
    return (Mix(Unexposed(hand(seat)), (seat,)),)


# --- what a toss may mean -------------------------------------------------------------------------


def in_order(items: Sequence[Slot], toss: int) -> tuple[Slot, ...]:
    """The items in the order that a joint random number below their factorial stands for: its
    digits in the factorial base say, highest first, which of the items left is next."""
    left = list(items)
    digits = []
    for base in range(1, len(left) + 1):
        toss, digit = divmod(toss, base)
        digits.append(digit)
    return tuple(left.pop(digit) for digit in reversed(digits))
