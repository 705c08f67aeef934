"""Cheats at Røvhult with face-down cards, the arrangement and the lot: RH-H1, H2, H5, H6."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from p2pcards.cards.table import STOCK, Slot, hand
from p2pcards.crypto.kernel import Kernel
from p2pcards.engine.dues import SharesDue
from p2pcards.engine.match import commitment
from p2pcards.games.rovhult import Arrange, Flip, Phase, Play, State, Take, down, up
from p2pcards.games.shedding import PILE
from p2pcards.testing.cheaters import Cheater
from p2pcards.wire.codec import to_tagged
from p2pcards.wire.messages import Commit, Kind, Move, Reveal, Shares
from tests.cheats.arena import (
    cheater_of,
    convicted,
    honest_nodes,
    stalled,
    withhold,
)
from tests.cheats.rovhult_table import (
    OPEN,
    REAL,
    Forger,
    Occasion,
    at_table,
    begun,
    caught,
    flipping,
    masks,
    meant,
    moving,
    possible,
    table,
)

# --- RH-H1: nobody opens a face-down card before it is turned over --------------------------------


# [RH-1] of protocol.md
def test_rh_h1_a_card_is_turned_over_too_early() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not moving(peer):
            return None
        card = table(peer)[down(peer.seat)][0]
        return peer.move(Flip(card), b"", masks(peer, [card]))

    caught(forge, "play.wrong_source")


def test_rh_h1_a_face_down_card_is_played_from_the_table() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not flipping(peer):
            return None
        card = table(peer)[down(peer.seat)][0]
        return peer.move(Play((card,)), b"", masks(peer, [card]))

    caught(forge, "play.wrong_source")


@pytest.mark.parametrize("of", [down(0), hand(0)], ids=str)
def test_rh_h1_the_card_of_another_is_turned_over(of: Any) -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not flipping(peer) or not table(peer)[of]:
            return None
        card = table(peer)[of][0]
        return peer.move(Flip(card), b"", possible(peer, [card]))

    caught(forge, "card.not_held")


def test_rh_h1_a_share_of_a_face_down_card_that_nobody_has_asked_for() -> None:
    """It would help whoever else gives one; no step takes it."""
    network = at_table(withhold(Kind.MOVE))
    cheater = cheater_of(network)
    network.start()
    network.run_until(lambda: cheater.withheld is not None)
    key, card = cheater.key, table(cheater)[down(0)][0]
    shown = cheater.kernel.shares(
        cheater.context, key.x, key.public, masks(cheater, [card]), cheater.rng
    )
    envelope = cheater.sign(Shares(*shown), kind=int(Kind.SHARES))
    network.perform(network.nodes[1], cheater.publish(envelope))
    convicted(network, 1, "chain.kind", started=True)


def test_rh_h1_a_card_is_turned_over_without_its_share() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not flipping(peer):
            return None
        return peer.move(Flip(table(peer)[down(peer.seat)][0]), b"", [])

    caught(forge, "share.missing")


def test_rh_h1_another_card_is_turned_over_than_named() -> None:
    """The better one of two, if the cheater knew which: the share is of its other card."""

    def forge(peer: Cheater, _: object) -> Move | None:
        cards = table(peer)[down(peer.seat)]
        if not flipping(peer) or len(cards) < 2:
            return None
        return peer.move(Flip(cards[0]), b"", masks(peer, [cards[1]]))

    caught(forge, "share.wrong", REAL)


def turned_over(peer: Cheater) -> bool:
    """Whether the open step wants shares of a card that another seat has turned over."""
    due, state = peer.match.due, peer.match.state
    if not isinstance(due, SharesDue) or state.phase is not Phase.TURNS:
        return False
    return state.turn != peer.seat and due.owed[peer.seat][0] in table(peer)[down(state.turn)]


def test_rh_h1_a_wrong_share_when_another_turns_over() -> None:
    def forge(peer: Cheater, _: object) -> Shares | None:
        due = peer.match.due
        if not isinstance(due, SharesDue) or not turned_over(peer):
            return None
        other = masks(peer, [table(peer)[down(peer.match.state.turn)][-1]])
        key = peer.key
        if other == masks(peer, due.owed[1]):
            return None
        return Shares(*peer.kernel.shares(peer.context, key.x, key.public, other, peer.rng))

    caught(forge, "share.wrong", REAL)


def test_rh_h1_a_share_is_refused_when_another_turns_over() -> None:
    """The card stays closed to all, and everybody says for whom they wait."""

    def forge(peer: Cheater, _: object) -> tuple[()] | None:
        return () if turned_over(peer) else None

    network = next(filter(None, (begun(Occasion(forge), OPEN, seed) for seed in range(20))))
    network.settle(60)
    for node in honest_nodes(network):
        match = node.peer.match
        assert isinstance(match.due, SharesDue)
        (card,) = match.due.owed[1]
        assert match.chain.missing == {1}
        assert node.peer.verdict is None
        assert card not in node.peer.known
        assert not match.dealer.table.is_up(card)


# --- RH-H2: the arrangement uses the own six cards ------------------------------------------------


def arranging(choose: Callable[[Cheater], tuple[Slot, ...]], shown: bool = True) -> Forger:
    """Commits to an arrangement that is none, and opens just that."""
    nonce = b"n" * 32
    sealed: list[Arrange] = []

    def forge(peer: Cheater, body: object) -> tuple[object, ...] | None:
        if peer.match.state.phase is not Phase.ARRANGE:
            return None
        kind = peer.match.chain.kind
        if kind is Kind.COMMIT:
            sealed.append(Arrange(tuple(sorted(choose(peer)))))
            tagged = to_tagged(sealed[0], peer.match.rules.moves)
            return (Commit(commitment(peer.context, tagged, nonce)),)
        if kind is not Kind.REVEAL:
            return None
        opened = possible(peer, sealed[0].face_up if shown else ())
        return (Reveal(nonce, peer.move(sealed[0], b"", opened)),)

    return forge


class Twice(Occasion):
    """An occasion of two contributions."""

    def __call__(self, peer: Cheater, body: object) -> Iterable[object]:
        """What is signed; the cheat is complete with the opening."""
        forged = super().__call__(peer, body)
        self.taken = self.taken and peer.match.chain.kind is Kind.REVEAL
        return forged


def arranged(forge: Forger, code: str, kernel: Kernel = OPEN) -> None:
    """The same as `caught`, in the first step of a match; nobody's arrangement counts before."""
    network = at_table(Twice(forge), kernel)
    convicted(network, 1, code)
    for node in honest_nodes(network):
        assert node.peer.match.state.phase is Phase.ARRANGE


