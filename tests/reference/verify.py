"""Whole logs and fault files of Oh Hell, verified in plain integers from protocol.md alone:
signatures, chain, agreement, all proofs, rules, openings and scores (sections 2, 8.2, 8.3, 12).

    python tests/reference/verify.py FILE

prints a report as JSON; exit codes as in section 12.2.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.reference.bytes_ import (
    BODIES,
    DRAFT,
    ENVELOPE,
    LARGEST_ENVELOPE,
    PAYLOAD,
    SIT,
    Malformed,
    digest,
    envelopes,
    read,
)
from tests.reference.group import has_canonical_s, is_identity_key
from tests.reference.match import Fault, Match, Place
from tests.reference.oh_hell import OPTIONS, Line, accepts

LOG, FAULTS = b"P2PLOG\x00", b"P2PFLT\x00"
MOST_AHEAD = 256
DOMAIN = b"p2pcards/1 contribution"
HONEST, DISHONEST, UNREADABLE = "honest", "dishonest", "unreadable"
EXIT_CODES = {HONEST: 0, DISHONEST: 1, UNREADABLE: 3}


@dataclass(frozen=True, slots=True)
class Player:
    """Who sat where."""

    name: str
    key: bytes
    fingerprint: str


@dataclass(slots=True)
class Report:
    """What came out. A fault is (seat, step, code); hands count from 1."""

    verdict: str = UNREADABLE
    problem: str | None = None
    fault: tuple[int, int, str] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    players: list[Player] = field(default_factory=list)
    signatures: int = 0
    steps: int = 0
    hands: int = 0
    unopened_hands: list[int] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)
    places: tuple[int, ...] | None = None
    points: tuple[int, ...] | None = None
    sheet: list[Line] = field(default_factory=list)


# --- agreement ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the first SIT says."""

    table: bytes
    sit: list[Any]
    options: dict[str, Any]
    table_options: dict[str, Any]
    players: list[Player]


def _settings(settings: list[list[Any]], names: list[str]) -> dict[str, Any]:
    if [name for name, _ in settings] != names:
        raise Malformed("options are not those of the game, sorted")
    return dict(settings)


def agreement(envelope: bytes) -> Agreement:
    """The agreement that the first envelope of a file states; it is not yet signed by anybody."""
    payload = read(read(envelope, ENVELOPE, LARGEST_ENVELOPE)[0], PAYLOAD)
    _, _, step, _, _, kind, body = payload
    if (step, kind) != (0, SIT) or not BODIES[SIT](body):
        raise Malformed("the first envelope is no SIT of step 0")
    draft, nonces = body
    version, _, _, game, options, table_options, roster = read(draft, DRAFT, 8192)
    if version != 1 or game != "oh-hell":
        raise Malformed("another version or game")
    rules = _settings(options, sorted(OPTIONS))
    around = _settings(table_options, ["hands", "openings"])
    hands, openings = around["hands"], around["openings"]
    if type(hands) is not int or not 0 <= hands <= 999 or openings not in ("after-hand", "never"):
        raise Malformed("table options")
    keys = [key for key, _, _ in roster]
    if not accepts(len(roster), rules) or len(set(keys)) != len(keys):
        raise Malformed("the game does not take these options or this roster")
    if not all(map(is_identity_key, keys)):
        raise Malformed("an identity key")
    if [commitment for _, _, commitment in roster] != [digest("nonce", n) for n in nonces]:
        raise Malformed("a nonce does not fit its commitment")
    table = digest("table", draft, nonces)
    seated = sorted(roster, key=lambda player: digest("seat", table, player[0]))
    players = [Player(name, key, fingerprint(key)) for key, name, _ in seated]
    return Agreement(table, body, rules, around, players)


def fingerprint(key: bytes) -> str:
    """Six words for people to compare (section 2.6)."""
    tag = digest("fingerprint", key)[:12]

    def word(number: int) -> str:
        consonants, vowels = "bdfghjklmnprstvz", "aiou"
        return (
            consonants[number >> 12]
            + vowels[number >> 10 & 3]
            + consonants[number >> 6 & 15]
            + vowels[number >> 4 & 3]
            + consonants[number & 15]
        )

    return " ".join(word(int.from_bytes(tag[i : i + 2], "big")) for i in range(0, 12, 2))


# --- the chain ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contribution:
    """An envelope that could be read and is signed."""

    step: int
    prev: bytes
    seat: int
    kind: int
    body: Any
    hash: bytes


