"""amqtt's broker, held on a short leash: sessions, subscriptions and retained messages only.

Lives in the broker's child process behind `guard`, which reads and checks every packet first, so
that amqtt sees whole, well-formed MQTT 3.1.1 packets and clean sessions. Knows no sockets
of its own and nothing of cards; protocol.md section 10.4.
"""

from __future__ import annotations

import asyncio
from ssl import SSLObject

from amqtt.adapters import ReaderAdapter, WriterAdapter
from amqtt.broker import Broker
from amqtt.contexts import BrokerConfig, ListenerConfig, ListenerType
from amqtt.plugins.base import BaseAuthPlugin
from amqtt.session import Session

from p2pcards.net import packets

FILTERS_PER_SESSION = 64
"""Different filters one connection may subscribe to. A peer needs about ten; every publish is
matched against each filter, so this bounds its price."""

RETAINED = 256
"""Topics with a retained message, at most: 4 MiB of messages. Adverts need one a table."""

WRITE_BUFFER = 4 * 1024 * 1024
"""Bytes waiting for one slow reader before it is cut off. It comes back and asks for what it
missed; the memory of the host is not its spool."""

_REFUSED = 0x80
_LISTENER = "default"


class Admission(BaseAuthPlugin):
    """Lets everybody in: who may say what is the gate's business, not a password's."""

    async def authenticate(self, *, session: Session) -> bool | None:
        session.is_anonymous = True
        return True


class Hub(Broker):
    """The part of amqtt that we use. `start()` and `shutdown()` are amqtt's."""

    def __init__(self) -> None:
        listener = ListenerConfig(type=ListenerType.EXTERNAL, bind="guard")
        plugin = f"{Admission.__module__}.{Admission.__qualname__}"
        super().__init__(BrokerConfig(listeners={_LISTENER: listener}, plugins={plugin: {}}))
        self.refused_retained = 0

    def backlog(self) -> int:
        """Messages taken in but not yet handed out."""
        return self._broadcast_queue.qsize()

    async def attend(self, reader: Feed, writer: Outlet) -> None:
        """Serves one connection, from the CONNECT that `reader` holds until either side closes."""
        await self.external_connected(reader, writer, _LISTENER)

    async def spread(self, message: packets.Publish) -> None:
        """Hands a message to all who subscribed, and keeps it when it says so.

        Not by way of the sender's session, where amqtt forgets what it has read but not yet
        handled when the sender says goodbye.
        """
        await self.internal_message_broadcast(message.topic, message.payload)
        if message.retain:
            await self.retain_message(None, message.topic, message.payload, 0)

    async def add_subscription(self, subscription: tuple[str, int], session: Session) -> int:
        """Grants QoS 0 (0) or refuses (0x80).

        QoS 0 over one TCP connection with a clean session loses and reorders nothing that QoS 1
        would not, and amqtt keeps no memory per message for it.
        """
        filter_, _ = subscription
        granted: set[str] = session.attributes.setdefault("p2pcards.filters", set())
        if not packets.is_filter(filter_) or len(granted | {filter_}) > FILTERS_PER_SESSION:
            return _REFUSED
        granted.add(filter_)
        return await super().add_subscription((filter_, 0), session)

    async def retain_message(
        self,
        source_session: Session | None,
        topic_name: str | None,
        data: bytes | bytearray | None,
        qos: int | None = None,
    ) -> None:
        """Keeps (or, when empty, clears) the topic's last message, for `RETAINED` topics."""
        known = self.retained_messages
        if data and topic_name not in known and len(known) >= RETAINED:
            self.refused_retained += 1
            return
        await super().retain_message(source_session, topic_name, data, qos)


class Feed(ReaderAdapter):
    """What amqtt reads: the packets that the guard let through."""

    def __init__(self) -> None:
        self._stream = asyncio.StreamReader()

    def put(self, packet: bytes) -> None:
        """Appends one whole packet."""
        self._stream.feed_data(packet)

    async def read(self, n: int = -1) -> bytes:
        return await (self._stream.read() if n == -1 else self._stream.readexactly(n))

    def feed_eof(self) -> None:
        self._stream.feed_eof()


class Outlet(WriterAdapter):
    """What amqtt writes to: a socket whose reader is cut off when it is too slow."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.overran = False

    def write(self, data: bytes) -> None:
        transport = self._writer.transport
        if transport.is_closing():
            return
        self._writer.write(data)
        if transport.get_write_buffer_size() > WRITE_BUFFER:
            self.overran = True
            self.abort()

    def abort(self) -> None:
        """Closes the socket at once, whatever waits to be written."""
        self._writer.transport.abort()

    async def drain(self) -> None:
        """Returns at once: waiting here would pile up amqtt's tasks instead of bytes."""

    def get_peer_info(self) -> tuple[str, int]:
        name = self._writer.get_extra_info("peername")
        return (name[0], name[1]) if name else ("", 0)

    def get_ssl_info(self) -> SSLObject | None:
        return None

    async def close(self) -> None:
        self._writer.close()
