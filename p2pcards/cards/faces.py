"""Faces and packs: what is printed on the cards, as small integers.

A face is a tuple of up to three attributes (suit, rank, class). The numbers are not only names: the
cryptographic encoding is linear in them (protocol.md section 3.3), so that "not of this suit" or
"ranks at least as high" can be proved of a card that stays face down. This module knows the numbers
and nothing of the encoding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from types import MappingProxyType
from typing import NamedTuple


class Attribute(IntEnum):
    """Which entry of a face an atom of a claim speaks of."""

    SUIT = 0
    RANK = 1
    CLASS = 2


class Face(NamedTuple):
    """A printed card. Two cards of one pack with equal faces cannot be told apart, as in life.

    An attribute of 0 is one that the pack does not use; all used ones are at least 1.
    """

    suit: int
    rank: int
    klass: int = 0


CLUBS, DIAMONDS, HEARTS, SPADES, JOKER = 1, 2, 3, 4, 5
SUITS = "cdhs"
RANKS = "23456789TJQKA"
ORDINARY, MATADOR = 1, 2


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack of cards in its public initial order (protocol.md section 3.2).

    `faces` may repeat; `names` gives each different face its notation; `key` names the pack on the
    wire of the agreement.
    """

    key: str
    faces: tuple[Face, ...]
    names: Mapping[Face, str]

    def name(self, face: Face) -> str:
        """The notation of a face, e.g. `Td`."""
        return self.names[face]

    def face(self, name: str) -> Face:
        """The face of a notation; KeyError when this pack has no such card."""
        return _by_name(self)[name]

    def values(self, attribute: Attribute) -> tuple[int, ...]:
        """Every value that an attribute takes in this pack, ascending; (0,) where it is unused."""
        return _values(self)[attribute]

    def __hash__(self) -> int:
        return hash(self.key)


@cache
def _by_name(pack: Pack) -> Mapping[str, Face]:
    return {name: face for face, name in pack.names.items()}


@cache
def _values(pack: Pack) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(sorted({face[a] for face in pack.faces})) for a in Attribute)


def _pack(key: str, names: Mapping[Face, str], copies: int = 1) -> Pack:
    return Pack(key, tuple(names) * copies, MappingProxyType(dict(names)))


@cache
def french(decks: int = 1) -> Pack:
    """52 cards a deck: suits 1..4 (clubs, diamonds, hearts, spades), ranks 2..14 (ace high)."""
    names = {
        Face(suit, rank): RANKS[rank - 2] + SUITS[suit - 1]
        for suit in range(CLUBS, SPADES + 1)
        for rank in range(2, 15)
    }
    return _pack(f"french-{decks}", names, decks)


@cache
def president(decks: int = 1, power: bool = False) -> Pack:
    """54 cards a deck in President's order: 3 is lowest (3), ace 14, two 15, both jokers 16.

    With `power` the third attribute is a second order, 3..16, in which the ten ranks between the
    two and the joker."""
    names = {
        _presidential(suit, rank, power): (RANKS + "2")[rank - 2] + SUITS[suit - 1]
        for suit in range(CLUBS, SPADES + 1)
        for rank in range(3, 16)
    }
    joker = _presidential(JOKER, 16, power)
    names[joker] = "X"
    key = f"president-{decks}-power" if power else f"president-{decks}"
    return Pack(key, (*names, joker) * decks, MappingProxyType(names))


def _presidential(suit: int, rank: int, power: bool) -> Face:
    return Face(suit, rank, _power(rank) if power else 0)


def _power(rank: int) -> int:
    if rank == 10:
        return 15
    return rank - 1 if 10 < rank < 16 else rank


GNAV_NAMES = (
    *("FOOL", "OWL", "POT", "0"),
    *("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"),
    *("HOUSE", "HORSE", "CAT", "DRAGOON", "CUCKOO"),
)


@cache
def gnav() -> Pack:
    """Gnav's 42: two each of 21 values. The first attribute is 1 for the fool and 2 for all others,
    rank is value + 1, class 1 is ordinary (the fool included), 2 a matador (value 16 and above)."""
    names = {
        Face(1 if value == 0 else 2, value + 1, ORDINARY if value < 16 else MATADOR): name
        for value, name in enumerate(GNAV_NAMES)
    }
    return _pack("gnav", names, copies=2)
