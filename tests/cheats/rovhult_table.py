"""A table of Røvhult with a cheater on it, and what the cheater finds there.

Everybody plays by rules of thumb, so that face-down cards are soon turned over; the cheater does so
too until its occasion comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from p2pcards.cards.table import Seat, Slot, Table, hand
from p2pcards.crypto.kernel import Kernel
from p2pcards.games.rovhult import Phase, Play, State, down, source
from p2pcards.shells.bots import strategy
from p2pcards.testing.cheaters import Cheat, Cheater
from p2pcards.testing.network import Network
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.codec import from_tagged
from p2pcards.wire.messages import Kind, Move
from tests.cheats.arena import (
    SharedKernel,
    arena,
    convicted,
)

REAL: Kernel = SharedKernel()
OPEN: Kernel = OpenKernel()

Forger = Callable[[Cheater, Any], object | None]
"""What to sign instead; None: this is not the occasion."""


class Occasion:
    """A cheat in the first contribution that allows it, and honest play before."""

    def __init__(self, forge: Forger) -> None:
        self._forge = forge
        self.taken = False

    def __call__(self, peer: Cheater, body: object) -> Iterable[object]:
        """What is signed."""
        forged = None if self.taken else self._forge(peer, body)
        if forged is None:
            return (body,)
        self.taken = True
        return forged if isinstance(forged, tuple) else (forged,)


def at_table(
    cheat: Cheat, kernel: Kernel = OPEN, seed: int = 1, seat: Seat = 1, **options: Any
) -> Network:
    """Three players with rules of thumb, one of whom cheats."""
    network = arena({seat: cheat}, kernel, game="rovhult", seats=3, seed=seed, options=options)
    for number, node in enumerate(network.nodes):
        node.choose = strategy("simple", Random(number))
    return network


def begun(cheat: Occasion, kernel: Kernel, seed: int, **options: Any) -> Network | None:
    """A table at the moment at which seat 1 has cheated; None if it never could."""
    network = at_table(cheat, kernel, seed, **options)
    network.start()
    network.run_until(lambda: cheat.taken or all(n.peer.match.finished for n in network.nodes))
    return network if cheat.taken else None


def caught(forge: Forger, code: str, kernel: Kernel = OPEN, **options: Any) -> None:
    """Plays until seat 1 has cheated, and demands that all others convict it of this at once."""
    for seed in range(20):
        network = begun(Occasion(forge), kernel, seed, **options)
        if network is not None:
            convicted(network, 1, code, started=True)
            return
    raise AssertionError("the occasion never came")


# --- what a cheater finds on the table ------------------------------------------------------------


def table(peer: Cheater) -> Table:
    """What lies there."""
    return peer.match.dealer.table


def moving(peer: Cheater, kind: Kind = Kind.MOVE) -> bool:
    """Whether it is the cheater's turn."""
    state: State = peer.match.state
    return peer.match.chain.kind is kind and state.phase is Phase.TURNS and state.turn == peer.seat


def flipping(peer: Cheater) -> bool:
    """Whether it is to turn over a card."""
    return moving(peer) and source(table(peer), peer.seat) == down(peer.seat)


def mask(peer: Cheater, slot: Slot) -> bytes:
    """What lies on the table for a card."""
    return peer.match.dealer.masked[slot].layer.mask


def masks(peer: Cheater, slots: Iterable[Slot]) -> list[bytes]:
    """The same for several."""
    return [mask(peer, slot) for slot in slots]


def hidden_cards(peer: Cheater) -> list[Slot]:
    """The cards of its hand that it alone has seen."""
    held = table(peer)[hand(peer.seat)]
    return [slot for slot in held if slot in peer.known and not table(peer).is_up(slot)]


def meant(peer: Cheater, body: Move) -> Any:
    """The move of an honest body."""
    return from_tagged(body.move, peer.match.rules.moves)


def shows_one(peer: Cheater, body: object) -> bool:
    """Whether a move is to play one card, which was hidden."""
    if not isinstance(body, Move) or not body.shares.shares:
        return False
    move = meant(peer, body)
    return isinstance(move, Play) and len(move.cards) == 1


def possible(peer: Cheater, slots: Iterable[Slot]) -> list[bytes]:
    """The masks of those cards of which it can give a share, as a move that opens them has to."""
    layers = {slot: peer.match.dealer.masked[slot].layer for slot in slots}
    hidden = [slot for slot in layers if not table(peer).is_up(slot)]
    return [layers[slot].mask for slot in hidden if peer.seat in layers[slot].keys]
