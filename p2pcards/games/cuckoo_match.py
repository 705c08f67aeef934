"""The course of a match of Gnav: whose turn it is, who is alive, how a deal begins and ends.

Book-keeping over seats and lives; what the cards do, and what a seat may say, is in `cuckoo`.
protocol.md section 7.6.

    CUT -> DEAL -> KNOCK -> TURN -> ANSWER -> TURN ... -> SHOW -> SCORE -> DEAL ... -> END
                                    DRAW -> DRAWN
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from p2pcards.cards.faces import Face
from p2pcards.cards.rules import Over
from p2pcards.cards.table import Seat, Slot
from p2pcards.games.cuckoo_house import (
    House,
    clockwise,
    holders_of_fools,
    next_dealer,
    payers,
)


class Phase(Enum):
    """Where a match stands."""

    CUT = "cut"  # the first dealer is drawn by lot
    DEAL = "deal"  # the cards are shuffled, and each participant gets one
    KNOCK = "knock"  # dealt fools are announced
    TURN = "turn"  # a participant keeps or asks
    ANSWER = "answer"  # the card of the one asked decides
    DRAW = "draw"  # the stock is asked: its top card is shown to the asker
    DRAWN = "drawn"  # that card decides
    SHOW = "show"  # all cards of the deal are shown
    SCORE = "score"  # who pays is seen; every living seat confirms the next deal
    END = "end"  # one player is alive, or none


@dataclass(frozen=True, slots=True)
class Exchange:
    """Cards that changed places: `asker` gave one card for the other, to `other` or, where that is
    None, to the cards laid aside, for one from the stock."""

    asker: Seat
    other: Seat | None
    given: Slot
    taken: Slot


@dataclass(frozen=True, slots=True)
class Result:
    """A deal that is over. `order` are its participants, fewer than two if it was skipped. `cards`
    are what each seat showed at the end, None for who had none or where the match ended before.
    `lost` and `lives` are per seat: what this deal cost, and what was left. `rest` sit out next."""

    dealer: Seat
    order: tuple[Seat, ...]
    cards: tuple[Face | None, ...]
    lost: tuple[int, ...]
    lives: tuple[int, ...]
    rest: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class State:
    """A match so far; everything in it is public.

    `lives` are per seat; who has none is out. `fallen` lists who went out, in groups of those who
    did at once. `resting` sit out the running deal. `order` are the participants of the deal in
    turn order; the last one has the dealer's rights. `began` are all lives before the deal.
    `answered` have said whether they were dealt a fool, `knocked` were. `turn` keeps or asks;
    `asked` has to answer it. `exchanges` are those of the deal that a cat would undo.
    """

    house: House
    seats: int
    lives: tuple[int, ...]
    phase: Phase = Phase.CUT
    dealer: Seat = 0
    resting: frozenset[Seat] = frozenset()
    order: tuple[Seat, ...] = ()
    began: tuple[int, ...] = ()
    answered: frozenset[Seat] = frozenset()
    knocked: frozenset[Seat] = frozenset()
    turn: Seat = 0
    asked: Seat | None = None
    exchanges: tuple[Exchange, ...] = ()
    fallen: tuple[tuple[Seat, ...], ...] = ()
    ready: frozenset[Seat] = frozenset()
    results: tuple[Result, ...] = ()

    @property
    def alive(self) -> frozenset[Seat]:
        """Who has a life left."""
        return frozenset(seat for seat, lives in enumerate(self.lives) if lives)

    @property
    def compared(self) -> tuple[Seat, ...]:
        """The participants who have not gone out during this deal."""
        return tuple(seat for seat in self.order if self.lives[seat])

    def following(self, seat: Seat) -> Seat | None:
        """The next participant after this one; None: the stock."""
        later = self.order[self.order.index(seat) + 1 :]
        return next((other for other in later if self.lives[other]), None)


# --- a deal begins --------------------------------------------------------------------------------


def begin_deal(s: State, dealer: Seat) -> State:
    """The participants take their places. Where fewer than two are left the deal is skipped: the
    rest is served, and the next player deals."""
    order = clockwise(s.seats, dealer, s.alive - s.resting)
    if len(order) < 2:
        skipped = Result(dealer, order, (None,) * s.seats, (0,) * s.seats, s.lives, ())
        s = replace(s, resting=frozenset(), results=(*s.results, skipped))
        return begin_deal(s, next_dealer(s.house, dealer, s.alive, s.resting, s.seats))
    return replace(
        s,
        phase=Phase.DEAL,
        dealer=dealer,
        order=order,
        began=s.lives,
        answered=frozenset(),
        knocked=frozenset(),
        turn=order[0],
        asked=None,
        exchanges=(),
    )


# --- turns and lives ------------------------------------------------------------------------------


def go_on(s: State, turn: Seat | None) -> State:
    """The turn of this seat; None: everybody has had one."""
    if turn is None:
        return replace(s, phase=Phase.SHOW, asked=None)
    return replace(s, phase=Phase.TURN, turn=turn, asked=None)


def lose_a_life(s: State, turn: Seat | None) -> State:
    """A cat or dragoon takes a life of the asker, who may go out; then it is this seat's turn.
    Where one player is left the match ends on the spot."""
    seat = s.turn
    after = replace(s, lives=_less(s.lives, {seat}))
    if not after.lives[seat]:
        after = replace(after, fallen=(*s.fallen, (seat,)))
    if len(after.alive) == 1:
        return _record(replace(after, phase=Phase.END), {}, frozenset())
    return go_on(after, turn)


def _less(lives: tuple[int, ...], seats: Iterable[Seat]) -> tuple[int, ...]:
    lost = set(seats)
    return tuple(n - (seat in lost) for seat, n in enumerate(lives))


# --- a deal ends ----------------------------------------------------------------------------------


def settle(s: State, cards: Mapping[Seat, Face]) -> State:
    """All cards are shown: who pays, who goes out, who rests."""
    compared = {seat: cards[seat] for seat in s.compared}
    pay = payers(compared)
    after = replace(s, lives=_less(s.lives, pay))
    out = tuple(sorted(seat for seat in pay if not after.lives[seat]))
    if out:
        after = replace(after, fallen=(*s.fallen, out))

    rest = pay & holders_of_fools(compared) & after.alive if s.house.fool_rests else frozenset()
    phase = Phase.SCORE if len(after.alive) > 1 else Phase.END
    return _record(replace(after, phase=phase), cards, rest)


def _record(s: State, cards: Mapping[Seat, Face], rest: frozenset[Seat]) -> State:
    result = Result(
        s.dealer,
        s.order,
        tuple(cards.get(seat) for seat in range(s.seats)),
        tuple(was - now for was, now in zip(s.began, s.lives, strict=True)),
        s.lives,
        tuple(sorted(rest)),
    )
    return replace(s, asked=None, resting=rest, ready=frozenset(), results=(*s.results, result))


def next_deal(s: State) -> State:
    """All have seen who pays; the next player deals."""
    return begin_deal(s, next_dealer(s.house, s.dealer, s.alive, s.resting, s.seats))


def standing(s: State) -> Over:
    """Who has most lives is first; of those who are out, who went last. Who went at once share a
    place."""
    went = {seat: when for when, group in enumerate(s.fallen) for seat in group}
    worth = [(lives, went.get(seat, 0)) for seat, lives in enumerate(s.lives)]
    return Over(tuple(1 + sum(other > mine for other in worth) for mine in worth))
