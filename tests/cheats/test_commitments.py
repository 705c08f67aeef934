"""Cheats with commitments, openings and the agreement: attacks 44, 45, 47, 48 and 71 to 74."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

import pytest

from p2pcards.cards.rules import Value
from p2pcards.engine.agreement import Agreement
from p2pcards.engine.match import commitment
from p2pcards.games.oh_hell import Bid, Play, Ready
from p2pcards.testing.cheaters import Cheater, Split, honest
from p2pcards.testing.network import agree
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.codec import Plain, encode, to_tagged
from p2pcards.wire.messages import BODIES, Commit, Kind, Move, Open, Reveal, Sit
from tests.cheats.arena import (
    SharedKernel,
    arena,
    cheater_of,
    contributions,
    convicted,
    honest_nodes,
    on,
    rush,
    stalled,
    withhold,
)

SEALED: dict[str, Value] = {"bidding": "simultaneous"}


def bid(number: int) -> Plain:
    """A bid as it travels."""
    return to_tagged(Bid(number), (Bid, Play, Ready))


# --- 44, 45: commitments --------------------------------------------------------------------------


# [COMMIT-1] of protocol.md
def copy_of_seat_0(peer: Cheater, _: object) -> object:
    """What seat 0 has signed for the same step."""
    return peer.match.accepted[0].body


@pytest.mark.parametrize("tosses", [0, 1], ids=["lot", "bid"])
def test_44_a_copied_commitment(tosses: int) -> None:
    """Seat 2 commits to what seat 0 committed to, and opens what seat 0 opens. In a toss two equal
    contributions would cancel one another's chance."""
    network = arena({2: withhold(Kind.COMMIT, tosses)}, OpenKernel(), options=SEALED)
    rush(network, 2, Kind.COMMIT, copy_of_seat_0)
    cheater_of(network).go_on(withhold(Kind.REVEAL))
    rush(network, 2, Kind.REVEAL, copy_of_seat_0, started=True)
    convicted(network, 2, "commit.broken", started=True)


def other_bid(_: Cheater, body: Reveal) -> Reveal | None:
    if body.move is None:
        return None
    number = 1 - body.move.move[1]
    return Reveal(body.nonce, dataclasses.replace(body.move, move=bid(number)))


def other_nonce(_: Cheater, body: Reveal) -> Reveal | None:
    return Reveal(b"n" * 32, body.move) if body.move is not None else None


def other_lot(_: Cheater, body: Reveal) -> Reveal:
    return Reveal(b"n" * 32, body.move)


# [COMMIT-1] of protocol.md
@pytest.mark.parametrize(
    "forge", [other_bid, other_nonce, other_lot], ids=lambda forge: forge.__name__
)
def test_45_two_openings(forge: Callable[[Cheater, Reveal], Reveal | None]) -> None:
    network = arena({0: on(Kind.REVEAL, forge)}, OpenKernel(), options=SEALED)
    convicted(network, 0, "commit.broken")


def no_bid(_: Cheater, body: Reveal) -> Reveal | None:
    return Reveal(body.nonce, None) if body.move is not None else None


def bid_for_a_lot(peer: Cheater, body: Reveal) -> Reveal:
    return Reveal(body.nonce, peer.move(Bid(0), b"", []))


# [COMMIT-1] of protocol.md
@pytest.mark.parametrize("forge", [no_bid, bid_for_a_lot], ids=lambda forge: forge.__name__)
def test_45_an_opening_of_the_other_sort(
    forge: Callable[[Cheater, Reveal], Reveal | None],
) -> None:
    network = arena({1: on(Kind.REVEAL, forge)}, OpenKernel(), options=SEALED)
    convicted(network, 1, "body.malformed")


# [MOVE-1] of protocol.md
@pytest.mark.parametrize(
    "move, code", [(bid(7), "bid.range"), (bid(-1), "bid.range"), ((9, 9), "move.malformed")]
)
def test_45_a_bid_that_is_none_is_found_when_it_is_opened(move: Plain, code: str) -> None:
    nonce = b"n" * 32

    def cheat(peer: Cheater, body: object) -> Iterable[object]:
        if isinstance(body, Commit) and peer.match.dealer.hand:
            return (Commit(commitment(peer.context, move, nonce)),)
        if isinstance(body, Reveal) and body.move is not None:
            return (Reveal(nonce, dataclasses.replace(body.move, move=move)),)
        return (body,)

    convicted(arena({1: cheat}, OpenKernel(), options=SEALED), 1, code)


def test_47_the_last_to_open_does_not() -> None:
    """The lot is not drawn again; the others wait, and say for whom."""
    network = arena({1: withhold(Kind.REVEAL)}, OpenKernel())
    stalled(network, {1})
    assert {seat for _, seat in contributions(network, Kind.COMMIT)} == {0, 1, 2}
    assert len({step for step, _ in contributions(network, Kind.COMMIT)}) == 1


# [HAND-3] of protocol.md
@pytest.mark.parametrize("sealed", [False, True], ids=["lot", "bid"])
def test_48_split_commitments(sealed: bool) -> None:
    """Seat 2 shows each of the others another commitment: nothing is opened to it."""

    def two(peer: Cheater, body: object) -> Iterable[object]:
        if isinstance(body, Commit) and (peer.match.dealer.hand > 0) == sealed:
            return body, Commit(b"c" * 32)
        return (body,)

    groups = (frozenset({0}), frozenset({1}))
    network = arena({2: two}, OpenKernel(), options=SEALED, tamper=Split(2, groups))
    fault = convicted(network, 2, "chain.equivocation")
    assert [step for step, _ in contributions(network, Kind.REVEAL) if step > fault.step] == []


