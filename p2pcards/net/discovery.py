"""Finding tables on the local network through multicast DNS (zeroconf).

One of several ways to a table, so its failure is `Unavailable` and never stops anybody: an address
typed by hand always works. Interfaces that come late (Wi-Fi joined, a lease renewed) are noticed
within a second or two. What is found is a stranger's claim; `advert` reads it. protocol.md
section 10.5.
"""

from __future__ import annotations

import asyncio
import enum
import ipaddress
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Self

from zeroconf import Error as ZeroconfError
from zeroconf import IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from p2pcards.errors import BadOption, Malformed, Unavailable
from p2pcards.net import advert, interfaces
from p2pcards.net.advert import Found, Notice

_log = logging.getLogger(__name__)

KNOWN_LIMIT = 256
"""Services that a browser keeps track of; a flood of names stops there."""

_POLL = 1.0
_RESOLVE_WITHIN = 3.0
_TWINS_WITHIN = 0.5
"""Seconds to wait after a name was found, for a second table of the same name."""


class Change(enum.Enum):
    """What happened to a table on the network."""

    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"


class _Network:
    """zeroconf on the interfaces that we use, following them as they come and go."""

    def __init__(
        self,
        interface: str | None,
        moving: Callable[[Sequence[str]], None] = lambda _: None,
        moved: Callable[[], None] = lambda: None,
    ) -> None:
        """`moving` is told new addresses before anybody else hears of them, `moved` comes when
        zeroconf uses them."""
        self._interface = interface
        self._moving = moving
        self._moved = moved
        self._poll: asyncio.Task[None] | None = None
        self.addresses: tuple[str, ...] = self._look()
        with _translating():
            self.zeroconf = AsyncZeroconf(
                interfaces=list(self._listening()), ip_version=_version(self._listening())
            )

    async def start(self) -> None:
        with _translating():
            await self.zeroconf.zeroconf.async_wait_for_start()
        self._poll = asyncio.create_task(self._follow())

    async def close(self) -> None:
        if self._poll is not None:
            self._poll.cancel()
            await asyncio.gather(self._poll, return_exceptions=True)
        with suppress(Unavailable), _translating():
            await self.zeroconf.async_close()

    def _look(self) -> tuple[str, ...]:
        return tuple(local.address for local in interfaces.addresses(self._interface))

    def _listening(self) -> tuple[str, ...]:
        # Without a network, loopback keeps us going until there is one.
        return self.addresses or ("127.0.0.1",)

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(_POLL)
            try:
                now = self._look()
            except BadOption:
                continue  # the chosen address is away; it may come back
            if now == self.addresses:
                continue
            self._moving(now)
            self.addresses = now
            try:
                with _translating():
                    listening = self._listening()
                    await self.zeroconf.async_update_interfaces(
                        list(listening), ip_version=_version(listening)
                    )
            except Unavailable as error:
                _log.warning("%s", error)
            self._moved()


