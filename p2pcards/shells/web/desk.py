"""What one player does: the lobby, a table, the settings; for any number of open pages at once.

Commands come in as JSON objects and are checked here before anything else looks at them; documents
go out to every page. A page that is closed, reloaded or slow changes nothing at the table.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Self

from p2pcards import __version__
from p2pcards.cards.rules import Option
from p2pcards.crypto.signing import Identity
from p2pcards.engine.fingerprint import fingerprint, tag
from p2pcards.errors import LocalError, P2PCardsError
from p2pcards.games import GAMES, find
from p2pcards.net.advert import check_name
from p2pcards.net.invitation import JoinLink, is_link
from p2pcards.shells.bots import STRATEGIES
from p2pcards.shells.text import CATALOGUES
from p2pcards.shells.web.neighbours import Neighbours
from p2pcards.shells.web.settings import People, Settings
from p2pcards.shells.web.sight import Doc
from p2pcards.shells.web.sitting import Opening, Player, Sitting, check_opening

_log = logging.getLogger(__name__)

PACE = 0.02
"""Seconds in which several changes of the table make one document."""
PACE_OF_BOTS = 500
"""Milliseconds that bots of ours wait before a move, unless the player wants it otherwise."""
TICK = 1.0
"""Seconds between two looks at who is away."""
FORCED_AFTER = 0.6
"""Seconds that a forced move stays visible before it is made, where the player wants that."""
BACKLOG = 200
"""Events that wait for a slow page; older ones are dropped."""
TEXT_LIMIT = 200
PAGES = 16
"""Open pages at a time."""

_VIEWS = frozenset({"lobby", "forming", "screen"})


class Page:
    """One open page, and what it has not been sent yet. Of what shows a state only the latest
    counts, so that a slow page is never behind by more than one."""

    def __init__(self) -> None:
        self._states: dict[str, Doc] = {}
        self._events: deque[Doc] = deque(maxlen=BACKLOG)
        self._wake = asyncio.Event()

    def show(self, document: Doc) -> None:
        """Something to be sent."""
        kind = document["t"]
        if kind == "hello" or kind in _VIEWS:
            self._states["view" if kind in _VIEWS else kind] = document
        else:
            self._events.append(document)
        self._wake.set()

    async def next(self) -> Doc:
        """The next document: words before tables, tables before talk."""
        while not self._states and not self._events:
            self._wake.clear()
            await self._wake.wait()
        for kind in ("hello", "view"):
            if kind in self._states:
                return self._states.pop(kind)
        return self._events.popleft()


class Desk:
    """One player's desk; `async with` it. `tell` shows a line on the terminal."""

    def __init__(
        self, player: Player, settings: Settings, tell: Callable[[str], None] = lambda text: None
    ) -> None:
        self.settings = settings
        self._player = player
        self._tell = tell
        self._people = People(player.profile)
        self._pages: set[Page] = set()
        self._sitting: Sitting | None = None
        self._task: asyncio.Task[None] | None = None
        self._loops: list[asyncio.Task[None]] = []
        self._neighbours = Neighbours(player.interface, player.broker, self._changed)
        self._refresh: asyncio.TimerHandle | None = None
        self._shown: Doc | None = None
        self._forced: tuple[int, asyncio.TimerHandle] | None = None
        self._key = Identity(player.profile.identity(os.urandom)).public

    async def __aenter__(self) -> Self:
        loops = (self._neighbours.run(), self._tick())
        self._loops = [asyncio.create_task(loop) for loop in loops]
        return self

    async def __aexit__(self, *_: object) -> None:
        for timer in (self._refresh, self._forced and self._forced[1]):
            if timer is not None:
                timer.cancel()
        for page in self._pages:
            page.show({"t": "away"})
        await self._leave()
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)

    # --- pages ------------------------------------------------------------------------------------

    def open(self) -> Page:
        """A new page; it is sent everything. Raises `LocalError` when there are too many."""
        if len(self._pages) >= PAGES:
            raise LocalError("command.busy", "too many pages")
        page = Page()
        self._pages.add(page)
        page.show(self._hello())
        page.show(self._view())
        if self._sitting is not None:
            for said in self._sitting.talk:
                page.show(said)
        return page

    def close(self, page: Page) -> None:
        """A page is gone; nothing else changes."""
        self._pages.discard(page)

    def record(self) -> tuple[str, bytes] | None:
        """The signed log of the table at hand, with a file's name."""
        return None if self._sitting is None else self._sitting.record()

    def _show(self, document: Doc) -> None:
        for page in self._pages:
            page.show(document)

    def _changed(self) -> None:
        """Something may look different; several changes make one document."""
        if self._refresh is None:
            self._refresh = asyncio.get_running_loop().call_later(PACE, self._show_view)

    def _show_view(self) -> None:
        self._refresh = None
        if not self._pages and not self.settings.values.get("autoplay"):
            return  # nobody looks; a page that opens is shown what there is
        try:
            view = self._view()
        except Exception:  # noqa: BLE001 - as the next line says
            # A table goes on when we cannot draw it; the next change tries again.
            _log.exception("the page cannot be drawn")
            return
        if view != self._shown:
            self._shown = view
            self._show(view)
        self._watch_forced(view)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            if self._sitting is not None:
                self._sitting.tick()
                self._changed()

    def _watch_forced(self, view: Doc) -> None:
        """The only move there is, made for the player who wants that, once it has been seen."""
        step = view.get("step")
        if not self.settings.values.get("autoplay") or step is None or self._sitting is None:
            return
        if self._forced is None or self._forced[0] != step:
            if self._forced is not None:
                self._forced[1].cancel()
            loop = asyncio.get_running_loop()
            self._forced = (step, loop.call_later(FORCED_AFTER, self._sitting.autoplay))

    # --- documents --------------------------------------------------------------------------------

    def _hello(self) -> Doc:
        language = self.settings.language
        key = self._key
        return {
            "t": "hello",
            "version": __version__,
            "me": {"name": self._name, "key": tag(key).hex(), "words": fingerprint(key)},
            "lang": language,
            "languages": list(CATALOGUES),
            "words": {**CATALOGUES["en"], **CATALOGUES[language]},
            "games": [
                {
                    "key": rules.key,
                    "title": rules.title,
                    "seats": [rules.seats.start, rules.seats.stop - 1],
                    "options": [_option(rules.key, option) for option in rules.options],
                }
                for rules in GAMES.values()
            ],
            "settings": dict(self.settings.values),
            "strategies": list(STRATEGIES),
        }

    @property
    def _name(self) -> str:
        return str(self.settings.values.get("name", self._player.name))

    def _view(self) -> Doc:
        document = None if self._sitting is None else self._sitting.document()
        if document is None:
            tables = self._neighbours.tables
            return {
                "t": "lobby",
                "tables": tables,
                "network": self._neighbours.network,
                "busy": self._sitting is not None,
            }
        met = document["t"] == "screen"
        for someone in document["seats" if met else "players"]:
            self._recognise(someone, met)
        return document

    def _recognise(self, someone: Doc, met: bool) -> None:
        """Marks those we know, and those who only bear a known name."""
        key, name = someone["key"], someone["name"]
        if someone["you"] or someone["bot"]:
            return
        someone["known"] = self._people.is_known(key)
        someone["impostor"] = self._people.is_impostor(key, name)
        if met and not someone["impostor"]:
            self._people.meet(key, name)

    # --- commands ---------------------------------------------------------------------------------

    async def do(self, page: Page, message: object) -> None:
        """Does what a page asks for; what is refused is said to that page alone."""
        try:
            if not isinstance(message, dict):
                raise LocalError("command", "no object")
            command = COMMANDS.get(str(message.get("do")))
            if command is None:
                raise LocalError("command", str(message.get("do"))[:40])
            answer = await command(self, message)
        except P2PCardsError as error:
            page.show(_error(error))
        else:
            if answer is not None:
                page.show(answer)

    async def host(self, message: Mapping[str, Any]) -> None:
        """Opens a table."""
        options = _field(message, "options", dict, {})
        if not all(isinstance(name, str) and _is_value(v) for name, v in options.items()):
            raise LocalError("command", "options")
        bots = _field(message, "bots", list, [])
        title = _field(message, "title", str, "")
        opening = Opening(
            game=find(_field(message, "game", str)).key,
            seats=_field(message, "seats", int),
            bots=tuple(str(bot) for bot in bots),
            options=options,
            hands=_field(message, "hands", int, 0),
            title=check_name(title) if title else None,
        )
        check_opening(opening)
        self.open_table(opening)

    def open_table(self, opening: Opening) -> None:
        """Sits down at a table of our own. Raises `LocalError` where we sit at one already."""
        pace = self.settings.values.get("pace", PACE_OF_BOTS) / 1000
        self._sit(lambda sitting: sitting.host(replace(opening, pace=pace)))

    async def join(self, message: Mapping[str, Any]) -> None:
        """Takes a seat at a table: a listed one by its id, or any by name, address or link."""
        wanted = _field(message, "table", str).strip()
        if not wanted or len(wanted) > 1000:
            raise LocalError("table.not_found")
        if is_link(wanted):
            JoinLink.parse(wanted)
        listed = next((t for t in self._neighbours.tables if t["id"] == wanted), None)
        title = "" if listed is None else str(listed["name"])
        self._sit(lambda sitting: self._join(sitting, wanted, title))

    async def _join(self, sitting: Sitting, wanted: str, title: str) -> None:
        door = await self._neighbours.door(wanted)
        await sitting.join(door, wanted, title)

    async def leave(self, _message: Mapping[str, Any]) -> None:
        """Back to the lobby."""
        await self._leave()
        self._show_view()

    async def kick(self, message: Mapping[str, Any]) -> None:
        """Turns a guest away."""
        self._seated().kick(_field(message, "key", str))

    async def rematch(self, _message: Mapping[str, Any]) -> None:
        """Plays again with the same people."""
        self._seated().rematch()
        self._changed()

    async def choose(self, message: Mapping[str, Any]) -> None:
        """Makes a move."""
        self._seated().choose(_field(message, "option", str), _field(message, "at", int))
        self._changed()

    async def say(self, message: Mapping[str, Any]) -> None:
        """Says something to the table."""
        phrase = _field(message, "phrase", str, "")
        text = _field(message, "text", str, "").strip()[:TEXT_LIMIT]
        if phrase and (phrase not in CATALOGUES["en"] or not phrase.startswith("phrase.")):
            raise LocalError("command", "phrase")
        if bool(phrase) == bool(text):
            raise LocalError("command", "a phrase or a text")
        self._seated().say(phrase, text)

    async def knock(self, message: Mapping[str, Any]) -> None:
        """Nudges a seat."""
        seat = _field(message, "seat", int)
        if not 0 <= seat < 256:
            raise LocalError("command", "seat")
        self._seated().say("phrase.knock", "", (seat,))

    async def hint(self, _message: Mapping[str, Any]) -> Doc:
        """What the simple bot would do."""
        return self._seated().hint()

    async def setting(self, message: Mapping[str, Any]) -> None:
        """Changes a setting, for all pages."""
        name = _field(message, "name", str)
        self.settings.set(name, message.get("value"))
        self._show(self._hello())
        self._changed()

    def _seated(self) -> Sitting:
        if self._sitting is None:
            raise LocalError("command.no-table")
        return self._sitting

    # --- sitting down and standing up -------------------------------------------------------------

    def _sit(self, course: Callable[[Sitting], Any]) -> None:
        if self._sitting is not None:
            raise LocalError("command.busy")
        player = replace(self._player, name=self._name)
        sitting = Sitting(player, self._changed, self._show, self._warn)
        self._sitting = sitting
        self._task = asyncio.create_task(self._attend(sitting, course))

    async def _attend(self, sitting: Sitting, course: Callable[[Sitting], Any]) -> None:
        """Sees a sitting to its end; when a table cannot be had, the lobby says why."""
        try:
            await course(sitting)
        except P2PCardsError as error:
            self._fail(sitting, error)
        except Exception as error:  # noqa: BLE001 - a task of its own; the page must hear of it
            _log.exception("a sitting has failed")
            self._fail(sitting, LocalError("error", repr(error)))

    def _fail(self, sitting: Sitting, error: P2PCardsError) -> None:
        if self._sitting is sitting:
            self._sitting, self._task = None, None
            self._show_view()
            self._show(_error(error))

    async def _leave(self) -> None:
        task, self._task, self._sitting = self._task, None, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(task, return_exceptions=True)

    def _warn(self, text: str) -> None:
        self._tell(text)


def _error(error: P2PCardsError) -> Doc:
    return {"t": "error", "code": error.code, "args": {"detail": error.detail}}


def _is_value(value: object) -> bool:
    return value is None or isinstance(value, bool | int | str)


def _field(message: Mapping[str, Any], name: str, kind: type[Any], default: Any = ...) -> Any:
    """A field of a command, of exactly this type."""
    value = message.get(name, default)
    if value is None and default is not ...:
        return default
    if type(value) is not kind:
        raise LocalError("command", name)
    return value


def _option(game: str, option: Option) -> Doc:
    values = option.values
    listed: list[Any] = list(values)
    kind = "flag" if set(values) == {True, False} else "choice"
    if isinstance(values, range):
        kind, listed = "number", [values.start, values.stop - 1]
    return {
        "name": option.name,
        "kind": kind,
        "values": listed,
        "default": option.default,
        "text": option.text,
        "game": game,
    }


COMMANDS: Mapping[str, Callable[[Desk, Mapping[str, Any]], Any]] = {
    name: getattr(Desk, name)
    for name in (
        "host",
        "join",
        "leave",
        "kick",
        "rematch",
        "choose",
        "say",
        "knock",
        "hint",
        "setting",
    )
}
"""Everything that a page may ask for."""
