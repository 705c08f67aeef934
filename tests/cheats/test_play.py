"""Cheats at the card table itself: attacks 29, 30, 33, 34, 36 and 37 of the catalogue."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from p2pcards.cards.rules import Value
from p2pcards.cards.table import TRICK, Slot, hand, won
from p2pcards.crypto.elgamal import card_point
from p2pcards.crypto.formula import And, Formula, Or, Rep, fold, proof_size
from p2pcards.crypto.group import SECP256K1, L, decode_scalar, encode_scalar
from p2pcards.engine.moves import CLAIM_INDEX, at
from p2pcards.engine.view import lawful
from p2pcards.errors import WrongWitness
from p2pcards.games.oh_hell import Bid, Phase, Play, Ready
from p2pcards.testing.cheaters import Cheater
from p2pcards.testing.network import Network
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.codec import to_tagged
from p2pcards.wire.messages import Kind, Move, Shares
from tests.cheats.arena import SharedKernel, arena, contributions, convicted

REAL = SharedKernel()
FIVE: dict[str, Value] = {"sequence": "down", "max_hand": 5}
"""A first hand of five cards."""

Forger = Callable[[Cheater, Slot], Move | None]


def once(
    forge: Callable[[Cheater, Any], Move | None],
) -> Callable[[Cheater, object], Iterable[object]]:
    """Cheats in the first move that allows it, and is honest before and after."""
    done = False

    def cheat(peer: Cheater, body: object) -> Iterable[object]:
        nonlocal done
        forged = forge(peer, body) if isinstance(body, Move) and not done else None
        done = done or forged is not None
        return (body,) if forged is None else (forged,)

    return cheat


def table_of(
    forge: Callable[[Cheater, Any], Move | None], seed: int = 1, **options: Value
) -> Network:
    """Seat 1 cheats in a hand of five."""
    return arena({1: once(forge)}, REAL, seed=seed, options={**FIVE, **options})


# --- 33: not following suit -----------------------------------------------------------------------


def revoke(peer: Cheater) -> Slot | None:
    """A card of another suit, where the led one is in the hand: None if there is no such choice."""
    match = peer.match
    trick = match.dealer.table[TRICK]
    if match.state.phase is not Phase.PLAY or not trick:
        return None
    led = match.dealer.table.face(trick[0]).suit
    held = match.dealer.table[hand(peer.seat)]
    off = [slot for slot in held if peer.known[slot].suit != led]
    return off[0] if off and len(off) < len(held) else None


def revoking(
    claim: Callable[[Cheater, Slot, Formula], bytes],
) -> Callable[[Cheater, Any], Move | None]:
    """Plays off suit with this proof."""

    def forge(peer: Cheater, _: Any) -> Move | None:
        card = revoke(peer)
        if card is None:
            return None
        statement = peer.plan(Play(card)).statement
        assert statement is not None
        return peer.move(Play(card), claim(peer, card, statement))

    return forge


def missing(_: Cheater, __: Slot, ___: Formula) -> bytes:
    return b""


def forged(_: Cheater, __: Slot, statement: Formula) -> bytes:
    """Scalars of the right number and size."""
    rng = Random(5)
    return b"".join(
        encode_scalar(rng.randrange(1, L)) for _ in range(proof_size(fold(statement)) // 32)
    )


def zeros(_: Cheater, __: Slot, statement: Formula) -> bytes:
    return bytes(proof_size(fold(statement)))


def parts_of(statement: Formula) -> list[Formula]:
    """What is claimed of each card that is kept."""
    return list(statement.children) if isinstance(statement, And) else [statement]


def true_parts(peer: Cheater, statement: Formula) -> list[Formula]:
    """Those parts of a claim that are true."""
    kept = []
    for part in parts_of(statement):
        with suppress(WrongWitness):
            peer.prove(part)
            kept.append(part)
    return kept


def about_fewer_cards(peer: Cheater, _: Slot, statement: Formula) -> bytes:
    """34: the guilty cards are left out."""
    kept = true_parts(peer, statement)
    return peer.prove(And(tuple(kept))) if kept else b""


def about_other_cards(peer: Cheater, _: Slot, statement: Formula) -> bytes:
    """As many parts as are asked for, the guilty ones replaced by innocent ones."""
    kept = true_parts(peer, statement) or [innocent(peer)]
    count = len(parts_of(statement))
    return peer.prove(And(tuple((kept * count)[:count])))


def innocent(peer: Cheater) -> Formula:
    """A true statement of the same shape: the played card itself is not of the suit."""
    card = revoke(peer)
    assert card is not None
    statement = peer.plan(Play(card)).statement
    assert statement is not None
    first = parts_of(statement)[0]
    assert isinstance(first, Or)
    mask = peer.match.dealer.masked[card].layer.mask
    atoms = [atom for atom in first.children if isinstance(atom, Rep)]
    return Or(tuple(dataclasses.replace(atom, mask=mask) for atom in atoms))


# [OH-2], [CLAIM-4] of protocol.md
@pytest.mark.parametrize(
    "claim",
    [missing, forged, zeros, about_fewer_cards, about_other_cards],
    ids=lambda claim: claim.__name__,
)
def test_33_34_revoking(claim: Callable[[Cheater, Slot, Formula], bytes]) -> None:
    convicted(table_of(revoking(claim)), 1, "claim.false")


def test_33_an_honest_peer_does_not_even_try() -> None:
    """The prover refuses, and no such move is among a seat's options."""
    tried: list[Slot] = []

    def forge(peer: Cheater, _: Any) -> Move | None:
        card = revoke(peer)
        if card is None:
            return None
        statement = peer.plan(Play(card)).statement
        assert statement is not None
        with pytest.raises(WrongWitness):
            peer.prove(statement)
        match = peer.match
        options = lawful(match.rules, match.state, match.dealer.table, peer.seat, peer.known)
        assert Play(card) not in [move for move, _ in options]
        tried.append(card)
        return None

    table_of(forge).run()
    assert tried


