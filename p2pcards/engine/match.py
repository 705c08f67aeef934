"""The match: the fold of a log into table, rules state and outcome. It has no seat of its own.

Every peer, spectator and auditor runs the same fold. Accepting a contribution has two halves:
`reading.read` finds everything that can be found without curve arithmetic and names the proofs to
check as jobs; `Match.accept` takes the contribution whose jobs have passed. A step is applied as a
whole, in seat order, when its last contribution is in. protocol.md sections 6.3 to 6.5.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha512
from typing import Any

from p2pcards.cards.claims import NOTHING, Claim, simplify
from p2pcards.cards.rules import Await, Dealing, Moves, Over
from p2pcards.cards.table import Seat, Slot, Table
from p2pcards.crypto.kernel import Kernel
from p2pcards.crypto.transcript import Context
from p2pcards.engine.agreement import Agreement
from p2pcards.engine.chain import Chain, Contribution, Offer
from p2pcards.engine.dealer import Dealer
from p2pcards.engine.dues import (
    AgreeDue,
    CommitDue,
    Due,
    GiveDue,
    KeyCommitDue,
    KeyOpenDue,
    MixDue,
    MoveDue,
    OpenDue,
    RevealDue,
    SharesDue,
    SitDue,
)
from p2pcards.engine.moves import MessagePayer, try_move
from p2pcards.engine.obligations import Job
from p2pcards.errors import BadPoint, IllegalMove, SeatFault
from p2pcards.wire.codec import Plain, digest, from_tagged, pack
from p2pcards.wire.messages import KeyCommit, Kind, Move, Open


def mix_seed(seed: bytes, step: int) -> bytes:
    """The seed of one Mix from the hand seed, both 32 bytes (protocol.md section 5.2)."""
    return digest("mix", seed, step)


def commitment(ctx: Context, move: Plain, nonce: bytes) -> bytes:
    """The commitment to a sealed move (None: to a toss), bound to its author and step."""
    return digest("commit", ctx.pack("commit"), move, nonce)


def toss_result(table: bytes, step: int, nonces: Mapping[Seat, bytes], sides: int) -> int:
    """The joint random number: 512 bits over all openings in seat order, so that the bias is below
    2^-256 for any number of sides that may be asked for."""
    opened = tuple(nonces[seat] for seat in sorted(nonces))
    wide = sha512(pack(("toss", table, step, opened))).digest()
    return int.from_bytes(wide, "big") % sides


@dataclass(frozen=True, slots=True)
class Reading:
    """A contribution that is due and well-formed: its body, and the proofs still to check."""

    contribution: Contribution
    body: Any
    jobs: tuple[Job, ...]


@dataclass(frozen=True, slots=True)
class ClaimMade:
    """A claim that a seat proved, for the audit after the keys are open: `masks` are under the
    seat's own key."""

    step: int
    seat: Seat
    claim: Claim
    masks: Mapping[Slot, bytes]


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A move as it was applied, for whoever tells the story: the rules' state `before` and `after`
    it, the public table as the cards lay when it was made, with those it opens turned up, and the
    claim about hidden cards that was proven for it."""

    step: int
    seat: Seat
    move: Any
    before: Any
    after: Any
    table: Table
    claim: Claim


@dataclass(frozen=True, slots=True)
class MixMade:
    """One seat's part of a Mix: recomputed once its seed is open."""

    step: int
    seat: Seat
    key: bytes
    before: tuple[bytes, ...]
    after: tuple[bytes, ...]


@dataclass(slots=True)
class Hand:
    """What has to be remembered of a hand until its keys are open, and the openings."""

    commits: dict[Seat, tuple[KeyCommit, Context]] = field(default_factory=dict)
    mixes: list[MixMade] = field(default_factory=list)
    claims: list[ClaimMade] = field(default_factory=list)
    opened: dict[Seat, Open] = field(default_factory=dict)


