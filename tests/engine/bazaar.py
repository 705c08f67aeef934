"""A game that nobody would play, made of everything that a game may ask of the engine.

In each hand: a toss of 52! sides; a deal; sealed guesses; a card that is given away and comes back;
two hands that are swapped and then mixed by their new holders; blind flips of cards that nobody has
seen; a comparison of two hidden cards; a forced answer; cards laid open by all at once; face-up
cards that are shuffled again, by all and by two.

    LOT -> DEAL -> GUESS -> LEND -> BACK -> TRADE -> FLIP.. -> ORDER -> ANSWER -> SHED -> AGAIN
        -> WELL -> LOT or END
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import factorial

from p2pcards.cards.claims import All, AtLeast, SuitIsNot
from p2pcards.cards.faces import RANKS, SUITS, Face, Pack, french
from p2pcards.cards.ops import (
    EVERYONE,
    Deck,
    Give,
    Mix,
    Op,
    Put,
    Show,
    Top,
    Toss,
    Unexposed,
    Whole,
    deal,
    hide,
    shuffle,
    swap,
    turn_up,
)
from p2pcards.cards.rules import Await, Dealing, Moves, Option, Over, Ruling, Value, need
from p2pcards.cards.table import ASIDE, STOCK, Pile, Seat, Slot, Table, hand
from p2pcards.errors import BadOption

_NAMES = {
    Face(suit, rank): RANKS[rank - 2] + SUITS[suit - 1]
    for suit in (1, 2, 3)
    for rank in range(2, 12)
}
SMALL = Pack("bazaar", tuple(_NAMES), _NAMES)
"""Thirty cards, enough for seven seats."""
OPEN, WELL, FLIPPED = Pile("open"), Pile("well"), Pile("flipped")


class Phase(Enum):
    """Where a hand stands."""

    LOT = "lot"
    DEAL = "deal"
    GUESS = "guess"
    LEND = "lend"
    BACK = "back"
    TRADE = "trade"
    FLIP = "flip"
    ORDER = "order"
    ANSWER = "answer"
    SHED = "shed"
    AGAIN = "again"
    WELL = "well"
    END = "end"


@dataclass(frozen=True, slots=True)
class Guess:
    """A sealed number."""

    number: int


@dataclass(frozen=True, slots=True)
class Lend:
    """The starter gives a card to its neighbour."""

    card: Slot


@dataclass(frozen=True, slots=True)
class Back:
    """The neighbour puts it back."""

    card: Slot


@dataclass(frozen=True, slots=True)
class Trade:
    """The starter and this seat swap their hands, and each mixes what it got."""

    other: Seat


@dataclass(frozen=True, slots=True)
class Flip:
    """A card that nobody has seen is turned up."""

    card: Slot


@dataclass(frozen=True, slots=True)
class Order:
    """My first card is at least as high as my second; nobody sees either."""

    high: Slot
    low: Slot


@dataclass(frozen=True, slots=True)
class Ordinary:
    """None of my cards is of the suit asked for."""


@dataclass(frozen=True, slots=True)
class Bar:
    """This one is."""

    card: Slot


@dataclass(frozen=True, slots=True)
class Shed:
    """I lay down this card."""

    card: Slot


Move = Guess | Lend | Back | Trade | Flip | Order | Ordinary | Bar | Shed


@dataclass(frozen=True, slots=True)
class State:
    """All of it public. `asked`: the suit that the starter's neighbour answers about."""

    pack: str
    hands: int
    seats: int
    phase: Phase = Phase.LOT
    hand: int = 0
    starter: Seat = 0
    turn: Seat = 0
    asked: int = 0
    lot: int = 0
    said: frozenset[Seat] = frozenset()
    points: tuple[int, ...] = ()

    @property
    def neighbour(self) -> Seat:
        """Whom the starter deals with."""
        return (self.starter + 1) % self.seats

    def score(self, seat: Seat, more: int) -> State:
        """Points for a seat."""
        points = list(self.points)
        points[seat] += more
        return replace(self, points=tuple(points))