# --- a proof that was good elsewhere --------------------------------------------------------------


def renouncing(
    change: Callable[[Cheater, Formula], bytes],
) -> Callable[[Cheater, Any], Move | None]:
    """Where the led suit is truly not in the hand, and cards are kept: with another proof."""

    def forge(peer: Cheater, body: Move) -> Move | None:
        if not body.claim:
            return None
        move = peer.match.rules.moves[1]
        card = body.move[1]
        statement = peer.plan(move(card)).statement
        assert statement is not None
        return dataclasses.replace(body, claim=change(peer, statement))

    return forge


def elsewhere(**fields: Any) -> Callable[[Cheater, Formula], bytes]:
    """The proof of a true claim, made in another context."""

    def change(peer: Cheater, statement: Formula) -> bytes:
        ctx = dataclasses.replace(at(peer.context, CLAIM_INDEX), **fields)
        key, faces = peer.key, peer.match.dealer.faces
        return REAL.prove(ctx, key.x, key.public, statement, faces, peer.rng)

    return change


# [CTX-1] of protocol.md
@pytest.mark.parametrize(
    "fields",
    [{"step": 3}, {"prev": b"p" * 32}, {"table": b"t" * 32}, {"seat": 0}, {"index": 0}],
    ids=lambda fields: next(iter(fields)),
)
def test_37_a_proof_of_another_trick_hand_table_or_seat(fields: dict[str, Any]) -> None:
    convicted(table_of(renouncing(elsewhere(**fields)), seed=4), 1, "claim.false")


