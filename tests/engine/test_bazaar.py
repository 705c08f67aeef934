"""Every operation through real matches, step by step the same as a referee who sees all cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from p2pcards.cards.faces import Face
from p2pcards.cards.ops import Mix, Op, Toss
from p2pcards.cards.table import Seat, Slot, hand
from p2pcards.crypto.kernel import Kernel, RealKernel
from p2pcards.engine.audit import audit_log, pack_log
from p2pcards.engine.chain import read_contribution
from p2pcards.engine.dues import GiveDue, MixDue, RevealDue, SharesDue
from p2pcards.engine.match import Match
from p2pcards.engine.reading import read
from p2pcards.testing.network import Network
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.testing.referee import Referee
from p2pcards.wire.codec import from_tagged
from p2pcards.wire.messages import Kind, Move
from tests.engine.bazaar import Bazaar, Phase
from tests.engine.rooms import check_agreed, peers_of, room


@dataclass(slots=True)
class Told(Referee):
    """A referee whose cards and lots are not chosen but told: `faces` of slots yet to come."""

    faces: Mapping[Slot, Face] = field(default_factory=dict)
    lots: list[int] = field(default_factory=list)

    def perform(self, op: Op) -> None:
        """As the referee, then with the faces as told."""
        if isinstance(op, Toss):
            self.table = self.table.with_toss(self.lots.pop(0))
            return
        # explicit arguments: a dataclass with slots is another class than the one defined here
        Referee.perform(self, op)
        self.truth = {slot: self.faces[slot] for slot in self.truth}
        if isinstance(op, Mix):
            self.known = [{slot: self.faces[slot] for slot in known} for known in self.known]


def replay(envelopes: list[bytes], match: Match) -> tuple[dict[Slot, Face], list[int], list[Any]]:
    """What a log of the open kernel shows to all: every face, every lot, and all moves by step."""
    faces: dict[Slot, Face] = {}
    lots: list[int] = []
    moves: list[tuple[Seat, Any]] = []
    for envelope in envelopes:
        step, due = match.chain.step, match.due
        _, contribution = match.offer(envelope)
        reading = read(match, contribution)
        kind = Kind(contribution.payload.kind)
        body = reading.body if kind is Kind.MOVE else getattr(reading.body, "move", None)
        if isinstance(body, Move):
            moves.append((contribution.seat, from_tagged(body.move, match.rules.moves)))
        match.accept(reading)
        if match.chain.step == step:
            continue
        for slot, masked in match.dealer.masked.items():
            attributes = masked.layer.mask[34:37]
            faces[slot] = Face(*attributes)
        if isinstance(due, RevealDue) and due.sides is not None:
            assert match.dealer.table.toss is not None
            lots.append(match.dealer.table.toss)
    return faces, lots, moves


def finished(seats: int, kernel: Kernel, seed: int, hands: int = 2) -> Network:
    """A match that is over."""
    network = room("bazaar", seats, kernel, seed, options={"hands": hands})
    network.run()
    return network


@pytest.mark.parametrize("seats", range(2, 8))
def test_peers_do_what_the_referee_does(seats: int) -> None:
    network = finished(seats, OpenKernel(), seed=seats)
    match = check_agreed(network)
    agreement, envelopes = match.agreement, list(match.chain.envelopes())
    faces, lots, moves = replay(envelopes, Match(agreement, OpenKernel()))
    known: list[dict[Slot, Face]] = [{} for _ in range(seats)]
    referee = Told(
        Bazaar(),
        seats,
        Random(0),
        Bazaar().start(seats, agreement.options),
        known=known,
        faces=faces,
        lots=lots,
    )
    referee._settle()
    for seat, move in moves:
        assert move in [choice.move for choice in referee.options(seat)]
        referee.play(seat, move)

    assert lots == []
    assert referee.outcome == match.over
    assert referee.state == match.state
    table = match.dealer.table
    assert referee.table.piles == table.piles
    assert referee.table.faces == table.faces
    assert referee.table.next_slot == table.next_slot
    for peer in peers_of(network):
        hidden = {s: f for s, f in peer.known.items() if s in table.slots() and not table.is_up(s)}
        told = referee.known[peer.seat]
        assert hidden == {s: f for s, f in told.items() if not table.is_up(s)}
        assert all(faces[slot] == face for slot, face in peer.known.items())


@pytest.mark.parametrize("seats", [2, 3])
def test_real_cryptography(seats: int) -> None:
    kernel = RealKernel()
    match = check_agreed(finished(seats, kernel, seed=seats))
    report = audit_log(pack_log(match.chain.envelopes()), kernel)
    assert (report.verdict, report.problem) == ("honest", None)
    assert report.checks["proofs of hidden hand-overs"] > 0
    assert report.checks["claims checked on opened cards"] > 0


# [DEAL-1] of protocol.md
def test_all_dues_occur() -> None:
    match = check_agreed(finished(3, OpenKernel(), seed=1))
    kinds = {Kind(c.payload.kind) for step in match.chain.log for c in step}
    assert kinds == set(Kind)


def steps_of(match: Match) -> list[tuple[Kind, set[Seat]]]:
    """Kind and authors of every step."""
    return [(Kind(step[0].payload.kind), {c.seat for c in step}) for step in match.chain.log]


# [HAND-1], [HAND-2], [HAND-3] of protocol.md
def test_everybody_agrees_before_anything_leaks() -> None:
    """After the last of a Mix by several seats comes an `Agree` of all, and so before openings of
    keys and commitments; shares never follow such a Mix at once."""
    steps = steps_of(check_agreed(finished(4, OpenKernel(), seed=2)))
    everyone = {0, 1, 2, 3}
    for (kind, authors), (following, owing) in pairwise(steps):
        if following in (Kind.KEY_OPEN, Kind.REVEAL, Kind.OPEN):
            assert (kind, authors) == (Kind.AGREE, everyone)
        if kind in (Kind.KEY_COMMIT, Kind.COMMIT):
            assert (following, owing) == (Kind.AGREE, everyone)
    runs = [i for i, (kind, _) in enumerate(steps) if kind is Kind.MIXED]
    ends = [i for i in runs if i + 1 not in runs]
    for end in ends:
        mixers: set[Seat] = set()
        while steps[end - len(mixers)][0] is Kind.MIXED:
            mixers |= steps[end - len(mixers)][1]
        if len(mixers) == len(everyone):
            assert steps[end + 1] == (Kind.AGREE, everyone)
    assert steps[-3:] == [(Kind.AGREE, everyone), (Kind.OPEN, everyone), (Kind.AGREE, everyone)]


# [MOVE-2] of protocol.md
def test_debts_ride_on_the_move_that_makes_them() -> None:
    """A lent card, and the mover's half of a swap, are in the move; the other half is its own
    step, and so are the shares of a card that nobody has seen."""
    match = check_agreed(finished(3, OpenKernel(), seed=4, hands=1))
    fresh = Match(match.agreement, OpenKernel())
    rode = {"gives": 0, "shares": 0}
    owed: list[type] = []
    for envelope in match.chain.envelopes():
        due, step = fresh.due, fresh.chain.step
        fresh.accept(reading := read(fresh, fresh.offer(envelope)[1]))
        if isinstance(reading.body, Move):
            rode["gives"] += len(reading.body.gives)
            rode["shares"] += len(reading.body.shares.shares)
        if fresh.chain.step > step and isinstance(due, GiveDue | MixDue | SharesDue):
            owed.append(type(due))
    # lend 1, half of the swap 2; three flips, one well, three shed, and perhaps a barred card
    assert rode["gives"] == 3
    assert rode["shares"] in (7, 8)
    assert owed.count(GiveDue) == 2
    # all deal, all face-up cards again, two again, two hide after the swap, one hides at the end
    assert owed.count(MixDue) == 3 + 3 + 2 + 2 + 1


def test_a_card_that_comes_back_is_read_by_its_first_holder() -> None:
    network = room("bazaar", 2, RealKernel(), 3)
    network.start()
    peers = peers_of(network)
    network.run_until(lambda: all(peer.match.state.phase is Phase.TRADE for peer in peers))
    starter = peers[peers[0].match.state.starter]
    held = starter.match.dealer.table[hand(starter.seat)]
    assert all(slot in starter.known for slot in held)
    masked = starter.match.dealer.masked[held[-1]]
    assert len(masked.layers) == 2
    assert masked.layer.keys == {starter.seat}
    other = peers[starter.match.state.neighbour]
    assert other.known[held[-1]] == starter.known[held[-1]]


def test_a_contribution_is_read_without_changing_the_match() -> None:
    match = check_agreed(finished(3, OpenKernel(), seed=6, hands=1))
    fresh = Match(match.agreement, OpenKernel())
    for envelope in match.chain.envelopes():
        _, contribution = fresh.offer(envelope)
        before = (fresh.state, fresh.dealer.table, dict(fresh.dealer.masked), fresh.due)
        jobs = [
            [(job.code, job.verb, job.args) for job in read(fresh, contribution).jobs] for _ in "ab"
        ]
        assert jobs[0] == jobs[1]
        assert before == (fresh.state, fresh.dealer.table, fresh.dealer.masked, fresh.due)
        fresh.accept(read(fresh, contribution))
        assert read_contribution(envelope) == contribution
