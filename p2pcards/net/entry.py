"""Ways to a table: found by name on the network, or named by an address.

Whatever zeroconf and the broker say is a hint; who the host is stands in its signed advert.
protocol.md section 8.1.
"""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections.abc import Sequence
from dataclasses import dataclass

from p2pcards.crypto.group import Rng
from p2pcards.engine.fingerprint import tag
from p2pcards.engine.frames import read_frame, read_record
from p2pcards.errors import Malformed, Unavailable
from p2pcards.net import discovery
from p2pcards.net.address import BrokerUrl
from p2pcards.net.advert import Found
from p2pcards.net.interfaces import preferred
from p2pcards.net.invitation import JoinLink, is_link
from p2pcards.net.mqtt import Link
from p2pcards.wire.messages import VERSION, Advert, RecordFrame

ADVERT_WITHIN = 3.0
"""Seconds for a broker to hand out the adverts it keeps."""
SETTLE = 0.3
"""Seconds after the first advert in which others of the same broker still count."""
GHOST = 60
"""Seconds after which an advert is a ghost, unless there are ghosts alone: hosts repeat theirs more
often, but clocks of laptops differ."""


@dataclass(frozen=True, slots=True)
class Door:
    """A table that can be knocked at: where, what is played, and who its host is (32 bytes)."""

    url: BrokerUrl
    advert: Advert
    host: bytes


def is_address(text: str) -> bool:
    """Whether a table was named by an address or a broker's URL rather than by its name."""
    if "://" in text:
        return True
    host, _, port = text.rpartition("]:") if "]:" in text else (text, "", "")
    if host.count(":") == 1:
        host, _, port = host.partition(":")
    if port and not port.isdecimal():
        return False
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return host == "localhost"
    return True


async def find_door(
    wanted: str | None, rng: Rng, *, broker: str | None, interface: str | None, wait: float
) -> Door:
    """The one table that is meant. `wanted`: a name, an id (16 hex digits), an address, a join
    link, or None for the only table there is. Raises `Unavailable`, saying what there is, and
    `BadOption("table.link")`."""
    if wanted is not None and is_link(wanted):
        return await _linked(JoinLink.parse(wanted), rng)
    if broker is None and wanted is not None and is_address(wanted):
        broker, wanted = wanted, None
    if broker is not None:
        url = BrokerUrl.parse(broker)
        return _choose(await adverts(url, rng), wanted, url.place)
    return await _found(wanted, rng, interface, wait)


async def _linked(link: JoinLink, rng: Rng) -> Door:
    # a name of an outside broker is no address to be preferred, and stands alone
    address = await discovery.reach(preferred(link.hosts) or link.hosts, link.port)
    url = BrokerUrl(address, link.port)
    doors = [d for d in await adverts(url, rng) if d.advert.place == link.place]
    meant = [d for d in doors if tag(d.host) == link.key]
    if doors and not meant:
        raise Unavailable("table.impostor", f"{url.place} is not the host of the link")
    return _choose(meant, None, url.place)


async def _found(wanted: str | None, rng: Rng, interface: str | None, wait: float) -> Door:
    if wanted is None:
        found = await discovery.browse(wait, interface)
    else:
        found = await discovery.find(wanted, wait, interface)
    if not found:
        what = "no table" if wanted is None else f"no table called {wanted!r}"
        raise Unavailable("table.not_found", f"{what} on this network within {wait:.0f} s")
    if len(found) > 1:
        raise Unavailable("table.ambiguous", f"which one? {_names(found)}")
    (table,) = found
    return await door_of(table, rng)


async def door_of(table: Found, rng: Rng) -> Door:
    """The door of a table that discovery has found. Raises `Unavailable`."""
    if table.version != VERSION:
        ours = f"it speaks version {table.version} of the protocol, this is version {VERSION}"
        raise Unavailable("table.version", ours)
    address = await discovery.reach(preferred(table.addresses), table.port)
    url = BrokerUrl(address, table.port)
    doors = [d for d in await adverts(url, rng) if d.advert.place.hex() == table.table]
    announced = [d for d in doors if tag(d.host).hex() == table.key]
    if doors and not announced:
        raise Unavailable("table.impostor", f"{url.place} is not the host it was announced as")
    return _choose(announced, None, url.place)


def _names(found: Sequence[Found]) -> str:
    return ", ".join(f"{table.name} ({table.table})" for table in found)


def _choose(doors: Sequence[Door], wanted: str | None, where: str) -> Door:
    if wanted is not None:
        doors = [d for d in doors if wanted in (d.advert.host, d.advert.place.hex())]
    if not doors:
        raise Unavailable("table.not_found", f"no table at {where}")
    now = time.time()
    doors = [d for d in doors if abs(now - d.advert.at) < GHOST] or doors
    if len(doors) > 1:
        names = ", ".join(f"{d.advert.host} ({d.advert.place.hex()})" for d in doors)
        raise Unavailable("table.ambiguous", f"which one at {where}? {names}")
    return doors[0]


async def adverts(url: BrokerUrl, rng: Rng) -> list[Door]:
    """The tables that a broker keeps adverts of, each signed by its host."""
    doors: dict[bytes, Door] = {}
    there = asyncio.Event()

    def heard(_topic: str, payload: bytes) -> None:
        try:
            frame = read_frame(payload)
            if not isinstance(frame, RecordFrame):
                return
            advert = read_record(frame)
        except Malformed:
            return  # a stranger's noise on the lobby; nothing rests on it
        if isinstance(advert, Advert):
            doors[advert.place + frame.key] = Door(url, advert, frame.key)
            there.set()

    async with Link(url, rng(8).hex(), heard, lambda up, text: None) as link:
        link.subscribe("p2pcards/1/+/lobby")
        try:
            async with asyncio.timeout(ADVERT_WITHIN):
                await there.wait()
                await asyncio.sleep(SETTLE)
        except TimeoutError:
            return []
    return list(doors.values())
