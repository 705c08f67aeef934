"""Ways to a table: addresses, names and ids, over a real broker and over zeroconf on loopback; and
who is told apart from an impostor."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from p2pcards.crypto.signing import Identity
from p2pcards.engine.fingerprint import tag
from p2pcards.engine.frames import sign_record
from p2pcards.engine.lobby import Host
from p2pcards.errors import BadOption, Unavailable
from p2pcards.net import discovery
from p2pcards.net.address import BrokerUrl
from p2pcards.net.advert import Notice
from p2pcards.net.discovery import Advertisement
from p2pcards.net.entry import GHOST, Door, adverts, find_door, is_address
from p2pcards.net.mqtt import Link
from p2pcards.wire.messages import Advert, Bye
from tests.net.seats import chair, embedded, host_lobby

LOOPBACK = "127.0.0.1"
OPEN = "p2pcards.net.guard:OpenGate"


def host_of(name: str, age: float = 0) -> Host:
    """A host whose adverts are this many seconds old."""
    host = host_lobby(3, name)
    host._unix_time = lambda: int(time.time() - age)
    return host


@asynccontextmanager
async def hosted(*hosts: Host, gate: str = OPEN) -> AsyncIterator[BrokerUrl]:
    """Tables that are forming, all at one broker."""
    async with embedded(hosts[0], gate) as (_, url), AsyncExitStack() as stack:
        for host in hosts:
            driver = await stack.enter_async_context(chair(host, url).driver)
            await driver._link.flush(5)
        yield url


@asynccontextmanager
async def speaking(url: BrokerUrl) -> AsyncIterator[Link]:
    """Somebody who may publish anything."""
    async with Link(url, os.urandom(8).hex(), lambda *_: None, lambda *_: None) as link:
        yield link


async def door(url: BrokerUrl, wanted: str | None = None) -> Door:
    """The table at a broker."""
    return await find_door(wanted, os.urandom, broker=str(url), interface=None, wait=0)


async def no_door(url: BrokerUrl, wanted: str | None = None) -> Unavailable:
    """Why there is none."""
    with pytest.raises(Unavailable) as refusal:
        await door(url, wanted)
    return refusal.value


@pytest.mark.parametrize(
    "text",
    [
        "192.168.1.23",
        "192.168.1.23:1883",
        "localhost",
        "localhost:40001",
        "::1",
        "fe80::1%eth0",
        "fe80::1%2",
        "[::1]",
        "[::1]:1883",
        "[fe80::1%eth0]:1883",
        "mqtt://broker.example",
        "mqtts://ann:secret@broker.example:8883",
    ],
)
def test_these_are_addresses(text: str) -> None:
    assert is_address(text)
    BrokerUrl.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ada",
        "Ada's table",
        "Bob: the table",
        "localhost:",
        "0123456789abcdef",
        "12",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.4:x",
        "[::1]x",
        "[Ada]:1",
        "::g",
        "\x1b[2J",
    ],
)
def test_these_are_names(text: str) -> None:
    assert is_address(text) == (text == "localhost:")


def test_a_table_at_a_broker_by_name_id_or_alone() -> None:
    async def scenario() -> None:
        only = host_of("Ada")
        async with hosted(only) as url:
            found = await door(url)
            assert (found.host, found.url, found.advert.place) == (only.key, url, only.place)
            assert found.advert.game == "oh-hell"
            by_address = await find_door(url.place, os.urandom, broker=None, interface=None, wait=0)
            assert by_address == found
        ada, bob = host_of("Ada"), host_of("Bob")
        async with hosted(ada, bob) as url:
            assert (await door(url, "Bob")).host == bob.key
            assert (await door(url, ada.place.hex())).host == ada.key
            both = await no_door(url)
            assert both.code == "table.ambiguous"
            assert ada.place.hex() in both.detail
            assert bob.place.hex() in both.detail
            assert (await no_door(url, "Cyd")).code == "table.not_found"

    asyncio.run(scenario())


def test_two_tables_of_one_name_are_ambiguous_unless_one_is_a_ghost() -> None:
    async def scenario() -> None:
        async with hosted(host_of("Ada"), host_of("Ada")) as url:
            assert (await no_door(url, "Ada")).code == "table.ambiguous"
        for age in (2 * GHOST, -10 * GHOST):  # a host's clock may be wrong either way
            fresh = host_of("Ada")
            async with hosted(fresh, host_of("Ada", age)) as url:
                assert (await door(url, "Ada")).host == fresh.key
        # Where clocks differ, a ghost is better than nothing; who it is stays checked.
        ghost = host_of("Ada", 2 * GHOST)
        async with hosted(ghost) as url:
            assert (await door(url)).host == ghost.key

    asyncio.run(scenario())


def test_a_broker_without_tables_and_no_broker_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("p2pcards.net.entry.ADVERT_WITHIN", 0.5)

    async def scenario() -> None:
        async with embedded(host_of("Ada"), OPEN) as (_, url):
            assert (await no_door(url)).code == "table.not_found"
        assert (await no_door(url)).code == "broker.refused"
        with pytest.raises(BadOption, match=r"broker\.url"):
            await find_door(None, os.urandom, broker="http://x", interface=None, wait=0)

    asyncio.run(scenario())


def test_noise_in_the_lobby_is_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("p2pcards.net.entry.ADVERT_WITHIN", 1)

    async def scenario() -> None:
        host, eve = host_of("Ada"), Identity.new(os.urandom)
        forged = sign_record(eve, Advert(bytes(8), "Ada", "oh-hell", (), 3, 1, 0))
        noise = [
            b"\xc1",
            b"\x91" * 5000,
            bytes(16_000),
            forged[:-1],
            sign_record(eve, Bye(bytes(8), True)),
        ]
        async with embedded(host, OPEN) as (_, url), speaking(url) as link:
            for number, payload in enumerate(noise):
                link.publish(f"p2pcards/1/{number:016x}/lobby", payload, retain=True)
            await link.flush(5)
            assert await adverts(url, os.urandom) == []
            async with chair(host, url).driver as driver:
                await driver._link.flush(5)
                (only,) = await adverts(url, os.urandom)
                assert only.host == host.key

    asyncio.run(scenario())


# [NET-8], [LOBBY-1] of protocol.md
def test_tables_found_on_the_network_and_who_hides_behind_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Many notices at once on loopback, so that the waiting is done once."""
    monkeypatch.setattr(discovery, "_TWINS_WITHIN", 1.5)  # this machine may be busy

    async def ask(wanted: str | None, wait: float = 3) -> Door:
        return await find_door(wanted, os.urandom, broker=None, interface=LOOPBACK, wait=wait)

    async def refused(wanted: str | None, wait: float = 3) -> str:
        with pytest.raises(Unavailable) as refusal:
            await ask(wanted, wait)
        return refusal.value.code

    async def scenario() -> None:
        mark = os.urandom(3).hex()  # others may be testing on this machine's loopback
        host, eve = host_of("Ada"), Identity.new(os.urandom)
        key, place = tag(host.key).hex(), host.place.hex()
        async with hosted(host) as url, speaking(url) as link, AsyncExitStack() as stack:
            notices = [
                (Notice(f"good {mark}", place, key, "oh-hell", 1, 3), url.port),
                (
                    Notice(f"impostor {mark}", place, tag(eve.public).hex(), "oh-hell", 1, 3),
                    url.port,
                ),
                (Notice(f"gone {mark}", os.urandom(8).hex(), key, "oh-hell", 1, 3), url.port),
                (Notice(f"twin {mark}", place, key, "oh-hell", 1, 3), url.port),
                (Notice(f"twin {mark}", place[::-1], key, "oh-hell", 1, 3), url.port),
                (Notice(f"closed {mark}", place, key, "oh-hell", 1, 3), 1),
            ]
            shown = [Advertisement(notice, port, LOOPBACK) for notice, port in notices]
            await asyncio.gather(*(stack.enter_async_context(each) for each in shown))
            asking = asyncio.create_task(ask(f"GOOD {mark}"))
            codes = await asyncio.gather(
                refused(f"impostor {mark}"),
                refused(f"gone {mark}"),
                refused(f"closed {mark}"),
                refused(f"nobody {mark}", 0.5),
                refused(None, 1.5),
            )
            found = await asking
            assert (found.host, found.url.port, found.url.host) == (host.key, url.port, LOOPBACK)
            assert list(codes) == [
                "table.impostor",
                "table.not_found",
                "discovery.unreachable",
                "table.not_found",
                "table.ambiguous",
            ]
            # Both must have been heard before the wait for a second one ends.
            monkeypatch.setattr(discovery, "_TWINS_WITHIN", 4)
            assert await refused(f"twin {mark}", 8) == "table.ambiguous"
            # Somebody else's advert for the same table, beside the host's, changes nothing.
            forged = sign_record(eve, Advert(host.place, "Ada", "oh-hell", (), 3, 1, 0))
            task = asyncio.create_task(ask(f"good {mark}"))
            for _ in range(20):
                link.publish(f"p2pcards/1/{place}/lobby", forged)
                await asyncio.sleep(0.05)
            assert (await task).host == host.key

    asyncio.run(scenario())
