"""Peers in scripts: they decide on what their seat may know, and are refused what is not legal."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Self, TypeVar

import pytest

from p2pcards.cards.table import hand
from p2pcards.crypto.kernel import RealKernel
from p2pcards.engine.audit import audit
from p2pcards.errors import (
    BadOption,
    IllegalMove,
    Refused,
    StaleChoice,
    StoreError,
    Unavailable,
)
from p2pcards.games.oh_hell import Bid
from p2pcards.net import driver as driver_module
from p2pcards.net.advert import Notice, check_name
from p2pcards.net.broker import EmbeddedBroker
from p2pcards.net.driver import Notices
from p2pcards.net.store import Profile
from p2pcards.shells import script
from p2pcards.shells.script import Peer, Table
from tests.net.raw import until
from tests.programs import ROOT, WITHIN, environment

T = TypeVar("T")


class Unheard:
    """An advertisement that nobody hears."""

    def __init__(self, notice: Notice, *_: object) -> None:
        self.notice = notice

    async def __aenter__(self) -> Self:
        check_name(self.notice.name)
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    def update(self, notice: Notice) -> None:
        """Shows this from now on, to nobody."""
        self.notice = notice


@pytest.fixture(autouse=True)
def _loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """No port that others may want, no discovery, and no waiting for proofs that are long since
    checked."""
    monkeypatch.setattr(script, "PORT", 0)
    monkeypatch.setattr(script, "Advertisement", Unheard)
    monkeypatch.setattr(driver_module, "VERDICT_WITHIN", 0.3)


def run(scenario: Awaitable[T]) -> T:
    """Runs a scenario that ends."""

    async def bounded() -> T:
        async with asyncio.timeout(WITHIN):
            return await scenario

    return asyncio.run(bounded())


async def hosting(peer: Peer, **settings: Any) -> tuple[asyncio.Task[Table], str]:
    """A table that waits for players, and where it can be joined."""
    places: list[str] = []
    peer._notices = Notices(opened=places.extend)
    settings = {"seats": 3, "hands": 1, **settings}
    task = asyncio.create_task(peer.host("oh-hell", **settings))
    await until(lambda: places or task.done(), within=30)
    if task.done():
        await task
    return task, places[0]


# --- deciding -------------------------------------------------------------------------------------


def test_a_script_decides_on_what_its_seat_may_know() -> None:
    async def scenario() -> None:
        async with Peer("Ada", seed=1) as peer:
            table = await peer.host("oh-hell", seats=3, bots=2, hands=2)
            assert table.players[table.seat] == "Ada"
            assert {*table.players} == {"Ada", "Bot 1", "Bot 2"}
            asked = 0
            async for decision in table.decisions():
                asked += 1
                view = decision.view
                assert decision.legal
                assert len(set(map(repr, decision.legal))) == len(decision.legal)
                for seat in {0, 1, 2} - {table.seat}:
                    assert not any(view.table.is_up(slot) for slot in view.table[hand(seat)])
                await refuse(decision, table)
                await decision.play(decision.legal[-1])
                with pytest.raises(StaleChoice):
                    await decision.play(decision.legal[-1])
            result = await table.result()
            assert asked >= 4  # two bids, and the plays that were not forced
            assert audit(result.log, RealKernel()).verdict == "honest"
            assert result.log == table.log
            assert (result.game, result.seat, result.players) == (
                "oh-hell",
                table.seat,
                table.players,
            )
            assert len(result.sheet) == 2
            assert min(result.places) == 1
            assert table.fault_file is None

    run(scenario())


async def refuse(decision: script.Decision, table: Table) -> None:
    """Moves that are not legal raise, and change nothing."""
    before = table.view
    for move in (Bid(99), None, "o0", object()):
        with pytest.raises(IllegalMove):
            await decision.play(move)
    for option in ("", "o99", "0"):
        with pytest.raises(IllegalMove):
            await decision.choose(option)
    assert table.view == before


# --- hosting and joining --------------------------------------------------------------------------


def test_a_table_of_bots_listens_on_loopback_alone_and_is_not_advertised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever interface was chosen for other tables."""
    listened: list[list[str]] = []
    start = EmbeddedBroker.start

    async def spy(addresses: list[str], port: int = 0, gate: str = "") -> EmbeddedBroker:
        listened.append(addresses)
        return await start(addresses, port, gate)

    monkeypatch.setattr(EmbeddedBroker, "start", spy)
    monkeypatch.setattr(script, "Advertisement", None)

    async def scenario() -> None:
        async with Peer("Ada", interface="127.0.0.2") as peer:
            table = await peer.host("oh-hell", seats=3, bots=2, hands=1)
            await table.play(lambda view: view.options[0].id)

    run(scenario())
    assert listened == [["127.0.0.1"]]


