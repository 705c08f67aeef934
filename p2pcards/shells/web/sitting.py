"""One seat at one table after another, as the page shows it: forming, playing, over, again.

Owns the peer of `shells.script`, which lives as long as the player stays with these people; the
pages may come and go. Gives documents, decides nothing about the game. protocol.md section 11.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from p2pcards.cards.rules import Value, settle
from p2pcards.engine.agreement import TABLE_OPTIONS
from p2pcards.engine.chat import Said
from p2pcards.engine.fingerprint import fingerprint, tag
from p2pcards.engine.lobby import Guest, Host
from p2pcards.engine.view import SeatView
from p2pcards.errors import BadOption, LocalError, P2PCardsError
from p2pcards.games import find
from p2pcards.net.address import BrokerUrl
from p2pcards.net.advert import check_name, printable
from p2pcards.net.driver import Notices
from p2pcards.net.entry import Door
from p2pcards.net.invitation import JoinLink
from p2pcards.net.store import Profile
from p2pcards.shells.bots import strategy
from p2pcards.shells.report import clean
from p2pcards.shells.script import Forming, Peer, Table
from p2pcards.shells.web.playing import Playing, broken
from p2pcards.shells.web.qr import rows as qr_rows
from p2pcards.shells.web.screen import forced_choice
from p2pcards.shells.web.sight import Doc

TALK = 100
"""Words of chat that a new page gets."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A table to be opened: what `shells.script.Peer.open` takes."""

    game: str
    seats: int
    bots: tuple[str, ...] = ()
    options: Mapping[str, Value] = field(default_factory=dict)
    hands: int = 0
    openings: str = "after-hand"
    title: str | None = None
    pace: float = 0.0


@dataclass(frozen=True, slots=True)
class Player:
    """Who plays, and over which network. `log`: where the log of a match goes; None: with a name of
    its own into the profile."""

    name: str
    profile: Profile
    broker: str | None = None
    interface: str | None = None
    seed: int | None = None
    log: Path | None = None

    def place(self, name: str) -> Path:
        """Where the log of a match with this file name goes."""
        return self.log if self.log is not None else self.profile.path / "records" / name


def check_opening(opening: Opening) -> None:
    """Raises `BadOption` for a table that cannot be."""
    rules = find(opening.game)
    if opening.seats not in rules.seats:
        takes = f"{rules.seats.start} to {rules.seats.stop - 1}"
        raise BadOption("option.seats", f"{rules.title} takes {takes} seats, not {opening.seats}")
    rules.check(settle(rules.options, opening.options), opening.seats)
    settle(TABLE_OPTIONS, {"hands": opening.hands, "openings": opening.openings})
    if len(opening.bots) > opening.seats - 1:
        raise BadOption("option.bots", f"{len(opening.bots)} bots and you on {opening.seats} seats")
    for bot in opening.bots:
        strategy(bot, Random(0))  # noqa: S311 - only asked for by its name
    if opening.title is not None:
        check_name(opening.title)


