"""Tables with a cheater on them, and what must be true once it has cheated.

`convicted` is the whole demand: every honest peer stops at once, all with one verdict, nobody else
is accused, no honest seat signs anything more, and the fault file of each of them convinces
somebody who was not there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from p2pcards.cards.faces import Face
from p2pcards.cards.rules import Value
from p2pcards.cards.table import Seat
from p2pcards.crypto.kernel import Kernel, RealKernel
from p2pcards.crypto.transcript import Context
from p2pcards.engine.audit import FAULT_MAGIC, audit_fault, pack_log
from p2pcards.engine.chain import read_contribution
from p2pcards.engine.peer import Peer
from p2pcards.errors import CryptoError, SeatFault
from p2pcards.testing.cheaters import Cheat, Cheater, carried, cheating_table
from p2pcards.testing.network import (
    CALM,
    Network,
    Node,
    Tamper,
    Weather,
    first_option,
    random_option,
)
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import Kind


class SharedKernel(RealKernel):
    """The real kernel, which remembers verdicts on shuffles: a proof that several peers and an
    auditor of one test look at is checked once."""

    __slots__ = ("_verdicts",)

    def __init__(self) -> None:
        super().__init__()
        self._verdicts: dict[tuple[object, ...], CryptoError | None] = {}

    def check_mix(
        self,
        ctx: Context,
        key: bytes,
        before: Sequence[bytes],
        after: Sequence[bytes],
        proof: bytes,
    ) -> None:
        """As the real one."""
        asked = (ctx, key, tuple(before), tuple(after), proof)
        if asked not in self._verdicts:
            self._verdicts[asked] = None
            try:
                super().check_mix(ctx, key, before, after, proof)
            except CryptoError as error:
                self._verdicts[asked] = error
        verdict = self._verdicts[asked]
        if verdict is not None:
            raise verdict


class Stacked(OpenKernel):
    """An open kernel whose every shuffle brings these cards to the top, in this order, and leaves
    the others to chance."""

    __slots__ = ("_top",)

    def __init__(self, top: Iterable[Face] = ()) -> None:
        self._top = tuple(top)

    def recompute(self, key: bytes, before: Sequence[bytes], seed: bytes) -> tuple[bytes, ...]:
        """The order of chance, but for the cards on top."""
        left = list(super().recompute(key, before, seed))
        top = []
        for face in self._top:
            found = [mask for mask in left if Face(*mask[34:37]) == face]
            top += found[:1]
            left = [mask for mask in left if mask not in found[:1]]
        return (*top, *left)


def arena(
    cheats: Mapping[Seat, Cheat],
    kernel: Kernel,
    *,
    game: str = "oh-hell",
    seats: int = 3,
    seed: int = 1,
    weather: Weather = CALM,
    tamper: Tamper | None = None,
    options: Mapping[str, Value] | None = None,
    hands: int = 1,
    openings: str = "after-hand",
    chance: bool = False,
) -> Network:
    """A table with cheaters; the first hand of Oh Hell has one card unless `options` differ. Moves
    are the first possible ones, or left to chance."""
    rng = Random(seed)
    chosen: dict[str, Value] = {"hands": hands, "openings": openings}
    peers = cheating_table(
        game, seats, kernel, cheats, seed=seed, options=options, table_options=chosen
    )
    policies = [random_option(rng) if chance else first_option for _ in peers]
    return Network(peers, policies, rng, weather, tamper)


def honest_nodes(network: Network) -> list[Node]:
    """Those who do not cheat."""
    return [node for node in network.nodes if not isinstance(node.peer, Cheater)]


def cheater_of(network: Network) -> Cheater:
    """The one who does."""
    (cheater,) = (node.peer for node in network.nodes if isinstance(node.peer, Cheater))
    return cheater


def signed(node: Node) -> Counter[tuple[int, Seat]]:
    """How often a node has sent its own contribution to each step, by distinct payload."""
    own = {
        (c.step, c.seat, c.hash)
        for envelope in node.journal
        if (c := read_contribution(envelope)).seat == node.peer.seat
    }
    return Counter((step, seat) for step, seat, _ in own)


# [FAULT-1], [FAULT-2] of protocol.md
def convicted(network: Network, seat: Seat, code: str, *, started: bool = False) -> SeatFault:
    """Runs the table and demands what a cheat must lead to; gives the common verdict."""
    if not started:
        network.start()
    honest = honest_nodes(network)
    network.run_until(lambda: all(node.peer.verdict is not None for node in honest), 600)
    before = [signed(node) for node in honest]
    network.settle(5)
    assert [signed(node) for node in honest] == before, "an honest seat signs on after the verdict"
    verdicts = {told(node.peer.verdict) for node in honest}
    (verdict,) = verdicts
    fault = honest[0].peer.verdict
    assert fault is not None
    assert (fault.seat, fault.code) == (seat, code), verdict
    for node in honest:
        assert max(signed(node).values()) == 1
        assert node.stopped
        assert all(stop.fault.seat in cheating_seats(network) for stop in node.stopped)
        convinces(node.peer, fault)
    steps = {node.peer.match.chain.step for node in honest}
    if code != "chain.equivocation":
        assert max(steps) - fault.step <= 1
    return fault


def told(fault: SeatFault | None) -> tuple[Seat, int, str]:
    """What a verdict says."""
    assert fault is not None
    return fault.seat, fault.step, fault.code


def cheating_seats(network: Network) -> set[Seat]:
    """Who may be accused."""
    return {node.peer.seat for node in network.nodes if isinstance(node.peer, Cheater)}


# [FAULT-4], [AUDIT-3] of protocol.md
def convinces(peer: Peer, fault: SeatFault) -> None:
    """The fault file of a peer convicts the same seat of the same thing, by itself."""
    report = audit_fault(pack_log(peer.evidence(), FAULT_MAGIC), peer.match.kernel)
    assert report.verdict == "dishonest", report.problem
    assert report.fault is not None
    assert (report.fault.seat, report.fault.step, report.fault.code) == told(fault)


def stalled(network: Network, seats: Iterable[Seat], seconds: float = 30) -> None:
    """Runs the table and demands that it waits for these seats: nobody is accused, nobody goes on,
    and everybody can say for whom it waits."""
    network.start()
    network.settle(seconds)
    honest = honest_nodes(network)
    before = [node.peer.match.chain.head for node in honest]
    assert len(set(before)) == 1
    network.settle(seconds)
    assert [node.peer.match.chain.head for node in honest] == before
    for node in honest:
        assert node.peer.verdict is None
        assert node.stopped == []
        assert node.peer.match.chain.missing == set(seats)


def ended(network: Network) -> Network:
    """Runs the table to an end that no honest seat notices anything in."""
    network.run(600)
    assert len({node.peer.match.chain.head for node in network.nodes}) == 1
    for node in network.nodes:
        assert node.peer.match.finished
        assert node.peer.verdict is None
    return network


def on(kind: Kind, forge: Callable[[Cheater, Any], object | None], after: int = 0) -> Cheat:
    """Cheats in the contribution of this kind, after some honest ones of it; None: honest too."""
    seen = 0

    def cheat(peer: Cheater, body: object) -> Iterable[object]:
        nonlocal seen
        if peer.match.chain.kind is not kind:
            return (body,)
        seen += 1
        forged = forge(peer, body) if seen > after else None
        return (body,) if forged is None else (forged,)

    return cheat


def withhold(kind: Kind, after: int = 0) -> Cheat:
    """Signs nothing of this kind."""
    seen = 0

    def cheat(peer: Cheater, body: object) -> Iterable[object]:
        nonlocal seen
        if peer.match.chain.kind is not kind:
            return (body,)
        seen += 1
        return () if seen > after else (body,)

    return cheat


def rush(
    network: Network,
    seat: Seat,
    kind: Kind,
    forge: Callable[[Cheater, Any], object],
    *,
    started: bool = False,
) -> None:
    """Runs the table; where a seat that withholds this kind is the last whose contribution is
    lacking, it signs what it makes of all that it has seen."""
    node = network.nodes[seat]
    peer = node.peer
    assert isinstance(peer, Cheater)
    if not started:
        network.start()
    network.run_until(
        lambda: (
            peer.withheld is not None
            and peer.match.chain.kind is kind
            and peer.match.accepted.keys() == peer.match.chain.authors - {seat}
        )
    )
    network.perform(node, peer.publish(peer.sign(forge(peer, peer.withheld))))


def contributions(network: Network, kind: Kind) -> list[tuple[int, Seat]]:
    """Step and author of everything of a kind that went over the network."""
    found = []
    for node in network.nodes:
        for _, message in node.sent:
            contribution = carried(message)
            if contribution is not None and contribution.payload.kind == kind:
                found.append((contribution.step, contribution.seat))
    return found