class Advertisement:
    """A table shown to the network, from `async with` until its end.

    `on_addresses` is told all addresses when this machine's have changed, before they are shown
    (the broker should listen on the new ones). Entering raises `Unavailable("discovery.failed")`,
    and `BadOption` for a notice or an interface that cannot be.
    """

    def __init__(
        self,
        notice: Notice,
        port: int,
        interface: str | None = None,
        on_addresses: Callable[[Sequence[str]], None] | None = None,
    ) -> None:
        self._notice = notice
        self._port = port
        self._interface = interface
        self._on_addresses = on_addresses
        self._network: _Network | None = None
        self._label = advert.label(notice.name)
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._network = _Network(
            self._interface, self._on_addresses or (lambda _: None), self._changed.set
        )
        try:
            await self._network.start()
            info = self._info()
            with _translating():
                # The first await hands out what the second one waits for: the announcement.
                announced = await self._network.zeroconf.async_register_service(
                    info, allow_name_change=True
                )
                await announced
            self._label = info.name.removesuffix("." + advert.TYPE)
        except BaseException:
            await self._network.close()
            raise
        self._task = asyncio.create_task(self._refresh())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._network is None or self._task is None:
            return
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        with suppress(Unavailable), _translating():
            # Awaited once only, the goodbye would never be sent and the table haunt others' lists.
            gone = await self._network.zeroconf.async_unregister_service(self._info())
            await gone
        await self._network.close()

    def update(self, notice: Notice) -> None:
        """Shows this from now on; the name stays as registered. Raises `BadOption`."""
        advert.properties(notice)
        self._notice = notice
        self._changed.set()

    async def _refresh(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._network is None:
                return
            try:
                with _translating():
                    await (await self._network.zeroconf.async_update_service(self._info()))
            except Unavailable as error:
                _log.warning("%s", error)

    def _info(self) -> AsyncServiceInfo:
        addresses = self._network.addresses if self._network is not None else ()
        return AsyncServiceInfo(
            advert.TYPE,
            f"{self._label}.{advert.TYPE}",
            port=self._port,
            # Link-local zones are each machine's own numbering and do not travel.
            parsed_addresses=[address.partition("%")[0] for address in addresses],
            # One host name for each key: two hosts under one name would get each other's players.
            server=f"p2pcards-{self._notice.key}.local.",
            properties=advert.properties(self._notice),
        )


class Browser:
    """Watches the network, from `async with` until its end, and calls `on_change`.

    `found` is what is there now. Bad records are dropped and counted. Entering raises
    `Unavailable("discovery.failed")` or, for an interface that is not ours, `BadOption`.
    """

    def __init__(
        self, on_change: Callable[[Change, Found], None], interface: str | None = None
    ) -> None:
        self._on_change = on_change
        self._interface = interface
        self._network: _Network | None = None
        self._browser: AsyncServiceBrowser | None = None
        self._found: dict[str, Found] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self.dropped = 0

    @property
    def found(self) -> list[Found]:
        """The tables seen and not yet gone, in the order of their names."""
        return sorted(self._found.values(), key=lambda found: (found.name.casefold(), found.table))

    async def __aenter__(self) -> Self:
        self._network = _Network(self._interface)
        try:
            await self._network.start()
            with _translating():
                self._browser = AsyncServiceBrowser(
                    self._network.zeroconf.zeroconf, advert.TYPE, handlers=[self._heard]
                )
        except BaseException:
            await self._network.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._browser is not None:
            await self._browser.async_cancel()
        for task in self._asking.values():
            task.cancel()
        await asyncio.gather(*self._asking.values(), return_exceptions=True)
        if self._network is not None:
            await self._network.close()

    def _heard(
        self,
        zeroconf: Zeroconf,
        service_type: str,
        name: str,
        state_change: ServiceStateChange,
    ) -> None:
        """Called by zeroconf, in the event loop, with these names of arguments."""
        if state_change is ServiceStateChange.Removed:
            if (gone := self._found.pop(name, None)) is not None:
                self._on_change(Change.REMOVED, gone)
        elif name in self._asking:
            self._again.add(name)
        elif len(self._asking) >= KNOWN_LIMIT or (
            name not in self._found and len(self._found) >= KNOWN_LIMIT
        ):
            self.dropped += 1
        else:
            task = asyncio.create_task(self._resolve(zeroconf, service_type, name))
            self._asking[name] = task

    async def _resolve(self, zeroconf: Zeroconf, service_type: str, name: str) -> None:
        try:
            while True:
                self._again.discard(name)
                info = AsyncServiceInfo(service_type, name)
                complete = await info.async_request(zeroconf, _RESOLVE_WITHIN * 1000)
                if complete:
                    self._take(name, info)
                else:
                    self.dropped += 1
                if name not in self._again:
                    return
        except (ZeroconfError, OSError) as error:
            _log.debug("%s: %s", name, error)
            self.dropped += 1
        finally:
            del self._asking[name]
            self._again.discard(name)

    def _take(self, name: str, info: AsyncServiceInfo) -> None:
        claimed = info.parsed_scoped_addresses()[: advert.ADDRESS_LIMIT]
        usable = tuple(interfaces.preferred(filter(_is_host, claimed)))
        try:
            found = advert.read(info.properties, usable, info.port or 0)
        except Malformed as error:
            _log.debug("%s: %s", name, error)
            self.dropped += 1
            return
        before = self._found.get(name)
        self._found[name] = found
        if before is None:
            self._on_change(Change.ADDED, found)
        elif before != found:
            self._on_change(Change.UPDATED, found)


async def browse(wait: float, interface: str | None = None) -> list[Found]:
    """The tables that show up within `wait` seconds. Raises as `Browser`."""
    async with Browser(lambda _change, _found: None, interface) as browser:
        await asyncio.sleep(wait)
        return browser.found


async def find(wanted: str, wait: float, interface: str | None = None) -> list[Found]:
    """The tables called `wanted` (a name or an id): as soon as there is one, at the latest after
    `wait` seconds; then perhaps none. Raises as `Browser`."""
    there = asyncio.Event()

    def heard(change: Change, found: Found) -> None:
        if change is not Change.REMOVED and advert.is_called(found, wanted):
            there.set()

    async with Browser(heard, interface) as browser:
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await there.wait()
                await asyncio.sleep(_TWINS_WITHIN)
        return [found for found in browser.found if advert.is_called(found, wanted)]


async def reach(addresses: Sequence[str], port: int, within: float = 3.0) -> str:
    """The first of `addresses` that takes a TCP connection; each gets a head start over the next.

    Who answers there is still to be checked. Raises `Unavailable("discovery.unreachable")`.
    """

    async def knock(place: int, address: str) -> str:
        await asyncio.sleep(0.1 * place)
        _, writer = await asyncio.open_connection(address, port)
        writer.close()
        return address

    tasks = [asyncio.create_task(knock(*pair)) for pair in enumerate(addresses)]
    try:
        async with asyncio.timeout(within):
            for first in asyncio.as_completed(tasks):
                with suppress(OSError):
                    return await first
    except TimeoutError:
        pass
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    raise Unavailable("discovery.unreachable", f"none of {', '.join(addresses)} answers at {port}")


def _is_host(text: str) -> bool:
    address = ipaddress.ip_address(text)
    return not (address.is_multicast or address.is_unspecified or address.is_reserved)


def _version(addresses: Sequence[str]) -> IPVersion:
    six = [":" in address for address in addresses]
    if all(six):
        return IPVersion.V6Only
    return IPVersion.All if any(six) else IPVersion.V4Only


@contextmanager
def _translating() -> Iterator[None]:
    """Whatever zeroconf may fail with: no multicast, port 5353 taken, too many interfaces."""
    try:
        yield
    except (ZeroconfError, OSError, RuntimeError, TimeoutError) as error:
        raise Unavailable("discovery.failed", f"no discovery on this network: {error!r}") from error
