"""The chain of steps: who may contribute, what a contribution signs, and evidence of equivocation.

The log is a sequence of steps. A step has a known set of authors and closes when each of them has
contributed exactly once; contributions of one step commute. Every contribution signs, as `prev`,
the head over all steps before it. The chain knows keys, steps and heads, not what a step means;
whether the content is acceptable is the match's affair. protocol.md section 2.4.

States of an offered contribution:

    offered   -> Malformed        not readable, not signed by the seat it names, another table
    offered   -> KNOWN            the same payload is here already
    offered   -> SeatFault        another payload of this seat for this step is here (equivocation)
    offered   -> EARLY            its step is not open yet; kept
    offered   -> FOREIGN          its `prev` is not our head: somebody's history differs; dropped
    offered   -> TAKEN            its step is open and it is due; the match checks it
    taken     -> closed           `close` at the end of its step
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from p2pcards.crypto.signing import check_signature
from p2pcards.errors import BadSignature, Malformed, SeatFault
from p2pcards.wire.codec import MAX_BYTES, decode, digest, encode
from p2pcards.wire.messages import DOMAIN_CONTRIBUTION, VERSION, Envelope, Kind, Payload

AHEAD = 256
"""Steps that a contribution may be ahead of ours and still be kept."""
EARLY_BYTES = 4 * 1024 * 1024
"""Bytes of early contributions kept for one seat; honest peers are a few steps ahead at most."""


class Offer(Enum):
    """What the chain made of an envelope."""

    TAKEN = "taken"
    KNOWN = "known"
    EARLY = "early"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Contribution:
    """One seat's signed part of one step, with the bytes as they were sent."""

    payload: Payload
    packed: bytes
    signature: bytes
    envelope: bytes
    hash: bytes

    @property
    def step(self) -> int:
        """The step it belongs to."""
        return self.payload.step

    @property
    def seat(self) -> int:
        """Its author."""
        return self.payload.seat


def read_contribution(envelope: bytes) -> Contribution:
    """Reads an envelope without checking its signature; `Malformed` otherwise."""
    signed = decode(Envelope, envelope, MAX_BYTES + 256)
    payload = decode(Payload, signed.payload)
    if payload.version != VERSION:
        raise Malformed("malformed.version", f"{payload.version}")
    return Contribution(
        payload, signed.payload, signed.signature, envelope, digest("payload", signed.payload)
    )


def next_head(head: bytes, hashes: Sequence[bytes]) -> bytes:
    """The head after a step: over the head before it and the payload hashes in seat order."""
    return digest("head", head, *hashes)


