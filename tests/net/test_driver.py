"""The driver over a real embedded broker: whole matches, and everything that ends one early."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from p2pcards.engine import peer as peer_module
from p2pcards.engine.audit import JOURNAL_MAGIC, LOG_MAGIC, audit_log, pack_log, unpack_log
from p2pcards.engine.chain import Contribution
from p2pcards.errors import (
    IllegalMove,
    P2PCardsError,
    Refused,
    SeatFault,
    StaleChoice,
    StoreError,
    Unavailable,
)
from p2pcards.net import driver as driver_module
from p2pcards.net.address import BrokerUrl
from p2pcards.net.store import Profile
from p2pcards.testing.cheaters import message, sign
from p2pcards.testing.open_kernel import OpenKernel
from tests.net.raw import until
from tests.net.seats import Chair, chair, embedded, guest_lobby, host_lobby, seated


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody here takes long to check a proof."""
    monkeypatch.setattr(driver_module, "VERDICT_WITHIN", 0.5)


async def outcome(chair_: Chair) -> P2PCardsError:
    """What ends a chair's match."""
    with pytest.raises(P2PCardsError) as ending:
        await chair_.play()
    return ending.value


# --- whole matches --------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [3, 5])
def test_a_match_over_the_embedded_broker(tmp_path: Path, seats: int) -> None:
    profile = Profile.open(tmp_path)

    async def scenario() -> None:
        host = host_lobby(seats)
        async with (
            embedded(host) as (broker, _),
            seated(host, broker, profiles={0: profile}) as all_,
        ):
            peers = await asyncio.gather(*(each.play(seed=i) for i, each in enumerate(all_)))
            logs = {pack_log(peer.match.chain.envelopes()) for peer in peers if peer is not None}
            assert len(logs) == 1
            (log,) = logs
            assert audit_log(log, OpenKernel()).verdict == "honest"
            (first,) = {each.heard.agreed[0].table for each in all_}
            assert all(len(each.heard.agreed) == 1 for each in all_)
            names, wanted = all_[0].heard.gathering[-1]
            assert (names[0], len(names), wanted) == ("Ada", seats, seats)
            assert all(each.heard.link == [(True, each.heard.link[0][1])] for each in all_)
            assert all(each.heard.waiting == [] for each in all_)
            journal = (tmp_path / "tables" / first.hex() / "journal").read_bytes()
            assert sorted(unpack_log(journal, JOURNAL_MAGIC)) == sorted(unpack_log(log, LOG_MAGIC))
            assert (tmp_path / "tables" / first.hex() / "secrets").stat().st_size > 0

    asyncio.run(scenario())


def test_a_profile_is_free_again_after_the_match(tmp_path: Path) -> None:
    async def scenario() -> None:
        for _ in range(2):
            host = host_lobby(3, hands=1)
            profiles = {0: Profile.open(tmp_path)}
            async with (
                embedded(host) as (broker, _),
                seated(host, broker, profiles=profiles) as all_,
            ):
                await asyncio.gather(*(each.play() for each in all_))

    asyncio.run(scenario())


def test_a_broker_that_comes_back_costs_time_alone() -> None:
    async def scenario() -> None:
        host = host_lobby(3)
        async with contextlib.AsyncExitStack() as stack:
            broker, _ = await stack.enter_async_context(embedded(host))
            chairs = await stack.enter_async_context(seated(host, broker))
            await asyncio.gather(*(each.play(steps=20) for each in chairs))
            await broker.stop()
            await until(lambda: all(not each.heard.link[-1][0] for each in chairs))
            keys = [player.key for player in chairs[0].heard.agreed[0].players]
            await stack.enter_async_context(embedded(host, port=broker.port, keys=keys))
            peers = await asyncio.gather(*(each.play() for each in chairs))
            assert len({peer.match.chain.head for peer in peers if peer is not None}) == 1
            assert all(each.heard.link[-1][0] for each in chairs)

    asyncio.run(scenario())


