"""Every record that travels: what is written is read again, and nothing that does not fit is."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pcards.errors import Malformed
from p2pcards.wire import messages
from p2pcards.wire.codec import (
    MAX_BYTES,
    decode,
    encode,
    from_plain,
    from_tagged,
    pack,
    to_plain,
    to_tagged,
    unpack,
)
from tests.wire.schema import PLAIN, RECORDS, bounds, example, fields, misfit_records, records

every_record = pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)


@every_record
@settings(max_examples=25)
@given(data=st.data())
def test_what_is_written_is_read_again(record: type[Any], data: st.DataObject) -> None:
    written = data.draw(records(record))
    read = decode(record, encode(written))
    assert read == written
    assert encode(read) == encode(written)


@every_record
def test_a_small_example_fits(record: type[Any]) -> None:
    assert decode(record, encode(example(record))) == example(record)


# [BYTES-4] of protocol.md
@every_record
def test_nothing_else_fits(record: type[Any]) -> None:
    count = 0
    for misfit in misfit_records(record):
        count += 1
        with pytest.raises(Malformed):
            from_plain(record, misfit)
    assert count > 2 * len(fields(record))


@every_record
def test_a_record_is_an_array(record: type[Any]) -> None:
    for value in (None, 1, True, b"", "", b"\1" * 32):
        with pytest.raises(Malformed):
            from_plain(record, value)


@every_record
def test_bytes_end_with_the_record(record: type[Any]) -> None:
    packed = encode(example(record))
    for wrong in (packed + b"\xc0", packed[:-1] if len(packed) > 1 else b"", b"\x91" + packed):
        with pytest.raises(Malformed):
            decode(record, wrong)


# [BYTES-4] of protocol.md
@every_record
def test_every_length_is_bounded(record: type[Any]) -> None:
    """No field of bytes, text or several things goes without a bound of its own, but for what the
    message around it bounds: the body of a payload, a move, and the value of an option."""
    free = {("Payload", "body"), ("Move", "move"), ("Setting", "value")}
    for name, hint in fields(record).items():
        b = bounds(hint)
        if (record.__name__, name) in free or b.kind in (int, bool):
            continue
        is_record = dataclasses.is_dataclass(b.kind) or b.kind == messages.Move | None
        assert is_record or b.size is not None or b.upto is not None, (record, name)


@settings(max_examples=300)
@given(st.sampled_from(RECORDS), PLAIN)
def test_any_value_is_a_record_or_malformed(record: type[Any], value: Any) -> None:
    try:
        read = from_plain(record, value)
    except Malformed:
        return
    assert to_plain(read) == value


@settings(max_examples=300)
@given(st.sampled_from(RECORDS), st.data())
def test_one_altered_byte(record: type[Any], data: st.DataObject) -> None:
    """It is another record of the same type, or malformed; never the same record."""
    written = data.draw(records(record))
    packed = encode(written)
    place = data.draw(st.integers(0, len(packed) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != packed[place]))
    try:
        read = decode(record, packed[:place] + bytes((other,)) + packed[place + 1 :])
    except Malformed:
        return
    assert encode(read) != packed


# --- one of several types -------------------------------------------------------------------------


@pytest.mark.parametrize("kinds", [messages.FRAMES, messages.RECORDS], ids=["frames", "records"])
def test_tagged_records(kinds: tuple[type[Any], ...]) -> None:
    for tag, kind in enumerate(kinds):
        written = example(kind)
        plain = to_tagged(written, kinds)
        assert isinstance(plain, tuple)
        assert plain[0] == tag
        assert from_tagged(unpack(pack(plain)), kinds) == written


@pytest.mark.parametrize("value", [None, 0, b"\0", "0", (), ((0,),)])
def test_untagged(value: Any) -> None:
    with pytest.raises(Malformed):
        from_tagged(value, messages.FRAMES)


# [BYTES-4] of protocol.md
@pytest.mark.parametrize("tag", [-1, len(messages.FRAMES), 2**40, True, False, None, b"\0", "0"])
def test_tags(tag: Any) -> None:
    with pytest.raises(Malformed) as caught:
        from_tagged((tag, *fields(messages.WholeFrame)), messages.FRAMES)
    assert caught.value.code == "malformed.tag"


def test_the_code_says_what_is_wrong() -> None:
    codes = set()
    for record in RECORDS:
        for misfit in misfit_records(record):
            with pytest.raises(Malformed) as caught:
                from_plain(record, misfit)
            codes.add(caught.value.code)
    assert codes == {"malformed.field", "malformed.size", "malformed.range"}


def test_an_option_keeps_its_type() -> None:
    for value in (True, 1, "1", None, 0, False):
        read = decode(messages.Setting, encode(messages.Setting("n", value)))
        assert type(read.value) is type(value)
    for other in ("n", b"1"), ("n", (1,)):
        with pytest.raises(Malformed):
            from_plain(messages.Setting, other)


def test_a_large_contribution_fits_its_bounds() -> None:
    """108 masks with a proof at the largest are within what a contribution may have."""
    body = messages.Mixed((bytes(66),) * 108, bytes(22_000))
    payload = messages.Payload(1, bytes(32), 2**32 - 1, bytes(32), 255, 4, to_plain(body))
    assert len(encode(payload)) < MAX_BYTES
    assert decode(messages.Payload, encode(payload)) == payload
