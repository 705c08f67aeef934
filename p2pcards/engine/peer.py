"""A peer: one seat's duties on top of a match. Events in, effects out; no clock, no socket.

`handle(event, now)` gives effects in the order in which they must happen: what is written comes
before what is sent, so that a crash can never make an honest peer sign two different things. Debts
are seen and paid without being asked; nothing that another peer asks for is ever obeyed but the
repetition of what was published already. protocol.md sections 6, 10.3 and 11.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any

from p2pcards.cards.faces import Face
from p2pcards.cards.table import Seat, Slot
from p2pcards.crypto.group import Rng
from p2pcards.crypto.signing import Identity
from p2pcards.engine.chain import Contribution, Offer, pack_envelope, read_contribution
from p2pcards.engine.dues import CommitDue, MoveDue
from p2pcards.engine.events import (
    Append,
    Chose,
    Compute,
    Computed,
    Effect,
    Event,
    Keep,
    Left,
    Received,
    Send,
    Show,
    Stopped,
    Tick,
    Ticket,
    Wake,
)
from p2pcards.engine.frames import Courier, read_frame, read_record, sign_record
from p2pcards.engine.match import Match, Reading
from p2pcards.engine.obligations import Job
from p2pcards.engine.purse import Payment, Purse
from p2pcards.engine.reading import read
from p2pcards.engine.view import SeatView, look
from p2pcards.errors import IllegalMove, Malformed, SeatFault, StaleChoice
from p2pcards.wire.codec import encode
from p2pcards.wire.messages import (
    DOMAIN_CONTRIBUTION,
    Alive,
    Bye,
    FaultReport,
    RecordFrame,
    Want,
)

WANT_FIRST, WANT_FACTOR, WANT_LAST = 0.4, 1.6, 2.0
"""Seconds until a missing contribution is asked for, growth of the wait, and its bound."""
ALIVE_EVERY = 2.0
"""Seconds between two signs of life."""
ANSWER_STEPS, ANSWER_MESSAGES, ANSWER_EVERY = 16, 64, 0.1
"""Most steps and messages in one answer to a `Want`, and how often (s) one seat gets an answer."""
ECHO_EVERY, ECHO_STEPS = 1.0, 4
"""When somebody's history differs: how often (s) and how many of our last steps are sent again, so
that whoever signed two histories is found out."""


class Peer:
    """One seat of a match.

    `known` are the faces that this seat alone has seen in this hand. `dropped` counts messages that
    were nobody's provable fault, by code. `heard` is when each seat's last sign of life came,
    `reached` the step that it had come to by its own signature. `verified` counts the proofs of
    others that held, by the kernel's verb.
    """

    def __init__(self, match: Match, identity: Identity, rng: Rng) -> None:
        seat = match.agreement.seat_of(identity.public)
        if seat is None:
            raise ValueError("this identity has no seat at the table")
        self.match = match
        self.seat: Seat = seat
        self.known: dict[Slot, Face] = {}
        self.dropped: Counter[str] = Counter()
        self.heard: dict[Seat, float] = {}
        self.reached: dict[Seat, int] = {}
        self.verified: Counter[str] = Counter()
        self.left: set[Seat] = set()
        self.done: set[Seat] = set()
        self.verdict: SeatFault | None = None
        self._identity = identity
        self._purse = Purse(match, seat, rng)
        self._courier = Courier(match.chain.table, match.chain.keys)
        self._place = match.agreement.draft.place
        self._readings: dict[Ticket, Reading] = {}
        self._inbox: deque[bytes] = deque()
        self._effects: list[Effect] = []
        self._step = -1
        self._busy = False
        self._shown = False
        self._hand = 0
        self._attempt = 0
        self._want_at = 0.0
        self._alive_at = 0.0
        self._echo_at = 0.0
        self._answer_at: dict[Seat, float] = {}

    # --- events in, effects out -------------------------------------------------------------------

    def start(self, now: float) -> list[Effect]:
        """The first effects."""
        return self.handle(Tick(), now)

    def handle(self, event: Event, now: float) -> list[Effect]:
        """What follows from an event. Raises `LocalError` for a choice that is refused here."""
        match event:
            case Received(message):
                self._receive(message, now)
            case Chose(option, at):
                self._choose(option, at)
            case Computed(ticket, result):
                self._computed(ticket, result)
            case Tick():
                pass
        self._work(now)
        self._tick(now)
        if not self._shown:
            self._shown = True
            self._effects.append(Show(self.view()))
        return self._take_effects()

    def goodbye(self, finished: bool) -> list[Effect]:
        """Tells the others that this peer leaves."""
        self._record(f"alive/{self.seat}", Bye(self._place, finished))
        return self._take_effects()

    def view(self) -> SeatView:
        """What this seat sees now."""
        return look(
            self.match.rules,
            self.match.state,
            self.match.dealer.table,
            self.seat,
            self.known,
            awaits=self.match.awaits,
            pack=self.match.dealer.pack,
            seats=self.match.seats,
            step=self.match.chain.step,
            owes=self._owes_choice(),
        )

    def evidence(self) -> Iterator[bytes]:
        """The envelopes of a fault file: the closed steps, what was accepted of the open one, and
        what convicts."""
        yield from self.match.chain.envelopes()
        for seat in sorted(self.match.accepted):
            yield self.match.accepted[seat].contribution.envelope
        if self.verdict is not None:
            yield from self.verdict.evidence

    # --- messages ---------------------------------------------------------------------------------

    def _receive(self, message: bytes, now: float) -> None:
        try:
            frame = read_frame(message)
            if isinstance(frame, RecordFrame):
                self._take_record(frame, now)
            elif (envelope := self._courier.take(frame)) is not None:
                self._inbox.append(envelope)
        except Malformed as error:
            self.dropped[error.code] += 1

    def _take_record(self, frame: RecordFrame, now: float) -> None:
        seat = self.match.agreement.seat_of(frame.key)
        if seat is None:
            raise Malformed("malformed.stranger", "a record of somebody without a seat")
        record = read_record(frame)
        if record.place != self._place:
            raise Malformed("malformed.place", "a record of another table")
        if seat == self.seat:
            return
        match record:
            case Alive(_, step, _):
                self.heard[seat] = now
                self._reach(seat, step)
                if step > self.match.chain.step:
                    self._want_at = min(self._want_at, now + WANT_FIRST / 2)
            case Want(_, step, seats, attempt):
                if now >= self._answer_at.get(seat, 0.0):
                    self._answer_at[seat] = now + ANSWER_EVERY
                    self._answer(step, seats, attempt)
            case Bye(_, finished):
                (self.done if finished else self.left).add(seat)
                if not finished and not self.match.finished:
                    self._effects.append(Left(seat))
            case _:
                pass  # lobby records are for the lobby; a fault report is only a hint

    def _answer(self, step: int, seats: tuple[Seat, ...], attempt: int) -> None:
        """Repeats what was published: at first only our own, then everything; and the verdict,
        for whoever has not heard it is waiting for somebody who has."""
        if self.verdict is not None:
            self._convict(self.verdict)
        chain = self.match.chain
        wanted = [c for seat in seats if (c := chain.find(step, seat)) is not None]
        for later in range(step + 1, min(step + ANSWER_STEPS, chain.step + 1)):
            wanted.extend(chain.at(later))
        if attempt < 2:
            wanted = [c for c in wanted if c.seat == self.seat]
        self._repeat(wanted)

    def _repeat(self, contributions: list[Contribution]) -> None:
        room = ANSWER_MESSAGES
        for contribution in contributions:
            author = self._identity if contribution.seat == self.seat else None
            messages = self._courier.messages(contribution, author)
            room -= len(messages)
            if room < 0:
                return
            topic = f"seat/{contribution.seat}"
            self._effects.extend(Send(topic, message) for message in messages)

    # --- contributions ----------------------------------------------------------------------------

    def _work(self, now: float) -> None:
        """Takes in what has arrived, and pays what a new step asks, until nothing more follows."""
        while True:
            if self.match.chain.step != self._step:
                self._step = self.match.chain.step
                self._attempt = 0
                self._want_at = now + WANT_FIRST
                self._learn()
                self._pay()
                self._shown = False
            elif self._inbox:
                self._take(self._inbox.popleft(), now)
            else:
                return

    def _take(self, envelope: bytes, now: float) -> None:
        if self.match.finished:
            return  # what is signed after the last agreement changes nothing
        try:
            offer, contribution = self.match.offer(envelope)
            if offer is Offer.TAKEN:
                self._read(contribution)
            elif offer is Offer.FOREIGN:
                self._echo(now)
        except Malformed as error:
            self.dropped[error.code] += 1
        except SeatFault as fault:
            self._stop(fault)

    def _read(self, contribution: Contribution) -> None:
        reading = read(self.match, contribution)
        if contribution.seat == self.seat or not reading.jobs:
            self._accept(reading)
            return
        ticket = Ticket(contribution.step, contribution.seat, check=True)
        self._readings[ticket] = reading
        self._effects.append(Compute(ticket, self._checking(reading.jobs)))

    def _echo(self, now: float) -> None:
        """Somebody's history differs from ours: show ours again."""
        if now >= self._echo_at:
            self._echo_at = now + ECHO_EVERY
            chain = self.match.chain
            last = range(max(0, chain.step - ECHO_STEPS), chain.step + 1)
            self._repeat([c for step in last for c in chain.at(step)])

    def _checking(self, jobs: tuple[Job, ...]) -> Callable[[], Any]:
        kernel = self.match.kernel

        def check() -> tuple[Job, str] | None:
            for job in jobs:
                error = job.run(kernel)
                if error is not None:
                    return job, error.code
            return None

        return check

    def _reach(self, seat: Seat, step: int) -> None:
        self.reached[seat] = max(step, self.reached.get(seat, 0))

    def _accept(self, reading: Reading) -> None:
        if reading.contribution.seat != self.seat:
            self._effects.append(Append(reading.contribution.envelope, own=False))
        self._reach(reading.contribution.seat, reading.contribution.step)
        self._inbox.extend(self.match.accept(reading))

    def _computed(self, ticket: Ticket, result: Any) -> None:
        if isinstance(result, BaseException):
            raise result
        if not ticket.check:
            if self.verdict is None:
                self._publish(result)
            return
        reading = self._readings.pop(ticket)
        try:
            if result is None:
                self.verified.update(job.verb for job in reading.jobs)
                self._accept(reading)
            else:
                job, code = result
                evidence = (reading.contribution.envelope,)
                raise SeatFault(ticket.seat, ticket.step, job.code, evidence, code)
        except SeatFault as fault:
            self._stop(fault)

    # --- our own duties ---------------------------------------------------------------------------

    def _owes_choice(self) -> bool:
        due = self.match.due
        asks = isinstance(due, MoveDue) or (isinstance(due, CommitDue) and due.sides is None)
        return asks and not self._busy and self.seat in self.match.chain.missing

    def _pay(self) -> None:
        """Starts whatever this seat owes to the open step and needs no choice."""
        due = self.match.due
        if due is None or self.verdict or self.seat not in self.match.chain.missing:
            return
        if not self._owes_choice():
            self._start(self._purse.pay(due, self.known))
        elif isinstance(due, MoveDue | CommitDue) and due.forced:
            self._choose(self.view().options[0].id, self.match.chain.step)

    def _choose(self, option: str, at: int) -> None:
        step = self.match.chain.step
        if at != step or self.verdict or not self._owes_choice():
            raise StaleChoice(detail=f"made at step {at}, the table is at {step}")
        choice = next((c for c in self.view().options if c.id == option), None)
        if choice is None:
            raise IllegalMove("choice.unknown", option)
        if isinstance(self.match.due, CommitDue):
            self._start(self._purse.seal(choice.move))
        else:
            self._start(self._purse.move(choice.move, self.known))
        self._shown = False

    def _start(self, payment: Payment) -> None:
        self._busy = True
        if payment.keep is not None:
            self._effects.append(Keep(payment.keep))
        if payment.work is None:
            self._publish(payment.body)
        else:
            ticket = Ticket(self.match.chain.step, self.seat, check=False)
            self._effects.append(Compute(ticket, payment.work))

    def _publish(self, body: object) -> None:
        """Signs our contribution to the open step; it then goes the way of everybody's."""
        chain = self.match.chain
        packed = encode(chain.payload(self.seat, chain.kind, body))
        envelope = pack_envelope(packed, self._identity.sign(DOMAIN_CONTRIBUTION, packed))
        self._busy = False
        self._effects.append(Append(envelope, own=True))
        topic = f"seat/{self.seat}"
        messages = self._courier.messages(read_contribution(envelope), self._identity)
        self._effects.extend(Send(topic, message) for message in messages)
        self._inbox.appendleft(envelope)

    def _learn(self) -> None:
        """Reads the cards that only our key is left on."""
        dealer = self.match.dealer
        if dealer.hand != self._hand:
            self._hand = dealer.hand
            self.known = {}
        alone = frozenset((self.seat,))
        for slot, masked in dealer.masked.items():
            if slot not in self.known and masked.layer.keys == alone:
                self.known[slot] = self._purse.read(masked.layer.mask)

    # --- faults -----------------------------------------------------------------------------------

    def _stop(self, fault: SeatFault) -> None:
        """A seat is convicted. Where several are, equivocation comes first, then the smallest step
        and seat, so that all peers end with one verdict."""
        if self.verdict is not None and self.verdict.order <= fault.order:
            return
        self.verdict = fault
        self._convict(fault)
        self._effects.append(Stopped(fault))

    def _convict(self, fault: SeatFault) -> None:
        topic = f"seat/{fault.seat}"
        for envelope in fault.evidence:
            messages = self._courier.messages(read_contribution(envelope))
            self._effects.extend(Send(topic, message) for message in messages)
        report = FaultReport(self._place, fault.step, fault.seat, fault.code[:60])
        self._record("fault", report)

    # --- time -------------------------------------------------------------------------------------

    def _record(self, topic: str, record: object) -> None:
        self._effects.append(Send(topic, sign_record(self._identity, record)))

    def _tick(self, now: float) -> None:
        match = self.match
        if now >= self._alive_at:
            self._alive_at = now + ALIVE_EVERY
            self._record(
                f"alive/{self.seat}", Alive(self._place, match.chain.step, match.chain.head)
            )
        missing = tuple(sorted(match.chain.missing - {self.seat}))
        if missing and now >= self._want_at:
            self._attempt += 1
            attempt = min(self._attempt, 255)  # a step may wait for a player for hours
            self._want_at = now + min(WANT_FIRST * WANT_FACTOR**attempt, WANT_LAST)
            self._record("want", Want(self._place, match.chain.step, missing, attempt))
        at = min(self._alive_at, self._want_at) if missing else self._alive_at
        self._effects.append(Wake(at))

    def _take_effects(self) -> list[Effect]:
        effects, self._effects = self._effects, []
        return effects
