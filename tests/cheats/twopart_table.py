"""A table of Twopart with a cheater on it, and what the cheater finds there.

A cheater plays honestly until its occasion comes. Where two players must win nothing in part one,
the open kernel deals the cards that see to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from p2pcards.cards.faces import Face
from p2pcards.cards.table import Slot, hand
from p2pcards.crypto.kernel import Kernel
from p2pcards.engine.match import Match
from p2pcards.games.shedding import PILE
from p2pcards.games.twopart import Phase, State
from p2pcards.games.twopart_house import PACK
from p2pcards.testing.cheaters import Cheater
from p2pcards.testing.network import Network
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import Kind, Shares
from tests.cheats.arena import Stacked, arena, convicted, honest_nodes
from tests.cheats.rovhult_table import Forger, Occasion, masks, table

OPEN: Kernel = OpenKernel()
CHEAT = 1
"""The seat that cheats."""


def one_winner() -> Kernel:
    """If everybody lays the oldest card of the hand, the first of three players wins them all."""
    ranked = sorted(PACK.faces, key=lambda face: -face.rank)
    first, second, third = ranked[:18], ranked[18:35], ranked[35:]
    rounds = zip(first, second, third, strict=False)
    return Stacked((*(face for cards in rounds for face in cards), first[-1]))


RICH_AND_POOR = one_winner()


def at_table(
    cheat: Callable[[Cheater, Any], Any], kernel: Kernel = OPEN, seed: int = 1, **options: Any
) -> Network:
    """Three players who always take their first option, one of whom cheats."""
    return arena({CHEAT: cheat}, kernel, game="twopart", seats=3, seed=seed, options=options)


def occasion(forge: Forger, kernel: Kernel, seed: int, last: Phase, **options: Any) -> Network:
    """A table at the moment at which the cheater has cheated, tried from this seed on. Tables are
    left when the phase `last` is over and the occasion has not come."""
    for number in range(seed, seed + 20):
        cheat = Occasion(forge)
        network = at_table(cheat, kernel, number, **options)
        network.start()
        network.run_until(partial(_decided, cheat, network.nodes[0].peer.match, last))
        if cheat.taken:
            return network
    raise AssertionError("the occasion never came")


def _decided(cheat: Occasion, match: Match, last: Phase) -> bool:
    order = list(Phase)
    past = order.index(match.state.phase) > order.index(last)
    return cheat.taken or past or match.finished


def caught(
    forge: Forger,
    code: str,
    kernel: Kernel = OPEN,
    *,
    seed: int = 0,
    last: Phase = Phase.END,
    **options: str | bool,
) -> None:
    """Plays until the cheat, and demands that all others convict its author of it at once."""
    convicted(occasion(forge, kernel, seed, last, **options), CHEAT, code, started=True)


def waited_for(
    forge: Forger,
    kernel: Kernel = OPEN,
    *,
    seed: int = 0,
    last: Phase = Phase.END,
    **options: str | bool,
) -> Network:
    """Plays until the cheater is silent; demands that nobody is accused and all know who it is."""
    network = occasion(forge, kernel, seed, last, **options)
    network.settle(60)
    for node in honest_nodes(network):
        assert node.peer.match.chain.missing == {CHEAT}
        assert node.peer.verdict is None
    return network


# --- what a cheater finds on the table ------------------------------------------------------------


def state_of(peer: Cheater) -> State:
    """Where the match stands."""
    state: State = peer.match.state
    return state


def moving(peer: Cheater, phase: Phase) -> bool:
    """Whether it is the cheater's turn in this part."""
    state, kind = state_of(peer), peer.match.chain.kind
    return kind is Kind.MOVE and state.phase is phase and state.turn == peer.seat


def own(peer: Cheater) -> tuple[Slot, ...]:
    """The cards of its hand."""
    return table(peer)[hand(peer.seat)]


def top(peer: Cheater) -> Face | None:
    """The card that is to be beaten."""
    pile = table(peer)[PILE]
    return table(peer).face(pile[-1]) if pile else None


def shares(peer: Cheater, slots: tuple[Slot, ...]) -> Shares:
    """Good shares of these cards, whether or not they are asked for."""
    wanted, key = masks(peer, slots), peer.key
    return Shares(*peer.kernel.shares(peer.context, key.x, key.public, wanted, peer.rng))


def beating(peer: Cheater, slots: list[Slot]) -> list[Slot]:
    """Those of them that could be played now."""
    state, face = state_of(peer), table(peer).turn_up(peer.known).face
    return [
        slot
        for slot in slots
        if state.house.refusal([face(slot)], top(peer), state.trump or 0) is None
    ]
