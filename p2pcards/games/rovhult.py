"""Røvhult: get rid of your hand, then of the cards face up before you, then of those face down.

The rules are a function of what lies face up. A card that lies face down before a seat is known to
nobody; it is turned over as a blind move, and judged when its face is there. Taking the pile is
always allowed, so that nobody ever has to prove that it cannot play. protocol.md section 7.3.

    DEAL -> ARRANGE -> LOT -> TURNS -> END
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import combinations, pairwise

from p2pcards.cards.ops import (
    EVERYONE,
    Deck,
    Op,
    Put,
    Show,
    Top,
    Toss,
    Whole,
    draw,
    hide,
    shuffle,
)
from p2pcards.cards.rules import Await, Dealing, Moves, Option, Over, Ruling, Value, need
from p2pcards.cards.table import STOCK, Pile, Seat, Slot, Table, hand
from p2pcards.errors import IllegalMove
from p2pcards.games.rovhult_house import (
    FOUR,
    OPTIONS,
    ROW,
    SEATS,
    House,
    check_house,
    read_house,
)
from p2pcards.games.shedding import PILE, REMOVED, end_row, following, in_turn, places


def up(seat: Seat) -> Pile:
    """The cards face up before a seat."""
    return Pile("up", seat)


def down(seat: Seat) -> Pile:
    """The cards face down before a seat; nobody has seen them."""
    return Pile("down", seat)


class Phase(Enum):
    """Where a match stands."""

    DEAL = "deal"  # the cards are shuffled and dealt
    ARRANGE = "arrange"  # hand and face-up cards are exchanged
    LOT = "lot"  # the first player is drawn by lot
    TURNS = "turns"  # the seats play in turn
    END = "end"  # one player is left with cards, or nothing moves any more


@dataclass(frozen=True, slots=True)
class Arrange:
    """These three of my six known cards, in ascending order of slots, lie face up; the others are
    my hand."""

    face_up: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """I play these cards of one rank, in ascending order of slots."""

    cards: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Flip:
    """I turn over this face-down card and play it, if it can be played."""

    card: Slot


@dataclass(frozen=True, slots=True)
class Take:
    """I take the pile."""


Move = Arrange | Play | Flip | Take


@dataclass(frozen=True, slots=True)
class State:
    """A match so far; everything in it is public.

    `turn` is the seat that plays next, and in sequential arranging the one that arranges.
    `finished`: seats without cards, in the order in which they got rid of them. `idle`: turns since
    the match last came nearer to its end. `places` is empty until the end; `stalled`: whether the
    stall guard ended the match.
    """

    house: House
    seats: int
    phase: Phase = Phase.DEAL
    arranged: frozenset[Seat] = frozenset()
    turn: Seat = 0
    finished: tuple[Seat, ...] = ()
    idle: int = 0
    places: tuple[int, ...] = ()
    stalled: bool = False

    def next_holding(self, seat: Seat) -> Seat:
        """The next seat in turn that still has cards; perhaps the same one again."""
        return following(seat, self.seats, self.house.direction, self.finished)


def source(t: Table, seat: Seat) -> Pile:
    """Where a seat must play from: the hand, else the cards face up, else those face down."""
    return next((pile for pile in (hand(seat), up(seat)) if t[pile]), down(seat))


def top_rank(t: Table) -> int | None:
    """The rank on top of the pile; None if there is none."""
    return t.face(t[PILE][-1]).rank if t[PILE] else None


# --- the game -------------------------------------------------------------------------------------


class Rovhult:
    """The rules of Røvhult; has no state of its own."""

    key = "rovhult"
    title = "Røvhult"
    seats = SEATS
    moves: tuple[type[Move], ...] = (Arrange, Play, Flip, Take)
    options: tuple[Option, ...] = OPTIONS

    def check(self, options: Mapping[str, Value], seats: int) -> None:
        """Raises `BadOption` for options that contradict each other or do not fit the seats."""
        check_house(options, seats)

    def start(self, seats: int, options: Mapping[str, Value]) -> State:
        """Nothing is dealt yet."""
        return State(read_house(options, seats), seats)

    def awaits(self, s: State, t: Table) -> Await:
        """Whose turn it is: some seats', the cards', or nobody's."""
        match s.phase:
            case Phase.DEAL:
                return Dealing(tuple(_deal(s)))
            case Phase.ARRANGE if s.house.arrange_mode == "simultaneous":
                return Moves(frozenset(range(s.seats)) - s.arranged, sealed=True)
            case Phase.LOT:
                return Dealing((Toss(s.seats),))
            case Phase.ARRANGE | Phase.TURNS:
                return Moves(frozenset((s.turn,)))
            case Phase.END:
                return self.standing(s)

    def resume(self, s: State, t: Table) -> State:
        """The cards are dealt, or the lot has chosen the first player."""
        if s.phase is Phase.DEAL:
            arranging = s.house.arrange_mode != "none"
            return replace(s, phase=Phase.ARRANGE if arranging else Phase.LOT)
        if s.phase is not Phase.LOT or t.toss is None:
            raise ValueError(f"no cards have moved in {s.phase}")
        return replace(s, phase=Phase.TURNS, turn=t.toss)

    def opens(self, m: Move) -> tuple[Slot, ...]:
        """Cards are played face up, and lie face up before a seat."""
        match m:
            case Arrange(cards) | Play(cards):
                return cards
            case Flip(card):
                return (card,)
            case Take():
                return ()

    def judge(self, s: State, t: Table, seat: Seat, m: Move) -> Ruling[State]:
        """The ruling on a move, or `IllegalMove`."""
        match m:
            case Arrange(face_up):
                return _arrange(s, t, seat, face_up)
            case Play(cards):
                return _play(s, t, seat, cards)
            case Flip(card):
                return _flip(s, t, seat, card)
            case Take():
                return _take(s, t, seat)

    def candidates(self, s: State, t: Table, seat: Seat) -> Iterable[Move]:
        """All arrangements; or all sets of equal cards that fit the pile, all face-down cards, and
        the pile. `judge` decides."""
        match s.phase:
            case Phase.ARRANGE:
                six = sorted((*t[up(seat)], *t[hand(seat)]))
                return (Arrange(three) for three in combinations(six, ROW))
            case Phase.TURNS:
                return _turns(s, t, seat)
            case _:
                return ()

    def sheet(self, s: State) -> Sequence[Mapping[str, object]]:
        """One row when the match is over: how it ended, and the places."""
        if s.phase is not Phase.END:
            return ()
        return (end_row(s.stalled, s.places),)

    def standing(self, s: State) -> Over:
        """Who got rid of the cards first is first; before the end all others share a place."""
        return Over(s.places or places(s.finished, (0,) * s.seats))


