"""The guard against what hostile sockets do; an honest client keeps being served meanwhile."""

import asyncio

import pytest

from p2pcards.net import hub
from p2pcards.net.guard import Limits
from tests.net import raw
from tests.net.raw import Client, guarded, until


async def check_serves(port: int) -> None:
    """A fresh, honest client hears its own message."""
    client = await Client.enter(port, "honest")
    assert await client.ask(raw.subscribe(raw.TOPIC)) == (0x90, b"\0\1\0")
    client.send(raw.publish(b"hello", packet_id=7))
    answers = [await client.receive(), await client.receive()]
    assert sorted(answers) == [(0x30, raw.text(raw.TOPIC) + b"hello"), (0x40, b"\0\7")]
    client.send(b"\xe0\0")
    assert await client.is_closed()
    client.close()


GARBAGE = {
    "http": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "tls": bytes.fromhex("16030100f8010000f40303") + bytes(64),
    "zeros": bytes(64),
    "ones": b"\xff" * 64,
    "publish first": raw.publish(b"x"),
    "ping first": raw.PINGREQ,
    "connect with flags": b"\x11" + raw.connect()[1:],
    "no protocol name": b"\x10\x00",
    "endless length": b"\x10\xff\xff\xff\xff\x01",
    "bad utf-8": b"\x10\x08\x00\x04\xff\xff\xff\xff\x04\x02",
    "truncated fields": b"\x10\x0a" + raw.text("MQTT") + b"\x04\x02\x00\x0a",
    "a will": raw.connect(flags=0x06),
    "mqtt 5": raw.connect(level=5),
}


@pytest.mark.parametrize("first", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_instead_of_connect_is_closed(first: bytes) -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            client = await Client.dial(guard.port)
            client.send(first)
            assert await client.is_closed(2)
            client.close()
            await until(lambda: guard.counts.total() == 1)
            await check_serves(guard.port)

    asyncio.run(scenario())


LATER = {
    "connect again": raw.connect(),
    "connack": b"\x20\x02\0\0",
    "qos 2": b"\x34" + raw.publish(b"x")[1:],
    "pubrel": b"\x62\x02\0\1",
    "reserved 0": b"\0\0",
    "reserved 15": b"\xf0\0",
    "ping with a body": b"\xc0\x01x",
    "disconnect with flags": b"\xe1\0",
    "puback of 0": b"\x40\x02\0\0",
    "subscribe to nothing": b"\x82\x02\0\1",
    "subscribe without flags": b"\x80" + raw.subscribe("p2pcards/1/#")[1:],
    "wildcard topic": raw.publish(b"x", "p2pcards/1/#"),
    "nul in topic": raw.publish(b"x", "p2pcards/1/\0"),
    "topic of the broker": raw.publish(b"x", "$SYS/uptime"),
}


# [NET-6] of protocol.md
@pytest.mark.parametrize("packet", LATER.values(), ids=LATER.keys())
def test_malformed_packets_close_that_connection_alone(packet: bytes) -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            bystander = await Client.enter(guard.port, "bystander")
            client = await Client.enter(guard.port)
            client.send(packet)
            assert await client.is_closed(2)
            await until(lambda: guard.counts == {"mqtt.packet": 1})
            assert await bystander.ask(raw.PINGREQ) == (0xD0, b"")
            await check_serves(guard.port)
            client.close()
            bystander.close()

    asyncio.run(scenario())


# [NET-6] of protocol.md
def test_a_huge_claim_is_refused_before_its_bytes_are_read() -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            client = await Client.enter(guard.port)
            client.send(b"\x30\x80\x80\x80\x64" + bytes(65536))  # 200 MiB
            assert await client.is_closed(2)
            await until(lambda: guard.counts == {"mqtt.too_long": 1})
            await check_serves(guard.port)
            client.close()

    asyncio.run(scenario())


def test_sockets_that_never_connect_are_closed() -> None:
    async def scenario() -> None:
        async with guarded(Limits(connect_within=0.3)) as guard:
            clients = [await Client.dial(guard.port) for _ in range(20)]
            for client in clients[:10]:
                client.send(raw.connect()[:-1])  # all but the last byte
            assert all([await client.is_closed(3) for client in clients])
            await until(lambda: guard.counts == {"connection.silent": 20})
            await check_serves(guard.port)
            for client in clients:
                client.close()

    asyncio.run(scenario())


def test_a_client_that_falls_silent_is_closed_though_messages_flow_to_it() -> None:
    async def scenario() -> None:
        async with guarded(Limits(silence=0.5)) as guard:
            silent = await Client.enter(guard.port, "silent", keepalive=0)
            await silent.ask(raw.subscribe("p2pcards/1/#"))
            talker = await Client.enter(guard.port, "talker", keepalive=60)

            async def talk() -> None:
                while True:
                    talker.send(raw.publish(b"still there?"))
                    await asyncio.sleep(0.1)

            talking = asyncio.create_task(talk())
            assert await silent.is_closed(3)
            talking.cancel()
            await until(lambda: guard.counts == {"connection.silent": 1})
            silent.close()
            talker.close()

    asyncio.run(scenario())


def test_a_subscriber_that_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "WRITE_BUFFER", 256 * 1024)

    async def scenario() -> None:
        async with guarded(Limits(backlog=50)) as guard:
            sleeper = await Client.dial(guard.port, receive_buffer=4096)
            sleeper.send(raw.connect("sleeper"))
            await sleeper.receive()
            await sleeper.ask(raw.subscribe("p2pcards/1/#"))
            talker = await Client.enter(guard.port, "talker")
            rounds = 0
            while not guard.counts["connection.slow"]:
                rounds += 1
                assert rounds < 2000
                assert await talker.ask(raw.publish(bytes(16_000))) == (0x40, b"\0\1")
            await check_serves(guard.port)
            sleeper.close()
            talker.close()

    asyncio.run(scenario())


