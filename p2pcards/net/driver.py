"""The driver: runs a lobby and then a peer over a link, and performs their effects in order.

The one place where the sans-I/O machines meet sockets, threads, files and the clock. Knows no rules
and no cryptography. protocol.md section 11.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Any, Self

from p2pcards.crypto.group import Rng
from p2pcards.crypto.kernel import Kernel
from p2pcards.crypto.signing import Identity
from p2pcards.engine.agreement import Agreement
from p2pcards.engine.audit import JOURNAL_MAGIC, header, record
from p2pcards.engine.chat import TOPIC as CHAT
from p2pcards.engine.chat import Said, Talk
from p2pcards.engine.events import (
    Agreed,
    Append,
    Chose,
    Compute,
    Computed,
    Effect,
    Event,
    Gathering,
    Invited,
    Keep,
    Left,
    LobbyEffect,
    Received,
    Send,
    Show,
    Stopped,
    Tick,
    Ticket,
    TurnedAway,
    Wake,
)
from p2pcards.engine.lobby import Host, Lobby
from p2pcards.engine.match import Match
from p2pcards.engine.peer import Peer
from p2pcards.engine.view import SeatView
from p2pcards.errors import Malformed, Refused, Unavailable
from p2pcards.net.address import BrokerUrl
from p2pcards.net.mqtt import Link
from p2pcards.net.store import Journal, Profile
from p2pcards.net.work import Workshop

_log = logging.getLogger(__name__)

LINGER = 5.0
"""Seconds that a peer whose match has ended stays to answer those who lack its last word."""
VERDICT_WITHIN = 1.5
"""Seconds after a fault in which a verdict of an earlier step or seat may still arrive."""
SILENCE = 120.0
"""Seconds without a sign of life from a seat that the match waits for, until it is given up."""
WAITING_ROOM = 256
"""Messages of the match kept for a peer that has not yet seen the last nonce of the lobby."""
FLUSH = 2.0
"""Seconds given to the broker to take our last messages."""


@dataclass(frozen=True, slots=True)
class Notices:
    """What a shell wants to hear, called in the event loop; each may be left out.

    `opened(places)`: where a table that we host can be joined without discovery (`host:port`);
    `gathering(names, seats)` while the table forms, `agreed(agreement)` when it has, `view(view)`
    for each new view, `link(up, text)` when the broker comes and goes, `waiting(seats)` when seats
    have been silent for a while (empty: no longer), `said(words)` for what others say to the
    table, `invited(place)` when the host of a match that is over opens its next table, and
    `warning(text)` for what went wrong and does not stop the game.
    """

    opened: Callable[[Sequence[str]], None] = lambda places: None
    gathering: Callable[[Sequence[str], int], None] = lambda names, seats: None
    agreed: Callable[[Agreement], None] = lambda agreement: None
    view: Callable[[SeatView], None] = lambda view: None
    link: Callable[[bool, str], None] = lambda up, text: None
    waiting: Callable[[Sequence[int]], None] = lambda seats: None
    said: Callable[[Said], None] = lambda said: None
    invited: Callable[[bytes], None] = lambda place: None
    warning: Callable[[str], None] = lambda text: None


class Driver:
    """One seat at one table, from the lobby to the end. `async with` joins and leaves.

    `profile` (None: nothing is stored) keeps journal and secrets of the table.
    """

    def __init__(
        self,
        lobby: Lobby,
        identity: Identity,
        kernel: Kernel,
        url: BrokerUrl,
        rng: Rng,
        *,
        profile: Profile | None = None,
        notices: Notices | None = None,
    ) -> None:
        self.lobby = lobby
        self.peer: Peer | None = None
        self._talk: Talk | None = None
        self._identity = identity
        self._kernel = kernel
        self._rng = rng
        self._profile = profile
        self._notices = notices if notices is not None else Notices()
        self._prefix = f"p2pcards/1/{lobby.place.hex()}"
        self._link = Link(url, rng(8).hex(), self._heard, self._link_changed)
        self._stack = AsyncExitStack()
        self._workshop: Workshop[Ticket] | None = None
        self._journal: Journal | None = None
        self._secrets: Journal | None = None
        self._early: deque[bytes] = deque(maxlen=WAITING_ROOM)
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._error: BaseException | None = None
        self._ended = False
        self._waiting: tuple[int, ...] = ()
        self._last_step = (-1, 0.0)
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        try:
            if self._profile is not None:
                # One identity sits at a table once; two would push each other off the roster.
                place = self.lobby.place.hex()
                self._stack.enter_context(self._profile.table(place))
            await self._stack.enter_async_context(self._link)
            self._workshop = await self._stack.enter_async_context(Workshop[Ticket]())
            self._link.subscribe(f"{self._prefix}/#")
            await self._link.connected(LINGER)
        except BaseException:
            await self._stack.aclose()
            raise
        self._tick_lobby()
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self.leave()
        finally:
            for timer in self._timers.values():
                timer.cancel()
            await self._stack.aclose()

    # --- for shells -------------------------------------------------------------------------------

    async def leave(self) -> None:
        """Says goodbye, once; where the broker is there, the others know it when this returns."""
        self._say_goodbye()
        if self._link.up:
            await self._link.flush(FLUSH)

    async def agreed(self) -> Agreement:
        """The agreement, once everybody has signed. Raises `Refused` or `Unavailable`."""
        while self.lobby.agreement is None:
            await self._change()
        return self.lobby.agreement

    async def views(self) -> AsyncIterator[SeatView]:
        """Each new view, the latest one when several came at once; ends with the match."""
        shown: SeatView | None = None
        while True:
            peer = self.peer
            if peer is not None:
                view = peer.view()
                if shown is None or (view.step, view.options) != (shown.step, shown.options):
                    shown = view
                    yield view
                    continue
                if self._over():
                    return
            await self._change()

    def choose(self, option: str, at: int) -> None:
        """Chooses an option of the view of step `at`; raises `LocalError` when it is refused."""
        if self.peer is None:
            raise Unavailable("table.forming", "the match has not begun")
        self._check()
        self._perform(self.peer.handle(Chose(option, at), self._now()))

    def say(self, phrase: str, text: str, to: tuple[int, ...] = ()) -> Said:
        """Says something to the table; see `Talk.say`. Raises `Unavailable` before the match."""
        if self._talk is None:
            raise Unavailable("table.forming", "the match has not begun")
        said, send = self._talk.say(phrase, text, to)
        self._perform([send])
        return said

    def kick(self, key: bytes) -> None:
        """Turns a guest away from our table, before the match."""
        if isinstance(self.lobby, Host):
            self._perform_lobby(self.lobby.kick(key))

    def invite(self, place: bytes) -> None:
        """Tells those who played at our table where the next one is (8 bytes)."""
        if isinstance(self.lobby, Host):
            self._perform_lobby(self.lobby.invite(place))

    async def finished(self) -> Peer:
        """The peer, once its match is over and the others have had our last word.

        Raises `SeatFault` when a seat was convicted, `Unavailable` when one left or fell silent.
        """
        while self.peer is None or not self._over():
            await self._change()
        peer = self.peer
        if peer.verdict is not None:
            await asyncio.sleep(VERDICT_WITHIN)
            raise peer.verdict
        self._say_goodbye()
        others = set(range(peer.match.seats)) - {peer.seat}
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                while not others <= peer.done | peer.left:
                    self._changed.clear()
                    await self._changed.wait()
        return peer

    def _link_changed(self, up: bool, text: str) -> None:
        if not self._ended:
            self._notices.link(up, text)

    # --- events -----------------------------------------------------------------------------------

    def _heard(self, topic: str, payload: bytes) -> None:
        if topic.endswith("/lobby"):
            if payload:
                self._feed_lobby(Received(payload))
        elif topic.endswith(f"/{CHAT}"):
            self._hear(payload)
        elif self.peer is not None:
            self._feed(Received(payload))
        else:
            self._early.append(payload)

    def _hear(self, payload: bytes) -> None:
        if self._talk is None:
            return
        try:
            said = self._talk.take(payload, self._now())
        except Malformed as error:
            self.lobby.dropped[error.code] += 1
        else:
            if said is not None:
                self._notices.said(said)

    def _feed_lobby(self, event: Event) -> None:
        try:
            self._perform_lobby(self.lobby.handle(event, self._now()))
        except Exception as error:  # noqa: BLE001 - a callback has nobody to raise to
            _log.debug("the lobby failed", exc_info=True)
            self._fail(error)

    def _feed(self, event: Event) -> None:
        if self.peer is not None and not self._error:
            try:
                self._perform(self.peer.handle(event, self._now()))
            except Exception as error:  # noqa: BLE001 - a callback has nobody to raise to
                _log.debug("the peer failed", exc_info=True)
                self._fail(error)

    def _computed(self, ticket: Ticket, result: Any) -> None:
        self._feed(Computed(ticket, result))

    def _tick_lobby(self) -> None:
        self._feed_lobby(Tick())

    def _tick(self) -> None:
        self._watch()
        self._feed(Tick())

    def _watch(self) -> None:
        """Notices seats that the match waits for and that give no sign of life."""
        peer = self.peer
        if peer is None or self._over():
            return
        now, step = self._now(), peer.match.chain.step
        if step != self._last_step[0]:
            self._last_step = (step, now)
        silent = []
        for seat in sorted(peer.match.chain.missing - {peer.seat}):
            quiet = now - max(peer.heard.get(seat, 0.0), self._last_step[1])
            if quiet > SILENCE:
                name = peer.match.agreement.players[seat].name
                self._fail(Unavailable("seat.silent", f"{name} has not answered for {quiet:.0f} s"))
                return
            if quiet > SILENCE / 8:
                silent.append(seat)
        if tuple(silent) != self._waiting:
            self._waiting = tuple(silent)
            self._notices.waiting(self._waiting)

    # --- effects ----------------------------------------------------------------------------------

    def _perform_lobby(self, effects: Sequence[LobbyEffect]) -> None:
        for effect in effects:
            match effect:
                case Send(topic, message, retain):
                    self._link.publish(f"{self._prefix}/{topic}", message, retain)
                case Wake(at):
                    self._wake("lobby", at, self._tick_lobby)
                case Gathering(players, seats):
                    self._notices.gathering([player.name for player in players], seats)
                case TurnedAway(reason):
                    self._fail(Refused(reason))
                case Invited(place):
                    self._notices.invited(place)
                case Agreed(agreement):
                    self._begin(agreement)
        self._signal()

    def _begin(self, agreement: Agreement) -> None:
        self._open_files(agreement)
        self.peer = Peer(Match(agreement, self._kernel), self._identity, self._rng)
        self._talk = Talk(agreement, self._identity)
        self._notices.agreed(agreement)
        self._perform(self.peer.start(self._now()))
        while self._early:
            self._feed(Received(self._early.popleft()))

    def _open_files(self, agreement: Agreement) -> None:
        if self._profile is not None:
            store = self._stack.enter_context(self._profile.table(agreement.table.hex()))
            journal = store.journal(header(JOURNAL_MAGIC))
            self._journal = self._stack.enter_context(journal)
            self._secrets = self._stack.enter_context(store.secrets())

    def _perform(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            match effect:
                case Keep(secret):
                    if self._secrets is not None:
                        self._secrets.append(record(secret))
                        self._secrets.sync()
                case Append(envelope, own):
                    if self._journal is not None:
                        self._journal.append(record(envelope))
                        if own:
                            self._journal.sync()
                case Send(topic, message, retain):
                    self._link.publish(f"{self._prefix}/{topic}", message, retain)
                case Compute(ticket, work):
                    if self._workshop is not None:
                        self._workshop.submit(ticket, work, self._computed)
                case Wake(at):
                    self._wake("peer", at, self._tick)
                case Show(view):
                    self._notices.view(view)
                case Left(seat):
                    self._lose(seat)
                case Stopped():
                    pass
        self._signal()

    def _lose(self, seat: int) -> None:
        """A seat that has left may have left because of a fault whose proof is still to check."""
        if self.peer is not None and "left" not in self._timers:
            name = self.peer.match.agreement.players[seat].name
            error = Unavailable("seat.left", f"{name} has left the table")
            loop = asyncio.get_running_loop()
            self._timers["left"] = loop.call_later(VERDICT_WITHIN, self._fail, error)

    def _wake(self, who: str, at: float, call: Callable[[], None]) -> None:
        if who in self._timers:
            self._timers[who].cancel()
        loop = asyncio.get_running_loop()
        self._timers[who] = loop.call_later(max(0.0, at - self._now()), call)

    def _say_goodbye(self) -> None:
        if self._ended:
            return
        self._ended = True
        if self.peer is None:
            self._perform_lobby(self.lobby.goodbye())
        else:
            self._perform(self.peer.goodbye(self.peer.match.finished))

    # --- waiting ----------------------------------------------------------------------------------

    def _over(self) -> bool:
        peer = self.peer
        return peer is not None and (peer.match.finished or peer.verdict is not None)

    def _fail(self, error: BaseException) -> None:
        if self._error is None and not self._over():
            self._error = error
        self._signal()

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    def _signal(self) -> None:
        self._changed.set()

    async def _change(self) -> None:
        self._check()
        self._changed.clear()
        await self._changed.wait()
        self._check()

    @staticmethod
    def _now() -> float:
        return time.monotonic()
