"""Tables over the simulated network, ready to run, and what they must agree on in the end."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from p2pcards.cards.rules import Value
from p2pcards.crypto.kernel import Kernel
from p2pcards.engine.match import Match
from p2pcards.engine.peer import Peer
from p2pcards.testing.network import CALM, Network, Tamper, Weather, random_option, table

SHORT: Mapping[str, Value] = {"max_hand": 2}
"""Oh Hell with hands of one and two cards."""


def room(
    game: str,
    seats: int,
    kernel: Kernel,
    seed: int = 1,
    *,
    weather: Weather = CALM,
    tamper: Tamper | None = None,
    options: Mapping[str, Value] | None = None,
    hands: int = 0,
    openings: str = "after-hand",
) -> Network:
    """Honest players without a plan, on a network that has not started."""
    rng = Random(seed)
    if options is None and game == "oh-hell":
        options = SHORT
    chosen: dict[str, Value] = {"hands": hands, "openings": openings}
    peers = table(game, seats, kernel, seed=seed, options=options, table_options=chosen)
    return Network(peers, [random_option(rng) for _ in peers], rng, weather, tamper)


def peers_of(network: Network) -> list[Peer]:
    """The peers in seat order."""
    return [node.peer for node in network.nodes]


def check_agreed(network: Network) -> Match:
    """All have finished with one log, one table and one result; gives one of their matches."""
    first, *others = (peer.match for peer in peers_of(network))
    assert first.finished
    assert first.over is not None
    for match in others:
        assert match.finished
        assert match.chain.head == first.chain.head
        assert list(match.chain.envelopes()) == list(first.chain.envelopes())
        assert match.over == first.over
        assert match.state == first.state
        assert match.dealer.table == first.dealer.table
    for node in network.nodes:
        assert node.peer.verdict is None
        assert sorted(node.journal) == sorted(first.chain.envelopes())
    return first
