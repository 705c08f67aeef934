"""Twopart among real peers: with full cryptography, in the clear, and over a bad network."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from p2pcards.cards.rules import Dealing, Value
from p2pcards.cards.table import hand
from p2pcards.crypto.kernel import Kernel, RealKernel
from p2pcards.engine.audit import audit, pack_log
from p2pcards.engine.match import Match
from p2pcards.games.twopart import Phase, State
from p2pcards.games.twopart_house import PACK
from p2pcards.testing.network import BAD, CALM, Network, Weather, first_option, random_option, table
from p2pcards.testing.open_kernel import OpenKernel
from tests.cheats.twopart_table import RICH_AND_POOR

OPEN = OpenKernel()


def sit(
    seats: int,
    kernel: Kernel = OPEN,
    *,
    seed: int = 1,
    weather: Weather = CALM,
    chance: bool = True,
    options: Mapping[str, Value] | None = None,
) -> Network:
    """Honest peers who play by chance, or always the first thing possible."""
    peers = table("twopart", seats, kernel, seed=seed, options=options)
    rng = Random(seed)
    players = [random_option(rng) if chance else first_option for _ in peers]
    return Network(peers, players, rng, weather)


def check_end(network: Network, kernel: Kernel = OPEN) -> Match:
    """All have come to the same end, and the log is honest."""
    first = network.nodes[0].peer.match
    for node in network.nodes:
        assert node.peer.match.finished
        assert node.peer.verdict is None
        assert node.peer.match.chain.head == first.chain.head
        assert node.peer.match.state == first.state
    report = audit(pack_log(first.chain.envelopes()), kernel)
    assert report.verdict == "honest", report.problem
    assert report.over == first.over is not None
    assert report.checks["proofs about hidden cards"] == 0, "Twopart has nothing to prove"
    return first


def played(network: Network, kernel: Kernel = OPEN) -> Match:
    """A whole match."""
    network.run()
    return check_end(network, kernel)


@pytest.mark.parametrize("seats", [3, 4])
def test_a_match_with_full_cryptography(seats: int) -> None:
    kernel = RealKernel()
    match = played(sit(seats, kernel), kernel)
    state: State = match.state
    assert state.phase is Phase.END
    assert not state.stalled


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 5])
def test_matches_with_full_cryptography(seats: int) -> None:
    kernel = RealKernel()
    played(sit(seats, kernel, seed=seats), kernel)


@pytest.mark.slow
def test_low_cards_are_shared_out_with_full_cryptography() -> None:
    kernel = RealKernel()
    network = sit(6, kernel, seed=2, options={"low_share": "random_private"})
    match = network.nodes[0].peer.match
    network.start()
    network.run_until(lambda: match.state.phase is Phase.PART_TWO)
    lying = match.dealer.table
    assert sum(not lying.is_up(slot) for slot in lying.slots()) == 16
    network.run_until(lambda: all(node.peer.match.finished for node in network.nodes))
    check_end(network, kernel)


@pytest.mark.parametrize(
    "seats, options",
    [
        (2, {}),
        (6, {}),
        (3, {"trump_reveal": "immediate", "direction": "cw", "turn_target": "capped"}),
        (3, {"trump_reveal": "subround", "tie_rule": "all_equal", "runs": False}),
        (5, {"stall_limit": 20}),
    ],
)
def test_matches_in_the_clear(seats: int, options: Mapping[str, Value]) -> None:
    match = played(sit(seats, options=options))
    state: State = match.state
    assert state.phase is Phase.END
    assert state.stalled == ("stall_limit" in options)


def test_a_match_over_a_bad_network() -> None:
    played(sit(3, weather=BAD))


@pytest.mark.parametrize("low_share", ["random_public", "random_private"])
def test_low_cards_are_shared_out(low_share: str) -> None:
    """One of three wins everything. The two others get the sixteen low cards; whose they are is
    seen by all, or by their holders alone. No peer asks the rules while the cards move."""
    network = sit(3, RICH_AND_POOR, chance=False, options={"low_share": low_share})
    hands: dict[int, list[int]] = {}
    unknown: dict[int, list[int]] = {}

    def watch() -> bool:
        for node in network.nodes:
            peer, phase = node.peer, node.peer.match.state.phase
            if phase in {Phase.GATHER, Phase.LOW}:
                assert isinstance(peer.view().awaits, Dealing)
            if phase is Phase.PART_TWO and peer.seat not in hands:
                seen = peer.view().table
                cards = [seen[hand(seat)] for seat in range(3)]
                hands[peer.seat] = list(map(len, cards))
                unknown[peer.seat] = [sum(not seen.is_up(s) for s in held) for held in cards]
        return len(hands) == 3

    network.start()
    network.run_until(watch)
    sizes = hands[0]
    assert sorted(sizes) == [8, 8, 36]
    assert hands == dict.fromkeys(range(3), sizes)
    rich = sizes.index(36)
    for seat in range(3):
        closed = low_share == "random_private"
        expected = [8 * (closed and other not in {seat, rich}) for other in range(3)]
        assert unknown[seat] == expected
    network.run_until(lambda: all(node.peer.match.finished for node in network.nodes))
    check_end(network, RICH_AND_POOR)


def test_the_cards_are_those_of_the_pack() -> None:
    match = played(sit(2))
    lying = match.dealer.table
    assert len(lying.slots()) == len(PACK.faces)
    assert {lying.face(slot) for slot in lying.slots()} == set(PACK.faces)