class Chain:
    """The steps of one match so far, and the one that is open.

    `keys`: identity keys in seat order. `log` holds the envelopes of closed steps in order. The
    head before step 0 is the table id. Whether the open step's contributions are good is for the
    match to say; the chain only collects them.
    """

    def __init__(self, table: bytes, keys: Sequence[bytes]) -> None:
        self.table = table
        self.keys = tuple(keys)
        self.step = 0
        self.head = table
        self.log: list[tuple[Contribution, ...]] = []
        self._heads = [table]
        self._due: tuple[Kind, frozenset[int]] = (Kind.SIT, frozenset(range(len(keys))))
        self._open: dict[int, Contribution] = {}
        self._early: dict[tuple[int, int], Contribution] = {}
        self._early_bytes = [0] * len(self.keys)

    # --- the open step ----------------------------------------------------------------------------

    @property
    def kind(self) -> Kind:
        """What the open step wants."""
        return self._due[0]

    @property
    def authors(self) -> frozenset[int]:
        """Who owes a contribution to the open step."""
        return self._due[1]

    @property
    def missing(self) -> frozenset[int]:
        """Whose contribution to the open step is not here yet."""
        return self._due[1] - self._open.keys()

    def offer(self, envelope: bytes) -> tuple[Offer, Contribution]:
        """Takes an envelope in, from anybody, in any order, any number of times."""
        contribution = read_contribution(envelope)
        payload = contribution.payload
        if payload.table != self.table:
            raise Malformed("malformed.table", "signed for another table")
        if payload.seat >= len(self.keys):
            raise Malformed("malformed.seat", f"{payload.seat}")
        known = self.find(payload.step, payload.seat)
        if known is not None and known.hash == contribution.hash:
            return Offer.KNOWN, known
        self._check_signature(contribution)
        if known is not None:
            raise SeatFault(
                payload.seat,
                payload.step,
                "chain.equivocation",
                (known.envelope, contribution.envelope),
                "two different contributions to one step",
            )
        return self._place(contribution), contribution

    def _check_signature(self, contribution: Contribution) -> None:
        key = self.keys[contribution.seat]
        try:
            check_signature(key, DOMAIN_CONTRIBUTION, contribution.packed, contribution.signature)
        except BadSignature:
            raise Malformed("malformed.signature", f"seat {contribution.seat}") from None

    def _place(self, contribution: Contribution) -> Offer:
        step, seat = contribution.step, contribution.seat
        if step > self.step:
            return self._keep(contribution)
        if contribution.payload.prev != self._heads[step]:
            return Offer.FOREIGN
        if step < self.step or seat not in self.authors:
            raise SeatFault(seat, step, "chain.not_author", (contribution.envelope,))
        if contribution.payload.kind != self.kind:
            raise SeatFault(seat, step, "chain.kind", (contribution.envelope,))
        self._open[seat] = contribution
        return Offer.TAKEN

    def _keep(self, contribution: Contribution) -> Offer:
        seat, size = contribution.seat, len(contribution.envelope)
        if contribution.step > self.step + AHEAD or self._early_bytes[seat] + size > EARLY_BYTES:
            raise Malformed("malformed.ahead", f"step {contribution.step}, {self.step} is open")
        self._early[contribution.step, seat] = contribution
        self._early_bytes[seat] += size
        return Offer.EARLY

    def close(self, kind: Kind, authors: frozenset[int]) -> list[bytes]:
        """Closes the open step, all of whose contributions are here, and opens the next.

        Gives the early envelopes that belong to the new step: offer them again.
        """
        if self.missing:
            raise ValueError(f"step {self.step} lacks seats {sorted(self.missing)}")
        closed = tuple(self._open[seat] for seat in sorted(self._open))
        self.head = next_head(self.head, [c.hash for c in closed])
        self.log.append(closed)
        self._heads.append(self.head)
        self.step += 1
        self._open = {}
        self._due = (kind, authors)
        early = [c for (step, _), c in self._early.items() if step == self.step]
        for contribution in early:
            del self._early[contribution.step, contribution.seat]
            self._early_bytes[contribution.seat] -= len(contribution.envelope)
        return [contribution.envelope for contribution in early]

    # --- asking -----------------------------------------------------------------------------------

    def find(self, step: int, seat: int) -> Contribution | None:
        """A seat's contribution to a step, closed, open or early."""
        if step < self.step:
            return next((c for c in self.log[step] if c.seat == seat), None)
        if step == self.step:
            return self._open.get(seat)
        return self._early.get((step, seat))

    def at(self, step: int) -> tuple[Contribution, ...]:
        """All contributions to a step that are here, in seat order."""
        if step < self.step:
            return self.log[step]
        return tuple(self._open[seat] for seat in sorted(self._open)) if step == self.step else ()

    def envelopes(self) -> Iterator[bytes]:
        """The log: envelopes of all closed steps in the order (step, seat)."""
        for step in self.log:
            for contribution in step:
                yield contribution.envelope

    def payload(self, seat: int, kind: Kind, body: object) -> Payload:
        """The payload of a contribution to the open step."""
        return Payload(VERSION, self.table, self.step, self.head, seat, int(kind), body)


def pack_envelope(packed: bytes, signature: bytes) -> bytes:
    """An envelope's bytes."""
    return encode(Envelope(packed, signature))
