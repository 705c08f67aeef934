"""Tables found through multicast DNS, on loopback alone."""

import asyncio
import errno
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

import pytest
from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from p2pcards.errors import BadOption, Unavailable
from p2pcards.net import advert, discovery, interfaces
from p2pcards.net.advert import Found, Notice
from p2pcards.net.discovery import Advertisement, Browser, Change, browse, find, reach
from p2pcards.net.interfaces import LocalAddress
from tests.net.raw import until

LOOPBACK = "127.0.0.1"
# Host names are made from keys, and another run of these tests must not answer for ours.
KEYS = [f"{number:x}{os.getpid():031x}" for number in (1, 2)]
NOTICE = Notice("Hanne's (table).local ♠", "0123456789abcdef", KEYS[0], "oh-hell", 1, 4)


@pytest.fixture(autouse=True)
def _service_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of other programs, or of another run of these tests, are not seen."""
    monkeypatch.setattr(advert, "TYPE", f"_p2pt{os.getpid()}._tcp.local.")


def found(notice: Notice, port: int) -> Found:
    """What others see of a notice."""
    return Found(
        notice.name,
        notice.table,
        notice.key,
        notice.game,
        notice.taken,
        notice.seats,
        (LOOPBACK,),
        port,
        1,
    )


def test_added_updated_found_by_name_and_removed() -> None:
    async def scenario() -> None:
        heard: list[tuple[Change, Found]] = []
        later = replace(NOTICE, taken=3)
        async with Browser(lambda *change: heard.append(change), LOOPBACK) as browser:
            async with Advertisement(NOTICE, 4242, LOOPBACK) as advertisement:
                await until(lambda: heard == [(Change.ADDED, found(NOTICE, 4242))])
                advertisement.update(later)
                await until(lambda: (Change.UPDATED, found(later, 4242)) in heard)
                assert browser.found == [found(later, 4242)]
                # Found at once: the time given is far above what the test may take.
                async with asyncio.timeout(20):
                    assert await find(NOTICE.name, 60, LOOPBACK) == [found(later, 4242)]
                with pytest.raises(BadOption):
                    advertisement.update(replace(NOTICE, seats=0))
            await until(lambda: heard[-1][0] is Change.REMOVED)
            assert browser.found == []
            assert browser.dropped == 0

    asyncio.run(scenario())


def test_two_hosts_with_one_table_name_stay_two_and_a_flood_of_names_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        other = replace(NOTICE, table="f" * 16, key=KEYS[1])
        hosts = [Advertisement(NOTICE, 4242, LOOPBACK), Advertisement(other, 4343, LOOPBACK)]
        await asyncio.gather(*(host.__aenter__() for host in hosts))
        async with Browser(lambda *_: None, LOOPBACK) as browser:
            ours = [found(NOTICE, 4242), found(other, 4343)]
            # others may be testing on this machine's loopback
            await until(lambda: [each for each in browser.found if each in ours] == ours)
        assert await find("f" * 16, 5, LOOPBACK) == [found(other, 4343)]
        monkeypatch.setattr(discovery, "KNOWN_LIMIT", 1)
        async with Browser(lambda *_: None, LOOPBACK) as browser:
            await until(lambda: browser.dropped and browser.found)
            assert len(browser.found) == 1
        await asyncio.gather(*(host.__aexit__() for host in hosts))

    asyncio.run(scenario())


def test_hostile_records_are_dropped_and_counted_and_hide_nobody() -> None:
    good = advert.properties(NOTICE)
    hostile: list[dict[str, str | bytes]] = [
        {},
        {**good, "l": b"\xff\xfe\xfd"},
        {**good, "n": "9/4"},
        {**good, "t": "../etc/passwd"},
        {**good, "l": "\x1b[2J\x1b[H", "k": KEYS[1], "x": "y" * 250, "z": "y" * 250},
    ]

    async def scenario() -> None:
        stranger = AsyncZeroconf(interfaces=[LOOPBACK], ip_version=IPVersion.V4Only)
        services = [
            AsyncServiceInfo(
                advert.TYPE,
                f"evil-{number}.{advert.TYPE}",
                port=1,
                parsed_addresses=[LOOPBACK],
                server=f"evil-{os.getpid()}.local.",
                properties=properties,
            )
            for number, properties in enumerate(hostile)
        ]
        services.append(
            AsyncServiceInfo(
                advert.TYPE,
                f"no-port.{advert.TYPE}",
                port=0,
                parsed_addresses=[LOOPBACK, "0.0.0.0", "224.0.0.1"],  # noqa: S104  not ours to bind
                server=f"evil-{os.getpid()}.local.",
                properties=good,
            )
        )
        try:
            async with (
                Browser(lambda *_: None, LOOPBACK) as browser,
                Advertisement(NOTICE, 4242, LOOPBACK),
            ):
                await asyncio.gather(
                    *(stranger.async_register_service(service) for service in services)
                )
                await until(lambda: browser.dropped >= len(services) and browser.found)
                assert browser.found == [found(NOTICE, 4242)]
        finally:
            await stranger.async_close()

    asyncio.run(scenario())


def test_nothing_there() -> None:
    assert asyncio.run(find("nobody", 0.2, LOOPBACK)) == []
    assert asyncio.run(browse(0.2, LOOPBACK)) == []


def test_an_interface_that_is_not_ours() -> None:
    with pytest.raises(BadOption):
        asyncio.run(browse(0.1, "192.0.2.77"))


@pytest.mark.parametrize(
    "failure", [OSError(errno.EADDRINUSE, "Address already in use"), RuntimeError("no interfaces")]
)
def test_failures_of_zeroconf_are_unavailable(
    failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise failure

    monkeypatch.setattr(discovery, "AsyncZeroconf", refuse)

    async def advertise() -> None:
        async with Advertisement(NOTICE, 4242, LOOPBACK):
            pass

    for use in (browse(0.1, LOOPBACK), advertise()):
        with pytest.raises(Unavailable) as refusal:
            asyncio.run(use)
        assert refusal.value.code == "discovery.failed"


@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is ours on Linux alone")
def test_an_address_that_comes_late_is_advertised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "_POLL", 0.05)
    there: list[LocalAddress] = []
    monkeypatch.setattr(interfaces, "addresses", lambda _interface=None: list(there))

    async def scenario() -> None:
        told: list[Sequence[str]] = []
        async with (
            Browser(lambda *_: None) as browser,
            Advertisement(NOTICE, 4242, on_addresses=told.append),
        ):
            # Without an address there is nowhere to go, so nobody is shown the table.
            await asyncio.sleep(0.1)
            assert browser.found == []
            there.append(interfaces.loopback())
            await until(lambda: browser.found == [found(NOTICE, 4242)])
            there.append(replace(interfaces.loopback(), address="127.0.0.2"))
            await until(lambda: len(browser.found[0].addresses) == 2)
            assert told == [(LOOPBACK,), (LOOPBACK, "127.0.0.2")]

    asyncio.run(scenario())


def test_the_first_address_that_answers_is_taken() -> None:
    async def scenario() -> None:
        async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.close()

        server = await asyncio.start_server(accept, LOOPBACK, 0)
        port = server.sockets[0].getsockname()[1]
        assert await reach([LOOPBACK], port) == LOOPBACK
        if sys.platform == "linux":
            assert await reach(["127.0.0.9", LOOPBACK, "127.0.0.8"], port) == LOOPBACK
        server.close()
        with pytest.raises(Unavailable) as refusal:
            await reach([LOOPBACK], port, within=1)
        assert refusal.value.code == "discovery.unreachable"
        with pytest.raises(Unavailable):
            await reach([], port)

    asyncio.run(scenario())
