"""Talk at the table: signed, numbered records beside the log, which no rule ever reads.

Sans-I/O: text in, a message out; a message in, what was said. What a broker repeats or somebody
replays is said once; who talks without a pause is not heard. protocol.md section 10.6.
"""

from __future__ import annotations

from dataclasses import dataclass

from p2pcards.cards.table import Seat
from p2pcards.crypto.signing import Identity
from p2pcards.engine.agreement import Agreement
from p2pcards.engine.events import Send
from p2pcards.engine.frames import read_frame, read_record, sign_record
from p2pcards.errors import Malformed
from p2pcards.wire.messages import Chat, RecordFrame

TOPIC = "chat"
BURST, PAUSE = 8, 1.0
"""So many records of one seat are heard at once; after that one in so many seconds."""


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a seat: `phrase` is a code, `text` free text, one of them empty. `to`: the seats
    that are meant; none: everybody."""

    seat: Seat
    number: int
    phrase: str
    text: str
    to: tuple[Seat, ...]


class Talk:
    """One seat's part in the talk at one table."""

    def __init__(self, agreement: Agreement, identity: Identity) -> None:
        self._agreement = agreement
        self._identity = identity
        self._place = agreement.draft.place
        self._number = 0
        self._heard: dict[Seat, int] = {}
        self._credit: dict[Seat, tuple[float, float]] = {}

    def say(self, phrase: str, text: str, to: tuple[Seat, ...] = ()) -> tuple[Said, Send]:
        """Our words, and the message that carries them. Lengths are the caller's to check: a
        phrase of at most 40 characters or a text of at most 200."""
        seat = self._agreement.seat_of(self._identity.public)
        if seat is None:
            raise ValueError("this identity has no seat at the table")
        self._number += 1
        record = Chat(self._place, self._number, phrase, text, to)
        said = Said(seat, self._number, phrase, text, to)
        return said, Send(TOPIC, sign_record(self._identity, record))

    def take(self, message: bytes, now: float) -> Said | None:
        """What was said, if it is new; None for our own words and what is old. `Malformed` for
        what is no talk of this table."""
        frame = read_frame(message)
        if not isinstance(frame, RecordFrame):
            raise Malformed("malformed.topic", "no record")
        seat = self._agreement.seat_of(frame.key)
        if seat is None:
            raise Malformed("malformed.stranger", "words of somebody without a seat")
        record = read_record(frame)
        if not isinstance(record, Chat) or record.place != self._place:
            raise Malformed("malformed.place", "no talk of this table")
        if bool(record.phrase) == bool(record.text):
            raise Malformed("malformed.field", "a phrase or a text")
        if any(to >= self._agreement.seats for to in record.to):
            raise Malformed("malformed.seat", "words to nobody")
        if frame.key == self._identity.public or record.number <= self._heard.get(seat, 0):
            return None
        self._heard[seat] = record.number
        if not self._has_credit(seat, now):
            raise Malformed("malformed.often", f"seat {seat} talks without a pause")
        return Said(seat, record.number, record.phrase, record.text, record.to)

    def _has_credit(self, seat: Seat, now: float) -> bool:
        credit, since = self._credit.get(seat, (float(BURST), now))
        credit = min(float(BURST), credit + (now - since) / PAUSE)
        allowed = credit >= 1
        self._credit[seat] = (credit - allowed, now)
        return allowed