# --- 71: results ----------------------------------------------------------------------------------


def test_71_nobody_announces_a_result() -> None:
    """Points and places are worked out by everybody: no message has a field for them."""
    names = {field.name for body in BODIES.values() for field in dataclasses.fields(body)}
    assert not names & {"points", "score", "winner", "place", "places", "result", "over"}


# [CHAIN-1] of protocol.md
def test_71_agreeing_to_another_history() -> None:
    """A head that is not ours is nobody's proven fault, but the match does not end on it."""

    def cheat(peer: Cheater, body: object) -> Iterable[object]:
        return () if peer.match.over is not None else (body,)

    network = arena({1: cheat}, OpenKernel())
    cheater = cheater_of(network)
    network.start()
    network.run_until(lambda: cheater.withheld is not None)
    network.perform(network.nodes[1], cheater.publish(cheater.sign((), prev=b"w" * 32)))
    network.settle(20)
    for node in honest_nodes(network):
        assert node.peer.match.over is not None
        assert not node.peer.match.finished
        assert node.peer.match.chain.missing == {1}
        assert node.peer.verdict is None


# --- 72, 73: opening the hand ---------------------------------------------------------------------


# [HAND-4] of protocol.md
def test_72_refusing_to_open() -> None:
    """The hand is played to its end, and everybody says who did not open it."""
    network = arena({2: withhold(Kind.OPEN)}, OpenKernel())
    stalled(network, {2})
    assert network.nodes[0].peer.match.over is not None


def other_key(_: Cheater, body: Open) -> Open:
    return Open(body.key[:-1] + bytes((body.key[-1] ^ 1,)), body.seed)


def no_key(_: Cheater, body: Open) -> Open:
    return Open(bytes(32), body.seed)


def large_key(_: Cheater, body: Open) -> Open:
    return Open(b"\xff" * 32, body.seed)


def other_seed(_: Cheater, body: Open) -> Open:
    return Open(body.key, body.seed[:-1] + bytes((body.seed[-1] ^ 1,)))


# [HAND-5] of protocol.md
@pytest.mark.parametrize(
    "forge, code",
    [
        (other_key, "open.key"),
        (no_key, "open.key"),
        (large_key, "open.key"),
        (other_seed, "open.seed"),
    ],
)
def test_73_opening_something_else(forge: Callable[[Cheater, Open], Open], code: str) -> None:
    convicted(arena({0: on(Kind.OPEN, forge)}, SharedKernel()), 0, code)


# [HAND-4] of protocol.md
def test_73_nothing_opens_where_nothing_is_to_be_opened() -> None:
    network = arena({0: honest}, OpenKernel(), openings="never")
    network.run()
    assert contributions(network, Kind.OPEN) == []
    assert all(node.peer.match.finished for node in network.nodes)


# --- 74: what was agreed --------------------------------------------------------------------------


def other_rules(peer: Cheater) -> Agreement:
    """The same players under a rule that would suit the cheater."""
    draft = peer.match.agreement.draft
    settings = tuple(
        dataclasses.replace(setting, value=True) if setting.name == "hook" else setting
        for setting in draft.options
    )
    packed = encode(dataclasses.replace(draft, options=settings))
    return Agreement.of(packed, peer.match.agreement.nonces)


# [LOBBY-5] of protocol.md
def test_74_another_agreement_under_the_same_table() -> None:
    def forge(peer: Cheater, _: Sit) -> Sit:
        return other_rules(peer).sit

    convicted(arena({1: on(Kind.SIT, forge)}, OpenKernel()), 1, "agreement.differs")


def test_74_other_options_are_another_table() -> None:
    """Whoever plays by them signs for a table that is not ours, and is waited for."""
    network = arena({1: withhold(Kind.SIT)}, OpenKernel())
    cheater = cheater_of(network)
    other = other_rules(cheater)
    assert other.table != cheater.match.agreement.table
    network.start()
    envelope = cheater.sign(other.sit, table=other.table, prev=other.table)
    network.perform(network.nodes[1], cheater.publish(envelope))
    network.settle(5)
    for node in honest_nodes(network):
        assert node.peer.dropped["malformed.table"] > 0
        assert node.peer.match.chain.missing == {1}
        assert node.peer.verdict is None


# [LOBBY-4] of protocol.md
def test_74_the_table_id_covers_everything() -> None:
    """Any option, any table option, another place, another game or player: another table."""
    identities = [node.peer._identity for node in arena({}, OpenKernel()).nodes]
    tables = {
        agree("oh-hell", identities, options, chosen).table
        for options in ({}, {"hook": True}, {"max_hand": 3}, {"no_trump": "never"})
        for chosen in ({}, {"hands": 1}, {"openings": "never"})
    }
    tables |= {agree("bazaar", identities).table, agree("oh-hell", identities, names="abc").table}
    assert len(tables) == 14


def test_46_a_committed_bid_cannot_be_guessed() -> None:
    """Thirty-two random bytes are in it, not only fourteen possible bids."""
    network = arena({}, OpenKernel(), options=SEALED)
    network.start()
    match = network.nodes[0].peer.match
    network.run_until(lambda: bool(match.sealed) and match.dealer.hand > 0)
    for committed, ctx in match.sealed.values():
        guesses = {
            commitment(ctx, bid(number), nonce)
            for number in range(14)
            for nonce in (bytes(32), b"\xff" * 32, match.chain.head, ctx.prev)
        }
        assert committed not in guesses


def test_a_move_with_a_commitments_body_is_malformed() -> None:
    def forge(_: Cheater, body: Move) -> object:
        return Commit(b"c" * 32)

    convicted(arena({0: on(Kind.MOVE, forge)}, OpenKernel()), 0, "body.malformed")
