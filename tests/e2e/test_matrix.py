"""The matrix of games: a case of each is played and audited; all of them by scripts/matrix.py."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import matrix
from p2pcards.games import GAMES


@pytest.mark.parametrize("key", GAMES)
def test_a_game_is_played_and_audited(key: str, tmp_path: Path) -> None:
    case = replace(next(c for c in matrix.cases([key]) if c.seats == matrix.USUAL), hands=1)
    assert matrix.play(case, tmp_path) is None


@pytest.mark.parametrize("key", GAMES)
def test_every_size_and_every_value_of_every_option_is_in_the_matrix(key: str) -> None:
    rules, cases = GAMES[key], list(matrix.cases([key]))
    assert {rules.seats[0], matrix.USUAL, rules.seats[-1]} <= {case.seats for case in cases}
    chosen = {pair for case in cases for pair in case.options}
    for option in rules.options:
        wanted = matrix.values(option)
        assert {(option.name, value) for value in wanted} <= chosen, option.name