@pytest.mark.parametrize(
    "pile, code",
    [
        (up(0), "card.not_held"),
        (hand(0), "card.not_held"),
        (down(1), "card.not_held"),
        (STOCK, "card.not_held"),
    ],
    ids=str,
)
def test_rh_h2_a_card_of_others_is_laid_face_up(pile: Any, code: str) -> None:
    def choose(peer: Cheater) -> tuple[Slot, ...]:
        return (*table(peer)[up(1)][:2], table(peer)[pile][0])

    arranged(arranging(choose), code)


def test_rh_h2_more_than_three_cards_are_laid_face_up() -> None:
    arranged(
        arranging(lambda peer: (*table(peer)[up(1)], table(peer)[hand(1)][0])), "arrange.count"
    )


def test_rh_h2_a_card_is_laid_face_up_and_not_shown() -> None:
    def choose(peer: Cheater) -> tuple[Slot, ...]:
        return (*table(peer)[up(1)][:2], table(peer)[hand(1)][0])

    arranged(arranging(choose, shown=False), "share.missing")


def test_rh_h2_another_arrangement_than_committed() -> None:
    """After it has seen what the others lay face up."""

    def forge(peer: Cheater, body: object) -> Reveal | None:
        if not isinstance(body, Reveal) or body.move is None:
            return None
        other = Arrange(tuple(sorted(table(peer)[up(1)])))
        if meant(peer, body.move) == other:
            other = Arrange(tuple(sorted(table(peer)[hand(1)])))
        return Reveal(body.nonce, peer.move(other, b"", possible(peer, other.face_up)))

    caught(forge, "commit.broken")


def test_rh_h2_an_arrangement_is_withheld() -> None:
    """Once all have committed nobody can go back; the others say for whom they wait."""
    stalled(at_table(withhold(Kind.REVEAL)), {1})


# --- RH-H5: a flip in vain ------------------------------------------------------------------------


# [RH-2] of protocol.md
def test_rh_h5_a_card_is_turned_over_and_the_pile_taken_instead() -> None:
    """Both signed for one turn: the flip cannot be taken back once the card is seen."""

    def forge(peer: Cheater, body: Any) -> tuple[Move, ...] | None:
        if not flipping(peer) or not table(peer)[PILE]:
            return None
        return (body, peer.move(Take(), b"", []))

    caught(forge, "chain.equivocation")


def test_rh_h5_one_who_has_flipped_in_vain_plays_on() -> None:
    """The turn has passed; and the cards it had to take are in its hand for all to see."""
    for seed in range(20):
        network = at_table(Occasion(lambda peer, body: None), seed=seed)
        cheater = cheater_of(network)
        flipped = [False]

        def vain(peer: Cheater = cheater, was: list[bool] = flipped) -> bool:
            state: State = peer.match.state
            cards = table(peer)[hand(1)]
            was[0] = was[0] or flipping(peer)
            landed = was[0] and len(cards) > 1 and state.turn != 1
            return (landed and peer.match.chain.kind is Kind.MOVE) or peer.match.finished

        network.start()
        network.run_until(vain)
        if cheater.match.finished:
            continue
        held = table(cheater)[hand(1)]
        assert all(table(cheater).is_up(card) for card in held)
        move = cheater.sign(cheater.move(Play(held[:1]), b"", []))
        network.perform(network.nodes[1], cheater.publish(move))
        convicted(network, 1, "chain.not_author", started=True)
        return
    raise AssertionError("the occasion never came")


# --- RH-H6: nobody chooses who begins -------------------------------------------------------------


def test_rh_h6_another_lot_than_committed() -> None:
    def forge(peer: Cheater, body: object) -> Reveal | None:
        if not isinstance(body, Reveal) or body.move is not None:
            return None
        return Reveal(b"l" * 32, None)

    caught(forge, "commit.broken")


def test_rh_h6_a_lot_is_withheld() -> None:
    """It is never drawn again without the seat that does not open."""

    def forge(peer: Cheater, body: object) -> tuple[()] | None:
        return () if isinstance(body, Reveal) and body.move is None else None

    stalled(at_table(Occasion(forge)), {1})
