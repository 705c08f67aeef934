"""Oh Hell: the worked examples of the rules, every option and every refusal, as positions."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from p2pcards.cards.claims import NOTHING, All, SuitIsNot, simplify
from p2pcards.cards.rules import Moves, Over, settle
from p2pcards.cards.table import ASIDE, STOCK, TRICK, hand, lay, won
from p2pcards.engine.view import lawful
from p2pcards.errors import BadOption
from p2pcards.games.oh_hell import TURNED, Bid, Phase, Play, Ready, Result, State, best, places
from p2pcards.games.oh_hell_house import PACK, hand_sizes, plan, points
from p2pcards.testing.referee import Referee
from tests.games.positions import RULES, bidding, house, play, playable, playing, refusal, slot


def deal(seats: int, dealer: int, seed: int = 1, **options: Any) -> Referee:
    """The first hand of a match whose first dealer is known."""
    chosen = house(**options)
    state = State(chosen, plan(chosen, seats), seats, phase=Phase.DEAL, dealer=dealer)
    return Referee.at(RULES, seats, state, lay(PACK, ""), rng=Random(seed))


def phase(referee: Referee) -> Phase:
    state: State = referee.state
    return state.phase


def legal_bids(referee: Referee, seat: int) -> list[int]:
    return [option.move.tricks for option in referee.options(seat)]


# --- OH-01 scoring --------------------------------------------------------------------------------


# [OH-1] of protocol.md
@pytest.mark.parametrize(
    "options, cards, bid, tricks, scored",
    [
        ({}, 13, 4, 4, 14),
        ({}, 13, 0, 0, 10),
        ({}, 13, 3, 4, 0),
        ({"miss_points": "tricks"}, 13, 3, 4, 4),
        ({"miss_points": "tricks"}, 13, 3, 2, 2),
        ({"miss_points": "tricks"}, 13, 4, 4, 14),
        ({"miss_points": "tricks"}, 13, 0, 0, 10),
        ({"zero_bid": "five_plus_hand"}, 7, 0, 0, 12),
        ({"zero_bid": "five_plus_hand"}, 1, 0, 0, 6),
        ({"zero_bid": "five_plus_hand"}, 7, 0, 2, 0),
        ({"zero_bid": "five_plus_hand"}, 7, 3, 3, 13),
        ({"zero_bid": "five_plus_hand", "miss_points": "tricks"}, 7, 0, 2, 2),
    ],
)
def test_oh_01_scoring(
    options: dict[str, Any], cards: int, bid: int, tricks: int, scored: int
) -> None:
    assert points(house(**options), cards, bid, tricks) == scored


# --- OH-02 and OH-03: the plan --------------------------------------------------------------------


# [OH-1] of protocol.md
@pytest.mark.parametrize(
    "sequence, sizes",
    [
        ("up", [*range(1, 8)]),
        ("down", [*range(7, 0, -1)]),
        ("up_down", [*range(1, 8), *range(6, 0, -1)]),
        ("down_up", [*range(7, 0, -1), *range(2, 8)]),
    ],
)
def test_oh_02_sequences(sequence: str, sizes: list[int]) -> None:
    assert list(hand_sizes(house(sequence=sequence), 7)) == sizes


def test_oh_02_turning_hand_twice() -> None:
    once, twice = (
        hand_sizes(house(sequence="up_down", turning_hand_twice=value), 4)
        for value in (False, True)
    )
    assert (len(once), len(twice)) == (25, 26)
    assert twice[12:14] == (13, 13)
    valley = hand_sizes(house(sequence="down_up", turning_hand_twice=True, max_hand=2), 4)
    assert valley == (2, 1, 1, 2)
    assert hand_sizes(house(turning_hand_twice=True, max_hand=2), 4) == (1, 2)


@pytest.mark.parametrize("seats, largest", [(3, 15), (4, 13), (5, 10), (6, 8), (7, 7)])
def test_hands_by_the_number_of_seats(seats: int, largest: int) -> None:
    assert hand_sizes(house(), seats) == tuple(range(1, largest + 1))
    assert hand_sizes(house(max_hand=2), seats) == (1, 2)


def bare(seats: int, **options: Any) -> list[tuple[int, int]]:
    """The hands without trump: number and size."""
    hands = plan(house(**options), seats)
    return [(number, h.cards) for number, h in enumerate(hands, 1) if not h.trump]


# [OH-1] of protocol.md
def test_oh_03_trump_or_not() -> None:
    assert bare(4) == [(13, 13)]
    assert bare(3) == [(15, 15)]
    assert bare(4, sequence="down") == [(1, 13), (13, 1)]
    assert bare(5, sequence="down") == [(10, 1)]
    assert bare(3, sequence="up_down", no_trump="max") == [(15, 15)]
    assert bare(3, sequence="up_down") == [(29, 1)]
    assert bare(4, no_trump="never") == [(13, 13)]
    assert bare(3, no_trump="never") == []
    assert bare(3, sequence="up_down", turning_hand_twice=True, max_hand=2, no_trump="max") == [
        (2, 2),
        (3, 2),
    ]


def test_a_card_is_turned_only_for_a_trump() -> None:
    trump = deal(3, dealer=0, max_hand=2)
    assert [trump.table.is_up(s) for s in trump.table[TURNED]] == [True]
    assert trump.state.trump == trump.table.face(trump.table[TURNED][0]).suit
    assert len(trump.table[ASIDE]) == 52 - 3 - 1

    bare_hand = deal(3, dealer=0, max_hand=1)
    assert bare_hand.state.trump is None
    assert bare_hand.table[TURNED] == ()
    assert not bare_hand.table.faces
    assert len(bare_hand.table[ASIDE]) == 52 - 3


def test_a_hand_may_use_up_the_pack() -> None:
    referee = deal(4, dealer=2, sequence="down")
    assert all(len(referee.table[hand(seat)]) == 13 for seat in range(4))
    assert referee.table[ASIDE] == referee.table[STOCK] == ()
    assert referee.state.trump is None


def test_set_aside_cards_are_hidden_from_all() -> None:
    referee = deal(5, dealer=1)
    for seat in (None, *range(5)):
        view = referee.view(seat)
        assert not any(view.table.is_up(s) for s in view.table[ASIDE])
        visible = {s for s in view.table.slots() if view.table.is_up(s)}
        own = set() if seat is None else set(view.table[hand(seat)])
        assert visible == own | set(view.table[TURNED])


# [OH-1] of protocol.md
def test_cards_are_dealt_singly_from_the_dealers_left() -> None:
    referee = deal(3, dealer=0, sequence="down", max_hand=2)
    first = min(referee.table.slots())
    order = [(slot - first, pile) for pile, slots in referee.table.piles.items() for slot in slots]
    assert [pile for _, pile in sorted(order)[:7]] == [
        hand(1),
        hand(2),
        hand(0),
        hand(1),
        hand(2),
        hand(0),
        TURNED,
    ]


# --- OH-04 and OH-07: bidding ---------------------------------------------------------------------


# [OH-1] of protocol.md
def test_oh_04_hook() -> None:
    assert legal_bids(bidding(4, 5, (2, 1, 0), hook=True), 3) == [0, 1, 3, 4, 5]
    assert legal_bids(bidding(4, 5, (3, 1, 2), hook=True), 3) == [0, 1, 2, 3, 4, 5]
    assert legal_bids(bidding(3, 1, (0, 0), hook=True), 2) == [0]
    assert legal_bids(bidding(3, 1, (1, 0), hook=True), 2) == [1]
    assert legal_bids(bidding(3, 1, (1, 1), hook=True), 2) == [0, 1]
    assert legal_bids(bidding(3, 1, (1,), hook=True), 1) == [0, 1]
    assert refusal(bidding(4, 5, (2, 1, 0), hook=True), 3, Bid(2)) == "bid.hook"
    assert refusal(bidding(4, 5, (2, 1, 0)), 3, Bid(2)) is None


def test_bids_are_in_range() -> None:
    assert legal_bids(bidding(4, 3), 0) == [0, 1, 2, 3]
    for wrong in (-1, 4, 2**40):
        assert refusal(bidding(4, 3), 0, Bid(wrong)) == "bid.range"


def test_bids_go_round_once() -> None:
    referee = bidding(3, 2)
    assert refusal(referee, 1, Bid(0)) == "turn.not_yours"
    assert refusal(referee, 0, Bid(2)) is None
    assert refusal(referee, 0, Bid(2)) == "turn.not_yours"
    assert referee.state.bids == (2, None, None)
    referee.play(1, Bid(0))
    referee.play(2, Bid(0))
    assert phase(referee) is Phase.PLAY
    assert referee.state.bids == (2, 0, 0)


def test_oh_07_simultaneous_bids() -> None:
    referee = bidding(3, 3, bidding="simultaneous")
    awaits = referee.awaits
    assert awaits == Moves(frozenset({0, 1, 2}), sealed=True)
    before = referee.view(2)
    referee.play(0, Bid(1))
    referee.play(1, Bid(1))
    assert referee.view(2) == before, "a sealed bid shows nothing"
    assert refusal(referee, 0, Bid(2)) == "turn.not_yours"
    assert phase(referee) is Phase.BID, "one missing bid blocks the hand"
    referee.play(2, Bid(1))
    assert referee.state.bids == (1, 1, 1)
    assert phase(referee) is Phase.PLAY
    assert referee.owing == {0}
    assert refusal(bidding(3, 3, bidding="simultaneous"), 2, Bid(4)) == "bid.range"


# --- OH-05 and OH-08: following -------------------------------------------------------------------


# [VIEW-2], [OH-3] of protocol.md
@pytest.mark.parametrize(
    "held, led, trump, must_trump, offered",
    [
        ("As 2h 3d", "5h", "s", False, "2h"),
        ("As 2d 3d", "5h", "s", False, "As 2d 3d"),
        ("As 2d 3d", "5h", "s", True, "As"),
        ("2d 3c", "5h", "s", True, "2d 3c"),
        ("As 2d 3d", "5h", None, True, "As 2d 3d"),
        ("As Ks 3h", "5s", "s", False, "As Ks"),
        ("As Ks 3h", "5s", "s", True, "As Ks"),
        ("As Ks 2d", "5h", "s", True, "As Ks"),  # no duty to beat a trump or to play the best
        ("3d 2c 4d", "5s", "s", True, "3d 2c 4d"),
        ("As 2h", "5h", "s", True, "2h"),
    ],
)
def test_oh_05_following(
    held: str, led: str, trump: str | None, must_trump: bool, offered: str
) -> None:
    text = f"hand 0: {held}; trick: {led}!"
    referee = playing(text, trump=trump, must_trump=must_trump)
    assert playable(referee) == offered
    for name in held.split():
        position = playing(text, trump=trump, must_trump=must_trump)
        code = refusal(position, 0, Play(slot(position, name)))
        assert (code is None) == (name in offered.split())


def test_the_rule_that_is_broken_is_named() -> None:
    text = "hand 0: As 2h 3d; trick: 5h!"
    for options in ({}, {"must_trump": True}):
        referee = playing(text, trump="s", **options)
        assert refusal(referee, 0, Play(slot(referee, "3d"))) == "play.must_follow"
        assert refusal(referee, 0, Play(slot(referee, "As"))) == "play.must_follow"
    referee = playing("hand 0: As 2d 3d; trick: 5h!", trump="s", must_trump=True)
    assert refusal(referee, 0, Play(slot(referee, "2d"))) == "play.must_trump"


def test_the_leader_may_lead_anything() -> None:
    referee = playing("hand 0: As 2h 3d", trump="s", must_trump=True)
    assert playable(referee) == "As 2h 3d"
    moves = lawful(RULES, referee.state, referee.table, 0, referee.known[0])
    assert {ruling.claim for _, ruling in moves if ruling is not None} == {NOTHING}


# [CLAIM-4], [OH-2] of protocol.md
def test_the_claim_is_about_the_cards_kept() -> None:
    referee = playing("hand 0: As 2d 3d; hand 1: 4c 5c; trick: 5h!", trump="s", must_trump=True)
    as_, d2, d3 = referee.table[hand(0)]
    shown = referee.table.turn_up({s: referee.truth[s] for s in (as_, d2)})
    state = referee.state
    renounced = All((All((SuitIsNot(d2, 3), SuitIsNot(d3, 3))),))
    assert RULES.judge(state, shown, 0, Play(as_)).claim == renounced
    both = All(
        (
            All((SuitIsNot(as_, 3), SuitIsNot(d3, 3))),
            All((SuitIsNot(as_, 4), SuitIsNot(d3, 4))),
        )
    )
    assert RULES.judge(state, shown, 0, Play(d2)).claim == both
    assert simplify(both, {as_: PACK.face("As")}) != NOTHING


# [OH-2] of protocol.md
def test_oh_08_the_last_card_needs_no_proof() -> None:
    referee = playing("hand 0: 2d; hand 1: 3c; hand 2: 5h")
    referee.state = replace(referee.state, turn=2)
    for seat, name in ((2, "5h"), (0, "2d"), (1, "3c")):
        card = slot(referee, name)
        shown = referee.table.turn_up({card: referee.truth[card]})
        assert RULES.judge(referee.state, shown, seat, Play(card)).claim == NOTHING
        referee.awaits = RULES.awaits(referee.state, referee.table)
        play(referee, seat, name)
    assert referee.state.results[0].tricks == (0, 0, 1)


# --- OH-06: who takes the trick -------------------------------------------------------------------


# [OH-1] of protocol.md
@pytest.mark.parametrize(
    "trick, trump, winner",
    [
        ("5h Kh 2s Ah", "s", 2),
        ("5h Kd 2c 6h", None, 3),
        ("5h Ad Ac", "s", 0),
        ("5s 2s Ah", "s", 0),
        ("5h 9s Js As", None, 0),
        ("5h 9s Js As", "s", 3),
    ],
)
def test_oh_06_winners(trick: str, trump: str | None, winner: int) -> None:
    names = trick.split()
    suit = None if trump is None else "cdhs".index(trump) + 1
    assert best([PACK.face(name) for name in names], suit) == winner

    for leader in range(len(names)):
        seats = [(leader + i) % len(names) for i in range(len(names))]
        hands = "; ".join(f"hand {s}: {name}" for s, name in zip(seats, names, strict=True))
        referee = playing(hands, seats=len(names), turn=leader, trump=trump)
        for seat, name in zip(seats, names, strict=True):
            play(referee, seat, name)
        taker = seats[winner]
        assert referee.state.results[0].tricks[taker] == 1
        assert len(referee.table[won(taker)]) == len(names)
        assert referee.table[TRICK] == ()


# --- OH-09: order ---------------------------------------------------------------------------------


def test_oh_09_dealer_order() -> None:
    referee = deal(4, dealer=3, max_hand=2, sequence="down")
    for seat in range(4):
        assert referee.owing == {seat}
        referee.play(seat, Bid(0))
    assert referee.owing == {0}
    for seat in range(4):
        referee.play(seat, referee.options(seat)[0].move)
    taker = referee.state.tricks.index(1)
    assert referee.owing == {taker}
    for _ in range(4):
        (seat,) = referee.owing
        referee.play(seat, referee.options(seat)[0].move)
    assert phase(referee) is Phase.SCORE
    for seat in range(4):
        referee.play(seat, Ready())
    assert referee.state.dealer == 0
    assert referee.owing == {1}
    for seat in (1, 2, 3, 0):
        referee.play(seat, Bid(0))
    assert referee.owing == {1}


def test_the_winner_leads_the_next_trick() -> None:
    referee = playing("hand 0: 5h 2c; hand 1: 6h 3c; hand 2: Ah 4c")
    for seat, name in ((0, "5h"), (1, "6h"), (2, "Ah")):
        play(referee, seat, name)
    assert referee.owing == {2}
    assert refusal(referee, 0, Play(slot(referee, "2c"))) == "turn.not_yours"


# --- OH-10 and the end ----------------------------------------------------------------------------


def test_oh_10_shared_places() -> None:
    assert places((57, 57, 40)) == (1, 1, 3)
    assert places((10, 30, 10, 20)) == (3, 1, 3, 2)
    result = Result(1, 0, None, (0, 0, 1), (0, 0, 1), (57, 57, 40))
    state = replace(
        bidding(3, 1).state, results=(result,), plan=plan(house(max_hand=1), 3), phase=Phase.END
    )
    referee = Referee.at(RULES, 3, state, lay(PACK, ""))
    assert referee.outcome == Over((1, 1, 3), (57, 57, 40))
    assert referee.options(0) == ()


def test_the_last_hand_is_not_confirmed() -> None:
    referee = deal(3, dealer=0, max_hand=1)
    while referee.outcome is None:
        (seat,) = referee.owing
        referee.play(seat, referee.options(seat)[0].move)
    assert phase(referee) is Phase.END
    assert len(referee.state.results) == 1


def test_everybody_confirms_at_once() -> None:
    referee = deal(3, dealer=0, max_hand=2)
    while phase(referee) is not Phase.SCORE:
        (seat,) = referee.owing
        referee.play(seat, referee.options(seat)[0].move)
    assert referee.awaits == Moves(frozenset({0, 1, 2}))
    assert [option.move for option in referee.options(1)] == [Ready()]
    referee.play(1, Ready())
    assert refusal(referee, 1, Ready()) == "turn.not_yours"
    referee.play(2, Ready())
    assert phase(referee) is Phase.SCORE
    referee.play(0, Ready())
    assert phase(referee) is Phase.BID
    assert referee.state.hand.cards == 2


def test_the_sheet_and_the_standing() -> None:
    referee = deal(3, dealer=2, seed=4, max_hand=2)
    assert RULES.sheet(referee.state) == ()
    assert RULES.standing(referee.state) == Over((1, 1, 1), (0, 0, 0))
    while phase(referee) is not Phase.SCORE:
        (seat,) = referee.owing
        referee.play(seat, referee.options(seat)[0].move)
    (row,) = RULES.sheet(referee.state)
    tricks = referee.state.tricks
    scored = tuple(10 * (won_tricks == 0) for won_tricks in tricks)
    assert row == {
        "hand": 1,
        "cards": 1,
        "dealer": 2,
        "trump": "cdhs"[referee.state.trump - 1],
        "bids": (0, 0, 0),
        "tricks": tricks,
        "points": scored,
        "totals": scored,
    }
    assert RULES.standing(referee.state).points == scored


# --- refusals -------------------------------------------------------------------------------------


def test_each_move_has_its_phase() -> None:
    moves = (Bid(0), Play(0), Ready())
    assert [refusal(bidding(3, 1), 0, move) for move in moves] == [
        None,
        "phase.wrong",
        "phase.wrong",
    ]
    assert [refusal(playing("hand 0: As 2h"), 0, move) for move in moves] == [
        "phase.wrong",
        None,
        "phase.wrong",
    ]
    state = bidding(3, 1).state
    for phase in (Phase.CUT, Phase.DEAL, Phase.END):
        for move in moves:
            with pytest.raises(Exception, match=r"phase\.wrong"):
                RULES.judge(replace(state, phase=phase), lay(PACK, "")[0], 0, move)


def test_only_own_cards_are_played() -> None:
    text = "hand 0: As 2h; hand 1: 3d 4d; trick: 5h!; aside: Kc; won 2: 7s! 8s!"
    referee = playing(text)
    for name in ("3d", "5h", "Kc", "7s"):
        assert refusal(referee, 0, Play(slot(referee, name))) == "card.not_held"
    for nothing in (-1, 99):
        assert refusal(referee, 0, Play(nothing)) == "card.not_held"
    assert refusal(referee, 1, Play(slot(referee, "3d"))) == "turn.not_yours"


def test_the_cards_have_moved_only_when_they_should() -> None:
    referee = bidding(3, 1)
    with pytest.raises(ValueError, match="no cards have moved"):
        RULES.resume(referee.state, referee.table)


# --- options --------------------------------------------------------------------------------------


def test_the_defaults() -> None:
    assert settle(RULES.options, {}) == {
        "sequence": "up",
        "turning_hand_twice": False,
        "max_hand": None,
        "hook": False,
        "bidding": "sequential",
        "must_trump": False,
        "miss_points": "zero",
        "zero_bid": "standard",
        "no_trump": "last",
    }
    assert list(RULES.seats) == [3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    "option, value", [(o.name, value) for o in RULES.options for value in o.values]
)
def test_every_value_of_every_option_plays(option: str, value: Any) -> None:
    options = {"max_hand": 3} | {option: value}
    rng = Random(3)
    referee = Referee.deal(RULES, 3, options, rng=rng)
    for _ in range(400):
        if referee.outcome is not None:
            break
        seat = min(referee.owing)
        referee.play(seat, rng.choice(referee.options(seat)).move)
    expected = value if option == "max_hand" else 3
    assert max(h.cards for h in referee.state.plan) == expected
    assert referee.outcome is not None or expected > 5


@pytest.mark.parametrize(
    "seats, options, code",
    [
        (4, {"hook": True, "bidding": "simultaneous"}, "option.conflict"),
        (4, {"max_hand": 14}, "option.seats"),
        (3, {"max_hand": 18}, "option.value"),
        (3, {"max_hand": 0}, "option.value"),
        (3, {"max_hand": True}, "option.value"),
        (3, {"hook": 1}, "option.value"),
        (3, {"sequence": "sideways"}, "option.value"),
        (3, {"colour": "red"}, "option.unknown"),
        (2, {}, "option.seats"),
        (8, {}, "option.seats"),
    ],
)
def test_what_does_not_go_together(seats: int, options: dict[str, Any], code: str) -> None:
    with pytest.raises(BadOption) as refused:
        Referee.deal(RULES, seats, options, rng=Random(0))
    assert refused.value.code == code


@pytest.mark.parametrize("seats, most", [(3, 17), (4, 13), (5, 10), (6, 8), (7, 7)])
def test_the_largest_hands(seats: int, most: int) -> None:
    options = settle(RULES.options, {"max_hand": most, "sequence": "down"})
    RULES.check(options, seats)
    referee = Referee.deal(RULES, seats, options, rng=Random(0))
    assert len(referee.table[hand(0)]) == most


def test_the_first_dealer_is_drawn() -> None:
    dealers = {Referee.deal(RULES, 5, rng=Random(seed)).state.dealer for seed in range(40)}
    assert dealers == set(range(5))
