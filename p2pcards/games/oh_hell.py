"""Oh Hell: bid how many tricks you will take, then take exactly that many.

The rules are a function of what lies face up; that a seat follows suit with cards nobody else sees
is a claim in its ruling. A match is a plan of hands; in each the cards are dealt, a card is turned
for trump, everybody bids, the tricks are played, and all confirm the next hand. protocol.md
section 7.2.

    CUT -> DEAL -> BID -> PLAY -> SCORE -> DEAL -> ... -> PLAY -> END
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from p2pcards.cards.claims import NOTHING, All, Claim, SuitIsNot
from p2pcards.cards.faces import SUITS, Face
from p2pcards.cards.ops import Deck, Op, Put, Toss, Whole, deal, shuffle, turn_up
from p2pcards.cards.rules import Await, Dealing, Moves, Option, Over, Ruling, Value, need
from p2pcards.cards.table import ASIDE, STOCK, TRICK, Pile, Seat, Slot, Table, hand, won
from p2pcards.games.oh_hell_house import (
    OPTIONS,
    PACK,
    SEATS,
    Hand,
    House,
    check_house,
    plan,
    points,
    read_house,
)

TURNED = Pile("turned")
"""Where the card lies that was turned up for trump."""


class Phase(Enum):
    """Where a match stands."""

    CUT = "cut"  # the first dealer is drawn by lot
    DEAL = "deal"  # the cards are shuffled and dealt, and one is turned up
    BID = "bid"  # the seats say how many tricks they will take
    PLAY = "play"  # tricks are played
    SCORE = "score"  # the hand is scored; every seat confirms the next one
    END = "end"  # the last hand is scored


@dataclass(frozen=True, slots=True)
class Bid:
    """I will take this many tricks."""

    tricks: int


@dataclass(frozen=True, slots=True)
class Play:
    """I play this card to the trick."""

    card: Slot


@dataclass(frozen=True, slots=True)
class Ready:
    """I have seen the score; deal the next hand."""


Move = Bid | Play | Ready


@dataclass(frozen=True, slots=True)
class Result:
    """A hand that was played: one entry a seat in `bids`, `tricks` and `points`."""

    cards: int
    dealer: Seat
    trump: int | None
    bids: tuple[int, ...]
    tricks: tuple[int, ...]
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State:
    """A match so far; everything in it is public.

    `turn` is the seat that bids or plays next; in simultaneous bidding it means nothing. `dealer`
    is 0 until the cut. `bids`, `tricks` and `trump` stay as they were while the score is shown.
    """

    house: House
    plan: tuple[Hand, ...]
    seats: int
    phase: Phase = Phase.CUT
    dealer: Seat = 0
    turn: Seat = 0
    trump: int | None = None
    bids: tuple[int | None, ...] = ()
    tricks: tuple[int, ...] = ()
    ready: frozenset[Seat] = frozenset()
    results: tuple[Result, ...] = ()

    @property
    def hand(self) -> Hand:
        """The hand that is dealt, bid or played now."""
        return self.plan[len(self.results)]

    @property
    def totals(self) -> tuple[int, ...]:
        """Points of each seat over all hands played."""
        return tuple(sum(r.points[seat] for r in self.results) for seat in range(self.seats))

    def left_of(self, seat: Seat) -> Seat:
        """The next seat clockwise."""
        return (seat + 1) % self.seats

    def eldest(self) -> Seat:
        """The dealer's left: dealt to first, bids first, leads first."""
        return self.left_of(self.dealer)


# --- who wins -------------------------------------------------------------------------------------


def best(faces: Sequence[Face], trump: int | None) -> int:
    """Which card of a trick wins: the highest trump, or else the highest of the suit led."""
    led = faces[0].suit
    return max(
        range(len(faces)),
        key=lambda i: (faces[i].suit == trump, faces[i].suit == led, faces[i].rank),
    )


def places(totals: Sequence[int]) -> tuple[int, ...]:
    """1 for the highest total; equal totals share a place."""
    return tuple(1 + sum(other > mine for other in totals) for mine in totals)


