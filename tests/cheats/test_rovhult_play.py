"""Cheats at Røvhult with cards that are played and drawn: RH-H3 and RH-H4."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from p2pcards.cards.table import STOCK, hand
from p2pcards.engine.dues import SharesDue
from p2pcards.games.rovhult import Phase, Play, Take, down
from p2pcards.games.shedding import PILE
from p2pcards.testing.cheaters import Cheater
from p2pcards.wire.messages import Kind, Mixed, Move, Shares
from tests.cheats.rovhult_table import (
    REAL,
    Occasion,
    at_table,
    caught,
    hidden_cards,
    masks,
    meant,
    moving,
    possible,
    shows_one,
    table,
)

# --- RH-H3: a card that is played comes from the own hand -----------------------------------------


@pytest.mark.parametrize("of", [hand(0), down(0), STOCK], ids=str)
def test_rh_h3_a_card_of_others_is_played(of: Any) -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        cards = table(peer)[of]
        if not moving(peer) or not cards:
            return None
        return peer.move(Play(cards[:1]), b"", possible(peer, cards[:1]))

    caught(forge, "card.not_held")


def test_rh_h3_another_card_is_shown_than_played() -> None:
    """The share of a second card of the hand in the place of the first's."""

    def forge(peer: Cheater, body: Any) -> Move | None:
        if not moving(peer) or not shows_one(peer, body):
            return None
        (played,) = meant(peer, body).cards
        others = [slot for slot in hidden_cards(peer) if slot != played]
        return peer.move(Play((played,)), b"", masks(peer, others[:1])) if others else None

    caught(forge, "share.wrong", REAL)


def test_rh_h3_a_card_is_passed_off_as_another() -> None:
    """A share that would make a card of the pack of it, but not the one that it is."""

    def forge(peer: Cheater, body: Any) -> Move | None:
        if not moving(peer) or not shows_one(peer, body):
            return None
        (share,) = body.shares.shares
        wrong = share[:-1] + bytes((share[-1] ^ 1,))
        forged: Move = dataclasses.replace(body, shares=Shares((wrong,), body.shares.proof))
        return forged

    caught(forge, "share.wrong", REAL)


def test_rh_h3_a_card_is_played_unshown() -> None:
    def forge(peer: Cheater, body: Any) -> Move | None:
        if not moving(peer) or not shows_one(peer, body):
            return None
        return peer.move(meant(peer, body), b"", [])

    caught(forge, "share.missing")


def test_rh_h3_a_second_card_is_shown_unasked() -> None:
    def forge(peer: Cheater, body: Any) -> Move | None:
        if not moving(peer) or not shows_one(peer, body):
            return None
        (played,) = meant(peer, body).cards
        others = [slot for slot in hidden_cards(peer) if slot != played]
        return peer.move(Play((played,)), b"", masks(peer, [played, *others])) if others else None

    caught(forge, "move.unasked")


@pytest.mark.parametrize(
    "ill, code",
    [
        (lambda ranks, top: top not in {None, 7} and min(ranks) < top, "play.too_low"),
        (lambda ranks, top: top == 7 and max(ranks) > 7, "play.too_high_after_reverse"),
    ],
    ids=["too low", "too high"],
)
def test_rh_h3_a_card_that_does_not_fit(ill: Any, code: str) -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        hidden = [s for s in hidden_cards(peer) if peer.known[s].rank not in {2, 10}]
        if not moving(peer) or not hidden or not table(peer)[PILE]:
            return None
        top = table(peer).face(table(peer)[PILE][-1]).rank
        if not ill([peer.known[slot].rank for slot in hidden], top):
            return None
        choose = max if top == 7 else min
        card = choose(hidden, key=lambda slot: peer.known[slot].rank)
        return peer.move(Play((card,)), b"", masks(peer, [card]))

    caught(forge, code)


def test_rh_h3_two_ranks_at_once() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        cards = sorted(hidden_cards(peer))[:2]
        if not moving(peer) or len({peer.known[slot].rank for slot in cards}) < 2:
            return None
        return peer.move(Play(tuple(cards)), b"", masks(peer, cards))

    caught(forge, "play.mixed_ranks")


def test_rh_h3_a_pile_that_is_not_there_is_taken() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        return peer.move(Take(), b"", []) if moving(peer) and not table(peer)[PILE] else None

    caught(forge, "pile.empty")


# --- RH-H4: draws are seen by the one who draws ---------------------------------------------------


def drawing(peer: Cheater) -> bool:
    """Whether the open step wants shares of cards that another seat draws."""
    due, state = peer.match.due, peer.match.state
    if not isinstance(due, SharesDue) or state.phase is not Phase.TURNS:
        return False
    return table(peer).where(due.owed[peer.seat][0]) != down(state.turn)


def test_rh_h4_a_wrong_share_for_one_who_draws() -> None:
    def forge(peer: Cheater, _: object) -> Shares | None:
        due = peer.match.due
        if not isinstance(due, SharesDue) or not drawing(peer):
            return None
        key, other = peer.key, masks(peer, table(peer)[STOCK][: len(due.owed[1])])
        return Shares(*peer.kernel.shares(peer.context, key.x, key.public, other, peer.rng))

    caught(forge, "share.wrong", REAL)


def test_rh_h4_one_who_draws_has_no_say() -> None:
    """It is not asked: the draw is what its play entails, and nothing it signs can stop it."""

    network = at_table(Occasion(lambda peer, body: None))
    network.start()
    match = network.nodes[0].peer.match
    network.run_until(
        lambda: (
            isinstance(match.due, SharesDue)
            and bool(match.state.arranged)
            and match.state.phase is Phase.TURNS
        )
    )
    assert isinstance(match.due, SharesDue)
    drawers = {match.dealer.table.where(s) for slots in match.due.owed.values() for s in slots}
    (pile,) = drawers
    assert pile is not None
    assert pile.seat not in match.due.owed
    assert len(match.dealer.table[pile]) == 3


def mixing_own_hand(peer: Cheater) -> bool:
    """Whether it is to hide which card it has drawn."""
    return moving_on(peer) and peer.match.chain.kind is Kind.MIXED


def moving_on(peer: Cheater) -> bool:
    """Whether the cards have been dealt and arranged."""
    phase: Phase = peer.match.state.phase
    return phase is Phase.TURNS


def test_rh_h4_a_hand_is_exchanged_while_it_is_mixed() -> None:
    """Where draws are hidden: the first card of the hand becomes the ace of spades."""

    def forge(peer: Cheater, body: Any) -> Mixed | None:
        if not mixing_own_hand(peer) or len(body.masks) < 2:
            return None
        key, ctx = peer.key.public, peer.context
        ace = peer.kernel.initial(key, peer.match.dealer.faces)[-1:]
        twin, _ = peer.kernel.mix(ctx, key, ace, b"s" * 32, peer.rng)
        return Mixed((twin[0], *body.masks[1:]), body.proof)

    caught(forge, "mix.proof", REAL, unlinkable_draws=True)


def test_rh_h4_a_hand_loses_a_card_while_it_is_mixed() -> None:
    def forge(peer: Cheater, body: Any) -> Mixed | None:
        return Mixed(body.masks[1:], body.proof) if mixing_own_hand(peer) else None

    caught(forge, "mix.count", unlinkable_draws=True)
