"""Twopart: in part one you collect cards, in part two you get rid of what you have collected.

In part one everybody plays from three cards that nobody else sees; whatever is played is won, so
that everybody knows all cards of part two, but for low cards that are shared out in secret. No seat
ever has to prove anything: in part one any card may be played, in part two the last play may be
picked up instead. protocol.md section 7.4.

    LOT -> DEAL -> PART_ONE -> GATHER -> LOW -> PART_TWO -> END
                                    ------------^
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import factorial

from p2pcards.cards.faces import Face
from p2pcards.cards.ops import (
    EVERYONE,
    Deck,
    Mix,
    Op,
    Put,
    Show,
    Top,
    Toss,
    Whole,
    deal,
    draw,
    in_order,
    shuffle,
)
from p2pcards.cards.rules import Await, Dealing, Moves, Option, Over, Ruling, Value, need
from p2pcards.cards.table import STOCK, Pile, Seat, Slot, Table, hand, won
from p2pcards.games.shedding import PILE, REMOVED, end_row, following, in_turn, places
from p2pcards.games.twopart_house import (
    HAND,
    OPTIONS,
    PACK,
    SEATS,
    House,
    check_house,
    read_house,
)

LOW = Pile("low")
"""Where the low cards lie while they are mixed to be shared out in secret."""


class Phase(Enum):
    """Where a match stands."""

    LOT = "lot"  # the first player is drawn by lot
    DEAL = "deal"  # the cards are shuffled and dealt
    PART_ONE = "part_one"  # cards are played and won
    GATHER = "gather"  # everybody takes the cards won
    LOW = "low_cards"  # who won nothing gets the low cards of the others
    PART_TWO = "part_two"  # the cards won are got rid of
    END = "end"  # one player is left with cards, or nothing moves any more


@dataclass(frozen=True, slots=True)
class Lay:
    """I lay this card on the pile, in part one."""

    card: Slot


@dataclass(frozen=True, slots=True)
class Play:
    """I play this run, in part two: one or more cards of a suit in sequence, the lowest first."""

    run: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class PickUp:
    """I take the last play into my hand."""


Move = Lay | Play | PickUp


@dataclass(frozen=True, slots=True)
class State:
    """A match so far; everything in it is public.

    `turn` is the seat that plays next, and between the parts the one that won the last pile.
    Part one: `contest` are the seats of the round of cards under way, in the order in which they
    play, and `laid` is how many have. `last`: the card drawn last from the stock, which decides
    trump. Part two: `trump`; `plays` are the sizes of the plays in the pile; `due` is how many more
    it takes to complete the pile. `finished`: seats without cards, in the order in which they got
    rid of them, the first `early` of them together. `idle`: moves since the match last came nearer
    to its end. `places` is empty until the end; `stalled`: whether the stall guard ended the match.
    """

    house: House
    seats: int
    phase: Phase = Phase.LOT
    turn: Seat = 0
    contest: tuple[Seat, ...] = ()
    laid: int = 0
    last: Slot | None = None
    trump: int | None = None
    plays: tuple[int, ...] = ()
    due: int = 0
    finished: tuple[Seat, ...] = ()
    early: int = 0
    idle: int = 0
    places: tuple[int, ...] = ()
    stalled: bool = False

    def in_turn(self, first: Seat) -> tuple[Seat, ...]:
        """All seats in the order of play, beginning with this one."""
        return in_turn(first, self.seats, self.house.direction)

    def next_holding(self, seat: Seat) -> Seat:
        """The next seat in turn that still has cards in part two; perhaps the same one again."""
        return following(seat, self.seats, self.house.direction, self.finished)

    @property
    def holding(self) -> int:
        """How many seats still have cards in part two."""
        return self.seats - len(self.finished)


class Twopart:
    """The rules of Twopart; has no state of its own."""

    key = "twopart"
    title = "Twopart"
    seats = SEATS
    moves: tuple[type[Move], ...] = (Lay, Play, PickUp)
    options: tuple[Option, ...] = OPTIONS

    def check(self, options: Mapping[str, Value], seats: int) -> None:
        """Raises `BadOption` for options that do not fit the seats."""
        check_house(options, seats)

    def start(self, seats: int, options: Mapping[str, Value]) -> State:
        """Nothing is dealt yet."""
        return State(read_house(options), seats)

    def awaits(self, s: State, t: Table) -> Await:
        """Whose turn it is: a seat's, the cards', or nobody's."""
        match s.phase:
            case Phase.LOT:
                return Dealing((Toss(s.seats),))
            case Phase.DEAL:
                return Dealing((Deck(PACK), *shuffle(), *deal(s.in_turn(s.turn), HAND)))
            case Phase.GATHER:
                return Dealing(tuple(_gather(s, t)))
            case Phase.LOW:
                return Dealing(tuple(_share(s, t)))
            case Phase.PART_ONE | Phase.PART_TWO:
                return Moves(frozenset((s.turn,)))
            case Phase.END:
                return self.standing(s)

    def resume(self, s: State, t: Table) -> State:
        """The lot has chosen the first player, or cards have been dealt or taken."""
        match s.phase:
            case Phase.LOT if t.toss is not None:
                return replace(s, phase=Phase.DEAL, turn=t.toss)
            case Phase.DEAL:
                return replace(s, phase=Phase.PART_ONE, contest=s.in_turn(s.turn))
            case Phase.GATHER if s.last is not None:
                taken = replace(s, trump=t.face(s.last).suit)
                return replace(taken, phase=Phase.LOW) if _unlucky(s, t) else _part_two(taken, t)
            case Phase.LOW:
                return _part_two(s, t)
            case _:
                raise ValueError(f"no cards have moved in {s.phase}")

    def opens(self, m: Move) -> tuple[Slot, ...]:
        """Cards are played face up."""
        match m:
            case Lay(card):
                return (card,)
            case Play(run):
                return run
            case PickUp():
                return ()

    def judge(self, s: State, t: Table, seat: Seat, m: Move) -> Ruling[State]:
        """The ruling on a move, or `IllegalMove`."""
        match m:
            case Lay(card):
                return _lay(s, t, seat, card)
            case Play(run):
                return _play(s, t, seat, run)
            case PickUp():
                return _pick_up(s, t, seat)

    def candidates(self, s: State, t: Table, seat: Seat) -> Iterable[Move]:
        """All cards of the hand; or all runs that beat the pile, and the last play. `judge`
        decides."""
        match s.phase:
            case Phase.PART_ONE:
                return (Lay(card) for card in t[hand(seat)])
            case Phase.PART_TWO:
                return (*(Play(run) for run in _runs(s, t, seat)), PickUp())
            case _:
                return ()

    def sheet(self, s: State) -> Sequence[Mapping[str, object]]:
        """One row when the match is over: how it ended, and the places."""
        return (end_row(s.stalled, s.places),) if s.phase is Phase.END else ()

    def standing(self, s: State) -> Over:
        """Who got rid of the cards first is first; before the end all others share a place."""
        return Over(s.places or places(s.finished, (0,) * s.seats, s.early))


