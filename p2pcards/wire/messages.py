"""Every message as a frozen record: contributions and their bodies, lobby records, frames.

Lengths and ranges stand in the types; `wire.codec` checks them. What a message means is the
engine's affair. protocol.md section 2 has the same tables in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from typing import Annotated, Any

from p2pcards.wire.codec import U8, U32, U64, Size, Upto

VERSION = 1
"""Protocol version; any change of bytes on the wire raises it."""
MESSAGE_LIMIT = 16 * 1024
"""Largest message given to a broker, in bytes."""
CHUNK = 15 * 1024
"""Payload bytes of one chunk; leaves room for its frame."""
MAX_SEATS = 20

Hash = Annotated[bytes, Size(32)]
Point = Annotated[bytes, Size(33)]
Scalar = Annotated[bytes, Size(32)]
Mask = Annotated[bytes, Size(66)]
Proof64 = Annotated[bytes, Size(64)]
Signature = Annotated[bytes, Size(64)]
IdentityKey = Annotated[bytes, Size(32)]
Place = Annotated[bytes, Size(8)]
"""The table's address in topics: 8 random bytes of the host, 16 hex digits in a topic."""
Blob = Annotated[bytes, Upto(256 * 1024)]
Name = Annotated[str, Upto(40)]

DOMAIN_CONTRIBUTION = b"p2pcards/1 contribution"
DOMAIN_CHUNKS = b"p2pcards/1 chunks"
DOMAIN_RECORD = b"p2pcards/1 record"


# --- contributions: the log -----------------------------------------------------------------------


class Kind(IntEnum):
    """What a contribution is; fixed by the step it belongs to."""

    SIT = 0
    AGREE = 1
    KEY_COMMIT = 2
    KEY_OPEN = 3
    MIXED = 4
    SHARES = 5
    MOVE = 6
    COMMIT = 7
    REVEAL = 8
    GIVEN = 9
    OPEN = 10
    # 11 and 12 are reserved for Void and Leave


@dataclass(frozen=True, slots=True)
class Payload:
    """The signed part of a contribution: one seat's share of one step."""

    version: U8
    table: Hash
    step: U32
    prev: Hash
    seat: U8
    kind: U8
    body: Any


@dataclass(frozen=True, slots=True)
class Envelope:
    """A payload as it was sent, and its author's signature over it."""

    payload: Blob
    signature: Signature


@dataclass(frozen=True, slots=True)
class Sit:
    """Step 0: the agreement that this seat signs. Equal for all seats."""

    draft: Annotated[bytes, Upto(8 * 1024)]
    nonces: Annotated[tuple[Hash, ...], Upto(MAX_SEATS)]


@dataclass(frozen=True, slots=True)
class Agree:
    """The head that this contribution names as `prev` is the one its author has."""


@dataclass(frozen=True, slots=True)
class KeyCommit:
    """Hash of the hand key with its proof of possession, and of the hand seed."""

    key: Hash
    seed: Hash


@dataclass(frozen=True, slots=True)
class KeyOpen:
    """The hand key and its proof of possession."""

    key: Point
    proof: Proof64


@dataclass(frozen=True, slots=True)
class Mixed:
    """Re-masked and permuted masks, with the proof that they are."""

    masks: Annotated[tuple[Mask, ...], Upto(108)]
    proof: Blob


@dataclass(frozen=True, slots=True)
class Shares:
    """Decryption shares in the order of the debts, and one proof for all."""

    shares: Annotated[tuple[Point, ...], Upto(256)]
    proof: Annotated[bytes, Upto(64)]


@dataclass(frozen=True, slots=True)
class Given:
    """A card re-masked under its receiver's key, with the proof that it is the same card."""

    mask: Mask
    proof: Annotated[bytes, Upto(96)]


@dataclass(frozen=True, slots=True)
class Move:
    """A move of the game with what rides along: the mover's own shares (first those of the cards
    it opens), the proof of its claim, and cards it gives. Empty where nothing is owed."""

    move: Any
    shares: Shares
    claim: Blob
    gives: Annotated[tuple[Given, ...], Upto(32)]


@dataclass(frozen=True, slots=True)
class Commit:
    """Commitment to a sealed move or to random bytes."""

    commitment: Hash


@dataclass(frozen=True, slots=True)
class Reveal:
    """What was committed: 32 random bytes, and the move (None: a toss)."""

    nonce: Hash
    move: Move | None


@dataclass(frozen=True, slots=True)
class Open:
    """The hand's secret key and seed, after the hand."""

    key: Scalar
    seed: Hash


BODIES: dict[Kind, type[Any]] = {
    Kind.SIT: Sit,
    Kind.AGREE: Agree,
    Kind.KEY_COMMIT: KeyCommit,
    Kind.KEY_OPEN: KeyOpen,
    Kind.MIXED: Mixed,
    Kind.SHARES: Shares,
    Kind.MOVE: Move,
    Kind.COMMIT: Commit,
    Kind.REVEAL: Reveal,
    Kind.GIVEN: Given,
    Kind.OPEN: Open,
}


