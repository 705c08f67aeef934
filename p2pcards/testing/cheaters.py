"""Peers that cheat: seats that sign what they like, with everything else as it should be.

A cheater is a real peer but for what it puts its signature to. That is the strongest adversary at a
table: it has an identity that the others accepted, its own keys, and all that is public. What it
cannot do is sign for somebody else. `Split` is the lying broker that helps it show different seats
different things.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from p2pcards.cards.rules import Value
from p2pcards.cards.table import Seat
from p2pcards.crypto.formula import Formula
from p2pcards.crypto.group import Rng
from p2pcards.crypto.kernel import HandKey, Kernel
from p2pcards.crypto.signing import Identity
from p2pcards.crypto.transcript import Context
from p2pcards.engine.chain import Contribution, pack_envelope, read_contribution
from p2pcards.engine.events import Append, Effect, Send
from p2pcards.engine.frames import read_frame, write_frame
from p2pcards.engine.match import Match, Reading
from p2pcards.engine.moves import CLAIM_INDEX, SHARES_INDEX, OwnPayer, at, try_move
from p2pcards.engine.peer import Peer
from p2pcards.errors import CryptoError, Malformed, SeatFault
from p2pcards.testing.network import Node, Routed, agree, seeded_bytes
from p2pcards.wire.codec import decode, encode, to_tagged
from p2pcards.wire.messages import (
    DOMAIN_CONTRIBUTION,
    Envelope,
    Move,
    Payload,
    Shares,
    WholeFrame,
)

Cheat = Callable[["Cheater", Any], Iterable[object]]
"""What to sign for the open step instead of the honest body: none (it is withheld), one, or
several (equivocation)."""


def sign(identity: Identity, payload: Payload, domain: bytes = DOMAIN_CONTRIBUTION) -> bytes:
    """The envelope of any payload at all."""
    packed = encode(payload)
    return pack_envelope(packed, identity.sign(domain, packed))


def message(envelope: bytes) -> bytes:
    """The message that carries a small envelope."""
    return write_frame(WholeFrame(decode(Envelope, envelope)))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a move would need: the cards that it opens or shows, and the statement to prove."""

    shown: tuple[bytes, ...]
    statement: Formula | None


class Cheater(Peer):
    """A peer whose `cheat` decides what is signed. It convicts nobody of its own doings.

    `withheld`: the honest body for the open step that was not published.
    """

    def __init__(self, match: Match, identity: Identity, rng: Rng, cheat: Cheat) -> None:
        super().__init__(match, identity, rng)
        self.withheld: Any = None
        self.rng = rng
        self._cheat = cheat

    # --- what it knows ----------------------------------------------------------------------------

    @property
    def identity(self) -> Identity:
        """Its signing key."""
        return self._identity

    @property
    def key(self) -> HandKey:
        """Its key for this hand."""
        return self._purse.hand.key

    @property
    def seed(self) -> bytes:
        """Its hand seed, 32 bytes."""
        return self._purse.hand.seed

    @property
    def kernel(self) -> Kernel:
        """The kernel of the table."""
        return self.match.kernel

    @property
    def context(self) -> Context:
        """The proof context of its contribution to the open step."""
        return self.match.context(self.seat)

    def take_key(self, key: HandKey) -> None:
        """Goes on with another hand key."""
        self._purse.hand.key = key

    def go_on(self, cheat: Cheat) -> None:
        """Cheats in another way from now on."""
        self._cheat = cheat

    # --- what it makes ----------------------------------------------------------------------------

    def plan(self, move: object) -> Plan:
        """What rides along with a move, lawful or not. Raises what the rules raise."""
        payer = OwnPayer(self.seat, self.known)
        trial = self.match.dealer.copy()
        outcome = try_move(self.match.rules, self.match.state, trial, self.seat, move, payer)
        return Plan(tuple(payer.masks), outcome.statement)

    def move(self, move: object, claim: bytes, shown: Sequence[bytes] | None = None) -> Move:
        """The body of any move, with good shares of these masks (by default those that it owes)
        and any bytes as the proof of its claim."""
        masks = self.plan(move).shown if shown is None else shown
        shares = Shares((), b"")
        if masks:
            key, ctx = self.key, at(self.context, SHARES_INDEX)
            shares = Shares(*self.kernel.shares(ctx, key.x, key.public, masks, self.rng))
        return Move(to_tagged(move, self.match.rules.moves), shares, claim, ())

    def prove(self, statement: Formula) -> bytes:
        """An honest proof of any true statement, where the claim of a move belongs."""
        ctx, key = at(self.context, CLAIM_INDEX), self.key
        faces = self.match.dealer.faces
        return self.kernel.prove(ctx, key.x, key.public, statement, faces, self.rng)

    def sign(self, body: object, **fields: Any) -> bytes:
        """An envelope for the open step; `fields` of the payload may be put otherwise."""
        chain = self.match.chain
        payload = chain.payload(self.seat, chain.kind, body)
        values = {name: getattr(payload, name) for name in Payload.__dataclass_fields__}
        return sign(self._identity, Payload(**{**values, **fields}))

    def publish(self, envelope: bytes) -> list[Effect]:
        """Writes and sends an envelope, and takes it in as its own if it fits."""
        self._busy = False
        self._inbox.append(envelope)
        self._out([envelope])
        return self._take_effects()

    # --- how it differs from a peer ---------------------------------------------------------------

    def _publish(self, body: object) -> None:
        envelopes = [self.sign(forged) for forged in self._cheat(self, body)]
        self._busy = not envelopes
        self.withheld = None if envelopes else body
        self._inbox.extendleft(envelopes[:1])
        self._out(envelopes)

    def _out(self, envelopes: Sequence[bytes]) -> None:
        self._effects.extend(Append(envelope, own=True) for envelope in envelopes)
        for envelope in envelopes:
            messages = self._courier.messages(read_contribution(envelope), self._identity)
            self._effects.extend(Send(f"seat/{self.seat}", message) for message in messages)

    def _accept(self, reading: Reading) -> None:
        with suppress(CryptoError):  # its own table need not bear what it told the others
            super()._accept(reading)

    def _stop(self, fault: SeatFault) -> None:
        if fault.seat != self.seat:
            super()._stop(fault)


