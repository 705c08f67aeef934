"""Plays every game at its smallest, usual and largest table and with each value of each option, and
audits every log: real peers, real broker, real cryptography.

    .venv/bin/python scripts/matrix.py
    .venv/bin/python scripts/matrix.py oh-hell --list

Exit code 0 when every match ended and every log is honest. Cases follow from the registry: a new
game or option is in the matrix by being there.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from p2pcards.cards.rules import Option, Rules, Value, settle
from p2pcards.errors import BadOption
from p2pcards.games import GAMES

USUAL = 4
"""Seats of an ordinary table (rules of all games)."""
HANDS = 2
"""Hands that a case is played for; a whole match only at the usual table with the defaults."""
PATIENCE = 600
"""Seconds after which a match counts as stuck."""


@dataclass(frozen=True, slots=True)
class Case:
    """One match to play. `hands` 0 is the whole match."""

    game: str
    seats: int
    options: tuple[tuple[str, Value], ...] = ()
    hands: int = HANDS

    def __str__(self) -> str:
        chosen = " ".join(f"{name}={text(value)}" for name, value in self.options)
        length = f"{self.hands} hands" if self.hands else "whole match"
        return f"{self.game:10} {self.seats:2} seats, {length}  {chosen}".rstrip()

    @property
    def arguments(self) -> list[str]:
        """What follows `p2pcards play`."""
        seats = str(self.seats)
        arguments = [self.game, "--seats", seats, "--bots", seats, "--headless", "--seed", "1"]
        for name, value in self.options:
            arguments += ["--option", f"{name}={text(value)}"]
        return [*arguments, "--hands", str(self.hands)]


def text(value: Value) -> str:
    """A value as the command line takes it."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def sizes(rules: Rules[Any, Any]) -> tuple[int, ...]:
    """Smallest, usual and largest number of seats."""
    return tuple(sorted({rules.seats[0], USUAL, rules.seats[-1]}))


def values(option: Option) -> tuple[Value, ...]:
    """Each value that is not the default; of a range of numbers its ends and one between."""
    every: Sequence[Value] = option.values
    if isinstance(option.values, range) and len(option.values) > 3:
        every = (option.values[0], option.values[len(option.values) // 2], option.values[-1])
    return tuple(value for value in every if value != option.default)


def allows(rules: Rules[Any, Any], options: dict[str, Value], seats: int) -> bool:
    """Whether so many seats may play by these options."""
    try:
        rules.check(settle(rules.options, options), seats)
    except BadOption:
        return False
    return True


def fitting(rules: Rules[Any, Any], options: dict[str, Value]) -> int | None:
    """A number of seats that these options allow, the usual one first; None if there is none."""
    sizes: Sequence[int] = (USUAL, *rules.seats)
    return next((seats for seats in sizes if allows(rules, options, seats)), None)


def cases(games: Sequence[str]) -> Iterator[Case]:
    """The matrix."""
    for key in games:
        rules = GAMES[key]
        for seats in sizes(rules):
            usual = seats == USUAL
            fits: dict[str, Value] = {} if allows(rules, {}, seats) else {"decks": 2}
            yield Case(key, seats, tuple(fits.items()), hands=0 if usual else HANDS)
        for option in rules.options:
            for value in values(option):
                table = fitting(rules, {option.name: value})
                if table is not None:
                    yield Case(key, table, ((option.name, value),))


def play(case: Case, folder: Path) -> str | None:
    """Plays and audits one case; None when all is well, otherwise what was not."""
    log = folder / f"{abs(hash(case))}.p2plog"
    program = [sys.executable, "-m", "p2pcards"]
    for command in (["play", *case.arguments, "--quiet", "--log", str(log)], ["audit", str(log)]):
        ended = subprocess.run(
            [*program, *command], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        if ended.returncode != 0:
            return f"{command[0]} exited with {ended.returncode}: {ended.stderr[-400:]}"
    log.unlink()
    return None


def main() -> int:
    """Runs the matrix."""
    parser = argparse.ArgumentParser(description="Play and audit every game with every option.")
    parser.add_argument("games", nargs="*", choices=[*GAMES, []], help="only these games")
    parser.add_argument("--list", action="store_true", help="only show the cases")
    parser.add_argument("--jobs", type=int, default=1, help="matches at a time")
    arguments = parser.parse_args()
    matrix = list(cases(arguments.games or list(GAMES)))
    if arguments.list:
        print("\n".join(map(str, matrix)))
        return 0
    failed = 0

    def run(case: Case) -> tuple[Case, str | None, float]:
        start = time.monotonic()
        return case, play(case, Path(folder)), time.monotonic() - start

    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(arguments.jobs) as pool,
    ):
        for case, problem, seconds in pool.map(run, matrix):
            failed += problem is not None
            print(f"{'ok  ' if problem is None else 'FAIL'} {seconds:6.1f} s  {case}", flush=True)
            if problem is not None:
                print(f"     {problem}", flush=True)
    print(f"{len(matrix) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
