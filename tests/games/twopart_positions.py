"""Twopart in the middle of a match: positions in one line, and what is done from them.

A, B, C, ... are the seats 0, 1, 2, ... in the order of play. In part one a position is written as
`A: hand / won; B: ...; stock: ...; pile: ...`, the stock's top first; in part two everything lies
open but cards marked `?`, and the plays of the pile are separated by `|`.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from p2pcards.cards.faces import SUITS
from p2pcards.cards.rules import settle
from p2pcards.cards.table import Pile, hand, lay
from p2pcards.errors import IllegalMove
from p2pcards.games.shedding import PILE
from p2pcards.games.twopart import Lay, Phase, PickUp, Play, State, Twopart
from p2pcards.games.twopart_house import PACK, House, read_house
from p2pcards.testing.referee import Referee

RULES = Twopart()
LETTERS = "ABCDEF"


def house(**options: Any) -> House:
    """The options of a table, clockwise unless something else is said."""
    return read_house(settle(RULES.options, {"direction": "cw"} | options))


def seats_of(letters: str) -> tuple[int, ...]:
    """The seats of these letters."""
    return tuple(LETTERS.index(letter) for letter in letters)


def _piles(text: str, *, open_hands: bool) -> tuple[int, str]:
    seats, piles = 0, []
    for part in text.split(";"):
        name, _, cards = part.strip().partition(":")
        if name in LETTERS:
            seat = seats_of(name)[0]
            seats = max(seats, seat + 1)
            held, _, won = cards.replace("-", "").partition("/")
            piles += [(f"hand {seat}", held, open_hands), (f"won {seat}", won, True)]
        else:
            piles.append((name, cards.replace("|", ""), name != "stock"))
    lines = (
        f"{name}: " + " ".join(_mark(card, up) for card in cards.split())
        for name, cards, up in piles
    )
    return seats, "; ".join(lines)


def _mark(card: str, up: bool) -> str:
    return card.removesuffix("?") if card.endswith(("?", "!")) or not up else f"{card}!"


def part_one(
    text: str, *, contest: str = "", laid: int = 0, last: str = "", **options: Any
) -> Referee:
    """Part one, with a round begun by the first of `contest` (else by A and all others). `last`
    is the card that was the stock's last."""
    seats, piles = _piles(text, open_hands=False)
    table, truth = lay(PACK, piles)
    order = seats_of(contest or LETTERS[:seats])
    state = State(
        house(**options),
        seats,
        phase=Phase.PART_ONE,
        turn=order[laid],
        contest=order,
        laid=laid,
        last=next((s for s, face in truth.items() if PACK.name(face) == last), None),
    )
    referee = Referee.at(RULES, seats, state, (table, truth))
    referee.pack = PACK
    return referee


def between(text: str, winner: str, *, last: str, seed: int = 0, **options: Any) -> Referee:
    """Part one is over; the cards go on by themselves to part two."""
    seats, piles = _piles(text, open_hands=False)
    table, truth = lay(PACK, piles)
    card = next(slot for slot, face in truth.items() if PACK.name(face) == last)
    state = State(house(**options), seats, phase=Phase.GATHER, turn=seats_of(winner)[0], last=card)
    return Referee.at(RULES, seats, state, (table, truth), rng=Random(seed))


def part_two(
    text: str, *, trump: str = "c", turn: str = "A", due: int = 0, idle: int = 0, **options: Any
) -> Referee:
    """Part two. Seats without cards have finished; unless `due` says otherwise, so many plays are
    wanted as make one for each seat with cards."""
    seats, piles = _piles(text, open_hands=True)
    table, truth = lay(PACK, piles)
    _, _, pile = text.partition("pile:")
    plays = tuple(len(play.split()) for play in pile.partition(";")[0].split("|") if play.strip())
    out = tuple(seat for seat in range(seats) if not table[hand(seat)])
    state = State(
        house(**options),
        seats,
        phase=Phase.PART_TWO,
        turn=seats_of(turn)[0],
        trump=SUITS.index(trump) + 1,
        plays=plays,
        due=due or seats - len(out) - len(plays),
        finished=out,
        idle=idle,
    )
    referee = Referee.at(RULES, seats, state, (table, truth))
    referee.pack = PACK
    return referee


def slots(referee: Referee, names: str) -> tuple[int, ...]:
    """The slots of cards, in the order of the names."""
    by_name = {PACK.name(face): slot for slot, face in referee.truth.items()}
    return tuple(by_name[name] for name in names.split())


def names(referee: Referee, pile: Pile) -> str:
    """The cards of a pile."""
    return " ".join(PACK.name(referee.truth[slot]) for slot in referee.table[pile])


def held(referee: Referee, letter: str) -> str:
    """The hand of a seat."""
    return names(referee, hand(seats_of(letter)[0]))


def on_pile(referee: Referee) -> str:
    """The cards of the pile."""
    return names(referee, PILE)


def to_move(referee: Referee) -> str:
    """Whose turn it is."""
    (seat,) = referee.owing
    return LETTERS[seat]


def lay_down(referee: Referee, cards: str) -> None:
    """The seats whose turn it is lay these cards, one each."""
    for name in cards.split():
        (seat,) = referee.owing
        referee.play(seat, Lay(*slots(referee, name)))


def play(referee: Referee, run: str) -> None:
    """The seat whose turn it is plays this run."""
    (seat,) = referee.owing
    referee.play(seat, Play(slots(referee, run)))


def pick_up(referee: Referee) -> None:
    """The seat whose turn it is takes the last play."""
    (seat,) = referee.owing
    referee.play(seat, PickUp())


def legal(referee: Referee) -> list[str]:
    """What the seat whose turn it is may do: runs and single cards by name, `-` for picking up."""
    (seat,) = referee.owing
    words = []
    for option in referee.options(seat):
        match option.move:
            case Lay(card):
                cards: tuple[int, ...] = (card,)
            case Play(run):
                cards = run
            case _:
                cards = ()
        words.append(" ".join(PACK.name(referee.truth[card]) for card in cards) or "-")
    return words


def refused(referee: Referee, move: object, seat: int | None = None) -> str | None:
    """The code under which a move is refused; None if it is accepted. Nothing has changed."""
    before = (referee.state, referee.table)
    try:
        referee.play(min(referee.owing) if seat is None else seat, move)
    except IllegalMove as error:
        assert (referee.state, referee.table) == before
        return error.code
    return None


def refused_run(referee: Referee, run: str) -> str | None:
    """The same for a run of the seat whose turn it is."""
    return refused(referee, Play(slots(referee, run)))


def with_state(referee: Referee, **changes: Any) -> Referee:
    """The position with something else in the rules' state."""
    referee.state = replace(referee.state, **changes)
    referee.awaits = RULES.awaits(referee.state, referee.table)
    return referee
