"""One value, one encoding: the public msgpack vectors, and bytes that want to be large or deep."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pcards.errors import Malformed
from p2pcards.wire.codec import MAX_BYTES, MAX_DEPTH, MAX_ITEMS, Plain, digest, pack, unpack
from p2pcards.wire.messages import MESSAGE_LIMIT
from tests.wire.schema import LEAVES, PLAIN

SUITE = Path(__file__).parents[1] / "vectors" / "msgpack_test_suite.json"
OURS = ("nil", "bool", "binary", "bignum", "number", "string", "array")
"""Kinds of the suite that can travel; maps, floats, timestamps and extensions cannot."""

FLOATS = (0xCA, 0xCB)
"""First bytes of encodings that are never read, though a number may be short in them."""


def suite() -> list[tuple[str, dict[str, Any]]]:
    """Every case of the suite with the group that it stands in."""
    groups: dict[str, list[dict[str, Any]]] = json.loads(SUITE.read_text("utf-8"))
    return [(group, case) for group, cases in groups.items() for case in cases]


def frozen(value: Any) -> Any:
    """Lists as tuples."""
    return tuple(frozen(item) for item in value) if isinstance(value, list) else value


def meant(case: dict[str, Any]) -> Plain:
    """The plain value of a case that can travel."""
    if "binary" in case:
        return bytes.fromhex(case["binary"].replace("-", ""))
    if "bignum" in case:
        return int(case["bignum"])
    value: Plain = frozen(next(case[kind] for kind in OURS if kind in case))
    return value


def can_travel(value: Any) -> bool:
    """Whether a value of the suite has no map or fraction in it."""
    if isinstance(value, list):
        return all(can_travel(item) for item in value)
    return not isinstance(value, dict | float)


def encodings(case: dict[str, Any]) -> list[bytes]:
    """The encodings of a case, the shortest first."""
    return [bytes.fromhex(text.replace("-", "")) for text in case["msgpack"]]


TRAVELS = [
    case
    for _, case in suite()
    if any(kind in case for kind in OURS) and all(can_travel(v) for v in case.values())
]
OTHERS = [case for _, case in suite() if case not in TRAVELS]


def test_the_suite_is_there() -> None:
    assert (len(TRAVELS), len(OTHERS)) == (51, 34)


def is_read(data: bytes) -> bool:
    """Whether these bytes are the encoding of a plain value."""
    try:
        unpack(data)
    except Malformed:
        return False
    return True


# [BYTES-2] of protocol.md
@pytest.mark.parametrize("case", TRAVELS, ids=lambda case: case["msgpack"][0][:24])
def test_one_shortest_encoding_is_read(case: dict[str, Any]) -> None:
    value, known = meant(case), encodings(case)
    ours = pack(value)
    assert [data for data in known if is_read(data)] == [ours]
    assert len(ours) == min(len(data) for data in known if data[0] not in FLOATS)
    assert unpack(ours) == value
    assert type(unpack(ours)) is type(value)


# [BYTES-1] of protocol.md
@pytest.mark.parametrize("case", OTHERS, ids=lambda case: case["msgpack"][0][:24])
def test_what_is_no_plain_value_is_refused(case: dict[str, Any]) -> None:
    for encoding in encodings(case):
        with pytest.raises(Malformed):
            unpack(encoding)
        with pytest.raises(Malformed):
            unpack(b"\x91" + encoding)


@given(PLAIN)
def test_what_is_packed_is_read_again(value: Plain) -> None:
    assert unpack(pack(value)) == value


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_malformed(data: bytes) -> None:
    try:
        value = unpack(data)
    except Malformed:
        return
    assert pack(value) == data


# [BYTES-2] of protocol.md
@given(PLAIN, st.binary(min_size=1, max_size=3))
def test_nothing_may_follow(value: Plain, more: bytes) -> None:
    with pytest.raises(Malformed):
        unpack(pack(value) + more)


@given(PLAIN, st.data())
def test_nothing_may_be_missing(value: Plain, data: st.DataObject) -> None:
    packed = pack(value)
    with pytest.raises(Malformed):
        unpack(packed[: data.draw(st.integers(0, len(packed) - 1))])


@pytest.mark.parametrize(
    "text", [b"\xa1\xff", b"\xa2\xc3\x28", b"\xa3\xed\xa0\x80", b"\xa2\xc0\x80"]
)
def test_strings_are_utf8(text: bytes) -> None:
    with pytest.raises(Malformed):
        unpack(text)


# --- large and deep -------------------------------------------------------------------------------


def nested(depth: int) -> bytes:
    """nil inside so many arrays."""
    return b"\x91" * depth + b"\xc0"


# [BYTES-3] of protocol.md
def test_depth() -> None:
    assert unpack(nested(MAX_DEPTH)) is not None
    with pytest.raises(Malformed) as caught:
        unpack(nested(MAX_DEPTH + 1))
    assert caught.value.code == "malformed.deep"


@pytest.mark.parametrize("depth", [500, 1_000, 2_000, 10_000, 100_000])
def test_very_deep(depth: int) -> None:
    with pytest.raises(Malformed):
        unpack(nested(depth))


# [BYTES-3] of protocol.md
def test_array_length() -> None:
    assert unpack(b"\xdc" + MAX_ITEMS.to_bytes(2, "big") + b"\xc0" * MAX_ITEMS) is not None
    with pytest.raises(Malformed):
        unpack(b"\xdc" + (MAX_ITEMS + 1).to_bytes(2, "big") + b"\xc0" * (MAX_ITEMS + 1))


CLAIMS = {
    "binary": b"\xc6\x04\x00\x00\x00",
    "string": b"\xdb\x04\x00\x00\x00",
    "array": b"\xdd\x04\x00\x00\x00",
    "map": b"\xdf\x04\x00\x00\x00",
    "extension": b"\xc9\x04\x00\x00\x00\x01",
}
"""Headers that announce 64 million bytes or items."""


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
@pytest.mark.parametrize("before", [b"", b"\x91", b"\x92\xc0"], ids=["alone", "inside", "second"])
def test_a_claim_takes_no_memory(claim: bytes, before: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(Malformed):
            unpack(before + claim + b"\0" * 100)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


# [BYTES-3] of protocol.md
def test_size_is_looked_at_first() -> None:
    """A message of 64 MiB is refused before any of it is read."""
    huge = b"\xc6" + (64 * 2**20).to_bytes(4, "big") + bytes(64 * 2**20)
    tracemalloc.start()
    try:
        with pytest.raises(Malformed) as caught:
            unpack(huge, MESSAGE_LIMIT)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.code == "malformed.long"
    assert peak < 100_000


def test_the_limit_is_exact() -> None:
    body = MAX_BYTES - 5
    assert unpack(pack(bytes(body))) == bytes(body)
    with pytest.raises(Malformed):
        unpack(pack(bytes(body + 1)))


def test_many_small_items_are_bounded() -> None:
    """The most objects that a message can make of its bytes: arrays of arrays of nil."""
    inner = b"\xdc" + MAX_ITEMS.to_bytes(2, "big") + b"\xc0" * MAX_ITEMS
    count = (MAX_BYTES - 3) // len(inner)
    tracemalloc.start()
    try:
        unpack(b"\xdc" + count.to_bytes(2, "big") + inner * count)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000


# --- the labelled hash ----------------------------------------------------------------------------


# [BYTES-5] of protocol.md
@given(st.text(max_size=5), st.lists(LEAVES, max_size=3), st.text(max_size=5), st.lists(LEAVES))
def test_digest_is_unambiguous(
    label: str, values: list[Plain], other_label: str, others: list[Plain]
) -> None:
    def told_apart(items: list[Plain]) -> list[tuple[type, Plain]]:
        return [(type(item), item) for item in items]

    same = label == other_label and told_apart(values) == told_apart(others)
    assert (digest(label, *values) == digest(other_label, *others)) == same


@pytest.mark.parametrize(
    "one, other",
    [
        ((b"ab", b"c"), (b"a", b"bc")),
        ((b"ab",), (b"a", b"b")),
        ((b"ab",), ("ab",)),
        ((1,), (True,)),
        ((0,), (None,)),
        ((0,), (False,)),
        (((1, 2), 3), (1, (2, 3))),
        (((1, 2),), (1, 2)),
        ((), ((),)),
    ],
)
def test_digest_of_look_alikes(one: tuple[Plain, ...], other: tuple[Plain, ...]) -> None:
    assert digest("t", *one) != digest("t", *other)
    assert digest("t", *one) != digest("u", *one)
