"""Cheats at Røvhul: at least one for every duty that rests on hidden cards, RO-H1 to RO-H6.

A cheater plays honestly until the match gives it the occasion. Deals are short: one seat plays by
rules of thumb and all others pass, so that it is known who will have which role.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

from p2pcards.cards.rules import Moves
from p2pcards.cards.table import Seat, Slot, hand
from p2pcards.crypto.formula import Formula, fold, proof_size
from p2pcards.crypto.kernel import Kernel
from p2pcards.engine.dues import MixDue, SharesDue
from p2pcards.engine.moves import GIVES_INDEX, at
from p2pcards.engine.view import SeatView
from p2pcards.games.president import Announce, Best, NotMine, Pass, Play, Ready, Return
from p2pcards.games.president_match import Phase, State
from p2pcards.shells.bots import play_simple
from p2pcards.testing.cheaters import Cheat, Cheater
from p2pcards.testing.network import Network
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import Given, Kind, Mixed, Move, Shares
from tests.cheats.arena import SharedKernel, arena, cheater_of, convicted, honest_nodes

REAL: Kernel = SharedKernel()
OPEN: Kernel = OpenKernel()

ME = 1
"""The seat that cheats."""
IF_PRESIDENT, IF_ROVHUL = 1, 2
"""Who has to win the first deal so that the cheater has this role in the second."""

Forger = Callable[[Cheater, Any], object | None]


class Occasion:
    """A cheat in every contribution that a forger makes one of; `taken` once there was one."""

    def __init__(self, forge: Forger) -> None:
        self._forge = forge
        self.taken = False

    def __call__(self, peer: Cheater, body: object) -> Iterable[object]:
        """What is signed."""
        forged = self._forge(peer, body)
        self.taken = self.taken or forged is not None
        if forged is WITHHELD:
            return ()
        return (body,) if forged is None else (forged,)


WITHHELD = object()
"""Forged by signing nothing at all."""


def passing(view: SeatView) -> str:
    """Passes whenever it may; otherwise the first option."""
    passes = view.option(Pass())
    return (passes or view.options[0]).id


def table(cheat: Cheat, kernel: Kernel, seed: int, winner: Seat, **options: Any) -> Network:
    """Three players and two deals, the first of them won by this seat."""
    network = arena(
        {ME: cheat},
        kernel,
        game="president",
        seats=3,
        seed=seed,
        options={"deals": 2} | options,
        hands=2,
    )
    for node in network.nodes:
        node.choose = play_simple(Random(seed)) if node.peer.seat == winner else passing
    return network


def occasion(
    forge: Forger, kernel: Kernel = OPEN, winner: Seat = IF_ROVHUL, **options: Any
) -> Network:
    """A table at which the cheat has just been signed."""
    for seed in range(1, 20):
        cheat = Occasion(forge)
        network = table(cheat, kernel, seed, winner, **options)
        network.start()
        network.run_until(partial(taken_or_over, cheat, network))
        if cheat.taken:
            return network
    raise AssertionError("the occasion never came")


def taken_or_over(cheat: Occasion, network: Network) -> bool:
    """Whether there is nothing to wait for any more."""
    return cheat.taken or network.nodes[0].peer.match.finished


def caught(forge: Forger, code: str, *where: Any, **options: Any) -> None:
    """All others convict the cheater of this on the spot."""
    convicted(occasion(forge, *where, **options), ME, code, started=True)


# --- what a cheater finds on the table ------------------------------------------------------------


def state(peer: Cheater) -> State:
    """The state of the match."""
    found: State = peer.match.state
    return found


def owes(peer: Cheater, phase: Phase) -> bool:
    """Whether the cheater owes a move of this phase."""
    awaits = peer.match.rules.awaits(state(peer), peer.match.dealer.table)
    moving = isinstance(awaits, Moves) and peer.match.chain.kind is Kind.MOVE
    return moving and state(peer).phase is phase


def own(peer: Cheater) -> list[Slot]:
    """The cards of its hand, the lowest first."""
    cards = peer.match.dealer.table[hand(peer.seat)]
    faces = peer.match.dealer.table.turn_up(peer.known)
    return sorted(cards, key=lambda slot: faces.face(slot).rank)


def others(peer: Cheater) -> tuple[Slot, ...]:
    """The hand of the next player."""
    return peer.match.dealer.table[hand((peer.seat + 1) % peer.match.seats)]


def clubs(peer: Cheater) -> list[Slot]:
    """The threes of clubs in its hand."""
    faces = peer.match.dealer.table.turn_up(peer.known)
    return [slot for slot in own(peer) if faces.face(slot) == state(peer).house.club3]


def mask(peer: Cheater, slot: Slot) -> bytes:
    """What lies on the table for a card."""
    return peer.match.dealer.masked[slot].layer.mask


Proof = Callable[[Cheater, Formula], bytes]


def none_at_all(_: Cheater, __: Formula) -> bytes:
    return b""


def zeros(_: Cheater, statement: Formula) -> bytes:
    return bytes(proof_size(fold(statement)))


def noise(peer: Cheater, statement: Formula) -> bytes:
    return b"".join(bytes(1) + peer.rng(31) for _ in range(proof_size(fold(statement)) // 32))


every_proof = pytest.mark.parametrize("proof", [none_at_all, zeros, noise])


def claiming(peer: Cheater, move: object, proof: Proof) -> Move:
    """A move whose claim is false of the cards."""
    statement = peer.plan(move).statement
    assert statement is not None
    return peer.move(move, proof(peer, statement))


def handing(peer: Cheater, body: Move, cards: Iterable[Slot], to: Seat | None = None) -> Move:
    """The move with these cards handed over, by default to the one who is to have them."""
    pair = next(p for p in state(peer).pairs() if peer.seat in {p.worse, p.better})
    receiver = pair.better if peer.seat == pair.worse else pair.worse
    key, public = peer.key, peer.match.dealer.keys[receiver if to is None else to]
    gives = (
        peer.kernel.give(
            at(peer.context, GIVES_INDEX + i), key.x, key.public, public, mask(peer, card), peer.rng
        )
        for i, card in enumerate(cards)
    )
    return replace(body, gives=tuple(Given(*given) for given in gives))


# --- RO-H1: the three of clubs --------------------------------------------------------------------


def conceals(peer: Cheater) -> Move | None:
    """Says that it does not hold what it holds; nobody asks for a proof yet."""
    if owes(peer, Phase.CLUB) and clubs(peer):
        return peer.move(NotMine(), b"", [])
    return None


@every_proof
def test_ro_h1_the_three_of_clubs_is_concealed(proof: Proof) -> None:
    """Nobody else shows it, so all have to prove that they do not hold it."""

    def forge(peer: Cheater, _: object) -> Move | None:
        if owes(peer, Phase.PROVE):
            return claiming(peer, NotMine(), proof)
        return conceals(peer)

    caught(forge, "claim.false", REAL if proof is noise else OPEN)


def test_ro_h1_the_first_of_two_is_concealed() -> None:
    """With two packs the other one is shown, but this seat would have led."""

    def forge(peer: Cheater, _: object) -> Move | None:
        if owes(peer, Phase.PROVE) and clubs(peer):
            assert state(peer).shown
            return claiming(peer, NotMine(), zeros)
        eldest = state(peer).clockwise(state(peer).dealer)[0] == ME
        lie = conceals(peer) if eldest else None
        return lie if lie is not None and len(clubs(peer)) == 1 else None

    caught(forge, "claim.false", decks=2)


# [PR-3] of protocol.md
def test_ro_h1_who_can_neither_prove_nor_show_stalls_by_name() -> None:
    def forge(peer: Cheater, _: object) -> object | None:
        return WITHHELD if owes(peer, Phase.PROVE) else conceals(peer)

    network = occasion(forge)
    network.settle(30)
    for node in honest_nodes(network):
        assert node.peer.verdict is None
        assert node.peer.match.state.phase is Phase.PROVE
        assert node.peer.match.chain.missing == {ME}


def test_ro_h1_it_may_be_shown_late() -> None:
    """A word that was not true costs nothing as long as no proof was false."""
    network = occasion(lambda peer, _: conceals(peer))
    network.run_until(lambda: network.nodes[0].peer.match.state.phase is Phase.PLAY)
    assert network.nodes[0].peer.match.state.turn == ME
    assert all(node.peer.verdict is None for node in network.nodes)


def test_ro_h1_another_card_is_shown_for_it() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not owes(peer, Phase.CLUB) or clubs(peer):
            return None
        card = own(peer)[-1]
        return peer.move(Announce(card), b"", [mask(peer, card)])

    caught(forge, "club3.other_card")


def test_ro_h1_the_card_of_another_is_shown() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        move = Announce(others(peer)[0]) if owes(peer, Phase.CLUB) else None
        return None if move is None else peer.move(move, b"", [])

    caught(forge, "card.not_held")


# --- RO-H2: played cards are from the own hand ----------------------------------------------------


def test_ro_h2_the_card_of_another_is_played() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not owes(peer, Phase.PLAY):
            return None
        return peer.move(Play(others(peer)[:1]), b"", [])

    caught(forge, "card.not_held", OPEN, IF_PRESIDENT)


def test_ro_h2_another_card_than_named_is_opened() -> None:
    """Its best card, where it names its lowest."""

    def forge(peer: Cheater, _: object) -> Move | None:
        if not owes(peer, Phase.PLAY) or state(peer).count:
            return None
        low, *_, high = (c for c in own(peer) if not peer.match.dealer.table.is_up(c))
        return peer.move(Play((low,)), b"", [mask(peer, high)])

    caught(forge, "share.wrong", REAL, IF_PRESIDENT)


def test_ro_h2_a_play_without_its_share() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not owes(peer, Phase.PLAY):
            return None
        card = next(c for c in own(peer) if not peer.match.dealer.table.is_up(c))
        return peer.move(Play((card,)), b"", [])

    caught(forge, "share.missing", OPEN, IF_PRESIDENT)


# --- RO-H3: the best cards ------------------------------------------------------------------------


# [PR-1] of protocol.md
def test_ro_h3_the_best_cards_are_kept() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not owes(peer, Phase.GIVE):
            return None
        low, higher = own(peer)[:2]
        return handing(peer, claiming(peer, Best((higher, low)), zeros), (higher, low))

    caught(forge, "claim.false")


def test_ro_h3_one_better_card_is_kept() -> None:
    """The best card and the third best, with a proof made of another, true statement."""

    def forge(peer: Cheater, _: object) -> Move | None:
        if not owes(peer, Phase.GIVE):
            return None
        ranks = peer.match.dealer.table.turn_up(peer.known).face
        *_, third, second, first = own(peer)
        if ranks(third).rank == ranks(second).rank:
            return None
        true = peer.plan(Best((first, second))).statement
        assert true is not None
        body = peer.move(Best((first, third)), peer.prove(true))
        return handing(peer, body, (first, third))

    caught(forge, "claim.false", REAL)


def test_ro_h3_the_ten_is_kept_where_it_is_best() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not owes(peer, Phase.GIVE):
            return None
        faces = peer.match.dealer.table.turn_up(peer.known)
        by_power = sorted(own(peer), key=lambda slot: faces.face(slot).klass)
        if faces.face(by_power[-2]).rank != 10:
            return None
        gift = (by_power[-1], next(c for c in reversed(by_power) if faces.face(c).rank < 10))
        return handing(peer, claiming(peer, Best(gift), zeros), gift)

    caught(forge, "claim.false", best_order="power")


# --- RO-H4: the low cards -------------------------------------------------------------------------


@pytest.mark.parametrize("proof", [zeros, noise])
def test_ro_h4_high_cards_are_returned(proof: Proof) -> None:
    """To a friend, say; the receiver would see it, the others need the proof."""

    def forge(peer: Cheater, _: object) -> Move | None:
        if not owes(peer, Phase.RETURN):
            return None
        *_, high, higher = own(peer)
        return handing(peer, claiming(peer, Return((high, higher)), proof), (high, higher))

    caught(forge, "claim.false", REAL if proof is noise else OPEN, IF_PRESIDENT)


def test_ro_h4_low_cards_are_not_the_lowest() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not owes(peer, Phase.RETURN):
            return None
        faces = peer.match.dealer.table.turn_up(peer.known)
        low = [card for card in own(peer) if faces.face(card).rank <= 9]
        if len(low) < 3 or faces.face(low[-1]).rank == faces.face(low[1]).rank:
            return None
        gift = (low[0], low[-1])
        return handing(peer, claiming(peer, Return(gift), zeros), gift)

    caught(forge, "claim.false", OPEN, IF_PRESIDENT, return_rule="lowest")


# --- RO-H5: the cards of an exchange are the giver's, and as many as they must be -----------------


def best(peer: Cheater) -> tuple[Slot, Slot]:
    """What an honest seat would give."""
    *_, second, first = own(peer)
    return first, second


def test_ro_h5_the_card_of_another_is_given() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not owes(peer, Phase.GIVE):
            return None
        return peer.move(Best((best(peer)[0], others(peer)[0])), b"", [])

    caught(forge, "card.not_held")


@pytest.mark.parametrize("count", [1, 3])
def test_ro_h5_another_number_is_given(count: int) -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if not owes(peer, Phase.GIVE):
            return None
        gift = tuple(reversed(own(peer)))[:count]
        return handing(peer, peer.move(Best(gift), b"", []), gift)

    caught(forge, "exchange.wrong_count")


def test_ro_h5_other_cards_than_named_are_handed_over() -> None:
    """The claim is true of the cards named, and proven; two low ones go to the president."""

    def forge(peer: Cheater, body: Any) -> Move | None:
        return handing(peer, body, own(peer)[:2]) if owes(peer, Phase.GIVE) else None

    caught(forge, "give.wrong", REAL)


def test_ro_h5_the_cards_are_handed_to_oneself() -> None:
    def forge(peer: Cheater, body: Any) -> Move | None:
        return handing(peer, body, best(peer), to=ME) if owes(peer, Phase.GIVE) else None

    caught(forge, "give.wrong")


def test_ro_h5_a_named_card_is_not_handed_over() -> None:
    def forge(peer: Cheater, body: Any) -> Move | None:
        return replace(body, gives=body.gives[:1]) if owes(peer, Phase.GIVE) else None

    caught(forge, "give.missing")


def test_ro_h5_more_cards_are_handed_over_than_named() -> None:
    def forge(peer: Cheater, body: Any) -> Move | None:
        if not owes(peer, Phase.RETURN):
            return None
        return handing(peer, body, (*body_cards(body), own(peer)[-1]))

    caught(forge, "move.unasked", OPEN, IF_PRESIDENT)


def body_cards(body: Move) -> tuple[Slot, ...]:
    """The slots that a body names: a tagged move, its one field the cards."""
    _, cards = body.move
    return tuple(cards)


# [PR-2] of protocol.md
def test_ro_h5_a_card_is_doubled_while_the_hand_is_mixed() -> None:
    """The first card of the hand takes the place of the second."""

    def forge(peer: Cheater, _: object) -> Mixed | None:
        due = peer.match.due
        if not isinstance(due, MixDue) or state(peer).phase is not Phase.TAKE:
            return None
        first, _, *rest = due.before
        seed = peer.rng(32)
        mixed = peer.kernel.mix(peer.context, due.key, (first, first, *rest), seed, peer.rng)
        return Mixed(*mixed)

    caught(forge, "mix.proof", OPEN, IF_PRESIDENT)


# --- RO-H6: the last player's cards are laid open -------------------------------------------------


def test_ro_h6_other_cards_are_laid_open() -> None:
    def forge(peer: Cheater, _: object) -> Shares | None:
        due = peer.match.due
        if state(peer).phase is not Phase.SHOW or not isinstance(due, SharesDue):
            return None
        cards = due.owed[ME]
        shown = [mask(peer, slot) for slot in (*cards[1:], cards[0])]
        key = peer.key
        return Shares(*peer.kernel.shares(peer.context, key.x, key.public, shown, peer.rng))

    caught(forge, "share.wrong", REAL)


def test_ro_h6_who_does_not_lay_them_open_stalls_by_name() -> None:
    def forge(peer: Cheater, _: object) -> object | None:
        return WITHHELD if state(peer).phase is Phase.SHOW else None

    network = occasion(forge)
    network.settle(30)
    for node in honest_nodes(network):
        assert node.peer.verdict is None
        assert node.peer.match.chain.missing == {ME}


# --- what needs no proof --------------------------------------------------------------------------


def test_a_match_of_fixed_length_is_not_stopped() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        return peer.move(Ready(stop=True), b"", []) if owes(peer, Phase.SCORE) else None

    caught(forge, "stop.fixed_deals")


def test_out_of_turn() -> None:
    """A pass, where nobody has asked."""
    network = table(lambda _, body: (body,), OPEN, 1, IF_ROVHUL)
    cheater = cheater_of(network)
    network.start()
    network.run_until(
        lambda: state(cheater).phase is Phase.PLAY and cheater.match.chain.missing == {2}
    )
    envelope = cheater.sign(cheater.move(Pass(), b"", []))
    network.perform(network.nodes[ME], cheater.publish(envelope))
    convicted(network, ME, "chain.not_author", started=True)
