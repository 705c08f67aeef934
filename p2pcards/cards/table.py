"""The table: piles of slots, and the faces that are turned up. Public knowledge, equal everywhere.

A slot names one masked card. Whoever reads a `Table` can only see what lies face up on it: asking
for another face raises `FaceDown`. That is how rules stay a function of the public log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from p2pcards.cards.faces import Face, Pack
from p2pcards.errors import FaceDown

Seat = int
"""A place at the table, 0..n-1, clockwise."""
Slot = int
"""The name of one masked card; never reused within a match."""


class Pile(NamedTuple):
    """A place where cards lie: a name, and the seat that it belongs to (None: the middle)."""

    name: str
    seat: Seat | None = None

    def __str__(self) -> str:
        return self.name if self.seat is None else f"{self.name} {self.seat}"


STOCK = Pile("stock")
ASIDE = Pile("aside")
TRICK = Pile("trick")


def hand(seat: Seat) -> Pile:
    """The hand of a seat."""
    return Pile("hand", seat)


def won(seat: Seat) -> Pile:
    """The tricks that a seat has won."""
    return Pile("won", seat)


_NO_PILES: Mapping[Pile, tuple[Slot, ...]] = MappingProxyType({})
_NO_FACES: Mapping[Slot, Face] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Table:
    """Where every card lies and which faces everybody sees.

    `piles`: slots in order; a face-down pile is drawn from the front (index 0 is its top), cards
    are put at the end. `faces`: slot -> face of every card turned up so far, wherever it lies.
    `next_slot`: the first name not used yet. `toss`: the last joint random number, if any.
    """

    piles: Mapping[Pile, tuple[Slot, ...]] = field(default_factory=lambda: _NO_PILES)
    faces: Mapping[Slot, Face] = field(default_factory=lambda: _NO_FACES)
    next_slot: Slot = 0
    toss: int | None = None

    def __getitem__(self, pile: Pile) -> tuple[Slot, ...]:
        return self.piles.get(pile, ())

    def face(self, slot: Slot) -> Face:
        """The face of a card that is turned up; `FaceDown` for all others."""
        try:
            return self.faces[slot]
        except KeyError:
            raise FaceDown(detail=f"slot {slot}") from None

    def is_up(self, slot: Slot) -> bool:
        """Whether everybody has seen this card."""
        return slot in self.faces

    def where(self, slot: Slot) -> Pile | None:
        """The pile a card lies in; None when no such card is on the table."""
        for pile, slots in self.piles.items():
            if slot in slots:
                return pile
        return None

    def slots(self) -> tuple[Slot, ...]:
        """All cards on the table, pile by pile."""
        return tuple(slot for slots in self.piles.values() for slot in slots)

    # --- what happens to cards; each gives a new table --------------------------------------------

    def with_deck(self, size: int) -> Table:
        """A new hand: all cards of the old one are gone, `size` new slots lie in the stock."""
        fresh = tuple(range(self.next_slot, self.next_slot + size))
        return Table(MappingProxyType({STOCK: fresh}), _NO_FACES, self.next_slot + size, self.toss)

    def with_toss(self, value: int) -> Table:
        """The joint random number that rules read in `resume`."""
        return replace(self, toss=value)

    def put(self, slots: Iterable[Slot], to: Pile) -> Table:
        """The cards leave where they lie and go to the end of `to`, in this order."""
        moved = tuple(slots)
        self._check(moved)
        piles = dict(self.piles)
        for slot in moved:
            pile = next(p for p, there in piles.items() if slot in there)
            piles[pile] = tuple(s for s in piles[pile] if s != slot)
        piles[to] = (*piles.get(to, ()), *moved)
        lying = MappingProxyType({pile: slots for pile, slots in piles.items() if slots})
        return Table(lying, self.faces, self.next_slot, self.toss)

    def turn_up(self, faces: Mapping[Slot, Face]) -> Table:
        """These cards are public from now on."""
        if faces.keys() <= self.faces.keys():
            return self
        # asked for every candidate move; `replace` would take twice as long
        up = MappingProxyType({**self.faces, **faces})
        return Table(self.piles, up, self.next_slot, self.toss)

    def mixed(self, slots: Iterable[Slot]) -> tuple[Table, tuple[Slot, ...]]:
        """The cards are retired and new slots lie in their places; gives the new names in the
        order of the places. What was turned up among them is no longer traceable."""
        old = tuple(slots)
        self._check(old)
        fresh = tuple(range(self.next_slot, self.next_slot + len(old)))
        name = dict(zip(old, fresh, strict=True))
        piles = {p: tuple(name.get(s, s) for s in pile) for p, pile in self.piles.items()}
        faces = {s: f for s, f in self.faces.items() if s not in name}
        following = self.next_slot + len(old)
        table = Table(MappingProxyType(piles), MappingProxyType(faces), following, self.toss)
        return table, fresh

    def _check(self, slots: tuple[Slot, ...]) -> None:
        # rules never write this; a card lost or doubled here would be so at every seat
        if len(set(slots)) != len(slots) or any(self.where(slot) is None for slot in slots):
            raise ValueError(f"not distinct cards of the table: {slots}")


_WORD = re.compile(r"(?P<name>[^\s!*]+)(?P<up>!?)$")


def lay(pack: Pack, text: str) -> tuple[Table, dict[Slot, Face]]:
    """A position in one line, for tests: piles separated by `;`, cards by spaces, `!` face up.

    `"hand 0: As 2h 3d; hand 1: 4c; trick: 5h!"` gives the table and the true face of every slot.
    """
    piles: dict[Pile, tuple[Slot, ...]] = {}
    truth: dict[Slot, Face] = {}
    up: dict[Slot, Face] = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        where, _, cards = part.partition(":")
        name, _, seat = where.strip().partition(" ")
        pile = Pile(name, int(seat) if seat else None)
        slots = []
        for word in cards.split():
            match = _WORD.match(word)
            if match is None:
                raise ValueError(f"not a card: {word!r}")
            slot = len(truth)
            truth[slot] = pack.face(match["name"])
            if match["up"]:
                up[slot] = truth[slot]
            slots.append(slot)
        piles[pile] = tuple(slots)
    return Table(MappingProxyType(piles), MappingProxyType(up), len(truth)), truth
