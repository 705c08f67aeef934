"""A match on real peers behind the page: whom it waits for, what the shield counts, how it ends."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from p2pcards.engine.view import SeatView
from p2pcards.errors import P2PCardsError, SeatFault, Unavailable
from p2pcards.games import GAMES
from p2pcards.shells.script import Table
from p2pcards.shells.text.en import WORDS
from p2pcards.shells.web.playing import Playing, broken, pending
from p2pcards.shells.web.shield import shield
from p2pcards.testing import network
from p2pcards.testing.network import Network, random_option
from p2pcards.testing.open_kernel import OpenKernel
from tests.shells.web.stage import codes

OPTIONS: dict[str, dict[str, Any]] = {
    "oh-hell": {"max_hand": 2},
    "president": {"deals": 2},
    "cuckoo": {"lives": 1},
}


def begin(game: str, seats: int = 3, seed: int = 1) -> Network:
    """A network of peers that play at random."""
    peers = network.table(game, seats, OpenKernel(), seed=seed, options=OPTIONS.get(game))
    return Network(peers, [random_option(random.Random(seed))] * seats, random.Random(seed))


def table_of(net: Network, seat: int = 0) -> Table:
    """What the page has of a table."""
    engine = net.nodes[seat].peer
    found = SimpleNamespace(
        engine=engine,
        driver=None,
        agreement=engine.match.agreement,
        players=tuple(player.name for player in engine.match.agreement.players),
    )
    return cast("Table", found)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_step_of_a_match_can_be_drawn_and_the_story_is_whole(
    game: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    net = begin(game)
    monkeypatch.setattr("p2pcards.shells.web.playing.time.monotonic", lambda: net.now)
    view = Playing(table_of(net), lambda key: False)
    kinds, told = set(), 0
    net.start()
    last: SeatView | None = None
    engine = net.nodes[0].peer
    while not engine.match.finished:
        net.step()
        seen = net.nodes[0].view
        if seen is not None and seen is not last:
            last = seen
            view.look(seen)
            document = view.document("title", {})
            kinds.add(pending(engine).kind)
            for code, _ in codes(document):
                assert code in WORDS, code
            told = max(told, len(document["log"]))
    assert kinds >= {"start", "deal", "move"}
    assert told > 5
    assert "cannot be told" not in caplog.text
    document = view.document("title", {})
    assert document["over"]["places"] == list(engine.match.over.places if engine.match.over else ())
    assert view.is_over


def test_a_story_that_cannot_be_told_stops_no_match(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    net = begin("oh-hell")
    view = Playing(table_of(net), lambda key: False)

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(view._story, "add", fail)
    net.run()
    assert net.nodes[0].peer.match.finished
    assert "cannot be told" in caplog.text


def test_the_shield_counts_what_was_verified_here() -> None:
    net = begin("oh-hell")
    net.run()
    peer = net.nodes[0].peer
    document = shield(peer, 7, 0, net.now)
    facts = {fact["code"]: fact for fact in document["facts"]}
    assert facts["fact.shuffled"]["args"]["n"] == 3
    assert facts["fact.shuffled"]["seats"] == [0, 1, 2]
    assert facts["fact.moves"]["more"]["args"]["n"] == 7
    assert facts["fact.hidden"]["more"]["args"]["n"] == peer.verified["check_shares"] > 0
    signed = sum(len(step) for step in peer.match.chain.log)
    assert facts["fact.signed"]["more"]["args"]["n"] == signed
    assert document["numbers"][0][1] == peer.match.chain.table.hex()
    assert len(document["words"].split()) == 6


def test_the_shield_counts_who_is_as_far_as_we_were() -> None:
    net = begin("oh-hell")
    net.start()
    net.run_until(lambda: net.nodes[0].peer.match.chain.step > 8)
    peer = net.nodes[0].peer
    assert shield(peer, 0, 3, net.now)["checked"] == 3
    assert shield(peer, 0, 3, net.now)["state"] == "ok"
    ahead = shield(peer, 0, peer.match.chain.step + 100, net.now)
    assert (ahead["checked"], ahead["state"]) == (1, "checking")
    later = shield(peer, 0, 3, net.now + 60)  # nobody has been heard of since
    assert (later["checked"], later["state"]) == (1, "checking")


def test_before_all_have_shuffled_the_shield_does_not_say_so() -> None:
    net = begin("oh-hell")
    net.start()
    peer = net.nodes[0].peer
    net.run_until(lambda: bool(peer.match.hands and peer.match.hand.mixes))
    fact = shield(peer, 0, 0, net.now)["facts"][0]
    assert fact["code"] == "fact.shuffling"
    assert fact["args"] == {"n": 1, "of": 3}
    assert fact["state"] == "checking"


def test_a_fault_is_shown_with_its_author() -> None:
    net = begin("oh-hell")
    net.start()
    net.run_until(lambda: net.nodes[0].peer.match.chain.step > 4)
    peer = net.nodes[0].peer
    peer.verdict = SeatFault(2, 5, "mix.proof")
    document = shield(peer, 0, 0, net.now)
    assert document["state"] == "fault"
    assert document["facts"][0]["args"] == {"name": table_of(net).players[2]}


@pytest.mark.parametrize(
    "error, code",
    [
        (SeatFault(1, 5, "mix.proof"), "over.fault"),
        (Unavailable("seat.left"), "over.left"),
        (Unavailable("seat.silent"), "over.silent"),
        (Unavailable("broker.gone"), "over.broken"),
    ],
)
def test_why_a_match_has_come_to_no_end(error: P2PCardsError, code: str) -> None:
    net = begin("oh-hell")
    net.start()
    table = table_of(net)
    table.engine.left.add(1)
    said = broken(table, error)
    assert said["code"] == code
    assert said["code"] in WORDS
    if code != "over.broken":
        assert said["args"]["name"] in table.players
