"""A lasting link to an MQTT broker: connects, connects again, subscribes, publishes in order.

MQTT 3.1.1 through aiomqtt, QoS 1 outwards, clean sessions. Delivery is not promised: a broker may
lose, repeat, hold back or forge, and messages under way when the link breaks may arrive twice. What
correctness needs (numbers, acknowledgements, signatures) is the engine's. Knows topics and bytes,
no tables. protocol.md section 10.1.

Two habits of the library shape this module. On Python 3.11 a cancellation can be lost inside
`publish` and `subscribe` (they use `asyncio.wait_for`), so that nothing long-lived that calls them
is ended by cancelling it: the outbox's task ends by a sentinel or a flag. And a client is used for
one connection only, since a second one would not wait for the broker's answer.
"""

from __future__ import annotations

import asyncio
import logging
import random
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

import aiomqtt

from p2pcards.errors import LocalError, Unavailable
from p2pcards.net import packets
from p2pcards.net.address import BrokerUrl

_log = logging.getLogger(__name__)

KEEPALIVE = 10
"""Seconds: a dead broker or a pulled cable is noticed within one and a half of them."""

ANSWER_WITHIN = 5.0
"""Seconds for the broker to answer CONNECT, SUBSCRIBE and DISCONNECT."""

CONFIRM_WITHIN = 10.0
"""Seconds for the broker to confirm a publish; a broker that does not is treated as gone."""

WINDOW = 64
"""Publishes under way without confirmation, at most."""

OUTBOX_MESSAGES, OUTBOX_BYTES = 4096, 16 * 1024 * 1024
"""What waits for a broker that is away, at most; more is dropped and asked for again by peers."""

STEADY = 5.0
"""Seconds a connection has to last before the next attempt starts without delay again."""

_FIRST_DELAY, _LAST_DELAY = 0.2, 5.0
_CLOSE_WITHIN = 2.0
_LOGIN_REFUSED = (4, 5, 134, 135)  # CONNACK codes of MQTT 3.1.1, and as paho translates them
_NODELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@dataclass(frozen=True, slots=True)
class _Letter:
    topic: str
    payload: bytes
    retain: bool


@dataclass(frozen=True, slots=True)
class _Wish:
    """A subscription, kept in line with the letters: what follows it may count on it."""

    filter_: str


class _End:
    """The sentinel: everything before it is sent, then the outbox closes."""


