"""Røvhul, the Danish President: get rid of your cards; the order decides the next deal's roles.

The rules are a function of what lies face up. A match is a row of deals. From the second one on the
worse players give their best cards to the better ones and get low cards back; then whoever holds
the three of clubs shows it, and the tricks are played until one player is left. What only a holder
can say of its cards is a claim in a ruling: that none is better than those it gives, that what it
returns is low, that the three of clubs is not among them. protocol.md section 7.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, takewhile

from p2pcards.cards.claims import All, FaceIsNot
from p2pcards.cards.ops import EVERYONE, Deck, Op, Put, Show, Toss, Whole, draw, hide, shuffle
from p2pcards.cards.rules import Await, Dealing, Moves, Option, Over, Ruling, Value, need
from p2pcards.cards.table import TRICK, Pile, Seat, Slot, Table, hand
from p2pcards.games.president_exchange import (
    are_best,
    are_returnable,
    best_gifts,
    check_gift,
    check_order,
    hand_over,
    returnable_gifts,
)
from p2pcards.games.president_house import (
    CLEARING,
    FOUR,
    OPTIONS,
    SEATS,
    check_house,
    read_house,
    standing,
)
from p2pcards.games.president_match import (
    Phase,
    State,
    answered,
    clear,
    find_leader,
    next_deal,
    rows,
    score,
)

CLEARED = Pile("cleared")
"""Cards of the tricks that are over; public."""
_SWEEP = Put(Whole(TRICK), CLEARED)


@dataclass(frozen=True, slots=True)
class Announce:
    """I hold the three of clubs: this card. Of several it is the one with the lowest slot."""

    card: Slot


@dataclass(frozen=True, slots=True)
class NotMine:
    """I do not hold the three of clubs."""


@dataclass(frozen=True, slots=True)
class Best:
    """I give my best cards, the highest first."""

    cards: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Return:
    """I return these cards, the lowest first; where any will do, in ascending order of slots."""

    cards: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """I play these cards of one value, in ascending order of slots."""

    cards: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """I am out until the table is cleared."""


@dataclass(frozen=True, slots=True)
class Ready:
    """I have seen the roles; deal again, or stop after this deal."""

    stop: bool = False


Move = Announce | NotMine | Best | Return | Play | Pass | Ready


# --- the game -------------------------------------------------------------------------------------


class President:
    """The rules of Røvhul; has no state of its own."""

    key = "president"
    title = "Røvhul"
    seats = SEATS
    moves: tuple[type[Move], ...] = (Announce, NotMine, Best, Return, Play, Pass, Ready)
    options: tuple[Option, ...] = OPTIONS

    def check(self, options: Mapping[str, Value], seats: int) -> None:
        """Raises `BadOption` for options that do not fit the seats."""
        check_house(options, seats)

    def start(self, seats: int, options: Mapping[str, Value]) -> State:
        """Nobody has dealt yet."""
        return State(read_house(options, seats), seats)

    def awaits(self, s: State, t: Table) -> Await:
        """Whose turn it is: some seats', the cards', or nobody's."""
        match s.phase:
            case Phase.CUT:
                return Dealing((Toss(s.seats),))
            case Phase.DEAL:
                return Dealing(tuple(_deal(s)))
            case Phase.GIVE | Phase.RETURN | Phase.SCORE:
                return Moves(s.owing)
            case Phase.TAKE:
                return Dealing(tuple(op for pair in s.pairs() for op in hide(pair.better)))
            case Phase.TAKE_BACK:
                return Dealing(tuple(op for pair in s.pairs() for op in hide(pair.worse)))
            case Phase.CLUB | Phase.PROVE:
                return Moves(s.owing, forced=True)
            case Phase.PLAY:
                return Moves(frozenset((s.turn,)))
            case Phase.SHOW:
                return Dealing((Show(Whole(hand(s.out[-1])), EVERYONE),))
            case Phase.END:
                return self.standing(s)

    def resume(self, s: State, t: Table) -> State:
        """The lot has chosen the dealer, cards are dealt or mixed, or the last ones shown."""
        match s.phase:
            case Phase.CUT if t.toss is not None:
                return replace(s, phase=Phase.DEAL, dealer=t.toss)
            case Phase.DEAL if s.results:
                return s.ask(Phase.GIVE, (pair.worse for pair in s.pairs()))
            case Phase.TAKE:
                return s.ask(Phase.RETURN, (pair.better for pair in s.pairs()))
            case Phase.DEAL | Phase.TAKE_BACK:
                return find_leader(s)
            case Phase.SHOW:
                return score(s)
            case _:
                raise ValueError(f"no cards have moved in {s.phase}")

    def opens(self, m: Move) -> tuple[Slot, ...]:
        """Cards are played face up, and the three of clubs is shown in the hand."""
        match m:
            case Announce(card):
                return (card,)
            case Play(cards):
                return cards
            case _:
                return ()

    def judge(self, s: State, t: Table, seat: Seat, m: Move) -> Ruling[State]:
        """The ruling on a move, or `IllegalMove`."""
        match m:
            case Announce(card):
                return _announce(s, t, seat, card)
            case NotMine():
                return _deny(s, t, seat)
            case Best(cards) | Return(cards):
                return _give(s, t, seat, m, cards)
            case Play(cards):
                return _play(s, t, seat, cards)
            case Pass():
                return _pass(s, seat)
            case Ready(stop):
                return _ready(s, seat, stop)

    def candidates(self, s: State, t: Table, seat: Seat) -> Iterable[Move]:
        """Sets of equal cards, gifts that can be what they must, or the answers to a question;
        `judge` decides."""
        held = t[hand(seat)]
        match s.phase:
            case Phase.GIVE:
                for pair in s.pairs():
                    if pair.worse == seat:
                        yield from map(Best, best_gifts(t, held, pair.count, s.house.best_by))
            case Phase.RETURN:
                for pair in s.pairs():
                    if pair.better == seat:
                        rule = s.house.return_rule
                        yield from map(Return, returnable_gifts(t, held, pair.count, rule))
            case Phase.CLUB | Phase.PROVE:
                yield from map(Announce, held)
                yield NotMine()
            case Phase.PLAY:
                yield from map(Play, _sets(s, t, held))
                yield Pass()
            case Phase.SCORE:
                yield Ready()
                yield Ready(stop=True)
            case _:
                pass

    def sheet(self, s: State) -> Sequence[Mapping[str, object]]:
        """A row for each deal played; `totals` run on where places are summed."""
        return tuple(rows(s))

    def standing(self, s: State) -> Over:
        """The last deal's places, or the lowest sum of places first."""
        return standing(s.house, s.seats, [result.places for result in s.results])


