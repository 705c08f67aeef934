"""Bots in other languages: a real conversation over two pipes, and answers that are none."""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from p2pcards.errors import Unavailable
from p2pcards.shells.script import Peer, Table
from p2pcards.shells.stdio import LINE_LIMIT, TRIES, Conversation
from tests import programs

ROOT = Path(__file__).parents[2]


def converse(answers: str) -> list[dict[str, object]]:
    """What the other program is asked and told; its answers are all there from the start."""
    questions = io.StringIO()

    async def match() -> None:
        async with Peer("Ada", seed=1) as peer:
            table: Table = await peer.host("oh-hell", seats=3, bots=2, hands=1)
            await Conversation(io.StringIO(answers), questions).play(table)

    try:
        asyncio.run(match())
    finally:
        asked = [json.loads(line) for line in questions.getvalue().splitlines()]
    return asked


def test_ids_and_moves_are_answers() -> None:
    said = converse('{"move": "o0"}\n{"move": "o0"}\n{"move": {"type": "ready"}}\n')
    kinds = [document["type"] for document in said]
    assert kinds[-1] == "result"
    assert set(kinds) == {"decide", "result"}


@pytest.mark.parametrize(
    "senseless",
    ["", "gibberish", "[]", '{"move": 7}', '{"move": "o99"}', "[" * 5000, "x" * (LINE_LIMIT - 1)],
)
def test_an_answer_that_is_none_is_told_and_asked_again(senseless: str) -> None:
    said = converse(senseless + '\n{"move": "o0"}\n{"move": "o0"}\n{"move": "o0"}\n')
    kinds = [document["type"] for document in said]
    assert kinds[:3] == ["decide", "error", "decide"]
    assert said[1]["code"] == "choice.unknown"
    assert kinds[-1] == "result"


@pytest.mark.parametrize(
    "answers,code", [("", "bot.gone"), ("no\n" * (TRIES + 1), "bot.senseless")]
)
def test_a_program_that_is_gone_or_senseless_is_given_up(answers: str, code: str) -> None:
    with pytest.raises(Unavailable) as refusal:
        converse(answers)
    assert refusal.value.code == code


def test_the_example_plays_a_seat(tmp_path: Path) -> None:
    with programs.start(
        tmp_path, programs.play("--seats", "3", "--bots", "1", "--hands", "1", "--name", "Ada")
    ) as host:
        place = host.wait_for("without discovery").split()[-1]
        example = subprocess.run(
            [sys.executable, str(ROOT / "scripts/example_bot.py"), place, "--name", "Bo"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "P2PCARDS_PROFILE": str(tmp_path / "bo"),
                "P2PCARDS_INTERFACE": "127.0.0.1",
            },
        )
        assert example.returncode == 0, example.stderr
        assert "place " in example.stderr
        assert host.end(20) == 0