def test_a_table_for_others_is_where_an_address_alone_finds_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At the port of MQTT; at another one, and said so, where that is taken."""

    async def scenario() -> None:
        async with await EmbeddedBroker.start(["127.0.0.1"]) as other:
            free = other.port
        monkeypatch.setattr(script, "PORT", free)
        async with Peer("Ada", interface="127.0.0.1") as ada, Peer("Bob") as bob:
            bob._interface = "127.0.0.1"
            first, place = await hosting(ada)
            second, other_place = await hosting(bob)
            assert place == f"127.0.0.1:{free}"
            assert other_place != place
            for task in (first, second):
                task.cancel()
            await asyncio.gather(first, second, return_exceptions=True)

    run(scenario())


def test_strangers_cannot_take_the_seats_of_bots() -> None:
    async def scenario() -> None:
        async with (
            Peer("Ada", interface="127.0.0.1") as ada,
            Peer("Bob") as bob,
            Peer("Cyd") as cyd,
        ):
            task, place = await hosting(ada, seats=3, bots=1)
            knocks = [asyncio.create_task(guest.join(place)) for guest in (bob, cyd)]
            table = await task
            assert "Bot 1" in table.players
            outcomes = await asyncio.gather(*knocks, return_exceptions=True)
            (refused,) = [o for o in outcomes if isinstance(o, BaseException)]
            assert isinstance(refused, Refused | Unavailable)

    run(scenario())


def test_nobody_joins_its_own_table(tmp_path: Path) -> None:
    async def scenario() -> None:
        profile = Profile.open(tmp_path)
        async with (
            Peer("Ada", profile=profile, interface="127.0.0.1") as ada,
            Peer("Ada again", profile=tmp_path) as again,
        ):
            task, place = await hosting(ada)
            with pytest.raises(StoreError, match=r"profile\.in_use"):
                await again.join(place)
            assert not task.done()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    run(scenario())


def test_who_leaves_is_named_even_when_it_seats_bots() -> None:
    async def scenario() -> None:
        async with Peer("Bob") as bob:
            async with Peer("Ada", interface="127.0.0.1") as ada:
                task, place = await hosting(ada, bots=1, hands=0)
                table = await bob.join(place)
                await task
            with pytest.raises(Unavailable) as left:
                await table.play(lambda view: view.options[0].id)
            assert (left.value.code, left.value.detail) == ("seat.left", "Ada has left the table")

    run(scenario())


@pytest.mark.parametrize(
    "settings, code",
    [
        ({"seats": 3, "bots": 3}, "option.bots"),
        ({"seats": 8}, "option.seats"),
        ({"bots": ["simple", "genius"]}, "strategy.unknown"),
        ({"options": {"hook": "maybe"}}, "option.value"),
        ({"hands": 1000}, "option.value"),
        ({"title": "x\ny"}, "table.name"),
    ],
)
def test_a_table_that_cannot_be_is_refused(settings: dict[str, Any], code: str) -> None:
    async def scenario() -> None:
        async with Peer("Ada", interface="127.0.0.1") as peer:
            await peer.host("oh-hell", **settings)

    with pytest.raises(BadOption) as refusal:
        run(scenario())
    assert refusal.value.code == code


@pytest.mark.parametrize("name", ["", " ", "a\nb", "\x1b[2J", "a\u202eb", "x" * 41, "é" * 40])
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(BadOption):
        Peer(name)


def test_names_are_composed() -> None:
    assert Peer(" Zoe\u0301 ").name == "Zo\u00e9"


# --- the example ----------------------------------------------------------------------------------


def test_the_example_plays_a_match(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "example_peer.py"), "--hands", "1"],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=WITHIN,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    *_, last = done.stdout.splitlines()
    assert last.startswith("places: ")
    assert "I bid" in done.stdout
