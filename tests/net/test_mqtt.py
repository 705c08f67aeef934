"""The link: order, retained messages, reconnecting, refusals, and an end that always comes."""

import asyncio
import contextlib
import functools
import getpass
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from p2pcards.errors import LocalError, Unavailable
from p2pcards.net import mqtt, packets
from p2pcards.net.address import BrokerUrl
from p2pcards.net.broker import EmbeddedBroker
from p2pcards.net.mqtt import Link
from tests.net import raw
from tests.net.raw import Client, faking, guarded, until

EVERYTHING = "p2pcards/1/#"
LOBBY = f"p2pcards/1/{raw.TABLE}/lobby"


class Ear:
    """A link and all that it heard."""

    def __init__(self, port: int, name: str = "ear", url: str = "mqtt://127.0.0.1") -> None:
        self.heard: list[tuple[str, bytes]] = []
        self.states: list[tuple[bool, str]] = []
        self.link = Link(
            BrokerUrl.parse(f"{url}:{port}"),
            name,
            lambda *message: self.heard.append(message),
            lambda *state: self.states.append(state),
        )

    def payloads(self) -> list[bytes]:
        """What was heard, in order."""
        return [payload for _, payload in self.heard]

    def has(self, payload: bytes) -> bool:
        """True when it was heard."""
        return payload in self.payloads()


async def check_order(port: int, url: str = "mqtt://127.0.0.1") -> None:
    """500 messages arrive once each and in order, at their sender too."""
    ear, mouth = Ear(port, "ear", url), Ear(port, "mouth", url)
    async with ear.link, mouth.link:
        for link in (ear.link, mouth.link):
            link.subscribe(EVERYTHING)
            assert await link.flush(5)
        sent = [b"%d" % number for number in range(500)]
        for payload in sent:
            assert mouth.link.publish(raw.TOPIC, payload)
        assert await mouth.link.flush(10)
        await until(lambda: len(ear.heard) >= 500 <= len(mouth.heard))
        assert ear.payloads() == sent
        assert mouth.payloads() == sent
        assert {topic for topic, _ in ear.heard} == {raw.TOPIC}
    assert ear.states == [
        (True, f"connected to 127.0.0.1:{port}"),
        (False, "the link is closed"),
    ]


async def check_retained(port: int, url: str = "mqtt://127.0.0.1") -> None:
    """A late listener hears the last retained message, and none after it was cleared."""
    async with Ear(port, "host", url).link as host:
        for payloads, expected in [([b"old", b"new"], [b"new"]), ([b""], [])]:
            for payload in payloads:
                host.publish(LOBBY, payload, retain=True)
            assert await host.flush(5)
            late = Ear(port, "late", url)
            async with late.link as link:
                link.subscribe(LOBBY)
                assert await link.flush(5)
                link.publish(LOBBY, b"end")
                await until(functools.partial(late.has, b"end"))
            assert late.payloads() == [*expected, b"end"]


def test_500_messages_in_order() -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            await check_order(guard.port)
            assert guard.counts.total() == 0

    asyncio.run(scenario())


def test_retained_messages() -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            await check_retained(guard.port)

    asyncio.run(scenario())


async def check_comes_back(
    start: Callable[[int], contextlib.AbstractAsyncContextManager[int]],
) -> None:
    """A link over a broker that goes away and comes back on its port."""
    async with contextlib.AsyncExitStack() as links:
        async with start(0) as port:
            ear, mouth = Ear(port, "ear"), Ear(port, "mouth")
            ear.link.subscribe(raw.TOPIC)
            await links.enter_async_context(ear.link)
            await links.enter_async_context(mouth.link)
            mouth.link.publish(raw.TOPIC, b"before")
            await until(lambda: ear.payloads() == [b"before"])
        await until(lambda: not ear.link.up and not mouth.link.up)
        ear.link.subscribe(LOBBY)
        with pytest.raises(Unavailable):
            await ear.link.connected(0.01)
        assert not await ear.link.flush(0.01) or mouth.link.publish(raw.TOPIC, b"lost?")
        async with start(port):
            await ear.link.connected(10)
            await mouth.link.connected(10)
            mouth.link.publish(raw.TOPIC, b"after")
            mouth.link.publish(LOBBY, b"lobby")
            await until(lambda: (LOBBY, b"lobby") in ear.heard)
            assert ear.payloads()[-2:] == [b"after", b"lobby"]
    assert [up for up, _ in mouth.states][:2] == [True, False]
    assert [up for up, _ in mouth.states][-2:] == [True, False]


def test_it_comes_back_with_its_broker() -> None:
    @contextlib.asynccontextmanager
    async def embedded(port: int) -> AsyncIterator[int]:
        async with await EmbeddedBroker.start(["127.0.0.1"], port) as broker:
            yield broker.port

    asyncio.run(check_comes_back(embedded))


