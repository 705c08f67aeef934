"""The embedded broker's listener: everything that reaches the hub has passed here.

Reads whole packets from hostile sockets within bounds of size, time, number and rate, closes the
connections that misbehave and those alone, and asks a `Gate` about every publish. Runs in the
broker's child process. Knows topics by their shape only; who sits at which table is the gate's
knowledge. protocol.md section 10.4.
"""

from __future__ import annotations

import asyncio
import errno
import itertools
import logging
import socket
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from p2pcards.errors import Malformed, Unavailable
from p2pcards.net import packets
from p2pcards.net.hub import Feed, Hub, Outlet

_log = logging.getLogger(__name__)

_TAKEN = (errno.EADDRINUSE, errno.EACCES)


class Gate(Protocol):
    """Decides which publishes are forwarded. Called for each one that has the shape of our topics
    and the size of our messages, so it has to be quick."""

    def admit(self, table: str, keys: list[bytes]) -> None:
        """From now on these identity keys (32 bytes each, in seat order) sit at `table`.

        `table` is the topic level of the table, in hex. Replaces an earlier roster of the table.
        """

    def __call__(self, topic: str, payload: bytes) -> bool:
        """True: forward. False: drop and count. `payload` is whatever a stranger sent."""


class OpenGate:
    """Lets through all that the guard itself has no objection to, whoever sent it."""

    def admit(self, table: str, keys: list[bytes]) -> None:
        """Everybody is admitted already."""

    def __call__(self, topic: str, payload: bytes) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one connection, and all together, may ask of us. Times in seconds."""

    connections: int = 128
    """Sockets open at once, CONNECT seen or not."""
    connections_per_host: int = 32
    """The same from one remote address; loopback counts only towards `connections`."""
    connect_within: float = 5.0
    """From the accepted socket to a whole CONNECT."""
    silence: float = 60.0
    """The longest wait for a next whole packet, also for clients with a longer keepalive or none;
    else one and a half keepalives (MQTT 3.1.1 section 3.1.2.10)."""
    rate: float = 500.0
    """Messages a second that one connection may publish on average. Faster ones are not dropped
    but read later, so that TCP slows the sender down."""
    burst: float = 2000.0
    """Messages that it may publish at once after a quiet time. Two whole shuffles of every seat
    take a tenth of it."""
    backlog: int = 2000
    """Messages waiting to be handed out, from all connections; above it nobody is read."""


class _Bucket:
    """A token bucket: `take` returns the seconds to wait before going on."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._at = time.monotonic()

    def take(self) -> float:
        now = time.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate) - 1
        self._at = now
        return max(0.0, -self._tokens / self._rate)


class _Connection:
    """One socket that has said CONNECT."""

    def __init__(self, writer: asyncio.StreamWriter, limits: Limits) -> None:
        self.feed = Feed()
        self.outlet = Outlet(writer)
        self.bucket = _Bucket(limits.rate, limits.burst)
        self.ended = asyncio.Event()


