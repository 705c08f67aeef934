"""Logs and fault files of earlier builds are read today as they were read then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from p2pcards.crypto.kernel import RealKernel
from p2pcards.engine.audit import audit, audit_fault

HERE = Path(__file__).parent
LOGS = sorted(path.stem for path in HERE.glob("*.p2plog"))
FAULTS = sorted(path.stem for path in HERE.glob("*.p2pfault"))


def stored(name: str) -> dict[str, Any]:
    """The report of then."""
    report: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return report


def test_there_are_some() -> None:
    """An empty folder would pass the tests below."""
    assert len(LOGS) >= 5
    assert len(FAULTS) >= 5


# [AUDIT-1], [AUDIT-2] and [AUDIT-6] of protocol.md
@pytest.mark.parametrize("name", LOGS)
def test_the_report_of_a_log(name: str) -> None:
    """Byte for byte the same result, counts and score sheet."""
    report = audit((HERE / f"{name}.p2plog").read_bytes(), RealKernel()).as_json()
    assert json.loads(json.dumps(report)) == stored(name)
    assert report["verdict"] == "honest"


# [AUDIT-3] of protocol.md
@pytest.mark.parametrize("name", FAULTS)
def test_the_report_of_a_fault_file(name: str) -> None:
    """The same verdict; the detail is for developers and may be put in other words."""
    report = audit_fault((HERE / f"{name}.p2pfault").read_bytes(), RealKernel()).as_json()
    now, then = json.loads(json.dumps(report)), stored(name)
    for each in (now, then):
        each["fault"].pop("detail")
    assert now == then
    assert now["verdict"] == "dishonest"