def _deal(s: State) -> Iterator[Op]:
    yield Deck(s.house.pack)
    yield from shuffle()
    order = in_turn(0, s.seats, s.house.direction)
    for _ in range(ROW):
        for seat in order:
            yield Put(Top(STOCK), down(seat))
    for _ in range(ROW):
        for seat in order:
            yield Show(Top(STOCK), EVERYONE)
            yield Put(Top(STOCK), up(seat))
    for _ in range(ROW):
        for seat in order:
            yield from draw(seat)


# --- arranging ------------------------------------------------------------------------------------


def _arrange(s: State, t: Table, seat: Seat, face_up: tuple[Slot, ...]) -> Ruling[State]:
    need(s.phase is Phase.ARRANGE, "phase.wrong")
    simultaneous = s.house.arrange_mode == "simultaneous"
    need(seat not in s.arranged and (simultaneous or seat == s.turn), "turn.not_yours")
    held, shown = t[hand(seat)], t[up(seat)]
    need(len(face_up) == ROW, "arrange.count")
    need(all(card in held or card in shown for card in face_up), "card.not_held")
    _check_order(face_up)

    raised = tuple(card for card in face_up if card in held)
    lowered = tuple(card for card in shown if card not in face_up)
    arranged = s.arranged | {seat}
    after = replace(
        s,
        phase=Phase.ARRANGE if len(arranged) < s.seats else Phase.LOT,
        arranged=arranged,
        turn=s.turn if simultaneous else s.next_holding(seat),
    )
    ops = (Put(raised, up(seat)), Put(lowered, hand(seat))) if raised else ()
    return Ruling(after, ops)


def _check_order(cards: tuple[Slot, ...]) -> None:
    # one set of cards is one move, not several; no card counts twice
    need(all(a < b for a, b in pairwise(cards)), "move.order")


# --- turns ----------------------------------------------------------------------------------------


def _turns(s: State, t: Table, seat: Seat) -> Iterator[Move]:
    pile = source(t, seat)
    if pile == down(seat):
        yield from (Flip(card) for card in t[pile])
    else:
        top = top_rank(t)
        equal: dict[int, list[Slot]] = {}
        for card in sorted(t[pile]):
            equal.setdefault(t.face(card).rank, []).append(card)
        for rank in sorted(equal):
            if s.house.refusal(top, rank) is None:
                for count in range(1, len(equal[rank]) + 1):
                    yield from (Play(cards) for cards in combinations(equal[rank], count))
    yield Take()


