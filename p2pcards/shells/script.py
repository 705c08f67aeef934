"""Peers in scripts: host or join a table, decide when it is this seat's turn, read the result.

    async with Peer("Ada") as peer:
        table = await peer.host("oh-hell", seats=4, bots=3)
        async for decision in table.decisions():
            await decision.play(decision.legal[0])
        result = await table.result()

The same peer that the command line runs. A view holds nothing that its seat may not know; an
illegal answer raises here, before anything is sent. protocol.md section 11.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Self

from p2pcards.cards.rules import Value
from p2pcards.crypto.kernel import RealKernel
from p2pcards.crypto.signing import Identity
from p2pcards.engine.agreement import Agreement
from p2pcards.engine.audit import FAULT_MAGIC, pack_log
from p2pcards.engine.fingerprint import tag
from p2pcards.engine.lobby import Guest, Host, Lobby
from p2pcards.engine.peer import Peer as Engine
from p2pcards.engine.view import SeatView
from p2pcards.errors import BadOption, IllegalMove, SeatFault, StaleChoice, Unavailable
from p2pcards.net.address import BrokerUrl
from p2pcards.net.advert import Notice, check_name
from p2pcards.net.broker import EmbeddedBroker
from p2pcards.net.discovery import Advertisement
from p2pcards.net.driver import Driver, Notices
from p2pcards.net.entry import find_door
from p2pcards.net.interfaces import addresses, is_bindable, loopback
from p2pcards.net.store import Profile
from p2pcards.shells.bots import Strategy, strategy

GATE = "p2pcards.net.gate:RosterGate"
PORT = 1883
"""Where a table that others may join is looked for when only its address is given. When it is
taken, the broker gets another one, and has to be named with it."""
FIND_WITHIN = 5.0
"""Seconds to look for a table on the network."""
NAME_LIMIT = 40


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended. `places` and `points` are per seat; 1 is the best place, equal ones are
    shared. `log` is the whole match as a file of its own (`.p2plog`), for anybody to audit."""

    game: str
    players: tuple[str, ...]
    seat: int
    places: tuple[int, ...]
    points: tuple[int, ...] | None
    sheet: Sequence[Mapping[str, object]]
    log: bytes


@dataclass(frozen=True, slots=True)
class Decision:
    """A question to this seat: what it sees, and the moves that it may make (at least one)."""

    view: SeatView
    _table: Table

    @property
    def legal(self) -> list[Any]:
        """The moves: values of the game's move types, comparable and storable."""
        return [choice.move for choice in self.view.options]

    async def play(self, move: object) -> None:
        """Makes one of the legal moves. `IllegalMove` for any other, `StaleChoice` when the
        question is answered already; nothing is sent then."""
        choice = self.view.option(move)
        if choice is None:
            raise IllegalMove("choice.unknown", f"{move!r} is not among the legal moves")
        await self.choose(choice.id)

    async def choose(self, option: str) -> None:
        """Makes the move with this option id."""
        self._table.choose(option, self.view.step)


