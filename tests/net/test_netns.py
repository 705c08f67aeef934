"""Two laptops on one network, as Linux network namespaces: found, reached, played with.

Each has a container bridge of the same address, which must not be mistaken for the other laptop,
and the host gets its address late.
"""

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.netns

IP = shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin:/bin") or "ip"
BRIDGE = f"p2pb{os.getpid()}"
HOST, GUEST = f"p2p-host-{os.getpid()}", f"p2p-guest-{os.getpid()}"

COMMON = """
import asyncio
from p2pcards.net.address import BrokerUrl
from p2pcards.net.advert import Notice
from p2pcards.net.broker import EmbeddedBroker
from p2pcards.net.discovery import Advertisement, find, reach
from p2pcards.net.mqtt import Link

TOPIC = "p2pcards/1/0123456789abcdef/chat"
NOTICE = Notice("Bodega", "0123456789abcdef", "ab" * 16, "oh-hell", 1, 4)
quiet = lambda *_: None
"""

HOSTING = (
    COMMON
    + """
async def main():
    heard = asyncio.Event()
    async with await EmbeddedBroker.start(["127.0.0.1"]) as broker:
        async with Advertisement(NOTICE, broker.port, on_addresses=broker.listen):
            print("ready", flush=True)
            link = Link(BrokerUrl.parse(broker.url("127.0.0.1")), "host",
                        lambda topic, payload: heard.set(), quiet)
            link.subscribe(TOPIC)
            async with link:
                await heard.wait()
    print("heard", flush=True)

asyncio.run(main())
"""
)

JOINING = (
    COMMON
    + """
async def main():
    (table,) = await find("bodega", 20)
    print(*table.addresses, flush=True)
    address = await reach(table.addresses, table.port)
    async with Link(BrokerUrl(address, table.port), "guest", quiet, quiet) as link:
        link.publish(TOPIC, b"hello")

asyncio.run(main())
"""
)


def ip(*arguments: str) -> None:
    """Runs `ip`."""
    subprocess.run([IP, *arguments], check=True, timeout=10)


@pytest.fixture(name="laptops")
def _laptops() -> Iterator[None]:
    try:
        ip("link", "add", BRIDGE, "type", "bridge", "mcast_snooping", "0")
        ip("link", "set", BRIDGE, "up")
        for number, laptop in enumerate((HOST, GUEST)):
            cable = f"p2pv{number}-{os.getpid()}"
            ip("netns", "add", laptop)
            ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", laptop)
            ip("link", "set", cable, "master", BRIDGE, "up")
            for name in ("lo", "eth0"):
                ip("-n", laptop, "link", "set", name, "up")
            ip("-n", laptop, "link", "add", "docker0", "type", "bridge")
            ip("-n", laptop, "addr", "add", "172.17.0.1/16", "dev", "docker0")
            ip("-n", laptop, "link", "set", "docker0", "up")
        yield
    finally:
        for laptop in (HOST, GUEST):
            subprocess.run([IP, "netns", "del", laptop], check=False, timeout=10)
        subprocess.run([IP, "link", "del", BRIDGE], check=False, timeout=10)


@contextlib.asynccontextmanager
async def running(laptop: str, program: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A Python program on a laptop, ended at the latest with the block."""
    process = await asyncio.create_subprocess_exec(
        *(IP, "netns", "exec", laptop, sys.executable, "-c", program),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def line(process: asyncio.subprocess.Process) -> str:
    """The next line that a program prints."""
    assert process.stdout is not None
    async with asyncio.timeout(20):
        return (await process.stdout.readline()).decode().strip()


@pytest.mark.usefixtures("laptops")
def test_a_host_whose_address_comes_late_is_found_and_reached() -> None:
    async def scenario() -> None:
        ip("-n", GUEST, "addr", "add", "10.77.0.2/24", "dev", "eth0")
        ip("-n", GUEST, "route", "add", "default", "via", "10.77.0.254")
        async with running(HOST, HOSTING) as host, running(GUEST, JOINING) as guest:
            assert await line(host) == "ready"
            ip("-n", HOST, "addr", "add", "10.77.0.1/24", "dev", "eth0")
            addresses = (await line(guest)).split()
            assert addresses[0] == "10.77.0.1"
            assert "172.17.0.1" not in addresses
            assert await line(host) == "heard"
            assert await guest.wait() == 0
            assert await host.wait() == 0

    asyncio.run(scenario())