async def welcome(client: Client) -> None:
    """A fake broker's first answer: come in."""
    await client.receive()
    client.send(b"\x20\x02\0\0")


def test_what_was_published_while_away_goes_out_in_order() -> None:
    async def scenario() -> None:
        seen: list[bytes] = []
        away, back = asyncio.Event(), asyncio.Event()

        async def serve(client: Client) -> None:
            await welcome(client)
            await away.wait()
            while back.is_set():
                first, body = await client.receive()
                if first >> 4 == packets.PUBLISH:
                    message = packets.parse_publish(first & 15, body)
                    seen.append(message.payload)
                    client.send(packets.puback(message.packet_id))

        async with faking(serve) as port, Ear(port).link as link:
            away.set()
            await until(lambda: not link.up)
            sent = [b"%d" % number for number in range(200)]
            for payload in sent:
                assert link.publish(raw.TOPIC, payload)
            assert not await link.flush(0.05)
            back.set()
            assert await link.flush(10)
            assert list(dict.fromkeys(seen)) == sent

    asyncio.run(scenario())


def test_what_was_not_confirmed_is_sent_again_first_and_in_order() -> None:
    async def scenario() -> None:
        seen: list[list[bytes]] = []

        async def serve(client: Client) -> None:
            await welcome(client)
            mine: list[bytes] = []
            seen.append(mine)
            while True:
                first, body = await client.receive()
                if first >> 4 != packets.PUBLISH:
                    return
                message = packets.parse_publish(first & 15, body)
                mine.append(message.payload)
                if len(seen) == 1 and len(mine) == 3:
                    return  # gone, with three messages read and none confirmed
                if len(seen) == 2:
                    client.send(packets.puback(message.packet_id))

        async with faking(serve) as port:
            mouth = Ear(port)
            async with mouth.link as link:
                for payload in (b"1", b"2", b"3"):
                    link.publish(raw.TOPIC, payload)
                await until(lambda: len(seen) == 2)
                link.publish(raw.TOPIC, b"4")
                assert await link.flush(5)
        assert seen == [[b"1", b"2", b"3"], [b"1", b"2", b"3", b"4"]]

    asyncio.run(scenario())


def test_a_broker_that_hangs_up_at_once() -> None:
    async def scenario() -> None:
        async def stay(port: int) -> None:
            async with Ear(port).link as link:
                await until(lambda: not link.up)
                await link.connected(0)

        async with faking(welcome) as port:
            with pytest.raises(Unavailable) as refusal:
                await stay(port)
            assert refusal.value.code == "broker.lost"

    asyncio.run(scenario())


def test_a_broker_that_stops_confirming_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt, "CONFIRM_WITHIN", 0.2)

    async def scenario() -> None:
        connections: list[Client] = []

        async def serve(client: Client) -> None:
            await welcome(client)
            connections.append(client)
            while True:
                first, body = await client.receive()
                if first >> 4 == packets.PUBLISH and len(connections) > 1:
                    client.send(packets.puback(packets.parse_publish(first & 15, body).packet_id))

        async with faking(serve) as port:
            mouth = Ear(port)
            async with mouth.link as link:
                link.publish(raw.TOPIC, b"x")
                assert await link.flush(5)
        assert len(connections) == 2

    asyncio.run(scenario())


def test_leaving_flushes() -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            ear = Ear(guard.port, "ear")
            assert await ear.link.flush(0)
            ear.link.subscribe(EVERYTHING)
            assert not await ear.link.flush(0)
            async with ear.link:
                assert await ear.link.flush(5)
                async with Ear(guard.port, "mouth").link as link:
                    for number in range(200):
                        link.publish(raw.TOPIC, b"%d" % number)
                await until(lambda: len(ear.heard) == 200)
            assert ear.payloads() == [b"%d" % number for number in range(200)]

    asyncio.run(scenario())


def test_leaving_ends_even_when_the_broker_has_gone_deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt, "_CLOSE_WITHIN", 0.2)

    async def scenario() -> None:
        async def serve(client: Client) -> None:
            await welcome(client)
            await asyncio.sleep(30)

        async with faking(serve) as port:
            mouth = Ear(port)
            async with asyncio.timeout(5):
                async with mouth.link as link:
                    link.publish(raw.TOPIC, b"never confirmed")
            assert not link.publish(raw.TOPIC, b"too late")
            assert link.overflowed == 1
            others = {task.get_name() for task in asyncio.all_tasks() - {asyncio.current_task()}}
            assert others == {"fake"}

    asyncio.run(scenario())