# --- ends -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", [0, 2])
def test_who_leaves_politely_is_named_at_once(who: int) -> None:
    async def scenario() -> None:
        host = host_lobby(3)
        async with embedded(host) as (broker, _), seated(host, broker) as chairs:
            others = [each for each in chairs if each is not chairs[who]]
            waiting = [asyncio.create_task(outcome(each)) for each in others]
            await chairs[who].play(steps=12)
            await chairs[who].driver.leave()
            async with asyncio.timeout(5):
                endings = await asyncio.gather(*waiting)
            name = ["Ada", "Bob", "Cyd"][who]
            assert {ending.code for ending in endings} == {"seat.left"}
            assert all(isinstance(ending, Unavailable) for ending in endings)
            assert {ending.detail for ending in endings} == {f"{name} has left the table"}

    asyncio.run(scenario())


def test_a_seat_that_falls_silent_is_noticed_and_then_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driver_module, "SILENCE", 2.0)
    monkeypatch.setattr(peer_module, "ALIVE_EVERY", 0.2)

    async def scenario() -> None:
        host = host_lobby(3)
        async with embedded(host) as (broker, _), seated(host, broker) as chairs:
            *others, silent = chairs
            waiting = [asyncio.create_task(outcome(each)) for each in others]
            await silent.play(steps=12)
            monkeypatch.setattr(silent.driver._link, "publish", lambda *_: True)
            seat = silent.peer.seat
            await until(lambda: all(each.heard.waiting for each in others))
            assert all(each.heard.waiting[0] == (seat,) for each in others)
            async with asyncio.timeout(20):
                endings = await asyncio.gather(*waiting)
            assert {ending.code for ending in endings} == {"seat.silent"}
            assert all(ending.detail.startswith("Cyd ") for ending in endings)

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_seat_that_thinks_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs of life are enough: nobody is hurried."""
    monkeypatch.setattr(driver_module, "SILENCE", 1.0)
    monkeypatch.setattr(peer_module, "ALIVE_EVERY", 0.2)

    async def scenario() -> None:
        host = host_lobby(3, hands=1)
        async with embedded(host) as (broker, _), seated(host, broker) as chairs:
            await asyncio.gather(*(each.play(steps=12) for each in chairs))
            slow = next(each for each in chairs if each.peer.view().options)
            others = [each for each in chairs if each is not slow]
            waiting = [asyncio.create_task(each.play()) for each in others]
            await asyncio.sleep(1.8)
            assert not any(task.done() for task in waiting)
            await asyncio.gather(slow.play(), *waiting)

    asyncio.run(scenario())


def second_version(liar: Chair) -> bytes:
    """The message of another contribution to a step that the liar has contributed to already."""
    chain = liar.peer.match.chain
    first = next(c for step in range(1, chain.step) for c in chain.at(step) if liar_of(c, liar))
    return message(sign(liar.driver._identity, replace(first.payload, body=(b"other",))))


def liar_of(contribution: Contribution, liar: Chair) -> bool:
    """Whether it is the liar's."""
    return contribution.seat == liar.peer.seat


def test_a_proof_of_dishonesty_wins_over_a_goodbye() -> None:
    """Who has seen the proof leaves; who has still to check it does not take that for the end."""

    async def scenario() -> None:
        host = host_lobby(3)
        async with embedded(host) as (broker, _), seated(host, broker) as (one, two, liar):
            await asyncio.gather(*(each.play(steps=12) for each in (one, two, liar)))
            ending = asyncio.create_task(outcome(one))
            await two.driver.leave()
            await until(lambda: two.peer.seat in one.peer.left)
            one.driver._heard("p2pcards/1/0/seat/0", second_version(liar))
            fault = await ending
            assert isinstance(fault, SeatFault)
            assert (fault.code, fault.seat) == ("chain.equivocation", liar.peer.seat)

    asyncio.run(scenario())


class Broken(OpenKernel):
    """A kernel with a fault of its own."""

    def check_mix(self, *_: Any) -> None:
        raise RuntimeError("a fault of this program")