# --- the game -------------------------------------------------------------------------------------


class OhHell:
    """The rules of Oh Hell; has no state of its own."""

    key = "oh-hell"
    title = "Oh Hell"
    seats = SEATS
    moves: tuple[type[Move], ...] = (Bid, Play, Ready)
    options: tuple[Option, ...] = OPTIONS

    def check(self, options: Mapping[str, Value], seats: int) -> None:
        """Raises `BadOption` for options that contradict each other or do not fit the seats."""
        check_house(options, seats)

    def start(self, seats: int, options: Mapping[str, Value]) -> State:
        """Nobody has dealt yet."""
        house = read_house(options)
        return State(house, plan(house, seats), seats)

    def awaits(self, s: State, t: Table) -> Await:
        """Whose turn it is: some seats', the cards', or nobody's."""
        match s.phase:
            case Phase.CUT:
                return Dealing((Toss(s.seats),))
            case Phase.DEAL:
                return Dealing(_deal(s))
            case Phase.BID if s.house.bidding == "simultaneous":
                silent = (seat for seat, bid in enumerate(s.bids) if bid is None)
                return Moves(frozenset(silent), sealed=True)
            case Phase.BID | Phase.PLAY:
                return Moves(frozenset((s.turn,)))
            case Phase.SCORE:
                return Moves(frozenset(range(s.seats)) - s.ready)
            case Phase.END:
                return self.standing(s)

    def resume(self, s: State, t: Table) -> State:
        """The lot has chosen the dealer, or the cards are dealt."""
        if s.phase is Phase.CUT and t.toss is not None:
            return replace(s, phase=Phase.DEAL, dealer=t.toss)
        if s.phase is not Phase.DEAL:
            raise ValueError(f"no cards have moved in {s.phase}")
        return replace(
            s,
            phase=Phase.BID,
            turn=s.eldest(),
            trump=t.face(t[TURNED][0]).suit if s.hand.trump else None,
            bids=(None,) * s.seats,
            tricks=(0,) * s.seats,
        )

    def opens(self, m: Move) -> tuple[Slot, ...]:
        """A played card is seen by all."""
        return (m.card,) if isinstance(m, Play) else ()

    def judge(self, s: State, t: Table, seat: Seat, m: Move) -> Ruling[State]:
        """The ruling on a move, or `IllegalMove`."""
        match m:
            case Bid(tricks):
                return _bid(s, seat, tricks)
            case Play(card):
                return _play(s, t, seat, card)
            case Ready():
                return _ready(s, seat)

    def candidates(self, s: State, t: Table, seat: Seat) -> Iterable[Move]:
        """All bids, or all cards of the hand; `judge` decides."""
        match s.phase:
            case Phase.BID:
                return (Bid(tricks) for tricks in range(s.hand.cards + 1))
            case Phase.PLAY:
                return (Play(card) for card in t[hand(seat)])
            case Phase.SCORE:
                return (Ready(),)
            case _:
                return ()

    def sheet(self, s: State) -> Sequence[Mapping[str, object]]:
        """A row for each hand played. `trump` is a suit's letter or None, `totals` run on."""
        return tuple(_rows(s.results))

    def standing(self, s: State) -> Over:
        """The highest total is first."""
        return Over(places(s.totals), s.totals)


def _deal(s: State) -> tuple[Op, ...]:
    seats = tuple((s.eldest() + i) % s.seats for i in range(s.seats))
    return (
        Deck(PACK),
        *shuffle(),
        *deal(seats, s.hand.cards),
        *(turn_up(TURNED) if s.hand.trump else ()),
        Put(Whole(STOCK), ASIDE),
    )


