"""Golden playthroughs: the files under tests/playthroughs say what the rules have always done.

After a change that is meant: `python -m p2pcards.testing.playthrough --rewrite FILE ...`, and read
the difference.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from p2pcards.games import GAMES
from p2pcards.testing.playthrough import Head, main, read_head, record

FOLDER = Path(__file__).parent.parent / "playthroughs"
FILES = sorted(FOLDER.glob("*.txt"))


def heads() -> dict[Path, Head]:
    return {path: read_head(path.read_text(encoding="utf-8")) for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_playthrough_is_as_recorded(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert record(read_head(text)) == text


@pytest.mark.parametrize("key", sorted(GAMES))
def test_every_game_and_option_has_a_playthrough(key: str) -> None:
    played = [head for head in heads().values() if head.game == key]
    assert any(not head.options for head in played), "none with the defaults"
    options = {name for head in played for name in head.options}
    assert options == {option.name for option in GAMES[key].options}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_option_changes_the_course(path: Path) -> None:
    head = heads()[path]
    course = record(head).split("\n\n", 1)[1]
    for name in head.options:
        fewer = {option: value for option, value in head.options.items() if option != name}
        assert record(replace(head, options=fewer)).split("\n\n", 1)[1] != course, name


def test_a_difference_is_told_and_rewritten_only_on_demand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    golden = FILES[0].read_text(encoding="utf-8")
    copy = tmp_path / "copy.txt"
    copy.write_text(golden + "seat 0: ready\n", encoding="utf-8")
    assert main([str(copy)]) == 1
    assert "differs" in capsys.readouterr().out
    assert copy.read_text(encoding="utf-8") != golden
    assert main(["--rewrite", str(copy)]) == 0
    assert copy.read_text(encoding="utf-8") == golden
    assert main([str(copy)]) == 0
