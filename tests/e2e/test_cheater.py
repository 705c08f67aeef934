"""A player that revokes, at a table of processes: stopped by everyone, named, and convicted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from p2pcards.crypto.kernel import RealKernel
from p2pcards.engine.audit import audit
from tests import programs
from tests.programs import start

TABLE = ("--seats", "4", "--bots", "1", "--name", "Ada", "--hands", "3")
LONG = ("--option", "sequence=down", "--option", "max_hand=6")
"""Hands in which somebody can soon play off suit."""


@pytest.mark.parametrize(
    "proof",
    [
        "other",
        pytest.param("missing", marks=pytest.mark.slow),
        pytest.param("forged", marks=pytest.mark.slow),
        pytest.param("replayed", marks=pytest.mark.slow),
    ],
)
def test_a_revoking_player_is_stopped_and_named_by_everyone(tmp_path: Path, proof: str) -> None:
    homes = [tmp_path / name for name in ("Ada", "Bob", "Eve")]
    for home in homes:
        home.mkdir()
    with start(homes[0], programs.play(*TABLE, *LONG)) as ada:
        place = ada.wait_for("without discovery").split()[-1]
        cheating = [sys.executable, "-m", "tests.e2e.cheating_peer", place, proof]
        with (
            start(homes[1], programs.join(place, "--name", "Bob", "--json")) as bob,
            start(homes[2], cheating) as eve,
        ):
            honest = (ada, bob)
            assert [each.end() for each in honest] == [1, 1], (ada.said, bob.said)
            eve.end()
            error = json.loads(bob.out)["error"]
    accusations = {
        next(line for line in each.said if "broke the protocol" in line) for each in honest
    }
    (accusation,) = accusations
    assert accusation.startswith("p2pcards: Eve (seat ")
    files = [next(home.glob("*.p2pfault")) for home in homes[:2]]
    fault, other = (audit(file.read_bytes(), RealKernel()).fault for file in files)
    assert fault is not None
    assert fault == other
    assert f"(seat {fault.seat})" in accusation
    assert accusation.rstrip().endswith(f"at step {fault.step}")
    assert error["code"] == fault.code
    audited = programs.run(tmp_path, "audit", str(files[0]))
    assert audited.returncode == 1
    assert audited.stdout.startswith(f"DISHONEST: seat {fault.seat}, Eve, at step {fault.step}")
