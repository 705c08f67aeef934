"""The slow verifier, written from protocol.md alone, and the auditor agree on whole logs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from p2pcards.crypto.kernel import RealKernel
from p2pcards.engine.audit import audit
from tests.reference.curve import Refused
from tests.reference.oh_hell_log import verify

LOGS = Path(__file__).parent.parent / "logs"
QUICK = ("one-hand",)
NAMES = sorted(path.stem for path in LOGS.glob("*.p2plog"))


def log(name: str) -> bytes:
    """The bytes of a stored log."""
    return (LOGS / f"{name}.p2plog").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_log_still_audits_as_it_did(name: str) -> None:
    stored = json.loads((LOGS / f"{name}.json").read_text(encoding="utf-8"))
    report = audit(log(name), RealKernel()).as_json()
    assert json.loads(json.dumps(report)) == stored


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in NAMES]
)
def test_both_verifiers_find_the_same(name: str) -> None:
    report = audit(log(name), RealKernel())
    result = verify(log(name))
    assert report.over is not None
    assert tuple(result.points) == report.over.points
    assert (result.hands, result.steps) == (report.hands, report.checks["steps"])
    assert result.claims == report.checks["proofs about hidden cards"]


@pytest.mark.parametrize("place", [9, 600, 5000, 20000, -40])
def test_both_refuse_a_flipped_bit(place: int) -> None:
    data = bytearray(log(QUICK[0]))
    data[place] ^= 4
    assert audit(bytes(data), RealKernel()).verdict == "unreadable"
    with pytest.raises(Refused):
        verify(bytes(data))
