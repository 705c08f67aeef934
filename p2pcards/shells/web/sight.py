"""What a scene looks at: a seat's view, whom the table waits for, and who played which card.

Everything here comes from a `SeatView` and from moves that everybody saw; a scene can show nothing
that its seat may not know. Words are codes with arguments; the page fills them in from the
catalogue of its language. protocol.md section 6.7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from p2pcards.cards.faces import SUITS, Face, Pack
from p2pcards.cards.rules import Moves
from p2pcards.cards.table import Seat, Slot, hand
from p2pcards.engine.view import SeatView

Doc = dict[str, Any]
"""A JSON object."""

SPOKEN_NUMBERS = 12
"""Numbers up to this one are words in sentences."""

_NOBODY: Mapping[Slot, Seat] = MappingProxyType({})


def words(code: str, **args: Any) -> Doc:
    """A code of the catalogue with its arguments."""
    return {"code": code, "args": args}


def who(seat: Seat) -> Doc:
    """An argument that becomes this seat's name."""
    return {"seat": seat}


def whom(seats: Iterable[Seat]) -> Doc:
    """An argument that becomes a list of names."""
    return {"seats": sorted(seats)}


def suit_word(suit: int) -> Doc:
    """An argument that becomes a suit's name."""
    return {"suit": SUITS[suit - 1]}


def number(n: int) -> Any:
    """An argument that becomes a number: small ones in words."""
    return words(f"number.{n}") if 0 <= n <= SPOKEN_NUMBERS else n


def face_word(pack: Pack | None, face: Face) -> Doc:
    """An argument that becomes a card's name."""
    return {"card": _name(pack, face)}


def rank_word(pack: Pack | None, face: Face) -> Doc:
    """An argument that becomes the name of a card's rank: `Q`, or `X` for a joker."""
    return {"rank": _name(pack, face)[0]}


def ranks_word(pack: Pack | None, face: Face) -> Doc:
    """The same for several cards of the rank."""
    return words(f"ranks.{_name(pack, face)[0]}")


def _name(pack: Pack | None, face: Face) -> str:
    return "" if pack is None else pack.name(face)


@dataclass(frozen=True, slots=True)
class Sight:
    """`owing`: the seats whose move the table lacks. `owners`: who played a card."""

    view: SeatView
    owing: frozenset[Seat] = frozenset()
    owners: Mapping[Slot, Seat] = field(default_factory=lambda: _NOBODY)

    @property
    def me(self) -> Seat | None:
        """The seat that looks; None for a spectator."""
        return self.view.seat

    @property
    def state(self) -> Any:
        """The rules' public state."""
        return self.view.state

    @property
    def asked(self) -> bool:
        """Whether this seat has something to choose."""
        forced = isinstance(self.view.awaits, Moves) and self.view.awaits.forced
        return bool(self.view.options) and not forced

    def hand(self, seat: Seat) -> tuple[Slot, ...]:
        """The cards in a seat's hand."""
        return self.view.table[hand(seat)]

    def face(self, slot: Slot) -> Face | None:
        """A face, if this seat knows it."""
        return self.view.table.faces.get(slot)

    def known(self, slot: Slot) -> Face:
        """The face of a card that this seat is sure to know; raises `FaceDown`."""
        return self.view.table.face(slot)

    def card(self, slot: Slot) -> Doc:
        """A card of the document."""
        face, up = self.face(slot), self.view.public.is_up(slot)
        name = None if face is None or self.view.pack is None else self.view.pack.name(face)
        return {"slot": slot, "face": name, "up": up, "mine": name is not None and not up}

    def cards(self, slots: Iterable[Slot]) -> list[Doc]:
        """Several cards of the document."""
        return [self.card(slot) for slot in slots]

    def card_word(self, slot: Slot) -> Doc:
        """An argument that becomes the name of a card whose face this seat knows."""
        return face_word(self.view.pack, self.known(slot))

    def rank_word(self, slot: Slot) -> Doc:
        """An argument that becomes the name of such a card's rank."""
        return rank_word(self.view.pack, self.known(slot))
