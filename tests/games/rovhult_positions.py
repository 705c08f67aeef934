"""Røvhult in the middle of a match: positions in one line, and what may be played from them.

A, B, C, ... are the seats 0, 1, 2, ... in the order of play. A position is written as in the
examples: `A: hand / face up / face down; B: ...; stock: ...; pile: ...`, the stock's top first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from p2pcards.cards.rules import settle
from p2pcards.cards.table import Pile, hand, lay
from p2pcards.errors import IllegalMove
from p2pcards.games.rovhult import Flip, Phase, Play, Rovhult, State, Take, down, up
from p2pcards.games.rovhult_house import House, read_house
from p2pcards.testing.referee import Referee

RULES = Rovhult()
LETTERS = "ABCDEFGHIJ"


def house(seats: int, **options: Any) -> House:
    """The options of a table, clockwise unless something else is said."""
    return read_house(settle(RULES.options, {"direction": "cw"} | options), seats)


def position(
    text: str, *, phase: Phase = Phase.TURNS, turn: str = "A", idle: int = 0, **options: Any
) -> Referee:
    """A match from the middle. Seats that have no cards have finished."""
    piles, seats = [], 0
    for part in text.split(";"):
        name, _, cards = part.strip().partition(":")
        if name in LETTERS:
            seats = LETTERS.index(name) + 1
            groups = [*cards.replace("-", "").split("/"), "", ""]
            piles.append(f"hand {seats - 1}: {groups[0]}")
            piles.append(f"up {seats - 1}: " + " ".join(f"{c}!" for c in groups[1].split()))
            piles.append(f"down {seats - 1}: {groups[2]}")
        else:
            mark = "" if name == "stock" else "!"
            piles.append(f"{name}: " + " ".join(card + mark for card in cards.split()))
    table, truth = lay(house(seats, **options).pack, "; ".join(piles))
    holding = [any(table[pile(seat)] for pile in (hand, up, down)) for seat in range(seats)]
    state = State(
        house(seats, **options),
        seats,
        phase=phase,
        turn=LETTERS.index(turn),
        finished=tuple(seat for seat in range(seats) if not holding[seat]),
        idle=idle,
    )
    return Referee.at(RULES, seats, state, (table, truth))


def slots(referee: Referee, names: str, within: Iterable[int] | None = None) -> tuple[int, ...]:
    """Slots of cards by name, in ascending order."""
    lying = referee.table.slots() if within is None else tuple(within)
    found: list[int] = []
    for name in names.split():
        face = referee.state.house.pack.face(name)
        found.append(next(s for s in lying if referee.truth[s] == face and s not in found))
    return tuple(sorted(found))


def play(referee: Referee, names: str) -> None:
    """The seat whose turn it is plays these cards."""
    (seat,) = referee.owing
    referee.play(seat, Play(slots(referee, names)))


def flip(referee: Referee, name: str) -> None:
    """The seat whose turn it is turns over the face-down card that is this one."""
    (seat,) = referee.owing
    (card,) = slots(referee, name, referee.table[down(seat)])
    referee.play(seat, Flip(card))


def take(referee: Referee) -> None:
    """The seat whose turn it is takes the pile."""
    (seat,) = referee.owing
    referee.play(seat, Take())


def refused(referee: Referee, move: object, seat: int | None = None) -> str | None:
    """The code under which a move is refused; None if it is accepted. Nothing has changed."""
    before = (referee.state, referee.table)
    try:
        referee.play(min(referee.owing) if seat is None else seat, move)
    except IllegalMove as error:
        assert (referee.state, referee.table) == before
        return error.code
    return None


def refused_cards(referee: Referee, names: str) -> str | None:
    """The same for playing cards."""
    return refused(referee, Play(slots(referee, names)))


def legal(referee: Referee) -> str:
    """What the seat whose turn it is may do: single cards by name, `flip`, `take`."""
    (seat,) = referee.owing
    words = []
    for option in referee.options(seat):
        match option.move:
            case Play((card,)):
                words.append(referee.state.house.pack.name(referee.truth[card]))
            case Flip() if "flip" not in words:
                words.append("flip")
            case Take():
                words.append("take")
            case _:
                pass
    return " ".join(words)


def names(referee: Referee, pile: Pile) -> str:
    """The cards of a pile."""
    pack = referee.state.house.pack
    return " ".join(pack.name(referee.truth[slot]) for slot in referee.table[pile])


def to_move(referee: Referee) -> str:
    """Whose turn it is."""
    (seat,) = referee.owing
    return LETTERS[seat]
