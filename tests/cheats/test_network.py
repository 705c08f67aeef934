"""Cheats with messages and brokers: attacks 19, 51, 54, 57, 59 to 62 of the catalogue."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from random import Random

import pytest

from p2pcards.crypto.signing import Identity
from p2pcards.crypto.transcript import Context
from p2pcards.engine.dues import MixDue
from p2pcards.engine.events import Send
from p2pcards.engine.frames import sign_record
from p2pcards.testing.cheaters import Cheater, Split, carried, honest, message, sign
from p2pcards.testing.network import BAD, CALM, Network, Node, Routed, first_option
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.codec import to_plain
from p2pcards.wire.messages import (
    DOMAIN_CHUNKS,
    DOMAIN_CONTRIBUTION,
    DOMAIN_RECORD,
    MESSAGE_LIMIT,
    Alive,
    Bye,
    Kind,
    Mixed,
    Move,
    Payload,
    Shares,
    Want,
)
from tests.cheats.arena import (
    SharedKernel,
    arena,
    cheater_of,
    contributions,
    convicted,
    ended,
    honest_nodes,
    withhold,
)

STRANGER = Identity.new(Random(99).randbytes)


# --- 19, 57: equivocation -------------------------------------------------------------------------


def second_deck(peer: Cheater, body: object) -> Iterable[object]:
    """The last of those who mix makes two decks, each with a good proof."""
    due = peer.match.due
    if not isinstance(body, Mixed) or not isinstance(due, MixDue):
        return (body,)
    kernel = peer.kernel
    other = kernel.mix(peer.context, due.key, due.before, b"2" * 32, peer.rng)
    return body, Mixed(*other)


GROUPS = (frozenset({0}), frozenset({1}))


def test_19_split_deck() -> None:
    """Alice and Bob are shown two valid decks. Were they to pay shares at once, the cheater would
    have both shares of a card that is in one deck's place for it and in the other's for them."""
    kernel = SharedKernel()
    network = arena({2: second_deck}, kernel, tamper=Split(2, GROUPS))
    convicted(network, 2, "chain.equivocation")
    assert contributions(network, Kind.SHARES) == []


def test_19_split_deck_and_nobody_can_compare() -> None:
    """The broker lets through nothing that one seat repeats of another: nobody is convicted, and
    still nobody pays a share into either deck."""
    network = arena({2: second_deck}, SharedKernel(), tamper=Split(2, GROUPS, deaf=True))
    network.start()
    network.settle(120)
    heads = {node.peer.match.chain.head for node in honest_nodes(network)}
    assert len(heads) == 2
    assert contributions(network, Kind.SHARES) == []
    for node in honest_nodes(network):
        assert node.peer.verdict is None
        assert not node.peer.match.finished


def two_bids(peer: Cheater, body: object) -> Iterable[object]:
    """One move for one seat, another for the other."""
    if not isinstance(body, Move) or body.move[0] != 0:
        return (body,)
    other = dataclasses.replace(body, move=(0, 1 - body.move[1]))
    return body, other


def test_57_two_moves_in_bad_weather() -> None:
    """Whatever is lost, honest seats end with one verdict; with none where the second version was
    lost for good, for then it was as if it had never been."""
    found = 0
    for seed in range(10):
        split = Split(2, GROUPS)
        network = arena({2: two_bids}, OpenKernel(), seed=seed, tamper=split, weather=BAD)
        network.start()
        honest_peers = [node.peer for node in honest_nodes(network)]
        network.run_until(
            lambda peers=honest_peers: all(p.verdict or p.match.finished for p in peers)  # type: ignore[misc] # bound now
        )
        if honest_peers[0].verdict is None:
            assert len({peer.match.chain.head for peer in honest_peers}) == 1
            assert all(peer.verdict is None for peer in honest_peers)
        else:
            convicted(network, 2, "chain.equivocation", started=True)
            found += 1
    assert found >= 5


@pytest.mark.parametrize("kind", [Kind.SIT, Kind.AGREE, Kind.MIXED, Kind.SHARES, Kind.OPEN])
def test_57_two_contributions_of_any_kind(kind: Kind) -> None:
    """To everybody, without any help of a broker: bodies need not even be well-formed."""

    def cheat(peer: Cheater, body: object) -> Iterable[object]:
        return (body, (1, 2, 3)) if peer.match.chain.kind is kind else (body,)

    convicted(arena({1: cheat}, OpenKernel()), 1, "chain.equivocation")


def test_57_a_good_one_for_one_and_a_bad_one_for_the_other() -> None:
    """One sees a wrong share and the other none: both end with the double signature."""

    def cheat(peer: Cheater, body: object) -> Iterable[object]:
        return (
            (body, Shares(body.shares[::-1], body.proof)) if isinstance(body, Shares) else (body,)
        )

    network = arena({2: cheat}, OpenKernel(), tamper=Split(2, GROUPS))
    convicted(network, 2, "chain.equivocation")


# --- 51: forged authors ---------------------------------------------------------------------------


class Forging(Network):
    """Before every contribution to a step, somebody forges it."""

    forge: Callable[[Payload, Identity], bytes] = staticmethod(
        lambda payload, _: sign(STRANGER, payload)
    )

    def _send(self, node: Node, send: Send) -> None:
        contribution = carried(send.message)
        if contribution is not None:
            body = to_plain(contribution.payload.body)
            payload = dataclasses.replace(contribution.payload, body=(body, b"forged"))
            own = node.peer._identity
            self.inject(message(self.forge(payload, own)))
        super()._send(node, send)


@pytest.mark.parametrize(
    "forge",
    [
        lambda payload, _: sign(STRANGER, payload),
        lambda payload, own: sign(own, payload, DOMAIN_CHUNKS),
        lambda payload, own: sign(own, payload, DOMAIN_RECORD),
        lambda payload, own: sign(own, payload)[:-64] + bytes(64),
        lambda payload, own: (
            sign(own, dataclasses.replace(payload, body=()))[:-64] + sign(own, payload)[-64:]
        ),
    ],
    ids=["another key", "chunk domain", "record domain", "stripped", "of another payload"],
)
def test_51_forged_contributions(forge: Callable[[Payload, Identity], bytes]) -> None:
    """Dropped and counted, and the match goes on as if nothing had been."""
    calm = arena({}, OpenKernel())
    network = Forging([node.peer for node in calm.nodes], [first_option] * 3, Random(1))
    network.forge = forge
    ended(network)
    for node in network.nodes:
        assert node.peer.dropped.keys() == {"malformed.signature"}
        assert node.peer.dropped["malformed.signature"] > 40


def test_51_records_of_strangers_and_in_others_names() -> None:
    network = arena({}, OpenKernel())
    network.start()
    peer = network.nodes[0].peer
    place = peer.match.agreement.draft.place
    network.inject(sign_record(STRANGER, Bye(place, finished=False)))
    network.inject(sign_record(network.nodes[1].peer._identity, Alive(b"elsewher", 3, bytes(32))))
    ended_without_start(network)
    assert peer.dropped == {"malformed.stranger": 1, "malformed.place": 1}
    assert peer.left == set()


def ended_without_start(network: Network) -> None:
    """Runs a started table to its end."""
    network.run_until(lambda: all(node.peer.match.finished for node in network.nodes))
    assert all(node.peer.verdict is None for node in network.nodes)


# --- 54, 59, 62: replay ---------------------------------------------------------------------------


def recorded(seed: int = 1, hands: int = 1) -> list[bytes]:
    """All that went over the network in a match."""
    network = ended(arena({}, OpenKernel(), seed=seed, hands=hands))
    return [message for node in network.nodes for _, message in node.sent]


@pytest.mark.parametrize("seed", range(3))
def test_54_recorded_traffic_at_random_times(seed: int) -> None:
    """Everything that was ever sent comes again, at any time and any number of times."""
    rng = Random(seed)
    seen: list[bytes] = []

    class Replaying(Network):
        def _send(self, node: Node, send: Send) -> None:
            super()._send(node, send)
            if send.message not in seen:
                seen.append(send.message)
                for old in rng.choices(seen, k=4):
                    self.inject(old)

    calm = arena({}, OpenKernel(), hands=2)
    network = Replaying([node.peer for node in calm.nodes], [first_option] * 3, rng)
    ended(network)
    plain = ended(arena({}, OpenKernel(), hands=2))
    assert network.nodes[0].peer.match.chain.head == plain.nodes[0].peer.match.chain.head
    for node in network.nodes:
        assert node.peer.dropped == Counter()


def test_59_62_messages_of_an_earlier_match_of_the_same_players() -> None:
    """Retained by the broker, or carried over from another table: another table id, dropped."""
    old = recorded(hands=2)
    network = arena({}, OpenKernel())
    assert network.nodes[0].peer.match.chain.table != _table_of(old)
    rng = Random(3)
    network.start()
    while not all(node.peer.match.finished for node in network.nodes):
        network.inject(rng.choice(old))
        for _ in range(len(network.nodes) + 1):
            network.step()
    for node in network.nodes:
        assert node.peer.verdict is None
        assert node.peer.dropped.keys() == {"malformed.table"}


def _table_of(messages: list[bytes]) -> bytes:
    return next(c.payload.table for m in messages if (c := carried(m)) is not None)


# --- 60, 61: floods -------------------------------------------------------------------------------

HUGE = {
    "64 MiB": bytes(64 * 2**20),
    "a claim of 2^32 items": b"\xdd\xff\xff\xff\xff",
    "a claim of 2^32 bytes": b"\xc6\xff\xff\xff\xff",
    "a map": b"\xdf\x00\x0f\x42\x40" + b"\x00" * 1000,
    "100000 levels": b"\x91" * 100_000,
    "1000 levels": b"\x91" * 1_000,
    "16 KiB of levels": b"\x91" * MESSAGE_LIMIT,
    "nothing": b"",
    "noise": Random(1).randbytes(MESSAGE_LIMIT),
}


@pytest.mark.parametrize("flood", HUGE.values(), ids=HUGE)
def test_60_floods(flood: bytes) -> None:
    """A peer drops each and plays on."""
    network = arena({}, OpenKernel(), options={"max_hand": 1})
    network.start()
    for _ in range(50):
        network.inject(flood)
    ended_without_start(network)
    for node in network.nodes:
        assert sum(node.peer.dropped.values()) == 50


def test_60_any_altered_message_is_dropped_or_known() -> None:
    """One byte altered in every message of a match: nobody is convicted, nothing changes."""
    rng = Random(7)

    def alter(_: Node, send: Send) -> Iterable[Send | Routed]:
        place = rng.randrange(len(send.message))
        wrong = bytes((send.message[place] ^ rng.randrange(1, 256),))
        altered = send.message[:place] + wrong + send.message[place + 1 :]
        return Send(send.topic, altered), send

    ended(arena({}, OpenKernel(), tamper=alter))


def test_60_early_contributions_fill_only_their_own_room() -> None:
    """A seat that signs for hundreds of steps to come disturbs nobody but itself."""

    def cheat(peer: Cheater, body: object) -> Iterable[object]:
        return (body,)

    network = arena({1: cheat}, OpenKernel(), hands=2)
    cheater = cheater_of(network)
    network.start()
    for step in range(1000, 1400):
        network.inject(message(cheater.sign(bytes(4000), step=step)), [network.nodes[0]])
    ended_without_start(network)
    assert network.nodes[0].peer.dropped["malformed.ahead"] == 400


class CountingKernel(OpenKernel):
    """Counts the shuffles it is asked to check."""

    __slots__ = ("mixes",)

    def __init__(self) -> None:
        self.mixes = 0

    def check_mix(
        self,
        ctx: Context,
        key: bytes,
        before: Sequence[bytes],
        after: Sequence[bytes],
        proof: bytes,
    ) -> None:
        self.mixes += 1
        super().check_mix(ctx, key, before, after, proof)


def test_61_a_thousand_invalid_shuffles() -> None:
    """The first is checked; from then on their author is not worth a proof."""
    kernel = CountingKernel()
    network = arena({0: withhold(Kind.MIXED)}, kernel)
    cheater = cheater_of(network)
    network.start()
    network.run_until(lambda: cheater.withheld is not None)
    good = cheater.withheld
    for number in range(1000):
        bad = Mixed(good.masks, number.to_bytes(2, "big") + good.proof[2:])
        network.inject(message(cheater.sign(bad)), honest_nodes(network))
    network.settle(1)
    assert kernel.mixes == len(honest_nodes(network))
    for node in honest_nodes(network):
        assert node.peer.verdict is not None
        assert (node.peer.verdict.seat, node.peer.verdict.code) == (0, "chain.equivocation")


def test_61_wants_are_answered_now_and_then() -> None:
    """A seat that asks a thousand times in a tenth of a second gets one answer."""
    network = arena({}, OpenKernel())
    network.start()
    network.run_until(lambda: network.nodes[0].peer.match.chain.step >= 12)
    node, asker = network.nodes[0], network.nodes[1].peer
    want = sign_record(
        asker._identity, Want(asker.match.agreement.draft.place, 0, (0, 1, 2) * 6, 9)
    )
    before = len(node.sent)
    for _ in range(1000):
        network.inject(want, [node])
    network.settle(0)
    assert len(node.sent) - before <= 64 + 10


def test_a_cheater_that_does_not_cheat() -> None:
    """What these tests build on: all of it is a match like any other until somebody cheats."""
    kernels = (OpenKernel(), SharedKernel())
    for kernel in kernels:
        network = ended(arena({0: honest, 1: honest, 2: honest}, kernel, weather=CALM))
        plain = ended(arena({}, kernel))
        assert network.nodes[0].peer.match.chain.head == plain.nodes[0].peer.match.chain.head


def test_signatures_of_records_are_not_those_of_contributions() -> None:
    """What a seat says of itself cannot be turned into a contribution of it."""
    peer = arena({}, OpenKernel()).nodes[0].peer
    payload = peer.match.chain.payload(0, Kind.SIT, to_plain(peer.match.agreement.sit))
    as_record = sign(peer._identity, payload, DOMAIN_RECORD)
    as_contribution = sign(peer._identity, payload, DOMAIN_CONTRIBUTION)
    assert as_record[:-64] == as_contribution[:-64]
    assert as_record != as_contribution
