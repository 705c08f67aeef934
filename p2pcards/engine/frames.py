"""Frames: what a broker carries. Signed records, contributions, and large contributions in chunks.

A contribution that does not fit one message travels as a signed header that lists the hashes of its
chunks, and the chunks. Whoever relays it relays the author's header. protocol.md section 2.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from p2pcards.crypto.signing import Identity, check_signature
from p2pcards.engine.chain import Contribution
from p2pcards.errors import BadSignature, Malformed
from p2pcards.wire.codec import decode, encode, from_tagged, pack, to_tagged, unpack
from p2pcards.wire.messages import (
    CHUNK,
    DOMAIN_CHUNKS,
    DOMAIN_RECORD,
    FRAMES,
    MESSAGE_LIMIT,
    RECORDS,
    ChunkFrame,
    ChunkHeader,
    Envelope,
    HeaderFrame,
    RecordFrame,
    WholeFrame,
)

REASSEMBLIES = 4
"""Contributions of one seat that may be in reassembly at a time; honest seats have one."""
HEADERS = 256
"""Headers of complete contributions kept for one seat; a hand has a few large contributions."""

Frame = WholeFrame | HeaderFrame | ChunkFrame | RecordFrame


def read_frame(message: bytes) -> Frame:
    """A frame from a message; `Malformed` for anything else."""
    frame: Frame = from_tagged(unpack(message, MESSAGE_LIMIT), FRAMES)
    return frame


def write_frame(frame: Frame) -> bytes:
    """The message that carries a frame."""
    return pack(to_tagged(frame, FRAMES))


def sign_record(identity: Identity, record: object) -> bytes:
    """The message that carries a record signed by an identity."""
    packed = pack(to_tagged(record, RECORDS))
    return write_frame(RecordFrame(packed, identity.public, identity.sign(DOMAIN_RECORD, packed)))


def read_record(frame: RecordFrame) -> Any:
    """The record of a frame, its signature checked against the key it names."""
    try:
        check_signature(frame.key, DOMAIN_RECORD, frame.record, frame.signature)
    except BadSignature:
        raise Malformed("malformed.signature", "record") from None
    return from_tagged(unpack(frame.record), RECORDS)


@dataclass(slots=True)
class _Assembly:
    """A contribution in reassembly: its header as sent, the chunks it lists, and those here."""

    frame: HeaderFrame
    header: ChunkHeader
    parts: dict[bytes, bytes]


class Courier:
    """Splits contributions into frames and puts frames together again.

    `keys`: identity keys in seat order. Headers of complete contributions are kept, so that those
    who did not write them can relay them. A seat may sign headers for any step and as many as it
    likes: each is its own reassembly and the oldest goes, so that none keeps out another for good.
    """

    def __init__(self, table: bytes, keys: tuple[bytes, ...]) -> None:
        self._table = table
        self._keys = keys
        self._headers: list[dict[bytes, HeaderFrame]] = [{} for _ in keys]
        self._open: dict[tuple[int, int, bytes], _Assembly] = {}

    def messages(self, contribution: Contribution, author: Identity | None = None) -> list[bytes]:
        """The messages that carry a contribution. `author` signs the header of a large one that
        has none yet; without it such a one cannot be relayed, and there are no messages."""
        envelope = contribution.envelope
        whole = write_frame(WholeFrame(decode(Envelope, envelope, len(envelope))))
        if len(whole) <= MESSAGE_LIMIT:
            return [whole]
        step, seat = contribution.step, contribution.seat
        chunks = [envelope[i : i + CHUNK] for i in range(0, len(envelope), CHUNK)]
        header = self._headers[seat].get(sha256(envelope).digest())
        if header is None and author is not None:
            hashes = tuple(sha256(chunk).digest() for chunk in chunks)
            packed = encode(ChunkHeader(self._table, step, seat, len(envelope), hashes))
            header = HeaderFrame(packed, author.sign(DOMAIN_CHUNKS, packed))
            self._keep_header(seat, envelope, header)
        if header is None:
            return []
        frames: list[Frame] = [header]
        frames.extend(ChunkFrame(seat, step, chunk) for chunk in chunks)
        return [write_frame(frame) for frame in frames]

    def take(self, frame: WholeFrame | HeaderFrame | ChunkFrame) -> bytes | None:
        """A frame in; gives an envelope when one is complete."""
        match frame:
            case WholeFrame(envelope):
                return encode(envelope)
            case HeaderFrame():
                self._take_header(frame)
                return None
            case ChunkFrame():
                return self._take_chunk(frame)

    def _take_header(self, frame: HeaderFrame) -> None:
        header = decode(ChunkHeader, frame.header)
        if header.table != self._table or header.seat >= len(self._keys):
            raise Malformed("malformed.table", "chunk header")
        if not header.hashes or not 0 <= len(header.hashes) * CHUNK - header.length < CHUNK:
            raise Malformed("malformed.size", "chunk header")
        key = (header.step, header.seat, sha256(frame.header).digest())
        if key in self._open:
            self._open[key] = self._open.pop(key)  # asked for again: the last to be dropped
            return
        try:
            check_signature(self._keys[header.seat], DOMAIN_CHUNKS, frame.header, frame.signature)
        except BadSignature:
            raise Malformed("malformed.signature", "chunk header") from None
        mine = [other for other in self._open if other[1] == header.seat]
        if len(mine) >= REASSEMBLIES:
            del self._open[mine[0]]
        self._open[key] = _Assembly(frame, header, {})

    def _take_chunk(self, frame: ChunkFrame) -> bytes | None:
        name = sha256(frame.data).digest()
        listed = False
        for key, assembly in list(self._open.items()):
            if key[:2] != (frame.step, frame.seat) or name not in assembly.header.hashes:
                continue
            listed = True
            assembly.parts[name] = frame.data
            if all(wanted in assembly.parts for wanted in assembly.header.hashes):
                del self._open[key]
                return self._finish(assembly)
        if not listed:
            raise Malformed("malformed.chunk", "in no header of its seat and step")
        return None

    def _finish(self, assembly: _Assembly) -> bytes:
        header = assembly.header
        envelope = b"".join(assembly.parts[wanted] for wanted in header.hashes)
        if len(envelope) != header.length:
            raise Malformed("malformed.size", "chunks")
        self._keep_header(header.seat, envelope, assembly.frame)
        return envelope

    def _keep_header(self, seat: int, envelope: bytes, header: HeaderFrame) -> None:
        kept = self._headers[seat]
        if len(kept) >= HEADERS:
            del kept[next(iter(kept))]
        kept[sha256(envelope).digest()] = header
