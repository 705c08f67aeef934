"""Random matches of every game on the open kernel: do they all end, is every card accounted for?

    .venv/bin/python scripts/playouts.py --matches 10000
    .venv/bin/python scripts/playouts.py rovhult --seats 5 --matches 1000

Prints per game how many matches ended, how many the stall guard ended, the longest one, and the
rate. Exit code 0 when all ended with every card in one place.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from p2pcards.cards.rules import Over, Rules
from p2pcards.games import GAMES
from p2pcards.testing.referee import Referee

LONGEST = 200_000
"""Moves after which a match counts as endless."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What some matches of one game came to."""

    matches: int
    moves: int
    longest: int
    stalled: int

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.matches + other.matches,
            self.moves + other.moves,
            max(self.longest, other.longest),
            self.stalled + other.stalled,
        )


def play(rules: Rules[Any, Any], seats: int, rng: random.Random) -> tuple[int, Over, Any]:
    """One match by random choices: moves made, result, last state."""
    referee = Referee.deal(rules, seats, rng=rng)
    moves = 0
    while (over := referee.outcome) is None:
        seat = rng.choice(sorted(referee.owing))
        options = referee.options(seat)
        referee.choose(seat, rng.choice(options).id)
        moves += 1
        check_cards(referee)
        if moves > LONGEST:
            raise RuntimeError(f"{rules.key}: no end after {moves} moves")
    return moves, over, referee.state


def check_cards(referee: Referee) -> None:
    """No card is lost, none is in two places."""
    slots = referee.table.slots()
    if len(slots) != len(set(slots)) or set(slots) != set(referee.truth):
        raise RuntimeError(f"a card was lost or doubled: {referee.table}")


def some(key: str, seats: int | None, matches: int, seed: int) -> Tally:
    """Plays `matches` of a game with `seats`, or with every number of seats in turn."""
    rules, rng = GAMES[key], random.Random(seed)
    tally = Tally(0, 0, 0, 0)
    for number in range(matches):
        table = seats if seats is not None else rules.seats[number % len(rules.seats)]
        moves, _, state = play(rules, table, rng)
        stalled = bool(getattr(state, "stalled", False))
        tally += Tally(1, moves, moves, int(stalled))
    return tally


def main() -> int:
    """Runs the playouts on all processors."""
    parser = argparse.ArgumentParser(description="Random matches on the open kernel.")
    parser.add_argument("games", nargs="*", help="only these games")
    parser.add_argument("--matches", type=int, default=1000, help="matches of each game")
    parser.add_argument("--seats", type=int, help="seats; without it every number in turn")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    workers = os.cpu_count() or 1
    print(f"{'game':10} {'matches':>8} {'stalled':>8} {'longest':>8} {'moves/s':>8}")
    with ProcessPoolExecutor(workers) as pool:
        for key in arguments.games or GAMES:
            start = time.monotonic()
            shares = [len(range(i, arguments.matches, workers)) for i in range(workers)]
            parts = [
                pool.submit(some, key, arguments.seats, share, arguments.seed + i)
                for i, share in enumerate(shares)
            ]
            tally = sum((part.result() for part in parts), Tally(0, 0, 0, 0))
            rate = tally.moves / (time.monotonic() - start)
            print(
                f"{key:10} {tally.matches:8} {tally.stalled:8} {tally.longest:8} {rate:8.0f}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