def test_leaving_at_any_moment_ends() -> None:
    """Python 3.11 can lose a cancellation inside the library's `publish`; nothing hangs on it."""

    async def scenario() -> None:
        async with guarded() as guard:
            for turn in range(30):
                async with asyncio.timeout(10):
                    async with Ear(guard.port, f"mouth-{turn}").link as link:
                        for _ in range(turn):
                            link.publish(raw.TOPIC, b"x")
                        for _ in range(turn % 7):
                            await asyncio.sleep(0)

    asyncio.run(scenario())


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def entering(url: str) -> Unavailable:
    """The error of a link whose first connection fails."""

    async def scenario() -> None:
        async with Link(BrokerUrl.parse(url), "x", lambda *_: None, lambda *_: None):
            pass

    with pytest.raises(Unavailable) as refusal:
        asyncio.run(scenario())
    return refusal.value


def test_nobody_listens() -> None:
    port = free_port()
    error = entering(f"mqtt://127.0.0.1:{port}")
    assert (error.code, error.detail) == ("broker.refused", f"nothing listens at 127.0.0.1:{port}")


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 64 + ".invalid"])
def test_no_such_host(host: str) -> None:
    assert entering(f"mqtt://{host}").code == "broker.name"


def answering(answer: bytes | None) -> Unavailable:
    """The error of a link to something that answers CONNECT with `answer`, or with silence."""

    async def scenario() -> Unavailable:
        async def serve(client: Client) -> None:
            await client.receive()
            if answer is not None:
                client.send(answer)
            await client.is_closed()

        async with faking(serve) as port:
            with pytest.raises(Unavailable) as refusal:
                await Ear(port).link.__aenter__()
            return refusal.value

    return asyncio.run(scenario())


@pytest.mark.parametrize("code", [4, 5])
def test_a_refused_login(code: int) -> None:
    error = answering(bytes([0x20, 2, 0, code]))
    assert error.code == "broker.login"
    assert "password" in error.detail


def test_another_refusal() -> None:
    assert answering(b"\x20\x02\0\x02").code == "broker.rejected"


def test_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt, "ANSWER_WITHIN", 0.2)
    assert answering(None).code == "broker.no_answer"


def test_something_else_than_a_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt, "ANSWER_WITHIN", 0.5)
    assert answering(b"HTTP/1.1 400 Bad Request\r\n\r\n").code == "broker.no_answer"


# paho leaves the socket of a failed handshake to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_tls_where_there_is_none() -> None:
    async def scenario() -> str:
        async with guarded() as guard:
            with pytest.raises(Unavailable) as refusal:
                await Ear(guard.port, url="mqtts://127.0.0.1").link.__aenter__()
            return refusal.value.code

    assert asyncio.run(scenario()) in ("broker.tls", "broker.unreachable")


def test_a_refused_subscription_at_the_start() -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            ear = Ear(guard.port)
            ear.link.subscribe("elsewhere/#")
            with pytest.raises(Unavailable) as refusal:
                await ear.link.__aenter__()
            assert refusal.value.code == "broker.subscribe"
            assert "elsewhere/#" in refusal.value.detail

    asyncio.run(scenario())


def test_a_refused_subscription_later() -> None:
    async def scenario() -> None:
        async with guarded() as guard:
            ear = Ear(guard.port)
            async with ear.link as link:
                link.subscribe("elsewhere/#")
                await until(lambda: not link.up)
                with pytest.raises(Unavailable) as refusal:
                    await link.connected(0.1)
                assert refusal.value.code == "broker.subscribe"

    asyncio.run(scenario())


def test_what_we_may_not_publish() -> None:
    async def scenario() -> None:
        async with guarded() as guard, Ear(guard.port).link as link:
            for topic in ("elsewhere", "p2pcards/1/#", ""):
                with pytest.raises(LocalError, match=r"message\.topic"):
                    link.publish(topic, b"x")
            with pytest.raises(LocalError, match=r"message\.too_long"):
                link.publish(raw.TOPIC, bytes(packets.MESSAGE_LIMIT + 1))
            assert link.publish(raw.TOPIC, bytes(packets.MESSAGE_LIMIT))
            assert await link.flush(5)

    asyncio.run(scenario())


def test_a_full_outbox_drops_what_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt, "OUTBOX_MESSAGES", 3)

    async def scenario() -> None:
        async with guarded() as guard:
            ear = Ear(guard.port)
            ear.link.subscribe(EVERYTHING)
            taken = [ear.link.publish(raw.TOPIC, b"%d" % number) for number in range(5)]
            assert taken == [True, True, True, False, False]
            assert ear.link.overflowed == 2
            async with ear.link as link:
                await until(lambda: len(ear.heard) == 3)
                monkeypatch.setattr(mqtt, "OUTBOX_BYTES", 100)
                assert link.publish(raw.TOPIC, bytes(200))
                assert not link.publish(raw.TOPIC, b"x")
                await until(lambda: len(ear.heard) == 4)
            assert ear.payloads() == [b"0", b"1", b"2", bytes(200)]

    asyncio.run(scenario())


