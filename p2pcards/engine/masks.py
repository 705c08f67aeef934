"""Masks on the table: whose keys a card is under, and who pays to take one away.

Whose card is it? A layer is a mask and the seats whose keys it is still under. A share takes one
key away, a Give puts a new layer under the receiver's key alone. One key left: that seat alone can
read the card. None left: the face is public. protocol.md section 6.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from p2pcards.cards.faces import Face
from p2pcards.cards.table import Seat, Slot
from p2pcards.crypto.kernel import Kernel


@dataclass(frozen=True, slots=True)
class Layer:
    """A mask (66 bytes) and the seats whose keys it is under."""

    mask: bytes
    keys: frozenset[Seat]


@dataclass(frozen=True, slots=True)
class Masked:
    """All layers of one slot, and which is current. A slot that was given away and comes back (by
    a Put into an earlier holder's pile) is read under its earlier layer again."""

    layers: tuple[Layer, ...]
    current: int = 0

    @property
    def layer(self) -> Layer:
        """The current one."""
        return self.layers[self.current]

    def with_layer(self, layer: Layer) -> Masked:
        """The current layer replaced."""
        layers = (*self.layers[: self.current], layer, *self.layers[self.current + 1 :])
        return Masked(layers, self.current)

    def given(self, layer: Layer) -> Masked:
        """A new layer on top of the current one. It becomes current when the card arrives."""
        return Masked((*self.layers, layer), self.current)

    def held_by(self, seat: Seat) -> Masked:
        """The layer that this seat alone can read made current, if there is one."""
        alone = frozenset((seat,))
        for index in range(len(self.layers) - 1, -1, -1):
            if self.layers[index].keys == alone:
                return Masked(self.layers, index)
        return self


class Payer(Protocol):
    """Who pays what rides along with a move: the mover itself, or its message."""

    seat: Seat

    def share(self, slot: Slot, layer: Layer) -> tuple[bytes, Face | None]:
        """The mask without the payer's key, and the face if that was the last key."""

    def give(self, slot: Slot, layer: Layer, to: Seat) -> bytes:
        """The mask under the receiver's key."""


def open_face(kernel: Kernel, mask: bytes, share: bytes, faces: Sequence[Face]) -> Face | None:
    """The face under a mask with one key left, given that key's share; None: no card."""
    attributes = kernel.open_face(mask, share, faces)
    return None if attributes is None else Face(*attributes)
