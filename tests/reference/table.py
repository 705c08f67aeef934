"""Slots, piles, layers, debts and the queue of operations, after protocol.md, sections 6.1 to 6.4,
as far as Oh Hell asks: it never gives a card away, so each slot has one layer, and it names cards
only by the top of a pile or the whole of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.reference.bytes_ import (
    AGREE,
    COMMIT,
    KEY_COMMIT,
    KEY_OPEN,
    MIXED,
    OPEN,
    REVEAL,
    SHARES,
)
from tests.reference.group import (
    FRENCH,
    Face,
    add,
    decode,
    encode,
    face_of,
    initial_deck,
    need,
    subtract,
)

Pile = tuple[str, int | None]
"""A name, and the seat that owns it or None."""

STOCK, ASIDE, TRICK, TURNED = ("stock", None), ("aside", None), ("trick", None), ("turned", None)


def hand(seat: int) -> Pile:
    """The cards a seat holds."""
    return "hand", seat


def won(seat: int) -> Pile:
    """The cards a seat has taken."""
    return "won", seat


# --- what games state -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Top:
    """The first card of a pile."""

    pile: Pile


@dataclass(frozen=True, slots=True)
class Whole:
    """All cards of a pile."""

    pile: Pile


Cards = tuple[int, ...] | Top | Whole


@dataclass(frozen=True, slots=True)
class Deck:
    """A new hand with all seats and one French pack."""


@dataclass(frozen=True, slots=True)
class Toss:
    """A number below `sides` that nobody chose."""

    sides: int


@dataclass(frozen=True, slots=True)
class Put:
    """The cards go to the end of a pile."""

    cards: Cards
    pile: Pile


@dataclass(frozen=True, slots=True)
class Show:
    """Everybody but `to` takes the own key off; to nobody: everybody does."""

    cards: Cards
    to: int | None


@dataclass(frozen=True, slots=True)
class Mix:
    """Everybody shuffles the cards, one after the other."""

    cards: Cards


# --- what the queue makes of it -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ask:
    """A step of this kind; authors None: by everybody. `sides`: of the toss that it is part of."""

    kind: int
    authors: tuple[int, ...] | None = None
    sides: int | None = None


@dataclass(frozen=True, slots=True)
class Begin:
    """The old hand's slots retire."""


@dataclass(frozen=True, slots=True)
class Lay:
    """The initial deck comes to the table."""


@dataclass(frozen=True, slots=True)
class Stir:
    """One MIXED is due, by the first of `by`, of these masks; they replace the slots `cards`."""

    cards: tuple[int, ...]
    by: tuple[int, ...]
    masks: tuple[bytes, ...]


Operation = Deck | Toss | Put | Show | Mix | Ask | Begin | Lay | Stir


@dataclass(frozen=True, slots=True)
class Step:
    """What is due: a kind, its authors in ascending order, and what it is about."""

    kind: int
    authors: tuple[int, ...]
    about: Stir | Ask | None = None


@dataclass(slots=True)
class Slot:
    """A masked card, the seats whose keys it is under, and its face once there are none."""

    mask: bytes
    under: set[int]
    face: Face | None = None

    def take_off(self, seat: int, share: bytes) -> None:
        """Removes this seat's key; `Unproven` if what comes out last is no card."""
        B = subtract(decode(self.mask[33:]), decode(share))
        self.under = self.under - {seat}
        if self.under:
            self.mask = self.mask[:33] + encode(B)
            return
        self.face = face_of(B)
        need(self.face is not None, "no card")


@dataclass(frozen=True, slots=True)
class Mixing:
    """One MIXED that has been accepted."""

    step: int
    seat: int
    before: tuple[bytes, ...]
    after: tuple[bytes, ...]


@dataclass(slots=True)
class Keys:
    """What is known of the keys of the running hand; the joint key once all are there."""

    # Step and head of the KEY_COMMIT, commitment to the key, commitment to the seed.
    commitments: dict[int, tuple[int, bytes, bytes, bytes]] = field(default_factory=dict)
    keys: dict[int, bytes] = field(default_factory=dict)
    mixings: list[Mixing] = field(default_factory=list)
    first_halves: set[bytes] = field(default_factory=set)
    joint: bytes = b""