class _Session:
    """One connection: its client, its publishes under way, and whether it is over."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self.client = client
        self.tasks: set[asyncio.Task[None]] = set()
        self.over = False
        self.leaving = False
        self.failure: aiomqtt.MqttError | None = None


class Link:
    """The link to one broker; `async with` connects and, at the end, flushes and says DISCONNECT.

    `on_message(topic, payload)` is called for what arrives, `on_state(up, text)` when the link
    comes and goes; both in the event loop, and neither may block. `client_id` (1 to 23 characters
    of `[A-Za-z0-9_-]`) should be hard to guess: whoever connects with the same one takes the place.

    Entering raises `Unavailable` when the first connection fails; later ones are tried for ever.
    """

    def __init__(
        self,
        url: BrokerUrl,
        client_id: str,
        on_message: Callable[[str, bytes], None],
        on_state: Callable[[bool, str], None],
    ) -> None:
        self._url = url
        self._client_id = client_id
        self._on_message = on_message
        self._on_state = on_state
        self._filters: dict[str, None] = {}
        self._outbox: deque[_Letter | _Wish | _End] = deque()
        self._outbox_bytes = 0
        self._unconfirmed: dict[int, _Letter] = {}
        self._number = 0
        self._session: _Session | None = None
        self._state: tuple[bool, str] = (False, "")
        self._trouble = Unavailable("broker.away", f"not connected to {url.place}")
        self._wake = asyncio.Event()
        self._up = asyncio.Event()
        self._settled = asyncio.Event()
        self._settled.set()
        self._closing = asyncio.Event()
        self._run_task: asyncio.Task[None] | None = None
        self.dropped = 0
        """Messages from the broker that were too long."""
        self.overflowed = 0
        """Messages of ours that found the outbox full."""
        self.failed = 0
        """Messages on which `on_message` raised; the log says how."""

    # --- for everybody ------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._run_task = asyncio.create_task(self._run(first), name=f"link {self._url.place}")
        try:
            await asyncio.wait({first, self._run_task}, return_when=asyncio.FIRST_COMPLETED)
            await (first if first.done() else self._run_task)
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()

    @property
    def up(self) -> bool:
        """True while connected and subscribed."""
        return self._up.is_set()

    def subscribe(self, filter_: str) -> None:
        """Asks for what matches `filter_`, now and after every reconnection.

        A broker that refuses counts as unavailable: `connected` and `on_state` say so.
        """
        if filter_ in self._filters:
            return
        self._filters[filter_] = None
        if self.up:
            self._post(_Wish(filter_))
        else:
            self._settled.clear()

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> bool:
        """Puts a message into the outbox; never waits. False when the outbox is full.

        Raises `LocalError("message.too_long")` above `MESSAGE_LIMIT` bytes and
        `LocalError("message.topic")` for a topic that is not ours.
        """
        if not packets.is_topic(topic):
            raise LocalError("message.topic", topic)
        if len(payload) > packets.MESSAGE_LIMIT:
            raise LocalError("message.too_long", f"{len(payload)} bytes to {topic}")
        full = len(self._outbox) >= OUTBOX_MESSAGES or self._outbox_bytes >= OUTBOX_BYTES
        if full or self._closing.is_set():
            self.overflowed += 1
            return False
        self._post(_Letter(topic, payload, retain))
        return True

    async def connected(self, within: float) -> None:
        """Waits until connected and subscribed, `within` seconds; else raises `Unavailable`, with
        the latest trouble."""
        try:
            async with asyncio.timeout(within):
                await self._up.wait()
        except TimeoutError:
            raise self._trouble from None

    async def flush(self, within: float) -> bool:
        """Waits until the broker has confirmed all that was published and subscribed so far (and
        since); False when that took longer than `within` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._settled.wait()
        return self._settled.is_set()

    # --- connecting ---------------------------------------------------------------------------

    async def _close(self) -> None:
        task = self._run_task
        if task is None or self._closing.is_set():
            return
        self._closing.set()
        self._post(_End())
        done, _ = await asyncio.wait({task}, timeout=_CLOSE_WITHIN)
        if not done and self._session is not None:
            self._session.over = True
            self._wake.set()
            done, _ = await asyncio.wait({task}, timeout=_CLOSE_WITHIN)
        if not done:
            task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def _run(self, first: asyncio.Future[None]) -> None:
        delay = _FIRST_DELAY
        while not self._closing.is_set():
            begun = time.monotonic()
            try:
                await self._connect_once(first)
                self._trouble = Unavailable("broker.closed", "the link is closed")
            except (aiomqtt.MqttError, Unavailable, ValueError) as error:
                self._trouble = explain(error, self._url)
            self._set_state(False, self._trouble.detail)
            if not first.done():
                first.set_exception(self._trouble)
                return
            if time.monotonic() - begun > STEADY:
                delay = _FIRST_DELAY
            # Jitter: all peers lose the broker at one moment and should not all return at one.
            with suppress(TimeoutError):
                async with asyncio.timeout(delay * random.uniform(0.5, 1)):  # noqa: S311  no secret
                    await self._closing.wait()
            delay = min(_LAST_DELAY, 2 * delay)

    async def _connect_once(self, first: asyncio.Future[None]) -> None:
        """Connects and stays until the link breaks (raises) or closes (returns)."""
        context = await asyncio.to_thread(ssl.create_default_context) if self._url.tls else None
        client = aiomqtt.Client(
            self._url.host,
            self._url.port,
            username=self._url.user,
            password=self._url.password,
            identifier=self._client_id,
            protocol=aiomqtt.ProtocolVersion.V311,
            clean_session=True,
            timeout=ANSWER_WITHIN,
            keepalive=KEEPALIVE,
            max_inflight_messages=WINDOW + 1,
            tls_context=context,
            socket_options=[_NODELAY],
        )
        # The library warns of every publish under way beyond ten; our window is the limit.
        client.pending_calls_threshold = 2 * WINDOW
        # aiomqtt forgets an end that comes in the same moment as the broker's yes.
        ended = client._disconnected
        try:
            await client.__aenter__()
            if ended.done():
                raise aiomqtt.MqttError("the broker hung up at once") from ended.exception()
        except BaseException:
            client._client.disconnect()  # aiomqtt leaves the socket of a failed attempt open
            raise
        try:
            await self._converse(client, first)
        finally:
            with suppress(aiomqtt.MqttError):  # a goodbye that cannot be said any more
                await client.__aexit__(None, None, None)
            if client._disconnected.done():
                client._disconnected.exception()  # looked at, or asyncio complains that nobody did

    async def _converse(self, client: aiomqtt.Client, first: asyncio.Future[None]) -> None:
        session = self._session = _Session(client)
        reading = asyncio.create_task(self._read(client))
        sending = None
        try:
            await self._subscribe_all(client)
            # What the broker never confirmed goes first, in its order; repeats do no harm.
            for letter in reversed(self._unconfirmed.values()):
                self._outbox.appendleft(letter)
                self._outbox_bytes += len(letter.payload)
            self._unconfirmed.clear()
            self._set_state(True, f"connected to {self._url.place}")
            if not first.done():
                first.set_result(None)
            sending = asyncio.create_task(self._send(session))
            await asyncio.wait({reading, sending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._up.clear()
            session.over = True
            self._wake.set()
            reading.cancel()
            ending = [reading] if sending is None else [reading, sending]
            results = await asyncio.gather(*ending, return_exceptions=True)
            for task in session.tasks:
                task.cancel()  # each ends after its one publish, cancelled or not
            await asyncio.gather(*session.tasks, return_exceptions=True)
            self._session = None
        for failure in (session.failure, *results):
            if isinstance(failure, Exception):
                raise failure

    async def _subscribe_all(self, client: aiomqtt.Client) -> None:
        done: set[str] = set()
        while missing := [filter_ for filter_ in self._filters if filter_ not in done]:
            for filter_ in missing:
                await _subscribe(client, filter_)
            done.update(missing)

    def _set_state(self, up: bool, text: str) -> None:
        if up:
            self._up.set()
        else:
            self._up.clear()
        if (up, text) != self._state:
            self._state = (up, text)
            self._on_state(up, text)

    # --- messages -----------------------------------------------------------------------------

    async def _read(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            payload = message.payload
            if (
                not isinstance(payload, bytes)
                or len(payload) > packets.MESSAGE_LIMIT + packets.MESSAGE_SLACK
            ):
                self.dropped += 1
                continue
            try:
                self._on_message(str(message.topic), payload)
            except Exception:  # noqa: BLE001  a stranger's message must not end the link
                self.failed += 1
                _log.exception("a message on %s", message.topic)

    def _post(self, item: _Letter | _Wish | _End) -> None:
        self._outbox.append(item)
        if isinstance(item, _Letter):
            self._outbox_bytes += len(item.payload)
        self._settled.clear()
        self._wake.set()

    async def _send(self, session: _Session) -> None:
        """The outbox: publishes without waiting for the confirmation of what went before."""
        while not session.over:
            if not self._outbox and not self._unconfirmed:
                self._settled.set()
                if session.leaving:
                    return
            if not self._outbox or len(self._unconfirmed) >= WINDOW:
                self._wake.clear()
                await self._wake.wait()
                continue
            match self._outbox.popleft():
                case _Letter() as letter:
                    self._outbox_bytes -= len(letter.payload)
                    self._number += 1
                    self._unconfirmed[self._number] = letter
                    task = asyncio.create_task(self._deliver(session, self._number, letter))
                    session.tasks.add(task)
                    task.add_done_callback(session.tasks.discard)
                case _Wish(filter_):
                    await _subscribe(session.client, filter_)
                case _End():
                    session.leaving = True

    async def _deliver(self, session: _Session, number: int, letter: _Letter) -> None:
        try:
            await session.client.publish(
                letter.topic, letter.payload, qos=1, retain=letter.retain, timeout=CONFIRM_WITHIN
            )
        except aiomqtt.MqttError as error:
            session.failure = session.failure or error
            session.over = True
        else:
            self._unconfirmed.pop(number, None)
        self._wake.set()


async def _subscribe(client: aiomqtt.Client, filter_: str) -> None:
    """Subscribes at QoS 0: over one connection with a clean session QoS 1 delivers no more, and
    costs a confirmation for each message. Raises `Unavailable("broker.subscribe")` when refused,
    which MQTT 3.1.1 says with code 128 in the SUBACK and the library does not raise."""
    for code in await client.subscribe(filter_, qos=0):
        if (code if isinstance(code, int) else code.value) >= 0x80:
            raise Unavailable("broker.subscribe", f"the broker does not let us read {filter_}")


def explain(error: Exception, url: BrokerUrl) -> Unavailable:
    """What went wrong with the broker, in words that say what to look at."""
    if isinstance(error, Unavailable):
        return error
    place = url.place
    # aiomqtt turns every OSError into a text, but it is still there as the context.
    cause = error.__context__
    if isinstance(error, aiomqtt.exceptions.MqttConnectError):
        if getattr(error.rc, "value", error.rc) in _LOGIN_REFUSED:
            return Unavailable("broker.login", f"{place} refuses this user or password")
        return Unavailable("broker.rejected", f"{place} does not let us in: {error}")
    if str(error) == "Operation timed out":
        return Unavailable(
            "broker.no_answer",
            f"{place} is reached but does not answer as an MQTT broker"
            " (another port? some brokers answer a wrong password with silence)",
        )
    if isinstance(error, ValueError) or isinstance(cause, socket.gaierror):
        return Unavailable("broker.name", f"there is no host called {url.host}")
    if isinstance(cause, ConnectionRefusedError):
        return Unavailable("broker.refused", f"nothing listens at {place}")
    if isinstance(cause, ssl.SSLError):
        return Unavailable("broker.tls", f"no trusted TLS connection to {place}: {cause}")
    if isinstance(cause, TimeoutError):
        return Unavailable("broker.timeout", f"{place} does not answer: off, or a firewall")
    if isinstance(cause, OSError):
        return Unavailable("broker.unreachable", f"{place} cannot be reached: {cause}")
    return Unavailable("broker.lost", f"the connection to {place} broke")
