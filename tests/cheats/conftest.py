"""The game of the engine's tests is at hand in all of them."""

import pytest

from p2pcards.games import GAMES
from tests.engine.bazaar import Bazaar


@pytest.fixture(autouse=True)
def _bazaar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, Bazaar.key, Bazaar())