class Table:
    """One seat at one table."""

    def __init__(self, driver: Driver, agreement: Agreement, helpers: Sequence[asyncio.Task[Any]]):
        self._driver = driver
        self._helpers = helpers
        self.agreement = agreement

    @property
    def seat(self) -> int:
        """Our seat."""
        return self._peer.seat

    @property
    def players(self) -> tuple[str, ...]:
        """Names in seat order."""
        return tuple(player.name for player in self.agreement.players)

    @property
    def view(self) -> SeatView:
        """What this seat sees now."""
        return self._peer.view()

    @property
    def log(self) -> bytes:
        """The match so far as a log file; without its end it audits as incomplete."""
        return pack_log(self._peer.match.chain.envelopes())

    @property
    def fault_file(self) -> bytes | None:
        """What convicts a dishonest seat, as a `.p2pfault` file; None when nobody is."""
        if self._peer.verdict is None:
            return None
        return pack_log(self._peer.evidence(), FAULT_MAGIC)

    @property
    def dropped(self) -> Mapping[str, int]:
        """Messages that were nobody's provable fault and were dropped, counted by code."""
        return self._peer.dropped + self._driver.lobby.dropped

    @property
    def driver(self) -> Driver:
        """What runs our seat."""
        return self._driver

    @property
    def engine(self) -> Engine:
        """The peer of our seat; to be looked at, its driver alone may feed it."""
        return self._peer

    @property
    def _peer(self) -> Engine:
        if self._driver.peer is None:
            raise Unavailable("table.forming", "the match has not begun")
        return self._driver.peer

    def choose(self, option: str, at: int) -> None:
        """Makes the move with an option id of the view of step `at`."""
        self._driver.choose(option, at)

    async def decisions(self) -> AsyncIterator[Decision]:
        """Every question to this seat, in order, until the match ends. One that is left unanswered
        is asked again when the view changes."""
        async for view in self._driver.views():
            if view.options:
                yield Decision(view, self)

    async def play(self, choose: Strategy, pace: float = 0.0) -> Result:
        """Plays the whole match by a function from view to option id; waits `pace` seconds before
        each move, so that people can follow."""
        async for decision in self.decisions():
            if pace:
                await asyncio.sleep(pace)
            with suppress(StaleChoice):  # the match was stopped while we thought
                await decision.choose(choose(decision.view))
        return await self.result()

    async def result(self) -> Result:
        """The result, once the match is over. Raises `SeatFault` when a seat was convicted, and
        `Unavailable` when one left or fell silent."""
        peer = await self._driver.finished()
        await asyncio.gather(*self._helpers)
        over, match = peer.match.over, peer.match
        if over is None:
            raise Unavailable("table.unfinished", "the match has no result")
        return Result(
            game=match.rules.key,
            players=self.players,
            seat=peer.seat,
            places=over.places,
            points=over.points,
            sheet=match.rules.sheet(match.state),
            log=pack_log(match.chain.envelopes()),
        )


@dataclass(frozen=True, slots=True)
class Forming:
    """A seat at a table that gathers its players.

    `url`: the broker. `places`: where a table that we host can be joined; empty for a guest, and
    where nobody can. `bots`: identity keys of the bots that we seated.
    """

    driver: Driver
    helpers: Sequence[asyncio.Task[Any]]
    stack: AsyncExitStack
    url: BrokerUrl
    places: tuple[BrokerUrl, ...]
    bots: frozenset[bytes]

    async def table(self) -> Table:
        """The table, once all seats are taken and all have signed. Raises `Refused` by its host, or
        `Unavailable`."""
        return Table(self.driver, await _first(self.driver.agreed(), self.helpers), self.helpers)

    async def close(self) -> None:
        """Leaves the table, also when the match has begun; the broker stays."""
        await self.stack.aclose()


