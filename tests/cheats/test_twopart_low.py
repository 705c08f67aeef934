"""Cheats at Twopart with low cards and lots, TP-H4 and TP-H5, and in part two."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from p2pcards.cards.table import Slot, hand
from p2pcards.engine.dues import SharesDue
from p2pcards.games.shedding import PILE
from p2pcards.games.twopart import Phase, PickUp, Play
from p2pcards.games.twopart_house import is_run
from p2pcards.testing.cheaters import Cheater
from p2pcards.wire.messages import Kind, Mixed, Move, Reveal, Shares
from tests.cheats.arena import stalled, withhold
from tests.cheats.rovhult_table import Forger, masks, table
from tests.cheats.twopart_table import (
    CHEAT,
    RICH_AND_POOR,
    at_table,
    beating,
    caught,
    moving,
    own,
    shares,
    state_of,
    top,
    waited_for,
)

# --- TP-H4: who gets the low cards ----------------------------------------------------------------


def sharing_lot(peer: Cheater, body: object) -> bool:
    """Whether it opens its part of the lot by which the low cards are shared."""
    lot = isinstance(body, Reveal) and body.move is None
    return lot and state_of(peer).phase is Phase.GATHER


# [TP-2] of protocol.md
def test_tp_h4_another_lot_for_the_low_cards() -> None:
    def forge(peer: Cheater, body: object) -> Reveal | None:
        return Reveal(b"l" * 32, None) if sharing_lot(peer, body) else None

    caught(forge, "commit.broken", RICH_AND_POOR)


def test_tp_h4_the_lot_for_the_low_cards_is_withheld() -> None:
    network = waited_for(
        lambda peer, body: () if sharing_lot(peer, body) else None, kernel=RICH_AND_POOR
    )
    assert network.nodes[0].peer.match.state.phase is Phase.GATHER


def mixing_low(peer: Cheater) -> bool:
    """Whether it mixes the low cards."""
    return state_of(peer).phase is Phase.LOW and peer.match.chain.kind is Kind.MIXED


def test_tp_h4_a_low_card_is_exchanged_while_they_are_mixed() -> None:
    """One of them becomes the ace of spades."""

    def forge(peer: Cheater, body: Any) -> Mixed | None:
        if not mixing_low(peer):
            return None
        key = peer.kernel.joint(tuple(peer.match.dealer.keys.values()))
        ace = peer.kernel.initial(key, peer.match.dealer.faces)[-1:]
        twin, _ = peer.kernel.mix(peer.context, key, ace, b"s" * 32, peer.rng)
        return Mixed((twin[0], *body.masks[1:]), body.proof)

    caught(forge, "mix.proof", RICH_AND_POOR, low_share="random_private")


def test_tp_h4_a_low_card_is_lost_while_they_are_mixed() -> None:
    def forge(peer: Cheater, body: Any) -> Mixed | None:
        return Mixed(body.masks[1:], body.proof) if mixing_low(peer) else None

    caught(forge, "mix.count", RICH_AND_POOR, low_share="random_private")


def low_shares(peer: Cheater) -> tuple[Slot, ...]:
    """The low cards of which it owes shares."""
    due = peer.match.due
    asked = isinstance(due, SharesDue) and state_of(peer).phase is Phase.LOW
    return due.owed[CHEAT] if asked and isinstance(due, SharesDue) else ()


def test_tp_h4_shares_of_low_cards_for_the_wrong_receiver() -> None:
    """Those that it owes, in another order."""

    def forge(peer: Cheater, _: object) -> Shares | None:
        asked = low_shares(peer)
        return shares(peer, asked[::-1]) if asked else None

    caught(forge, "share.wrong", RICH_AND_POOR, low_share="random_private")


def test_tp_h4_shares_of_low_cards_are_refused() -> None:
    network = waited_for(
        lambda peer, _: () if low_shares(peer) else None,
        kernel=RICH_AND_POOR,
        low_share="random_private",
    )
    for node in network.nodes:
        lying = node.peer.match.dealer.table
        low = [slot for slot in lying.slots() if not lying.is_up(slot)]
        assert len(low) == 16
        assert not any(slot in node.peer.known for slot in low)


def secret_cards(peer: Cheater) -> list[Slot]:
    """The low cards of its hand that the others have not seen."""
    return [slot for slot in own(peer) if not table(peer).is_up(slot)]


def test_tp_h4_a_secret_low_card_is_played_unshown() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not moving(peer, Phase.PART_TWO):
            return None
        cards = beating(peer, secret_cards(peer))
        return peer.move(Play((cards[0],)), b"", []) if cards else None

    caught(forge, "share.missing", RICH_AND_POOR, seed=3, low_share="random_private")


def test_tp_h4_another_secret_low_card_is_shown_than_played() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not moving(peer, Phase.PART_TWO):
            return None
        cards = secret_cards(peer)
        return peer.move(Play((cards[0],)), b"", masks(peer, cards[1:2])) if cards[1:] else None

    caught(forge, "share.wrong", RICH_AND_POOR, low_share="random_private")


# --- TP-H5: nobody chooses who begins -------------------------------------------------------------


def test_tp_h5_another_lot_than_committed() -> None:
    def forge(peer: Cheater, body: object) -> Reveal | None:
        first = isinstance(body, Reveal) and state_of(peer).phase is Phase.LOT
        return Reveal(b"l" * 32, None) if first else None

    caught(forge, "commit.broken")


def test_tp_h5_a_lot_is_withheld() -> None:
    stalled(at_table(withhold(Kind.REVEAL)), {CHEAT})


# --- part two: everybody sees what may be played --------------------------------------------------


def ill_play(choose: Callable[[Cheater], tuple[Slot, ...] | None]) -> Forger:
    """Plays cards of its hand that may not be played."""

    def forge(peer: Cheater, _: object) -> Move | None:
        run = choose(peer) if moving(peer, Phase.PART_TWO) else None
        return None if run is None else peer.move(Play(run), b"", [])

    return forge


def too_low(peer: Cheater) -> tuple[Slot, ...] | None:
    """A card that does not beat the last play."""
    cards = [slot for slot in own(peer) if slot not in beating(peer, [slot])]
    return (cards[0],) if top(peer) is not None and cards else None


def no_run(peer: Cheater) -> tuple[Slot, ...] | None:
    """Two cards that do not belong together."""
    faces = [peer.match.dealer.table.face(slot) for slot in own(peer)]
    return own(peer)[:2] if len(faces) > 1 and not is_run(faces[:2]) else None


def of_another(peer: Cheater) -> tuple[Slot, ...] | None:
    """A card of another seat."""
    return table(peer)[hand(0)][:1] or None


def nothing(_: Cheater) -> tuple[Slot, ...]:
    return ()


@pytest.mark.parametrize(
    "choose, code",
    [
        (too_low, "play.not_higher"),
        (no_run, "play.not_a_run"),
        (of_another, "card.not_held"),
        (nothing, "play.empty"),
    ],
)
def test_part_two_what_may_not_be_played(
    choose: Callable[[Cheater], tuple[Slot, ...] | None], code: str
) -> None:
    caught(ill_play(choose), code)


def test_part_two_several_cards_where_only_one_may_be_played() -> None:
    def run(peer: Cheater) -> tuple[Slot, ...] | None:
        cards = sorted(own(peer), key=table(peer).face)
        face = table(peer).face
        return next((two for two in pairwise(cards) if is_run([face(slot) for slot in two])), None)

    caught(ill_play(run), "play.one_card", runs=False)


def test_part_two_an_empty_pile_is_picked_up() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        empty = moving(peer, Phase.PART_TWO) and not table(peer)[PILE]
        return peer.move(PickUp(), b"", []) if empty else None

    caught(forge, "pile.empty")
