"""Røvhult among real peers: with full cryptography, with ten, and over a bad network."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from p2pcards.cards.rules import Value
from p2pcards.cards.table import Slot
from p2pcards.crypto.kernel import Kernel, RealKernel
from p2pcards.engine.audit import audit, pack_log
from p2pcards.engine.chain import read_contribution
from p2pcards.engine.match import Match
from p2pcards.engine.peer import Peer
from p2pcards.games.rovhult import Flip, Phase, Play, State, down
from p2pcards.shells.bots import strategy
from p2pcards.testing.network import BAD, CALM, Network, Weather, table
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.codec import from_plain, from_tagged
from p2pcards.wire.messages import MESSAGE_LIMIT, Kind, Move

OPEN = OpenKernel()


def sit(
    seats: int,
    kernel: Kernel = OPEN,
    *,
    seed: int = 1,
    weather: Weather = CALM,
    options: Mapping[str, Value] | None = None,
) -> Network:
    """Honest peers who play by rules of thumb."""
    peers = table("rovhult", seats, kernel, seed=seed, options=options)
    players = [strategy("simple", Random(seat)) for seat in range(seats)]
    return Network(peers, players, Random(seed), weather)


def played(network: Network, kernel: Kernel = OPEN) -> Match:
    """A whole match, which ends alike for all, and whose log is honest."""
    network.run()
    first = network.nodes[0].peer.match
    for node in network.nodes:
        assert node.peer.verdict is None
        assert node.peer.match.chain.head == first.chain.head
        assert node.peer.match.state == first.state
        assert all(len(message) <= MESSAGE_LIMIT for _, message in node.sent)
    report = audit(pack_log(first.chain.envelopes()), kernel)
    assert report.verdict == "honest", report.problem
    assert report.over == first.over is not None
    assert report.checks["proofs about hidden cards"] == 0, "Røvhult has nothing to prove"
    return first


def moves(match: Match) -> list[object]:
    """All moves of the turns, in order."""
    found = []
    for envelope in match.chain.envelopes():
        contribution = read_contribution(envelope)
        if contribution.payload.kind == Kind.MOVE:
            body = from_plain(Move, contribution.payload.body)
            found.append(from_tagged(body.move, match.rules.moves))
    return found


@pytest.mark.parametrize("seats, options", [(3, {}), (4, {"unlinkable_draws": True})])
def test_a_match_with_full_cryptography(seats: int, options: Mapping[str, Value]) -> None:
    kernel = RealKernel()
    match = played(sit(seats, kernel, seed=seats, options=options), kernel)
    assert any(isinstance(move, Flip) for move in moves(match))
    assert any(isinstance(move, Play) for move in moves(match))


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 5, 10])
def test_matches_with_full_cryptography(seats: int) -> None:
    kernel = RealKernel()
    played(sit(seats, kernel, seed=seats), kernel)


@pytest.mark.parametrize(
    "seats, options",
    [
        (2, {}),
        (10, {}),
        (3, {"arrange_mode": "sequential", "direction": "cw"}),
        (3, {"arrange_mode": "none", "decks": 2, "unlinkable_draws": True}),
        (4, {"stall_limit": 6}),
    ],
)
def test_matches_in_the_clear(seats: int, options: Mapping[str, Value]) -> None:
    match = played(sit(seats, options=options))
    state: State = match.state
    assert state.phase is Phase.END
    assert state.stalled == ("stall_limit" in options)


def test_a_match_over_a_bad_network() -> None:
    played(sit(3, weather=BAD))


def seen(peer: Peer) -> set[Slot]:
    """The cards whose faces a peer knows."""
    return {*peer.known, *peer.match.dealer.table.faces}


def test_face_down_cards_are_seen_by_nobody_before_all_see_them() -> None:
    network = sit(4)
    network.start()
    match = network.nodes[0].peer.match
    closed = [12]
    while not match.finished:
        network.step()
        for peer in (node.peer for node in network.nodes):
            dealer = peer.match.dealer
            cards = {slot for seat in range(4) for slot in dealer.table[down(seat)]}
            assert not cards & seen(peer)
            # three keys are left on a card that its owner has just turned over
            assert all(len(dealer.masked[slot].layer.keys) >= 3 for slot in cards)
            if peer.match.state.phase is Phase.TURNS:
                closed.append(len(cards))
    assert closed[1] == 12
    assert min(closed) < 9, "several were turned over"
