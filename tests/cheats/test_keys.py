"""Cheats with keys: attacks 9 to 13 of the catalogue, and 48 where commitments are split."""

from __future__ import annotations

from dataclasses import replace

import pytest

from p2pcards.crypto import sigma
from p2pcards.crypto.group import SECP256K1, L, decode_scalar, encode_scalar
from p2pcards.crypto.kernel import HandKey
from p2pcards.testing.cheaters import Cheater, Split, honest
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import KeyCommit, KeyOpen, Kind
from tests.cheats.arena import SharedKernel, arena, contributions, convicted, on, rush, withhold

REAL = SharedKernel()


def commit(peer: Cheater, body: KeyCommit, key: HandKey) -> KeyCommit:
    """A commitment to this key instead of the honest one, with which the hand goes on."""
    peer.take_key(key)
    return replace(body, key=peer.kernel.key_commitment(peer.context, key.public, key.proof))


def key_of(peer: Cheater, x: int) -> HandKey:
    """A key with this secret, and a good proof of possession."""
    public = SECP256K1.encode(SECP256K1.base(x))
    proof = sigma.prove_possession(peer.context, x, public, peer.rng)
    return HandKey(encode_scalar(x), public, proof)


# [KEY-1] of protocol.md
def test_09_rogue_key_after_the_others() -> None:
    """It waits until all keys are open, and takes one that makes the joint key its own."""

    def forge(peer: Cheater, body: KeyOpen) -> KeyOpen:
        others = [reading.body.key for reading in peer.match.accepted.values()]
        assert len(others) == 2
        mine = SECP256K1.base(7)
        negated = [SECP256K1.negate(SECP256K1.decode(key)) for key in others]
        rogue = SECP256K1.encode(SECP256K1.sum([mine, *negated]))
        assert REAL.joint([rogue, *others]) == SECP256K1.encode(mine)
        return KeyOpen(rogue, body.proof)

    network = arena({2: withhold(Kind.KEY_OPEN)}, REAL)
    rush(network, 2, Kind.KEY_OPEN, forge)
    convicted(network, 2, "key.uncommitted", started=True)


def test_09_key_without_its_secret() -> None:
    """A key that is well committed to, but whose secret its author does not know."""

    def forge(peer: Cheater, body: KeyCommit) -> KeyCommit:
        unknown = SECP256K1.encode(
            SECP256K1.sum([SECP256K1.decode(peer.key.public), SECP256K1.generator()])
        )
        return commit(peer, body, HandKey(peer.key.x, unknown, peer.key.proof))

    convicted(arena({1: on(Kind.KEY_COMMIT, forge)}, REAL), 1, "key.proof")


def test_10_another_seats_key_and_proof() -> None:
    """Seat 0 even lends seat 2 its key and its proof; but a proof is bound to a seat."""
    network = arena({0: honest, 2: withhold(Kind.KEY_COMMIT)}, REAL)
    lender = network.nodes[0].peer
    assert isinstance(lender, Cheater)
    rush(network, 2, Kind.KEY_COMMIT, lambda peer, body: commit(peer, body, lender.key))
    convicted(network, 2, "key.proof", started=True)


def test_10_another_seats_commitment() -> None:
    """A copied commitment opens for nobody but its author."""
    network = arena({2: withhold(Kind.KEY_COMMIT)}, OpenKernel())
    rush(network, 2, Kind.KEY_COMMIT, lambda peer, body: peer.match.accepted[0].body)
    convicted(network, 2, "key.uncommitted", started=True)


# [KEY-1] of protocol.md
def test_11_another_key_than_committed() -> None:
    def forge(peer: Cheater, body: KeyOpen) -> KeyOpen:
        other = peer.kernel.keys(peer.context, b"n" * 32, peer.rng)
        return KeyOpen(other.public, other.proof)

    convicted(arena({0: on(Kind.KEY_OPEN, forge)}, REAL), 0, "key.uncommitted")


# [KEY-3] of protocol.md
@pytest.mark.parametrize("sign", [1, -1], ids=["equal", "opposite"])
def test_12_two_keys_that_are_one(sign: int) -> None:
    """Two that collude may both open; the second of them is named."""
    network = arena({0: honest, 1: withhold(Kind.KEY_COMMIT)}, REAL)
    lender = network.nodes[0].peer
    assert isinstance(lender, Cheater)

    def forge(peer: Cheater, body: KeyCommit) -> KeyCommit:
        return commit(peer, body, key_of(peer, sign * decode_scalar(lender.key.x) % L))

    rush(network, 1, Kind.KEY_COMMIT, forge)
    convicted(network, 1, "key.twin", started=True)


# [KEY-2] of protocol.md
@pytest.mark.parametrize("openings", ["after-hand", "never"])
def test_13_the_key_of_an_earlier_hand(openings: str) -> None:
    used: list[int] = []

    def forge(peer: Cheater, body: KeyCommit) -> KeyCommit | None:
        used.append(decode_scalar(peer.key.x))
        return commit(peer, body, key_of(peer, used[0])) if len(used) == 2 else None

    network = arena({1: on(Kind.KEY_COMMIT, forge)}, REAL, hands=2, openings=openings)
    fault = convicted(network, 1, "key.reused")
    assert len(network.nodes[0].peer.match.hands) == 2
    assert fault.step > 10


# [HAND-1] of protocol.md
def test_48_split_key_commitments() -> None:
    """Two commitments, shown to two seats: no key is opened before both have compared heads."""

    def two(peer: Cheater, body: object) -> tuple[object, ...]:
        if isinstance(body, KeyCommit):
            return body, replace(body, seed=b"s" * 32)
        return (body,)

    groups = (frozenset({0}), frozenset({1}))
    network = arena({2: two}, OpenKernel(), tamper=Split(2, groups))
    convicted(network, 2, "chain.equivocation")
    assert contributions(network, Kind.KEY_OPEN) == []
