"""A desk with its server on loopback, and what a browser would send to it."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import httpx
from websockets.asyncio.client import ClientConnection, connect

from p2pcards.net.store import Profile
from p2pcards.shells.web.desk import Desk
from p2pcards.shells.web.server import serving
from p2pcards.shells.web.settings import Settings
from p2pcards.shells.web.sitting import Player

WITHIN = 20.0
"""Seconds after which a document that should have come counts as missing; machines are busy."""
LOCAL = "127.0.0.1"

Doc = dict[str, Any]
T = TypeVar("T")


def run(scenario: Awaitable[T], within: float = 3 * WITHIN) -> T:
    """Runs a scenario that ends, on the loop that the program uses."""

    async def bounded() -> T:
        async with asyncio.timeout(within):
            return await scenario

    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        return runner.run(bounded())


@dataclass
class House:
    """One player's desk and server. `told`: what the terminal was told."""

    desk: Desk
    address: str
    told: list[str]

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return self.address.partition("/?")[0]

    @property
    def port(self) -> int:
        """The server's port."""
        return int(self.origin.rpartition(":")[2])

    async def cookie(self) -> str:
        """Uses the token up."""
        async with httpx.AsyncClient(trust_env=False) as client:
            answer = await client.get(self.address)
        assert answer.status_code == 303
        return answer.headers["set-cookie"].partition(";")[0]

    async def get(self, path: str = "/", **headers: str) -> httpx.Response:
        """A request with exactly these headers beside the usual ones."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with httpx.AsyncClient(trust_env=False) as client:
            return await client.get(self.origin + path, headers=named)

    def socket(self, cookie: str | None, origin: str | None = "", **headers: str) -> connect:
        """A socket to be entered; `origin` is our own unless another or none is given."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if cookie is not None:
            named["Cookie"] = cookie
        if origin == "":
            origin = self.origin
        if origin is not None:
            named["Origin"] = origin
        url = self.origin.replace("http:", "ws:") + "/ws"
        return connect(url, additional_headers=named, max_size=None, proxy=None)


@asynccontextmanager
async def house(
    name: str = "Ada", profile: Profile | None = None, **player: Any
) -> AsyncIterator[House]:
    """A desk and its server, on loopback alone; with a profile that is gone in the end unless one
    is given."""
    told: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        profile = profile if profile is not None else Profile.open(folder)
        someone = Player(name, profile, interface=LOCAL, **player)
        settings = Settings(profile, pace=0)
        async with (
            Desk(someone, settings, told.append) as desk,
            serving(desk, 0, told.append) as address,
        ):
            yield House(desk, address, told)


class Browser:
    """One open page: sends commands, collects documents."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.seen: list[Doc] = []

    @classmethod
    @asynccontextmanager
    async def at(cls, place: House, cookie: str) -> AsyncIterator[Self]:
        """A page with the cookie."""
        async with place.socket(cookie) as socket:
            yield cls(socket)

    async def send(self, do: str, **fields: object) -> None:
        """A command."""
        await self._socket.send(json.dumps({"do": do, **fields}))

    async def send_text(self, text: str) -> None:
        """Whatever is no command."""
        await self._socket.send(text)

    async def next(self) -> Doc:
        """The next document."""
        async with asyncio.timeout(WITHIN):
            document: Doc = json.loads(await self._socket.recv())
        self.seen.append(document)
        return document

    async def wait(self, fits: Callable[[Doc], object]) -> Doc:
        """The first document from now on that fits."""
        while True:
            document = await self.next()
            if fits(document):
                return document

    async def wait_for(self, kind: str, **fields: object) -> Doc:
        """The first document from now on of this kind with these fields."""

        def fits(document: Mapping[str, object]) -> bool:
            return document["t"] == kind and all(document[k] == v for k, v in fields.items())

        return await self.wait(fits)

    async def play(self, until: Callable[[Doc], object]) -> Doc:
        """Plays by hints until a screen fits, from the last screen seen on."""
        asked = -1
        document = next((d for d in reversed(self.seen) if d["t"] == "screen"), None)
        while True:
            if document is not None and document["t"] == "screen":
                if until(document):
                    return document
                if is_asked(document) and document["step"] != asked:
                    asked = document["step"]
                    await self.send("hint")
            elif document is not None and document["t"] == "hint":
                await self.send("choose", option=document["option"], at=document["at"])
            document = await self.next()


def is_asked(screen: Doc) -> bool:
    """Whether a screen offers anything."""
    return bool(screen["actions"] or screen["groups"] or screen["arrange"])
