"""Røvhul in the middle of a deal: positions in one line, and what may be done from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from p2pcards.cards.rules import settle
from p2pcards.cards.table import hand, lay
from p2pcards.errors import IllegalMove
from p2pcards.games.president import Best, Play, President, Return
from p2pcards.games.president_house import House, read_house
from p2pcards.games.president_match import Phase, Result, State
from p2pcards.testing.referee import Referee

RULES = President()
A, B, C, D, E = range(5)
"""Players in turn order, as the rules name them."""


def house(seats: int = 4, **options: Any) -> House:
    """The options of a table, defaults where nothing is said."""
    return read_house(settle(RULES.options, options), seats)


def position(text: str, state: State) -> Referee:
    """A match from the middle; each seat knows its hand."""
    referee = Referee.at(RULES, state.seats, state, lay(state.house.pack, text))
    referee.pack = state.house.pack
    return referee


def playing(
    *hands: str,
    trick: str = "",
    turn: int = A,
    last: int | None = None,
    count: int | None = None,
    passed: Iterable[int] = (),
    out: Sequence[int] = (),
    bound: bool = False,
    **options: Any,
) -> Referee:
    """A trick: hands in seat order, the cards on the table, who played last. The last play has one
    card unless `count` says otherwise."""
    state = State(
        house(len(hands), **options),
        len(hands),
        phase=Phase.PLAY,
        dealer=len(hands) - 1,
        bound=bound,
        turn=turn,
        count=(1 if trick else 0) if count is None else count,
        last=last,
        passed=frozenset(passed),
        out=tuple(out),
    )
    piles = [f"hand {seat}: {cards}" for seat, cards in enumerate(hands) if cards]
    piles.append("trick: " + " ".join(f"{card}!" for card in trick.split()))
    return position("; ".join(piles), state)


def exchanging(phase: Phase, *hands: str, places: Sequence[int], **options: Any) -> Referee:
    """The exchange after a deal with these places, one entry a seat: all who give are asked."""
    seats = len(hands)
    state = State(
        house(seats, **options), seats, dealer=1 % seats, results=(Result(0, tuple(places)),)
    )
    givers = {p.worse if phase is Phase.GIVE else p.better for p in state.pairs()}
    piles = (f"hand {seat}: {cards}" for seat, cards in enumerate(hands))
    return position("; ".join(piles), state.ask(phase, givers))


def asking(phase: Phase, *hands: str, asked: Iterable[int] | None = None, **kept: Any) -> Referee:
    """Everybody, or those asked, says whether it holds the three of clubs; seat 0 is eldest."""
    seats = len(hands)
    fields = {name: kept.pop(name) for name in ("shown",) if name in kept}
    state = State(house(seats, **kept), seats, dealer=seats - 1, **fields)
    piles = (f"hand {seat}: {cards}" for seat, cards in enumerate(hands))
    return position("; ".join(piles), state.ask(phase, range(seats) if asked is None else asked))


def phase(referee: Referee) -> Phase:
    """Where the match stands."""
    state: State = referee.state
    return state.phase


# --- cards by name --------------------------------------------------------------------------------


def slots(referee: Referee, seat: int, names: str) -> tuple[int, ...]:
    """Cards of a hand by name, in this order; of equal ones the first that is left."""
    left, found = list(referee.table[hand(seat)]), []
    for name in names.split():
        face = referee.state.house.pack.face(name)
        found.append(next(slot for slot in left if referee.truth[slot] == face))
        left.remove(found[-1])
    return tuple(found)


def names(referee: Referee, cards: Iterable[int]) -> str:
    """Cards by name."""
    return " ".join(referee.state.house.pack.name(referee.truth[slot]) for slot in cards)


def held(referee: Referee, seat: int) -> str:
    """A hand by name."""
    return names(referee, referee.table[hand(seat)])


def set_of(referee: Referee, seat: int, cards: str) -> Play:
    """The play of these cards."""
    return Play(tuple(sorted(slots(referee, seat, cards))))


def play(referee: Referee, seat: int, cards: str) -> None:
    """A seat plays cards by name."""
    referee.play(seat, set_of(referee, seat, cards))


def playable(referee: Referee, seat: int) -> set[str]:
    """The plays that a seat is offered, by name."""
    moves = (option.move for option in referee.options(seat))
    return {names(referee, move.cards) for move in moves if isinstance(move, Play)}


def gifts(referee: Referee, seat: int) -> set[frozenset[str]]:
    """The gifts that a seat is offered, as sets of names; every card of these tests is single."""
    moves = (option.move for option in referee.options(seat))
    given = (move.cards for move in moves if isinstance(move, Best | Return))
    return {frozenset(names(referee, cards).split()) for cards in given}


def refusal(referee: Referee, seat: int, move: object) -> str | None:
    """The code under which a move is refused; None if it is accepted."""
    try:
        referee.play(seat, move)
    except IllegalMove as error:
        return error.code
    return None