class Guard:
    """Listens, checks, forwards to the hub. `counts` says what was refused and why."""

    def __init__(self, gate: Gate, limits: Limits | None = None) -> None:
        self._gate = gate
        self._limits = limits or Limits()
        self._hub = Hub()
        self._servers: dict[str, asyncio.Server] = {}
        self._hosts: Counter[str] = Counter()
        self._connections: dict[str, _Connection] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count(1)
        self.port = 0
        self.counts: Counter[str] = Counter()

    async def start(self, addresses: Sequence[str], port: int = 0) -> None:
        """Listens on every address at one port (0: a free one, then in `port`).

        Raises `Unavailable` with `broker.port_taken` or `broker.address`.
        """
        sockets = bind(addresses, port)
        self.port = sockets[0].getsockname()[1]
        await self._hub.start()
        for address, sock in zip(addresses, sockets, strict=True):
            await self._serve(address, sock)

    async def listen(self, addresses: Sequence[str]) -> None:
        """Listens on these addresses too, at the same port; those already served are left."""
        for address in addresses:
            if address not in self._servers:
                (sock,) = bind([address], self.port)
                await self._serve(address, sock)

    async def stop(self) -> None:
        """Hands out what has been taken in, for a second at most, and closes every socket."""
        for server in self._servers.values():
            server.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                while self._hub.backlog():  # noqa: ASYNC110  amqtt has no event
                    await asyncio.sleep(0.005)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self._hub.shutdown()

    async def _serve(self, address: str, sock: socket.socket) -> None:
        server = await asyncio.start_server(self._accept, sock=sock, limit=packets.PACKET_LIMIT)
        self._servers[address] = server

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name = writer.get_extra_info("peername")
        host = name[0] if name else ""
        limits = self._limits
        local = host.startswith("127.") or host == "::1"
        if self._hosts.total() >= limits.connections or (
            self._hosts[host] >= limits.connections_per_host and not local
        ):
            self.counts["connection.too_many"] += 1
            writer.transport.abort()
            return
        self._hosts[host] += 1
        task = asyncio.get_running_loop().create_task(self._attend(host, reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # Also for one that `stop` cancels before it has begun.
        task.add_done_callback(lambda _: writer.close())

    async def _attend(
        self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            async with asyncio.timeout(self._limits.connect_within):
                connect = await self._greet(reader)
            await self._converse(connect, reader, writer)
        except packets.Unwelcome as error:
            self.counts[error.code] += 1
            writer.write(packets.connack(error.answer))
        except Malformed as error:
            _log.debug("%s: %s", host, error)
            self.counts[error.code] += 1
        except TimeoutError:
            self.counts["connection.silent"] += 1
        except (asyncio.IncompleteReadError, OSError):
            self.counts["connection.broken"] += 1
        finally:
            self._hosts[host] -= 1
            if not self._hosts[host]:
                del self._hosts[host]

    async def _greet(self, reader: asyncio.StreamReader) -> packets.Connect:
        _, body = await read_packet(reader, packets.CONNECT << 4)
        connect = packets.parse_connect(body)
        if connect.client_id:
            return connect
        return packets.Connect(f"anonymous-{next(self._numbers)}", connect.keepalive)

    async def _converse(
        self, connect: packets.Connect, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        connection = _Connection(writer, self._limits)
        # One identifier, one connection: the newer takes over (section 3.1.4), since the older is
        # most often a socket whose laptop has gone to sleep.
        while (older := self._connections.get(connect.client_id)) is not None:
            self.counts["connection.taken_over"] += 1
            older.outlet.abort()
            await older.ended.wait()
        self._connections[connect.client_id] = connection
        connection.feed.put(packets.connect(connect.client_id))
        hub = asyncio.get_running_loop().create_task(
            self._hub.attend(connection.feed, connection.outlet)
        )
        try:
            await self._pump(connect.keepalive, connection, reader)
        finally:
            connection.feed.feed_eof()
            # The hub must have forgotten the session before the next one of this name comes; a
            # hub that hangs on one connection must not keep it for ever.
            done, _ = await asyncio.wait({hub}, timeout=2)
            if not done:
                hub.cancel()
                self.counts["hub.stuck"] += 1
            elif not hub.cancelled() and hub.exception() is not None:
                _log.debug("hub: %r", hub.exception())
                self.counts["hub.failed"] += 1
            if connection.outlet.overran:
                self.counts["connection.slow"] += 1
            del self._connections[connect.client_id]
            connection.ended.set()

    async def _pump(
        self, keepalive: int, connection: _Connection, reader: asyncio.StreamReader
    ) -> None:
        feed = connection.feed
        silence = min(1.5 * keepalive, self._limits.silence) or self._limits.silence
        while True:
            async with asyncio.timeout(silence):
                first, body = await read_packet(reader)
            kind, flags = first >> 4, first & 15
            if kind == packets.PUBLISH:
                await self._publish(packets.parse_publish(flags, body), connection)
            elif kind == packets.PUBACK:
                packets.check_puback(flags, body)
            elif kind == packets.SUBSCRIBE:
                feed.put(packets.subscribe(packets.parse_subscribe(flags, body)))
            elif kind == packets.UNSUBSCRIBE:
                feed.put(packets.unsubscribe(packets.parse_unsubscribe(flags, body)))
            elif kind in (packets.PINGREQ, packets.DISCONNECT):
                packets.check_bare(flags, body)
                feed.put(bytes([first, 0]))
                if kind == packets.DISCONNECT:
                    return
            else:
                raise Malformed("mqtt.packet", "not a packet that a client sends")

    async def _publish(self, message: packets.Publish, connection: _Connection) -> None:
        """Asks the gate, forwards, acknowledges. A refused message is acknowledged as well: its
        sender has nothing to gain from sending it again."""
        if wait := connection.bucket.take():
            self.counts["connection.fast"] += 1
            await asyncio.sleep(wait)
        while self._hub.backlog() > self._limits.backlog:  # noqa: ASYNC110  amqtt has no event
            await asyncio.sleep(0.01)
        if self._is_welcome(message):
            await self._hub.spread(message)
        else:
            self.counts["publish.refused"] += 1
        if message.packet_id:
            connection.outlet.write(packets.puback(message.packet_id))

    def _is_welcome(self, message: packets.Publish) -> bool:
        limit = packets.MESSAGE_LIMIT + packets.MESSAGE_SLACK
        if not packets.is_topic(message.topic) or len(message.payload) > limit:
            return False
        try:
            return self._gate(message.topic, message.payload)
        except Exception:  # noqa: BLE001  what a stranger sent must not end the broker's work
            _log.exception("the gate, on %s", message.topic)
            self.counts["gate.failed"] += 1
            return False


async def read_packet(reader: asyncio.StreamReader, wanted: int | None = None) -> tuple[int, bytes]:
    """The first byte and the body of the next packet; the fixed header is section 2.2.

    Raises `Malformed` as soon as the first byte is not `wanted`, and for a length above
    `PACKET_LIMIT` before a byte of the body is read.
    """
    first = (await reader.readexactly(1))[0]
    if wanted is not None and first != wanted:
        raise Malformed("mqtt.packet", "the first packet has to be CONNECT")
    length = 0
    for shift in (0, 7, 14, 21):
        digit = (await reader.readexactly(1))[0]
        length |= (digit & 0x7F) << shift
        if length > packets.PACKET_LIMIT:
            raise Malformed("mqtt.too_long", "a packet above the limit")
        if not digit & 0x80:
            return first, await reader.readexactly(length)
    raise Malformed("mqtt.packet", "a length of more than four digits")


def bind(addresses: Sequence[str], port: int) -> list[socket.socket]:
    """Listening sockets, one for each address, all at one port (0: one that is free on all).

    Raises `Unavailable`: `broker.port_taken`, or `broker.address` for one that is not ours.
    """
    if not addresses:
        raise Unavailable("broker.address", "no address to listen on")
    for attempt in itertools.count(1):
        bound: list[socket.socket] = []
        try:
            for address in addresses:
                bound.append(_bind(address, bound[0].getsockname()[1] if bound else port))
            return bound
        except Unavailable as error:
            for sock in bound:
                sock.close()
            # A port that was free on the first address may be taken on the second: draw again.
            if port or error.code != "broker.port_taken" or attempt == 20:
                raise
    raise AssertionError("the loop ends by itself")


def _bind(address: str, port: int) -> socket.socket:
    flags = socket.AI_NUMERICHOST | socket.AI_PASSIVE
    try:
        info = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM, flags=flags)[0]
    except OSError as error:
        raise Unavailable("broker.address", f"{address}: {error.strerror}") from error
    # With the protocol named, asyncio sets TCP_NODELAY on what it accepts; without it, it does not.
    sock = socket.socket(info[0], socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":
            # There SO_REUSEADDR would let another process share the port.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if info[0] == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(info[4])
        sock.listen(128)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        taken = error.errno in _TAKEN
        code = "broker.port_taken" if taken else "broker.address"
        raise Unavailable(code, f"{address} port {port}: {error.strerror}") from error
    return sock
