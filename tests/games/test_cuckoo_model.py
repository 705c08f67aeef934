"""Gnav against a second set of rules, written from the rulebook with the cards face up.

The model knows all cards and no claims, piles or slots; both play the same deal from positions that
nobody needs to have reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from p2pcards.cards.faces import GNAV_NAMES
from p2pcards.games.cuckoo import Ask, Keep
from p2pcards.games.cuckoo_match import Phase, State
from p2pcards.testing.referee import Referee
from tests.games.gnav import answer, aside, hands, held, lives, position, stock

FOOL, HOUSE, HORSE, CAT, DRAGOON, CUCKOO = 0, 16, 17, 18, 19, 20


@dataclass
class Deal:
    """A deal with open cards: values 0 to 20 of the participants in turn order, and lives."""

    cards: list[int]
    stock: list[int]
    lives: list[int]
    jumped_act: bool
    undo: bool
    rest: bool
    watching: int = 0
    over: bool = False

    def __post_init__(self) -> None:
        self.dealt = list(self.cards)
        self.aside: list[int] = []
        self.drawn: list[int] = []
        self.resting: set[int] = set()
        self.ends_at_once = False

    def play(self, asks: list[bool]) -> None:
        """All turns, and the settlement."""
        turn = 0
        while turn < len(self.cards) and not self.over:
            following = turn + 1
            if self.lives[turn] and asks[turn]:
                following = self.ask(turn)
            turn = following
        if not self.ends_at_once:
            self.settle()

    def ask(self, asker: int) -> int:
        """Gives who may have the next turn."""
        count = len(self.cards)
        for asked in range(asker + 1, count):
            card = self.cards[asked]
            if self.lives[asked] == 0 or card in (HOUSE, HORSE):
                continue
            if card < HOUSE:
                self.cards[asker], self.cards[asked] = card, self.cards[asker]
                return asker + 1 if self.jumped_act else asked
            self.punish(asker, card)
            return asked + 1
        while self.stock:
            card = self.stock.pop(0)
            if card < HOUSE:
                self.aside.append(self.cards[asker])
                self.cards[asker] = card
                self.drawn.append(card)
                return asker + 1 if self.jumped_act else count
            self.aside.append(card)
            if card >= CAT:
                self.punish(asker, card)
                return count
        return asker + 1

    def punish(self, asker: int, card: int) -> None:
        """The effect of cat, dragoon and cuckoo."""
        if card == CUCKOO:
            self.over = True
            return
        self.lives[asker] -= 1
        if sum(n > 0 for n in self.lives) + self.watching == 1:
            self.over = self.ends_at_once = True
        if card == CAT and self.undo:
            given_back = sorted(self.aside + self.cards)
            for dealt in self.dealt:
                given_back.remove(dealt)
            self.aside, self.cards = given_back, list(self.dealt)

    def settle(self) -> None:
        """Who pays, who rests."""
        compared = [i for i, n in enumerate(self.lives) if n > 0]
        if len(compared) < 2:
            return
        fools = [i for i in compared if self.cards[i] == FOOL]
        others = [i for i in compared if self.cards[i] != FOOL]
        lowest = min((self.cards[i] for i in others), default=None)
        paying = list(fools)
        if len(fools) < 2:
            paying += [i for i in others if self.cards[i] == lowest]
        for i in paying:
            self.lives[i] -= 1
        self.resting = {i for i in fools if self.lives[i] and self.rest}


@given(
    seed=st.integers(0, 2**32 - 1),
    seats=st.integers(2, 20),
    watching=st.integers(0, 2),
    options=st.tuples(*[st.booleans()] * 3),
)
@settings(max_examples=400)
def test_any_deal_goes_as_in_the_model(
    seed: int, seats: int, watching: int, options: tuple[bool, bool, bool]
) -> None:
    rng = Random(seed)
    seats = min(seats, 20 - watching)
    pack = [value for value in range(21) for _ in range(2)]
    rng.shuffle(pack)
    if rng.random() < 0.5:
        pack.sort(key=lambda value: rng.random() - 0.8 * (value >= HOUSE))
        pack = pack[: seats + 6]
        rng.shuffle(pack)
    left = [rng.choice((1, 1, 2, 3)) for _ in range(seats)]
    asks = [rng.random() < 0.7 for _ in range(seats)]
    jumped, undo, rest = options

    deal = Deal(pack[:seats], pack[seats:], list(left), jumped, undo, rest, watching)
    cards, rest_of_pack = (
        " ".join(GNAV_NAMES[v] for v in part) for part in (deal.cards, deal.stock)
    )
    game = position(
        hands(cards, rest_of_pack),
        lives=left,
        seats=seats + watching,
        jumped_holder_acts=jumped,
        cat_effect="undo_all" if undo else "refuse",
        fool_rests=rest,
    )
    deal.play(asks)
    play(game, asks)

    assert held(game) == " ".join(GNAV_NAMES[v] for v in deal.cards)
    assert sorted(aside(game).split()) == sorted(GNAV_NAMES[v] for v in deal.aside)
    assert stock(game) == " ".join(GNAV_NAMES[v] for v in deal.stock)
    assert lives(game).split()[:seats] == [str(n) for n in deal.lives]
    assert game.state.resting == deal.resting
    check_end(game, deal)


def play(game: Referee, asks: list[bool]) -> None:
    """Everybody does as planned, until the deal is over."""
    while game.state.phase is Phase.TURN:
        seat = game.state.turn
        game.play(seat, Ask() if asks[seat] else Keep())
        answer(game)


def check_end(game: Referee, deal: Deal) -> None:
    """The match ends when it should; those compared last share the win if none is alive."""
    state: State = game.state
    alive = [seat for seat, n in enumerate(state.lives) if n]
    over = game.outcome
    assert (over is not None) == (len(alive) < 2)
    if over is None:
        return
    winners = {seat for seat, place in enumerate(over.places) if place == 1}
    if alive:
        assert winners == set(alive)
    else:
        assert winners == set(state.fallen[-1])
        assert len(winners) > 1
    assert sorted(seat for group in state.fallen for seat in group) == [
        seat for seat, n in enumerate(state.lives) if not n
    ]
    assert deal.ends_at_once == (state.results[-1].cards == (None,) * state.seats)