class Chain:
    """The closed steps of a match, and the open one."""

    def __init__(self, agreed: Agreement) -> None:
        self.agreed = agreed
        around = agreed.table_options
        self.match = Match(
            agreed.sit,
            len(agreed.players),
            agreed.options,
            around["hands"],
            around["openings"] == "after-hand",
        )
        self.heads = [agreed.table]
        self.signatures = 0
        self.stopped = False
        self._parts: dict[int, Contribution] = {}
        self._early: list[Contribution] = []
        self._seen: dict[tuple[int, int], bytes] = {}

    @property
    def open(self) -> int:
        """The number of the open step."""
        return len(self.heads) - 1

    def read(self, envelope: bytes) -> Contribution:
        """Rules 1 and 3 of section 2.4."""
        packed, signature = read(envelope, ENVELOPE, LARGEST_ENVELOPE)
        version, table, step, prev, seat, kind, body = read(packed, PAYLOAD)
        if version != 1 or table != self.agreed.table or seat >= len(self.agreed.players):
            raise Malformed("another version, table or seat")
        message = b"P2PCARDS-V1" + bytes([len(DOMAIN)]) + DOMAIN + packed
        key = Ed25519PublicKey.from_public_bytes(self.agreed.players[seat].key)
        try:
            key.verify(signature, message)
        except InvalidSignature:
            raise Malformed(f"signature of seat {seat} in step {step}") from None
        if not has_canonical_s(signature):
            raise Malformed("s of a signature")
        self.signatures += 1
        return Contribution(step, prev, seat, kind, body, digest("payload", packed))

    def offer(self, it: Contribution) -> None:
        """Rules 2 and 4 to 9 of section 2.4."""
        known = self._seen.get((it.step, it.seat))
        if known == it.hash:
            return
        if known is not None:
            raise Fault(it.seat, it.step, "chain.equivocation")
        if it.step > self.open + MOST_AHEAD:
            raise Malformed(f"step {it.step} while {self.open} is open")
        if it.step > self.open:
            self._seen[it.step, it.seat] = it.hash
            self._early.append(it)
        elif it.prev == self.heads[it.step]:
            self._take(it)
        elif not self.stopped:
            raise Malformed(f"another history before step {it.step}")

    def _take(self, it: Contribution) -> None:
        """Rules 7 to 9."""
        due = self.match.due
        if due is None and it.step == self.open:
            raise Malformed("something follows the last AGREE")
        if due is None or it.step < self.open or it.seat not in due.authors:
            raise Fault(it.seat, it.step, "chain.not_author")
        if it.kind != due.kind:
            raise Fault(it.seat, it.step, "chain.kind")
        self._seen[it.step, it.seat] = it.hash
        if self.stopped:
            return
        self.match.check(self._place(it), it.kind, it.body)
        self._parts[it.seat] = it
        if len(self._parts) == len(due.authors):
            self._close()

    def _place(self, it: Contribution) -> Place:
        return Place(self.agreed.table, it.step, it.prev, it.seat)

    def _close(self) -> None:
        step = [self._parts[seat] for seat in sorted(self._parts)]
        places, bodies = [self._place(it) for it in step], [it.body for it in step]
        self.match.close(step[0].kind, places, bodies)
        self.heads.append(digest("head", self.heads[-1], *(it.hash for it in step)))
        self._parts = {}
        waiting = [it for it in self._early if it.step == self.open]
        self._early = [it for it in self._early if it.step > self.open]
        for it in waiting:
            if it.prev == self.heads[-1]:
                self._take(it)


# --- files ----------------------------------------------------------------------------------------


def verify(log: bytes) -> Report:
    """The verdict on a log's or a fault file's bytes, whatever they are."""
    report = Report()
    try:
        if log[:7] == FAULTS:
            _read_faults(log, report)
        else:
            _read_log(log, report)
    except Malformed as problem:
        report.problem = str(problem)
    except Fault as fault:
        report.verdict = DISHONEST
        report.fault = (fault.seat, fault.step, fault.code)
    else:
        report.verdict = HONEST
    return report


def _begin(data: bytes, magic: bytes) -> tuple[Chain, list[bytes]]:
    listed = list(envelopes(data, magic))
    if not listed:
        raise Malformed("no envelope")
    return Chain(agreement(listed[0])), listed


def _read_log(data: bytes, report: Report) -> None:
    """Each envelope in its place, to the last AGREE."""
    chain, listed = _begin(data, LOG)
    _fill(report, chain)
    last = (-1, -1)
    for envelope in listed:
        it = chain.read(envelope)
        if chain.match.due is None:
            raise Malformed("something follows the last AGREE")
        if it.step != chain.open or (it.step, it.seat) <= last:
            raise Malformed(f"step {it.step}, seat {it.seat} where step {chain.open} is open")
        last = (it.step, it.seat)
        chain.offer(it)
        _fill(report, chain)
    if chain.match.due is not None:
        raise Malformed("the log ends before the match")


def _read_faults(data: bytes, report: Report) -> None:
    """The whole file: behind a fault that stops the match there may be one that comes first."""
    chain, listed = _begin(data, FAULTS)
    faults: list[Fault] = []
    for envelope in listed:
        try:
            chain.offer(chain.read(envelope))
        except Fault as fault:
            faults.append(fault)
            chain.stopped = True
    _fill(report, chain)
    if not faults:
        raise Malformed("a fault file that convicts nobody")
    raise min(faults, key=lambda f: (f.code != "chain.equivocation", f.step, f.seat))


def _fill(report: Report, chain: Chain) -> None:
    match = chain.match
    report.options = chain.agreed.options | chain.agreed.table_options
    report.players = chain.agreed.players
    report.signatures = chain.signatures
    report.steps = len(chain.heads) - 1
    report.hands = match.table.hands_begun
    report.unopened_hands = match.unopened
    report.checked = dict(match.checked)
    report.sheet = match.rules.sheet
    if match.due is None and match.result is not None:
        report.places, report.points = match.result.places, match.result.points


def main(arguments: list[str]) -> int:
    """The command."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    report = verify(Path(arguments[0]).read_bytes())
    print(json.dumps(asdict(report), default=bytes.hex, indent=2))
    return EXIT_CODES[report.verdict]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
