"""Bots: they choose among the options of a view, and `simple` plays Oh Hell better than chance."""

from __future__ import annotations

from random import Random

import pytest

from p2pcards.errors import BadOption
from p2pcards.games import GAMES
from p2pcards.games.oh_hell import Bid
from p2pcards.games.oh_hell_house import PACK
from p2pcards.shells.bots import STRATEGIES, strategy
from p2pcards.testing.referee import Referee
from tests.games.positions import RULES, bidding, playing
from tests.laws.worlds import begin


@pytest.mark.parametrize("name", sorted(STRATEGIES))
@pytest.mark.parametrize("key", sorted(GAMES))
def test_every_bot_plays_every_game_to_its_end(name: str, key: str) -> None:
    for seed in range(2):
        referee = begin(GAMES[key], Random(seed), ends=True)
        players = [strategy(name, Random(seed + seat)) for seat in range(referee.seats)]
        assert referee.play_out(players) == referee.outcome


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_the_same_rng_chooses_the_same(name: str) -> None:
    games = [Referee.deal(RULES, 3, {"max_hand": 4}, rng=Random(1)) for _ in range(2)]
    for referee in games:
        referee.play_out([strategy(name, Random(seat)) for seat in range(3)])
    assert games[0] == games[1]


def test_an_unknown_bot_is_refused_with_the_list() -> None:
    with pytest.raises(BadOption, match="random, simple") as refused:
        strategy("genius", Random(0))
    assert refused.value.code == "strategy.unknown"


def test_simple_beats_three_that_play_at_random() -> None:
    wins = 0
    for match in range(200):
        referee = Referee.deal(RULES, 4, {"max_hand": 4}, rng=Random(match))
        me = match % 4
        players = [
            strategy("simple" if seat == me else "random", Random(4 * match + seat))
            for seat in range(4)
        ]
        wins += referee.play_out(players).places[me] == 1
    assert wins > 100, "a quarter would be chance"


def choice(referee: Referee, seat: int = 0) -> str:
    """What `simple` does, in words."""
    view = referee.view(seat)
    chosen = strategy("simple", Random(0))(view)
    move = next(option.move for option in view.options if option.id == chosen)
    if isinstance(move, Bid):
        return str(move.tricks)
    return PACK.name(referee.truth[move.card])


def test_simple_plays_for_its_bid() -> None:
    duck = playing("hand 0: 2h 9h Kh; trick: 5h! Th!", turn=0)
    assert choice(duck) == "9h", "the highest card that does not take the trick"
    above = playing("hand 0: Jh Kh; trick: 5h! Th!", turn=0)
    assert choice(above) == "Kh", "if it takes the trick anyway, with the highest"
    lead = playing("hand 0: 2h 9h Kh", turn=0)
    assert choice(lead) == "2h"


def test_simple_takes_what_it_needs() -> None:
    def wanting(text: str) -> Referee:
        referee = playing(text, turn=0)
        state = referee.state
        object.__setattr__(state, "bids", (1, 0, 0))
        return referee

    assert choice(wanting("hand 0: 2h Jh Kh; trick: 5h! Th!")) == "Jh", "as cheaply as it can"
    assert choice(wanting("hand 0: 2h Jh Kh; trick: 5h!")) == "Kh", "others still play"
    assert choice(wanting("hand 0: 2h 3h; trick: 5h! Th!")) == "2h", "it cannot"


@pytest.mark.parametrize(
    "held, bids",
    [
        ("As Ks Ah Kh Ad Kd Ac Kc", range(6, 9)),
        ("2s 3s 2h 3h 2d 3d 2c 3c", range(1)),
    ],
)
def test_simple_bids_what_it_expects(held: str, bids: range) -> None:
    referee, position = bidding(3, 8), playing(f"hand 0: {held}")
    referee.table, referee.truth = position.table, position.truth
    referee.known = position.known
    assert int(choice(referee)) in bids


def test_a_spectator_has_nothing_to_choose() -> None:
    view = bidding(3, 3).view(None)
    with pytest.raises(ValueError, match="nothing to choose"):
        strategy("simple", Random(0))(view)
