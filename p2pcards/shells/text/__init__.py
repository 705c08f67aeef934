"""Words for people: error codes, phases, and the rules of each game.

Codes are stable names for programs; here they become sentences. The catalogue is a plain dict per
language, the rules of a game are a Markdown file named after its key. Knows no terminal.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from p2pcards.cards.rules import Option, Rules
from p2pcards.errors import P2PCardsError
from p2pcards.shells.text import en

CATALOGUES: Mapping[str, Mapping[str, str]] = {"en": en.WORDS}


def say(code: str, language: str = "en") -> str:
    """The words for a code; for one without words of its own those of its branch
    (`malformed.size`, `malformed`), and the code itself where there is no branch either."""
    words = CATALOGUES[language]
    branch = code
    while branch:
        if branch in words:
            return words[branch]
        branch = branch.rpartition(".")[0]
    return code


def explain(error: P2PCardsError, language: str = "en") -> str:
    """A sentence for an error, with its detail in brackets where there is one."""
    words = say(error.code, language)
    return f"{words} ({error.detail})" if error.detail else words


def rules_text(rules: Rules[Any, Any], language: str = "en") -> str:
    """The rules of a game as they are implemented, in Markdown, with all options."""
    name = f"{rules.key.replace('-', '_')}.{language}.md"
    text = files(__name__).joinpath(name).read_text(encoding="utf-8")
    options = "\n".join(_describe(option) for option in rules.options)
    return f"{text.rstrip()}\n\n## {say('rules.options', language)}\n\n{options}\n"


def _describe(option: Option) -> str:
    default = "" if option.default is None else f", default {option.write(option.default)}"
    return f"* `{option.name}` ({option.describe()}{default}): {option.text}"