class Peer:
    """A player. `async with` it; what it opened is closed in the end.

    `profile`: a directory (or a `Profile`) that keeps the identity and the journals; None makes an
    identity for this object alone and stores nothing. `seed` fixes the choices of the bots this
    peer seats, never the cryptography. `broker`: a URL to use instead of the embedded broker.
    `interface`: one local address (or interface name) for broker and zeroconf.
    """

    def __init__(
        self,
        name: str,
        *,
        profile: str | Path | Profile | None = None,
        seed: int | None = None,
        broker: str | None = None,
        interface: str | None = None,
        notices: Notices | None = None,
    ) -> None:
        self.name = check_name(name)
        if len(self.name) > NAME_LIMIT:
            raise BadOption("player.name", f"at most {NAME_LIMIT} characters")
        if isinstance(profile, str | Path):
            profile = Profile.open(profile)
        self.profile = profile
        secret = os.urandom(32) if profile is None else profile.identity(os.urandom)
        self.identity = Identity(secret)
        self._random = Random(seed)  # noqa: S311 - choices of bots, not keys
        self._broker = broker
        self._interface = interface
        self._notices = notices if notices is not None else Notices()
        self._stack = AsyncExitStack()
        self._embedded: tuple[BrokerUrl, EmbeddedBroker, bool] | None = None
        self._places: tuple[BrokerUrl, ...] = ()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    # --- hosting ----------------------------------------------------------------------------------

    async def host(
        self,
        game: str,
        *,
        seats: int = 4,
        bots: int | Sequence[str] = 0,
        options: Mapping[str, Value] | None = None,
        hands: int = 0,
        openings: str = "after-hand",
        title: str | None = None,
    ) -> Table:
        """Opens a table and waits until all its seats are taken; see `open`."""
        forming = await self.open(
            game,
            seats=seats,
            bots=bots,
            options=options,
            hands=hands,
            openings=openings,
            title=title,
        )
        return await forming.table()

    async def open(
        self,
        game: str,
        *,
        seats: int = 4,
        bots: int | Sequence[str] = 0,
        options: Mapping[str, Value] | None = None,
        hands: int = 0,
        openings: str = "after-hand",
        title: str | None = None,
        invited: frozenset[bytes] = frozenset(),
        pace: float = 0.0,
    ) -> Forming:
        """Opens a table. `bots`: how many bots to seat, or their strategies. `hands` ends the match
        early; 0 plays it out. `invited`: identity keys (32 bytes) whose seats are kept for them.
        `pace`: seconds that our bots wait before each move."""
        strategies = ["simple"] * bots if isinstance(bots, int) else list(bots)
        if len(strategies) > seats - 1:
            raise BadOption("option.bots", f"{len(strategies)} bots and you on {seats} seats")
        seated = [Peer(f"Bot {number}") for number, _ in enumerate(strategies, 1)]
        robots = frozenset(bot.identity.public for bot in seated)
        lobby = Host(
            self.identity,
            self.name,
            os.urandom,
            game=game,
            seats=seats,
            options=options or {},
            table_options={"hands": hands, "openings": openings},
            unix_time=lambda: int(time.time()),
            expected=robots | invited,
        )
        choices = [strategy(name, Random(self._random.random())) for name in strategies]  # noqa: S311 - choices of bots, not keys
        alone = len(strategies) == seats - 1
        url, broker = await self._open_broker(alone)
        stack = await self._stack.enter_async_context(AsyncExitStack())
        notices = self._notices
        if broker is not None:
            notices = replace(notices, agreed=_admitting(notices.agreed, broker, lobby))
        gathering = self._notices.gathering
        if broker is not None and not alone:
            notice = Notice(
                title or self.name, lobby.place.hex(), tag(lobby.key).hex(), lobby.game, 1, seats
            )
            announced = await self._announce(notice, broker, stack)
            if announced is not None:
                gathering = _announcing(gathering, announced, notice)
        notices = replace(notices, gathering=gathering)
        driver = await self._drive(lobby, url, notices, stack)
        helpers = [
            asyncio.create_task(bot._sit(choose, lobby, url, pace))
            for bot, choose in zip(seated, choices, strict=True)
        ]
        stack.push_async_callback(_cancel, helpers)
        # The host says goodbye before its bots do, so that the others hear who it was that left.
        stack.push_async_callback(driver.leave)
        places = () if alone else self._places
        return Forming(driver, helpers, stack, url, places, robots)

    async def _open_broker(self, alone: bool) -> tuple[BrokerUrl, EmbeddedBroker | None]:
        if self._broker is not None:
            return BrokerUrl.parse(self._broker), None
        if self._embedded is not None:
            url, broker, loopback_only = self._embedded
            if alone or not loopback_only:
                return url, broker
        local = [each for each in addresses(self._interface) if is_bindable(each.address)]
        if alone or not local:
            local = [loopback()]
        listen = [address.address for address in local]
        try:
            broker = await EmbeddedBroker.start(listen, 0 if alone else PORT, GATE)
        except Unavailable as error:
            if error.code != "broker.port_taken":
                raise
            broker = await EmbeddedBroker.start(listen, gate=GATE)
        await self._stack.enter_async_context(broker)
        urls = [BrokerUrl.parse(broker.url(address)) for address in listen]
        self._embedded = (urls[0], broker, alone)
        if not alone:
            if all(address.is_loopback for address in local):
                self._notices.warning("only this machine can join: no network is used")
            self._places = tuple(urls)
            self._notices.opened([url.place for url in urls])
        return urls[0], broker

    async def _announce(
        self, notice: Notice, broker: EmbeddedBroker, stack: AsyncExitStack
    ) -> Advertisement | None:
        advertisement = Advertisement(notice, broker.port, self._interface, broker.listen)
        try:
            return await stack.enter_async_context(advertisement)
        except Unavailable as error:
            self._notices.warning(f"the table is not announced on the network: {error.detail}")
            return None

    async def _sit(self, choose: Strategy, lobby: Host, url: BrokerUrl, pace: float) -> Result:
        """Plays a whole match as a bot at a table of the same process."""
        async with self:
            guest = Guest(self.identity, self.name, os.urandom, place=lobby.place, host=lobby.key)
            driver = await self._drive(guest, url, self._notices, self._stack)
            table = Table(driver, await driver.agreed(), ())
            return await table.play(choose, pace)

    # --- joining ----------------------------------------------------------------------------------

    async def join(self, table: str | None = None, *, wait: float = FIND_WITHIN) -> Table:
        """Takes a seat at a table and waits until the match begins; see `enter`."""
        forming = await self.enter(table, wait=wait)
        return await forming.table()

    async def enter(self, table: str | None = None, *, wait: float = FIND_WITHIN) -> Forming:
        """Knocks at a table: named, by its id, by an address or by a join link; None for the only
        one there is. `wait`: seconds to look for it. Raises `Unavailable`."""
        door = await find_door(
            table, os.urandom, broker=self._broker, interface=self._interface, wait=wait
        )
        return await self.knock(door.url, door.advert.place, door.host)

    async def knock(self, url: BrokerUrl, place: bytes, host: bytes) -> Forming:
        """Knocks at the table of `host` (identity key) at a place (8 bytes) of a broker."""
        guest = Guest(self.identity, self.name, os.urandom, place=place, host=host)
        stack = await self._stack.enter_async_context(AsyncExitStack())
        driver = await self._drive(guest, url, self._notices, stack)
        return Forming(driver, (), stack, url, (), frozenset())

    async def _drive(
        self, lobby: Lobby, url: BrokerUrl, notices: Notices, stack: AsyncExitStack
    ) -> Driver:
        driver = Driver(
            lobby,
            self.identity,
            RealKernel(),
            url,
            os.urandom,
            profile=self.profile,
            notices=notices,
        )
        return await stack.enter_async_context(driver)


