"""A match of Røvhul as it stands: who deals, leads, is out, has which role, and what comes next.

The state of the rules and its transitions, without judging a move; looks at no card. protocol.md
section 7.5.

    CUT -> DEAL -> GIVE -> TAKE -> RETURN -> TAKE_BACK -> CLUB -> PROVE -> PLAY -> SHOW -> SCORE
           DEAL ------------- in the first deal --------> CLUB ----------> PLAY             |
           DEAL <---------------------------------------------------------------------------+-> END
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import takewhile

from p2pcards.cards.table import Seat
from p2pcards.games.president_house import House, Pair, pairs


class Phase(Enum):
    """Where a match stands."""

    CUT = "cut"  # the first dealer is drawn by lot
    DEAL = "deal"  # the cards are shuffled, and all are dealt
    GIVE = "give"  # the worse players give their best cards
    TAKE = "take"  # the better players mix them into their hands
    RETURN = "return"  # the better players return low cards
    TAKE_BACK = "take_back"  # the worse players mix those into their hands
    CLUB = "club"  # everybody says whether it holds the three of clubs
    PROVE = "prove"  # those who might have kept silent about it prove that they do not hold it
    PLAY = "play"  # tricks are played
    SHOW = "show"  # the last player's cards are laid open
    SCORE = "score"  # roles are given; every seat confirms the next deal
    END = "end"  # the match is over


@dataclass(frozen=True, slots=True)
class Result:
    """A deal that was played: one entry a seat in `places`."""

    dealer: Seat
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State:
    """A match so far; everything in it is public.

    `owing`: who still has to answer where several seats are asked at once. `shown`: who has shown a
    three of clubs in this deal; `bound`: whether the next lead must contain one. `turn` plays next.
    `count`: cards per play of this trick, 0 before its lead; `last` made the last play of it,
    `passed` are out of it. `out`: seats without cards, in the order in which they got rid of them.
    `stop`: whether somebody wants no further deal.
    """

    house: House
    seats: int
    phase: Phase = Phase.CUT
    dealer: Seat = 0
    owing: frozenset[Seat] = frozenset()
    shown: frozenset[Seat] = frozenset()
    bound: bool = False
    turn: Seat = 0
    count: int = 0
    last: Seat | None = None
    passed: frozenset[Seat] = frozenset()
    out: tuple[Seat, ...] = ()
    stop: bool = False
    results: tuple[Result, ...] = ()

    def clockwise(self, seat: Seat) -> tuple[Seat, ...]:
        """All seats from the left of one, which comes last."""
        return tuple((seat + i) % self.seats for i in range(1, self.seats + 1))

    def holding(self) -> frozenset[Seat]:
        """The seats that still have cards."""
        return frozenset(range(self.seats)) - set(self.out)

    def next_holding(self, seat: Seat) -> Seat:
        """The next seat clockwise that still has cards."""
        return next(other for other in self.clockwise(seat) if other not in self.out)

    def pairs(self) -> tuple[Pair, ...]:
        """Who exchanges in this deal; nobody in the first."""
        return pairs(self.house, self.results[-1].places) if self.results else ()

    def doubtful(self) -> tuple[Seat, ...]:
        """Who must prove that it does not hold the three of clubs: nobody if the only one has been
        shown, otherwise those who would lead before the first that has shown one."""
        if self.shown and self.house.decks == 1:
            return ()
        order = self.clockwise(self.dealer)
        return tuple(takewhile(lambda seat: seat not in self.shown, order))

    def ask(self, phase: Phase, seats: Iterable[Seat]) -> State:
        """These seats have to answer, all at once."""
        return replace(self, phase=phase, owing=frozenset(seats))


# --- who leads ------------------------------------------------------------------------------------


def find_leader(s: State) -> State:
    """The cards are dealt and exchanged: the three of clubs decides, or the last deal."""
    if not s.results or s.house.first_leader == "club3":
        return replace(s, shown=frozenset()).ask(Phase.CLUB, range(s.seats))
    place = s.seats if s.house.first_leader == "rovhul" else 1
    return _begin_play(s, s.results[-1].places.index(place), bound=False)


def _begin_play(s: State, leader: Seat, bound: bool) -> State:
    return clear(replace(s, phase=Phase.PLAY, bound=bound, out=()), leader)


def answered(s: State, seat: Seat, holds: bool) -> State:
    """A seat has shown a three of clubs, or said that it holds none."""
    shown = s.shown | {seat} if holds else s.shown
    after = replace(s, owing=s.owing - {seat}, shown=shown)
    if after.owing:
        return after
    if s.phase is Phase.CLUB and (doubtful := after.doubtful()):
        return after.ask(Phase.PROVE, doubtful)
    order = s.clockwise(s.dealer)
    leader = next((other for other in order if other in shown), order[0])
    return _begin_play(after, leader, bound=s.house.first_lead_c3)


def clear(s: State, leader: Seat) -> State:
    """The table is empty; this seat leads, or the next one if it has no cards."""
    turn = s.next_holding(leader) if leader in s.out else leader
    return replace(s, turn=turn, count=0, last=None, passed=frozenset())


# --- the end of a deal ----------------------------------------------------------------------------


def score(s: State) -> State:
    """Everybody has a place; the last deal ends the match."""
    places = tuple(1 + s.out.index(seat) for seat in range(s.seats))
    results = (*s.results, Result(s.dealer, places))
    if len(results) == s.house.deals:
        return replace(s, phase=Phase.END, results=results)
    return replace(s, results=results).ask(Phase.SCORE, range(s.seats))


def next_deal(s: State) -> State:
    """Everybody has confirmed: the dealer's left deals, unless somebody wants to stop."""
    if s.stop:
        return replace(s, phase=Phase.END)
    return replace(s, phase=Phase.DEAL, dealer=s.clockwise(s.dealer)[0])


def rows(s: State) -> Iterator[Mapping[str, object]]:
    """The score sheet; `totals` run on where places are summed."""
    roles = s.house.roles(s.seats)
    totals = (0,) * s.seats
    for number, result in enumerate(s.results, 1):
        row: dict[str, object] = {
            "hand": number,
            "dealer": result.dealer,
            "places": result.places,
            "roles": tuple(roles[place - 1] for place in result.places),
        }
        if s.house.match_score == "places":
            totals = tuple(map(sum, zip(totals, result.places, strict=True)))
            row["totals"] = totals
        yield row
