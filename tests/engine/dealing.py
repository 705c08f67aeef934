"""A dealer of three seats, and what all of them together do about each thing that is owed."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from p2pcards.cards.faces import Face, french
from p2pcards.cards.ops import (
    EVERYONE,
    Deck,
    Mix,
    Op,
    Whole,
)
from p2pcards.cards.table import STOCK, Seat, Slot
from p2pcards.crypto.kernel import HandKey
from p2pcards.crypto.transcript import Context
from p2pcards.engine.dealer import Dealer
from p2pcards.engine.dues import (
    Due,
    GiveDue,
    KeyOpenDue,
    MixDue,
    RevealDue,
    SharesDue,
)
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import Kind

PACK = french()
SEATS = 3
EVERYBODY = frozenset(range(SEATS))
CTX = Context(b"t" * 32, 5, b"p" * 32, 0)
RNG = Random(1).randbytes
KERNEL = OpenKernel()
KEYS = [KERNEL.keys(CTX, bytes((seat,)) * 32, RNG) for seat in range(SEATS)]


def new(openings: bool = True, hands: int = 0) -> Dealer:
    """A dealer of three seats before the first hand."""
    return Dealer(KERNEL, SEATS, openings, hands)


def key(seat: Seat) -> HandKey:
    """A seat's hand key."""
    return KEYS[seat]


def pay(dealer: Dealer, due: Due) -> None:
    """What all seats together do about a due."""
    match due:
        case KeyOpenDue(authors):
            dealer.take_keys({seat: key(seat).public for seat in authors})
        case MixDue(seat, joint, before):
            seed = bytes((seat + 10,)) * 32
            dealer.take_mix(KERNEL.recompute(joint, before, seed))
        case SharesDue(owed):
            dealer.take_shares(
                {
                    seat: {slot: share(dealer, seat, slot) for slot in slots}
                    for seat, slots in owed.items()
                }
            )
        case GiveDue(giver, slot, to):
            mask = dealer.masked[slot].layer.mask
            x, own = key(giver).x, key(giver).public
            given, _ = KERNEL.give(context(slot), x, own, dealer.keys[to], mask, RNG)
            dealer.take_gift(due, given)
        case RevealDue():
            dealer.take_toss(7)
        case _:
            pass


def context(slot: Slot) -> Context:
    """The open kernel draws its randomness from the context."""
    return Context(CTX.table, 1000 + slot, CTX.prev, 0)


def share(dealer: Dealer, seat: Seat, slot: Slot) -> bytes:
    """A seat's share of a card."""
    mask = dealer.masked[slot].layer.mask
    (one,), _ = KERNEL.shares(CTX, key(seat).x, key(seat).public, [mask], RNG)
    return one


def run(dealer: Dealer, ops: Iterable[Op]) -> list[Due]:
    """Performs operations to the end of the queue; gives the dues that came up."""
    dealer.enqueue(ops)
    dues = []
    while (due := dealer.advance()) is not None:
        dues.append(due)
        pay(dealer, due)
    return dues


def begun(*ops: Op, seats: tuple[Seat, ...] = ()) -> Dealer:
    """A shuffled deck, and what follows."""
    dealer = new()
    run(dealer, (Deck(PACK, seats), Mix(Whole(STOCK), EVERYONE), *ops))
    return dealer


def kinds(dues: Iterable[Due]) -> list[Kind]:
    """What is owed, in order."""
    return [due.kind for due in dues]


def truth(dealer: Dealer, slot: Slot) -> Face:
    """The face that the open kernel leaves in sight."""
    return Face(*dealer.masked[slot].layer.mask[34:37])