class Sitting:
    """`changed` is called when the documents may have changed, `spoke` with a chat document."""

    def __init__(
        self,
        player: Player,
        changed: Callable[[], None],
        spoke: Callable[[Doc], None],
        warn: Callable[[str], None],
    ) -> None:
        self.forming: Forming | None = None
        self.talk: deque[Doc] = deque(maxlen=TALK)
        self._player = player
        self._changed = changed
        self._spoke = spoke
        self._opening: Opening | None = None
        self._title = ""
        self._match: Playing | None = None
        self._old: Forming | None = None
        self._again = asyncio.Event()
        self._invited: bytes | None = None
        self._invitation = asyncio.Event()
        self._bots: frozenset[bytes] = frozenset()
        notices = Notices(
            gathering=lambda names, seats: changed(),
            view=self._viewed,
            waiting=lambda seats: changed(),
            said=self._said,
            invited=self._take_invitation,
            warning=warn,
        )
        self.peer = Peer(
            player.name,
            profile=player.profile,
            seed=player.seed,
            broker=player.broker,
            interface=player.interface,
            notices=notices,
        )

    # --- the course of an evening -----------------------------------------------------------------

    async def host(self, opening: Opening) -> None:
        """Opens a table and stays until it is cancelled, or the table cannot form."""
        self._opening = opening
        self._title = opening.title or self._player.name
        async with self.peer:
            await self._stay(await self._open(frozenset()))

    async def join(self, door: Door | None, wanted: str | None, title: str) -> None:
        """Takes a seat; through a door, or at a table found by name, address or link."""
        self._title = title
        async with self.peer:
            if door is not None:
                forming = await self.peer.knock(door.url, door.advert.place, door.host)
            else:
                forming = await self.peer.enter(wanted)
            await self._stay(forming)

    async def _open(self, invited: frozenset[bytes]) -> Forming:
        if self._opening is None:
            raise LocalError("command.not-host")
        o = self._opening
        forming = await self.peer.open(
            o.game,
            seats=o.seats,
            bots=o.bots,
            options=o.options,
            hands=o.hands,
            openings=o.openings,
            title=o.title,
            invited=invited,
            pace=o.pace,
        )
        self._bots = forming.bots
        return forming

    async def _stay(self, forming: Forming) -> None:
        while True:
            self.forming = forming
            self._again.clear()
            self._invitation.clear()
            self._changed()
            table = await forming.table()
            old, self._old = self._old, None
            if old is not None:
                await old.close()
            await self._play(table)
            await self._again.wait()
            following = await self._follow(forming)
            self._old, forming = forming, following

    async def _play(self, table: Table) -> None:
        self.talk.clear()
        match = self._match = Playing(table, self.is_bot)
        self._changed()
        try:
            await table.result()
        except P2PCardsError as error:
            match.broken = broken(table, error)
        finally:
            match.save(self._player.place(match.name))
            self._changed()

    async def _follow(self, before: Forming) -> Forming:
        """The next table with the same people: ours, or the one that the host opens."""
        if self._opening is not None and self._match is not None:
            others = {player.key for player in self._match.table.agreement.players}
            return await self._open(frozenset(others) - self._bots - {self.peer.identity.public})
        await self._invitation.wait()
        if self._match is None or self._invited is None:
            raise LocalError("command.no-table")
        host = self._match.table.agreement.draft.roster[0].key
        return await self.peer.knock(before.url, self._invited, host)

    def _take_invitation(self, place: bytes) -> None:
        self._invited = place
        self._invitation.set()
        self._changed()

    def tick(self) -> None:
        """Once a second: the host tells those of the last match where the next table is."""
        if self._old is not None and self._opening is not None and self.forming is not None:
            self._old.driver.invite(self.forming.driver.lobby.place)

    # --- commands ---------------------------------------------------------------------------------

    def choose(self, option: str, at: int) -> None:
        """Makes a move. Raises `LocalError`, `Unavailable`."""
        self._playing().table.choose(option, at)

    def kick(self, key: str) -> None:
        """Turns a guest away; `key` is the tag (hex)."""
        forming = self.forming
        if forming is None or not isinstance(forming.driver.lobby, Host):
            raise LocalError("command.not-host")
        for player in forming.driver.lobby.players:
            if tag(player.key).hex() == key and player.key not in forming.bots:
                forming.driver.kick(player.key)

    def say(self, phrase: str, text: str, to: tuple[int, ...] = ()) -> None:
        """Says something to everybody; we hear ourselves, too."""
        self._said(self._playing().driver.say(phrase, text, to))

    def hint(self) -> Doc:
        """What the simple bot would do."""
        view = self._playing().table.view
        if not view.options:
            raise LocalError("command.no-hint")
        option = strategy("simple", Random(view.step))(view)  # noqa: S311 - a bot's choice, no key
        return {"t": "hint", "option": option, "at": view.step}

    def rematch(self) -> None:
        """We want to play again with these people."""
        match = self._playing()
        if not match.is_over or match.broken is not None:
            raise LocalError("command.not-over")
        if not self._again.is_set():
            self._again.set()
            with suppress(P2PCardsError):
                self.say("phrase.rematch", "")

    def autoplay(self) -> None:
        """Makes the only move there is."""
        match = self._match
        if match is not None and not match.is_over:
            option = forced_choice(match.table.view)
            if option is not None:
                with suppress(P2PCardsError):
                    match.table.choose(option, match.table.view.step)

    def record(self) -> tuple[str, bytes] | None:
        """The signed log so far, with a file's name."""
        return None if self._match is None else (self._match.name, self._match.table.log)

    def _playing(self) -> Playing:
        if self._match is None or self.is_forming:
            raise LocalError("command.no-match")
        return self._match

    # --- documents --------------------------------------------------------------------------------

    @property
    def is_forming(self) -> bool:
        """Whether the table at hand still gathers its players."""
        forming = self.forming
        return forming is not None and forming.driver.peer is None

    def document(self) -> Doc | None:
        """What the page shows; None while we are on the way to a table."""
        if self.forming is None:
            return None
        if self.is_forming:
            return self._forming_document(self.forming)
        return None if self._match is None else self._match.document(self._title, self._more())

    def _more(self) -> Doc:
        wanted = self._again.is_set()
        return {"rematch": {"wanted": wanted, "invited": self._invitation.is_set()}}

    def _forming_document(self, forming: Forming) -> Doc:
        lobby = forming.driver.lobby
        me = self.peer.identity.public
        if isinstance(lobby, Host) and self._opening is not None:
            players = [(player.key, player.name) for player in lobby.players]
            game, seats, taken = lobby.game, lobby.seats, lobby.taken
            options = lobby.options
        elif isinstance(lobby, Guest):
            advert = lobby.advert
            host = [] if advert is None else [(lobby.host, advert.host)]
            heard = lobby.others(time.monotonic())
            others = [(player.key, player.name) for player in heard]
            players = [*host, (me, self._player.name), *others]
            game = "" if advert is None else advert.game
            seats = 0 if advert is None else advert.seats
            taken = 0 if advert is None else advert.taken
            options = {} if advert is None else {s.name: s.value for s in advert.options}
        link = self._link(forming)
        return {
            "t": "forming",
            "title": self._title or self._host_name(players),
            "game": game,
            "options": options,
            "seats": seats,
            "taken": taken,
            "players": [self._someone(key, name, key == me) for key, name in players],
            "host": isinstance(lobby, Host),
            "can": ["kick"] if isinstance(lobby, Host) else [],
            "link": link,
            "qr": None if link is None else qr_rows(link),
            "addresses": [url.place for url in forming.places],
        }

    def _host_name(self, players: Sequence[tuple[bytes, str]]) -> str:
        """What a table is called that was not found by its name."""
        return clean(players[0][1]) if len(players) > 1 else ""

    def _someone(self, key: bytes, name: str, you: bool) -> Doc:
        return {
            "name": clean(name),
            "key": tag(key).hex(),
            "words": fingerprint(key),
            "bot": key in self._bots,
            "you": you,
        }

    def _link(self, forming: Forming) -> str | None:
        """A link to our table; none where its broker wants a password, which is not ours to give
        away, or TLS, or where nobody can join."""
        lobby = forming.driver.lobby
        urls: Sequence[BrokerUrl] = forming.places or (
            (forming.url,) if self._player.broker is not None else ()
        )
        if not isinstance(lobby, Host) or not urls or any(url.tls or url.user for url in urls):
            return None
        hosts = tuple(url.host.partition("%")[0] for url in urls)
        return str(JoinLink(hosts, urls[0].port, lobby.place, tag(lobby.key)))

    # --- what comes from the table ----------------------------------------------------------------

    def _viewed(self, view: SeatView) -> None:
        if self._match is not None and self._match.is_of(view):
            self._match.look(view)
        self._changed()

    def _said(self, said: Said) -> None:
        if self._match is None:
            return
        document = {
            "t": "chat",
            "from": said.seat,
            "name": clean(self._match.table.players[said.seat]),
            "text": printable(said.text),
            "phrase": said.phrase,
            "to": list(said.to),
            "number": said.number,
        }
        self.talk.append(document)
        self._spoke(document)

    def is_bot(self, key: bytes) -> bool:
        """Whether this is a bot that we have seated."""
        return key in self._bots
