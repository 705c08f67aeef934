"""MQTT 3.1.1 control packets as the embedded broker's guard reads and writes them.

Pure functions from bytes to records and back, stricter than most brokers: QoS 0 and 1 only, no
wills, topics and filters of the fixed alphabet of protocol.md section 10.4. Knows no sockets, no
tables and no broker; anything it does not like is `Malformed`, and the connection that sent it is
closed. Section numbers in the comments are those of the OASIS standard MQTT Version 3.1.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from p2pcards.errors import Malformed

MESSAGE_LIMIT = 16 * 1024
"""Bytes of one message of ours on the wire, at most (the smallest default cap among brokers in
use is 20,480 bytes); anything larger travels in chunks."""

MESSAGE_SLACK = 1024
"""Bytes above `MESSAGE_LIMIT` that are still let through, so that the exact bound is judged in one
place (by whoever decodes the message), not on the way."""

PACKET_LIMIT = 64 * 1024
"""Bytes of one control packet, at most. Four messages: room for a long SUBSCRIBE, no more."""

FILTERS_LIMIT = 64
"""Topic filters in one SUBSCRIBE or UNSUBSCRIBE, at most."""

CONNECT, PUBLISH, PUBACK = 1, 3, 4
SUBSCRIBE, UNSUBSCRIBE, PINGREQ, DISCONNECT = 8, 10, 12, 14

BAD_PROTOCOL, BAD_IDENTIFIER, NOT_AUTHORIZED = 1, 2, 5
"""CONNACK return codes (table 3.1)."""

_LEVEL = "[a-z0-9-]{1,64}"
_TOPIC = re.compile(rf"p2pcards/1(?:/{_LEVEL}){{1,6}}")
_FILTER = re.compile(rf"p2pcards/1(?=/)(?:/(?:{_LEVEL}|\+)){{0,6}}(?:/#)?")
_IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{0,64}")


class Unwelcome(Malformed):
    """A well-formed CONNECT that we refuse; `answer` is the CONNACK return code."""

    code = "mqtt.unwelcome"

    def __init__(self, answer: int, detail: str) -> None:
        super().__init__(detail=detail)
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Connect:
    """A client that asks to be let in. `client_id` may be empty; `keepalive` in seconds, or 0."""

    client_id: str
    keepalive: int


@dataclass(frozen=True, slots=True)
class Publish:
    """A message for others. `packet_id` is 0 at QoS 0; `topic` has no wildcard and no NUL."""

    topic: str
    payload: bytes
    packet_id: int
    retain: bool


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Filters asked for (or given up), at least one."""

    packet_id: int
    filters: tuple[str, ...]


def is_topic(topic: str) -> bool:
    """True of the topics that p2pcards publishes to: `p2pcards/1/...`, no wildcard."""
    return _TOPIC.fullmatch(topic) is not None


def is_filter(filter_: str) -> bool:
    """True of the filters that a peer may subscribe to: below `p2pcards/1/`, wildcards allowed."""
    return _FILTER.fullmatch(filter_) is not None


