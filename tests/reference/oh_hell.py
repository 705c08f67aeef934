"""The rules of Oh Hell, after protocol.md, section 7.2: plan, phases, refusals, claims, scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.reference.bytes_ import is_int
from tests.reference.group import Face
from tests.reference.table import (
    ASIDE,
    STOCK,
    TRICK,
    TURNED,
    Deck,
    Mix,
    Operation,
    Put,
    Show,
    Table,
    Top,
    Toss,
    Whole,
    hand,
    won,
)

LARGEST = {3: 15, 4: 13, 5: 10, 6: 8, 7: 7}
OPTIONS: dict[str, tuple[object, ...]] = {
    "bidding": ("sequential", "simultaneous"),
    "hook": (False, True),
    "max_hand": (*range(1, 18), None),
    "miss_points": ("zero", "tricks"),
    "must_trump": (False, True),
    "no_trump": ("last", "max", "never"),
    "sequence": ("up", "down", "up_down", "down_up"),
    "turning_hand_twice": (False, True),
    "zero_bid": ("standard", "five_plus_hand"),
}
BID, PLAY, READY = 0, 1, 2


class Refusal(Exception):
    """A move against the rules; the one argument is the code."""


@dataclass(frozen=True, slots=True)
class SuitIsNot:
    """A claim about one card."""

    slot: int
    suit: int


@dataclass(frozen=True, slots=True)
class All:
    """Each part is true."""

    parts: tuple[Claim, ...]


Claim = SuitIsNot | All


@dataclass(frozen=True, slots=True)
class Moves:
    """It is the turn of these seats."""

    seats: tuple[int, ...]
    sealed: bool = False


@dataclass(frozen=True, slots=True)
class Dealing:
    """Cards move before the rules go on."""

    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Over:
    """The end: a place and the points of each seat."""

    places: tuple[int, ...]
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A hand on the score sheet; trump None: there was none."""

    cards: int
    dealer: int
    trump: int | None
    bids: tuple[int, ...]
    tricks: tuple[int, ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ruling:
    """A lawful move: what it does to the table, and what must be proven with it."""

    puts: tuple[Put, ...] = ()
    claim: Claim | None = None


def accepts(seats: int, options: Mapping[str, object]) -> bool:
    """Whether the values are possible ones, and possible together."""

    def fits(name: str) -> bool:
        return any(options[name] == v and type(options[name]) is type(v) for v in OPTIONS[name])

    if not 3 <= seats <= 7 or not all(map(fits, OPTIONS)):
        return False
    if options["hook"] and options["bidding"] == "simultaneous":
        return False
    return not isinstance(options["max_hand"], int) or options["max_hand"] * seats <= 52


def plan(seats: int, options: Mapping[str, Any]) -> list[int]:
    """Cards each, hand by hand."""
    m = LARGEST[seats] if options["max_hand"] is None else options["max_hand"]
    up, down = list(range(1, m + 1)), list(range(m, 0, -1))
    turn = 0 if options["turning_hand_twice"] else 1
    sequences = {
        "up": up,
        "down": down,
        "up_down": up + down[turn:],
        "down_up": down + up[turn:],
    }
    return sequences[options["sequence"]]


def opened(move: list[Any]) -> tuple[int, ...]:
    """The slots that a move opens."""
    return (move[1],) if move[0] == PLAY else ()


def is_move(value: Any) -> bool:
    """Whether this is a move of the game."""
    if not isinstance(value, list) or not value or not is_int(value[0]):
        return False
    if value[0] in (BID, PLAY):
        return len(value) == 2 and is_int(value[1])
    return value == [READY]


class OhHell:
    """The state of a match, changed by `resume` and `apply` alone."""

    def __init__(self, seats: int, options: Mapping[str, Any]) -> None:
        self.seats, self.options = seats, options
        self.plan = plan(seats, options)
        self.number = 0
        self.phase = "cut"
        self.dealer = 0
        self.trump: int | None = None
        self.bids: dict[int, int] = {}
        self.tricks: dict[int, int] = {}
        self.trick: list[tuple[int, Face]] = []
        self.leader = 0
        self.ready: set[int] = set()
        self.totals = dict.fromkeys(range(seats), 0)
        self.sheet: list[Line] = []

    @property
    def cards(self) -> int:
        """Cards each in this hand."""
        return self.plan[self.number]

    @property
    def has_trump(self) -> bool:
        """Whether a card is turned in this hand."""
        bare = {
            "last": self.number == len(self.plan) - 1,
            "max": self.cards == max(self.plan),
            "never": False,
        }
        return self.cards * self.seats < 52 and not bare[self.options["no_trump"]]

    def _round(self, first: int) -> tuple[int, ...]:
        return tuple((first + i) % self.seats for i in range(self.seats))

    def turn(self) -> Moves | Dealing | Over:
        """What is next."""
        everyone = tuple(range(self.seats))
        match self.phase:
            case "cut":
                return Dealing((Toss(self.seats),))
            case "deal":
                return Dealing(self._deal())
            case "bid":
                if self.options["bidding"] == "simultaneous":
                    return Moves(everyone, sealed=True)
                return Moves((self._round(self.dealer + 1)[len(self.bids)],))
            case "play":
                return Moves((self._round(self.leader)[len(self.trick)],))
            case "score":
                return Moves(everyone)
            case _:
                return self.standing()

    def _deal(self) -> tuple[Operation, ...]:
        operations: list[Operation] = [Deck(), Mix(Whole(STOCK))]
        for seat in self._round(self.dealer + 1) * self.cards:
            operations += [Show(Top(STOCK), seat), Put(Top(STOCK), hand(seat))]
        if self.has_trump:
            operations += [Show(Top(STOCK), None), Put(Top(STOCK), TURNED)]
        return (*operations, Put(Whole(STOCK), ASIDE))

    def resume(self, table: Table) -> None:
        """The cards (or the toss) are there."""
        if self.phase == "cut":
            assert table.toss is not None
            self.dealer, self.phase = table.toss, "deal"
            return
        turned = table.pile(TURNED)
        self.trump = table.faces()[turned[0]][0] if turned else None
        self.bids, self.trick, self.leader = {}, [], (self.dealer + 1) % self.seats
        self.tricks = dict.fromkeys(range(self.seats), 0)
        self.phase = "bid"

    def standing(self) -> Over:
        """Places and points so far."""
        points = tuple(self.totals[seat] for seat in range(self.seats))
        places = tuple(1 + sum(other > mine for other in points) for mine in points)
        return Over(places, points)

    # --- moves ------------------------------------------------------------------------------------

    def judge(self, table: Table, faces: Mapping[int, Face], seat: int, move: list[Any]) -> Ruling:
        """The ruling on a move, or `Refusal`; `faces` are those up, and what the move opens."""
        if self.phase != {BID: "bid", PLAY: "play", READY: "score"}[move[0]]:
            raise Refusal("phase.wrong")
        if move[0] == BID:
            return self._judge_bid(seat, move[1])
        if move[0] == PLAY:
            return self._judge_play(table, faces, seat, move[1])
        if seat in self.ready:
            raise Refusal("turn.not_yours")
        return Ruling()

    def _judge_bid(self, seat: int, tricks: int) -> Ruling:
        sequential = self.options["bidding"] == "sequential"
        if seat in self.bids or (sequential and self.turn() != Moves((seat,))):
            raise Refusal("turn.not_yours")
        if not 0 <= tricks <= self.cards:
            raise Refusal("bid.range")
        last = len(self.bids) == self.seats - 1
        if self.options["hook"] and last and sum(self.bids.values()) + tricks == self.cards:
            raise Refusal("bid.hook")
        return Ruling()

    def _judge_play(self, table: Table, faces: Mapping[int, Face], seat: int, slot: int) -> Ruling:
        if self.turn() != Moves((seat,)):
            raise Refusal("turn.not_yours")
        if slot not in table.pile(hand(seat)):
            raise Refusal("card.not_held")
        puts = [Put((slot,), TRICK)]
        trick = [*self.trick, (seat, faces[slot])]
        if len(trick) == self.seats:
            puts.append(Put(Whole(TRICK), won(self.winner(trick))))
        kept = [other for other in table.pile(hand(seat)) if other != slot]
        return Ruling(tuple(puts), self._claim(kept, faces[slot][0]))

    def _claim(self, kept: list[int], suit: int) -> Claim | None:
        led = self.trick[0][1][0] if self.trick else suit
        if suit == led or not kept:
            return None
        parts: list[Claim] = [All(tuple(SuitIsNot(slot, led) for slot in kept))]
        trump = self.trump if self.options["must_trump"] else None
        if trump is not None and trump not in (led, suit):
            parts.append(All(tuple(SuitIsNot(slot, trump) for slot in kept)))
        return All(tuple(parts))

    def winner(self, trick: list[tuple[int, Face]]) -> int:
        """Who takes a full trick."""
        led = trick[0][1][0]

        def strength(play: tuple[int, Face]) -> tuple[bool, bool, int]:
            suit, rank, _ = play[1]
            return suit == self.trump, suit == led, rank

        return max(trick, key=strength)[0]

    def apply(self, faces: Mapping[int, Face], seat: int, move: list[Any]) -> None:
        """A move that was judged lawful is made."""
        if move[0] == BID:
            self.bids[seat] = move[1]
            if len(self.bids) == self.seats:
                self.phase = "play"
        elif move[0] == PLAY:
            self.trick.append((seat, faces[move[1]]))
            if len(self.trick) == self.seats:
                self.leader, self.trick = self.winner(self.trick), []
                self.tricks[self.leader] += 1
            if sum(self.tricks.values()) == self.cards:
                self._score()
        else:
            self.ready.add(seat)
            if len(self.ready) == self.seats:
                self.ready = set()
                self.number += 1
                self.dealer = (self.dealer + 1) % self.seats
                self.phase = "deal"

    def _score(self) -> None:
        order = range(self.seats)
        points = tuple(self._points(self.bids[seat], self.tricks[seat]) for seat in order)
        for seat in order:
            self.totals[seat] += points[seat]
        self.sheet.append(
            Line(
                self.cards,
                self.dealer,
                self.trump,
                tuple(self.bids[seat] for seat in order),
                tuple(self.tricks[seat] for seat in order),
                points,
                tuple(self.totals[seat] for seat in order),
            )
        )
        self.phase = "over" if self.number == len(self.plan) - 1 else "score"

    def _points(self, bid: int, tricks: int) -> int:
        if bid != tricks:
            return tricks if self.options["miss_points"] == "tricks" else 0
        if bid == 0 and self.options["zero_bid"] == "five_plus_hand":
            return 5 + self.cards
        return 10 + tricks