def _deal(s: State) -> Iterator[Op]:
    order = s.clockwise(s.dealer)
    yield Deck(s.house.pack)
    yield from shuffle()
    for i in range(len(s.house.pack.faces)):
        yield from draw(order[i % s.seats])


# --- the exchange ---------------------------------------------------------------------------------


def _give(
    s: State, t: Table, seat: Seat, m: Best | Return, gift: tuple[Slot, ...]
) -> Ruling[State]:
    returning = isinstance(m, Return)
    need(s.phase is (Phase.RETURN if returning else Phase.GIVE), "phase.wrong")
    need(seat in s.owing, "turn.not_yours")
    pair = next(pair for pair in s.pairs() if seat in {pair.worse, pair.better})
    kept = check_gift(gift, pair.count, t[hand(seat)])
    if returning:
        check_order(gift, s.house.return_rule)
        claim, code = are_returnable(gift, kept, s.house.return_rule), "exchange.not_low"
    else:
        claim, code = are_best(gift, kept, s.house.best_by), "exchange.not_best"

    after = replace(s, owing=s.owing - {seat})
    if not after.owing:
        after = replace(after, phase=Phase.TAKE_BACK if returning else Phase.TAKE)
    ops = hand_over(gift, seat, pair.worse if returning else pair.better)
    reasons = (code,) * len(claim.parts) if isinstance(claim, All) else ()
    return Ruling(after, ops, claim, reasons)


# --- who leads ------------------------------------------------------------------------------------


def _check_asked(s: State, seat: Seat) -> None:
    need(s.phase in {Phase.CLUB, Phase.PROVE}, "phase.wrong")
    need(seat in s.owing, "turn.not_yours")


def _announce(s: State, t: Table, seat: Seat, card: Slot) -> Ruling[State]:
    _check_asked(s, seat)
    held = t[hand(seat)]
    need(card in held, "card.not_held")
    need(t.face(card) == s.house.club3, "club3.other_card")
    # Two threes of clubs in one hand are one announcement, not a choice of two.
    first = All(FaceIsNot(other, s.house.club3) for other in held if other < card)
    reasons = ("move.order",) * len(first.parts)
    return Ruling(answered(s, seat, holds=True), reasons=reasons, word=first)


