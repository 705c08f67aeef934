"""Two verifiers that share no line agree on every stored log and fault file."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from p2pcards.crypto.kernel import RealKernel
from p2pcards.engine.audit import audit
from tests.reference.bytes_ import envelopes
from tests.reference.verify import LOG, Report, main, verify

HERE = Path(__file__).parent
LOGS = HERE.parent / "logs"
MODULES = (
    "bytes_",
    "group",
    "match",
    "oh_hell",
    "shuffle",
    "sigma",
    "table",
    "transcript",
    "verify",
)
QUICK = "one-hand"
SUITS = {None: None, 1: "c", 2: "d", 3: "h", 4: "s"}


def patient(names: Iterable[str]) -> list[Any]:
    """All but the quick log wait for --slow."""
    return [name if name == QUICK else pytest.param(name, marks=pytest.mark.slow) for name in names]


NAMES = sorted(path.stem for path in LOGS.glob("*.p2plog"))
FAULTS = sorted(path.stem for path in LOGS.glob("*.p2pfault"))


def log(name: str) -> bytes:
    """A stored log."""
    return (LOGS / f"{name}.p2plog").read_bytes()


def stored(name: str) -> dict[str, Any]:
    """What the audit says of a stored file."""
    report: dict[str, Any] = json.loads((LOGS / f"{name}.json").read_text(encoding="utf-8"))
    return report


def told(report: Report) -> dict[str, Any]:
    """A report of the second verifier, in the words of the first."""
    checks = {
        "signatures": report.signatures,
        "steps": report.steps,
        "proofs about hidden cards": report.checked.get("claims", 0),
        "claims checked on opened cards": report.checked.get("claims opened", 0),
    }
    players = [
        {"seat": i, "name": p.name, "key": p.key.hex(), "fingerprint": p.fingerprint}
        for i, p in enumerate(report.players)
    ]
    sheet = [
        {
            "hand": number,
            "cards": line.cards,
            "dealer": line.dealer,
            "trump": SUITS[line.trump],
            "bids": list(line.bids),
            "tricks": list(line.tricks),
            "points": list(line.points),
            "totals": list(line.totals),
        }
        for number, line in enumerate(report.sheet, 1)
    ]
    return {
        "verdict": report.verdict,
        "options": report.options,
        "players": players,
        "checks": {name: count for name, count in checks.items() if count},
        "hands": report.hands,
        "unopened_hands": report.unopened_hands,
        "places": list(report.places or ()),
        "points": list(report.points or ()),
        "sheet": sheet,
    }


# [AUDIT-2] of protocol.md
@pytest.mark.parametrize("name", patient(NAMES))
def test_both_tell_the_same_of_a_log(name: str) -> None:
    report = told(verify(log(name)))
    first = stored(name)
    first["checks"] = {n: c for n, c in first["checks"].items() if n in report["checks"]}
    assert report == {field: first[field] for field in report}
    assert report["verdict"] == "honest"


# [AUDIT-3] and [FAULT-4] of protocol.md
@pytest.mark.parametrize("name", FAULTS)
def test_both_convict_the_same_seat(name: str) -> None:
    report = verify((LOGS / f"{name}.p2pfault").read_bytes())
    first = stored(name)["fault"]
    assert report.verdict == "dishonest"
    assert report.fault == (first["seat"], first["step"], first["code"])


def packed(listed: Iterable[bytes]) -> bytes:
    """A log of these envelopes."""
    parts = (len(each).to_bytes(4, "big") + each for each in listed)
    return LOG + b"\x01" + b"".join(parts)


def tampered(data: bytes) -> dict[str, bytes]:
    """Copies that nobody signed. A second verifier needs time for what is before the fault, so
    most of it is near the beginning."""
    listed = list(envelopes(data, LOG))
    flipped = {
        f"bit of byte {at}": data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]
        for at in (3, 9, 60, 600, 2000, 4000)
    }
    return flipped | {
        "exchanged": packed([*listed[:3], listed[4], listed[3], *listed[5:]]),
        "left out": packed([*listed[:7], *listed[8:]]),
        "twice": packed([*listed[:7], *listed[6:]]),
        "cut": data[:3000],
        "no first": packed(listed[1:]),
        "nothing": b"",
        "magic alone": data[:8],
    }


# [LOG-2], [AUDIT-4] of protocol.md
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("how", sorted(tampered(log(QUICK))))
def test_both_refuse_a_tampered_log(name: str, how: str) -> None:
    data = tampered(log(name))[how]
    assert audit(data, RealKernel()).verdict == "unreadable"
    assert verify(data).verdict == "unreadable"


# [HAND-6] of protocol.md
@pytest.mark.parametrize("name", patient(NAMES))
def test_both_want_the_last_agree_and_nothing_after_it(name: str) -> None:
    listed = list(envelopes(log(name), LOG))
    for data in (packed(listed[:-1]), packed([*listed, listed[-1]])):
        assert audit(data, RealKernel()).verdict == "unreadable"
        assert verify(data).verdict == "unreadable"


@pytest.mark.parametrize("a, b", [("one-hand", "never-opened"), ("never-opened", "one-hand")])
def test_both_refuse_a_splice(a: str, b: str) -> None:
    first, second = list(envelopes(log(a), LOG)), list(envelopes(log(b), LOG))
    data = packed([*first[:12], *second[12:]])
    assert audit(data, RealKernel()).verdict == "unreadable"
    assert verify(data).verdict == "unreadable"


def test_a_program_of_its_own() -> None:
    """It runs as the file that it is, from anywhere."""
    command = [sys.executable, str(HERE / "verify.py"), str(LOGS / "twin-key.p2pfault")]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["fault"] == [1, 6, "key.twin"]


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As section 12.2 has them."""
    other = tmp_path / "other"
    other.write_bytes(b"something")
    assert main([]) == 2
    assert main([str(other)]) == 3
    assert json.loads(capsys.readouterr().out)["verdict"] == "unreadable"


@pytest.mark.parametrize("module", MODULES)
def test_it_shares_nothing_with_the_first(module: str) -> None:
    """The standard library, signatures, and itself: neither p2pcards nor its MessagePack."""
    tree = ast.parse((HERE / f"{module}.py").read_text(encoding="utf-8"))
    names = [a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names]
    names += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    own = tuple(f"tests.reference.{each}" for each in MODULES)
    for name in names:
        top = name.partition(".")[0]
        assert (
            top in sys.stdlib_module_names
            or top == "cryptography"
            or name in own
            or (name == "tests.reference")
        ), name