class Bazaar:
    """The rules."""

    key = "bazaar"
    title = "Bazaar"
    seats = range(2, 8)
    moves: tuple[type[Move], ...] = (Guess, Lend, Back, Trade, Flip, Order, Ordinary, Bar, Shed)
    options: tuple[Option, ...] = (
        Option("pack", ("small", "double"), "small", "30 or 104 cards."),
        Option("hands", range(1, 4), 1, "How many hands."),
    )

    def check(self, options: Mapping[str, Value], seats: int) -> None:
        """Any options go together."""
        if seats not in self.seats:
            raise BadOption("option.seats")

    def start(self, seats: int, options: Mapping[str, Value]) -> State:
        """Nothing has happened."""
        pack, hands = options["pack"], options["hands"]
        assert isinstance(pack, str)
        assert isinstance(hands, int)
        return State(pack, hands, seats, points=(0,) * seats)

    def awaits(self, s: State, t: Table) -> Await:
        """The phases in order."""
        everyone = frozenset(range(s.seats))
        match s.phase:
            case Phase.LOT:
                return Dealing((Toss(factorial(52)),))
            case Phase.DEAL:
                return Dealing(_deal(s))
            case Phase.AGAIN:
                return Dealing(_again(s))
            case Phase.GUESS:
                return Moves(everyone, sealed=True)
            case Phase.SHED:
                return Moves(everyone)
            case Phase.FLIP:
                return Moves(frozenset((s.turn,)))
            case Phase.BACK | Phase.ANSWER:
                return Moves(frozenset((s.neighbour,)), forced=s.phase is Phase.ANSWER)
            case Phase.LEND | Phase.TRADE | Phase.ORDER | Phase.WELL:
                return Moves(frozenset((s.starter,)))
            case Phase.END:
                return self.standing(s)

    def resume(self, s: State, t: Table) -> State:
        """The cards have moved."""
        match s.phase:
            case Phase.LOT:
                assert t.toss is not None
                return replace(s, phase=Phase.DEAL, lot=t.toss, starter=t.toss % s.seats)
            case Phase.DEAL:
                asked = t.face(t[OPEN][0]).suit
                return replace(s, phase=Phase.GUESS, asked=asked, said=frozenset())
            case _:
                return replace(s, phase=Phase.WELL)

    def opens(self, m: Move) -> tuple[Slot, ...]:
        """What a move lays face up."""
        return (m.card,) if isinstance(m, Flip | Bar | Shed) else ()

    def judge(self, s: State, t: Table, seat: Seat, m: Move) -> Ruling[State]:
        """The ruling."""
        held = t[hand(seat)]
        match m:
            case Guess(number):
                need(s.phase is Phase.GUESS, "phase.wrong")
                need(0 <= number <= 3, "guess.range")
                after = replace(s.score(seat, number), said=s.said | {seat})
                full = len(after.said) == s.seats
                return Ruling(replace(after, phase=Phase.LEND) if full else after)
            case Lend(card):
                need(s.phase is Phase.LEND, "phase.wrong")
                need(card in held, "card.not_held")
                ops = (Give((card,), seat, s.neighbour), Put((card,), hand(s.neighbour)))
                return Ruling(replace(s, phase=Phase.BACK), ops)
            case Back(card):
                need(s.phase is Phase.BACK, "phase.wrong")
                need(card == held[-1], "card.not_lent")
                return Ruling(replace(s, phase=Phase.TRADE), (Put((card,), hand(s.starter)),))
            case Trade(other):
                need(s.phase is Phase.TRADE, "phase.wrong")
                need(other != seat and 0 <= other < s.seats, "trade.nobody")
                traded = (*swap(seat, other), *hide(seat), *hide(other))
                return Ruling(replace(s, phase=Phase.FLIP, turn=s.starter), traded)
            case Flip(card):
                return _flip(s, t, seat, card)
            case Order(high, low):
                need(s.phase is Phase.ORDER, "phase.wrong")
                need(high in held and low in held and high != low, "card.not_held")
                return Ruling(replace(s, phase=Phase.ANSWER), (), AtLeast(high, low), ("order",))
            case Ordinary():
                need(s.phase is Phase.ANSWER, "phase.wrong")
                after = replace(s, phase=Phase.SHED, said=frozenset())
                return Ruling(after, (), All(SuitIsNot(slot, s.asked) for slot in held))
            case Bar(card):
                need(s.phase is Phase.ANSWER, "phase.wrong")
                need(card in held, "card.not_held")
                need(t.face(card).suit == s.asked, "answer.other_suit")
                earlier = held[: held.index(card)]
                claim = All(SuitIsNot(slot, s.asked) for slot in earlier)
                after = replace(s, phase=Phase.SHED, said=frozenset())
                return Ruling(after, (), claim, ("answer.first",) * len(earlier))
            case Shed(card):
                need(s.phase is Phase.SHED, "phase.wrong")
                need(card in held, "card.not_held")
                after = replace(s.score(seat, t.face(card).rank), said=s.said | {seat})
                full = len(after.said) == s.seats
                after = replace(after, phase=Phase.AGAIN) if full else after
                return Ruling(after, (Put((card,), Pile("shed", seat)),))

    def candidates(self, s: State, t: Table, seat: Seat) -> Iterable[Move]:
        """Everything that could be meant."""
        held = t[hand(seat)]
        match s.phase:
            case Phase.GUESS:
                return [Guess(number) for number in range(5)]
            case Phase.LEND:
                return [Lend(card) for card in held]
            case Phase.BACK:
                return [Back(card) for card in held]
            case Phase.TRADE:
                return [Trade(other) for other in range(s.seats)]
            case Phase.FLIP:
                return [Flip(card) for card in t[Pile("down", seat)]]
            case Phase.ORDER:
                return [Order(high, low) for high in held for low in held]
            case Phase.ANSWER:
                return [Ordinary(), *(Bar(card) for card in held)]
            case Phase.SHED:
                return [Shed(card) for card in held]
            case Phase.WELL:
                return [Flip(card) for card in t[WELL][:1]]
            case _:
                return []

    def sheet(self, s: State) -> Sequence[Mapping[str, object]]:
        """One row."""
        return ({"points": s.points},)

    def standing(self, s: State) -> Over:
        """The highest total is first."""
        return Over(tuple(1 + sum(o > p for o in s.points) for p in s.points), s.points)


