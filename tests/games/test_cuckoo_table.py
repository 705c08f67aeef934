"""Gnav among real peers: with full cryptography, with twenty, and with seats that hold no keys."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from random import Random

import pytest

from p2pcards.cards.rules import Value
from p2pcards.crypto.kernel import Kernel, RealKernel
from p2pcards.crypto.signing import Identity
from p2pcards.engine.audit import audit, pack_log
from p2pcards.engine.chain import read_contribution
from p2pcards.engine.events import Received, Send, Tick
from p2pcards.engine.lobby import Guest, Host, Lobby
from p2pcards.engine.match import Match
from p2pcards.testing.network import BAD, CALM, Network, Weather, random_option, seeded_bytes, table
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import MESSAGE_LIMIT, Kind

OPEN = OpenKernel()


def played(
    seats: int,
    kernel: Kernel = OPEN,
    *,
    seed: int = 1,
    weather: Weather = CALM,
    options: Mapping[str, Value] | None = None,
    hands: int = 0,
    openings: str = "after-hand",
) -> Match:
    """A match of honest peers without a plan, which all end alike, and whose log is honest."""
    rng = Random(seed)
    chosen: dict[str, Value] = {"hands": hands, "openings": openings}
    peers = table("cuckoo", seats, kernel, seed=seed, options=options, table_options=chosen)
    network = Network(peers, [random_option(rng) for _ in peers], rng, weather)
    network.run()
    first = peers[0].match
    for peer in peers:
        assert peer.verdict is None
        assert peer.match.chain.head == first.chain.head
        assert peer.match.state == first.state
    for node in network.nodes:
        assert all(len(message) <= MESSAGE_LIMIT for _, message in node.sent)

    report = audit(pack_log(first.chain.envelopes()), kernel)
    assert report.verdict == "honest", report.problem
    assert report.over == first.over
    proven = report.checks["proofs about hidden cards"]
    assert proven > 0
    if openings == "after-hand":
        assert report.checks["claims checked on opened cards"] == proven
    return first


def authors(match: Match, kind: Kind) -> list[frozenset[int]]:
    """Who signed the steps of a kind, one after the other."""
    steps: dict[int, set[int]] = {}
    for envelope in match.chain.envelopes():
        contribution = read_contribution(envelope)
        if contribution.payload.kind == kind:
            steps.setdefault(contribution.step, set()).add(contribution.seat)
    return [frozenset(steps[step]) for step in sorted(steps)]


def test_a_match_with_full_cryptography() -> None:
    match = played(4, RealKernel(), seed=7, options={"lives": 1})
    assert len(match.state.results) > 1


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_whole_matches_with_full_cryptography(seats: int) -> None:
    match = played(seats, RealKernel(), seed=seats)
    assert match.over is not None


def test_only_participants_sign_for_a_deal() -> None:
    """Who is out or rests holds no key, but all who live confirm the next deal."""
    match = played(5, seed=3, options={"lives": 2})
    dealt = [result for result in match.state.results if len(result.order) > 1]
    participants = [frozenset(result.order) for result in dealt]
    assert authors(match, Kind.KEY_COMMIT) == participants
    assert authors(match, Kind.OPEN) == participants
    assert any(len(order) < 5 for order in participants)
    assert any(result.rest for result in dealt)

    alive = [
        frozenset(seat for seat, lives in enumerate(result.lives) if lives) for result in dealt
    ]
    together = [seats for seats in authors(match, Kind.MOVE) if len(seats) > 1]
    # by turns: who was dealt a fool, who wants the next deal
    assert together[::2] == participants
    assert together[1::2] == alive[:-1]
    assert any(after - before for before, after in zip(participants, alive, strict=True))


@pytest.mark.parametrize(
    "options",
    [
        {"fool_reveal": "knock", "cat_effect": "refuse"},
        {"jumped_holder_acts": False, "dealer_resting": "skip"},
        {"fool_rests": False},
    ],
)
def test_other_options(options: Mapping[str, Value]) -> None:
    played(3, seed=2, options=options)


def test_two_who_rest_and_a_skipped_deal() -> None:
    """Deals without cards are nothing to the chain."""
    for seed in range(40):
        match = played(2, seed=seed, options={"lives": 9})
        if any(len(result.order) < 2 for result in match.state.results):
            return
    raise AssertionError("no deal was skipped")


def test_keys_may_stay_closed() -> None:
    match = played(4, seed=5, openings="never", options={"lives": 2})
    assert authors(match, Kind.OPEN) == []


def test_a_bad_network() -> None:
    played(4, seed=4, weather=BAD, options={"lives": 1})


@pytest.mark.parametrize(
    "weather", [CALM, pytest.param(BAD, marks=pytest.mark.slow)], ids=["calm", "bad"]
)
def test_twenty_at_a_table(weather: Weather) -> None:
    match = played(20, seed=6, weather=weather, hands=1)
    assert match.dealer.hand == 1
    assert authors(match, Kind.SIT) == [frozenset(range(20))]


def test_twenty_find_together() -> None:
    """From knocks to the agreement, with the longest names there are."""
    rng = Random(20)
    identities = [Identity.new(seeded_bytes(rng)) for _ in range(20)]
    host = Host(
        identities[0],
        "h" * 40,
        seeded_bytes(rng),
        game="gnav",
        seats=20,
        options={},
        table_options={},
        unix_time=lambda: 0,
    )
    guests = [
        Guest(each, "x" * 40, seeded_bytes(rng), place=host.place, host=identities[0].public)
        for each in identities[1:]
    ]
    everyone: list[Lobby] = [host, *guests]
    waiting = deque((lobby, effect) for lobby in everyone for effect in lobby.handle(Tick(), 0.0))
    while waiting:
        author, effect = waiting.popleft()
        if not isinstance(effect, Send) or not effect.message:
            continue
        assert len(effect.message) <= MESSAGE_LIMIT
        for lobby in everyone:
            if lobby is not author:
                answers = lobby.handle(Received(effect.message), 0.0)
                waiting.extend((lobby, answer) for answer in answers)
    agreements = {lobby.agreement.table for lobby in everyone if lobby.agreement is not None}
    assert len(agreements) == 1
    assert all(lobby.agreement is not None for lobby in everyone)