def _check_turn(s: State, seat: Seat) -> None:
    need(s.phase is Phase.TURNS, "phase.wrong")
    need(seat == s.turn, "turn.not_yours")


def _own(t: Table, seat: Seat) -> tuple[Slot, ...]:
    return (*t[hand(seat)], *t[up(seat)], *t[down(seat)])


def _play(s: State, t: Table, seat: Seat, cards: tuple[Slot, ...]) -> Ruling[State]:
    _check_turn(s, seat)
    need(len(cards) > 0, "play.empty")
    pile = source(t, seat)
    if pile == down(seat) or not set(cards) <= set(t[pile]):
        need(set(cards) <= set(_own(t, seat)), "card.not_held")
        raise IllegalMove("play.wrong_source")
    _check_order(cards)
    ranks = {t.face(card).rank for card in cards}
    need(len(ranks) == 1, "play.mixed_ranks")
    refusal = s.house.refusal(top_rank(t), *ranks)
    if refusal is not None:
        raise IllegalMove(refusal)
    return _lay(s, t, seat, cards)


def _flip(s: State, t: Table, seat: Seat, card: Slot) -> Ruling[State]:
    _check_turn(s, seat)
    need(card in _own(t, seat), "card.not_held")
    need(source(t, seat) == down(seat), "play.wrong_source")
    if s.house.refusal(top_rank(t), t.face(card).rank) is None:
        return _lay(s, t, seat, (card,))
    return _pick_up(s, t, seat, (card,))


def _take(s: State, t: Table, seat: Seat) -> Ruling[State]:
    _check_turn(s, seat)
    need(len(t[PILE]) > 0, "pile.empty")
    return _pick_up(s, t, seat, ())


def _pick_up(s: State, t: Table, seat: Seat, flipped: tuple[Slot, ...]) -> Ruling[State]:
    """The pile, and a card that was turned over in vain, go to the hand; the turn passes."""
    after = replace(s, turn=s.next_holding(seat), idle=s.idle + 1)
    ops = (Put(Whole(PILE), hand(seat)), *((Put(flipped, hand(seat)),) if flipped else ()))
    return Ruling(_guarded(after, t, seat, len(t[PILE])), ops)


def _lay(s: State, t: Table, seat: Seat, cards: tuple[Slot, ...]) -> Ruling[State]:
    """Cards that may be played are: the pile grows or goes, the hand is refilled, and who is next
    depends on the rank."""
    rank = t.face(cards[0]).rank
    cleared = rank == s.house.nuke_rank or _run(t, rank) + len(cards) >= FOUR
    held = sum(card not in cards for card in t[hand(seat)])
    drawn = s.house.draws(rank, held, len(t[STOCK]))

    ops: list[Op] = [Put(cards, PILE)]
    if drawn:
        ops += draw(seat, drawn)
        ops += hide(seat) if s.house.unlinkable_draws else ()
    if cleared:
        ops.append(Put(Whole(PILE), REMOVED))

    out = not drawn and len(_own(t, seat)) == len(cards)
    finished = (*s.finished, seat) if out else s.finished
    if len(finished) == s.seats - 1:
        placed = places(finished, (0,) * s.seats)
        return Ruling(replace(s, phase=Phase.END, finished=finished, places=placed), tuple(ops))

    turn = s.next_holding(seat)
    if cleared and not out:
        turn = seat
    elif rank == s.house.skip_rank and not cleared:
        turn = s.next_holding(turn)
    idle = 0 if drawn or cleared or out else s.idle + 1
    after = replace(s, finished=finished, turn=turn, idle=idle)
    return Ruling(_guarded(after, t, seat, -len(cards)), tuple(ops))


def _run(t: Table, rank: int) -> int:
    """How many cards of this rank lie on top of the pile."""
    run = 0
    for card in reversed(t[PILE]):
        if t.face(card).rank != rank:
            break
        run += 1
    return run


def _guarded(s: State, t: Table, mover: Seat, gained: int) -> State:
    """The state, or the end if nothing has moved for too long. `t` is the table before the last
    turn, in which the mover has gained so many cards."""
    if s.idle == 0 or s.idle != s.house.stall_limit:
        return s
    counts = [len(_own(t, seat)) + gained * (seat == mover) for seat in range(s.seats)]
    return replace(s, phase=Phase.END, places=places(s.finished, counts), stalled=True)
