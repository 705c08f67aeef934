"""Whole tables of drivers at one broker in one process, with cards that hide nothing from us."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from random import Random

from p2pcards.cards.rules import Value
from p2pcards.crypto.kernel import Kernel
from p2pcards.crypto.signing import Identity
from p2pcards.engine.agreement import Agreement
from p2pcards.engine.lobby import Guest, Host, Lobby
from p2pcards.engine.peer import Peer
from p2pcards.net.address import BrokerUrl
from p2pcards.net.broker import EmbeddedBroker
from p2pcards.net.driver import Driver, Notices
from p2pcards.net.store import Profile
from p2pcards.testing.open_kernel import OpenKernel

GATE = "p2pcards.net.gate:RosterGate"


@dataclass
class Heard:
    """What one driver has told its shell."""

    gathering: list[tuple[list[str], int]] = field(default_factory=list)
    agreed: list[Agreement] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    link: list[tuple[bool, str]] = field(default_factory=list)
    waiting: list[tuple[int, ...]] = field(default_factory=list)

    @property
    def notices(self) -> Notices:
        """What to give to a driver."""
        return Notices(
            gathering=lambda names, seats: self.gathering.append((list(names), seats)),
            agreed=self.agreed.append,
            view=lambda view: self.steps.append(view.step),
            link=lambda up, text: self.link.append((up, text)),
            waiting=lambda seats: self.waiting.append(tuple(seats)),
        )


@dataclass
class Chair:
    """A driver with what it said."""

    driver: Driver
    heard: Heard

    @property
    def peer(self) -> Peer:
        """Its peer, once the match has begun."""
        assert self.driver.peer is not None
        return self.driver.peer

    async def play(self, steps: int = 10_000, seed: int = 0) -> Peer | None:
        """Plays at random to the end, or (giving None) until the table has come to a step."""
        rng = Random(seed)
        async for view in self.driver.views():
            if view.step >= steps:
                return None
            if view.options:
                self.driver.choose(rng.choice(view.options).id, view.step)
        return await self.driver.finished()


def host_lobby(seats: int, name: str = "Ada", **table: Value) -> Host:
    """A lobby for Oh Hell with hands of at most two cards."""
    return Host(
        Identity.new(os.urandom),
        name,
        os.urandom,
        game="oh-hell",
        seats=seats,
        options={"max_hand": 2},
        table_options=table,
        unix_time=lambda: 0,
    )


def guest_lobby(host: Host, name: str) -> Guest:
    """A guest's lobby for that table."""
    identity = Identity.new(os.urandom)
    return Guest(identity, name, os.urandom, place=host.place, host=host.key)


def chair(
    lobby: Lobby, url: BrokerUrl, profile: Profile | None = None, kernel: Kernel | None = None
) -> Chair:
    """A driver that has not been entered yet."""
    heard = Heard()
    driver = Driver(
        lobby,
        lobby._identity,
        kernel or OpenKernel(),
        url,
        os.urandom,
        profile=profile,
        notices=heard.notices,
    )
    return Chair(driver, heard)


@asynccontextmanager
async def embedded(
    host: Host, gate: str = GATE, port: int = 0, keys: Sequence[bytes] = ()
) -> AsyncIterator[tuple[EmbeddedBroker, BrokerUrl]]:
    """An embedded broker on loopback."""
    async with await EmbeddedBroker.start(["127.0.0.1"], port, gate) as broker:
        if keys:
            broker.admit(host.place.hex(), keys)
        yield broker, BrokerUrl.parse(broker.url("127.0.0.1"))


@asynccontextmanager
async def seated(
    host: Host,
    broker: EmbeddedBroker,
    *,
    profiles: Mapping[int, Profile] | None = None,
    kernels: Mapping[int, Kernel] | None = None,
) -> AsyncIterator[list[Chair]]:
    """A full table, agreed: the host's chair first, the guests' (Bob, Cyd, ...) after it."""
    url = BrokerUrl.parse(broker.url("127.0.0.1"))
    names = ["Bob", "Cyd", "Dan", "Eva", "Fay", "Gus"][: host.seats - 1]
    lobbies: list[Lobby] = [host, *(guest_lobby(host, name) for name in names)]
    chairs = [
        chair(lobby, url, (profiles or {}).get(i), (kernels or {}).get(i))
        for i, lobby in enumerate(lobbies)
    ]
    notices = chairs[0].driver._notices

    def agreed(agreement: Agreement) -> None:
        broker.admit(host.place.hex(), [player.key for player in agreement.players])
        notices.agreed(agreement)

    chairs[0].driver._notices = replace(notices, agreed=agreed)
    async with AsyncExitStack() as stack:
        for each in chairs:
            await stack.enter_async_context(each.driver)
        await asyncio.gather(*(each.driver.agreed() for each in chairs))
        yield chairs