class Match:
    """A match as its log tells it.

    `state` and `dealer.table` are public knowledge; `due` is what the open step wants (None: the
    match is finished). `over` is the result once the game has ended. `sealed`: commitments of the
    sealed step under way. `accepted`: checked contributions to the open step. `old_keys`: hand
    keys of all hands so far; none serves twice. `watch` is told of every move as it is applied.
    """

    def __init__(self, agreement: Agreement, kernel: Kernel) -> None:
        self.agreement = agreement
        self.kernel = kernel
        self.rules = agreement.rules
        self.chain = Chain(agreement.table, [player.key for player in agreement.players])
        options = agreement.table_options
        self.dealer = Dealer(
            kernel,
            agreement.seats,
            openings=options["openings"] == "after-hand",
            hands=int(options["hands"] or 0),
        )
        self.state: Any = self.rules.start(agreement.seats, agreement.options)
        self.due: Due | None = SitDue(frozenset(range(agreement.seats)))
        self.over: Over | None = None
        self.hands: list[Hand] = []
        self.accepted: dict[Seat, Reading] = {}
        self.sealed: dict[Seat, tuple[bytes, Context]] = {}
        self.old_keys: set[bytes] = set()
        self.watch: Callable[[MoveMade], None] = lambda made: None
        self._dealing: Dealing | None = None
        self._blind: deque[tuple[Seat, int, Any]] = deque()

    @property
    def seats(self) -> int:
        """How many."""
        return self.agreement.seats

    @property
    def hand(self) -> Hand:
        """The hand being played."""
        return self.hands[-1]

    @property
    def finished(self) -> bool:
        """Whether everything has happened, to the last agreement."""
        return self.due is None

    @property
    def awaits(self) -> Await:
        """Whose turn it is. While the cards have one, rules are not asked: what lies on the table
        then is half of what they have said."""
        if self._dealing is not None:
            return self._dealing
        return self.rules.awaits(self.state, self.dealer.table)

    def context(self, seat: Seat) -> Context:
        """The proof context of a seat's contribution to the open step."""
        return Context(self.chain.table, self.chain.step, self.chain.head, seat)

    def offer(self, envelope: bytes) -> tuple[Offer, Contribution]:
        """See `Chain.offer`."""
        return self.chain.offer(envelope)

    def accept(self, reading: Reading) -> list[bytes]:
        """Takes a contribution whose jobs have passed. When it completes the step, applies the
        step and gives the early envelopes that belong to the next one, to be offered again."""
        self.accepted[reading.contribution.seat] = reading
        if self.accepted.keys() != self.chain.authors:
            return []
        self._apply([self.accepted[seat] for seat in sorted(self.accepted)])
        self.due = self._settle()
        self.accepted = {}
        if self.due is None:
            return self.chain.close(Kind.AGREE, frozenset())
        return self.chain.close(self.due.kind, self.due.authors)

    # --- applying a step --------------------------------------------------------------------------

    def _apply(self, readings: list[Reading]) -> None:
        bodies = {reading.contribution.seat: reading.body for reading in readings}
        match self.due:
            case MixDue(seat, key, before):
                masks = bodies[seat].masks
                self.hand.mixes.append(MixMade(self.chain.step, seat, key, before, masks))
                self.dealer.take_mix(masks)
            case SharesDue(owed):
                self.dealer.take_shares(
                    {
                        seat: dict(zip(slots, bodies[seat].shares, strict=True))
                        for seat, slots in owed.items()
                    }
                )
            case GiveDue(giver) as due:
                self.dealer.take_gift(due, bodies[giver].mask)
            case MoveDue():
                for reading in readings:
                    self._apply_move(reading, reading.body)
            case CommitDue():
                self.sealed = {
                    seat: (body.commitment, self.context(seat)) for seat, body in bodies.items()
                }
            case RevealDue(_, sides):
                self._apply_reveal(readings, sides)
            case KeyCommitDue():
                commits = {seat: (body, self.context(seat)) for seat, body in bodies.items()}
                self.hands.append(Hand(commits))
            case KeyOpenDue():
                self._apply_keys(readings)
            case OpenDue():
                self.hand.opened = bodies
            case SitDue() | AgreeDue() | None:
                pass

    def _apply_move(self, reading: Reading, body: Move) -> None:
        seat, step = reading.contribution.seat, self.chain.step
        move = from_tagged(body.move, self.rules.moves)
        payer = MessagePayer(self.dealer, self.context(seat), body)
        before, table = self.state, self.dealer.table
        try:
            outcome = try_move(self.rules, self.state, self.dealer, seat, move, payer)
        except IllegalMove as error:
            evidence = (reading.contribution.envelope,)
            raise SeatFault(seat, step, error.code, evidence, error.detail) from None
        if outcome.blind:
            self._blind.append((seat, step, move))
            return
        self.state = outcome.state
        faces = self.dealer.table.faces
        shown = {slot: faces[slot] for slot in self.rules.opens(move)}
        made = MoveMade(step, seat, move, before, self.state, table.turn_up(shown), outcome.claim)
        self.watch(made)
        if outcome.statement is not None:
            self.hand.claims.append(ClaimMade(step, seat, outcome.claim, outcome.masks))

    def _apply_reveal(self, readings: list[Reading], sides: int | None) -> None:
        self.sealed = {}
        if sides is None:
            for reading in readings:
                self._apply_move(reading, reading.body.move)
            return
        nonces = {reading.contribution.seat: reading.body.nonce for reading in readings}
        self.dealer.take_toss(toss_result(self.chain.table, self.chain.step, nonces, sides))

    def _apply_keys(self, readings: list[Reading]) -> None:
        try:
            self.dealer.take_keys({r.contribution.seat: r.body.key for r in readings})
        except BadPoint as error:
            guilty = int(error.detail)
            evidence = [r.contribution.envelope for r in readings if r.contribution.seat == guilty]
            raise SeatFault(guilty, self.chain.step, error.code, evidence) from None
        self.old_keys.update(self.dealer.keys.values())

    # --- what comes next --------------------------------------------------------------------------

    def _settle(self) -> Due | None:
        """Runs cards and rules until somebody owes something; None: all is done."""
        while True:
            due = self.dealer.advance()
            if due is not None:
                return due
            if self._blind:
                self._judge_blind(*self._blind.popleft())
            elif self.over is not None:
                return None
            elif self.dealer.stopped:
                self._end(self.rules.standing(self.state))
            elif self._dealing is not None:
                self._dealing = None
                self.state = self.rules.resume(self.state, self.dealer.table)
            else:
                due = self._ask_rules()
                if due is not None:
                    return due

    def _ask_rules(self) -> Due | None:
        awaits = self.rules.awaits(self.state, self.dealer.table)
        match awaits:
            case Moves(seats, True, forced):
                self.dealer.enqueue(
                    (
                        CommitDue(seats, None, forced),
                        AgreeDue(self.dealer.everyone),
                        RevealDue(seats, None),
                    )
                )
            case Moves(seats, _, forced):
                return MoveDue(seats, forced)
            case Dealing(ops):
                self._dealing = awaits
                self.dealer.enqueue(ops)
            case Over():
                self._end(awaits)
        return None

    def _end(self, result: Over) -> None:
        self.over = result
        self.dealer.finish()

    def _judge_blind(self, seat: Seat, step: int, move: Any) -> None:
        """The face that a blind move waited for is up: the ruling, at last."""
        try:
            ruling = self.rules.judge(self.state, self.dealer.table, seat, move)
        except IllegalMove as error:
            raise SeatFault(seat, step, error.code, (), error.detail) from None
        if simplify(ruling.claim, self.dealer.table.faces) != NOTHING:
            raise ValueError("a blind move cannot carry a claim about hidden cards")
        before, self.state = self.state, ruling.state
        table = self.dealer.table
        self.watch(MoveMade(step, seat, move, before, self.state, table, NOTHING))
        self.dealer.enqueue(ruling.ops)
