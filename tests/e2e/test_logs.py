"""Logs that somebody has altered: refused, the place named, and never a traceback."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from p2pcards.crypto.kernel import RealKernel
from p2pcards.engine.audit import FAULT_MAGIC, HEADER_SIZE, Report, audit, pack_log
from p2pcards.engine.chain import Contribution, next_head, read_contribution
from p2pcards.shells import cli
from p2pcards.testing.cheaters import sign
from p2pcards.wire.messages import Kind
from tests.programs import Played, played

SAMPLE = 150
"""Bits to flip in one run, spread over a whole log."""


class Remembering(RealKernel):
    """The real kernel, which remembers what it has found good: logs that differ in one place have
    most of their proofs in common. What it found bad it looks at again."""

    def __init__(self) -> None:
        super().__init__()
        self._good: dict[tuple[str, Any], Any] = {}

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in VERBS:
            return found
        good = self._good

        def remembered(*args: Any) -> Any:
            key = (name, args)
            if key not in good:
                good[key] = found(*args)
            return good[key]

        return remembered


VERBS = ("check_key", "check_mix", "check_shares", "check", "opens_key", "recompute")


@pytest.fixture(name="kernel", scope="module")
def _kernel() -> RealKernel:
    kernel = Remembering()
    assert audit(played().log, kernel).verdict == "honest"
    return kernel


def spans(match: Played) -> Iterator[tuple[int, int, int]]:
    """Number (from 1), first byte and end of each envelope in the file, its length included."""
    offset = HEADER_SIZE
    for number, envelope in enumerate(match.envelopes, 1):
        yield number, offset, offset + 4 + len(envelope)
        offset += 4 + len(envelope)


def check_refused(report: Report) -> None:
    """Nobody is accused and nothing believed, and the place is named."""
    assert (report.verdict, report.fault) == ("unreadable", None), report.code
    assert report.code
    assert report.problem is not None
    assert report.problem.startswith("envelope ")


# --- flipped bits ---------------------------------------------------------------------------------


def bits() -> Iterator[int]:
    """Which bits to flip: every so many over the whole file, and in a few envelopes of each kind
    the beginning, the end, and everything around their fields."""
    match = played()
    size = 8 * len(match.log)
    yield from range(0, size, size // SAMPLE)
    seen: set[int] = set()
    for _, first, end in spans(match):
        kind = read_contribution(match.log[first + 4 : end]).payload.kind
        if kind not in seen:
            seen.add(kind)
            # length, frame, the beginning of the payload (version, table, step, prev), signature
            yield from (8 * (first + at) + at % 8 for at in (0, 3, 4, 5, 8, 9, 11, 45, 47, 90))
            yield from (8 * (end - back) for back in (1, 64, 66, 68))
    assert seen == {kind.value for kind in Kind} - {Kind.GIVEN}


def test_one_flipped_bit_anywhere_is_found(kernel: RealKernel) -> None:
    match = played()
    owner = {}
    for number, first, end in spans(match):
        owner.update(dict.fromkeys(range(first, end), number))
    count = 0
    for bit in bits():
        altered = bytearray(match.log)
        altered[bit // 8] ^= 1 << bit % 8
        report = audit(bytes(altered), kernel)
        check_refused(report)
        assert report.problem is not None
        count += 1
        number = owner.get(bit // 8, 0)
        named = int(report.problem.split(":")[0].removeprefix("envelope "))
        # A length that is wrong is noticed before its envelope is read, or in what follows it.
        assert named in (number - 1, number, number + 1), (bit, report.problem)
    assert count > SAMPLE + 100


def test_the_magic_alone_decides_what_a_file_is() -> None:
    for magic in (b"P2PLOG\0", b"P2PFLT\0"):
        for version in (0, 2, 255):
            report = audit(magic + bytes([version]) + played().log[HEADER_SIZE:], RealKernel())
            assert report.code == "log.version"
            check_refused(report)


# --- pieces ---------------------------------------------------------------------------------------


def test_a_truncated_log_is_refused_wherever_it_ends(kernel: RealKernel) -> None:
    match = played()
    for number, first, end in spans(match):
        for cut in {first, first + 2, first + 4, first + 5, end - 1}:
            report = audit(match.log[:cut], kernel)
            check_refused(report)
            assert report.code == "log.truncated"
            place = f"byte {first}" if cut > first else "step"
            assert place in str(report.problem) or number == 1
    assert audit(match.log, kernel).verdict == "honest"


def test_something_behind_the_end_is_refused(kernel: RealKernel) -> None:
    match = played()
    for more in (b"\0", b"\0\0\0\1\xc0", match.log[HEADER_SIZE:], bytes(100)):
        check_refused(audit(match.log + more, kernel))


def edited(change: Callable[[list[bytes]], object]) -> bytes:
    """The log after a change of its list of envelopes."""
    envelopes = list(played().envelopes)
    change(envelopes)
    return pack_log(envelopes)


def test_envelopes_in_another_order_missing_or_twice(kernel: RealKernel) -> None:
    count = len(played().envelopes)
    for i in range(count - 1):

        def swap(envelopes: list[bytes], i: int = i) -> None:
            envelopes[i], envelopes[i + 1] = envelopes[i + 1], envelopes[i]

        def drop(envelopes: list[bytes], i: int = i) -> None:
            del envelopes[i]

        def double(envelopes: list[bytes], i: int = i) -> None:
            envelopes.insert(i, envelopes[i])

        for change, codes in (
            (swap, {"log.order", "log.start"}),
            (drop, {"log.order", "log.truncated"}),
            (double, {"log.order"}),
        ):
            report = audit(edited(change), kernel)
            check_refused(report)
            assert report.code in codes


def test_two_logs_spliced(kernel: RealKernel) -> None:
    """Of two matches, and of two histories of one table."""
    match, other = played(), played(seed=2)
    for at in range(1, len(match.envelopes)):
        mixed = audit(pack_log([*match.envelopes[:at], *other.envelopes[at:]]), kernel)
        check_refused(mixed)
        assert mixed.code in ("malformed.table", "log.order")
    place, body = next(places(match))
    story = rewritten(match, place, body, {0, 1, 2})
    for at in range(place, len(match.envelopes) - 1):
        mixed = audit(pack_log([*match.envelopes[: at + 1], *story[at + 1 :]]), kernel)
        check_refused(mixed)
        assert mixed.code == "log.spliced"


# --- signatures of some ---------------------------------------------------------------------------


def contributions(match: Played) -> list[Contribution]:
    """What was signed, in order."""
    return [read_contribution(envelope) for envelope in match.envelopes]


def rewritten(match: Played, place: int, body: Any, who: set[int]) -> list[bytes]:
    """A history that begins to differ in one contribution, with everything after it that these
    seats sign made to fit; the others' envelopes are all that there is of theirs."""
    made: list[bytes] = []
    hashes: list[bytes] = []
    head, step = contributions(match)[0].payload.table, 0
    for index, old in enumerate(contributions(match)):
        if old.step != step:
            head, step, hashes = next_head(head, hashes), old.step, []
        envelope = old.envelope
        if index >= place and old.seat in who:
            changed = body if index == place else old.payload.body
            payload = replace(old.payload, prev=head, body=changed)
            envelope = sign(match.identities[old.seat], payload)
        made.append(envelope)
        hashes.append(read_contribution(envelope).hash)
    return made


