"""Twopart against a small second opinion that shares no line with the rules and plays with names.

Positions are drawn at random, not only reached by play: any hands, stock and pile, a round or a
turn half played, any options. From each the match is played on for a while, and the two must agree
on everything that is offered, on where every card lies, and on what lies face up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from p2pcards.cards.rules import settle
from p2pcards.cards.table import STOCK, Pile, hand, won
from p2pcards.games.shedding import PILE
from p2pcards.games.twopart import Lay, Phase, Play
from p2pcards.games.twopart_house import PACK
from p2pcards.testing.referee import Referee
from tests.games.twopart_positions import LETTERS, RULES, part_one, part_two
from tests.laws.worlds import random_options

ORDER = "23456789TJQKA"
CARDS = [rank + suit for suit in "cdhs" for rank in ORDER]


def worth(card: str) -> int:
    return ORDER.index(card[0]) + 2


def flat(groups: Iterable[list[str]]) -> list[str]:
    return [card for group in groups for card in group]


@dataclass
class Model:
    """The match as lists of names. `circle`: all seats in the direction of play.

    Part one: `queue` still has to lay a card in this round, `laid` has. Part two: `target` plays on
    the table complete the turn.
    """

    options: dict[str, Any]
    circle: list[int]
    hands: list[list[str]]
    stock: list[str] = field(default_factory=list)
    stacks: list[list[str]] = field(default_factory=list)
    heap: list[str] = field(default_factory=list)
    queue: list[int] = field(default_factory=list)
    laid: list[tuple[int, str]] = field(default_factory=list)
    last: str = ""
    shown: bool = False
    winner: int | None = None

    trump: str = ""
    turn: int = 0
    plays: list[list[str]] = field(default_factory=list)
    target: int = 0
    places: dict[int, int] = field(default_factory=dict)
    quiet: int = 0
    broken_off: bool = False

    def from_seat(self, seat: int) -> list[int]:
        at = self.circle.index(seat)
        return self.circle[at:] + self.circle[:at]

    def holders_after(self, seat: int) -> list[int]:
        return [other for other in (*self.from_seat(seat)[1:], seat) if self.hands[other]]

    # --- part one

    def put(self, card: str) -> None:
        seat = self.queue.pop(0)
        self.hands[seat].remove(card)
        self.heap.append(card)
        self.laid.append((seat, card))
        if self.stock:
            self.hands[seat].append(self.stock.pop(0))
            if not self.stock:
                self.last = self.hands[seat][-1]
        self.shown |= card == self.last
        if self.options["trump_reveal"] == "immediate":
            self.shown |= bool(self.last)
        if not self.queue:
            self.decide()

    def decide(self) -> None:
        ranks = Counter(worth(card) for _, card in self.laid)
        several = [rank for rank in ranks if ranks[rank] > 1]
        winner = max(self.laid, key=lambda entry: worth(entry[1]))[0]
        going: list[int] = []
        if several:
            on = several if self.options["tie_rule"] == "all_equal" else [max(several)]
            going = [seat for seat, card in self.laid if worth(card) in on and self.hands[seat]]
            winner = next(seat for seat, card in self.laid if worth(card) == max(several))
            winner = going[0] if len(going) == 1 else winner
        self.laid = []
        if len(going) > 1:
            self.queue = going
            self.shown |= bool(self.last) and self.options["trump_reveal"] == "subround"
            return
        self.shown |= bool(self.last)
        self.stacks[winner] += self.heap
        self.heap = []
        self.queue = [seat for seat in self.from_seat(winner) if self.hands[seat]]
        if not self.queue:
            self.winner = winner

    def share(self, referee: Referee) -> None:
        """Part one is over. Who gets which low card is chance: checked, and taken over."""
        assert self.winner is not None
        poor = [seat for seat in self.from_seat(self.winner) if not self.stacks[seat]]
        hands = [lying(referee, hand(seat)) for seat in range(len(self.hands))]
        if poor:
            low = {c for c in CARDS if worth(c) <= self.options["low_limit"]}
            low &= {card for stack in self.stacks for card in stack}
            for stack in self.stacks:
                stack[:] = [card for card in stack if card not in low]
            shared = flat(hands[seat] for seat in poor)
            assert Counter(shared) == Counter(low)
            for i, seat in enumerate(poor):
                assert len(hands[seat]) == len(range(i, len(low), len(poor)))
                self.stacks[seat] = hands[seat]
        self.hands, self.stacks = self.stacks, [[] for _ in self.hands]
        self.trump = self.last[1]
        early = [seat for seat in self.circle if not self.hands[seat]]
        self.places = dict.fromkeys(early, 1)
        first = self.winner
        self.turn = first if self.hands[first] else self.holders_after(first)[0]
        self.target = len(self.holders_after(first))

    # --- part two

    def offers(self) -> set[tuple[str, ...]]:
        if not self.trump:
            return {(card,) for card in self.hands[self.queue[0]]}
        mine = set(self.hands[self.turn])
        top = self.plays[-1][-1] if self.plays else None
        moves: set[tuple[str, ...]] = {()} if self.plays else set()
        for suit in "cdhs":
            for start in range(13):
                for end in range(start + 1, 14 if self.options["runs"] else start + 2):
                    run = tuple(rank + suit for rank in ORDER[start:end])
                    if mine.issuperset(run) and self.beats(run, top):
                        moves.add(run)
        return moves

    def beats(self, run: tuple[str, ...], top: str | None) -> bool:
        if top is None:
            return True
        if all(card[1] == top[1] and worth(card) > worth(top) for card in run):
            return True
        return run[0][1] == self.trump and top[1] != self.trump

    def make(self, move: tuple[str, ...]) -> None:
        if not self.trump:
            self.put(*move)
        else:
            self.make_two(move)

    def make_two(self, move: tuple[str, ...]) -> None:
        seat = self.turn
        self.quiet += 1
        if not move:
            self.hands[seat] += self.plays.pop()
            if self.options["turn_target"] == "capped":
                holders = len(self.holders_after(seat))
                self.target = min(self.target, len(self.plays) + holders)
            self.turn = self.holders_after(seat)[0]
        else:
            self.hands[seat] = [card for card in self.hands[seat] if card not in move]
            self.plays.append(list(move))
            left = self.holders_after(seat)
            if not self.hands[seat]:
                self.places[seat] = len(self.places) + 1
                self.quiet = 0
            self.turn = left[0]
            if len(self.plays) == self.target and len(left) > 1:
                self.turn = seat if self.hands[seat] else left[0]
                self.plays, self.target, self.quiet = [], len(left), 0
        self.broken_off = not self.over() and self.quiet == (self.options["stall_limit"] or -1)

    def over(self) -> bool:
        return bool(self.trump) and sum(map(bool, self.hands)) == 1

    def final(self) -> list[int]:
        left = sorted(len(cards) for cards in self.hands if cards)
        done = len(self.places)
        return [
            self.places[seat] if seat in self.places else done + 1 + left.index(len(cards))
            for seat, cards in enumerate(self.hands)
        ]


def lying(referee: Referee, pile: Pile) -> list[str]:
    return [PACK.name(referee.truth[slot]) for slot in referee.table[pile]]


def circle_of(seats: int, options: dict[str, Any]) -> list[int]:
    return list(range(seats)) if options["direction"] == "cw" else list(range(seats))[::-1]


def some_options(rng: Random) -> tuple[int, dict[str, Any]]:
    seats = rng.choice(RULES.seats)
    options = settle(RULES.options, random_options(RULES, seats, rng))
    options["stall_limit"] = rng.choice([0, 1, 5, 20, 1000])
    return seats, dict(options)


def in_part_one(rng: Random) -> tuple[Referee, Model]:
    """A round half played; few ranks, so that many are equal."""
    seats, options = some_options(rng)
    few = rng.sample(ORDER, rng.choice([3, 6, 13]))
    cards = [card for card in CARDS if card[0] in few]
    rng.shuffle(cards)

    def some(most: int) -> list[str]:
        return [cards.pop() for _ in range(rng.randint(0, min(most, len(cards))))]

    model = Model(options, circle_of(seats, options), [some(3) for _ in range(seats)])
    starter = rng.randrange(seats)
    order = [seat for seat in model.from_seat(starter) if model.hands[seat]]
    if rng.random() < 0.3:  # a later round of a contest
        order = sorted(rng.sample(order, rng.randint(0, len(order))), key=order.index)
        model.heap = some(4)
    if not order:
        return in_part_one(rng)
    model.stock = some(rng.choice([0, 1, 2, 8]))
    model.laid = [(s, model.hands[s].pop()) for s in order[: rng.randrange(len(order))]]
    model.queue = order[len(model.laid) :]
    model.heap += [card for _, card in model.laid]
    model.stacks = [some(rng.choice([0, 0, 4])) for _ in range(seats)]
    if not model.stock:
        model.last = rng.choice(flat((*model.hands, *model.stacks, model.heap)))
        model.shown = model.last not in flat(model.hands) or rng.random() < 0.5
    up = {model.last} if model.shown else set()
    piles = [
        f"{LETTERS[seat]}: "
        + " ".join(f"{card}!" if card in up else card for card in model.hands[seat])
        + f" / {' '.join(model.stacks[seat])}"
        for seat in range(seats)
    ]
    piles += [f"stock: {' '.join(model.stock)}", f"pile: {' '.join(model.heap)}"]
    contest = "".join(LETTERS[seat] for seat in order)
    text = "; ".join(piles)
    laid = len(model.laid)
    return part_one(text, contest=contest, laid=laid, last=model.last, **options), model


def in_part_two(rng: Random) -> tuple[Referee, Model]:
    """A turn half played; in some hands a few cards lie face down."""
    seats, options = some_options(rng)
    cards = CARDS.copy()
    rng.shuffle(cards)
    most = rng.choice([1, 3, 10, 26])
    hands = [
        [cards.pop() for _ in range(rng.randint(0, min(most, len(cards))))] for _ in range(seats)
    ]
    model = Model(options, circle_of(seats, options), hands, trump=rng.choice("cdhs"))
    model.stacks = [[] for _ in range(seats)]
    holders = [seat for seat in range(seats) if hands[seat]]
    if len(holders) < 2:
        return in_part_two(rng)
    model.plays = [[cards.pop()] for _ in range(min(len(cards), rng.randrange(4)))]
    model.target = len(model.plays) + rng.randint(1, len(holders) + 1)
    model.turn = rng.choice(holders)
    empty = [seat for seat in range(seats) if not hands[seat]]
    model.places = {seat: place for place, seat in enumerate(empty, 1)}
    model.quiet = rng.choice([0, 0, 18])
    piles = [
        f"{LETTERS[seat]}: " + " ".join(c + "?" * (rng.random() < 0.1) for c in hands[seat])
        for seat in range(seats)
    ]
    piles.append("pile: " + " | ".join(" ".join(run) for run in model.plays))
    piles.append(f"removed: {' '.join(cards)}")
    due = model.target - len(model.plays)
    turn = LETTERS[model.turn]
    text = "; ".join(piles)
    return part_two(text, trump=model.trump, turn=turn, due=due, idle=model.quiet, **options), model


def named(referee: Referee, move: object) -> tuple[str, ...]:
    """The cards that a move plays; none for picking up."""
    match move:
        case Lay(card):
            return (PACK.name(referee.truth[card]),)
        case Play(run):
            return tuple(PACK.name(referee.truth[card]) for card in run)
        case _:
            return ()


def check_equal(referee: Referee, model: Model) -> None:
    """Every card lies where the model has it, and in part one the hands lie face down."""
    assert lying(referee, STOCK) == model.stock
    assert Counter(lying(referee, PILE)) == Counter(model.heap + flat(model.plays))
    for seat in model.circle:
        assert Counter(lying(referee, hand(seat))) == Counter(model.hands[seat])
        assert Counter(lying(referee, won(seat))) == Counter(model.stacks[seat])
    if not model.trump:
        hidden = [slot for seat in model.circle for slot in referee.table[hand(seat)]]
        up = {PACK.name(referee.truth[slot]) for slot in hidden if referee.table.is_up(slot)}
        assert up == ({model.last} if model.shown else set()) & set(flat(model.hands))


def play_on(referee: Referee, model: Model, rng: Random, most: int) -> None:
    """Both play the same moves and agree after each."""
    for _ in range(most):
        if model.winner is not None and not model.trump:
            model.share(referee)
        check_equal(referee, model)
        if model.over() or model.broken_off:
            assert referee.outcome is not None
            assert list(referee.outcome.places) == model.final()
            assert referee.state.stalled == model.broken_off
            return
        seat = model.turn if model.trump else model.queue[0]
        assert referee.owing == {seat}
        offered = {named(referee, option.move): option for option in referee.options(seat)}
        assert offered.keys() == model.offers()
        chosen = rng.choice(sorted(offered))
        referee.choose(seat, offered[chosen].id)
        model.make(chosen)
    assert (referee.outcome is None) or model.over() or model.broken_off


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=250)
def test_any_position_of_part_one(seed: int) -> None:
    rng = Random(seed)
    referee, model = in_part_one(rng)
    # what is drawn here may be too few cards for a part two
    while model.winner is None:
        play_on(referee, model, rng, 1)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=250)
def test_any_position_of_part_two(seed: int) -> None:
    rng = Random(seed)
    referee, model = in_part_two(rng)
    play_on(referee, model, rng, 25)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_whole_matches(seed: int) -> None:
    rng = Random(seed)
    seats, options = some_options(rng)
    referee = Referee.deal(RULES, seats, options, rng=rng)
    assert referee.state.phase is Phase.PART_ONE
    hands = [lying(referee, hand(seat)) for seat in range(seats)]
    model = Model(options, circle_of(seats, options), hands, lying(referee, STOCK))
    model.stacks = [[] for _ in range(seats)]
    model.queue = model.from_seat(referee.table.toss or 0)
    play_on(referee, model, rng, 10_000)
    assert referee.outcome is not None
