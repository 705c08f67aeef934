"""What a peer owes the world besides honest contributions: order, restraint, and repetition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise

import pytest

from p2pcards.cards.claims import IMPOSSIBLE
from p2pcards.crypto.signing import Identity
from p2pcards.engine.audit import LOG_MAGIC, audit_log, pack_log
from p2pcards.engine.chain import read_contribution
from p2pcards.engine.dues import MoveDue
from p2pcards.engine.events import Append, Effect, Keep, Received, Send, Show
from p2pcards.engine.frames import sign_record
from p2pcards.engine.moves import MessagePayer, Outcome
from p2pcards.engine.peer import Peer
from p2pcards.errors import SeatFault
from p2pcards.testing.cheaters import carried
from p2pcards.testing.network import Network, Node
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import FaultReport, Kind, Move, Open, Shares, Want
from tests.engine.rooms import check_agreed, peers_of, room


def identity_of(peer: Peer) -> Identity:
    """The peer's own, to say things in its name that it would not."""
    return peer._identity


class Strict(Network):
    """Looks at the order of effects while it performs them."""

    def perform(self, node: Node, effects: Sequence[Effect]) -> None:
        """Nothing goes out that is not written, nothing is written that rests on what is not."""
        for effect in effects:
            match effect:
                case Append(envelope, own=True):
                    kind = read_contribution(envelope).payload.kind
                    secrets = sum(
                        read_contribution(each).payload.kind in {Kind.KEY_COMMIT, Kind.COMMIT}
                        for each in (*node.journal, envelope)
                        if read_contribution(each).seat == node.peer.seat
                    )
                    assert kind not in {Kind.KEY_COMMIT, Kind.COMMIT} or len(node.kept) == secrets
                case Send(topic, message) if topic == f"seat/{node.peer.seat}":
                    sent = carried(message)
                    assert sent is None or sent.envelope in node.journal
                case _:
                    pass
            super().perform(node, [effect])


# [PEER-1], [CHAIN-2] of protocol.md
def test_written_before_sent_and_kept_before_written() -> None:
    calm = room("oh-hell", 3, OpenKernel(), options={"max_hand": 2, "bidding": "simultaneous"})
    network = Strict(peers_of(calm), [node.choose for node in calm.nodes], calm._rng)
    network.run()
    match = check_agreed(network)
    for node in network.nodes:
        own = [c for c in map(read_contribution, node.journal) if c.seat == node.peer.seat]
        assert len({c.step for c in own}) == len(own)
    assert match.over is not None


# [PEER-4] of protocol.md
def test_a_peer_makes_no_choice_by_itself() -> None:
    """Bids and cards wait for the player, however long; the others know for whom they wait."""

    class Idle(Network):
        def perform(self, node: Node, effects: Sequence[Effect]) -> None:
            asked = [e for e in effects if not (isinstance(e, Show) and node.peer.seat == 0)]
            super().perform(node, asked)

    calm = room("oh-hell", 3, OpenKernel())
    network = Idle(peers_of(calm), [node.choose for node in calm.nodes], calm._rng)
    network.start()
    network.settle(60)
    for node in network.nodes:
        assert isinstance(node.peer.match.due, MoveDue)
        assert node.peer.match.chain.missing == {0}
    kinds = {read_contribution(envelope).payload.kind for envelope in network.nodes[0].journal}
    assert Kind.SHARES in kinds


# [DEAL-1], [HAND-1], [HAND-2], [HAND-3], [HAND-4], [HAND-6] of protocol.md
@pytest.mark.parametrize("openings", ["after-hand", "never"])
def test_the_steps_of_a_match_are_the_documented_ones(openings: str) -> None:
    """Oh Hell with three seats and hands of one and two cards, kind by kind."""
    network = room("oh-hell", 3, OpenKernel(), openings=openings)
    network.run()
    log = check_agreed(network).chain.log
    opening = [Kind.OPEN] if openings == "after-hand" else []
    keys = [Kind.KEY_COMMIT, Kind.AGREE, Kind.KEY_OPEN]
    mixes = [Kind.MIXED] * 3
    hands = [
        [*keys, *mixes, Kind.AGREE, Kind.SHARES, *[Kind.MOVE] * (3 + 3 * cards)] for cards in (1, 2)
    ]
    assert [Kind(step[0].payload.kind) for step in log] == [
        *(Kind.SIT, Kind.COMMIT, Kind.AGREE, Kind.REVEAL),
        *(*hands[0], Kind.MOVE, Kind.AGREE, *opening),
        *(*hands[1], Kind.AGREE, *opening, Kind.AGREE),
    ]
    for step in log:
        kind, authors = Kind(step[0].payload.kind), [c.seat for c in step]
        ready = kind is Kind.MOVE and len(authors) > 1
        alone = kind in {Kind.MIXED, Kind.MOVE} and not ready
        assert len(authors) == 1 if alone else authors == [0, 1, 2]
    mixers = [step[0].seat for step in log if step[0].payload.kind == Kind.MIXED]
    assert mixers == [0, 1, 2, 0, 1, 2]