class _Body:
    """Reads the fields of one packet's body from front to back."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0

    def take(self, length: int) -> bytes:
        end = self._at + length
        if end > len(self._body):
            raise Malformed("mqtt.packet", "a field is longer than its packet")
        piece = self._body[self._at : end]
        self._at = end
        return piece

    def number(self, length: int) -> int:
        return int.from_bytes(self.take(length), "big")

    def binary(self) -> bytes:
        return self.take(self.number(2))

    def text(self) -> str:
        try:
            text = self.binary().decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed("mqtt.packet", "a string is not UTF-8") from None
        if "\0" in text:
            raise Malformed("mqtt.packet", "a string has a NUL")
        return text

    def packet_id(self) -> int:
        number = self.number(2)
        if number == 0:
            raise Malformed("mqtt.packet", "packet identifier 0")
        return number

    def rest(self) -> bytes:
        return self.take(len(self._body) - self._at)

    def left(self) -> int:
        return len(self._body) - self._at

    def end(self) -> None:
        if self.left():
            raise Malformed("mqtt.packet", "bytes after the last field")


def parse_connect(body: bytes) -> Connect:
    """The CONNECT of a client (section 3.1); user name and password are read and forgotten.

    Raises `Unwelcome` for another protocol level, an identifier that is not ours, or a will (a
    will would be published without passing the gate; peers say goodbye themselves).
    """
    fields = _Body(body)
    if fields.text() != "MQTT":
        raise Malformed("mqtt.packet", "not the MQTT protocol")
    if fields.number(1) != 4:
        raise Unwelcome(BAD_PROTOCOL, "only MQTT 3.1.1 is spoken here")
    flags = fields.number(1)
    if flags & 0x01:
        raise Malformed("mqtt.packet", "reserved CONNECT flag")
    keepalive = fields.number(2)
    client_id = fields.text()
    if flags & 0x3C:
        raise Unwelcome(NOT_AUTHORIZED, "wills are not taken")
    if flags & 0x40 and not flags & 0x80:
        raise Malformed("mqtt.packet", "a password without a user name")
    if flags & 0x80:
        fields.text()
    if flags & 0x40:
        fields.binary()
    fields.end()
    if _IDENTIFIER.fullmatch(client_id) is None or not (client_id or flags & 0x02):
        raise Unwelcome(BAD_IDENTIFIER, "a client identifier that is not ours")
    return Connect(client_id, keepalive)


def parse_publish(flags: int, body: bytes) -> Publish:
    """A PUBLISH at QoS 0 or 1 (section 3.3); `flags` are the low four bits of the first byte."""
    qos = flags >> 1 & 3
    if qos > 1:
        raise Malformed("mqtt.packet", "QoS 0 and 1 only")
    fields = _Body(body)
    topic = fields.text()
    if not topic or "#" in topic or "+" in topic or topic.startswith("$"):
        raise Malformed("mqtt.packet", "not a topic to publish to")
    packet_id = fields.packet_id() if qos else 0
    return Publish(topic, fields.rest(), packet_id, bool(flags & 1))


def parse_subscribe(flags: int, body: bytes) -> Subscribe:
    """A SUBSCRIBE (section 3.8); the QoS asked for is checked and forgotten."""
    packet_id, fields = _filters(flags, body)
    filters = []
    while fields.left():
        filters.append(fields.text())
        if fields.number(1) > 2:
            raise Malformed("mqtt.packet", "no such QoS")
    return Subscribe(packet_id, _bounded(filters))


def parse_unsubscribe(flags: int, body: bytes) -> Subscribe:
    """An UNSUBSCRIBE (section 3.10)."""
    packet_id, fields = _filters(flags, body)
    filters = []
    while fields.left():
        filters.append(fields.text())
    return Subscribe(packet_id, _bounded(filters))


def _filters(flags: int, body: bytes) -> tuple[int, _Body]:
    if flags != 2:
        raise Malformed("mqtt.packet", "reserved flags of SUBSCRIBE or UNSUBSCRIBE")
    fields = _Body(body)
    return fields.packet_id(), fields


def _bounded(filters: list[str]) -> tuple[str, ...]:
    if not 0 < len(filters) <= FILTERS_LIMIT or not all(filters):
        raise Malformed("mqtt.packet", "no filters, too many, or an empty one")
    return tuple(filters)


def check_puback(flags: int, body: bytes) -> None:
    """A PUBACK (section 3.4). Ours are never waited for; malformed ones still end a connection."""
    fields = _Body(body)
    fields.packet_id()
    fields.end()
    check_bare(flags, b"")


def check_bare(flags: int, body: bytes) -> None:
    """PINGREQ and DISCONNECT have neither flags nor a body (sections 3.12, 3.14)."""
    if flags or body:
        raise Malformed("mqtt.packet", "flags or a body where there are none")


def _packet(kind: int, flags: int, body: bytes) -> bytes:
    length, header = len(body), bytearray([kind << 4 | flags])
    while True:
        length, digit = divmod(length, 128)
        header.append(digit | (0x80 if length else 0))
        if not length:
            return bytes(header) + body


def _string(text: str) -> bytes:
    encoded = text.encode("utf-8")
    return len(encoded).to_bytes(2, "big") + encoded


def connect(client_id: str) -> bytes:
    """A CONNECT with a clean session, no keepalive and no will; the user name is a dummy."""
    head = _string("MQTT") + bytes([4, 0x82]) + bytes(2)
    return _packet(CONNECT, 0, head + _string(client_id) + _string("peer"))


def connack(code: int) -> bytes:
    """The answer to a CONNECT: 0, or why not."""
    return bytes([0x20, 2, 0, code])


def publish(message: Publish) -> bytes:
    """The same message at QoS 0."""
    return _packet(PUBLISH, int(message.retain), _string(message.topic) + message.payload)


def puback(packet_id: int) -> bytes:
    """The acknowledgement of a PUBLISH at QoS 1."""
    return _packet(PUBACK, 0, packet_id.to_bytes(2, "big"))


def subscribe(request: Subscribe) -> bytes:
    """The same request at QoS 0."""
    filters = b"".join(_string(filter_) + b"\0" for filter_ in request.filters)
    return _packet(SUBSCRIBE, 2, request.packet_id.to_bytes(2, "big") + filters)


def unsubscribe(request: Subscribe) -> bytes:
    """The same request, in canonical form."""
    filters = b"".join(_string(filter_) for filter_ in request.filters)
    return _packet(UNSUBSCRIBE, 2, request.packet_id.to_bytes(2, "big") + filters)
