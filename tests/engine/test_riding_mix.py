"""A Mix that a move causes never rides along with it: it begins when the queue reaches it."""

from __future__ import annotations

import random

from p2pcards.cards.faces import Face, french
from p2pcards.cards.ops import hide
from p2pcards.cards.table import Seat, Slot, hand, lay
from p2pcards.crypto.transcript import Context
from p2pcards.engine.dealer import Dealer
from p2pcards.engine.dues import MixDue
from p2pcards.engine.masks import Layer, Masked
from p2pcards.testing.network import seeded_bytes
from p2pcards.testing.open_kernel import OpenKernel


class Nobody:
    """A payer that is never asked."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def share(self, slot: Slot, layer: Layer) -> tuple[bytes, Face | None]:
        raise AssertionError("no share is owed")

    def give(self, slot: Slot, layer: Layer, to: Seat) -> bytes:
        raise AssertionError("no card is given")


def test_two_seats_of_one_step_may_each_hide_their_hand() -> None:
    kernel, rng = OpenKernel(), seeded_bytes(random.Random(1))
    dealer = Dealer(kernel, 2, openings=True, hands=0)
    dealer.pack = french()
    dealer.table, truth = lay(french(), "hand 0: As 2h; hand 1: 3c 4c 5c")
    ctx = Context(bytes(32), 0, bytes(32), 0)
    for seat in (0, 1):
        key = kernel.keys(ctx, rng(32), rng)
        dealer.keys[seat] = key.public
        slots = dealer.table[hand(seat)]
        masks = kernel.initial(key.public, [truth[slot] for slot in slots])
        for slot, mask in zip(slots, masks, strict=True):
            dealer.masked[slot] = Masked((Layer(mask, frozenset((seat,))),))

    dealer.perform(hide(0), Nobody(0))
    dealer.perform(hide(1), Nobody(1))

    for seat, count in ((0, 2), (1, 3)):
        due = dealer.advance()
        assert isinstance(due, MixDue)
        assert (due.seat, len(due.before)) == (seat, count)
        dealer.take_mix(due.before)
    assert dealer.advance() is None
    assert [len(dealer.table[hand(seat)]) for seat in (0, 1)] == [2, 3]
