"""A match under way, or over, as the page of one seat shows it. Documents out, nothing decided."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from p2pcards.engine.dues import (
    AgreeDue,
    CommitDue,
    Due,
    GiveDue,
    MixDue,
    MoveDue,
    OpenDue,
    RevealDue,
    SharesDue,
)
from p2pcards.engine.fingerprint import tag
from p2pcards.engine.match import MoveMade
from p2pcards.engine.peer import Peer as Engine
from p2pcards.engine.view import SeatView
from p2pcards.errors import P2PCardsError, SeatFault, StoreError
from p2pcards.net.store import save
from p2pcards.shells.report import clean
from p2pcards.shells.script import Table
from p2pcards.shells.web import screen as screens
from p2pcards.shells.web.chronicle import Chronicle
from p2pcards.shells.web.scenes import SCENES
from p2pcards.shells.web.screen import Pending, Person, screen
from p2pcards.shells.web.shield import shield
from p2pcards.shells.web.sight import Doc, words

_log = logging.getLogger(__name__)

RECENT = 3.0
"""Seconds that a peer may lag behind and still count as having checked."""
CALM = 0.6
"""Seconds that a step without a player's move keeps the last sentence standing, so that the page
does not flicker through what takes no time."""


class Playing:
    """One match. `broken`: why it has come to no end, in words; set by whoever waits for its
    result."""

    def __init__(self, table: Table, is_bot: Callable[[bytes], bool]) -> None:
        self.table = table
        self.driver = table.driver
        self.broken: Doc | None = None
        self._engine: Engine = table.engine
        self._scene = SCENES[self._engine.match.rules.key]
        self._story = Chronicle(self._scene)
        self._moves = 0
        self._hand = 0
        self._began = time.monotonic()
        self._steps: deque[tuple[float, int]] = deque(maxlen=64)
        self._spoken: tuple[float, Doc | None, Doc | None] = (0.0, None, None)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        agreement = table.agreement
        self.name = f"{agreement.draft.game}-{stamp}-{agreement.table.hex()[:8]}.p2plog"
        self._people = [
            (clean(player.name), tag(player.key).hex(), is_bot(player.key))
            for player in agreement.players
        ]
        self._engine.match.watch = self._made

    @property
    def is_over(self) -> bool:
        """Whether nothing more can happen."""
        return self._engine.match.finished or self.broken is not None

    def is_of(self, view: SeatView) -> bool:
        """Whether a view is one of this match."""
        return view.game == self._scene.key and view.seats == self._engine.match.seats

    def look(self, view: SeatView) -> None:
        """A new view."""
        hand = self._engine.match.dealer.hand
        if hand != self._hand:
            self._hand = hand
            self._story.begin_hand(hand, view.step)
        self._story.look(view)

    def _made(self, made: MoveMade) -> None:
        self._moves += 1
        try:
            self._story.add(made, self._engine.match.dealer.pack)
        except Exception:  # noqa: BLE001 - as the next line says
            # The story is for the eye alone; a fault of ours in it must not stop the match.
            _log.exception("the story of step %d cannot be told", made.step)

    def document(self, title: str, more: Doc) -> Doc:
        """The screen of our seat."""
        engine, now = self._engine, time.monotonic()
        view = engine.view()
        self._steps.append((now, view.step))
        table = screens.Table(
            people=[
                Person(name, key, bot, self._silent(seat, now))
                for seat, (name, key, bot) in enumerate(self._people)
            ],
            title=title or clean(self.table.agreement.draft.roster[0].name),
            pending=pending(engine),
            story=self._story,
            shield=shield(engine, self._moves, self._step_ago(now), now),
            over=engine.match.over if engine.match.finished else None,
            broken=self.broken,
            more=more,
        )
        return self._calmed(screen(view, table), table.pending.kind, now)

    def _silent(self, seat: int, now: float) -> float:
        if seat == self._engine.seat or self._engine.match.finished:
            return 0.0
        return now - max(self._engine.heard.get(seat, 0.0), self._began)

    def _step_ago(self, now: float) -> int:
        return max((step for at, step in self._steps if now - at > RECENT), default=0)

    def _calmed(self, document: Doc, kind: str, now: float) -> Doc:
        """What takes no time says nothing of itself."""
        since, what, why = self._spoken
        if kind in {"move", "mix"} or what is None or document["over"] is not None:
            self._spoken = (now, document["say"], document["why"])
        elif now - since < CALM:
            document["say"], document["why"] = what, why
        return document

    def save(self, place: Path) -> None:
        """Keeps the signed log, and what convicts a dishonest seat."""
        fault = self.table.fault_file
        try:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            save(place, self.table.log)
            if fault is not None:
                save(place.with_suffix(".p2pfault"), fault)
        except (StoreError, OSError) as error:
            _log.warning("the record cannot be kept: %s", error)


_KINDS: Sequence[tuple[type[Any], str]] = (
    (MixDue, "mix"),
    (SharesDue, "deal"),
    (GiveDue, "deal"),
    (AgreeDue, "agree"),
    (OpenDue, "close"),
)


def pending(engine: Engine) -> Pending:
    """What the table waits for, and whom."""
    due = engine.match.due
    if due is None:
        return Pending()
    missing = engine.match.chain.missing
    return Pending(_kind(due) if missing else "check", frozenset(missing))


def _kind(due: Due) -> str:
    match due:
        case MoveDue() | CommitDue(_, None):
            return "move"
        case RevealDue(_, None):
            return "open"
        case _:
            return next((name for kind, name in _KINDS if isinstance(due, kind)), "start")


def broken(table: Table, error: P2PCardsError) -> Doc:
    """Why a match has come to no end."""
    if isinstance(error, SeatFault):
        name = clean(table.players[error.seat])
        return words("over.fault", name=name, why={"code": error.code, "args": {}})
    engine = table.engine
    if error.code == "seat.left" and engine.left:
        return words("over.left", name=clean(table.players[min(engine.left)]))
    silent = engine.match.chain.missing - {engine.seat}
    if error.code == "seat.silent" and silent:
        waited = min(silent, key=lambda seat: engine.heard.get(seat, 0.0))
        return words("over.silent", name=clean(table.players[waited]))
    return words("over.broken", why={"code": error.code, "args": {}})
