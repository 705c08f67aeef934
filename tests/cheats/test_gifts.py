"""Cheats with cards given to another seat: attacks 28, 32 and 39 of the catalogue."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from p2pcards.cards.table import Seat
from p2pcards.crypto.kernel import Kernel
from p2pcards.engine.dues import GiveDue
from p2pcards.testing.cheaters import Cheater
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import Given, Kind, Move
from tests.cheats.arena import (
    SharedKernel,
    arena,
    convicted,
    on,
)
from tests.cheats.masks import remasked
from tests.engine.bazaar import Phase

REAL = SharedKernel()


# --- cards given away -----------------------------------------------------------------------------


def given(change: Callable[[Cheater, Given], Given]) -> Callable[[Cheater, Any], object | None]:
    """Changes the first card that rides on a move."""

    def forge(peer: Cheater, body: Move) -> Move | None:
        if not body.gives:
            return None
        first, *rest = body.gives
        return dataclasses.replace(body, gives=(change(peer, first), *rest))

    return forge


def receiver_key(peer: Cheater) -> bytes:
    """The key of the seat that the starter lends to."""
    key: bytes = peer.match.dealer.keys[peer.match.state.neighbour]
    return key


def malleated(peer: Cheater, card: Given) -> Given:
    """28: the same card under fresh randomness, with the proof of the old mask."""
    return Given(remasked(card.mask, receiver_key(peer), 3), card.proof)


def another_card(peer: Cheater, card: Given) -> Given:
    """Another card of its own hand, honestly given and proven."""
    dealer, key = peer.match.dealer, peer.key
    slots = [slot for slot in peer.known if dealer.masked[slot].layer.keys == {peer.seat}]
    ctx = dataclasses.replace(peer.context, index=2)
    proofs = [
        Given(
            *REAL.give(
                ctx,
                key.x,
                key.public,
                receiver_key(peer),
                dealer.masked[slot].layer.mask,
                peer.rng,
            )
        )
        for slot in slots
    ]
    lent = peer.match.rules.candidates(peer.match.state, dealer.table, peer.seat)
    first = next(iter(lent)).card
    return proofs[1 - slots.index(first)]


def copied(peer: Cheater, card: Given) -> Given:
    """32: the first component of a mask that is on the table."""
    other = next(iter(peer.match.dealer.masked.values())).layer.mask
    return Given(other[:33] + card.mask[33:], card.proof)


def lending(seats: int, kernel: Kernel, seed: int = 3) -> Seat:
    """Who lends a card at this table: all that comes before does not depend on who cheats later."""
    network = arena({}, kernel, game="bazaar", seats=seats, seed=seed)
    match = network.nodes[0].peer.match
    network.start()
    network.run_until(lambda: match.state.phase is Phase.LEND)
    starter: Seat = match.state.starter
    return starter


# [GIVE-1] of protocol.md
@pytest.mark.parametrize(
    "change, code",
    [(malleated, "give.wrong"), (another_card, "give.wrong"), (copied, "mask.repeated")],
    ids=["malleated", "another card", "copied"],
)
def test_28_32_39_cards_given_otherwise(
    change: Callable[[Cheater, Given], Given], code: str
) -> None:
    seat = lending(2, REAL)
    cheats = {seat: on(Kind.MOVE, given(change))}
    convicted(arena(cheats, REAL, game="bazaar", seats=2, seed=3), seat, code)


def no_card(_: Cheater, body: Move) -> Move | None:
    return dataclasses.replace(body, gives=()) if body.gives else None


def one_card_more(_: Cheater, body: Move) -> Move | None:
    return dataclasses.replace(body, gives=(*body.gives, body.gives[0])) if body.gives else None


# [MOVE-2] of protocol.md
@pytest.mark.parametrize(
    "forge, code", [(no_card, "give.missing"), (one_card_more, "move.unasked")]
)
def test_more_and_fewer_cards_than_a_move_owes(
    forge: Callable[[Cheater, Move], Move | None], code: str
) -> None:
    seat = lending(3, OpenKernel())
    cheats = {seat: on(Kind.MOVE, forge)}
    convicted(arena(cheats, OpenKernel(), game="bazaar", seed=3), seat, code)


@pytest.mark.parametrize("copy", [True, False])
def test_39_a_card_given_in_a_step_of_its_own(copy: bool) -> None:
    """The other half of a swap: a card under randomness that is not proven, or a repeated mask."""

    def forge(peer: Cheater, body: Given) -> Given:
        assert isinstance(peer.match.due, GiveDue)
        if copy:
            return copied(peer, body)
        return Given(remasked(body.mask, peer.match.dealer.keys[peer.match.due.to], 3), body.proof)

    seat = 1 - lending(2, REAL)
    network = arena({seat: on(Kind.GIVEN, forge)}, REAL, game="bazaar", seats=2, seed=3)
    convicted(network, seat, "mask.repeated" if copy else "give.wrong")


# [HAND-5], [MIX-1] of protocol.md
