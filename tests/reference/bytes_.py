"""Canonical values, records, the labelled hash and the file container, after protocol.md, sections
1, 2.2, 2.3 and 12.1. Nothing of p2pcards is imported, and no MessagePack library either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

LARGEST = 262_144
LARGEST_ENVELOPE = 262_400
MOST_ITEMS = 4096
MOST_ARRAYS = 8


class Malformed(Exception):
    """Bytes that mean nothing, which is nobody's provable fault."""


def sha256(data: bytes) -> bytes:
    """32 bytes."""
    return hashlib.sha256(data).digest()


def sha512(data: bytes) -> bytes:
    """64 bytes."""
    return hashlib.sha512(data).digest()


# --- values ---------------------------------------------------------------------------------------

# First byte of each form with a longer head: how many bytes follow it that hold the number.
_UNSIGNED = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
_SIGNED = {0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_BYTES = {0xC4: 1, 0xC5: 2, 0xC6: 4}
_TEXT = {0xD9: 1, 0xDA: 2, 0xDB: 4}
_ARRAY = {0xDC: 2, 0xDD: 4}


def encode(value: object) -> bytes:
    """The one encoding of a value; `TypeError` and `OverflowError` are errors of the caller."""
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return _encode_int(value)
        case bytes():
            return _head(len(value), None, _BYTES) + value
        case str():
            data = value.encode()
            return _head(len(data), (0xA0, 32), _TEXT) + data
        case list() | tuple():
            return _head(len(value), (0x90, 16), _ARRAY) + b"".join(map(encode, value))
        case _:
            raise TypeError(type(value).__name__)


def _head(number: int, short: tuple[int, int] | None, forms: dict[int, int]) -> bytes:
    if short is not None and number < short[1]:
        return bytes([short[0] + number])
    for first, width in forms.items():
        if number < 256**width:
            return bytes([first]) + number.to_bytes(width, "big")
    raise OverflowError(number)


def _encode_int(value: int) -> bytes:
    if value >= 0:
        return _head(value, (0, 128), _UNSIGNED)
    if value >= -32:
        return bytes([256 + value])
    for first, width in _SIGNED.items():
        if value >= -(256**width) // 2:
            return bytes([first]) + value.to_bytes(width, "big", signed=True)
    raise OverflowError(value)


def decode(data: bytes, bound: int = LARGEST) -> Any:
    """The value, if these bytes are its one encoding and within the bounds; else `Malformed`."""
    if len(data) > bound:
        raise Malformed("too long")
    value, end = _decode(data, 0, 0)
    if end != len(data):
        raise Malformed("bytes after the value")
    if encode(value) != data:
        raise Malformed("not the shortest encoding")
    return value


def _decode(data: bytes, at: int, inside: int) -> tuple[Any, int]:
    """The value that begins at `at`, inside so many arrays, and where it ends."""
    if inside > MOST_ARRAYS:
        raise Malformed("too many arrays in arrays")
    first, at = _take(data, at, 1)[0], at + 1
    if first in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[first], at
    if first < 0x80 or first >= 0xE0:
        return first if first < 0x80 else first - 256, at
    if first in _UNSIGNED or first in _SIGNED:
        width = _UNSIGNED.get(first) or _SIGNED[first]
        number = _take(data, at, width)
        return int.from_bytes(number, "big", signed=first in _SIGNED), at + width
    if 0x90 <= first < 0xA0 or first in _ARRAY:
        count, at = _count(data, at, first - 0x90, _ARRAY.get(first))
        if count > MOST_ITEMS:
            raise Malformed("too many items")
        items = []
        for _ in range(count):
            item, at = _decode(data, at, inside + 1)
            items.append(item)
        return items, at
    if first in _BYTES:
        count, at = _count(data, at, 0, _BYTES[first])
        return _take(data, at, count), at + count
    if 0xA0 <= first < 0xC0 or first in _TEXT:
        count, at = _count(data, at, first - 0xA0, _TEXT.get(first))
        try:
            return _take(data, at, count).decode(), at + count
        except UnicodeDecodeError:
            raise Malformed("not UTF-8") from None
    raise Malformed(f"first byte {first:02x}")


def _count(data: bytes, at: int, short: int, width: int | None) -> tuple[int, int]:
    if width is None:
        return short, at
    return int.from_bytes(_take(data, at, width), "big"), at + width


def _take(data: bytes, at: int, count: int) -> bytes:
    if at + count > len(data):
        raise Malformed("truncated")
    return data[at : at + count]


def digest(label: str, *values: object) -> bytes:
    """The labelled hash."""
    return sha256(encode([label, *values]))


# --- records --------------------------------------------------------------------------------------

Is = Callable[[Any], bool]
"""Whether a value is of a type."""


def unsigned(bits: int) -> Is:
    """u8, u32, u64."""
    return lambda v: is_int(v) and 0 <= v < 2**bits


def is_int(value: Any) -> bool:
    """An integer; a boolean is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def exactly(n: int) -> Is:
    """bytes[n]."""
    return lambda v: isinstance(v, bytes) and len(v) == n


def at_most(n: int) -> Is:
    """bytes(n)."""
    return lambda v: isinstance(v, bytes) and len(v) <= n


def text(n: int) -> Is:
    """text(n)."""
    return lambda v: isinstance(v, str) and len(v) <= n


def many(item: Is, n: int) -> Is:
    """T*(n)."""
    return lambda v: isinstance(v, list) and len(v) <= n and all(map(item, v))


def record(*fields: Is) -> Is:
    """An array of exactly these fields."""
    return lambda v: (
        isinstance(v, list)
        and len(v) == len(fields)
        and all(is_field(item) for is_field, item in zip(fields, v, strict=True))
    )


def or_nil(item: Is) -> Is:
    """T?"""
    return lambda v: v is None or item(v)


def anything(_value: Any) -> bool:
    """any."""
    return True


HASH = KEY = SCALAR = exactly(32)
POINT, MASK, SIGNATURE = exactly(33), exactly(66), exactly(64)
SETTING = record(text(40), lambda v: v is None or isinstance(v, bool | int | str))
PLAYER = record(KEY, text(40), HASH)
DRAFT = record(
    unsigned(8), exactly(8), unsigned(32), text(40), many(SETTING, 40), many(SETTING, 40),
    many(PLAYER, 20),
)  # fmt: skip
ENVELOPE = record(at_most(LARGEST), SIGNATURE)
PAYLOAD = record(unsigned(8), HASH, unsigned(32), HASH, unsigned(8), unsigned(8), anything)

SIT, AGREE, KEY_COMMIT, KEY_OPEN, MIXED, SHARES, MOVE, COMMIT, REVEAL, GIVEN, OPEN = range(11)
_SHARES = record(many(POINT, 256), at_most(64))
_GIVEN = record(MASK, at_most(96))
_MOVE = record(anything, _SHARES, at_most(LARGEST), many(_GIVEN, 32))
BODIES: dict[int, Is] = {
    SIT: record(at_most(8192), many(HASH, 20)),
    AGREE: record(),
    KEY_COMMIT: record(HASH, HASH),
    KEY_OPEN: record(POINT, exactly(64)),
    MIXED: record(many(MASK, 108), at_most(LARGEST)),
    SHARES: _SHARES,
    MOVE: _MOVE,
    COMMIT: record(HASH),
    REVEAL: record(exactly(32), or_nil(_MOVE)),
    GIVEN: _GIVEN,
    OPEN: record(SCALAR, exactly(32)),
}


def read(data: bytes, shape: Is, bound: int = LARGEST) -> list[Any]:
    """The record of this shape in these bytes; else `Malformed`."""
    value: list[Any] = decode(data, bound)
    if not shape(value):
        raise Malformed("not the record it should be")
    return value


def envelopes(data: bytes, magic: bytes) -> Iterator[bytes]:
    """The envelopes in a file with this magic (7 bytes)."""
    if data[:8] != magic + b"\x01":
        raise Malformed("magic or version")
    at = 8
    while at < len(data):
        length = int.from_bytes(_take(data, at, 4), "big")
        if length > LARGEST_ENVELOPE:
            raise Malformed("an envelope is too long")
        yield _take(data, at + 4, length)
        at += 4 + length


def joined(numbers: Sequence[int], width: int) -> bytes:
    """Unsigned integers of one width, big-endian, one after the other."""
    return b"".join(number.to_bytes(width, "big") for number in numbers)
