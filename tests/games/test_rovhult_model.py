"""Røvhult against a small second opinion that shares no line with the rules and plays with names.

Positions are drawn at random, not only reached by play: any hands, table cards, stock and pile, any
options. From each the match is played on for a while, and the two must agree on everything that is
offered and on where every card lies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pcards.cards.rules import settle
from p2pcards.cards.table import STOCK, Pile, hand, lay
from p2pcards.games.rovhult import (
    Arrange,
    Flip,
    Phase,
    Play,
    Rovhult,
    State,
    Take,
    down,
    up,
)
from p2pcards.games.rovhult_house import read_house
from p2pcards.games.shedding import PILE, REMOVED
from p2pcards.testing.referee import Referee
from tests.laws import laws
from tests.laws.worlds import move_on, random_options

RULES = Rovhult()
ORDER = "23456789TJQKA"
CARDS = [rank + suit for suit in "cdhs" for rank in ORDER]


def worth(card: str) -> int:
    return ORDER.index(card[0]) + 2


@dataclass
class Model:
    """The match as lists of names. `circle`: all seats in the direction of play."""

    options: dict[str, Any]
    circle: list[int]
    hands: list[list[str]]
    ups: list[list[str]]
    downs: list[list[str]]
    stock: list[str]
    pile: list[str]
    turn: int
    ranking: list[int]
    gone: list[str] = field(default_factory=list)
    quiet: int = 0
    broken_off: bool = False

    def cards(self, seat: int) -> int:
        return len(self.hands[seat]) + len(self.ups[seat]) + len(self.downs[seat])

    def alive_after(self, seat: int) -> list[int]:
        """The seats with cards in the order in which they have their turns after this one."""
        at = self.circle.index(seat)
        rest = self.circle[at + 1 :] + self.circle[:at]
        return [other for other in rest if self.cards(other)]

    def fits(self, card: str) -> bool:
        rank = worth(card)
        if not self.pile or rank in {2, self.options["nuke_rank"]}:
            return True
        top = worth(self.pile[-1])
        return rank <= top if top == self.options["reverse_rank"] else rank >= top

    def offers(self) -> set[tuple[str, ...]]:
        """`play` with names in order, `flip` with the number of the card, `take`."""
        seat = self.turn
        moves: set[tuple[str, ...]] = {("take",)} if self.pile else set()
        from_where = self.hands[seat] or self.ups[seat]
        if not from_where:
            return moves | {("flip", str(i)) for i in range(len(self.downs[seat]))}
        for rank in ORDER:
            same = sorted(card for card in from_where if card[0] == rank)
            if same and self.fits(same[0]):
                for count in range(1, len(same) + 1):
                    moves |= {("play", *cards) for cards in combinations(same, count)}
        return moves

    def make(self, move: tuple[str, ...]) -> None:
        seat = self.turn
        following = self.alive_after(seat)
        match move:
            case ("take",):
                self.hands[seat] += self.pile
                self.pile = []
                self.turn = following[0]
                self.rest()
            case ("flip", number):
                card = self.downs[seat].pop(int(number))
                if self.fits(card):
                    self.put([card])
                else:
                    self.hands[seat] += [*self.pile, card]
                    self.pile = []
                    self.turn = following[0]
                    self.rest()
            case ("play", *cards):
                source = self.hands[seat] or self.ups[seat]
                for card in cards:
                    source.remove(card)
                self.put(cards)
            case _:
                raise ValueError(f"no move: {move}")

    def put(self, cards: list[str]) -> None:
        seat, rank, before = self.turn, worth(cards[0]), len(self.stock)
        following = self.alive_after(seat)
        self.pile += cards
        nuke = rank == self.options["nuke_rank"]
        gone = nuke or (len(self.pile) >= 4 and len({card[0] for card in self.pile[-4:]}) == 1)
        wanted = 3 - len(self.hands[seat])
        if nuke:
            wanted = 0 if self.hands[seat] else self.options["nuke_empty_draw"]
        for _ in range(wanted):
            if self.stock:
                self.hands[seat].append(self.stock.pop(0))
        if gone:
            self.gone += self.pile
            self.pile = []
        out = self.cards(seat) == 0
        if out:
            self.ranking.append(seat)
        if gone and not out:
            self.turn = seat
        elif rank == self.options["skip_rank"] and not gone:
            order = following if out else [*following, seat]
            self.turn = order[1 % len(order)]
        else:
            self.turn = following[0]
        if gone or out or len(self.stock) < before:
            self.quiet = 0
        else:
            self.rest()

    def rest(self) -> None:
        self.quiet += 1
        self.broken_off = self.quiet == self.options["stall_limit"]

    def over(self) -> bool:
        return self.broken_off or sum(self.cards(seat) > 0 for seat in self.circle) == 1

    def places(self) -> list[int]:
        left = sorted(self.cards(seat) for seat in self.circle if self.cards(seat))
        return [
            self.ranking.index(seat) + 1
            if seat in self.ranking
            else len(self.ranking) + 1 + left.index(self.cards(seat))
            for seat in sorted(self.circle)
        ]


def any_position(rng: Random) -> Model:
    """Cards thrown anywhere; at least two seats hold some, one of them is to move."""
    seats = rng.choice(RULES.seats)
    options = settle(RULES.options, random_options(RULES, seats, rng))
    options["stall_limit"] = rng.choice([0, 1, 5, 20, 1000])
    decks = options["decks"] or (1 if seats <= 5 else 2)
    cards = CARDS * int(decks)
    rng.shuffle(cards)

    def some(most: int) -> list[str]:
        return [cards.pop() for _ in range(rng.randint(0, min(most, len(cards))))]

    while True:
        pool = list(cards)
        sizes = [5, 5, 3] if rng.random() < 0.7 else [1, 1, 1]
        rows = [[some(rng.choice([0, size])) for _ in range(seats)] for size in sizes]
        if rng.random() < 0.5:  # a pile that is about to go
            rank = rng.choice(ORDER)
            cards.sort(key=lambda card: card[0] == rank)
        pile, stock = some(4), some(rng.choice([0, 2, 20]))
        holding = [s for s in range(seats) if any(row[s] for row in rows)]
        if len(holding) > 1:
            break
        cards = pool
    circle = list(range(seats)) if options["direction"] == "cw" else list(range(seats))[::-1]
    out = [seat for seat in range(seats) if seat not in holding]
    rng.shuffle(out)
    turn = rng.choice(holding)
    hands, ups, downs = rows
    return Model(dict(options), circle, hands, ups, downs, stock, pile, turn, out, gone=cards)


def referee_at(model: Model) -> Referee:
    """The same position for the rules."""
    seats = len(model.circle)
    house = read_house(model.options, seats)
    piles = [f"{STOCK}: {' '.join(model.stock)}"]
    piles += [
        f"{pile}: " + " ".join(f"{card}!" for card in cards)
        for pile, cards in ((PILE, model.pile), (REMOVED, model.gone))
    ]
    for seat in range(seats):
        piles.append(f"{hand(seat)}: {' '.join(model.hands[seat])}")
        piles.append(f"{up(seat)}: " + " ".join(f"{card}!" for card in model.ups[seat]))
        piles.append(f"{down(seat)}: {' '.join(model.downs[seat])}")
    finished = tuple(model.ranking)
    state = State(house, seats, phase=Phase.TURNS, turn=model.turn, finished=finished)
    return Referee.at(RULES, seats, state, lay(house.pack, "; ".join(piles)))


def named(referee: Referee, move: object) -> tuple[str, ...]:
    """A move as the model writes it."""
    pack = referee.state.house.pack
    match move:
        case Play(cards):
            return ("play", *sorted(pack.name(referee.truth[card]) for card in cards))
        case Flip(card):
            return ("flip", str(referee.table[down(referee.state.turn)].index(card)))
        case Take():
            return ("take",)
        case _:
            raise TypeError(f"not a turn: {move}")


def check_equal(referee: Referee, model: Model) -> None:
    """Every card lies where the model has it; hands in any order."""
    pack = referee.state.house.pack

    def lying(pile: Pile) -> list[str]:
        return [pack.name(referee.truth[slot]) for slot in referee.table[pile]]

    assert lying(STOCK) == model.stock
    assert Counter(lying(REMOVED)) == Counter(model.gone)
    assert Counter(lying(PILE)) == Counter(model.pile)
    for seat in model.circle:
        assert Counter(lying(hand(seat))) == Counter(model.hands[seat])
        assert Counter(lying(up(seat))) == Counter(model.ups[seat])
        assert lying(down(seat)) == model.downs[seat]


def play_on(referee: Referee, model: Model, rng: Random, most: int) -> None:
    """Both play the same moves and agree after each."""
    for _ in range(most):
        check_equal(referee, model)
        if model.over():
            assert referee.outcome is not None
            assert list(referee.outcome.places) == model.places()
            assert referee.state.stalled == model.broken_off
            return
        assert referee.owing == {model.turn}
        offered = {named(referee, option.move): option for option in referee.options(model.turn)}
        assert offered.keys() == model.offers()
        chosen = rng.choice(sorted(offered))
        referee.choose(model.turn, offered[chosen].id)
        model.make(chosen)
    assert referee.outcome is None or model.over()


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=250)
def test_any_position(seed: int) -> None:
    rng = Random(seed)
    model = any_position(rng)
    play_on(referee_at(model), model, rng, 25)


@pytest.mark.parametrize(
    "law",
    [
        laws.no_card_is_lost_or_doubled,
        laws.what_is_not_offered_is_refused,
        laws.a_card_of_others_is_refused_unseen,
        laws.what_is_offered_is_accepted,
        laws.who_owes_can_move,
        laws.hidden_cards_change_nothing,
        laws.a_claim_is_the_same_for_all,
    ],
    ids=lambda law: law.__name__,
)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_the_laws_hold_at_any_position(law: Callable[[Referee, Random], None], seed: int) -> None:
    """Random play seldom comes to the cards that lie face down; these positions do."""
    rng = Random(seed)
    referee = referee_at(any_position(rng))
    referee.pack = referee.state.house.pack
    law(referee, rng)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=5)
def test_whole_matches(seed: int) -> None:
    rng = Random(seed)
    seats = rng.choice(RULES.seats)
    options = settle(RULES.options, random_options(RULES, seats, rng) | {"stall_limit": 100})
    referee = Referee.deal(RULES, seats, options, rng=rng)
    pack = referee.state.house.pack
    while referee.state.phase is Phase.ARRANGE:
        before = {s: {*referee.table[hand(s)], *referee.table[up(s)]} for s in referee.owing}
        seat, move = move_on(referee, rng)
        assert isinstance(move, Arrange)
        if seat not in referee.owing and referee.state.house.arrange_mode == "sequential":
            assert set(referee.table[up(seat)]) == set(move.face_up)
            assert set(referee.table[hand(seat)]) == before[seat] - set(move.face_up)

    def lying(pile: Pile) -> list[str]:
        return [pack.name(referee.truth[slot]) for slot in referee.table[pile]]

    assert referee.state.turn == referee.table.toss
    every = range(seats)
    model = Model(
        dict(options),
        list(every) if options["direction"] == "cw" else list(every)[::-1],
        [lying(hand(seat)) for seat in every],
        [lying(up(seat)) for seat in every],
        [lying(down(seat)) for seat in every],
        lying(STOCK),
        [],
        referee.state.turn,
        [],
    )
    play_on(referee, model, rng, 3_000)
    assert referee.outcome is not None
