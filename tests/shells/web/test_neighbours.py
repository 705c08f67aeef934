"""The tables nearby: shown while they are there, and discovery may fail and come back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Self

import pytest

from p2pcards.errors import Unavailable
from p2pcards.net import discovery
from p2pcards.net.advert import Found
from p2pcards.shells.web import neighbours
from p2pcards.shells.web.neighbours import Neighbours
from tests.net.raw import until

TABLE = Found("Ada", "00" * 8, "11" * 16, "oh-hell", 1, 3, ("127.0.0.1",), 9, 1)


class FakeBrowser:
    """Discovery that fails as often as it is told to, and then finds one table."""

    failures = 0

    def __init__(self, on_change: Callable[..., None], interface: str | None) -> None:
        self._on_change = on_change
        self.found = [TABLE]

    async def __aenter__(self) -> Self:
        if FakeBrowser.failures:
            FakeBrowser.failures -= 1
            raise Unavailable("discovery.failed", "no multicast here")
        self._on_change(discovery.Change.ADDED, TABLE)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Nothing was opened."""


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "Browser", FakeBrowser)
    monkeypatch.setattr(neighbours, "RETRY", 0.01)
    monkeypatch.setattr(neighbours, "PROBE", 0.01)
    FakeBrowser.failures = 0


def watch(check: Callable[[Neighbours], bool]) -> None:
    """Watches until something is so."""

    async def scenario() -> None:
        watched = Neighbours("127.0.0.1", None, lambda: None)
        task = asyncio.create_task(watched.run())
        try:
            await until(lambda: check(watched))
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    asyncio.run(scenario())


def test_a_table_is_listed_with_the_words_of_its_host(monkeypatch: pytest.MonkeyPatch) -> None:
    async def there(addresses: object, port: int) -> str:
        return "127.0.0.1"

    monkeypatch.setattr(discovery, "reach", there)

    def is_listed(watched: Neighbours) -> bool:
        tables = watched.tables
        return bool(tables) and tables[0] == {
            "id": TABLE.table,
            "name": "Ada",
            "game": "oh-hell",
            "taken": 1,
            "seats": 3,
            "key": TABLE.key,
            "words": tables[0]["words"],
            "state": "open",
        }

    watch(is_listed)


def test_a_table_whose_host_does_not_answer_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    async def gone(addresses: object, port: int) -> str:
        raise Unavailable("discovery.unreachable")

    monkeypatch.setattr(discovery, "reach", gone)
    seen: list[int] = []

    def is_hidden(watched: Neighbours) -> bool:
        seen.append(len(watched.tables))
        return 1 in seen and watched.tables == []

    watch(is_hidden)


def test_discovery_that_fails_is_said_so_and_tried_again() -> None:
    FakeBrowser.failures = 3
    states: list[bool] = []

    def is_back(watched: Neighbours) -> bool:
        network = watched.network
        if not network["ok"]:
            assert network["code"] == "discovery.failed"
            assert network["args"] == {"detail": "no multicast here"}
        states.append(network["ok"])
        return False in states and network["ok"] and bool(watched.tables)

    watch(is_back)
