"""The games of the house, by key. A new game is a module here and one line in `GAMES`.

Rules import `cards` and nothing else: no cryptography, no bytes, no input or output.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from p2pcards.cards.rules import Rules
from p2pcards.errors import BadOption
from p2pcards.games.cuckoo import Cuckoo
from p2pcards.games.oh_hell import OhHell
from p2pcards.games.president import President
from p2pcards.games.rovhult import Rovhult
from p2pcards.games.twopart import Twopart

GAMES: dict[str, Rules[Any, Any]] = {
    rules.key: rules for rules in (OhHell(), Rovhult(), Twopart(), President(), Cuckoo())
}

ALIASES: Mapping[str, str] = MappingProxyType(
    {"ohhell": "oh-hell", "shithead": "rovhult", "rovhul": "president", "gnav": "cuckoo"}
)
"""Other names by which a person may ask for a game; never on the wire."""


def find(key: str) -> Rules[Any, Any]:
    """The rules of a game by its key or an alias; `BadOption` names the games there are.

    Case does not matter, and `_` and spaces stand for `-`.
    """
    name = key.strip().lower().replace("_", "-").replace(" ", "-")
    rules = GAMES.get(ALIASES.get(name, name))
    if rules is None:
        raise BadOption("game.unknown", f"{key}: there are {', '.join(GAMES)}")
    return rules