# --- part one -------------------------------------------------------------------------------------


def _lay(s: State, t: Table, seat: Seat, card: Slot) -> Ruling[State]:
    """A card on the pile and one from the stock; who has played last decides the round."""
    need(s.phase is Phase.PART_ONE, "phase.wrong")
    need(seat == s.turn, "turn.not_yours")
    need(card in t[hand(seat)], "card.not_held")

    stock = t[STOCK]
    held = [len(t[hand(other)]) for other in range(s.seats)]
    held[seat] -= 0 if stock else 1
    ops: list[Op] = [Put((card,), PILE), *(draw(seat) if stock else ())]

    after = replace(s, laid=s.laid + 1, last=stock[0] if len(stock) == 1 else s.last)
    round_over, winner = after.laid == len(s.contest), None
    if round_over:
        ranks = [t.face(c).rank for c in (*t[PILE][len(t[PILE]) - s.laid :], card)]
        winner, tied = _decide(s, ranks, held)
        if winner is None:
            after = replace(after, turn=tied[0], contest=tied, laid=0)
        else:
            after = _next_contest(after, winner, held)
    else:
        after = replace(after, turn=s.contest[after.laid])

    shown = {"contest": winner is not None, "subround": round_over, "immediate": True}
    if after.last is not None and not t.is_up(after.last) and shown[s.house.trump_reveal]:
        ops.append(Show((after.last,), EVERYONE))
    if winner is not None:
        ops.append(Put(Whole(PILE), won(winner)))
    return Ruling(after, tuple(ops))


def _decide(
    s: State, ranks: Sequence[int], held: Sequence[int]
) -> tuple[Seat | None, tuple[Seat, ...]]:
    """Who wins the pile by the cards of one round; or nobody, and the seats that play on for it.
    `ranks` in the order of play, `held` how many cards each seat has left."""
    equal = s.house.equal_ranks(ranks)
    if not equal:
        return s.contest[ranks.index(max(ranks))], ()
    tied = (seat for seat, rank in zip(s.contest, ranks, strict=True) if rank in equal)
    live = tuple(seat for seat in tied if held[seat])
    if len(live) > 1:
        return None, live
    return live[0] if live else s.contest[ranks.index(equal[0])], ()


def _next_contest(s: State, winner: Seat, held: Sequence[int]) -> State:
    """The winner leads, or the next seat that has a card; without any, part one is over."""
    contest = tuple(seat for seat in s.in_turn(winner) if held[seat])
    if not contest:
        return replace(s, phase=Phase.GATHER, turn=winner, contest=(), laid=0)
    return replace(s, turn=contest[0], contest=contest, laid=0)


# --- between the parts ----------------------------------------------------------------------------


def _unlucky(s: State, t: Table) -> tuple[Seat, ...]:
    """Who has won nothing, in turn from the seat after the one that won the last pile."""
    return tuple(seat for seat in s.in_turn(s.turn) if not t[won(seat)] and not t[hand(seat)])