def _deal(s: State) -> tuple[Op, ...]:
    seats = [(s.starter + i) % s.seats for i in range(s.seats)]
    pack = SMALL if s.pack == "small" else french(2)
    return (
        Deck(pack),
        *shuffle(),
        *deal(seats, 2),
        *(Put(Top(STOCK), Pile("down", seat)) for seat in seats),
        *turn_up(OPEN),
        *turn_up(OPEN),
        Put(Top(STOCK, 3), WELL),
        # which of them are unexposed depends on shares that are still owed
        Show(Top(WELL), EVERYONE),
        Put(Unexposed(WELL), Pile("deep")),
        Put(Whole(WELL), OPEN),
        Put(Top(Pile("deep")), WELL),
        Put(Whole(STOCK), ASIDE),
    )


def _again(s: State) -> tuple[Op, ...]:
    """Face-up cards become hidden ones: by everyone, and by two seats."""
    two = tuple(sorted((s.starter, s.neighbour)))
    return (
        Mix(Whole(OPEN), EVERYONE),
        Put(Whole(OPEN), Pile("fresh")),
        Show(Top(Pile("fresh")), s.neighbour),
        Put(Top(Pile("fresh")), hand(s.neighbour)),
        Mix(Whole(FLIPPED), two),
        Show(Top(FLIPPED), s.starter),
        Put(Top(FLIPPED), hand(s.starter)),
        *hide(s.starter),
    )


def _flip(s: State, t: Table, seat: Seat, card: Slot) -> Ruling[State]:
    if s.phase is Phase.WELL:
        need(card in t[WELL], "card.not_there")
        rank = t.face(card).rank
        after = replace(s.score(seat, rank), hand=s.hand + 1, phase=Phase.LOT)
        return Ruling(replace(after, phase=Phase.END) if after.hand == s.hands else after)
    need(s.phase is Phase.FLIP, "phase.wrong")
    need(card in t[Pile("down", seat)], "card.not_there")
    after = replace(s.score(seat, t.face(card).rank), turn=(s.turn + 1) % s.seats)
    after = replace(after, phase=Phase.ORDER) if after.turn == s.starter else after
    return Ruling(after, (Put((card,), FLIPPED),))