# [KEY-4] of protocol.md
def test_every_hand_has_its_own_keys_and_seeds() -> None:
    network = room("oh-hell", 3, OpenKernel())
    network.run()
    match = check_agreed(network)
    opened = [body for hand in match.hands for body in hand.opened.values()]
    assert all(isinstance(body, Open) for body in opened)
    assert len(opened) == len({body.key for body in opened}) == 6
    assert len({body.seed for body in opened}) == 6


# [NET-3], [NET-4] of protocol.md
def test_a_request_is_answered_with_what_was_published_already() -> None:
    """Whatever is asked for, of the past and of the future: the same bytes again, or nothing."""
    network = room("oh-hell", 3, OpenKernel())
    network.start()
    network.run_until(lambda: peers_of(network)[0].match.chain.step >= 12)
    node, asker = network.nodes[0], peers_of(network)[1]
    published = {message for each in network.nodes for _, message in each.sent}
    answers = 0
    for step in range(20):
        for attempt in (1, 2):
            network.now += 1
            want = Want(asker.match.agreement.draft.place, step, (0, 1, 2), attempt)
            message = sign_record(identity_of(asker), want)
            effects = node.peer.handle(Received(message), network.now)
            repeated = [e for e in effects if isinstance(e, Send) and e.topic.startswith("seat/")]
            assert {e.message for e in repeated} <= published
            if attempt == 1:
                assert {e.topic for e in repeated} <= {"seat/0"}
            answers += len(repeated)
            assert not [e for e in effects if isinstance(e, Append | Keep)]
    assert answers > 20


# [FAULT-6] of protocol.md
def test_a_report_alone_convicts_nobody() -> None:
    network = room("oh-hell", 3, OpenKernel())
    network.start()
    network.run_until(lambda: peers_of(network)[0].match.chain.step >= 6)
    accuser = peers_of(network)[2]
    for step in range(8):
        report = FaultReport(accuser.match.agreement.draft.place, step, 1, "chain.equivocation")
        network.inject(sign_record(identity_of(accuser), report))
    network.run()
    check_agreed(network)


# [NET-1] of protocol.md
def test_a_message_means_the_same_on_any_topic() -> None:
    """A peer is told no topic; a broker that mixes them all up changes nothing."""
    assert [field.name for field in fields(Received)] == ["message"]
    network = room(
        "oh-hell",
        3,
        OpenKernel(),
        tamper=lambda _, send: (Send(f"seat/{len(send.message) % 3}", send.message),),
    )
    network.run()
    check_agreed(network)


# [MOVE-3] of protocol.md
def test_a_claim_that_is_false_in_the_open_has_no_proof() -> None:
    """Whatever stands in the place of one."""
    peer = peers_of(room("oh-hell", 3, OpenKernel()))[0]
    for claim in (b"", bytes(32), bytes(576)):
        body = Move((0, 0), Shares((), b""), claim, ())
        payer = MessagePayer(peer.match.dealer, peer.match.context(1), body)
        with pytest.raises(SeatFault) as fault:
            payer.jobs(Outcome(peer.match.state, False, IMPOSSIBLE, None, {}))
        assert (fault.value.seat, fault.value.code) == (1, "claim.false")


# [AUDIT-1], [AUDIT-6] of protocol.md
def test_closed_hands_are_named_by_the_audit() -> None:
    """A log is judged from its bytes; with `openings=never` it says which hands rest on proofs."""
    for openings, unopened in (("never", [1, 2]), ("after-hand", [])):
        network = room("oh-hell", 3, OpenKernel(), openings=openings)
        network.run()
        data = pack_log(check_agreed(network).chain.envelopes())
        assert data.startswith(LOG_MAGIC)
        report = audit_log(data, OpenKernel())
        assert report.verdict == "honest", report.problem
        assert report.unopened == unopened


# [LOG-1] of protocol.md
def test_a_log_is_in_one_order() -> None:
    """Two neighbours exchanged anywhere: refused, and nobody is blamed."""
    network = room("oh-hell", 3, OpenKernel(), hands=1)
    network.run()
    envelopes = list(check_agreed(network).chain.envelopes())
    places = [(c.step, c.seat) for c in map(read_contribution, envelopes)]
    assert all(a < b for a, b in pairwise(places))
    for i in range(len(envelopes) - 1):
        swapped = [*envelopes[:i], envelopes[i + 1], envelopes[i], *envelopes[i + 2 :]]
        report = audit_log(pack_log(swapped), OpenKernel())
        assert report.verdict == "unreadable"
        assert report.code in {"log.order", "log.start"}
