"""Gnav in the middle of a deal: positions in one line, and what happens from them.

Players are called A, B, C ... and sit in this order; the last one deals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

from p2pcards.cards.rules import settle
from p2pcards.cards.table import ASIDE, STOCK, Pile, Table, hand, lay
from p2pcards.errors import IllegalMove
from p2pcards.games.cuckoo import Ask, Cuckoo, Keep, Ready
from p2pcards.games.cuckoo_house import PACK, House
from p2pcards.games.cuckoo_match import Phase, State
from p2pcards.testing.referee import Referee

RULES = Cuckoo()
NAMES = "ABCDEFGHIJKLMNOPQRST"


def house(**options: Any) -> House:
    """The options of a table, defaults where nothing is said."""
    return House(**settle(RULES.options, options))  # type: ignore[arg-type] # checked by settle


def state_of(text: str, *, lives: Iterable[int] = (), seats: int = 0, **options: Any) -> State:
    """The state in which A has the first turn. `seats` beyond those that hold a card are not in
    the deal."""
    chosen = house(**options)
    dealt = [pile.seat for pile in lay(PACK, text)[0].piles if pile.name == "hand"]
    order = tuple(seat for seat in dealt if seat is not None)
    count = max(seats, len(order))
    given = tuple(lives)
    left = given + (chosen.lives,) * (count - len(given))
    return State(
        chosen,
        count,
        left,
        phase=Phase.TURN,
        dealer=order[-1],
        order=order,
        began=left,
        answered=frozenset(order),
        turn=order[0],
    )


def position(text: str, **settings: Any) -> Referee:
    """A's turn, with these cards: `"hand 0: II; hand 1: FOOL!; stock: X CAT"`."""
    state = state_of(text, **settings)
    return Referee.at(RULES, state.seats, state, lay(PACK, text), rng=Random(1))


def hands(cards: str, stock: str = "") -> str:
    """The line of a position: the cards of A, B, C ... in turn, and the stock from its top."""
    piles = [f"hand {seat}: {card}" for seat, card in enumerate(cards.split())]
    return "; ".join([*piles, f"stock: {stock}"] if stock else piles)


def answer(referee: Referee) -> None:
    """Whoever has no choice does what it must, until somebody has one."""
    while referee.owing and getattr(referee.awaits, "forced", False):
        seat = min(referee.owing)
        (only,) = referee.options(seat)
        referee.play(seat, only.move)


def act(referee: Referee, text: str) -> None:
    """Turns in words: `"A asks, C keeps"`; the answers follow by themselves."""
    answer(referee)
    for turn in filter(None, text.split(", ")):
        name, verb = turn.split()
        assert referee.state.phase is Phase.TURN, f"nobody has a turn when {turn}"
        assert NAMES[referee.state.turn] == name, f"{turn}: it is another's turn"
        referee.play(referee.state.turn, {"asks": Ask(), "keeps": Keep()}[verb])
        answer(referee)


def names(referee: Referee, pile: Pile) -> str:
    """The cards of a pile by name, as they truly are."""
    return " ".join(PACK.name(referee.truth[slot]) for slot in referee.table[pile])


def held(referee: Referee) -> str:
    """The cards of all participants in turn."""
    return " ".join(names(referee, hand(seat)) for seat in referee.state.order)


def stock(referee: Referee) -> str:
    """The stock from its top."""
    return names(referee, STOCK)


def aside(referee: Referee) -> str:
    """The cards laid aside, the first one first."""
    return names(referee, ASIDE)


def lives(referee: Referee) -> str:
    """Everybody's lives, e.g. `"3 2 3"`."""
    return " ".join(map(str, referee.state.lives))


def resting(referee: Referee) -> str:
    """Who rests in the next deal."""
    return "".join(NAMES[seat] for seat in sorted(referee.state.resting))


def turn(referee: Referee) -> str:
    """Who keeps or asks now; the phase where nobody does."""
    state: State = referee.state
    return NAMES[state.turn] if state.phase is Phase.TURN else state.phase.value


def slot(table: Table, seat: int) -> int:
    """The card that a seat holds."""
    (only,) = table[hand(seat)]
    return only


def refusal(referee: Referee, seat: int, move: object) -> str | None:
    """The code under which a move is refused; None if it is accepted."""
    try:
        referee.play(seat, move)
    except IllegalMove as error:
        return error.code
    return None


def knocking(text: str, **settings: Any) -> Referee:
    """The cards are dealt; fools are to be announced."""
    state = replace(state_of(text, **settings), phase=Phase.KNOCK, answered=frozenset())
    return Referee.at(RULES, state.seats, state, lay(PACK, text))


def confirm(referee: Referee) -> None:
    """All who live want the next deal."""
    for seat in sorted(referee.owing):
        referee.play(seat, Ready())


def scored(*, seats: int, dealer: int, left: str, rests: str = "", **options: Any) -> Referee:
    """A deal is settled; the living are to confirm the next one."""
    state = State(
        house(**options),
        seats,
        tuple(map(int, left.split())),
        phase=Phase.SCORE,
        dealer=dealer,
        resting=frozenset("ABCDE".index(name) for name in rests),
    )
    return Referee.at(RULES, seats, state, lay(PACK, ""), rng=Random(2))
