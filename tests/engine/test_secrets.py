"""What leaks: nothing secret goes out before it is opened, nor stands in a view, a `repr` or an
effect. Attack 79 of the catalogue, as far as the engine goes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from p2pcards.cards.table import Seat, Slot
from p2pcards.crypto.kernel import RealKernel
from p2pcards.engine.chain import read_contribution
from p2pcards.engine.events import Append, Compute, Effect, Keep, Send, Show
from p2pcards.engine.peer import Peer
from p2pcards.testing.network import Network, Node
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.codec import unpack
from p2pcards.wire.messages import Kind
from tests.engine.rooms import peers_of, room


def secrets_of(node: Node) -> list[bytes]:
    """All that a seat has kept so far: hand secrets, hand seeds and nonces."""
    found: list[bytes] = []
    for record in node.kept:
        fields = unpack(record)
        assert isinstance(fields, tuple)
        found.extend(field for field in fields if isinstance(field, bytes) and len(field) == 32)
    return found


class Watching(Network):
    """Looks at everything that a peer wants done, with all secrets of all seats at hand."""

    opened: frozenset[bytes] = frozenset()

    def perform(self, node: Node, effects: Sequence[Effect]) -> None:
        """Nothing but what a contribution opens may hold a secret."""
        for effect in effects:
            if isinstance(effect, Append) and effect.own:
                self._note_opened(effect.envelope)
            if isinstance(effect, Keep):
                assert effect.secret not in repr(effect).encode("latin-1")
            else:
                self._look(effect)
            super().perform(node, [effect])

    def _note_opened(self, envelope: bytes) -> None:
        payload = read_contribution(envelope).payload
        if payload.kind in (Kind.OPEN, Kind.REVEAL):
            fields = [field for field in payload.body if isinstance(field, bytes)]
            self.opened |= frozenset(fields)

    def _look(self, effect: Effect) -> None:
        carried = effect.message if isinstance(effect, Send) else repr(effect).encode()
        for node in self.nodes:
            for secret in (*secrets_of(node), *keys_of(node.peer)):
                if secret in self.opened:
                    continue
                assert secret not in carried
                assert secret.hex().encode() not in carried
                assert repr(secret)[2:-1].encode() not in carried


def keys_of(peer: Peer) -> list[bytes]:
    """The secret of its hand key and its signing key."""
    secrets = [peer._identity.secret]
    if peer._purse._hand is not None:
        secrets.append(peer._purse.hand.key.x)
    return secrets


def test_no_secret_leaves_before_it_is_opened() -> None:
    """Real keys: with the open kernel a public key says its secret."""
    calm = room("bazaar", 2, RealKernel(), 2)
    network = Watching(peers_of(calm), [node.choose for node in calm.nodes], calm._rng)
    network.run()
    assert all(len(secrets_of(node)) >= 4 for node in network.nodes)


def test_closed_hands_stay_closed() -> None:
    """With `openings=never` no secret of a hand ever leaves, to the last message."""
    network = room("oh-hell", 3, OpenKernel(), hands=2, openings="never")
    network.run()
    everything = b"".join(message for node in network.nodes for _, message in node.sent)
    for node in network.nodes:
        for record in node.kept:
            fields = unpack(record)
            assert isinstance(fields, tuple)
            if fields[0] == "hand":
                assert not any(f in everything for f in fields if isinstance(f, bytes))


def test_nothing_that_a_peer_is_made_of_shows_its_secrets() -> None:
    """In any step of a match, whatever is printed."""
    network = room("oh-hell", 3, RealKernel())
    network.start()
    for _ in range(200):
        network.step()
        node = network.nodes[0]
        peer = node.peer
        purse = peer._purse
        texts = [repr(each) for each in (peer, purse, purse._hand, peer._identity, peer.match)]
        for secret in (*keys_of(peer), *secrets_of(node)):
            for text in texts:
                assert secret.hex() not in text
                assert repr(secret)[2:-1] not in text


# --- views ----------------------------------------------------------------------------------------


class Looking(Network):
    """Looks at every view, with the true face of every card at hand."""

    ever_held: dict[Seat, set[Slot]]
    looked = 0

    def perform(self, node: Node, effects: Sequence[Effect]) -> None:
        """A seat sees what lies face up, and what it holds or has held."""
        held = self.ever_held.setdefault(node.peer.seat, set())
        table = node.peer.match.dealer.table
        for pile, slots in table.piles.items():
            if pile.name == "hand" and pile.seat == node.peer.seat:
                held.update(slots)
        for effect in effects:
            if isinstance(effect, Show):
                view = effect.view
                self.looked += 1
                assert view.seat == node.peer.seat
                assert view.public.faces.keys() <= view.table.faces.keys()
                assert view.table.faces.keys() - view.public.faces.keys() <= held
        super().perform(node, effects)


@pytest.mark.parametrize("game, seats", [("oh-hell", 4), ("bazaar", 4)])
def test_a_view_shows_what_its_seat_may_see(game: str, seats: int) -> None:
    calm = room(game, seats, OpenKernel(), 3, hands=3)
    network = Looking(peers_of(calm), [node.choose for node in calm.nodes], calm._rng)
    network.ever_held = {}
    network.run()
    assert network.looked > 50


def test_work_for_other_threads_shows_nothing() -> None:
    """A computation is a closure: its `repr` has no arguments in it."""
    network = room("oh-hell", 3, OpenKernel())
    seen: list[str] = []
    perform = network.perform

    def look(node: Node, effects: Sequence[Effect]) -> None:
        seen.extend(repr(effect) for effect in effects if isinstance(effect, Compute))
        perform(node, effects)

    network.perform = look  # type: ignore[method-assign] # only to look
    network.run()
    assert seen
    assert all("\\x" not in text for text in seen)
