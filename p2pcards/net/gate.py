"""The embedded broker's gate: forwards what a known identity signed, and nothing else.

Runs in the broker's child process, which knows only the rosters that its parent hands it. The
broker is trusted by nobody all the same; the gate keeps strangers' noise from costing the peers any
work. protocol.md section 10.4.
"""

from __future__ import annotations

from collections import OrderedDict

from p2pcards.crypto.signing import check_signature
from p2pcards.engine.chain import read_contribution
from p2pcards.engine.frames import read_frame, read_record
from p2pcards.errors import BadSignature, Malformed
from p2pcards.wire.codec import decode, encode
from p2pcards.wire.messages import (
    DOMAIN_CHUNKS,
    DOMAIN_CONTRIBUTION,
    ChunkFrame,
    ChunkHeader,
    HeaderFrame,
    RecordFrame,
    WholeFrame,
)

REMEMBERED = 64
"""Steps of one seat whose chunks are let through. Counted seat by seat, so that nobody can make the
gate forget what another one has announced."""


class RosterGate:
    """Knows who sits at which table. A publish to `seat/k` must be signed by that seat; one to
    `lobby` by the identity that it names; all else by an identity of the roster."""

    def __init__(self) -> None:
        self._rosters: dict[str, list[bytes]] = {}
        self._announced: dict[tuple[str, int], OrderedDict[int, frozenset[bytes]]] = {}

    def admit(self, table: str, keys: list[bytes]) -> None:
        """These identity keys, in seat order, sit at the table with this topic level."""
        self._rosters[table] = keys

    def __call__(self, topic: str, payload: bytes) -> bool:
        """Whether to forward a publish. Malformed ones are nobody's fault and not forwarded."""
        table, _, place = topic.removeprefix("p2pcards/1/").partition("/")
        if place == "lobby" and not payload:
            return True  # takes a retained advert away; the host repeats it if it still holds
        try:
            frame = read_frame(payload)
            if isinstance(frame, RecordFrame):
                return self._is_record_welcome(table, place, frame)
            level, _, seat = place.partition("/")
            roster = self._rosters.get(table, [])
            if level != "seat" or not seat.isdecimal() or int(seat) >= len(roster):
                return False
            return self._is_contribution(table, int(seat), roster[int(seat)], frame)
        except (Malformed, BadSignature):
            return False

    def _is_record_welcome(self, table: str, place: str, frame: RecordFrame) -> bool:
        if place != "lobby" and frame.key not in self._rosters.get(table, []):
            return False
        read_record(frame)
        return True

    def _is_contribution(
        self, table: str, seat: int, key: bytes, frame: WholeFrame | HeaderFrame | ChunkFrame
    ) -> bool:
        match frame:
            case WholeFrame(envelope):
                contribution = read_contribution(encode(envelope))
                check_signature(
                    key, DOMAIN_CONTRIBUTION, contribution.packed, contribution.signature
                )
                return contribution.seat == seat
            case HeaderFrame(packed, signature):
                check_signature(key, DOMAIN_CHUNKS, packed, signature)
                header = decode(ChunkHeader, packed)
                if header.seat != seat:
                    return False
                announced = self._announced.setdefault((table, seat), OrderedDict())
                announced[header.step] = frozenset(header.hashes)
                announced.move_to_end(header.step)
                if len(announced) > REMEMBERED:
                    announced.popitem(last=False)
                return True
            case ChunkFrame(chunk_seat, step):
                steps = self._announced.get((table, seat), OrderedDict())
                return chunk_seat == seat and frame.hash in steps.get(step, ())