def _deny(s: State, t: Table, seat: Seat) -> Ruling[State]:
    """First everybody is taken at its word: whoever holds the card has every reason to say so, and
    if nobody does, or not the first in turn, those who may have lied have to prove it."""
    _check_asked(s, seat)
    club3 = s.house.club3
    none = All(FaceIsNot(card, club3) for card in t[hand(seat)])
    reasons = ("club3.must_show",) * len(none.parts)
    after = answered(s, seat, holds=False)
    if s.phase is Phase.CLUB:
        return Ruling(after, reasons=reasons, word=none)
    return Ruling(after, reasons=reasons, claim=none)


# --- tricks ---------------------------------------------------------------------------------------


def _sets(s: State, t: Table, held: tuple[Slot, ...]) -> Iterator[tuple[Slot, ...]]:
    """Every set of equal cards to lead, or to answer the last play with."""
    equal: dict[int, list[Slot]] = {}
    for card in sorted(held):
        equal.setdefault(t.face(card).rank, []).append(card)
    for rank in sorted(equal):
        counts: Iterable[int] = range(1, len(equal[rank]) + 1)
        if s.count and rank in CLEARING:
            counts = sorted({1, s.count})
        elif s.count:
            counts = (s.count,) if rank >= t.face(t[TRICK][-1]).rank else ()
        for count in counts:
            yield from combinations(equal[rank], count)


def _check_turn(s: State, seat: Seat) -> None:
    need(s.phase is Phase.PLAY, "phase.wrong")
    need(seat == s.turn, "turn.not_yours")


def _play(s: State, t: Table, seat: Seat, cards: tuple[Slot, ...]) -> Ruling[State]:
    _check_turn(s, seat)
    need(len(cards) > 0, "play.empty")
    held = t[hand(seat)]
    need(all(card in held for card in cards), "card.not_held")
    # one set of cards is one move, not several; no card counts twice
    need(all(a < b for a, b in pairwise(cards)), "move.order")
    single = len(cards) == 1 and s.house.clear_count == "single"
    need(s.count in {0, len(cards)} or single, "play.wrong_count", f"{s.count}")
    need(len({t.face(card).rank for card in cards}) == 1, "play.mixed_ranks")
    rank = t.face(cards[0]).rank
    clears = rank in CLEARING
    if s.count:
        need(len(cards) == s.count or clears, "play.wrong_count", f"{s.count}")
        need(clears or rank >= t.face(t[TRICK][-1]).rank, "play.too_low")
    need(not s.bound or s.house.club3 in map(t.face, cards), "play.needs_club3")
    return _lay(s, t, seat, cards)


def _lay(s: State, t: Table, seat: Seat, cards: tuple[Slot, ...]) -> Ruling[State]:
    """Cards that may be played are: somebody may be out, the table may be cleared, and somebody is
    next."""
    played = Put(cards, TRICK)
    out = (*s.out, seat) if len(cards) == len(t[hand(seat)]) else s.out
    after = replace(s, bound=False, count=len(cards), last=seat, out=out)
    if len(after.holding()) == 1:
        (left,) = after.holding()
        return Ruling(replace(after, phase=Phase.SHOW, out=(*out, left)), (played,))

    rank = t.face(cards[0]).rank
    if rank in CLEARING or _run(t, rank) + len(cards) >= FOUR:
        return Ruling(clear(after, seat), (played, _SWEEP))
    return _go_on(after, (played,))


def _run(t: Table, rank: int) -> int:
    """How many cards of this rank lie on top of the table."""
    return sum(1 for _ in takewhile(lambda card: t.face(card).rank == rank, reversed(t[TRICK])))


def _pass(s: State, seat: Seat) -> Ruling[State]:
    _check_turn(s, seat)
    need(s.count > 0, "play.must_lead")
    return _go_on(replace(s, passed=s.passed | {seat}))


def _go_on(s: State, ops: tuple[Op, ...] = ()) -> Ruling[State]:
    """The turn goes to the next who may answer the last play; if there is none it stands, and its
    player leads."""
    if s.last is None:
        raise ValueError("nothing to answer")
    for seat in s.clockwise(s.turn):
        if seat not in s.passed and seat not in s.out and seat != s.last:
            return Ruling(replace(s, turn=seat), ops)
    return Ruling(clear(s, s.last), (*ops, _SWEEP))


# --- the end of a deal ----------------------------------------------------------------------------


def _ready(s: State, seat: Seat, stop: bool) -> Ruling[State]:
    need(s.phase is Phase.SCORE, "phase.wrong")
    need(seat in s.owing, "turn.not_yours")
    need(not stop or s.house.deals == 0, "stop.fixed_deals")
    after = replace(s, owing=s.owing - {seat}, stop=s.stop or stop)
    return Ruling(after if after.owing else next_deal(after))