def test_long_messages_from_the_broker_are_dropped_and_counted() -> None:
    limit = packets.MESSAGE_LIMIT + packets.MESSAGE_SLACK

    async def serve(client: Client) -> None:
        await welcome(client)
        for size in (limit, limit + 1, 1):
            client.send(packets.publish(packets.Publish(raw.TOPIC, bytes(size), 0, retain=False)))
        await client.is_closed()

    async def scenario() -> None:
        async with faking(serve) as port:
            ear = Ear(port)
            async with ear.link as link:
                await until(lambda: len(ear.heard) == 2)
                assert [len(payload) for payload in ear.payloads()] == [limit, 1]
                assert link.dropped == 1

    asyncio.run(scenario())


def test_a_message_that_breaks_its_reader_does_not_end_the_link(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        heard: list[bytes] = []

        def on_message(_topic: str, payload: bytes) -> None:
            if payload == b"bad":
                raise ZeroDivisionError("the reader's own mistake")
            heard.append(payload)

        async with guarded() as guard:
            url = BrokerUrl("127.0.0.1", guard.port)
            link = Link(url, "x", on_message, lambda *_: None)
            link.subscribe(EVERYTHING)
            async with link:
                link.publish(raw.TOPIC, b"bad")
                link.publish(raw.TOPIC, b"good")
                await until(lambda: heard == [b"good"])
                assert link.failed == 1

    asyncio.run(scenario())
    assert "the reader's own mistake" in caplog.text


def test_nagle_is_off_on_both_sides() -> None:
    """Otherwise each confirmed message costs 40 ms and more."""

    async def scenario() -> None:
        options: list[int] = []

        async def serve(client: Client) -> None:
            await welcome(client)
            await client.receive()

        async with faking(serve) as port, Ear(port).link as link:
            session = link._session
            assert session is not None
            sock = session.client._client.socket()
            assert isinstance(sock, socket.socket)
            options.append(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        async with guarded() as guard:
            client = await Client.enter(guard.port)
            (connection,) = guard._connections.values()
            peer = connection.outlet._writer.get_extra_info("socket")
            options.append(peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            client.close()
        assert all(options)
        assert len(options) == 2

    asyncio.run(scenario())


# --- Mosquitto ----------------------------------------------------------------------------------

MOSQUITTO = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin") or "mosquitto"


@contextlib.asynccontextmanager
async def mosquitto(folder: Path, port: int, *more: str) -> AsyncIterator[int]:
    """Mosquitto on loopback with a configuration of its own: its port."""
    port = port or free_port()
    lines = [f"listener {port} 127.0.0.1", "persistence false", f"user {getpass.getuser()}"]
    config = folder / "mosquitto.conf"
    config.write_text("\n".join([*lines, *(more or ["allow_anonymous true"]), ""]))
    process = await asyncio.to_thread(
        subprocess.Popen,
        [MOSQUITTO, "-c", str(config)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def listens() -> bool:
        with socket.socket() as sock:
            return sock.connect_ex(("127.0.0.1", port)) == 0

    try:
        await until(listens)
        yield port
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.mosquitto
def test_mosquitto_keeps_order_and_retained_messages(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with mosquitto(tmp_path, 0) as port:
            await check_order(port)
            await check_retained(port)

    asyncio.run(scenario())


@pytest.mark.mosquitto
def test_a_link_comes_back_with_mosquitto(tmp_path: Path) -> None:
    asyncio.run(check_comes_back(lambda port: mosquitto(tmp_path, port)))


@pytest.mark.mosquitto
@pytest.mark.skipif(sys.platform == "win32", reason="a configuration for POSIX")
def test_mosquitto_with_passwords_and_access_lists(tmp_path: Path) -> None:
    passwords, access = tmp_path / "passwords", tmp_path / "access"
    subprocess.run(
        ["mosquitto_passwd", "-b", "-c", str(passwords), "ann", "se:same"], check=True, timeout=10
    )
    access.write_text("user ann\ntopic readwrite p2pcards/1/#\n")
    for path in (tmp_path, passwords, access):
        path.chmod(0o700 if path.is_dir() else 0o600)
    settings = [f"password_file {passwords}", f"acl_file {access}", "allow_anonymous false"]

    async def scenario() -> None:
        async with mosquitto(tmp_path, 0, *settings) as port:
            for user in ("mqtt://127.0.0.1", "mqtt://ann:wrong@127.0.0.1"):
                with pytest.raises(Unavailable) as refusal:
                    await Ear(port, url=user).link.__aenter__()
                assert refusal.value.code == "broker.login"
            ann = "mqtt://ann:se%3Asame@127.0.0.1"
            await check_order(port, ann)

    asyncio.run(scenario())
