"""The dealer: card operations become shares, re-maskings and keys owed, and these move the cards.

Knows masks and public faces, no secrets, no rules and no signatures. Operations wait in one queue
and are performed in order; the first thing that needs somebody's contribution comes out as a `Due`.
Shares are gathered: operations that only show and put cards pile up one step of shares for all.
protocol.md section 6.3.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from p2pcards.cards.faces import Face, Pack
from p2pcards.cards.ops import (
    EVERYONE,
    Cards,
    Deck,
    Give,
    Mix,
    Op,
    Put,
    Show,
    Toss,
    Unexposed,
    resolve,
)
from p2pcards.cards.table import Pile, Seat, Slot, Table
from p2pcards.crypto.kernel import Kernel
from p2pcards.engine.dues import (
    AgreeDue,
    CommitDue,
    Due,
    GiveDue,
    KeyCommitDue,
    KeyOpenDue,
    MixDue,
    OpenDue,
    RevealDue,
    SharesDue,
)
from p2pcards.engine.masks import Layer, Masked, Payer, open_face
from p2pcards.errors import BadPoint, BadProof

# --- markers in the queue: what the dealer does itself between two dues ---------------------------


@dataclass(frozen=True, slots=True)
class _BeginHand:
    pack: Pack
    holders: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class _LayDeck:
    pass


@dataclass(frozen=True, slots=True)
class _MixBy:
    seat: Seat


@dataclass(frozen=True, slots=True)
class _EndMix:
    pass


Task = Op | Due | _BeginHand | _LayDeck | _MixBy | _EndMix


def _rides(task: Task) -> bool:
    """Whether an operation needs none of the shares that are owed so far. Which cards are
    unexposed does depend on them."""
    return isinstance(task, Put | Show) and not isinstance(task.cards, Unexposed)


_NEVER_RIDES: tuple[type[Task], ...] = (Deck, Toss, Mix)
"""What a move may cause but never carries: each is begun when the queue reaches it."""


@dataclass(frozen=True, slots=True)
class Mixing:
    """A Mix under way: the slots, whose joint key it is under, and the masks so far."""

    slots: tuple[Slot, ...]
    seats: frozenset[Seat]
    key: bytes
    masks: tuple[bytes, ...]


class Dealer:
    """All cards of a match, as far as everybody can see them.

    `hand` counts hands from 1 (0: none yet). `keys`: hand keys (33 bytes) of the holders once
    opened. `first_parts`: the first components (33 bytes) of all masks of this hand; a mask that
    repeats one is its author's fault.
    """

    def __init__(self, kernel: Kernel, seats: int, openings: bool, hands: int) -> None:
        self.kernel = kernel
        self.openings = openings
        self.hands = hands
        self.hand = 0
        self.table = Table()
        self.pack: Pack | None = None
        self.holders: tuple[Seat, ...] = tuple(range(seats))
        self.keys: dict[Seat, bytes] = {}
        self.masked: dict[Slot, Masked] = {}
        self.first_parts: set[bytes] = set()
        self.mixing: Mixing | None = None
        self.stopped = False
        self._seats = tuple(range(seats))
        self._queue: deque[Task] = deque()
        self._debts: dict[Seat, list[Slot]] = {}

    def copy(self) -> Dealer:
        """For trying a move: the original does not change with the copy."""
        twin = object.__new__(Dealer)
        twin.__dict__.update(self.__dict__)
        twin.masked = dict(self.masked)
        twin.first_parts = set(self.first_parts)
        twin._queue = deque(self._queue)
        twin._debts = {seat: list(slots) for seat, slots in self._debts.items()}
        return twin

    @property
    def everyone(self) -> frozenset[Seat]:
        """The holders of this hand; before the first one, all seats."""
        return frozenset(self.holders)

    def layer(self, slot: Slot) -> Layer | None:
        """The current layer of a slot; None when there is no such card."""
        masked = self.masked.get(slot)
        return masked.layer if masked else None

    # --- the queue --------------------------------------------------------------------------------

    def enqueue(self, tasks: Iterable[Task]) -> None:
        """Puts work at the end of the queue."""
        self._queue.extend(tasks)

    def advance(self, stop: tuple[type[Task], ...] = ()) -> Due | None:
        """Performs what needs nobody, and gives the next thing that somebody owes; None: idle, or
        a task of a type in `stop` is next."""
        while self._queue:
            if self._debts and not _rides(self._queue[0]):
                return self._gather()
            if isinstance(self._queue[0], stop):
                return None
            due = self._perform(self._queue.popleft())
            if due is not None:
                return due
        return self._gather() if self._debts else None

    def finish(self) -> None:
        """The match ends: its result is agreed, the keys are opened, and the end is agreed."""
        everyone = self.everyone
        self._queue.extend((AgreeDue(everyone), *self._opening(), AgreeDue(everyone)))

    def _gather(self) -> SharesDue:
        due = SharesDue({seat: tuple(slots) for seat, slots in sorted(self._debts.items())})
        self._debts = {}
        return due

    def _perform(self, task: Task) -> Due | None:
        match task:
            case Deck(pack, holders):
                self._begin(pack, holders or self._seats)
            case _BeginHand(pack, holders):
                self._clear_hand(pack, holders)
            case _LayDeck():
                self._lay_deck(tuple(self.keys[seat] for seat in self.holders))
            case Toss(sides):
                self._now(
                    CommitDue(self.everyone, sides),
                    AgreeDue(self.everyone),
                    RevealDue(self.everyone, sides),
                )
            case Mix(cards, by):
                self._begin_mix(resolve(cards, self.table), self.holders if by is EVERYONE else by)
            case _MixBy(seat):
                mixing = self._mixing()
                return MixDue(seat, mixing.key, mixing.masks)
            case _EndMix():
                self._end_mix()
            case Give(cards, giver, to):
                hidden = [s for s in resolve(cards, self.table) if not self.table.is_up(s)]
                self._now(*(GiveDue(giver, slot, to) for slot in hidden))
            case Put(cards, pile):
                self._put(resolve(cards, self.table), pile)
            case Show(cards, to):
                self._show(cards, None if to is EVERYONE else to)
            case _:
                return task
        return None

    def _now(self, *tasks: Task) -> None:
        self._queue.extendleft(reversed(tasks))

    # --- a hand -----------------------------------------------------------------------------------

    def _opening(self) -> tuple[Due, ...]:
        return (OpenDue(self.everyone),) if self.openings and self.hand else ()

    def _begin(self, pack: Pack, holders: tuple[Seat, ...]) -> None:
        if self.hands and self.hand == self.hands:
            self.stopped = True
            self._queue.clear()
            return
        closing: tuple[Due, ...] = ()
        if self.hand:
            closing = (AgreeDue(self.everyone), *self._opening())
        new = frozenset(holders)
        self._now(
            *closing,
            _BeginHand(pack, tuple(sorted(holders))),
            KeyCommitDue(new),
            AgreeDue(new),
            KeyOpenDue(new),
            _LayDeck(),
        )

    def _clear_hand(self, pack: Pack, holders: tuple[Seat, ...]) -> None:
        self.hand += 1
        self.pack, self.holders = pack, holders
        self.keys, self.masked, self.first_parts = {}, {}, set()
        self.table = self.table.with_deck(0)

    def _lay_deck(self, keys: Sequence[bytes]) -> None:
        masks = self.kernel.initial(self.kernel.joint(keys), self.faces)
        self.table = self.table.with_deck(len(masks))
        (stock,) = self.table.piles.values()
        layer_keys = frozenset(self.holders)
        self.masked = {
            slot: Masked((Layer(mask, layer_keys),))
            for slot, mask in zip(stock, masks, strict=True)
        }
        self.first_parts = {mask[:33] for mask in masks}

    @property
    def faces(self) -> tuple[Face, ...]:
        """The faces of this hand's pack, in its initial order."""
        if self.pack is None:
            raise ValueError("no hand has begun")
        return self.pack.faces

    # --- moving and showing -----------------------------------------------------------------------

    def _put(self, slots: tuple[Slot, ...], to: Pile) -> None:
        self.table = self.table.put(slots, to)
        if to.seat is not None:
            for slot in slots:
                self.masked[slot] = self.masked[slot].held_by(to.seat)

    def _show(self, cards: Cards, to: Seat | None) -> None:
        for slot in resolve(cards, self.table):
            if not self.table.is_up(slot):
                for seat in sorted(self.masked[slot].layer.keys):
                    if seat != to and slot not in self._debts.get(seat, ()):
                        self._debts.setdefault(seat, []).append(slot)

    def take_shares(self, shares: Mapping[Seat, Mapping[Slot, bytes]]) -> None:
        """Checked shares of one step; faces whose last key went are turned up.

        Raises `BadProof` when a plaintext is no card of the pack, which proofs make impossible.
        """
        by_slot: dict[Slot, list[tuple[Seat, bytes]]] = {}
        for seat in sorted(shares):
            for slot, share in shares[seat].items():
                by_slot.setdefault(slot, []).append((seat, share))
        for slot, paid in by_slot.items():
            masked = self.masked[slot]
            layer = masked.layer
            keys = layer.keys - {seat for seat, _ in paid}
            *first, last = [share for _, share in paid]
            if not keys:
                before_last = self.kernel.strip(layer.mask, first) if first else layer.mask
                face = open_face(self.kernel, before_last, last, self.faces)
                if face is None:
                    raise BadProof("deck.unknown_card", f"slot {slot}")
                self.table = self.table.turn_up({slot: face})
            stripped = self.kernel.strip(layer.mask, [*first, last]) if keys else layer.mask
            self.masked[slot] = masked.with_layer(Layer(stripped, keys))

    def take_gift(self, due: GiveDue, mask: bytes) -> None:
        """A checked re-masking under the receiver's key."""
        given = Layer(mask, frozenset((due.to,)))
        self.masked[due.slot] = self.masked[due.slot].given(given)
        self.first_parts.add(mask[:33])

    def take_toss(self, value: int) -> None:
        """The result of a toss."""
        self.table = self.table.with_toss(value)

    def pay_share(self, slot: Slot, payer: Payer) -> None:
        """The payer's own share of a card, if the card is under its key."""
        masked = self.masked[slot]
        if self.table.is_up(slot) or payer.seat not in masked.layer.keys:
            return
        mask, face = payer.share(slot, masked.layer)
        self.masked[slot] = masked.with_layer(Layer(mask, masked.layer.keys - {payer.seat}))
        if face is not None:
            self.table = self.table.turn_up({slot: face})

    def perform(self, ops: Iterable[Op], payer: Payer) -> None:
        """The operations of a move. What the mover owes, and nothing another seat owes comes
        before, is paid at once; the rest waits at the end of the queue."""
        queue, debts = self._queue, self._debts
        self._queue, self._debts = deque(ops), {}
        while (due := self.advance(_NEVER_RIDES)) is not None:
            if isinstance(due, SharesDue) and payer.seat in due.owed:
                for slot in due.owed[payer.seat]:
                    self.pay_share(slot, payer)
                rest = {seat: list(s) for seat, s in due.owed.items() if seat != payer.seat}
                if rest:
                    self._debts = rest
                    break
            elif isinstance(due, GiveDue) and due.giver == payer.seat:
                layer = self.masked[due.slot].layer
                self.take_gift(due, payer.give(due.slot, layer, due.to))
            else:
                if isinstance(due, SharesDue):
                    self._debts = {seat: list(slots) for seat, slots in due.owed.items()}
                else:
                    self._queue.appendleft(due)
                break
        queue.extend(self._queue)
        for seat, slots in self._debts.items():
            debts.setdefault(seat, []).extend(slots)
        self._queue, self._debts = queue, debts

    # --- mixing -----------------------------------------------------------------------------------

    def check_first_parts(self, masks: Sequence[bytes]) -> None:
        """Fresh masks do not repeat a first component of this hand; `BadProof` otherwise."""
        parts = {mask[:33] for mask in masks}
        if len(parts) != len(masks) or parts & self.first_parts:
            raise BadProof("mask.repeated", "a first component occurred before")

    def _mixing(self) -> Mixing:
        if self.mixing is None:
            raise ValueError("nobody is mixing")
        return self.mixing

    def _begin_mix(self, slots: tuple[Slot, ...], seats: tuple[Seat, ...]) -> None:
        if not slots:
            return
        keys = frozenset(seats)
        key = (
            self.kernel.joint([self.keys[seat] for seat in seats])
            if len(seats) > 1
            else (self.keys[seats[0]])
        )
        up = [slot for slot in slots if self.table.is_up(slot)]
        public = dict(
            zip(up, self.kernel.initial(key, [self.table.face(s) for s in up]), strict=True)
        )
        masks = []
        for slot in slots:
            layer = self.masked[slot].layer
            if slot not in public and layer.keys != keys:
                raise ValueError(f"slot {slot} is not under the keys of those who mix it")
            masks.append(public.get(slot, layer.mask))
        self.mixing = Mixing(slots, keys, key, tuple(masks))
        agree = (AgreeDue(self.everyone),) if len(seats) > 1 else ()
        self._now(*(_MixBy(seat) for seat in seats), _EndMix(), *agree)

    def take_mix(self, masks: tuple[bytes, ...]) -> None:
        """Checked masks of one seat's part of a Mix."""
        mixing = self._mixing()
        self.first_parts.update(mask[:33] for mask in masks)
        self.mixing = Mixing(mixing.slots, mixing.seats, mixing.key, masks)

    def _end_mix(self) -> None:
        mixing = self._mixing()
        self.table, fresh = self.table.mixed(mixing.slots)
        for slot in mixing.slots:
            del self.masked[slot]
        for slot, mask in zip(fresh, mixing.masks, strict=True):
            self.masked[slot] = Masked((Layer(mask, mixing.seats),))
        self.mixing = None

    def take_keys(self, keys: Mapping[Seat, bytes]) -> None:
        """The holders' hand keys, each with its proof checked.

        Raises `BadPoint` (detail: the guilty seat) when two are equal or opposite or the sum
        vanishes: with commitments that takes collusion, and the last of them is named.
        """
        seats = sorted(keys)
        for i, seat in enumerate(seats):
            for other in seats[:i]:
                try:
                    self.kernel.joint([keys[other], keys[seat]])
                except BadPoint:
                    raise BadPoint("key.twin", str(seat)) from None
        try:
            self.kernel.joint([keys[seat] for seat in seats])
        except BadPoint:
            raise BadPoint("key.sum", str(seats[-1])) from None
        self.keys = dict(keys)
