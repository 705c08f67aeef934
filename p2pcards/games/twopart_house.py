"""What a table of Twopart may agree on: the options, and what they say about cards played.

Plain arithmetic on faces; knows no cards on the table and nobody's turn. protocol.md section 7.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from p2pcards.cards.faces import Face, french
from p2pcards.cards.rules import Option, Value
from p2pcards.errors import BadOption
from p2pcards.games.shedding import DIRECTION, STALL_LIMIT

PACK = french()
SEATS = range(2, 7)
HAND = 3
"""Cards that a seat is dealt; it keeps that many as long as there is a stock."""

OPTIONS: tuple[Option, ...] = (
    DIRECTION,
    Option(
        "tie_rule",
        ("highest_pair", "all_equal"),
        "highest_pair",
        "Who plays on after equal cards in part one: those with the highest rank that was played "
        "more than once, or everybody whose rank was.",
    ),
    Option(
        "trump_reveal",
        ("contest", "subround", "immediate"),
        "contest",
        "When the last card of the stock is shown: after the contest in which it was drawn, after "
        "the round of cards in which it was drawn, or at once.",
    ),
    Option(
        "low_limit",
        range(2, 14),
        5,
        "Cards up to this rank go to players who won nothing in part one. 11 is the jack, 13 the "
        "king.",
    ),
    Option(
        "low_share",
        ("random_public", "random_private"),
        "random_public",
        "Several players who won nothing share the low cards by lot in the open, or so that "
        "nobody else sees who gets which.",
    ),
    Option(
        "turn_target",
        ("literal", "capped"),
        "literal",
        "A play that is picked up must be made again: always, or unless that asks for more plays "
        "than there are players with cards.",
    ),
    Option(
        "runs",
        (True, False),
        True,
        "In part two, cards of one suit in sequence may be played together, or only single cards.",
    ),
    STALL_LIMIT,
)


def is_run(faces: Sequence[Face]) -> bool:
    """Whether these are one suit and consecutive ranks, from the lowest up."""
    return all(
        above.suit == below.suit and above.rank == below.rank + 1
        for below, above in pairwise(faces)
    )


@dataclass(frozen=True, slots=True)
class House:
    """The options that this table plays by; see `OPTIONS`."""

    direction: str
    tie_rule: str
    trump_reveal: str
    low_limit: int
    low_share: str
    turn_target: str
    runs: bool
    stall_limit: int

    def is_low(self, face: Face) -> bool:
        """Whether a card goes to those who won nothing."""
        return face.rank <= self.low_limit

    def equal_ranks(self, ranks: Sequence[int]) -> tuple[int, ...]:
        """The ranks of a round of part one whose players go on, the highest first; none if all
        cards differ or the equal ones do not count."""
        twice = sorted((rank for rank, n in Counter(ranks).items() if n > 1), reverse=True)
        return tuple(twice if self.tie_rule == "all_equal" else twice[:1])

    def refusal(self, run: Sequence[Face], top: Face | None, trump: int) -> str | None:
        """Why these cards may not be played on a pile with this top card (None: an empty pile);
        None if they may."""
        if not is_run(run):
            return "play.not_a_run"
        if len(run) > 1 and not self.runs:
            return "play.one_card"
        lowest = run[0]
        if top is None:
            return None
        if lowest.suit == top.suit:
            return None if lowest.rank > top.rank else "play.not_higher"
        return None if lowest.suit == trump else "play.not_higher"


def read_house(options: Mapping[str, Value]) -> House:
    """Settled options as a record."""
    chosen: dict[str, Any] = dict(options)
    return House(**chosen)


def check_house(_options: Mapping[str, Value], seats: int) -> None:
    """Raises `BadOption` where the options do not fit the seats; any of them go together."""
    if seats not in SEATS:
        raise BadOption("option.seats", f"{seats} seats: takes {SEATS[0]} to {SEATS[-1]}")
