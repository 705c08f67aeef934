"""Oh Hell against a small second opinion that shares no line with the rules and plays with names.

Positions are drawn at random, not only reached by play: any hands, any trick begun, any trump.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from p2pcards.cards.rules import Value, settle
from p2pcards.cards.table import hand
from p2pcards.games.oh_hell import Bid, Ready
from p2pcards.games.oh_hell_house import PACK
from p2pcards.testing.referee import Referee
from tests.games.positions import RULES, play, playable, playing
from tests.laws.worlds import random_options

ORDER = "23456789TJQKA"
CARDS = [rank + suit for suit in "cdhs" for rank in ORDER]


def taker(trick: list[str], trump: str | None) -> int:
    """Which card takes the trick."""
    pool = [card for card in trick if card[1] == trump]
    pool = pool or [card for card in trick if card[1] == trick[0][1]]
    return trick.index(max(pool, key=lambda card: ORDER.index(card[0])))


def allowed(held: list[str], trick: list[str], trump: str | None, must_trump: bool) -> list[str]:
    """The cards that may be played."""
    following = [card for card in held if trick and card[1] == trick[0][1]]
    trumps = [card for card in held if card[1] == trump]
    if following:
        return following
    if trick and must_trump and trumps:
        return trumps
    return held


@st.composite
def positions(draw: st.DrawFn) -> tuple[int, int, list[list[str]], list[str], str | None, bool]:
    """Seats, the leader, all hands, the cards of the trick so far, trump, must_trump."""
    seats = draw(st.integers(3, 7))
    leader = draw(st.integers(0, seats - 1))
    cards = draw(st.permutations(CARDS))
    size = draw(st.integers(1, len(CARDS) // seats))
    played = draw(st.integers(0, seats - 1))
    hands = [cards[size * seat : size * (seat + 1)] for seat in range(seats)]
    trick = [hands[(leader + i) % seats].pop() for i in range(played)]
    return seats, leader, hands, trick, draw(st.sampled_from([None, *"cdhs"])), draw(st.booleans())


# [OH-1] of protocol.md
@given(position=positions())
@settings(max_examples=200)
def test_any_position(
    position: tuple[int, int, list[list[str]], list[str], str | None, bool],
) -> None:
    seats, leader, hands, trick, trump, must_trump = position
    turn = (leader + len(trick)) % seats
    piles = [f"hand {seat}: {' '.join(held)}" for seat, held in enumerate(hands)]
    piles.append("trick: " + " ".join(card + "!" for card in trick))
    referee = playing("; ".join(piles), seats=seats, turn=turn, trump=trump, must_trump=must_trump)
    may = allowed(hands[turn], trick, trump, must_trump)
    assert playable(referee, turn).split() == may
    assert all(referee.options(seat) == () for seat in range(seats) if seat != turn)

    while len(trick) < seats:
        (seat,) = referee.owing
        card = playable(referee, seat).split()[-1]
        play(referee, seat, card)
        trick.append(card)
    winner = (leader + taker(trick, trump)) % seats
    assert referee.state.tricks[winner] == 1
    assert sum(referee.state.tricks) == 1


def bid_all(referee: Referee, rng: Random, eldest: int, seats: int, cards: int) -> list[int]:
    """Every seat bids, in turn or at once; what they bid."""
    bids = [0] * seats
    in_turn = len(referee.owing) == 1
    for i in range(seats):
        seat = (eldest + i) % seats
        assert referee.owing == (
            {seat} if in_turn else {(eldest + j) % seats for j in range(i, seats)}
        )
        offered = [option.move.tricks for option in referee.options(seat)]
        said = sum(bids)
        hooked = referee.state.house.hook and i == seats - 1
        assert offered == [b for b in range(cards + 1) if not (hooked and said + b == cards)]
        bids[seat] = rng.choice(offered)
        referee.play(seat, Bid(bids[seat]))
    return bids


def play_all(
    referee: Referee, rng: Random, leader: int, seats: int, cards: int, trump: str | None
) -> list[int]:
    """Every trick of a hand; how many each seat took."""
    won = [0] * seats
    for _ in range(cards):
        trick: list[str] = []
        for i in range(seats):
            seat = (leader + i) % seats
            assert referee.owing == {seat}
            held = [PACK.name(referee.truth[s]) for s in referee.table[hand(seat)]]
            may = allowed(held, trick, trump, referee.state.house.must_trump)
            assert playable(referee, seat).split() == may
            trick.append(rng.choice(may))
            play(referee, seat, trick[-1])
        leader = (leader + taker(trick, trump)) % seats
        won[leader] += 1
    return won


def score(options: Mapping[str, Value], cards: int, bid: int, won: int) -> int:
    """Points for a hand."""
    if bid == won == 0 and options["zero_bid"] == "five_plus_hand":
        return 5 + cards
    if bid == won:
        return 10 + won
    return won if options["miss_points"] == "tricks" else 0


# [OH-1] of protocol.md
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_whole_matches(seed: int) -> None:
    rng = Random(seed)
    seats = rng.choice(RULES.seats)
    options = settle(
        RULES.options, random_options(RULES, seats, rng) | {"max_hand": rng.randint(1, 5)}
    )
    referee = Referee.deal(RULES, seats, options, rng=rng)
    totals = [0] * seats
    dealer = referee.state.dealer
    for planned in referee.state.plan:
        turned = list(referee.table.faces.values())
        assert len(turned) == planned.trump
        trump = PACK.name(turned[0])[1] if turned else None
        eldest = (dealer + 1) % seats
        bids = bid_all(referee, rng, eldest, seats, planned.cards)
        won = play_all(referee, rng, eldest, seats, planned.cards, trump)
        for seat in range(seats):
            totals[seat] += score(options, planned.cards, bids[seat], won[seat])
        assert list(referee.state.totals) == totals
        for seat in sorted(referee.owing):
            referee.play(seat, Ready())
        dealer = eldest
    assert referee.outcome is not None
    ranking = sorted(totals, reverse=True)
    assert referee.outcome.places == tuple(1 + ranking.index(total) for total in totals)
    assert referee.outcome.points == tuple(totals)
