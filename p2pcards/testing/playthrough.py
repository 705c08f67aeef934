"""Golden playthroughs: a whole match at random as text that people can read and tests compare.

A file begins with what decides everything in it (game, seats, seed, options); below, each deal with
all true cards, each move with the options it was chosen from, what it turned up but did not play,
each row of the score sheet. A change of rules shows as a difference in these files.

    python -m p2pcards.testing.playthrough [--rewrite] FILE ...

compares the files with what the rules give now, or writes them anew; a new file needs its head
only. Exit code 1 if one differs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from typing import Any

from p2pcards.cards.claims import slots_of
from p2pcards.cards.rules import Value
from p2pcards.cards.table import ASIDE, STOCK, Seat, Slot
from p2pcards.engine.view import lawful
from p2pcards.games import find
from p2pcards.testing.referee import Referee


@dataclass(frozen=True, slots=True)
class Head:
    """What decides a playthrough. `options` are in their text form, as on a command line."""

    game: str
    seats: int
    seed: int
    options: Mapping[str, str]


def read_head(text: str) -> Head:
    """The head of a playthrough: `name: value` lines up to the first empty one."""
    lines = text.split("\n\n", 1)[0].splitlines()
    entries = dict(line.split(": ", 1) for line in lines if line)
    options = {
        name.removeprefix("option "): value
        for name, value in entries.items()
        if name.startswith("option ")
    }
    return Head(entries["game"], int(entries["seats"]), int(entries["seed"]), options)


def record(head: Head) -> str:
    """The text of a playthrough. The same head gives the same text under the same rules."""
    return "\n".join((*_head_lines(head), *_match_lines(head), ""))


def _head_lines(head: Head) -> Iterator[str]:
    yield f"game: {head.game}"
    yield f"seats: {head.seats}"
    yield f"seed: {head.seed}"
    for name, value in head.options.items():
        yield f"option {name}: {value}"


def _match_lines(head: Head) -> Iterator[str]:
    options: dict[str, Value] = dict(head.options)
    referee = Referee.deal(find(head.game), head.seats, options, rng=Random(head.seed))
    players = Random(-head.seed - 1)
    rows = dealt = 0
    seen: set[Slot] = set()
    while referee.outcome is None:
        if min(referee.truth, default=-1) >= dealt:  # a new deal renames all cards, a Mix some
            dealt = referee.table.next_slot
            yield from _deal_lines(referee)
        seat = min(referee.owing)
        offered = referee.options(seat)
        # random() gives the same in every version of Python; choice() need not
        move = offered[int(players.random() * len(offered))].move
        yield _move_line(referee, seat, move, [choice.move for choice in offered])
        seen.update(referee.table.faces, referee.rules.opens(move))
        referee.play(seat, move)
        shown = sorted(referee.table.faces.keys() - seen)
        if shown and shown[0] < dealt:
            yield f"    shown: {' '.join(_name(referee, slot) for slot in shown)}"
        sheet = referee.rules.sheet(referee.state)
        for row in sheet[rows:]:
            yield "sheet: " + " ".join(f"{name}={_plain(value)}" for name, value in row.items())
        rows = len(sheet)
    yield f"places: {_plain(referee.outcome.places)}"
    yield f"points: {_plain(referee.outcome.points)}"


def _deal_lines(referee: Referee) -> Iterator[str]:
    yield f"\ndeal: lot {referee.table.toss}"
    for pile, slots in sorted(referee.table.piles.items(), key=lambda entry: str(entry[0])):
        cards = (_name(referee, slot) + "!" * referee.table.is_up(slot) for slot in slots)
        hidden = pile in {STOCK, ASIDE}
        yield f"    {pile}: {len(slots) if hidden else ' '.join(cards)}"


def _move_line(referee: Referee, seat: Seat, move: object, offered: Sequence[object]) -> str:
    moves = lawful(referee.rules, referee.state, referee.table, seat, referee.known[seat])
    ruling = next(ruling for lawful_move, ruling in moves if lawful_move == move)
    line = f"seat {seat}: {_describe(referee, move)}"
    proven = sorted(slots_of(ruling.claim)) if ruling is not None else []
    if proven:
        line += f"  proven of {' '.join(_name(referee, slot) for slot in proven)}"
    return f"{line}  of [{' | '.join(_describe(referee, other) for other in offered)}]"


def _describe(referee: Referee, move: Any) -> str:
    opened = referee.rules.opens(move)

    def words(value: object) -> str:
        if isinstance(value, tuple):  # always of cards, opened or not
            return ",".join(_name(referee, slot) for slot in value) or "-"
        return (
            _name(referee, value) if isinstance(value, int) and value in opened else _plain(value)
        )

    values = (words(getattr(move, field.name)) for field in fields(move))
    return " ".join((type(move).__name__.lower(), *values))


def _name(referee: Referee, slot: Slot) -> str:
    if referee.pack is None:
        raise ValueError("no cards are dealt")
    return referee.pack.name(referee.truth[slot])


def _plain(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_plain, value))
    return "-" if value is None else str(value)


def main(arguments: Sequence[str]) -> int:
    """The command line of this module."""
    paths = [Path(argument) for argument in arguments if argument != "--rewrite"]
    differing = []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        now = record(read_head(text))
        if now != text:
            differing.append(path)
            if "--rewrite" in arguments:
                path.write_text(now, encoding="utf-8", newline="\n")
    for path in differing:
        sys.stdout.write(f"{path}: {'rewritten' if '--rewrite' in arguments else 'differs'}\n")
    return 1 if differing and "--rewrite" not in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