def test_a_flood_of_connections_stops_at_the_limit_and_passes() -> None:
    async def scenario() -> None:
        async with guarded(Limits(connections=40, connect_within=1.0)) as guard:
            inside = await Client.enter(guard.port, "inside")
            clients = [await Client.dial(guard.port) for _ in range(100)]
            await until(lambda: guard.counts["connection.too_many"] == 61)
            assert await inside.ask(raw.PINGREQ) == (0xD0, b"")
            assert all([await client.is_closed(3) for client in clients])
            await check_serves(guard.port)
            for client in [*clients, inside]:
                client.close()

    asyncio.run(scenario())


def test_the_same_identifier_takes_over() -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            old = await Client.enter(guard.port, "same")
            await old.ask(raw.subscribe("p2pcards/1/#"))
            new = await Client.enter(guard.port, "same")
            assert await old.is_closed(2)
            await until(lambda: guard.counts["connection.taken_over"] == 1)
            # The session is a new one: it has none of the old one's subscriptions.
            assert await new.ask(raw.publish(b"x", packet_id=3)) == (0x40, b"\0\3")
            assert await new.ask(raw.subscribe("p2pcards/1/#")) == (0x90, b"\0\1\0")
            new.send(raw.publish(b"y", packet_id=4))
            answers = [await new.receive(), await new.receive()]
            assert (0x30, raw.text(raw.TOPIC) + b"y") in answers
            old.close()
            new.close()

    asyncio.run(scenario())


def test_clients_without_an_identifier_do_not_take_over_each_other() -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            one, two = [await Client.enter(guard.port, "") for _ in range(2)]
            assert await one.ask(raw.PINGREQ) == (0xD0, b"")
            assert await two.ask(raw.PINGREQ) == (0xD0, b"")
            one.close()
            two.close()

    asyncio.run(scenario())


def test_a_fast_publisher_is_slowed_down_and_loses_nothing() -> None:
    async def scenario() -> None:
        async with guarded(Limits(rate=200, burst=5)) as guard:
            client = await Client.enter(guard.port)
            for number in range(1, 41):
                client.send(raw.publish(b"x", packet_id=number))
            confirmed = [await client.receive() for _ in range(40)]
            assert confirmed == [(0x40, number.to_bytes(2, "big")) for number in range(1, 41)]
            assert guard.counts["connection.fast"] > 0
            client.close()

    asyncio.run(scenario())


