"""Whole tables of bots in a process of their own over real brokers, and audits of their logs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests import programs
from tests.e2e.brokers import mosquitto

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "plain": (),
    "hook": ("--option", "hook=true"),
    "must_trump": ("--option", "must_trump=true"),
    "simultaneous": ("--option", "bidding=simultaneous"),
    "up_down": ("--option", "sequence=up_down"),
    "never": ("--openings", "never"),
}
"""What a matrix is run over, and how each is asked for."""


def check_table(home: Path, seats: int, hands: int, more: Sequence[str]) -> None:
    """Plays, and audits: everybody is honest and the scores are those that were told."""
    size = ("--seats", str(seats), "--bots", str(seats), "--hands", str(hands))
    played = programs.run(
        home,
        *("play", "oh-hell", "--headless", "--json", "--log", "a.p2plog", *size, *more),
        within=600,
    )
    assert played.returncode == 0, played.stderr
    result = json.loads(played.stdout)
    assert len(result["players"]) == len(result["points"]) == seats
    assert hands in (0, len(result["sheet"]))
    audited = programs.run(home, "audit", "a.p2plog", "--json")
    assert audited.returncode == 0, audited.stdout
    report = json.loads(audited.stdout)
    assert report["verdict"] == "honest"
    assert report["points"] == result["points"]
    assert report["sheet"] == result["sheet"]
    assert [player["name"] for player in report["players"]] == result["players"]
    dealt = len(result["sheet"])
    assert report["checks"]["proofs of shuffle"] == seats * dealt
    never = "never" in more
    assert report["unopened_hands"] == (list(range(1, dealt + 1)) if never else [])
    opened = report["checks"].get("shuffles recomputed from their seeds", 0)
    assert opened == (0 if never else seats * dealt)


@pytest.mark.parametrize(
    "seats, hands, options",
    [
        (4, 2, ("plain",)),
        (3, 2, ("hook", "never")),
        (7, 1, ("plain",)),
        (3, 2, ("simultaneous", "must_trump", "up_down")),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else str(value),
)
def test_a_few_hands(tmp_path: Path, seats: int, hands: int, options: tuple[str, ...]) -> None:
    check_table(tmp_path, seats, hands, [word for name in options for word in OPTIONS[name]])


@pytest.mark.slow
@pytest.mark.parametrize("option", OPTIONS)
def test_a_whole_match_of_four(tmp_path: Path, option: str) -> None:
    check_table(tmp_path, 4, 0, OPTIONS[option])


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 7])
@pytest.mark.parametrize("option", OPTIONS)
def test_a_match_of_three_or_seven(tmp_path: Path, seats: int, option: str) -> None:
    """To the end; with an option, hands of up to four cards are enough."""
    shorter = () if option == "plain" else ("--option", "max_hand=4")
    check_table(tmp_path, seats, 0, (*OPTIONS[option], *shorter))


@pytest.mark.mosquitto
def test_a_few_hands_over_mosquitto(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as url:
        check_table(tmp_path, 4, 2, ("--broker", url))


@pytest.mark.slow
@pytest.mark.mosquitto
@pytest.mark.parametrize("seats", [3, 4, 7])
def test_a_match_over_mosquitto(tmp_path: Path, seats: int) -> None:
    whole = () if seats == 4 else ("--option", "max_hand=4")
    with mosquitto(tmp_path) as url:
        check_table(tmp_path, seats, 0, ("--broker", url, *whole))
