"""A network that delivers, drops, doubles and reorders, under a virtual clock and a seed.

Peers run exactly as they do over a broker, but that their effects are performed here, inline and in
order. Nothing sleeps; a match of seven takes as long as its computing takes.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from p2pcards.cards.rules import Value, settle
from p2pcards.cards.table import Seat
from p2pcards.crypto.kernel import Kernel
from p2pcards.crypto.signing import Identity
from p2pcards.engine.agreement import TABLE_OPTIONS, Agreement, nonce_commitment, settings
from p2pcards.engine.events import (
    Append,
    Chose,
    Compute,
    Computed,
    Effect,
    Event,
    Keep,
    Left,
    Received,
    Send,
    Show,
    Stopped,
    Tick,
    Wake,
)
from p2pcards.engine.match import Match
from p2pcards.engine.peer import Peer
from p2pcards.engine.view import SeatView
from p2pcards.errors import StaleChoice
from p2pcards.games import find
from p2pcards.wire.codec import digest, encode
from p2pcards.wire.messages import VERSION, Draft, Player

Policy = Callable[[SeatView], str]


def seeded_bytes(rng: random.Random) -> Callable[[int], bytes]:
    """A source of bytes that repeats with its seed; for tests only."""
    return rng.randbytes


def agree(
    game: str,
    identities: Sequence[Identity],
    options: Mapping[str, Value] | None = None,
    table_options: Mapping[str, Value] | None = None,
    *,
    names: Sequence[str] = (),
) -> Agreement:
    """The agreement that these players would come to; nonces follow from their keys."""
    rules = find(game)
    nonces = tuple(digest("test nonce", identity.public) for identity in identities)
    roster = tuple(
        Player(
            identity.public,
            names[i] if names else f"player {i}",
            nonce_commitment(nonce),
        )
        for i, (identity, nonce) in enumerate(zip(identities, nonces, strict=True))
    )
    draft = Draft(
        VERSION,
        digest("test place", *(identity.public for identity in identities))[:8],
        1,
        rules.key,
        settings(settle(rules.options, options or {})),
        settings(settle(TABLE_OPTIONS, table_options or {})),
        roster,
    )
    return Agreement.of(encode(draft), nonces)


@dataclass(frozen=True, slots=True)
class Weather:
    """What the network does to a message: chances of loss and of doubling, and delay in seconds.
    `until`: from then on nothing is lost, so that every run ends."""

    loss: float = 0.0
    double: float = 0.0
    delay: tuple[float, float] = (0.001, 0.001)
    until: float = float("inf")


CALM = Weather()
BAD = Weather(loss=0.2, double=0.1, delay=(0.001, 0.5))


@dataclass
class Node:
    """A peer in the network and what it has done so far."""

    peer: Peer
    choose: Policy
    journal: list[bytes] = field(default_factory=list)
    kept: list[bytes] = field(default_factory=list)
    sent: list[tuple[str, bytes]] = field(default_factory=list)
    stopped: list[Stopped] = field(default_factory=list)
    left: list[Seat] = field(default_factory=list)
    view: SeatView | None = None
    wake: float = float("inf")


@dataclass(frozen=True, slots=True)
class Routed:
    """A message that a lying broker hands to these seats alone."""

    topic: str
    message: bytes
    to: frozenset[Seat]


Tamper = Callable[[Node, Send], Iterable[Send | Routed]]
"""A hostile sender or broker: gives what really goes out instead of a message."""


class Network:
    """Nodes that hear each other through the weather. `now` is virtual time in seconds."""

    def __init__(
        self,
        peers: Sequence[Peer],
        choose: Sequence[Policy],
        rng: random.Random,
        weather: Weather = CALM,
        tamper: Tamper | None = None,
    ) -> None:
        self.nodes = [Node(peer, policy) for peer, policy in zip(peers, choose, strict=True)]
        self.now = 0.0
        self._rng = rng
        self._weather = weather
        self._tamper = tamper
        self._queue: list[tuple[float, int, Node, Event]] = []
        self._count = itertools.count()

    def run(self, seconds: float = 3600.0) -> None:
        """Until every peer has finished or stopped; TimeoutError after that much virtual time."""
        self.start()
        self.run_until(
            lambda: all(node.peer.match.finished or node.peer.verdict for node in self.nodes),
            seconds,
        )

    def start(self) -> None:
        """Every peer's first effects."""
        for node in self.nodes:
            self.perform(node, node.peer.start(self.now))

    def run_until(self, done: Callable[[], bool], seconds: float = 3600.0) -> None:
        """Until something is so; TimeoutError if it is not after that much virtual time."""
        end = self.now + seconds
        while not done():
            if not self._queue or self.now > end:
                raise TimeoutError(f"not so at {self.now:.1f} s of virtual time")
            self.step()

    def settle(self, seconds: float) -> None:
        """Goes on for some virtual time, so that what is under way arrives."""
        end = self.now + seconds
        while self._queue and self._queue[0][0] <= end:
            self.step()

    def step(self) -> None:
        """The next event."""
        self.now, _, node, event = heapq.heappop(self._queue)
        if isinstance(event, Tick):
            node.wake = float("inf")
        try:
            effects = node.peer.handle(event, self.now)
        except StaleChoice:
            return  # the match has moved on or stopped since the view was shown
        self.perform(node, effects)

    def inject(self, message: bytes, to: Iterable[Node] | None = None) -> None:
        """A message from nowhere."""
        for node in self.nodes if to is None else to:
            self._post(node, Received(message), 0.0)

    def _post(self, node: Node, event: Event, delay: float) -> None:
        heapq.heappush(self._queue, (self.now + delay, next(self._count), node, event))

    def perform(self, node: Node, effects: Sequence[Effect]) -> None:
        """Does what a peer wants done, in order."""
        for effect in effects:
            match effect:
                case Keep(secret):
                    node.kept.append(secret)
                case Append(envelope):
                    node.journal.append(envelope)
                case Send():
                    self._send(node, effect)
                case Compute(ticket, work):
                    self._post(node, Computed(ticket, work()), 0.0)
                case Wake(at):
                    self._wake(node, at)
                case Show(view):
                    node.view = view
                    if view.options:
                        self._post(node, Chose(node.choose(view), view.step), 0.0)
                case Left(seat):
                    node.left.append(seat)
                case Stopped():
                    node.stopped.append(effect)

    def _wake(self, node: Node, at: float) -> None:
        if at < node.wake:  # an earlier tick will ask again
            node.wake = at
            self._post(node, Tick(), max(0.0, at - self.now))

    def _send(self, node: Node, send: Send) -> None:
        sends = [send] if self._tamper is None else self._tamper(node, send)
        for out in sends:
            node.sent.append((out.topic, out.message))
            for other in self.nodes:
                heard = not isinstance(out, Routed) or other.peer.seat in out.to
                if heard and other is not node:
                    self._carry(other, out.message)

    def _carry(self, to: Node, message: bytes) -> None:
        weather = self._weather
        lossy = self.now < weather.until
        if lossy and self._rng.random() < weather.loss:
            return
        copies = 2 if self._rng.random() < weather.double else 1
        for _ in range(copies):
            self._post(to, Received(message), self._rng.uniform(*weather.delay))


def table(
    game: str,
    seats: int,
    kernel: Kernel,
    *,
    seed: int,
    options: Mapping[str, Value] | None = None,
    table_options: Mapping[str, Value] | None = None,
) -> list[Peer]:
    """Peers in seat order, each with its own identity and randomness, agreed on a match."""
    rng = random.Random(seed)
    identities = [Identity.new(seeded_bytes(rng)) for _ in range(seats)]
    agreement = agree(game, identities, options, table_options)
    peers = [
        Peer(Match(agreement, kernel), identity, seeded_bytes(random.Random(rng.random())))
        for identity in identities
    ]
    return sorted(peers, key=lambda peer: peer.seat)


def first_option(view: SeatView) -> str:
    """A player without imagination."""
    return view.options[0].id


def random_option(rng: random.Random) -> Policy:
    """A player without a plan."""
    return lambda view: rng.choice(view.options).id
