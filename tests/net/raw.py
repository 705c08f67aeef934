"""MQTT by hand: a client that can misbehave, a broker that can, and a gate with a roster."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Self

from p2pcards.net.guard import Gate, Guard, Limits, OpenGate, read_packet

TABLE = "00112233445566aa"
TOPIC = f"p2pcards/1/{TABLE}/seat/0"
PINGREQ = b"\xc0\x00"


def text(string: str) -> bytes:
    """A length-prefixed string."""
    encoded = string.encode()
    return len(encoded).to_bytes(2, "big") + encoded


def packet(first: int, body: bytes) -> bytes:
    """One control packet, bodies below 16 KiB."""
    assert len(body) < 128 * 128
    if len(body) < 128:
        return bytes([first, len(body)]) + body
    return bytes([first, len(body) % 128 | 128, len(body) // 128]) + body


def connect(
    client_id: str = "raw", *, keepalive: int = 10, flags: int = 2, level: int = 4
) -> bytes:
    """A CONNECT."""
    head = text("MQTT") + bytes([level, flags]) + keepalive.to_bytes(2, "big")
    return packet(0x10, head + text(client_id))


def publish(
    payload: bytes, topic: str = TOPIC, packet_id: int = 1, *, retain: bool = False
) -> bytes:
    """A PUBLISH at QoS 1."""
    return packet(0x32 | retain, text(topic) + packet_id.to_bytes(2, "big") + payload)


def subscribe(filter_: str, packet_id: int = 1) -> bytes:
    """A SUBSCRIBE at QoS 1."""
    return packet(0x82, packet_id.to_bytes(2, "big") + text(filter_) + b"\x01")


class Client:
    """A socket and what may be done with it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def dial(cls, port: int, *, receive_buffer: int | None = None) -> Self:
        """A connection that has said nothing yet."""
        sock = socket.socket()
        sock.setblocking(False)
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port))
        return cls(*await asyncio.open_connection(sock=sock, limit=2**14))

    @classmethod
    async def enter(cls, port: int, client_id: str = "raw", *, keepalive: int = 10) -> Self:
        """A connection whose CONNECT was accepted."""
        client = await cls.dial(port)
        client.send(connect(client_id, keepalive=keepalive))
        assert await client.receive() == (0x20, b"\0\0")
        return client

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def receive(self) -> tuple[int, bytes]:
        """The next packet, as first byte and body."""
        async with asyncio.timeout(5):
            return await read_packet(self.reader)

    async def ask(self, data: bytes) -> tuple[int, bytes]:
        """Sends, and returns the next packet."""
        self.send(data)
        return await self.receive()

    async def is_closed(self, within: float = 5) -> bool:
        """True when the other side closes; what it sends until then is thrown away."""
        try:
            async with asyncio.timeout(within):
                with contextlib.suppress(OSError):
                    while await self.reader.read(65536):
                        pass
        except TimeoutError:
            return False
        return True

    def close(self) -> None:
        self.writer.transport.abort()


@contextlib.asynccontextmanager
async def guarded(limits: Limits | None = None, gate: Gate | None = None) -> AsyncIterator[Guard]:
    """A guard on loopback in this process."""
    guard = Guard(gate or OpenGate(), limits)
    await guard.start(["127.0.0.1"])
    try:
        yield guard
    finally:
        await guard.stop()


@contextlib.asynccontextmanager
async def faking(serve: Callable[[Client], Coroutine[None, None, None]]) -> AsyncIterator[int]:
    """A server on loopback that runs `serve` for each connection: its port."""
    tasks: set[asyncio.Task[None]] = set()

    async def attend(client: Client) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, OSError, TimeoutError):
            await serve(client)

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = Client(reader, writer)
        task = asyncio.create_task(attend(client), name="fake")
        task.add_done_callback(lambda _: client.close())
        tasks.add(task)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def until(condition: Callable[[], object], within: float = 10) -> None:
    """Returns when `condition()` is true; `TimeoutError` when it stays false."""
    async with asyncio.timeout(within):
        while not condition():  # noqa: ASYNC110  conditions of other processes raise no event
            await asyncio.sleep(0.005)


class RosterGate:
    """Lets through payloads that begin with a key which sits at the topic's table."""

    def __init__(self) -> None:
        self._rosters: dict[str, list[bytes]] = {}

    def admit(self, table: str, keys: list[bytes]) -> None:
        self._rosters[table] = keys

    def __call__(self, topic: str, payload: bytes) -> bool:
        return payload[:32] in self._rosters.get(topic.split("/")[2], [])
