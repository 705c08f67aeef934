"""Røvhul among peers: whole matches with proofs, and what each seat comes to know on the way."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from p2pcards.cards.rules import Value
from p2pcards.cards.table import hand
from p2pcards.crypto.kernel import Kernel, RealKernel
from p2pcards.engine.audit import audit, pack_log
from p2pcards.engine.peer import Peer
from p2pcards.games.president_match import Phase
from p2pcards.shells.bots import play_simple
from p2pcards.testing.network import BAD, CALM, Network, Weather, random_option, table
from p2pcards.testing.open_kernel import OpenKernel


def network(
    kernel: Kernel, seats: int, options: Mapping[str, Value], weather: Weather = CALM
) -> Network:
    """Peers at a table for two deals; half of them have a plan."""
    rng = Random(1)
    peers = table("president", seats, kernel, seed=1, options={"deals": 2, **options})
    policies = [play_simple(rng) if peer.seat % 2 == 0 else random_option(rng) for peer in peers]
    return Network(peers, policies, rng, weather)


def check_end(net: Network, kernel: Kernel) -> None:
    """All have one log and one result, and an auditor says the same."""
    matches = [node.peer.match for node in net.nodes]
    assert len({match.chain.head for match in matches}) == 1
    assert all(match.over == matches[0].over is not None for match in matches)
    assert all(node.peer.verdict is None for node in net.nodes)
    report = audit(pack_log(matches[0].chain.envelopes()), kernel)
    assert (report.verdict, report.problem) == ("honest", None)
    assert report.checks["proofs of hidden hand-overs"] > 0
    assert report.checks["proofs about hidden cards"] > 0


def test_two_deals_with_proofs() -> None:
    kernel = RealKernel()
    net = network(kernel, 4, {})
    net.run()
    check_end(net, kernel)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 14])
def test_two_packs_with_proofs(seats: int) -> None:
    kernel = RealKernel()
    net = network(kernel, seats, {"decks": 2, "best_order": "power"})
    net.run(36_000)
    check_end(net, kernel)


@pytest.mark.parametrize(
    "seats, options",
    [
        (3, {"best_order": "power", "return_rule": "lowest"}),
        (5, {"decks": 2, "return_rule": "any", "first_leader": "rovhul"}),
    ],
)
def test_the_weather_does_not_matter(seats: int, options: dict[str, Value]) -> None:
    kernel = OpenKernel()
    net = network(kernel, seats, options, BAD)
    net.run()
    check_end(net, kernel)


def test_only_giver_and_receiver_see_what_is_exchanged() -> None:
    net = network(OpenKernel(), 3, {})
    peers = [node.peer for node in net.nodes]
    looked: set[int] = set()
    net.start()
    while not all(peer.match.finished for peer in peers):
        net.step()
        for peer in peers:
            if peer.match.state.phase is Phase.RETURN:
                check_hidden(peer)
                looked.add(peer.seat)
    assert looked == {0, 1, 2}


def check_hidden(peer: Peer) -> None:
    """The cards that were given lie in the president's hand, and only its holder knows that hand;
    which of its cards they are the røvhul cannot tell."""
    now = peer.match.dealer.table
    (pair,) = peer.match.state.pairs()
    assert len(now[hand(pair.better)]) == 20
    assert len(now[hand(pair.worse)]) == 16
    assert not now.faces
    assert peer.known.keys() & set(now.slots()) == set(now[hand(peer.seat)])
