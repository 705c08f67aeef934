"""A network that loses, doubles, delays and reorders changes nothing of what comes out.

Attacks 55 (reordering, duplication, delay) and 56 (a message withheld from one peer).
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from p2pcards.cards.rules import Value
from p2pcards.crypto.kernel import RealKernel
from p2pcards.engine.audit import audit_log, pack_log
from p2pcards.engine.events import Send
from p2pcards.testing.cheaters import carried
from p2pcards.testing.network import BAD, CALM, Node, Routed, Weather
from p2pcards.testing.open_kernel import OpenKernel
from tests.engine.rooms import check_agreed, peers_of, room

WORST = Weather(loss=0.4, double=0.4, delay=(0.0, 3.0))
HARMLESS = {"malformed.chunk", "malformed.ahead"}
"""What honest traffic may be dropped as: a chunk that overtook its header, a step too far ahead."""


# [CHAIN-3] of protocol.md
@pytest.mark.parametrize("seats", range(3, 8))
@pytest.mark.parametrize("seed", range(2))
def test_oh_hell_in_bad_weather(seats: int, seed: int) -> None:
    network = room("oh-hell", seats, OpenKernel(), seed, weather=BAD, hands=2)
    network.run()
    check_agreed(network)
    for peer in peers_of(network):
        assert set(peer.dropped) <= HARMLESS


# [CHAIN-2], [NET-2] of protocol.md
@pytest.mark.parametrize("seats", range(2, 8))
def test_all_operations_in_bad_weather(seats: int) -> None:
    network = room("bazaar", seats, OpenKernel(), 10 + seats, weather=BAD)
    network.run()
    check_agreed(network)


@pytest.mark.parametrize("seed", range(12))
def test_one_card_each_in_the_worst_weather(seed: int) -> None:
    options: dict[str, Value] = {"max_hand": 1, "bidding": "simultaneous"}
    network = room("oh-hell", 3, OpenKernel(), seed, weather=WORST, options=options)
    network.run(100_000)
    check_agreed(network)


@pytest.mark.parametrize("game, seats", [("oh-hell", 3), ("bazaar", 2)])
def test_real_cryptography_in_bad_weather(game: str, seats: int) -> None:
    kernel = RealKernel()
    network = room(game, seats, kernel, 5, weather=BAD, hands=2)
    network.run()
    match = check_agreed(network)
    report = audit_log(pack_log(match.chain.envelopes()), kernel)
    assert (report.verdict, report.problem) == ("honest", None)


def test_weather_does_not_decide_the_game() -> None:
    """The same seats with the same secrets and choices: one result in sun and rain."""
    heads = set()
    for weather in (CALM, BAD, WORST):
        network = room("oh-hell", 3, OpenKernel(), 7, weather=weather, options={"max_hand": 1})
        for node in network.nodes:
            node.choose = lambda view: view.options[-1].id
        network.run(100_000)
        heads.add(check_agreed(network).chain.head)
    assert len(heads) == 1


# [NET-2] of protocol.md
def test_what_one_seat_withholds_from_another_comes_by_a_third() -> None:
    """Seat 0 never reaches seat 2 by itself; seat 1 has what seat 2 asks for."""

    def cut(node: Node, send: Send) -> Iterable[Send | Routed]:
        if node.peer.seat != 0:
            return (send,)
        return (Routed(send.topic, send.message, frozenset({1})),)

    network = room("oh-hell", 3, OpenKernel(), 3, tamper=cut, options={"max_hand": 1})
    network.run()
    check_agreed(network)


def test_the_gap_is_named() -> None:
    """When nobody passes on a seat's contribution, the seat that lacks it says whose it is."""

    def mute(node: Node, send: Send) -> Iterable[Send | Routed]:
        contribution = carried(send.message)
        if contribution is not None and (contribution.seat, contribution.step) == (1, 3):
            return ()
        return (send,)

    network = room("oh-hell", 3, OpenKernel(), 3, tamper=mute)
    with pytest.raises(TimeoutError):
        network.run(60)
    waits = [(peer.match.chain.step, set(peer.match.chain.missing)) for peer in peers_of(network)]
    assert waits == [(3, {1}), (4, {0, 2}), (3, {1})]
    assert all(peer.verdict is None for peer in peers_of(network))