def test_the_gate_decides_and_the_refused_are_confirmed_and_counted() -> None:
    async def scenario() -> None:
        gate = raw.RosterGate()
        async with guarded(gate=gate) as guard:
            key = bytes(range(32))
            client = await Client.enter(guard.port)
            await client.ask(raw.subscribe("p2pcards/1/#"))
            assert await client.ask(raw.publish(key + b"early", packet_id=1)) == (0x40, b"\0\1")
            gate.admit(raw.TABLE, [key])
            assert await client.ask(raw.publish(b"forged", packet_id=2)) == (0x40, b"\0\2")
            client.send(raw.publish(key + b"mine", packet_id=3))
            answers = [await client.receive(), await client.receive()]
            assert (0x30, raw.text(raw.TOPIC) + key + b"mine") in answers
            await until(lambda: guard.counts == {"publish.refused": 2})
            client.close()

    asyncio.run(scenario())


def test_a_gate_that_breaks_lets_nothing_through_and_ends_nothing() -> None:
    class BrokenGate(raw.RosterGate):
        def __call__(self, topic: str, payload: bytes) -> bool:
            raise ZeroDivisionError(topic)

    async def scenario() -> None:
        async with guarded(gate=BrokenGate()) as guard:
            client = await Client.enter(guard.port)
            assert await client.ask(raw.publish(b"x")) == (0x40, b"\0\1")
            assert await client.ask(raw.PINGREQ) == (0xD0, b"")
            assert guard.counts == {"gate.failed": 1, "publish.refused": 1}
            client.close()

    asyncio.run(scenario())


def test_foreign_topics_and_long_messages_do_not_reach_the_gate() -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            client = await Client.enter(guard.port)
            await client.ask(raw.publish(b"x", "elsewhere/1"))
            long = raw.text(raw.TOPIC) + b"\0\1" + bytes(20_000)
            digits = bytes([len(long) % 128 | 128, len(long) // 128 % 128 | 128, len(long) >> 14])
            await client.ask(b"\x32" + digits + long)
            await until(lambda: guard.counts == {"publish.refused": 2})
            client.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("filter_", ["#", "$SYS/#", "elsewhere/#", "p2pcards/1/a+", "+/1/x"])
def test_foreign_filters_are_refused(filter_: str) -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            client = await Client.enter(guard.port)
            assert await client.ask(raw.subscribe(filter_)) == (0x90, b"\0\1\x80")
            client.close()

    asyncio.run(scenario())


def test_filters_are_counted() -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            client = await Client.enter(guard.port)
            codes = []
            for number in range(hub.FILTERS_PER_SESSION + 1):
                _, body = await client.ask(raw.subscribe(f"p2pcards/1/table-{number}"))
                codes.append(body[2])
            assert codes == [0] * hub.FILTERS_PER_SESSION + [0x80]
            assert await client.ask(raw.subscribe("p2pcards/1/table-0")) == (0x90, b"\0\1\0")
            client.close()

    asyncio.run(scenario())


def test_unsubscribed_is_unsubscribed() -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            client = await Client.enter(guard.port)
            await client.ask(raw.subscribe(raw.TOPIC))
            unsubscribe = raw.packet(0xA2, b"\0\2" + raw.text(raw.TOPIC))
            assert await client.ask(unsubscribe) == (0xB0, b"\0\2")
            assert await client.ask(raw.publish(b"x", packet_id=3)) == (0x40, b"\0\3")
            assert await client.ask(raw.PINGREQ) == (0xD0, b"")
            client.close()

    asyncio.run(scenario())


def test_retained_messages_are_kept_cleared_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "RETAINED", 2)
    lobby = f"p2pcards/1/{raw.TABLE}/lobby"

    async def hears(port: int, topic: str) -> bytes | None:
        client = await Client.enter(port, "late")
        await client.ask(raw.subscribe(topic))
        first, body = await client.ask(raw.PINGREQ)
        client.close()
        if first == 0xD0:
            return None
        assert first == 0x31
        return body[len(raw.text(topic)) :]

    async def scenario() -> None:
        async with guarded() as guard:
            client = await Client.enter(guard.port)
            for payload in (b"old", b"advert"):
                await client.ask(raw.publish(payload, lobby, retain=True))
            assert await hears(guard.port, lobby) == b"advert"
            for number in range(3):
                await client.ask(raw.publish(b"x", f"{lobby}/{number}", retain=True))
            assert await hears(guard.port, f"{lobby}/0") == b"x"
            assert await hears(guard.port, f"{lobby}/1") is None
            await client.ask(raw.publish(b"", lobby, retain=True))
            assert await hears(guard.port, lobby) is None
            client.close()

    asyncio.run(scenario())
