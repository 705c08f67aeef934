"""Cheats at Gnav: at least one for every duty that rests on hidden cards, GN-H1 to GN-H11.

A cheater plays honestly until the cards give it the occasion; tables are dealt until they do. Where
the occasion is rare, the open kernel deals the cards that make it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest

from p2pcards.cards.faces import MATADOR
from p2pcards.cards.rules import Moves
from p2pcards.cards.table import Seat, Slot, hand
from p2pcards.crypto.formula import Formula, fold, proof_size
from p2pcards.crypto.kernel import Kernel
from p2pcards.engine.dues import GiveDue, SharesDue
from p2pcards.engine.events import Send
from p2pcards.engine.match import Match
from p2pcards.games.cuckoo import Accept, Announce, Bar, Keep, Knock, NoFool, Ordinary, Ready, drawn
from p2pcards.games.cuckoo_house import FOOL, PACK
from p2pcards.games.cuckoo_match import Phase, State
from p2pcards.testing.cheaters import Cheat, Cheater, carried, honest
from p2pcards.testing.network import Network, Node, Routed
from p2pcards.wire.messages import Agree, Given, Kind, Move, Reveal, Shares
from tests.cheats.arena import (
    SharedKernel,
    Stacked,
    arena,
    cheater_of,
    convicted,
    honest_nodes,
    on,
    stalled,
    withhold,
)

REAL: Kernel = SharedKernel()


Forger = Callable[[Cheater, Any], object | None]


class Occasion:
    """A cheat in the first contribution that allows it; `taken` once it has come."""

    def __init__(self, forge: Forger) -> None:
        self._forge = forge
        self.taken = False

    def __call__(self, peer: Cheater, body: object) -> Iterable[object]:
        """What is signed."""
        forged = None if self.taken else self._forge(peer, body)
        self.taken = self.taken or forged is not None
        return (body,) if forged is None else (forged,)


def at_table(cheats: dict[Seat, Cheat], kernel: Kernel, **settings: Any) -> Network:
    """Three who keep or ask by chance."""
    options = {"lives": 9} | settings.pop("options", {})
    return arena(
        cheats,
        kernel,
        game="cuckoo",
        seats=3,
        options=options,
        hands=settings.pop("hands", 8),
        chance=True,
        **settings,
    )


def caught(forge: Forger, code: str, cards: str | Kernel = "", **options: Any) -> None:
    """Deals these cards until seat 1 has cheated, and demands that all others convict it of this
    on the spot."""
    kernel = Stacked(map(PACK.face, cards.split())) if isinstance(cards, str) else cards
    for seed in range(40):
        cheat = Occasion(forge)
        network = at_table({1: cheat}, kernel, seed=seed, options=options)
        network.start()
        network.run_until(partial(either, taken(cheat), network))
        if cheat.taken:
            convicted(network, 1, code, started=True)
            return
    raise AssertionError("the occasion never came")


def taken(cheat: Occasion) -> Callable[[Network], bool]:
    """Whether the occasion has come."""
    return lambda _: cheat.taken


def either(so: Callable[[Network], bool], network: Network) -> bool:
    """Whether something is so, or never will be."""
    return so(network) or done(network)


def done(network: Network) -> bool:
    """Whether the match is over."""
    return all(node.peer.match.finished for node in network.nodes)


# --- what a cheater finds on the table ------------------------------------------------------------


def phase(peer: Cheater) -> Phase | None:
    """Where the match stands, if the cheater owes it a move."""
    state: State = peer.match.state
    awaits = peer.match.rules.awaits(state, peer.match.dealer.table)
    moving = isinstance(awaits, Moves) and peer.match.chain.kind is Kind.MOVE
    return state.phase if moving else None


def own(peer: Cheater) -> Slot:
    """The card in its hand."""
    (card,) = peer.match.dealer.table[hand(peer.seat)]
    return card


def top(peer: Cheater) -> Slot:
    """The card that the stock answers it with."""
    (card,) = peer.match.dealer.table[drawn(peer.seat)]
    return card


def hidden(peer: Cheater, slot: Slot) -> bool:
    """Whether the others have not seen this card."""
    return not peer.match.dealer.table.is_up(slot)


def is_matador(peer: Cheater, slot: Slot) -> bool:
    """Whether this card, which it knows, is one."""
    return peer.known[slot].klass == MATADOR


def mask(peer: Cheater, slot: Slot) -> bytes:
    """What lies on the table for it."""
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


# --- GN-H1: a dealt fool is announced -------------------------------------------------------------


@every_proof
def test_gn_h1_a_fool_is_concealed(proof: Proof) -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.KNOCK or peer.known[own(peer)] != FOOL:
            return None
        return claiming(peer, NoFool(), proof)

    caught(forge, "claim.false", "FOOL FOOL X")


# [GN-1] of protocol.md
def test_gn_h1_a_fool_is_concealed_where_fools_only_knock() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.KNOCK or peer.known[own(peer)] != FOOL:
            return None
        return claiming(peer, NoFool(), zeros)

    caught(forge, "claim.false", "FOOL FOOL X", fool_reveal="knock")


def test_gn_h1_a_fool_is_feigned() -> None:
    """To rest in the next deal would be worth a life."""

    def show(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.KNOCK or peer.known[own(peer)] == FOOL:
            return None
        return peer.move(Announce(own(peer)), b"", [mask(peer, own(peer))])

    def knock(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.KNOCK or peer.known[own(peer)] == FOOL:
            return None
        return claiming(peer, Knock(), zeros)

    caught(show, "fool.not_a_fool")
    caught(knock, "claim.false", REAL, fool_reveal="knock")


def test_gn_h1_the_card_of_another_is_announced() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.KNOCK:
            return None
        (card,) = peer.match.dealer.table[hand(0)]
        return peer.move(Announce(card), b"", [])

    caught(forge, "card.not_held")


# --- GN-H2, GN-H3, GN-H6: the one asked has no choice ---------------------------------------------


@pytest.mark.parametrize(
    "proof, cards",
    [
        (none_at_all, "X HOUSE CAT"),
        (zeros, "X HOUSE CAT"),
        (noise, "X HOUSE CAT"),
        (noise, REAL),
    ],
    ids=["none", "zeros", "noise", "noise, really"],
)
def test_gn_h2_a_matador_is_passed_off_as_ordinary(proof: Proof, cards: str | Kernel) -> None:
    """The asker would see it; the others need the proof."""

    def forge(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.ANSWER or not hidden(peer, own(peer)):
            return None
        return claiming(peer, Accept(), proof) if is_matador(peer, own(peer)) else None

    caught(forge, "claim.false", cards)


# [GN-2] of protocol.md
def test_gn_h2_a_matador_that_all_have_seen_is_passed_off_as_ordinary() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.ANSWER or hidden(peer, own(peer)):
            return None
        return peer.move(Accept(), b"", []) if is_matador(peer, own(peer)) else None

    caught(forge, "claim.false", "X HOUSE HORSE X")


# [GN-3] of protocol.md
def test_gn_h3_an_ordinary_card_refuses() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.ANSWER or is_matador(peer, own(peer)):
            return None
        shown = [mask(peer, own(peer))] if hidden(peer, own(peer)) else []
        return peer.move(Bar(own(peer)), b"", shown)

    caught(forge, "swap.not_a_matador")


def test_gn_h3_a_refusal_without_the_card() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.ANSWER or not hidden(peer, own(peer)):
            return None
        return peer.move(Bar(own(peer)), b"", [])

    caught(forge, "share.missing")


def test_gn_h3_a_refusal_with_another_card() -> None:
    """The share of a card of the stock, where the own card's belongs."""

    def forge(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.ANSWER or not hidden(peer, own(peer)):
            return None
        other = next(slot for slot in peer.match.dealer.masked if slot != own(peer))
        return peer.move(Bar(own(peer)), b"", [mask(peer, other)])

    caught(forge, "share.wrong", REAL)


def test_gn_h6_the_fool_refuses() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.ANSWER or peer.known[own(peer)] != FOOL:
            return None
        shown = [mask(peer, own(peer))] if hidden(peer, own(peer)) else []
        return peer.move(Bar(own(peer)), b"", shown)

    caught(forge, "swap.not_a_matador", "X FOOL FOOL")


# --- GN-H4: a request goes on, and nobody is asked about it ---------------------------------------


def test_gn_h4_the_asker_thinks_better_of_it() -> None:
    """Where the next one has to answer, past a horse or house or not, the asker has no say."""
    network = at_table({1: honest}, Stacked())
    cheater = cheater_of(network)
    network.start()

    def waiting() -> bool:
        state: State = cheater.match.state
        return state.phase is Phase.ANSWER and state.turn == 1 and state.asked != 1

    network.run_until(waiting)
    envelope = cheater.sign(cheater.move(Keep(), b"", []))
    network.perform(network.nodes[1], cheater.publish(envelope))
    convicted(network, 1, "chain.not_author", started=True)


# --- GN-H5: the stock answers ---------------------------------------------------------------------


@every_proof
def test_gn_h5_a_matador_of_the_stock_is_taken(proof: Proof) -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.DRAWN or not is_matador(peer, top(peer)):
            return None
        return claiming(peer, Ordinary(), proof)

    caught(forge, "claim.false", "V HOUSE X CUCKOO")


def test_gn_h5_an_ordinary_card_of_the_stock_is_laid_aside() -> None:
    """To draw another one instead."""

    def forge(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.DRAWN or is_matador(peer, top(peer)):
            return None
        return peer.move(Bar(top(peer)), b"", [mask(peer, top(peer))])

    caught(forge, "swap.not_a_matador", "V HOUSE X XII")


def test_gn_h5_the_own_card_answers_for_the_stock() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        if phase(peer) is not Phase.DRAWN:
            return None
        return peer.move(Bar(own(peer)), b"", [mask(peer, own(peer))])

    caught(forge, "card.not_held")


def wrong_share(peer: Cheater, body: object, at: Phase) -> Shares | None:
    """Good shares, but the last one of another card."""
    due = peer.match.due
    if peer.match.state.phase is not at or not isinstance(due, SharesDue):
        return None
    owed = due.owed[peer.seat]
    other = next(slot for slot in reversed(peer.match.dealer.masked) if slot not in owed)
    masks = [mask(peer, slot) for slot in (*owed[:-1], other)]
    return Shares(*peer.kernel.shares(peer.context, peer.key.x, peer.key.public, masks, peer.rng))


@pytest.mark.parametrize("at", [Phase.DEAL, Phase.DRAW, Phase.SHOW])
def test_gn_h5_h9_a_wrong_share(at: Phase) -> None:
    """At the deal, for a card of the stock, and at the settlement: on the spot."""
    caught(lambda peer, body: wrong_share(peer, body, at), "share.wrong", REAL)


# --- GN-H7, GN-H8: exchanges and their undoing ----------------------------------------------------


def giving(peer: Cheater, asker: bool) -> GiveDue | None:
    """What the cheater is to hand over now, as the asker or as the one asked."""
    due = peer.match.due
    if not isinstance(due, GiveDue):
        return None
    exchange = peer.match.state.exchanges[-1]
    return due if (exchange.asker == peer.seat) == asker else None


@pytest.mark.parametrize("asker", [True, False], ids=["asker", "asked"])
def test_gn_h7_another_card_is_handed_over(asker: bool) -> None:
    """One that the cheater has seen, or where there is none, any."""

    def forge(peer: Cheater, body: Any) -> Given | None:
        due = giving(peer, asker)
        if due is None:
            return None
        others = [s for s in peer.match.dealer.masked if s != due.slot and s in peer.known]
        others += [s for s in peer.match.dealer.masked if s != due.slot]
        key, to = peer.key, peer.match.dealer.keys[due.to]
        other = mask(peer, others[0])
        return Given(*peer.kernel.give(peer.context, key.x, key.public, to, other, peer.rng))

    caught(forge, "give.wrong", REAL)


@pytest.mark.parametrize("asker", [True, False], ids=["asker", "asked"])
def test_gn_h7_a_card_is_handed_to_oneself(asker: bool) -> None:
    def forge(peer: Cheater, body: Any) -> Given | None:
        due = giving(peer, asker)
        if due is None:
            return None
        key, card = peer.key, mask(peer, due.slot)
        return Given(*peer.kernel.give(peer.context, key.x, key.public, key.public, card, peer.rng))

    caught(forge, "give.wrong")


def withheld(network: Network) -> bool:
    """Whether the cheater keeps to itself what it owes."""
    return cheater_of(network).withheld is not None


@pytest.mark.parametrize("asker", [True, False], ids=["asker", "asked"])
def test_gn_h7_a_card_is_not_handed_over(asker: bool) -> None:
    """Also by the one asked, who has seen the asker's card already: it is waited for by name."""
    for seed in range(20):
        network = at_table(
            {1: lambda peer, body: () if giving(peer, asker) else (body,)}, Stacked(), seed=seed
        )
        network.start()
        network.run_until(partial(either, withheld, network))
        if withheld(network):
            break
    network.settle(20)
    for node in honest_nodes(network):
        assert node.peer.match.chain.kind is Kind.GIVEN
        assert node.peer.match.chain.missing == {1}
        assert node.peer.verdict is None


def test_gn_h8_after_the_cat_the_exchanged_card_is_gone() -> None:
    """At the settlement the dealt card is shown, not the one that was held for a while."""

    def forge(peer: Cheater, _: object) -> Shares | None:
        due, state = peer.match.due, peer.match.state
        if state.phase is not Phase.SHOW or not isinstance(due, SharesDue) or state.exchanges:
            return None
        masked = peer.match.dealer.masked
        gone = [
            layer.mask
            for slot in masked
            for layer in masked[slot].layers
            if layer.keys == {peer.seat} and slot not in due.owed[peer.seat]
        ]
        if not gone:
            return None
        masks = [*(mask(peer, slot) for slot in due.owed[peer.seat][:-1]), gone[0]]
        key = peer.key
        return Shares(*peer.kernel.shares(peer.context, key.x, key.public, masks, peer.rng))

    caught(forge, "share.wrong", "I X CAT XII")


# --- GN-H9: all cards are shown -------------------------------------------------------------------


def test_gn_h9_a_card_is_not_shown() -> None:
    """Nobody gets a result without it, and everybody says whose it is."""

    def cheat(peer: Cheater, body: object) -> Iterable[object]:
        return () if peer.match.state.phase is Phase.SHOW else (body,)

    stalled(at_table({1: cheat}, Stacked(), seed=1), {1})


# --- GN-H10: to keep a matador needs no statement -------------------------------------------------


def test_gn_h10_nothing_is_proven_by_keeping() -> None:
    def forge(peer: Cheater, _: object) -> Move | None:
        return peer.move(Keep(), bytes(96), []) if phase(peer) is Phase.TURN else None

    caught(forge, "move.unasked")


# --- GN-H11: the first dealer is drawn by lot -----------------------------------------------------


def test_gn_h11_the_lot_is_bent() -> None:
    def forge(_: Cheater, __: object) -> Reveal:
        return Reveal(b"n" * 32, None)

    convicted(at_table({1: on(Kind.REVEAL, forge)}, Stacked()), 1, "commit.broken")
    stalled(at_table({1: withhold(Kind.REVEAL)}, Stacked()), {1})


# --- who is out has no say ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Kind.AGREE, Kind.MOVE], ids=["agree", "ready"])
def test_a_seat_that_is_out_signs_nothing(kind: Kind) -> None:
    """It holds no key of the deal, and its consent to the next one is not asked for."""

    def hold(node: Node, send: Send) -> Iterable[Send | Routed]:
        """The table waits for seat 2, so that it is the same step for all."""
        sent = carried(send.message)
        if node.peer.seat != 2 or sent is None or sent.payload.kind != kind:
            return (send,)
        return () if is_out(node.peer.match) else (send,)

    def is_out(match: Match) -> bool:
        return 1 not in match.dealer.holders and (kind is Kind.AGREE or match.chain.kind is kind)

    def waiting(network: Network) -> bool:
        match = cheater_of(network).match
        return is_out(match) and match.chain.kind is kind and match.chain.missing == {2}

    for seed in range(30):
        options = {"lives": 1}
        network = at_table({1: honest}, Stacked(), seed=seed, options=options, tamper=hold)
        network.start()
        network.run_until(partial(either, waiting, network))
        if not done(network):
            break
    cheater = cheater_of(network)
    body = Agree() if kind is Kind.AGREE else cheater.move(Ready(), b"", [])
    network.perform(network.nodes[1], cheater.publish(cheater.sign(body)))
    convicted(network, 1, "chain.not_author", started=True)
