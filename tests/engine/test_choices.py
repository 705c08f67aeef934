"""Choices of the player: which are taken, which are refused, and when nobody is asked any more."""

from __future__ import annotations

from random import Random

import pytest

from p2pcards.engine.events import Append, Chose, Computed, Received, Send, Show, Ticket
from p2pcards.engine.frames import sign_record
from p2pcards.engine.peer import Peer
from p2pcards.errors import IllegalMove, LocalError, StaleChoice
from p2pcards.testing.cheaters import Cheater, carried, cheating_table, honest, message
from p2pcards.testing.network import Network, first_option
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import Kind, Want
from tests.engine.rooms import check_agreed, peers_of, room


def asked(seat_asked: bool = True) -> tuple[Network, Peer]:
    """A table at its first bid, and the peer whose turn it is (or one whose turn it is not)."""
    network = room("oh-hell", 3, OpenKernel())
    network.start()
    peers = peers_of(network)
    # a player's choice comes as an event of its own, after the view that it is made on
    network.run_until(lambda: any(peer.view().options for peer in peers))
    for peer in peers:
        if bool(peer.view().options) == seat_asked:
            return network, peer
    raise AssertionError("nobody")


def test_a_choice_is_made_on_the_view_of_its_step() -> None:
    network, peer = asked()
    step = peer.match.chain.step
    for at in (step - 1, step + 1, -1, 0):
        with pytest.raises(StaleChoice):
            peer.handle(Chose("o0", at), network.now)
    effects = peer.handle(Chose("o0", step), network.now)
    assert any(
        isinstance(effect, Append) or type(effect).__name__ == "Compute" for effect in effects
    )
    with pytest.raises(StaleChoice):
        peer.handle(Chose("o0", step), network.now)


@pytest.mark.parametrize("option", ["", "o", "o99", "O0", "0", "o-1", "o0 ", "\0"])
def test_an_option_that_is_none(option: str) -> None:
    network, peer = asked()
    with pytest.raises(IllegalMove) as caught:
        peer.handle(Chose(option, peer.match.chain.step), network.now)
    assert caught.value.code == "choice.unknown"
    assert peer.view().options


def test_nobody_chooses_out_of_turn() -> None:
    network, peer = asked(seat_asked=False)
    assert peer.view().options == ()
    with pytest.raises(StaleChoice):
        peer.handle(Chose("o0", peer.match.chain.step), network.now)


def test_a_refused_choice_loses_nothing() -> None:
    """What came before it is still to be done, and the match goes on."""
    network, peer = asked()
    with pytest.raises(LocalError):
        peer.handle(Chose("nonsense", peer.match.chain.step), network.now)
    network.run()
    check_agreed(network)


def test_a_view_that_was_shown_has_the_options_of_its_step() -> None:
    network = room("oh-hell", 3, OpenKernel())
    network.run()
    for node in network.nodes:
        assert node.view is not None
        assert node.view.options == ()
        assert node.view.step == node.peer.match.chain.step


# --- after a verdict ------------------------------------------------------------------------------


def stopped() -> tuple[Network, Peer, Cheater]:
    """A table at a bid, one of whose seats has just signed two different things long ago."""
    peers = cheating_table("oh-hell", 3, OpenKernel(), {2: honest}, seed=1, options={"max_hand": 2})
    network = Network(peers, [first_option] * 3, Random(1))
    network.start()
    cheater = peers[2]
    assert isinstance(cheater, Cheater)
    network.run_until(lambda: any(peer.view().options for peer in peers[:2]))
    victim = next(peer for peer in peers[:2] if peer.view().options)
    early = message(cheater.sign((1,), step=0, kind=int(Kind.SIT)))
    effects = victim.handle(Received(early), network.now)
    assert victim.verdict is not None
    assert victim.verdict.code == "chain.equivocation"
    assert any(isinstance(effect, Send) and effect.topic == "fault" for effect in effects)
    return network, victim, cheater


def test_after_a_verdict_no_choice_is_taken() -> None:
    network, victim, _ = stopped()
    with pytest.raises(StaleChoice):
        victim.handle(Chose("o0", victim.match.chain.step), network.now)


def test_what_is_being_computed_at_the_verdict_is_not_published() -> None:
    """Its shares may be what the cheat was for."""
    network, victim, _ = stopped()
    ticket = Ticket(victim.match.chain.step, victim.seat, check=False)
    effects = victim.handle(Computed(ticket, None), network.now)
    assert not [effect for effect in effects if isinstance(effect, Append)]
    assert not [e for e in effects if isinstance(e, Send) and e.topic == f"seat/{victim.seat}"]


def test_who_asks_after_a_verdict_is_told_it_again() -> None:
    """The evidence may have been lost on its way; who lacks it waits for somebody who stopped."""
    network, victim, cheater = stopped()
    assert victim.verdict is not None
    place = victim.match.agreement.draft.place
    want = sign_record(cheater.identity, Want(place, victim.match.chain.step, (victim.seat,), 1))
    effects = victim.handle(Received(want), network.now + 10)
    again = [e.message for e in effects if isinstance(e, Send) and e.topic == "seat/2"]
    envelopes = {c.envelope for sent in again if (c := carried(sent)) is not None}
    assert envelopes == set(victim.verdict.evidence)


def test_a_later_fault_does_not_replace_a_verdict() -> None:
    network, victim, cheater = stopped()
    verdict = victim.verdict
    for body in ((2,), (3,)):
        again = message(cheater.sign(body, step=1, kind=int(Kind.COMMIT)))
        effects = victim.handle(Received(again), network.now)
        assert not [effect for effect in effects if isinstance(effect, Show)]
    assert victim.verdict is verdict