# --- frames: what a broker carries ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChunkHeader:
    """Announces a contribution that travels in chunks; signed by its author."""

    table: Hash
    step: U32
    seat: U8
    length: U32
    hashes: Annotated[tuple[Hash, ...], Upto(18)]


@dataclass(frozen=True, slots=True)
class WholeFrame:
    """A contribution that fits one message."""

    envelope: Envelope


@dataclass(frozen=True, slots=True)
class HeaderFrame:
    """A signed chunk header."""

    header: Annotated[bytes, Upto(1024)]
    signature: Signature


@dataclass(frozen=True, slots=True)
class ChunkFrame:
    """One chunk; its hash must stand in a header of this seat and step."""

    seat: U8
    step: U32
    data: Annotated[bytes, Upto(CHUNK)]

    @property
    def hash(self) -> bytes:
        """What the header lists it under."""
        return sha256(self.data).digest()


@dataclass(frozen=True, slots=True)
class RecordFrame:
    """A signed record of the lobby or of presence."""

    record: Annotated[bytes, Upto(12 * 1024)]
    key: IdentityKey
    signature: Signature


FRAMES: tuple[type[Any], ...] = (WholeFrame, HeaderFrame, ChunkFrame, RecordFrame)


# --- records: lobby, presence, requests; signed, never part of the log ----------------------------

OptionValue = bool | int | str | None


@dataclass(frozen=True, slots=True)
class Setting:
    """An option with its value."""

    name: Annotated[str, Upto(40)]
    value: OptionValue


Settings = Annotated[tuple[Setting, ...], Upto(40)]


@dataclass(frozen=True, slots=True)
class Player:
    """A line of the roster."""

    key: IdentityKey
    name: Name
    nonce_commitment: Hash


@dataclass(frozen=True, slots=True)
class Draft:
    """The agreement that is proposed: what is played, how, and by whom. The first of the roster
    is the host; seats follow from the table id (protocol.md section 8.3)."""

    version: U8
    place: Place
    number: U32
    game: Annotated[str, Upto(40)]
    options: Settings
    table_options: Settings
    roster: Annotated[tuple[Player, ...], Upto(MAX_SEATS)]


@dataclass(frozen=True, slots=True)
class Advert:
    """A table that takes players. Retained by the broker, so its time counts: `at` is Unix time in
    seconds; adverts older than a minute are ghosts."""

    place: Place
    host: Name
    game: Annotated[str, Upto(40)]
    options: Settings
    seats: U8
    taken: U8
    at: U64


@dataclass(frozen=True, slots=True)
class Knock:
    """Somebody wants a seat."""

    place: Place
    player: Player


@dataclass(frozen=True, slots=True)
class Proposal:
    """The host's draft, as bytes: they are what is hashed and signed."""

    place: Place
    draft: Annotated[bytes, Upto(8 * 1024)]


@dataclass(frozen=True, slots=True)
class Sign:
    """A player accepts the draft with this hash."""

    place: Place
    draft: Hash


@dataclass(frozen=True, slots=True)
class Nonce:
    """A player's contribution to the table id, published when all have signed."""

    place: Place
    draft: Hash
    nonce: Hash


@dataclass(frozen=True, slots=True)
class Kick:
    """The host turns somebody away."""

    place: Place
    key: IdentityKey
    reason: Annotated[str, Upto(40)]


@dataclass(frozen=True, slots=True)
class Bye:
    """The author leaves; `finished` when the match is over for it."""

    place: Place
    finished: bool


@dataclass(frozen=True, slots=True)
class Alive:
    """Sent every two seconds: the author is there and has this step open."""

    place: Place
    step: U32
    head: Hash


@dataclass(frozen=True, slots=True)
class Want:
    """The author lacks these seats' contributions to a step; from the second attempt on anybody
    who has them answers, and answers with the steps after it too."""

    place: Place
    step: U32
    seats: Annotated[tuple[U8, ...], Upto(MAX_SEATS)]
    attempt: U8


@dataclass(frozen=True, slots=True)
class FaultReport:
    """A seat broke the protocol at this step. Only a hint: the envelopes that convict it are sent
    again before it, on their own topic, for everybody to check."""

    place: Place
    step: U32
    seat: U8
    code: Annotated[str, Upto(60)]


@dataclass(frozen=True, slots=True)
class Chat:
    """What a player says to the table: a phrase by its code, which everybody reads in their own
    language, or free text; the other one is empty. `number` counts its author's, from 1, so that
    what a broker repeats is said once. `to`: the seats that are meant (none: everybody)."""

    place: Place
    number: U32
    phrase: Annotated[str, Upto(40)]
    text: Annotated[str, Upto(200)]
    to: Annotated[tuple[U8, ...], Upto(MAX_SEATS)]


@dataclass(frozen=True, slots=True)
class Again:
    """The host's next table, at the same broker: who sat at this one is invited to it."""

    place: Place
    following: Place


RECORDS: tuple[type[Any], ...] = (
    Advert,
    Knock,
    Proposal,
    Sign,
    Nonce,
    Kick,
    Bye,
    Alive,
    Want,
    FaultReport,
    Chat,
    Again,
)
