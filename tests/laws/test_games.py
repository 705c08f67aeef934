"""The laws, tried on every registered game at positions that random play reaches."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pcards.games import GAMES
from p2pcards.testing.referee import Referee
from tests.laws import laws
from tests.laws.worlds import begin, reach

seeds = st.integers(0, 2**32 - 1)
every_game = pytest.mark.parametrize("key", sorted(GAMES))

AT_ANY_POSITION: list[Callable[[Referee, Random], None]] = [
    laws.no_card_is_lost_or_doubled,
    laws.what_is_not_offered_is_refused,
    laws.a_card_of_others_is_refused_unseen,
    laws.what_is_offered_is_accepted,
    laws.who_owes_can_move,
    laws.hidden_cards_change_nothing,
    laws.claims_speak_of_own_cards,
    laws.a_claim_is_the_same_for_all,
    laws.moves_of_one_step_commute,
    laws.nothing_changes_in_place,
    laws.the_cards_have_turns,
    laws.the_sheet_grows,
]


# [GAME-1], [VIEW-1], [VIEW-2] of protocol.md
@every_game
@pytest.mark.parametrize("law", AT_ANY_POSITION, ids=lambda law: law.__name__)
@given(seed=seeds)
@settings(max_examples=25)
def test_law_holds_at_any_position(
    key: str, law: Callable[[Referee, Random], None], seed: int
) -> None:
    rng = Random(seed)
    law(reach(GAMES[key], rng), rng)


@every_game
@given(seed=seeds)
@settings(max_examples=5)
def test_a_match_ends(key: str, seed: int) -> None:
    rng = Random(seed)
    laws.a_match_ends(begin(GAMES[key], rng), rng)


# [GAME-1] of protocol.md
@every_game
@given(seed=seeds)
@settings(max_examples=15)
def test_a_replay_gives_the_same(key: str, seed: int) -> None:
    first, again = (begin(GAMES[key], Random(seed)) for _ in range(2))
    laws.a_replay_gives_the_same(first, again, Random(seed + 1))


@every_game
def test_moves_are_records(key: str) -> None:
    laws.moves_are_records(GAMES[key])