def _gather(s: State, t: Table) -> Iterator[Op]:
    for seat in range(s.seats):
        yield Put(Whole(won(seat)), hand(seat))
    if len(_unlucky(s, t)) > 1 and s.house.low_share == "random_public":
        yield Toss(factorial(sum(s.house.is_low(face) for face in t.faces.values())))


def _share(s: State, t: Table) -> Iterator[Op]:
    """The low cards go to those who have won nothing, one by one if there are several."""
    unlucky = _unlucky(s, t)
    low = tuple(
        sorted(
            card
            for seat in range(s.seats)
            for card in t[hand(seat)]
            if s.house.is_low(t.face(card))
        )
    )
    if len(unlucky) == 1:
        yield Put(low, hand(unlucky[0]))
    elif s.house.low_share == "random_public":
        for i, card in enumerate(in_order(low, t.toss or 0)):
            yield Put((card,), hand(unlucky[i % len(unlucky)]))
    else:
        yield Put(low, LOW)
        yield Mix(Whole(LOW), EVERYONE)
        for i in range(len(low)):
            receiver = unlucky[i % len(unlucky)]
            yield Show(Top(LOW), receiver)
            yield Put(Top(LOW), hand(receiver))


def _part_two(s: State, t: Table) -> State:
    """The winner of part one begins, or the next seat that has cards."""
    empty = tuple(seat for seat in range(s.seats) if not t[hand(seat)])
    after = replace(s, phase=Phase.PART_TWO, finished=empty, early=len(empty))
    turn = s.turn if s.turn not in empty else after.next_holding(s.turn)
    return replace(after, turn=turn, due=after.holding)


# --- part two -------------------------------------------------------------------------------------


def _runs(s: State, t: Table, seat: Seat) -> Iterator[tuple[Slot, ...]]:
    """All runs of the hand that may be played, suit by suit, from the lowest up."""
    cards = sorted(t[hand(seat)], key=t.face)
    faces = [t.face(card) for card in cards]
    top = _top(t)
    for first in range(len(cards)):
        for end in range(first + 1, len(cards) + 1):
            if s.house.refusal(faces[first:end], top, s.trump or 0) is not None:
                break  # a longer one would be refused too
            yield tuple(cards[first:end])


def _top(t: Table) -> Face | None:
    """The card to beat; runs are laid with their highest card on top."""
    return t.face(t[PILE][-1]) if t[PILE] else None


def _check_turn(s: State, seat: Seat) -> None:
    need(s.phase is Phase.PART_TWO, "phase.wrong")
    need(seat == s.turn, "turn.not_yours")


def _play(s: State, t: Table, seat: Seat, run: tuple[Slot, ...]) -> Ruling[State]:
    _check_turn(s, seat)
    need(len(run) > 0, "play.empty")
    held = t[hand(seat)]
    need(all(card in held for card in run), "card.not_held")
    refusal = s.house.refusal([t.face(card) for card in run], _top(t), s.trump or 0)
    need(refusal is None, refusal or "")

    out = len(run) == len(held)
    after = replace(
        s,
        turn=s.next_holding(seat),
        plays=(*s.plays, len(run)),
        due=s.due - 1,
        finished=(*s.finished, seat) if out else s.finished,
        idle=0 if out else s.idle + 1,
    )
    played = Put(run, PILE)
    if after.holding == 1:
        return Ruling(_end(after, (0,) * s.seats), (played,))
    if after.due == 0:
        leader = after.turn if out else seat
        after = replace(after, turn=leader, plays=(), due=after.holding, idle=0)
        return Ruling(after, (played, Put(Whole(PILE), REMOVED)))
    return Ruling(_guard(after, t, seat, -len(run)), (played,))


def _pick_up(s: State, t: Table, seat: Seat) -> Ruling[State]:
    _check_turn(s, seat)
    need(len(s.plays) > 0, "pile.empty")
    *plays, last = s.plays
    due = s.due + 1
    if s.house.turn_target == "capped":
        due = min(due, s.holding)
    turn = s.next_holding(seat)
    after = replace(s, plays=tuple(plays), due=due, turn=turn, idle=s.idle + 1)
    return Ruling(_guard(after, t, seat, last), (Put(t[PILE][-last:], hand(seat)),))


# --- the end --------------------------------------------------------------------------------------


def _end(s: State, counts: Sequence[int]) -> State:
    return replace(s, phase=Phase.END, places=places(s.finished, counts, s.early))


def _guard(s: State, t: Table, seat: Seat, change: int) -> State:
    """The state, or the end after too many moves without progress; the seat that moves holds so
    many cards more or fewer than before."""
    if s.idle == 0 or s.idle != s.house.stall_limit:
        return s
    counts = [len(t[hand(other)]) for other in range(s.seats)]
    counts[seat] += change
    return replace(_end(s, counts), stalled=True)
