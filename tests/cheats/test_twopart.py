"""Cheats at Twopart with cards that are laid and drawn, and with the trump: TP-H1 to TP-H3."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from p2pcards.cards.table import STOCK, Pile, hand, won
from p2pcards.engine.dues import SharesDue
from p2pcards.games.twopart import Lay, Phase, PickUp, Play
from p2pcards.testing.cheaters import Cheater
from p2pcards.wire.messages import Kind, Move, Shares
from tests.cheats.arena import cheater_of, convicted, honest_nodes, withhold
from tests.cheats.rovhult_table import REAL, Occasion, masks, meant, possible, table
from tests.cheats.twopart_table import (
    CHEAT,
    at_table,
    caught,
    moving,
    own,
    shares,
    state_of,
    waited_for,
)

# --- TP-H1: a card that is laid comes from the own hand -------------------------------------------


@pytest.mark.parametrize("of", [hand(0), STOCK, won(0)], ids=str)
def test_tp_h1_a_card_of_others_is_laid(of: Pile) -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        cards = table(peer)[of]
        if not moving(peer, Phase.PART_ONE) or not cards:
            return None
        return peer.move(Lay(cards[0]), b"", possible(peer, cards[:1]))

    caught(forge, "card.not_held")


def test_tp_h1_another_card_is_shown_than_laid() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not moving(peer, Phase.PART_ONE):
            return None
        laid, other, *_rest = own(peer)
        return peer.move(Lay(laid), b"", masks(peer, [other]))

    caught(forge, "share.wrong", REAL)


def test_tp_h1_a_card_is_passed_off_as_another() -> None:
    def forge(peer: Cheater, body: Any) -> Move | None:
        if not moving(peer, Phase.PART_ONE):
            return None
        share, *_rest = body.shares.shares
        wrong = share[:-1] + bytes((share[-1] ^ 1,))
        forged: Move = dataclasses.replace(body, shares=Shares((wrong,), body.shares.proof))
        return forged

    caught(forge, "share.wrong", REAL)


def test_tp_h1_a_card_is_laid_unshown() -> None:
    def forge(peer: Cheater, body: Any) -> Move | None:
        return peer.move(meant(peer, body), b"", []) if moving(peer, Phase.PART_ONE) else None

    caught(forge, "share.missing")


def test_tp_h1_a_second_card_is_shown_unasked() -> None:
    def forge(peer: Cheater, body: Any) -> Move | None:
        if not moving(peer, Phase.PART_ONE):
            return None
        return peer.move(meant(peer, body), b"", masks(peer, own(peer)[:2]))

    caught(forge, "move.unasked")


@pytest.mark.parametrize("move", [Play, lambda _: PickUp()], ids=["play", "pick up"])
def test_tp_h1_a_move_of_the_other_part(move: Callable[[Any], object]) -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not moving(peer, Phase.PART_ONE):
            return None
        forged = move(own(peer)[:1])
        return peer.move(forged, b"", masks(peer, peer.match.rules.opens(forged)))

    caught(forge, "phase.wrong")


def test_tp_h1_a_card_is_laid_out_of_turn() -> None:
    network = at_table(withhold(Kind.MOVE, after=99))
    cheater = cheater_of(network)

    def others_turn() -> bool:
        state = state_of(cheater)
        waiting = cheater.match.chain.kind is Kind.MOVE
        return waiting and state.phase is Phase.PART_ONE and state.turn != CHEAT

    network.start()
    network.run_until(others_turn)
    card = own(cheater)[0]
    envelope = cheater.sign(cheater.move(Lay(card), b"", masks(cheater, [card])))
    network.perform(network.nodes[CHEAT], cheater.publish(envelope))
    convicted(network, CHEAT, "chain.not_author", started=True)


# --- TP-H2: a card that is drawn is seen by the one who draws -------------------------------------


def another_draws(peer: Cheater) -> bool:
    """Whether the open step wants its share of a card that another seat draws."""
    due = peer.match.due
    if not isinstance(due, SharesDue) or state_of(peer).phase is not Phase.PART_ONE:
        return False
    return CHEAT in due.owed and table(peer).where(due.owed[CHEAT][0]) != hand(CHEAT)


def test_tp_h2_a_wrong_share_for_one_who_draws() -> None:
    def forge(peer: Cheater, _: object) -> Shares | None:
        return shares(peer, table(peer)[STOCK][:1]) if another_draws(peer) else None

    caught(forge, "share.wrong", REAL)


def test_tp_h2_a_share_is_refused_to_one_who_draws() -> None:
    network = waited_for(lambda peer, _: () if another_draws(peer) else None)
    match = network.nodes[0].peer.match
    assert isinstance(match.due, SharesDue)
    (card,) = match.due.owed[CHEAT]
    assert not any(card in node.peer.known for node in network.nodes)


def test_tp_h2_one_who_draws_has_no_say() -> None:
    """It is not asked: the card comes with what it has laid, and nothing it signs can stop it."""
    network = at_table(Occasion(lambda peer, body: None))
    match = network.nodes[0].peer.match
    network.start()
    network.run_until(
        lambda: isinstance(match.due, SharesDue) and match.state.phase is Phase.PART_ONE
    )
    assert isinstance(match.due, SharesDue)
    (card,) = {slot for slots in match.due.owed.values() for slot in slots}
    pile = match.dealer.table.where(card)
    assert pile is not None
    assert match.due.owed.keys() == {0, 1, 2} - {pile.seat}
    assert len(match.dealer.table[pile]) == 3


# --- TP-H3: the trump is shown --------------------------------------------------------------------


def trump_is_asked_for(peer: Cheater) -> bool:
    """Whether it is to show the trump in a step of its own."""
    due, last = peer.match.due, state_of(peer).last
    return isinstance(due, SharesDue) and last is not None and due.owed.get(CHEAT) == (last,)


def showing_own(peer: Cheater) -> bool:
    """Whether it is to show the trump that it holds."""
    return trump_is_asked_for(peer) and state_of(peer).last in own(peer)


# [TP-1] of protocol.md
def test_tp_h3_the_trump_is_not_shown() -> None:
    network = waited_for(lambda peer, _: () if showing_own(peer) else None, last=Phase.PART_ONE)
    for node in honest_nodes(network):
        assert node.peer.match.state.last not in node.peer.known


def test_tp_h3_another_card_is_shown_for_the_trump() -> None:
    def forge(peer: Cheater, _: object) -> Shares | None:
        others = tuple(slot for slot in own(peer) if slot != state_of(peer).last)
        return shares(peer, others[:1]) if showing_own(peer) and others else None

    caught(forge, "share.wrong", REAL, seed=6, last=Phase.PART_ONE)


def test_tp_h3_the_trump_is_not_shown_with_the_move_that_ends_the_contest() -> None:
    """Where its holder lays the last card of the contest, the trump has to come with it."""

    def forge(peer: Cheater, body: Any) -> Move | None:
        if not moving(peer, Phase.PART_ONE) or len(body.shares.shares) < 2:
            return None
        laid = meant(peer, body)
        return peer.move(laid, b"", masks(peer, [laid.card]))

    caught(forge, "share.missing", seed=7, last=Phase.PART_ONE)


def test_tp_h3_another_card_is_shown_with_the_move_that_ends_the_contest() -> None:
    def forge(peer: Cheater, body: Any) -> Move | None:
        if not moving(peer, Phase.PART_ONE) or len(body.shares.shares) < 2:
            return None
        laid = meant(peer, body)
        others = [s for s in own(peer) if s not in {laid.card, state_of(peer).last}]
        return peer.move(laid, b"", masks(peer, [laid.card, *others[:1]])) if others else None

    caught(forge, "share.wrong", REAL, seed=2, last=Phase.PART_ONE)


@pytest.mark.parametrize("reveal", ["subround", "immediate"])
def test_tp_h3_the_trump_is_not_shown_earlier_either(reveal: str) -> None:
    network = waited_for(
        lambda peer, _: () if trump_is_asked_for(peer) else None,
        last=Phase.PART_ONE,
        trump_reveal=reveal,
    )
    for node in honest_nodes(network):
        match = node.peer.match
        assert not match.dealer.table.is_up(match.state.last)
