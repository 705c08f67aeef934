"""Oh Hell in the middle of a hand: positions in one line, and what may be played from them."""

from __future__ import annotations

from typing import Any

from p2pcards.cards.faces import SUITS
from p2pcards.cards.rules import settle
from p2pcards.cards.table import hand, lay
from p2pcards.errors import IllegalMove
from p2pcards.games.oh_hell import OhHell, Phase, Play, State
from p2pcards.games.oh_hell_house import PACK, Hand, House
from p2pcards.testing.referee import Referee

RULES = OhHell()


def house(**options: Any) -> House:
    """The options of a table, defaults where nothing is said."""
    return House(**settle(RULES.options, options))  # type: ignore[arg-type] # checked by settle


def bidding(seats: int, cards: int, bids: tuple[int, ...] = (), **options: Any) -> Referee:
    """A hand in which the first seats have bid; the last seat deals."""
    said = (*bids, *(None for _ in range(seats - len(bids))))
    state = State(
        house=house(**options),
        plan=(Hand(cards, trump=False),) * 2,
        seats=seats,
        phase=Phase.BID,
        dealer=seats - 1,
        turn=len(bids) % seats,
        bids=said,
        tricks=(0,) * seats,
    )
    return Referee.at(RULES, seats, state, lay(PACK, ""))


def playing(
    text: str, *, seats: int = 3, turn: int = 0, trump: str | None = None, **options: Any
) -> Referee:
    """A hand in play. Its length is such that the hand ends with the last card of `turn`."""
    table, truth = lay(PACK, text)
    cards = len(table[hand(turn)])
    state = State(
        house=house(**options),
        plan=(Hand(cards, trump=trump is not None),) * 2,
        seats=seats,
        phase=Phase.PLAY,
        turn=turn,
        trump=None if trump is None else SUITS.index(trump) + 1,
        bids=(0,) * seats,
        tricks=(0,) * seats,
    )
    return Referee.at(RULES, seats, state, (table, truth))


def slot(referee: Referee, name: str) -> int:
    """The slot of a card."""
    return next(s for s, face in referee.truth.items() if PACK.name(face) == name)


def play(referee: Referee, seat: int, name: str) -> None:
    """A seat plays a card by name."""
    referee.play(seat, Play(slot(referee, name)))


def playable(referee: Referee, seat: int = 0) -> str:
    """The cards that a seat is offered, by name, in the order of its hand."""
    moves = (option.move for option in referee.options(seat))
    return " ".join(PACK.name(referee.truth[move.card]) for move in moves)


def refusal(referee: Referee, seat: int, move: object) -> str | None:
    """The code under which a move is refused; None if it is accepted."""
    try:
        referee.play(seat, move)
    except IllegalMove as error:
        return error.code
    return None
