"""The audit: folds a log through a match and says what was checked and what came out.

A log is judged from its bytes alone. Three answers: honest; dishonest, with who, what and which
step; or unreadable, when the bytes are not a whole log on which the players' signatures stand, so
that nobody is proven anything. A fault file is a log whose last envelopes convict somebody.
protocol.md section 12.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from p2pcards.cards.claims import holds
from p2pcards.cards.faces import Face
from p2pcards.cards.rules import Over, Value
from p2pcards.cards.table import Slot
from p2pcards.crypto.kernel import Kernel
from p2pcards.engine.agreement import Agreement
from p2pcards.engine.chain import Contribution, Offer, read_contribution
from p2pcards.engine.dues import OpenDue
from p2pcards.engine.fingerprint import fingerprint
from p2pcards.engine.match import ClaimMade, Hand, Match, Reading
from p2pcards.engine.reading import read
from p2pcards.errors import BadOption, CryptoError, LogError, Malformed, SeatFault
from p2pcards.wire.codec import MAX_BYTES, from_plain
from p2pcards.wire.messages import Kind, Sit

LOG_MAGIC, FAULT_MAGIC, JOURNAL_MAGIC = b"P2PLOG\0", b"P2PFLT\0", b"P2PJRN\0"
CONTAINER_VERSION = 1
HEADER_SIZE = len(LOG_MAGIC) + 1

CHECKS: Mapping[str, str] = {
    "check_key": "proofs that a hand key is its author's own",
    "check_mix": "proofs of shuffle",
    "check_shares": "proofs of decryption shares",
    "check_give": "proofs of hidden hand-overs",
    "check": "proofs about hidden cards",
    "opens_key": "hand keys opened",
    "recompute": "shuffles recomputed from their seeds",
}
"""What each kernel verb is called in a report."""


# --- the container --------------------------------------------------------------------------------


def header(magic: bytes) -> bytes:
    """The first bytes of a file: magic and version."""
    return magic + bytes((CONTAINER_VERSION,))


def record(envelope: bytes) -> bytes:
    """One envelope in a file: its length (4 bytes, big-endian) and itself."""
    return len(envelope).to_bytes(4, "big") + envelope


def pack_log(envelopes: Iterable[bytes], magic: bytes = LOG_MAGIC) -> bytes:
    """A whole file."""
    return header(magic) + b"".join(record(envelope) for envelope in envelopes)


def unpack_log(data: bytes, magic: bytes) -> Iterator[bytes]:
    """The envelopes of a file; `LogError` names the byte where it stops being one."""
    if data[: len(magic)] != magic:
        raise LogError("log.magic", "byte 0: not a file of this kind")
    if len(data) < HEADER_SIZE or data[HEADER_SIZE - 1] != CONTAINER_VERSION:
        raise LogError("log.version", f"byte {HEADER_SIZE - 1}: not version {CONTAINER_VERSION}")
    offset = HEADER_SIZE
    while offset < len(data):
        length = int.from_bytes(data[offset : offset + 4], "big")
        if len(data) < offset + 4 or length > len(data) - offset - 4:
            raise LogError("log.truncated", f"byte {offset}: the file ends inside an envelope")
        if length > MAX_BYTES + 256:
            raise LogError("log.envelope", f"byte {offset}: an envelope of {length} bytes")
        yield data[offset + 4 : offset + 4 + length]
        offset += 4 + length


# --- the report -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fault:
    """Who broke what, and where."""

    seat: int
    step: int
    code: str
    detail: str


@dataclass
class Report:
    """What an audit found.

    `verdict`: `honest`, `dishonest` or `unreadable`. `checks`: how often each thing was checked.
    `unopened`: hands (counted from 1) whose keys were not opened, so that only proofs speak for
    them. `problem`: why the file cannot be read, with the place.
    """

    verdict: str = "unreadable"
    problem: str | None = None
    code: str | None = None
    fault: Fault | None = None
    game: str | None = None
    table: str | None = None
    options: Mapping[str, Value] = field(default_factory=dict)
    players: Sequence[Mapping[str, Any]] = ()
    checks: Counter[str] = field(default_factory=Counter)
    hands: int = 0
    unopened: list[int] = field(default_factory=list)
    over: Over | None = None
    sheet: Sequence[Mapping[str, object]] = ()

    def as_json(self) -> dict[str, Any]:
        """The report as plain values, with a `schema` number."""
        return {
            "schema": 1,
            "verdict": self.verdict,
            "code": self.code,
            "problem": self.problem,
            "fault": None
            if self.fault is None
            else {
                "seat": self.fault.seat,
                "step": self.fault.step,
                "code": self.fault.code,
                "detail": self.fault.detail,
            },
            "game": self.game,
            "table": self.table,
            "options": dict(self.options),
            "players": [dict(player) for player in self.players],
            "checks": dict(self.checks),
            "hands": self.hands,
            "unopened_hands": self.unopened,
            "places": None if self.over is None else list(self.over.places),
            "points": None
            if self.over is None or self.over.points is None
            else list(self.over.points),
            "sheet": [dict(row) for row in self.sheet],
        }


# --- the audit ------------------------------------------------------------------------------------


def audit(data: bytes, kernel: Kernel) -> Report:
    """Audits a log or a fault file, whichever the bytes are. Never raises for what is in them."""
    if data[: len(FAULT_MAGIC)] == FAULT_MAGIC:
        return audit_fault(data, kernel)
    return audit_log(data, kernel)


def audit_log(data: bytes, kernel: Kernel) -> Report:
    """Audits a log."""
    auditor = Auditor(kernel)
    return auditor.run(lambda: auditor.fold_log(unpack_log(data, LOG_MAGIC)))


def audit_fault(data: bytes, kernel: Kernel) -> Report:
    """Audits a fault file: `dishonest` when it convicts, `unreadable` when it does not."""
    auditor = Auditor(kernel)
    return auditor.run(lambda: auditor.fold_fault(unpack_log(data, FAULT_MAGIC)))


class Auditor:
    """Folds envelopes and fills a report."""

    def __init__(self, kernel: Kernel) -> None:
        self.report = Report()
        self._kernel = kernel
        self._match: Match | None = None
        self._number = 0

    def run(self, fold: Any) -> Report:
        """The report after a fold, whatever happens in it."""
        report = self.report
        try:
            fold()
            report.verdict = "honest"
        except SeatFault as fault:
            report.verdict, report.code = "dishonest", fault.code
            report.fault = Fault(fault.seat, fault.step, fault.code, fault.detail)
        except (LogError, Malformed, BadOption, CryptoError) as error:
            report.code = error.code
            report.problem = f"envelope {self._number}: {error.detail or error.code}"
        if self._match is not None:
            report.hands = self._match.dealer.hand
            report.over = self._match.over
            report.sheet = self._match.rules.sheet(self._match.state)
        return report

    def fold_log(self, envelopes: Iterable[bytes]) -> None:
        """A whole log: every envelope in order, up to the last agreement."""
        last = (-1, -1)
        for envelope in envelopes:
            contribution = self._next(envelope)
            match = self._begun(contribution)
            place = (contribution.step, contribution.seat)
            if match.finished:
                raise LogError("log.trailing", "the match ended before this")
            if contribution.step != match.chain.step or place <= last:
                raise LogError(
                    "log.order",
                    f"step {place[0]} of seat {place[1]} where step {match.chain.step} is open",
                )
            last = place
            offer, contribution = match.offer(envelope)
            if offer is Offer.FOREIGN:
                raise LogError(
                    "log.spliced",
                    f"seat {place[1]} signed another history before step {place[0]}",
                )
            self._accept(match, contribution)
        if self._match is None:
            raise LogError("log.truncated", "no envelope at all")
        if not self._match.finished:
            chain = self._match.chain
            raise LogError(
                "log.truncated",
                f"the log ends at step {chain.step}, where seats {sorted(chain.missing)} owe "
                f"{chain.kind.name.lower()}",
            )

    def fold_fault(self, envelopes: Iterable[bytes]) -> None:
        """A log up to the point where it convicts. Only a `SeatFault` ends this well. What is bad
        by itself may be half of a double signature: all is read before the verdict."""
        found: SeatFault | None = None
        for envelope in envelopes:
            match = self._begun(self._next(envelope))
            try:
                offer, contribution = match.offer(envelope)
                if offer is Offer.TAKEN and found is None:
                    self._accept(match, contribution)
            except SeatFault as fault:
                found = fault if found is None else min(found, fault, key=lambda each: each.order)
                continue
            if offer is Offer.FOREIGN and found is None:
                raise LogError("log.spliced", "an envelope of another history")
        if found is not None:
            raise found
        raise LogError("fault.unproven", "nothing in this file convicts anybody")

    def _next(self, envelope: bytes) -> Contribution:
        self._number += 1
        return read_contribution(envelope)

    def _begun(self, contribution: Contribution) -> Match:
        """The match; the first envelope of a file carries its agreement."""
        if self._match is None:
            payload = contribution.payload
            if payload.step != 0 or payload.kind != Kind.SIT:
                raise LogError("log.start", "the file does not begin with a table agreement")
            sit = from_plain(Sit, payload.body)
            self._match = self._open(Agreement.of(sit.draft, sit.nonces))
        return self._match

    def _open(self, agreement: Agreement) -> Match:
        report = self.report
        report.game = agreement.draft.game
        report.table = agreement.table.hex()
        report.options = {**agreement.options, **agreement.table_options}
        report.players = [
            {"seat": seat, "name": p.name, "key": p.key.hex(), "fingerprint": fingerprint(p.key)}
            for seat, p in enumerate(agreement.players)
        ]
        return Match(agreement, self._kernel)

    def _accept(self, match: Match, contribution: Contribution) -> None:
        checks = self.report.checks
        checks["signatures"] += 1
        reading = read(match, contribution)
        for job in reading.jobs:
            error = job.run(self._kernel)
            if error is not None:
                raise SeatFault(contribution.seat, contribution.step, job.code, (), error.code)
            checks[CHECKS[job.verb]] += 1
        self._count(contribution, reading)
        opening = isinstance(match.due, OpenDue)
        step = match.chain.step
        match.accept(reading)
        if match.chain.step != step:
            checks["steps"] += 1
            if opening:
                self._check_claims(match.hand)
        if Kind(contribution.payload.kind) is Kind.KEY_OPEN and not match.dealer.openings:
            hand = match.dealer.hand
            if hand not in self.report.unopened:
                self.report.unopened.append(hand)

    def _count(self, contribution: Contribution, reading: Reading) -> None:
        checks = self.report.checks
        match Kind(contribution.payload.kind):
            case Kind.AGREE:
                checks["agreements on the head"] += 1
            case Kind.MOVE:
                checks["moves"] += 1
            case Kind.REVEAL:
                checks["commitments opened"] += 1
                checks["moves"] += reading.body.move is not None
            case Kind.SHARES:
                checks["decryption shares"] += len(reading.body.shares)
            case _:
                pass

    def _check_claims(self, hand: Hand) -> None:
        """Every claim of the hand once more, on the cards themselves: independent of the proofs."""
        for claim in hand.claims:
            if not self._is_true(claim, hand.opened[claim.seat].key):
                raise SeatFault(claim.seat, claim.step, "claim.false_in_the_open")
            self.report.checks["claims checked on opened cards"] += 1

    def _is_true(self, made: ClaimMade, key: bytes) -> bool:
        if self._match is None:
            raise ValueError("no match")
        faces = self._match.dealer.faces

        def face(slot: Slot) -> Face:
            attributes = self._kernel.read(made.masks[slot], key, faces)
            if attributes is None:
                raise SeatFault(made.seat, made.step, "card.unknown")
            return Face(*attributes)

        return holds(made.claim, face)
