"""The embedded broker as a process: it starts, serves, and goes when its parent goes."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from p2pcards.errors import Unavailable
from p2pcards.net.broker import EmbeddedBroker
from tests.net import raw
from tests.net.raw import Client, until

GATE = "tests.net.raw:RosterGate"
KEY = bytes(range(32))


@pytest.fixture(name="taken")
def _taken() -> Iterator[int]:
    """A port that somebody else listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def is_open(port: int, address: str = "127.0.0.1") -> bool:
    """True when somebody listens there."""
    try:
        socket.create_connection((address, port), 1).close()
    except OSError:
        return False
    return True


def test_it_starts_serves_and_stops() -> None:
    async def scenario() -> None:
        async with await EmbeddedBroker.start(["127.0.0.1"]) as broker:
            assert broker.url("127.0.0.1") == f"mqtt://127.0.0.1:{broker.port}"
            assert broker.url("fe80::1%2") == f"mqtt://[fe80::1%2]:{broker.port}"
            client = await Client.enter(broker.port)
            await client.ask(raw.subscribe("p2pcards/1/#"))
            client.send(raw.publish(b"hello", packet_id=7))
            answers = [await client.receive(), await client.receive()]
            assert (0x30, raw.text(raw.TOPIC) + b"hello") in answers
            assert broker.is_running()
            client.close()
        assert not broker.is_running()
        assert not is_open(broker.port)
        with pytest.raises(Unavailable, match=r"broker\.gone"):
            broker.admit(raw.TABLE, [KEY])
        await broker.stop()

    asyncio.run(scenario())


def test_rosters_reach_the_gate_and_refusals_are_counted() -> None:
    async def scenario() -> None:
        async with await EmbeddedBroker.start(["127.0.0.1"], gate=GATE) as broker:
            client = await Client.enter(broker.port)
            await client.ask(raw.subscribe("p2pcards/1/#"))
            assert await client.ask(raw.publish(KEY + b"early")) == (0x40, b"\0\1")
            broker.admit(raw.TABLE, [bytes(32), KEY])
            # The answer shows that the line before it was read as well.
            assert await broker.dropped() == {"publish.refused": 1}
            client.send(raw.publish(KEY + b"now", packet_id=2))
            answers = [await client.receive(), await client.receive()]
            assert (0x30, raw.text(raw.TOPIC) + KEY + b"now") in answers
            client.close()

    asyncio.run(scenario())


def test_a_taken_port_is_said_so(taken: int) -> None:
    with pytest.raises(Unavailable) as refusal:
        asyncio.run(EmbeddedBroker.start(["127.0.0.1"], taken))
    assert refusal.value.code == "broker.port_taken"
    assert str(taken) in refusal.value.detail


@pytest.mark.parametrize(
    "addresses", [["192.0.2.7"], ["127.0.0.1", "192.0.2.7"], ["not-an-address"], []]
)
def test_an_address_that_is_not_ours_is_said_so(addresses: list[str]) -> None:
    with pytest.raises(Unavailable) as refusal:
        asyncio.run(EmbeddedBroker.start(addresses))
    assert refusal.value.code == "broker.address"


@pytest.mark.parametrize("gate", ["p2pcards.net.guard:NoSuchGate", "no.such.module:Gate"])
def test_a_child_that_fails_says_why(gate: str) -> None:
    with pytest.raises(Unavailable) as failure:
        asyncio.run(EmbeddedBroker.start(["127.0.0.1"], gate=gate))
    assert failure.value.code == "broker.failed"
    assert "no" in failure.value.detail.lower()


@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is ours on Linux alone")
def test_several_addresses_have_one_port_and_more_may_come() -> None:
    async def scenario() -> None:
        async with await EmbeddedBroker.start(["127.0.0.1", "127.0.0.2"]) as broker:
            assert is_open(broker.port, "127.0.0.2")
            assert not is_open(broker.port, "127.0.0.3")
            broker.listen(["127.0.0.2", "127.0.0.3", "192.0.2.7"])
            await until(lambda: is_open(broker.port, "127.0.0.3"))
            assert (await broker.dropped())["broker.address"] == 1
            assert broker.is_running()

    asyncio.run(scenario())


def test_a_broker_that_dies_is_noticed() -> None:
    async def scenario() -> None:
        broker = await EmbeddedBroker.start(["127.0.0.1"])
        os.kill(broker.pid, signal.SIGTERM)
        await until(lambda: not broker.is_running())
        with pytest.raises(Unavailable):
            await broker.dropped()
        await broker.stop()

    asyncio.run(scenario())


PARENT = """
import asyncio, sys
from p2pcards.net.broker import EmbeddedBroker
async def main():
    broker = await EmbeddedBroker.start(["127.0.0.1"])
    print(broker.port, "amqtt" in sys.modules, flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


def parent() -> subprocess.Popen[str]:
    """A process that hosts a broker."""
    root = str(Path(__file__).parents[2])
    return subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
        start_new_session=True,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_the_broker_dies_with_its_parent_and_costs_it_nothing(sign: signal.Signals) -> None:
    with parent() as process:
        assert process.stdout is not None
        port, imported = process.stdout.readline().split()
        assert imported == "False"  # the parent's half imports no broker
        assert is_open(int(port))
        process.send_signal(sign)
        process.wait(10)
        asyncio.run(until(lambda: not is_open(int(port))))


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX process groups")
def test_ctrl_c_in_the_terminal_does_not_reach_the_broker() -> None:
    async def scenario() -> None:
        async with await EmbeddedBroker.start(["127.0.0.1"]) as broker:
            assert os.getpgid(broker.pid) != os.getpgrp()

    asyncio.run(scenario())