def test_a_fault_of_our_own_ends_our_match_and_says_what_it_was() -> None:
    async def scenario() -> None:
        host = host_lobby(3)
        async with (
            embedded(host) as (broker, _),
            seated(host, broker, kernels={1: Broken()}) as all_,
        ):
            plays = [asyncio.create_task(each.play()) for each in all_]
            with pytest.raises(RuntimeError, match="a fault of this program"):
                await plays[1]
            await all_[1].driver.leave()
            for play in (plays[0], plays[2]):
                with pytest.raises(Unavailable, match="Bob has left"):
                    await play

    asyncio.run(scenario())


# --- the lobby ------------------------------------------------------------------------------------


def test_a_guest_hears_that_the_table_is_full_or_closed() -> None:
    async def scenario() -> None:
        host = host_lobby(3)
        host._expected = frozenset({bytes(32)})
        async with embedded(host) as (_, url), chair(host, url).driver as driver:
            bob, late = (chair(guest_lobby(host, name), url) for name in ("Bob", "Cyd"))
            async with bob.driver:
                await until(lambda: host.taken == 2)
                async with late.driver:
                    with pytest.raises(Refused, match=r"lobby\.full"):
                        await late.driver.agreed()
                await driver.leave()
                with pytest.raises(Refused, match=r"lobby\.closed"):
                    await bob.driver.agreed()

    asyncio.run(scenario())


def test_nothing_can_be_chosen_before_the_match() -> None:
    async def scenario() -> None:
        host = host_lobby(3)
        async with embedded(host) as (_, url), chair(host, url).driver as driver:
            with pytest.raises(Unavailable, match=r"table\.forming"):
                driver.choose("o0", 0)

    asyncio.run(scenario())


def test_a_bad_choice_is_refused_here_and_nothing_is_sent() -> None:
    async def scenario() -> None:
        host = host_lobby(3, hands=1)
        async with embedded(host) as (broker, _), seated(host, broker) as chairs:
            await asyncio.gather(*(each.play(steps=12) for each in chairs))
            asked = next(each for each in chairs if each.peer.view().options)
            view = asked.peer.view()
            for option, at, kind in (
                ("o99", view.step, IllegalMove),
                ("", view.step, IllegalMove),
                (view.options[0].id, view.step - 1, StaleChoice),
                (view.options[0].id, view.step + 1, StaleChoice),
            ):
                with pytest.raises(kind):
                    asked.driver.choose(option, at)
            assert asked.peer.view() == view
            idle = next(each for each in chairs if not each.peer.view().options)
            with pytest.raises(StaleChoice):
                idle.driver.choose("o0", view.step)
            peers = await asyncio.gather(*(each.play() for each in chairs))
            assert all(peer is not None and peer.verdict is None for peer in peers)

    asyncio.run(scenario())


# --- what cannot begin ----------------------------------------------------------------------------


@pytest.fixture(name="nobody")
def _nobody() -> Iterator[BrokerUrl]:
    """A port where nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield BrokerUrl("127.0.0.1", sock.getsockname()[1])


def test_without_a_broker_nothing_begins_and_nothing_stays_locked(
    tmp_path: Path, nobody: BrokerUrl
) -> None:
    async def scenario() -> None:
        lobby = host_lobby(3)
        for _ in range(2):
            with pytest.raises(Unavailable, match=r"broker\.refused"):
                async with chair(lobby, nobody, Profile.open(tmp_path)).driver:
                    pass

    asyncio.run(scenario())


def test_one_profile_sits_at_a_table_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        host = host_lobby(3)
        async with embedded(host) as (_, url), chair(host, url, Profile.open(tmp_path)).driver:
            again = chair(guest_lobby(host, "Ada again"), url, Profile.open(tmp_path))
            with pytest.raises(StoreError, match=r"profile\.in_use"):
                await again.driver.__aenter__()

    asyncio.run(scenario())