# [CLAIM-1] of protocol.md
@pytest.mark.parametrize("place", [0, 1, 2, -1])
def test_36_one_scalar_altered(place: int) -> None:
    """The challenge of the whole, that of a branch, the first and the last answer."""

    def change(peer: Cheater, statement: Formula) -> bytes:
        proof = peer.prove(statement)
        scalars = [proof[i : i + 32] for i in range(0, len(proof), 32)]
        scalars[place] = encode_scalar(decode_scalar(scalars[place]) % (L - 1) + 1)
        return b"".join(scalars)

    convicted(table_of(renouncing(change), seed=4), 1, "claim.false")


# [CLAIM-1] of protocol.md
@pytest.mark.parametrize("change", [lambda proof: proof + bytes(32), lambda proof: proof[:-32]])
def test_36_another_length(change: Callable[[bytes], bytes]) -> None:
    forge = renouncing(lambda peer, statement: change(peer.prove(statement)))
    convicted(table_of(forge, seed=4), 1, "claim.false")


# [MOVE-2] of protocol.md
def test_a_proof_of_nothing() -> None:
    """Bytes where no claim is owed."""

    def forge(peer: Cheater, body: Move) -> Move | None:
        is_bid = peer.match.state.phase is Phase.BID
        return dataclasses.replace(body, claim=bytes(32)) if is_bid else None

    convicted(table_of(forge), 1, "move.unasked")


# [OH-3] of protocol.md
def test_33_must_trump() -> None:
    """Void in the led suit, with a trump in the hand, it throws away another card and proves only
    that it cannot follow."""

    def forge(peer: Cheater, _: Move) -> Move | None:
        state, table = peer.match.state, peer.match.dealer.table
        trick = table[TRICK]
        if state.phase is not Phase.PLAY or not trick or state.trump is None:
            return None
        led = table.face(trick[0]).suit
        suits = {slot: peer.known[slot].suit for slot in table[hand(peer.seat)]}
        others = [slot for slot, suit in suits.items() if suit not in {led, state.trump}]
        if led == state.trump or led in suits.values() or state.trump not in suits.values():
            return None
        if not others:
            return None
        statement = peer.plan(Play(others[0])).statement
        assert statement is not None
        return peer.move(Play(others[0]), peer.prove(And(tuple(true_parts(peer, statement)))))

    for seed in range(1, 40):
        network = table_of(forge, seed, must_trump=True)
        network.start()
        peer = network.nodes[0].peer
        while not peer.match.finished and peer.verdict is None:
            network.step()
        if peer.verdict is not None:
            convicted(network, 1, "claim.false", started=True)
            return
    pytest.fail("the position never came up")


# --- 29, 30: which card it is ---------------------------------------------------------------------


def playing(
    choose: Callable[[Cheater], Slot | None], share: bool
) -> Callable[[Cheater, Any], Move | None]:
    """Plays a card that is not in its hand, with a share of it or without."""

    def forge(peer: Cheater, _: Any) -> Move | None:
        if peer.match.state.phase is not Phase.PLAY:
            return None
        slot = choose(peer)
        if slot is None:
            return None
        masked = peer.match.dealer.masked.get(slot)
        shown = [masked.layer.mask] if share and masked is not None else []
        return peer.move(Play(slot), b"", shown)

    return forge


def of_another(peer: Cheater) -> Slot:
    return peer.match.dealer.table[hand(2)][0]


def of_the_stock(peer: Cheater) -> Slot:
    return max(peer.match.dealer.masked)


def played_before(peer: Cheater) -> Slot | None:
    tricks = [peer.match.dealer.table[won(seat)] for seat in range(3)]
    return next((slots[0] for slots in tricks if slots), None)


def of_no_card(_: Cheater) -> Slot:
    return 10**6


def below_zero(_: Cheater) -> Slot:
    return -1