class Table:
    """The cards, and the queue of operations on them."""

    def __init__(self, seats: int, hands: int, openings: bool) -> None:
        self.everybody = tuple(range(seats))
        self.openings = openings
        self.hands_allowed = hands
        self.hands_begun = 0
        self.stopped = False
        self.toss: int | None = None
        self.keys = Keys()
        self.slots: dict[int, Slot] = {}
        self.piles: dict[Pile, list[int]] = {}
        self.debts: dict[int, list[int]] = {seat: [] for seat in self.everybody}
        self.queue: list[Operation] = []
        self._next_slot = 0

    def pile(self, pile: Pile) -> list[int]:
        """The slots in a pile, its top first."""
        return self.piles.setdefault(pile, [])

    def faces(self) -> dict[int, Face]:
        """All cards that are up."""
        return {slot: card.face for slot, card in self.slots.items() if card.face is not None}

    def closing(self) -> list[Operation]:
        """AGREE, and OPEN where hands are opened."""
        opened: list[Operation] = [Ask(OPEN)] if self.openings and self.hands_begun else []
        return [Ask(AGREE), *opened]

    # --- the queue --------------------------------------------------------------------------------

    def advance(self) -> Step | None:
        """Performs operations until one asks for a contribution."""
        while True:
            owing = tuple(seat for seat in self.everybody if self.debts[seat])
            if owing and not (self.queue and isinstance(self.queue[0], Put | Show)):
                return Step(SHARES, owing)
            if not self.queue:
                return None
            step = self._perform(self.queue.pop(0))
            if step is not None:
                return step

    def _first(self, *operations: Operation) -> None:
        self.queue[:0] = operations

    def _perform(self, operation: Operation) -> Step | None:
        match operation:
            case Ask(kind, authors):
                return Step(kind, self.everybody if authors is None else authors, operation)
            case Stir():
                return Step(MIXED, operation.by[:1], operation)
            case Toss(sides):
                self._first(Ask(COMMIT, sides=sides), Ask(AGREE), Ask(REVEAL, sides=sides))
            case Deck():
                self._deck()
            case Begin():
                self.hands_begun += 1
                self.keys = Keys()
                self.slots, self.piles = {}, {}
            case Lay():
                self._lay()
            case Mix(cards):
                slots = self._resolve(cards)
                if slots:
                    masks = tuple(self.slots[slot].mask for slot in slots)
                    self._first(Stir(slots, self.everybody, masks))
            case Put(cards, pile):
                self._put(self._resolve(cards), pile)
            case Show(cards, to):
                for slot in self._resolve(cards):
                    for seat in sorted(self.slots[slot].under - {to}):
                        if slot not in self.debts[seat]:
                            self.debts[seat].append(slot)
        return None

    def perform_puts(self, puts: Sequence[Put]) -> None:
        """The operations of a move; those of Oh Hell ask for nothing."""
        for put in puts:
            self._put(self._resolve(put.cards), put.pile)

    def _resolve(self, cards: Cards) -> tuple[int, ...]:
        match cards:
            case Top(pile):
                return tuple(self.pile(pile)[:1])
            case Whole(pile):
                return tuple(self.pile(pile))
            case _:
                return cards

    def _put(self, slots: tuple[int, ...], pile: Pile) -> None:
        for other in self.piles.values():
            other[:] = [slot for slot in other if slot not in slots]
        self.pile(pile).extend(slots)

    def _deck(self) -> None:
        if self.hands_begun and self.hands_begun == self.hands_allowed:
            self.queue.clear()
            self.stopped = True
            return
        old = self.closing() if self.hands_begun else []
        self._first(*old, Begin(), Ask(KEY_COMMIT), Ask(AGREE), Ask(KEY_OPEN), Lay())

    def _lay(self) -> None:
        self.keys.joint = encode(add(*map(decode, self.keys.keys.values())))
        masks = initial_deck(FRENCH, decode(self.keys.joint))
        self.keys.first_halves.update(mask[:33] for mask in masks)
        self._put(self._new_slots(masks), STOCK)

    def _new_slots(self, masks: Sequence[bytes]) -> tuple[int, ...]:
        numbers = tuple(range(self._next_slot, self._next_slot + len(masks)))
        self._next_slot += len(masks)
        for number, mask in zip(numbers, masks, strict=True):
            self.slots[number] = Slot(mask, set(self.everybody))
        return numbers

    # --- what closed steps change -----------------------------------------------------------------

    def stirred(self, stir: Stir, step: int, after: tuple[bytes, ...]) -> None:
        """A MIXED has been accepted: the next one is due, or the cards are exchanged."""
        self.keys.mixings.append(Mixing(step, stir.by[0], stir.masks, after))
        self.keys.first_halves.update(mask[:33] for mask in after)
        if len(stir.by) > 1:
            self._first(Stir(stir.cards, stir.by[1:], after))
            return
        new = dict(zip(stir.cards, self._new_slots(after), strict=True))
        for pile in self.piles.values():
            pile[:] = [new.get(slot, slot) for slot in pile]
        for slot in stir.cards:
            del self.slots[slot]
        self._first(Ask(AGREE))

    def pay(self, seat: int, shares: Sequence[bytes]) -> None:
        """A seat's SHARES, all its debts."""
        for slot, share in zip(self.debts[seat], shares, strict=True):
            self.slots[slot].take_off(seat, share)
        self.debts[seat] = []
