"""The tables nearby: what discovery finds and a given broker keeps, as the lobby shows it.

Everything in it is a stranger's claim. Discovery that does not work is said so and tried again; a
table whose host does not answer any more is not shown. protocol.md sections 8.1 and 10.5.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from p2pcards.engine.fingerprint import tag
from p2pcards.engine.fingerprint import words as proquints
from p2pcards.errors import P2PCardsError, Unavailable
from p2pcards.net import discovery
from p2pcards.net.address import BrokerUrl
from p2pcards.net.advert import Found
from p2pcards.net.entry import GHOST, Door, adverts, door_of
from p2pcards.net.interfaces import preferred
from p2pcards.shells.report import clean
from p2pcards.shells.web.sight import Doc

RETRY = 5.0
"""Seconds until discovery is tried again, and between two looks at a broker's tables."""
PROBE = 10.0
"""Seconds between two tries to reach the hosts found; two in vain hide a table."""


class Neighbours:
    """Watches from `run` until it is cancelled, and calls `changed`."""

    def __init__(
        self, interface: str | None, broker: str | None, changed: Callable[[], None]
    ) -> None:
        self._interface = interface
        self._broker = broker
        self._changed = changed
        self._browser: discovery.Browser | None = None
        self._trouble: P2PCardsError | None = None
        self._doors: list[Door] = []
        self._failures: dict[str, int] = {}

    async def run(self) -> None:
        """Watches until it is cancelled."""
        looks = [self._browse(), self._probe()]
        if self._broker is not None:
            looks.append(self._ask(BrokerUrl.parse(self._broker)))
        await asyncio.gather(*looks)

    @property
    def network(self) -> Doc:
        """Whether discovery works, and if not, why."""
        if self._trouble is None:
            return {"ok": True, "code": None, "args": {}}
        args = {"detail": self._trouble.detail}
        return {"ok": False, "code": self._trouble.code, "args": args}

    @property
    def found(self) -> Sequence[Found]:
        """What discovery sees now, without hosts that do not answer."""
        found = [] if self._browser is None else self._browser.found
        return [table for table in found if self._failures.get(table.table, 0) < 2]

    @property
    def tables(self) -> list[Doc]:
        """The list of the lobby."""
        listed = {table.table: _row(table) for table in self.found}
        for door in self._doors:
            listed.setdefault(door.advert.place.hex(), _door_row(door))
        return list(listed.values())

    async def door(self, wanted: str) -> Door | None:
        """The door of a listed table by its id; None if it is not listed."""
        for door in self._doors:
            if door.advert.place.hex() == wanted:
                return door
        for table in self.found:
            if table.table == wanted:
                return await door_of(table, os.urandom)
        return None

    async def _browse(self) -> None:
        while True:
            try:
                async with discovery.Browser(self._seen, self._interface) as browser:
                    self._browser, self._trouble = browser, None
                    self._changed()
                    await asyncio.Event().wait()
            except P2PCardsError as error:
                self._trouble = error
                self._changed()
            finally:
                self._browser = None
            await asyncio.sleep(RETRY)

    def _seen(self, _change: Any, table: Found) -> None:
        self._failures.pop(table.table, None)
        self._changed()

    async def _probe(self) -> None:
        while True:
            await asyncio.sleep(PROBE)
            tables = [] if self._browser is None else self._browser.found
            before = {table.table for table in self.found}
            await asyncio.gather(*map(self._try, tables))
            listed = {table.table for table in tables}
            self._failures = {t: n for t, n in self._failures.items() if t in listed}
            if {table.table for table in self.found} != before:
                self._changed()

    async def _try(self, table: Found) -> None:
        try:
            await discovery.reach(preferred(table.addresses), table.port)
        except Unavailable:
            self._failures[table.table] = self._failures.get(table.table, 0) + 1
        else:
            self._failures.pop(table.table, None)

    async def _ask(self, url: BrokerUrl) -> None:
        while True:
            doors: list[Door] = []
            with suppress(P2PCardsError):
                now = time.time()
                doors = [
                    door
                    for door in await adverts(url, os.urandom)
                    if abs(now - door.advert.at) < GHOST
                ]
            if doors != self._doors:
                self._doors = doors
                self._changed()
            await asyncio.sleep(RETRY)


def _row(table: Found) -> Doc:
    return {
        "id": table.table,
        "name": table.name,
        "game": table.game,
        "taken": table.taken,
        "seats": table.seats,
        "key": table.key,
        "words": proquints(bytes.fromhex(table.key)),
        "state": "open" if table.taken < table.seats else "full",
    }


def _door_row(door: Door) -> Doc:
    advert, key = door.advert, tag(door.host)
    return {
        "id": advert.place.hex(),
        "name": clean(advert.host),
        "game": advert.game,
        "taken": advert.taken,
        "seats": advert.seats,
        "key": key.hex(),
        "words": proquints(key),
        "state": "open" if advert.taken < advert.seats else "full",
    }