# [MOVE-1] of protocol.md
@pytest.mark.parametrize("share", [False, True], ids=["bare", "with a share"])
@pytest.mark.parametrize(
    "choose",
    [of_another, of_the_stock, played_before, of_no_card, below_zero],
    ids=lambda choose: choose.__name__,
)
def test_29_a_card_not_in_the_hand(choose: Callable[[Cheater], Slot | None], share: bool) -> None:
    network = arena({1: once(playing(choose, share))}, OpenKernel(), options=FIVE)
    # a card of the stock is under every key, so that also a mover owes its share
    bare_stock = choose is of_the_stock and not share
    convicted(network, 1, "share.missing" if bare_stock else "card.not_held")


def test_30_another_face_than_the_cards_own() -> None:
    """A share that makes the card an ace of trumps for whoever does not look at its proof."""

    def forge(peer: Cheater, body: Move) -> Move | None:
        if peer.match.state.phase is not Phase.PLAY:
            return None
        mask = peer.match.dealer.masked[body.move[1]].layer.mask
        ace = card_point((peer.match.state.trump or 1, 14))
        b = SECP256K1.decode(mask[33:])
        share = SECP256K1.encode(SECP256K1.sum([b, SECP256K1.negate(ace)]))
        return dataclasses.replace(body, shares=Shares((share,), body.shares.proof))

    convicted(table_of(forge), 1, "share.wrong")


def test_30_no_face_at_all() -> None:
    def forge(peer: Cheater, body: Move) -> Move | None:
        if peer.match.state.phase is not Phase.PLAY:
            return None
        share = SECP256K1.encode(SECP256K1.base(5))
        return dataclasses.replace(body, shares=Shares((share,), body.shares.proof))

    convicted(table_of(forge), 1, "share.wrong")


# [MOVE-2] of protocol.md
@pytest.mark.parametrize("more", [False, True])
def test_more_or_fewer_shares_than_the_move_owes(more: bool) -> None:
    """Not to open the card one plays; or to open one's neighbour another on the side."""

    def forge(peer: Cheater, body: Move) -> Move | None:
        if peer.match.state.phase is not Phase.PLAY:
            return None
        if not more:
            return dataclasses.replace(body, shares=Shares((), b""))
        masked = peer.match.dealer.masked
        slots = [body.move[1], max(masked)]
        key, ctx = peer.key, at(peer.context, 0)
        masks = [masked[slot].layer.mask for slot in slots]
        shares = Shares(*REAL.shares(ctx, key.x, key.public, masks, peer.rng))
        return dataclasses.replace(body, shares=shares)

    convicted(table_of(forge), 1, "move.unasked" if more else "share.missing")


# --- moves that are none --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "move, code",
    [
        (to_tagged(Bid(6), (Bid, Play, Ready)), "bid.range"),
        (to_tagged(Bid(-1), (Bid, Play, Ready)), "bid.range"),
        (to_tagged(Play(0), (Bid, Play, Ready)), "phase.wrong"),
        (to_tagged(Ready(), (Bid, Play, Ready)), "phase.wrong"),
        ((3,), "move.malformed"),
        ((-1,), "move.malformed"),
        ((), "move.malformed"),
        (None, "move.malformed"),
        ((0,), "move.malformed"),
        ((0, 1, 1), "move.malformed"),
        ((0, True), "move.malformed"),
        ((0, b"1"), "move.malformed"),
        (((0, 1),), "move.malformed"),
    ],
)
def test_moves_that_are_none(move: Any, code: str) -> None:
    def forge(_: Cheater, body: Move) -> Move:
        return dataclasses.replace(body, move=move)

    network = arena({1: once(forge)}, OpenKernel(), options=FIVE)
    convicted(network, 1, code)
    assert len(contributions(network, Kind.MOVE)) <= 6


@pytest.mark.parametrize("body", [None, (), (1,), b"", 7, ((), (), b"", ()), (None,) * 5])
def test_bodies_that_are_none(body: Any) -> None:
    def cheat(peer: Cheater, honest: object) -> Iterable[object]:
        return (body,) if isinstance(honest, Move) else (honest,)

    convicted(arena({0: cheat}, OpenKernel()), 0, "body.malformed")
