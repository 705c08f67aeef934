"""Rules of thumb for Røvhult: the lowest cards first, the strong ones kept for need.

Reads what the seat sees and nothing else.
"""

from __future__ import annotations

from p2pcards.cards.table import STOCK
from p2pcards.engine.view import Choice, SeatView
from p2pcards.games.rovhult import Arrange, Flip, Phase, Play, State, Take
from p2pcards.games.rovhult_house import FOUR, LOWEST, House
from p2pcards.games.shedding import PILE

ACE = 14


def choose(view: SeatView) -> Choice:
    """Strong cards face up; then the weakest that can be played, many at once; taking at the
    last."""
    state: State = view.state
    if state.phase is Phase.ARRANGE:
        return max(view.options, key=lambda choice: _strength_up(view, choice))
    return min(view.options, key=lambda choice: _cost(view, choice))


def _strength(house: House, rank: int) -> int:
    """How much a card is worth keeping: its rank, above it the ones that can always be played."""
    if rank == house.nuke_rank:
        return ACE + 2
    return ACE + 1 if rank == LOWEST else rank


def _rank(view: SeatView, card: int) -> int:
    return view.table.face(card).rank


def _strength_up(view: SeatView, choice: Choice) -> int:
    move: Arrange = choice.move
    state: State = view.state
    return sum(_strength(state.house, _rank(view, card)) for card in move.face_up)


def _cost(view: SeatView, choice: Choice) -> float:
    state: State = view.state
    match choice.move:
        case Play(cards):
            rank = _rank(view, cards[0])
            strength = _strength(state.house, rank)
            if rank != state.house.nuke_rank and _run(view, rank) + len(cards) >= FOUR:
                return -1.0  # the pile is out of the game, and it is our turn again
            if strength > ACE and view.table[STOCK]:
                return strength + len(cards)  # one of the strong ones will do
            return strength - len(cards) / 10
        case Flip():
            return 50.0  # a chance, where taking the pile has none
        case Take():
            return 100.0
        case _:
            raise TypeError(f"not what a turn offers: {choice.move}")


def _run(view: SeatView, rank: int) -> int:
    """How many cards of a rank lie on top of the pile."""
    run = 0
    for card in reversed(view.table[PILE]):
        if _rank(view, card) != rank:
            break
        run += 1
    return run
