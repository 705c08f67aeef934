"""The registry of games."""

from __future__ import annotations

import pytest

from p2pcards.cards.rules import settle
from p2pcards.errors import BadOption
from p2pcards.games import ALIASES, GAMES, find


@pytest.mark.parametrize("key", sorted(GAMES))
def test_a_game_is_found_by_its_key(key: str) -> None:
    assert GAMES[key].key == key
    assert find(key) is GAMES[key]
    assert find(f" {key.upper().replace('-', '_')} ") is GAMES[key]


def test_a_game_is_found_by_an_alias() -> None:
    assert find("ohhell") is find("Oh Hell") is GAMES["oh-hell"]
    assert not GAMES.keys() & ALIASES.keys()
    assert set(ALIASES.values()) <= GAMES.keys()


def test_an_unknown_game_is_refused_with_the_list() -> None:
    with pytest.raises(BadOption, match="oh-hell") as refused:
        find("whist")
    assert refused.value.code == "game.unknown"


@pytest.mark.parametrize("key", sorted(GAMES))
def test_a_game_plays_with_its_defaults_at_every_size(key: str) -> None:
    rules = GAMES[key]
    for seats in rules.seats:
        options = settle(rules.options, {})
        rules.check(options, seats)
        assert hash(rules.start(seats, options)) == hash(rules.start(seats, options))
