"""A headless evening: host or join, play by a strategy, write the log, say what happens.

What the commands `play` and `join` do. protocol.md section 11.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TextIO

from p2pcards.cards.rules import Value
from p2pcards.engine.agreement import Agreement
from p2pcards.engine.fingerprint import fingerprint
from p2pcards.engine.view import SeatView
from p2pcards.errors import BadOption, SeatFault, StoreError
from p2pcards.net.driver import Notices
from p2pcards.net.store import Profile, save
from p2pcards.shells.bots import strategy
from p2pcards.shells.report import clean
from p2pcards.shells.script import Peer, Result, Table
from p2pcards.shells.stdio import Conversation

DEFAULT_STRATEGY = "simple"


@dataclass(frozen=True, slots=True)
class Plan:
    """How one seat is played. `strategies`: ours first, then the bots' we seat; the last one goes
    for all that follow. `tell` shows a line of progress."""

    name: str
    seed: int | None
    strategies: tuple[str, ...]
    log: Path | None
    broker: str | None
    interface: str | None
    profile: Path | None
    tell: Callable[[str], None]

    def strategy(self, seat: int) -> str:
        """The strategy of the seat-th player of this plan."""
        chosen = self.strategies or (DEFAULT_STRATEGY,)
        return chosen[min(seat, len(chosen) - 1)]


async def host(
    plan: Plan,
    game: str,
    *,
    seats: int,
    bots: int,
    options: Mapping[str, Value],
    hands: int,
    openings: str,
    title: str | None,
) -> tuple[Result, Path]:
    """Hosts a table and plays it. With as many bots as seats all is on this machine and nothing of
    ours is stored but the log."""
    if not 0 <= bots <= seats:
        raise BadOption("option.bots", f"0 to {seats} bots on {seats} seats")
    _check_place(plan.log)
    alone = bots == seats
    helpers = [plan.strategy(i) for i in range(1, bots if alone else bots + 1)]
    own = strategy(plan.strategy(0), Random(plan.seed))  # noqa: S311 - a bot's choices, not keys
    name = "Bot 0" if alone else plan.name
    profile = None if alone else Profile.open(plan.profile)
    progress = Progress(plan.tell)
    async with Peer(
        name,
        profile=profile,
        seed=plan.seed,
        broker=plan.broker,
        interface=plan.interface,
        notices=progress.notices,
    ) as peer:
        if not alone:
            plan.tell(f"you are {clean(name)}: {fingerprint(peer.identity.public)}")
        table = await peer.host(
            game,
            seats=seats,
            bots=helpers,
            options=options,
            hands=hands,
            openings=openings,
            title=title,
        )
        return await _play(plan, table, lambda table: table.play(own))


async def join(plan: Plan, wanted: str | None, *, wait: float) -> tuple[Result, Path]:
    """Joins a table and plays our seat by a strategy."""
    own = strategy(plan.strategy(0), Random(plan.seed))  # noqa: S311 - a bot's choices, not keys
    return await _join(plan, wanted, wait, lambda table: table.play(own))


async def converse(
    plan: Plan, wanted: str | None, *, wait: float, answers: TextIO, questions: TextIO
) -> tuple[Result, Path]:
    """Joins a table and lets the program on two pipes play our seat."""
    conversation = Conversation(answers, questions)
    return await _join(plan, wanted, wait, conversation.play)


Playing = Callable[[Table], Coroutine[Any, Any, Result]]


async def _join(plan: Plan, wanted: str | None, wait: float, play: Playing) -> tuple[Result, Path]:
    _check_place(plan.log)
    progress = Progress(plan.tell)
    async with Peer(
        plan.name,
        profile=Profile.open(plan.profile),
        broker=plan.broker,
        interface=plan.interface,
        notices=progress.notices,
    ) as peer:
        plan.tell(f"you are {clean(plan.name)}: {fingerprint(peer.identity.public)}")
        return await _play(plan, await peer.join(wanted, wait=wait), play)


async def _play(plan: Plan, table: Table, play: Playing) -> tuple[Result, Path]:
    path = plan.log if plan.log is not None else _log_name(table.agreement)
    try:
        result = await play(table)
    except SeatFault as fault:
        name = clean(table.players[fault.seat])
        plan.tell(f"{name} (seat {fault.seat}) broke the protocol at step {fault.step}")
        what, convicts = "the evidence, for `p2pcards audit`", path.with_suffix(".p2pfault")
        _rescue(plan, what, convicts, table.fault_file or b"")
        raise
    except BaseException:
        _rescue(plan, "the log so far", path, table.log)
        raise
    save(path, result.log)
    return result, path


def _rescue(plan: Plan, what: str, path: Path, data: bytes) -> None:
    """Saves what there is of a match that ended early. A full disk must not hide why it did."""
    try:
        save(path, data)
    except StoreError as error:
        plan.tell(f"{what} could not be saved: {error.detail}")
    else:
        plan.tell(f"{what}: {path}")


def _check_place(log: Path | None) -> None:
    """Whether the log can be written, asked before a match is played for it."""
    path = log if log is not None else Path("log")
    if log is not None and log.is_dir():
        raise StoreError("log.place", f"{log} is a directory")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise StoreError("log.place", f"no file can be made in {path.parent.absolute()}")


def _log_name(agreement: Agreement) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return Path(f"{agreement.draft.game}-{stamp}-{agreement.table.hex()[:8]}.p2plog")


class Progress:
    """Says in a line each what changes at the table."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._names: Sequence[str] = ()
        self._hands = 0
        self.notices = Notices(
            opened=self._opened,
            gathering=self._gathering,
            agreed=self._agreed,
            view=self._view,
            link=self._link,
            waiting=self._waiting,
            warning=tell,
        )

    def _opened(self, places: Sequence[str]) -> None:
        self._tell(f"without discovery: p2pcards join {' or '.join(places)}")

    def _gathering(self, names: Sequence[str], seats: int) -> None:
        self._tell(f"{len(names)} of {seats} seats taken: {', '.join(map(clean, names))}")

    def _agreed(self, agreement: Agreement) -> None:
        self._names = [clean(player.name) for player in agreement.players]
        self._tell(f"all have signed; table {agreement.table.hex()[:16]}")
        for seat, player in enumerate(agreement.players):
            self._tell(f"  seat {seat}: {clean(player.name)}, {fingerprint(player.key)}")

    def _view(self, view: SeatView) -> None:
        if len(view.sheet) > self._hands:
            self._hands = len(view.sheet)
            points = view.sheet[-1].get("points")
            scored = (
                ", ".join(f"{n} {p}" for n, p in zip(self._names, points, strict=True))
                if isinstance(points, tuple)
                else "done"
            )
            self._tell(f"hand {self._hands}: {scored}")

    def _link(self, up: bool, text: str) -> None:
        if not up:
            self._tell(f"broker: {text}")

    def _waiting(self, seats: Sequence[int]) -> None:
        if seats:
            self._tell(f"waiting for {', '.join(self._names[seat] for seat in seats)}")
