"""What a step can be about: one record per kind of debt, with the seats that owe it.

Data only; the dealer and the match make them, a peer pays its own, the match checks payments.
protocol.md section 6.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from p2pcards.cards.table import Seat, Slot
from p2pcards.wire.messages import Kind

Authors = frozenset[Seat]


@dataclass(frozen=True, slots=True)
class SitDue:
    """Everyone signs the table agreement."""

    authors: Authors
    kind: Kind = field(default=Kind.SIT, init=False)


@dataclass(frozen=True, slots=True)
class AgreeDue:
    """Everyone signs the head before something leaks or counts."""

    authors: Authors
    kind: Kind = field(default=Kind.AGREE, init=False)


@dataclass(frozen=True, slots=True)
class KeyCommitDue:
    """The holders commit to their hand keys and seeds."""

    authors: Authors
    kind: Kind = field(default=Kind.KEY_COMMIT, init=False)


@dataclass(frozen=True, slots=True)
class KeyOpenDue:
    """The holders show their hand keys."""

    authors: Authors
    kind: Kind = field(default=Kind.KEY_OPEN, init=False)


@dataclass(frozen=True, slots=True)
class MixDue:
    """One seat re-masks and permutes: `before` (66 bytes each) under `key` (33 bytes)."""

    seat: Seat
    key: bytes
    before: tuple[bytes, ...]
    kind: Kind = field(default=Kind.MIXED, init=False)

    @property
    def authors(self) -> Authors:
        """The one that mixes."""
        return frozenset((self.seat,))


@dataclass(frozen=True, slots=True)
class SharesDue:
    """Decryption shares: seat -> slots in the order of the debts."""

    owed: Mapping[Seat, tuple[Slot, ...]]
    kind: Kind = field(default=Kind.SHARES, init=False)

    @property
    def authors(self) -> Authors:
        """Those that owe any."""
        return frozenset(self.owed)


@dataclass(frozen=True, slots=True)
class GiveDue:
    """A holder re-masks a card under another seat's key."""

    giver: Seat
    slot: Slot
    to: Seat
    kind: Kind = field(default=Kind.GIVEN, init=False)

    @property
    def authors(self) -> Authors:
        """The giver."""
        return frozenset((self.giver,))


@dataclass(frozen=True, slots=True)
class MoveDue:
    """A move each, judged as soon as all are there."""

    authors: Authors
    forced: bool
    kind: Kind = field(default=Kind.MOVE, init=False)


@dataclass(frozen=True, slots=True)
class CommitDue:
    """Commitments: to sealed moves, or to the random bytes of a toss of this many sides."""

    authors: Authors
    sides: int | None
    forced: bool = False
    kind: Kind = field(default=Kind.COMMIT, init=False)


@dataclass(frozen=True, slots=True)
class RevealDue:
    """The committed moves or random bytes are opened."""

    authors: Authors
    sides: int | None
    kind: Kind = field(default=Kind.REVEAL, init=False)


@dataclass(frozen=True, slots=True)
class OpenDue:
    """The holders open the hand's keys and seeds."""

    authors: Authors
    kind: Kind = field(default=Kind.OPEN, init=False)


Due = (
    SitDue
    | AgreeDue
    | KeyCommitDue
    | KeyOpenDue
    | MixDue
    | SharesDue
    | GiveDue
    | MoveDue
    | CommitDue
    | RevealDue
    | OpenDue
)