def honest(_: Cheater, body: object) -> Iterable[object]:
    """Not to cheat."""
    return (body,)


def cheating_table(
    game: str,
    seats: int,
    kernel: Kernel,
    cheats: Mapping[Seat, Cheat],
    *,
    seed: int,
    options: Mapping[str, Value] | None = None,
    table_options: Mapping[str, Value] | None = None,
) -> list[Peer]:
    """As `network.table`, with cheaters on some of the seats."""
    rng = random.Random(seed)
    identities = [Identity.new(seeded_bytes(rng)) for _ in range(seats)]
    agreement = agree(game, identities, options, table_options)
    peers: list[Peer] = []
    for player in agreement.players:
        identity = next(each for each in identities if each.public == player.key)
        chance = seeded_bytes(random.Random(rng.random()))
        cheat = cheats.get(len(peers))
        match = Match(agreement, kernel)
        if cheat is None:
            peers.append(Peer(match, identity, chance))
        else:
            peers.append(Cheater(match, identity, chance, cheat))
    return peers


@dataclass(frozen=True, slots=True)
class Split:
    """A broker that shows each version of a cheater's contribution to its own group of seats.

    `deaf`: whether it also swallows what seats repeat of one another, so that nobody can compare.
    """

    seat: Seat
    groups: tuple[frozenset[Seat], ...]
    deaf: bool = False

    def __call__(self, node: Node, send: Send) -> Iterable[Send | Routed]:
        """What goes out instead of a message."""
        sent = carried(send.message)
        if sent is None:
            return (send,)
        if sent.seat != node.peer.seat:
            return () if self.deaf else (send,)
        if sent.seat != self.seat:
            return (send,)
        own = [read_contribution(envelope) for envelope in node.journal]
        versions = list(dict.fromkeys(c.hash for c in own if place(c) == place(sent)))
        if len(versions) < 2:
            return (send,)
        return (Routed(send.topic, send.message, self.groups[versions.index(sent.hash)]),)


def place(contribution: Contribution) -> tuple[int, Seat]:
    """Where in a match a contribution belongs."""
    return contribution.step, contribution.seat


def carried(message: bytes) -> Contribution | None:
    """The contribution that travels in one message, if one does."""
    try:
        frame = read_frame(message)
        return read_contribution(encode(frame.envelope)) if isinstance(frame, WholeFrame) else None
    except Malformed:
        return None