def _bid(s: State, seat: Seat, tricks: int) -> Ruling[State]:
    need(s.phase is Phase.BID, "phase.wrong")
    sequential = s.house.bidding == "sequential"
    need(s.bids[seat] is None and (not sequential or seat == s.turn), "turn.not_yours")
    need(0 <= tricks <= s.hand.cards, "bid.range", f"0 to {s.hand.cards}")

    bids = (*s.bids[:seat], tricks, *s.bids[seat + 1 :])
    said = [bid for bid in bids if bid is not None]
    complete = len(said) == s.seats
    need(not (s.house.hook and complete and sum(said) == s.hand.cards), "bid.hook")

    if complete:
        return Ruling(replace(s, bids=bids, phase=Phase.PLAY, turn=s.eldest()))
    return Ruling(replace(s, bids=bids, turn=s.left_of(s.turn) if sequential else s.turn))


def _play(s: State, t: Table, seat: Seat, card: Slot) -> Ruling[State]:
    need(s.phase is Phase.PLAY, "phase.wrong")
    need(seat == s.turn, "turn.not_yours")
    held = t[hand(seat)]
    need(card in held, "card.not_held")

    trick = t[TRICK]
    claim, reasons = _duties(s, t, trick, card, held)
    played = Put((card,), TRICK)
    if len(trick) + 1 < s.seats:
        after = replace(s, turn=s.left_of(seat))
        return Ruling(after, (played,), claim, reasons)

    leader = s.left_of(seat)
    faces = [t.face(slot) for slot in (*trick, card)]
    winner = (leader + best(faces, s.trump)) % s.seats
    tricks = (*s.tricks[:winner], s.tricks[winner] + 1, *s.tricks[winner + 1 :])
    after = replace(s, tricks=tricks, turn=winner)
    if sum(tricks) == s.hand.cards:
        after = _score(after)
    return Ruling(after, (played, Put(Whole(TRICK), won(winner))), claim, reasons)


def _duties(
    s: State, t: Table, trick: tuple[Slot, ...], card: Slot, held: tuple[Slot, ...]
) -> tuple[Claim, tuple[str, ...]]:
    """What must be true of the cards kept, so that this one may be played."""
    if not trick:
        return NOTHING, ()
    led, suit = t.face(trick[0]).suit, t.face(card).suit
    kept = tuple(slot for slot in held if slot != card)
    if suit == led or not kept:
        return NOTHING, ()
    renounced = All(SuitIsNot(slot, led) for slot in kept)
    if s.house.must_trump and s.trump is not None and s.trump not in {suit, led}:
        trumpless = All(SuitIsNot(slot, s.trump) for slot in kept)
        return All((renounced, trumpless)), ("play.must_follow", "play.must_trump")
    return All((renounced,)), ("play.must_follow",)


def _score(s: State) -> State:
    bids = tuple(bid for bid in s.bids if bid is not None)
    scored = tuple(
        points(s.house, s.hand.cards, bid, tricks)
        for bid, tricks in zip(bids, s.tricks, strict=True)
    )
    result = Result(s.hand.cards, s.dealer, s.trump, bids, s.tricks, scored)
    results = (*s.results, result)
    phase = Phase.END if len(results) == len(s.plan) else Phase.SCORE
    return replace(s, results=results, phase=phase, ready=frozenset())


def _ready(s: State, seat: Seat) -> Ruling[State]:
    need(s.phase is Phase.SCORE, "phase.wrong")
    need(seat not in s.ready, "turn.not_yours")
    ready = s.ready | {seat}
    if len(ready) < s.seats:
        return Ruling(replace(s, ready=ready))
    return Ruling(replace(s, phase=Phase.DEAL, ready=ready, dealer=s.left_of(s.dealer)))


def _rows(results: Iterable[Result]) -> Iterator[Mapping[str, object]]:
    totals: tuple[int, ...] = ()
    for number, r in enumerate(results, 1):
        totals = tuple(map(sum, zip(totals, r.points, strict=True))) if totals else r.points
        yield {
            "hand": number,
            "cards": r.cards,
            "dealer": r.dealer,
            "trump": None if r.trump is None else SUITS[r.trump - 1],
            "bids": r.bids,
            "tricks": r.tricks,
            "points": r.points,
            "totals": totals,
        }
