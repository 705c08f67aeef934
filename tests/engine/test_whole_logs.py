"""Logs as files: only a whole and unaltered one is honest, and any bytes end in a verdict."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest

from p2pcards.cards.table import TRICK, hand
from p2pcards.crypto.formula import Formula, fold, proof_size
from p2pcards.crypto.transcript import Context
from p2pcards.engine.audit import FAULT_MAGIC, LOG_MAGIC, Report, audit, pack_log, record
from p2pcards.games.oh_hell import Phase, Play
from p2pcards.testing.cheaters import Cheater
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import Kind, Move
from tests.cheats.arena import arena, on
from tests.engine.rooms import check_agreed, room


@cache
def envelopes(seed: int = 1) -> tuple[bytes, ...]:
    """A whole log of one hand."""
    network = room("oh-hell", 3, OpenKernel(), seed, hands=1)
    network.run()
    return tuple(check_agreed(network).chain.envelopes())


def verdict(data: bytes) -> Report:
    """What the audit says, which never raises."""
    return audit(data, OpenKernel())


# [AUDIT-2] of protocol.md
def test_a_whole_log_is_honest() -> None:
    report = verdict(pack_log(envelopes()))
    assert (report.verdict, report.code, report.fault) == ("honest", None, None)
    assert report.checks["signatures"] == len(envelopes())


# [AUDIT-2], [LOG-2] of protocol.md
def test_a_flipped_bit_is_nobodys_fault() -> None:
    """One bit of every byte of the file."""
    data = pack_log(envelopes())
    rng = Random(1)
    for place in rng.sample(range(len(data)), 400):
        altered = bytearray(data)
        altered[place] ^= 1 << rng.randrange(8)
        report = verdict(bytes(altered))
        assert report.verdict == "unreadable", place
        assert report.problem


# [AUDIT-2], [LOG-2] of protocol.md
def test_a_truncated_log_is_not_whole() -> None:
    """Cut behind any envelope, or inside of one; the last agreement counts."""
    for count in range(len(envelopes())):
        report = verdict(pack_log(envelopes()[:count]))
        assert (report.verdict, report.code) == ("unreadable", "log.truncated")
    data = pack_log(envelopes())
    for missing in range(1, 300, 7):
        assert verdict(data[:-missing]).code == "log.truncated"


# [LOG-2] of protocol.md
@pytest.mark.parametrize("cut", [0, 1, 5, 20])
def test_two_logs_do_not_join(cut: int) -> None:
    other = envelopes(2)
    assert verdict(pack_log([*envelopes()[:cut], *other[cut:]])).verdict == (
        "honest" if cut == 0 else "unreadable"
    )


# [LOG-2] of protocol.md
def test_nothing_follows_the_end() -> None:
    assert verdict(pack_log(envelopes()) + record(envelopes()[-1])).code == "log.trailing"
    assert verdict(pack_log(envelopes()) + b"\0").verdict == "unreadable"


# [AUDIT-4] of protocol.md
def test_any_bytes_end_in_a_verdict() -> None:
    rng = Random(2)
    starts = [b"", LOG_MAGIC + b"\1", FAULT_MAGIC + b"\1", pack_log(envelopes()[:3])]
    for start in starts:
        for length in (0, 1, 3, 4, 100, 1000):
            assert verdict(start + rng.randbytes(length)).verdict == "unreadable"
    assert verdict(LOG_MAGIC + b"\1" + record(b"\x91" * 100_000)).verdict == "unreadable"
    assert verdict(LOG_MAGIC + b"\1" + b"\xff" * 8).verdict == "unreadable"


# [AUDIT-4] of protocol.md
def test_a_fault_file_without_a_fault_convicts_nobody() -> None:
    report = verdict(pack_log(envelopes(), FAULT_MAGIC))
    assert (report.verdict, report.code) == ("unreadable", "fault.unproven")


class Gullible(OpenKernel):
    """Believes every proof of a claim."""

    def check(self, ctx: Context, public: bytes, formula: Formula, proof: bytes) -> None:
        """Does not look."""


def revoke(peer: Cheater, _: Any) -> Move | None:
    """A card of another suit although the led one is in the hand, where that can be."""
    table = peer.match.dealer.table
    trick = table[TRICK]
    if peer.match.state.phase is not Phase.PLAY or not trick:
        return None
    led, held = table.face(trick[0]).suit, table[hand(peer.seat)]
    off = [slot for slot in held if peer.known[slot].suit != led]
    if not 0 < len(off) < len(held):
        return None
    statement = peer.plan(Play(off[0])).statement
    assert statement is not None
    return peer.move(Play(off[0]), bytes(proof_size(fold(statement))))


# [AUDIT-5] of protocol.md
def test_claims_are_checked_on_the_cards_themselves() -> None:
    """Where nobody looks at proofs, not even the auditor, a revoke comes out with the openings."""
    kernel = Gullible()
    cheats = {1: on(Kind.MOVE, revoke)}
    network = arena(cheats, kernel, options={"sequence": "down", "max_hand": 5})
    network.run(600)
    report = audit(pack_log(network.nodes[0].peer.match.chain.envelopes()), kernel)
    assert (report.verdict, report.code) == ("dishonest", "claim.false_in_the_open")
    assert report.fault is not None
    assert report.fault.seat == 1
