"""Bots in any language: questions on stdout, answers on stdin, one JSON document a line.

    -> {"type": "decide", "id": 7, "view": {...}, "legal": [{"id": "o0", "move": {...}}, ...]}
    <- {"move": "o0"}            an option's id, or the move itself as it stands in `legal`
    -> {"type": "error", "id": 7, "code": "choice.unknown", "detail": "..."}     then decides again
    -> {"type": "result", "places": [...], "points": [...], ...}                the match is over

The other program has no limit of time but the patience of the table; when its output ends it has
left. protocol.md section 11.
"""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any, TextIO

from p2pcards.engine.view import SeatView
from p2pcards.errors import LocalError, Unavailable
from p2pcards.shells.plain import SCHEMA, move_plain, plain, view_plain
from p2pcards.shells.script import Decision, Result, Table

LINE_LIMIT = 64 * 1024
"""Longest answer, in characters; a move is far shorter."""
TRIES = 10
"""Bad answers to one question after which the other program is given up."""


class Conversation:
    """A program on the other end of two pipes; to be made inside the event loop.

    Reading runs in a thread of its own, so that the table goes on while the program thinks. It is
    a daemon: a read that waits for a line cannot be called off, and must not keep us from leaving.
    """

    def __init__(self, answers: TextIO, questions: TextIO) -> None:
        self._questions = questions
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(answers,), daemon=True).start()

    def _listen(self, answers: TextIO) -> None:
        line = "?"
        while line:
            try:
                line = answers.readline(LINE_LIMIT)
            except (OSError, ValueError):
                line = ""
            try:
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
            except RuntimeError:
                return  # the loop has ended: nobody waits for answers any more

    async def play(self, table: Table) -> Result:
        """Asks for every decision of a match, then tells the result."""
        number = 0
        async for decision in table.decisions():
            number += 1
            await self._decide(decision, number)
        result = await table.result()
        self._say(
            {
                "type": "result",
                "schema": SCHEMA,
                "seat": result.seat,
                "players": list(result.players),
                "places": list(result.places),
                "points": plain(result.points, None),
                "sheet": [plain(row, None) for row in result.sheet],
            }
        )
        return result

    async def _decide(self, decision: Decision, number: int) -> None:
        view = view_plain(decision.view)
        legal = view.pop("legal")
        for _ in range(TRIES):
            self._say({"type": "decide", "id": number, "view": view, "legal": legal})
            line = await self._lines.get()
            if not line:
                raise Unavailable("bot.gone", "its output has ended")
            try:
                await decision.choose(_option(decision.view, line))
            except LocalError as error:
                detail = {"code": error.code, "detail": error.detail}
                self._say({"type": "error", "id": number, **detail})
                continue
            return
        raise Unavailable("bot.senseless", f"{TRIES} answers to one question that are none")

    def _say(self, document: dict[str, Any]) -> None:
        self._questions.write(json.dumps(document, ensure_ascii=False) + "\n")
        self._questions.flush()


def _option(view: SeatView, line: str) -> str:
    """The option that an answer means; `LocalError` for one that means none."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise LocalError("choice.unknown", "an answer is one JSON object a line") from None
    move = answer.get("move") if isinstance(answer, dict) else None
    for choice in view.options:
        if move in (choice.id, move_plain(choice.move, view.pack)):
            return choice.id
    raise LocalError("choice.unknown", "the move is not among the legal ones")