def _admitting(
    then: Callable[[Agreement], None], broker: EmbeddedBroker, lobby: Host
) -> Callable[[Agreement], None]:
    """The broker learns who may publish as soon as the roster stands."""

    def agreed(agreement: Agreement) -> None:
        broker.admit(lobby.place.hex(), [player.key for player in agreement.players])
        then(agreement)

    return agreed


def _announcing(
    then: Callable[[Sequence[str], int], None], advertisement: Advertisement, notice: Notice
) -> Callable[[Sequence[str], int], None]:
    """The network sees how many seats are taken."""

    def gathering(names: Sequence[str], seats: int) -> None:
        advertisement.update(replace(notice, taken=len(names)))
        then(names, seats)

    return gathering


async def _cancel(tasks: Sequence[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _first(wanted: Any, helpers: Sequence[asyncio.Task[Any]]) -> Any:
    """Waits for `wanted`, unless a helper fails before it."""
    task = asyncio.ensure_future(wanted)
    try:
        waiting = {task, *helpers}
        while not task.done():
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for helper in done - {task}:
                helper.result()
            waiting -= done - {task}
        return task.result()
    finally:
        task.cancel()


__all__ = ["Decision", "Forming", "Peer", "Result", "SeatFault", "StaleChoice", "Table"]
