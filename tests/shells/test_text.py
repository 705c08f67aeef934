"""Words for people: every code has some, and the rules of every game are told with all options."""

from __future__ import annotations

import inspect

import pytest

from p2pcards import errors
from p2pcards.errors import BadOption, IllegalMove, P2PCardsError
from p2pcards.games import GAMES
from p2pcards.games.oh_hell import Phase
from p2pcards.shells.text import CATALOGUES, explain, rules_text, say
from p2pcards.shells.text.en import WORDS

CLASSES = [
    c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, P2PCardsError)
]


@pytest.mark.parametrize("language", sorted(CATALOGUES))
def test_every_error_has_words(language: str) -> None:
    for code in {error.code for error in CLASSES}:
        assert say(code, language) != code


@pytest.mark.parametrize(
    "code",
    [
        "bid.hook",
        "bid.range",
        "card.not_held",
        "game.unknown",
        "option.conflict",
        "option.seats",
        "option.unknown",
        "option.value",
        "phase.wrong",
        "play.must_follow",
        "play.must_trump",
        "strategy.unknown",
        "turn.not_yours",
        *(f"phase.{phase.value}" for phase in Phase),
    ],
)
def test_codes_of_games_have_words_of_their_own(code: str) -> None:
    assert code in WORDS


def test_a_code_without_words_speaks_for_its_branch() -> None:
    assert say("malformed.size") == WORDS["malformed"]
    assert say("crypto.proof") == WORDS["crypto"]
    assert say("no.such.thing") == "no.such.thing"


def test_an_error_is_explained() -> None:
    assert explain(IllegalMove("bid.hook")) == WORDS["bid.hook"]
    told = explain(BadOption(detail="hook=yes"))
    assert told == f"{WORDS['option.value']} (hook=yes)"


@pytest.mark.parametrize("language", sorted(CATALOGUES))
@pytest.mark.parametrize("key", sorted(GAMES))
def test_the_rules_are_told_with_every_option(key: str, language: str) -> None:
    rules = GAMES[key]
    text = rules_text(rules, language)
    assert text.startswith(f"# {rules.title}\n")
    for option in rules.options:
        assert f"* `{option.name}` ({option.describe()}" in text
        assert option.text in text
        if option.default is not None:
            assert f"default {option.write(option.default)})" in text
