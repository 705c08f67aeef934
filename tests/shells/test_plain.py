"""Views as JSON: every game's can be written down, and none says what its seat may not know."""

from __future__ import annotations

import json
from random import Random

import pytest

from p2pcards.games import GAMES
from p2pcards.shells.plain import move_plain, view_plain
from p2pcards.testing.referee import Referee


@pytest.mark.parametrize("key", GAMES)
def test_a_view_is_json_and_holds_only_what_its_seat_knows(key: str) -> None:
    rules, rng = GAMES[key], Random(5)
    referee = Referee.deal(rules, max(4, rules.seats[0]), rng=rng)
    for _ in range(120):
        if referee.outcome is not None:
            break
        seat = rng.choice(sorted(referee.owing))
        view = referee.view(seat)
        document = json.loads(json.dumps(view_plain(view)))
        known = {**view.public.faces, **referee.known[seat]}
        for pile in document["piles"]:
            for card in pile["cards"]:
                face = known.get(card["slot"])
                assert (card["face"] is None) == (face is None)
                assert card["up"] == (card["slot"] in view.public.faces)
        moves = [option["move"] for option in document["legal"]]
        assert moves == [move_plain(choice.move, view.pack) for choice in view.options]
        assert len({json.dumps(move) for move in moves}) == len(moves)
        referee.choose(seat, rng.choice(view.options).id)