def places(match: Played) -> Iterator[tuple[int, Any]]:
    """Contributions that somebody might like to have made otherwise, and how."""
    seen: set[int] = set()
    for index, each in enumerate(contributions(match)):
        kind, body = each.payload.kind, each.payload.body
        if kind not in seen and kind in (Kind.KEY_COMMIT, Kind.COMMIT, Kind.MOVE):
            seen.add(kind)
            if kind == Kind.MOVE:
                (tag, tricks), *rest = body
                yield index, ((tag, 1 - tricks), *rest)  # the other bid of a hand of one card
            else:
                yield index, (bytes(len(body[0])), *body[1:])


def test_a_log_rebuilt_and_signed_again_by_one_player(kernel: RealKernel) -> None:
    match = played()
    found = list(places(match))
    assert len(found) == 3
    for place, body in found:
        author = contributions(match)[place].seat
        story = rewritten(match, place, body, {author})
        assert sum(a != b for a, b in zip(story, match.envelopes, strict=True)) > 1
        report = audit(pack_log(story), kernel)
        check_refused(report)
        assert report.code == "log.spliced"
        assert "signed another history before step" in str(report.problem)


def test_all_but_one_rewrite_and_the_one_has_a_copy(kernel: RealKernel) -> None:
    """The others can tell another story only up to where the one's signature is needed; and their
    own earlier signatures, in the one's copy, convict them."""
    match = played()
    place, body = next(
        (p, b) for p, b in places(match) if contributions(match)[p].payload.kind == Kind.MOVE
    )
    old = contributions(match)[place]
    victim = next(seat for seat in (0, 1, 2) if seat != old.seat)
    story = rewritten(match, place, body, {0, 1, 2} - {victim})
    report = audit(pack_log(story), kernel)
    check_refused(report)
    assert report.code == "log.spliced"
    assert f"seat {victim} signed another history" in str(report.problem)
    without = [e for i, e in enumerate(story) if i < place or read_contribution(e).seat != victim]
    check_refused(audit(pack_log(without), kernel))
    new = read_contribution(story[place])
    assert (new.step, new.seat) == (old.step, old.seat)
    assert new.hash != old.hash  # so the heads differ from here on
    convicts = audit(pack_log([*match.envelopes, story[place]], FAULT_MAGIC), kernel)
    assert convicts.fault is not None
    assert (convicts.fault.code, convicts.fault.seat) == ("chain.equivocation", old.seat)


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 7, 8, 200, 20_000, -1], ids=str)
def test_the_command_refuses_an_altered_log(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    place: int,
) -> None:
    altered = bytearray(played().log)
    altered[place] ^= 1
    (tmp_path / "a.p2plog").write_bytes(altered)
    monkeypatch.setattr(sys, "argv", ["p2pcards", "audit", str(tmp_path / "a.p2plog"), "--json"])
    assert cli.main() == cli.UNREADABLE
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["verdict"] == "unreadable"
    assert document["problem"].startswith("envelope ")
    assert err == ""
