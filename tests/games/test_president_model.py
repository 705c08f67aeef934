"""Røvhul against a small second opinion that shares no line with the rules and plays with names.

Positions are drawn at random, not only reached by play: any hands, any trick begun, anybody out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from p2pcards.cards.rules import Value, settle
from p2pcards.games.president import Announce, Best, NotMine, Pass, Play, Ready, Return
from p2pcards.games.president_match import Phase
from p2pcards.testing.referee import Referee
from tests.games.president_positions import (
    RULES,
    exchanging,
    held,
    names,
    phase,
    play,
    playable,
    playing,
    slots,
)
from tests.laws.worlds import random_options

ORDER = "3456789TJQKA2X"
POWER = "3456789JQKA2TX"
CARDS = [rank + suit for suit in "cdhs" for rank in ORDER[:-1]] + ["X", "X"]


def value(card: str) -> int:
    """Where a card stands in the order."""
    return ORDER.index(card[0])


def key(cards: Iterable[str]) -> tuple[str, ...]:
    """Cards without an order."""
    return tuple(sorted(cards))


@dataclass
class Trick:
    """The second opinion: hands and the plays of one trick, by name."""

    hands: list[list[str]]
    turn: int
    strict: bool
    plays: list[list[str]] = field(default_factory=list)
    last: int = -1
    passed: set[int] = field(default_factory=set)
    order: list[int] = field(default_factory=list)

    def allowed(self) -> set[tuple[str, ...]]:
        """Every set of cards that may be played, found by trying all subsets of the hand."""
        mine = self.hands[self.turn]
        subsets = (s for n in range(1, len(mine) + 1) for s in combinations(mine, n))
        return {key(s) for s in subsets if self._may(list(s))}

    def _may(self, cards: list[str]) -> bool:
        if len({card[0] for card in cards}) > 1:
            return False
        if not self.plays:
            return True
        wanted, top = len(self.plays[-1]), self.plays[-1][0]
        if cards[0][0] in "TX":
            return len(cards) == wanted or (len(cards) == 1 and not self.strict)
        return len(cards) == wanted and value(cards[0]) >= value(top)

    def play(self, cards: list[str]) -> bool:
        """Plays; gives whether the deal is over."""
        me = self.turn
        for card in cards:
            self.hands[me].remove(card)
        self.plays.append(cards)
        self.last = me
        if not self.hands[me]:
            self.order.append(me)
        alive = [seat for seat, cards in enumerate(self.hands) if cards]
        if len(alive) == 1:
            self.order += alive
            return True
        table = [card[0] for cards in self.plays for card in cards]
        if cards[0][0] in "TX" or table.count(cards[0][0]) >= 4:
            self._clear(me)
        else:
            self._next()
        return False

    def give_way(self) -> None:
        """Passes."""
        self.passed.add(self.turn)
        self._next()

    def _next(self) -> None:
        seats = len(self.hands)
        for step in range(1, seats):
            seat = (self.turn + step) % seats
            if self.hands[seat] and seat not in self.passed and seat != self.last:
                self.turn = seat
                return
        self._clear(self.last)

    def _clear(self, leader: int) -> None:
        self.plays, self.passed, self.last = [], set(), -1
        while not self.hands[leader]:
            leader = (leader + 1) % len(self.hands)
        self.turn = leader


@st.composite
def positions(draw: st.DrawFn) -> tuple[Trick, int]:
    """A trick with any hands of up to eight cards, some seats out, some passed, and the packs."""
    seats, decks = draw(st.integers(2, 7)), draw(st.sampled_from([1, 2]))
    cards = draw(st.permutations(CARDS * decks))
    hands = []
    for _ in range(seats):
        size = draw(st.integers(0, 8))
        hands.append(list(cards[:size]))
        cards = cards[size:]
    for seat in range(2):
        hands[seat] = hands[seat] or [cards.pop()]
    trick = Trick(hands, draw(st.sampled_from([s for s in range(seats) if hands[s]])), False)
    trick.strict = draw(st.booleans())
    trick.order = [seat for seat in range(seats) if not hands[seat]]
    if draw(st.booleans()):
        _begin(trick, draw, cards)
    return trick, decks


def _begin(trick: Trick, draw: st.DrawFn, cards: list[str]) -> None:
    """Some plays lie on the table, as one trick may have them."""
    count = draw(st.integers(1, 3))
    ranks = [r for r in ORDER if r not in "TX" and sum(c[0] == r for c in cards) >= count]
    if not ranks:
        return
    for rank in sorted(draw(st.sets(st.sampled_from(ranks), min_size=1, max_size=3)), key=value):
        trick.plays.append([card for card in cards if card[0] == rank][:count])
    others = [seat for seat in range(len(trick.hands)) if seat != trick.turn]
    trick.last = draw(st.sampled_from(others))
    may_pass = [seat for seat in others if seat != trick.last]
    trick.passed = draw(st.sets(st.sampled_from(may_pass))) if may_pass else set()


@given(position=positions(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=80)
def test_any_position(position: tuple[Trick, int], seed: int) -> None:
    model, decks = position
    referee = playing(
        *(" ".join(cards) for cards in model.hands),
        trick=" ".join(card for cards in model.plays for card in cards),
        turn=model.turn,
        last=model.last if model.plays else None,
        count=len(model.plays[-1]) if model.plays else 0,
        passed=model.passed,
        out=model.order,
        decks=decks,
        clear_count="match" if model.strict else "single",
        deals=1,
    )
    play_deal(referee, model, Random(seed))
    assert referee.outcome is not None
    assert referee.outcome.places == tuple(
        1 + model.order.index(seat) for seat in range(len(model.hands))
    )


def play_deal(referee: Referee, model: Trick, rng: Random) -> None:
    """Plays both to the end of the deal, and compares them at every turn."""
    for _ in range(1000):
        assert referee.owing == {model.turn}
        seat, may = model.turn, sorted(model.allowed())
        assert {key(cards.split()) for cards in playable(referee, seat)} == set(may)
        passing = any(option.move == Pass() for option in referee.options(seat))
        assert passing == bool(model.plays)
        if model.plays and (not may or rng.random() < 0.3):
            referee.play(seat, Pass())
            model.give_way()
            continue
        cards = rng.choice(may)
        play(referee, seat, " ".join(cards))
        if model.play(list(cards)):
            return
    raise AssertionError("the deal does not end")


# --- the exchange ---------------------------------------------------------------------------------


def best_sets(hand: list[str], count: int, order: str) -> set[tuple[str, ...]]:
    """Sets of which no kept card is higher than any given one."""
    return {
        key(gift)
        for gift in combinations(hand, count)
        if not any(
            order.index(kept[0]) > order.index(given[0])
            for kept in rest(hand, gift)
            for given in gift
        )
    }


def low_sets(hand: list[str], count: int, rule: str) -> set[tuple[str, ...]]:
    """Sets that may be returned, in the words of the rules."""
    low = [card for card in hand if card[0] in "3456789"]
    found = set()
    for gift in combinations(hand, count):
        lowest = all(value(kept) >= value(given) for kept in rest(hand, gift) for given in gift)
        plain = rule == "low" and len(low) >= count and all(card in low for card in gift)
        if rule == "any" or lowest or plain:
            found.add(key(gift))
    return found


def rest(hand: list[str], gift: tuple[str, ...]) -> list[str]:
    """What is kept."""
    return list((Counter(hand) - Counter(gift)).elements())


def offered(referee: Referee, seat: int) -> set[tuple[str, ...]]:
    """The gifts that a seat may make."""
    moves = (option.move for option in referee.options(seat))
    return {key(names(referee, m.cards).split()) for m in moves if isinstance(m, Best | Return)}


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_any_exchange(seed: int) -> None:
    rng = Random(seed)
    cards = rng.sample(CARDS * 2, 108)
    hands = [[cards.pop() for _ in range(rng.randint(3, 9))] for _ in range(4)]
    order = rng.choice(["listed", "power"])
    texts = [" ".join(hand) for hand in hands]
    options = {"decks": 2, "best_order": order}
    referee = exchanging(Phase.GIVE, *texts, places=(1, 2, 3, 4), **options)
    for seat, count in ((2, 1), (3, 2)):
        wanted = best_sets(hands[seat], count, POWER if order == "power" else ORDER)
        assert offered(referee, seat) == wanted
    rule = rng.choice(["low", "any", "lowest"])
    referee = exchanging(Phase.RETURN, *texts, places=(1, 2, 3, 4), return_rule=rule, **options)
    for seat, count in ((0, 2), (1, 1)):
        assert offered(referee, seat) == low_sets(hands[seat], count, rule)


# --- whole matches --------------------------------------------------------------------------------


def begin_deal(referee: Referee, options: Mapping[str, Value], order: list[int]) -> None:
    """From the exchange to the first lead, which must be that of the right player."""
    seats = referee.seats
    if order:
        worse, better = {order[-1]: 2}, {order[0]: 2}
        if seats > 3 and options["vice_roles"]:
            worse[order[-2]] = better[order[1]] = 1
        for givers in (worse, better):
            assert referee.owing == givers.keys()
            for seat, count in givers.items():
                move = referee.options(seat)[-1].move
                assert len(move.cards) == count
                referee.play(seat, move)
    dealer = referee.state.dealer
    circle = [(dealer + i) % seats for i in range(1, seats + 1)]
    leader = next(seat for seat in circle if "3c" in held(referee, seat).split())
    if order and options["first_leader"] != "club3":
        leader = order[-1] if options["first_leader"] == "rovhul" else order[0]
    while phase(referee) in {Phase.CLUB, Phase.PROVE}:
        seat = min(referee.owing)
        holds = "3c" in held(referee, seat).split()
        card = min(slots(referee, seat, "3c")) if holds else -1
        referee.play(seat, Announce(card) if holds else NotMine())
    assert referee.owing == {leader}


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=8)
def test_whole_matches(seed: int) -> None:
    rng = Random(seed)
    seats = rng.choice(RULES.seats)
    deals = rng.randint(1, 3)
    chosen = {**random_options(RULES, seats, rng), "deals": deals, "first_lead_c3": False}
    options = settle(RULES.options, chosen)
    referee = Referee.deal(RULES, seats, options, rng=rng)
    order: list[int] = []
    sums = [0] * seats
    dealer = referee.state.dealer
    for number in range(deals):
        assert referee.state.dealer == (dealer + number) % seats
        begin_deal(referee, options, order)
        while phase(referee) is Phase.PLAY:
            (seat,) = referee.owing
            moves = [option.move for option in referee.options(seat)]
            plays = [move for move in moves if isinstance(move, Play)]
            referee.play(seat, rng.choice(plays) if plays and rng.random() < 0.9 else moves[-1])
        places = referee.state.results[-1].places
        order = sorted(range(seats), key=lambda seat: places[seat])
        (loser,) = (seat for seat in range(seats) if held(referee, seat))
        assert order[-1] == loser
        for seat in range(seats):
            sums[seat] += places[seat]
        for seat in sorted(referee.owing):
            referee.play(seat, Ready())
    assert referee.outcome is not None
    if options["match_score"] == "places":
        assert referee.outcome.points == tuple(sums)
        assert referee.outcome.places == tuple(1 + sorted(sums).index(s) for s in sums)
    else:
        assert referee.outcome.points is None
        assert referee.outcome.places == places
