"""Frames and chunks: large contributions in pieces, whoever passes them on, in whatever order."""

from __future__ import annotations

import itertools
from hashlib import sha256
from random import Random

import pytest

from p2pcards.crypto.kernel import RealKernel
from p2pcards.crypto.signing import Identity
from p2pcards.engine import frames
from p2pcards.engine.chain import Contribution, read_contribution
from p2pcards.engine.frames import (
    HEADERS,
    REASSEMBLIES,
    Courier,
    read_frame,
    read_record,
    sign_record,
    write_frame,
)
from p2pcards.errors import Malformed
from p2pcards.testing.cheaters import sign
from p2pcards.testing.network import BAD
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.codec import encode, pack
from p2pcards.wire.messages import (
    CHUNK,
    DOMAIN_CHUNKS,
    DOMAIN_CONTRIBUTION,
    FRAMES,
    MESSAGE_LIMIT,
    Bye,
    ChunkFrame,
    ChunkHeader,
    HeaderFrame,
    Payload,
    RecordFrame,
)
from tests.engine.rooms import check_agreed, room

TABLE = b"T" * 32
AUTHOR, OTHER, STRANGER = (Identity.new(Random(seed).randbytes) for seed in range(3))
KEYS = (AUTHOR.public, OTHER.public)


def contribution(size: int, step: int = 1, seat: int = 0) -> Contribution:
    """A contribution with so many bytes in its body."""
    body = Random(size + step).randbytes(size)
    payload = Payload(1, TABLE, step, TABLE, seat, 4, body)
    return read_contribution(sign((AUTHOR, OTHER)[seat], payload))


def courier() -> Courier:
    """What a peer that knows nothing has."""
    return Courier(TABLE, KEYS)


def take(to: Courier, message: bytes) -> bytes | None:
    """One message in."""
    frame = read_frame(message)
    assert not isinstance(frame, RecordFrame)
    return to.take(frame)


def taken(to: Courier, messages: list[bytes]) -> list[bytes]:
    """The envelopes that come out of some messages."""
    return [envelope for message in messages if (envelope := take(to, message)) is not None]


# --- sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 100, 15_000, 16_000, 16_384, 40_000, 200_000, 255_000])
def test_every_size_arrives(size: int) -> None:
    large = contribution(size)
    messages = courier().messages(large, AUTHOR)
    assert all(len(message) <= MESSAGE_LIMIT for message in messages)
    assert len(messages) == 1 or len(messages) == 1 + -(-len(large.envelope) // CHUNK)
    assert taken(courier(), messages) == [large.envelope]


# [FRAME-1] of protocol.md
def test_a_whole_message_is_as_large_as_it_may_be() -> None:
    """The largest contribution that goes whole, and the next."""
    counts = {len(courier().messages(contribution(size), AUTHOR)) for size in range(16_000, 16_384)}
    assert counts == {1, 3}


# [FRAME-3] of protocol.md
def test_chunks_in_any_order_after_their_header() -> None:
    header, *chunks = courier().messages(contribution(40_000), AUTHOR)
    for order in itertools.permutations(chunks):
        receiver = courier()
        assert take(receiver, header) is None
        assert len(taken(receiver, [order[0], *order])) == 1


# [FRAME-3] of protocol.md
def test_chunks_before_their_header_are_dropped() -> None:
    header, *chunks = courier().messages(contribution(40_000), AUTHOR)
    receiver = courier()
    for chunk in chunks:
        with pytest.raises(Malformed) as caught:
            take(receiver, chunk)
        assert caught.value.code == "malformed.chunk"
    assert len(taken(receiver, [header, *chunks])) == 1


# --- relaying -------------------------------------------------------------------------------------


def test_who_has_it_can_pass_it_on() -> None:
    large = contribution(40_000)
    relay = courier()
    messages = courier().messages(large, AUTHOR)
    assert relay.messages(large) == []
    assert taken(relay, messages) == [large.envelope]
    assert relay.messages(large) == messages
    assert taken(courier(), relay.messages(large)) == [large.envelope]


def test_an_author_can_always_repeat_itself() -> None:
    """The same messages again, also for somebody who has lost its headers."""
    large = contribution(40_000)
    assert courier().messages(large, AUTHOR) == courier().messages(large, AUTHOR)


def headers_of(identity: Identity, large: Contribution, chunk: bytes) -> bytes:
    """A header that announces something else for the same step."""
    header = ChunkHeader(TABLE, large.step, large.seat, len(chunk), (sha256(chunk).digest(),))
    packed = encode(header)
    return write_frame(HeaderFrame(packed, identity.sign(DOMAIN_CHUNKS, packed)))


# [FRAME-4] of protocol.md
def test_a_header_that_is_never_fulfilled_keeps_nothing_out() -> None:
    """A seat cannot shut itself up to one peer by a header, and leave that peer waiting for
    what all others have."""
    large = contribution(40_000)
    receiver = courier()
    take(receiver, headers_of(AUTHOR, large, b"nothing"))
    assert taken(receiver, courier().messages(large, AUTHOR)) == [large.envelope]


def test_two_signatures_of_one_payload_are_passed_on_each_with_its_own_header() -> None:
    """A relay that has one envelope does not announce it by the other's header."""
    large = contribution(40_000)
    tampered = read_contribution(large.envelope[:-1] + bytes((large.envelope[-1] ^ 1,)))
    relay = courier()
    taken(relay, courier().messages(large, AUTHOR))
    taken(relay, courier().messages(tampered, AUTHOR))
    assert taken(courier(), relay.messages(large)) == [large.envelope]
    assert taken(courier(), relay.messages(tampered)) == [tampered.envelope]


# --- bounds ---------------------------------------------------------------------------------------


# [FRAME-4] of protocol.md
def test_reassemblies_are_bounded() -> None:
    """The oldest goes, and what is announced again stays longest."""
    receiver = courier()
    larges = [contribution(40_000, step) for step in range(10, 10 + REASSEMBLIES + 1)]
    messages = [courier().messages(large, AUTHOR) for large in larges]
    for header, *_ in [*messages[:-1], messages[0], messages[-1]]:
        take(receiver, header)
    assert len(receiver._open) == REASSEMBLIES
    for number, (large, (_, *chunks)) in enumerate(zip(larges, messages, strict=True)):
        if number == 1:
            with pytest.raises(Malformed):
                take(receiver, chunks[0])
        else:
            assert taken(receiver, chunks) == [large.envelope]


def test_headers_of_far_steps_keep_nothing_out() -> None:
    """Not even if only one peer has got them and others pass on what it lacks."""
    receiver = courier()
    for step in range(2**32 - 2 * REASSEMBLIES, 2**32):
        take(receiver, headers_of(AUTHOR, contribution(0, step), b"never sent"))
    large = contribution(40_000)
    assert taken(receiver, courier().messages(large, AUTHOR)) == [large.envelope]


def test_one_seat_does_not_push_out_another() -> None:
    receiver = courier()
    mine = contribution(40_000, 1, seat=1)
    header, *chunks = courier().messages(mine, OTHER)
    take(receiver, header)
    for step in range(2, 30):
        take(receiver, courier().messages(contribution(40_000, step), AUTHOR)[0])
    assert taken(receiver, chunks) == [mine.envelope]


def test_kept_headers_are_bounded() -> None:
    """Also those of a seat that fills memory with contributions to steps that do not exist."""
    receiver = courier()
    for number in range(HEADERS + 5):
        chunk = number.to_bytes(4, "big")
        take(receiver, headers_of(AUTHOR, contribution(0, number), b"never sent"))
        take(receiver, headers_of(AUTHOR, contribution(0, number), chunk))
        assert take(receiver, write_frame(ChunkFrame(0, number, chunk))) == chunk
    assert [len(kept) for kept in receiver._headers] == [HEADERS, 0]
    assert len(receiver._open) <= REASSEMBLIES


# [FRAME-2] of protocol.md
@pytest.mark.parametrize(
    "header, code",
    [
        (ChunkHeader(b"U" * 32, 1, 0, 20, (bytes(32),)), "malformed.table"),
        (ChunkHeader(TABLE, 1, 2, 20, (bytes(32),)), "malformed.table"),
        (ChunkHeader(TABLE, 1, 1, 20, (bytes(32),)), "malformed.signature"),
        (ChunkHeader(TABLE, 1, 0, 20, ()), "malformed.size"),
        (ChunkHeader(TABLE, 1, 0, 0, (bytes(32),)), "malformed.size"),
        (ChunkHeader(TABLE, 1, 0, CHUNK + 1, (bytes(32),)), "malformed.size"),
        (ChunkHeader(TABLE, 1, 0, CHUNK, (bytes(32),) * 2), "malformed.size"),
        (ChunkHeader(TABLE, 1, 0, 2**32 - 1, (bytes(32),) * 18), "malformed.size"),
    ],
)
def test_headers_that_are_none(header: ChunkHeader, code: str) -> None:
    packed = encode(header)
    message = write_frame(HeaderFrame(packed, AUTHOR.sign(DOMAIN_CHUNKS, packed)))
    with pytest.raises(Malformed) as caught:
        take(courier(), message)
    assert caught.value.code == code


# [FRAME-2] of protocol.md
def test_a_header_is_signed_as_one() -> None:
    packed = encode(ChunkHeader(TABLE, 1, 0, 20, (bytes(32),)))
    for signature in (
        AUTHOR.sign(DOMAIN_CONTRIBUTION, packed),
        STRANGER.sign(DOMAIN_CHUNKS, packed),
        bytes(64),
    ):
        with pytest.raises(Malformed):
            take(courier(), write_frame(HeaderFrame(packed, signature)))


# [FRAME-3] of protocol.md
def test_a_length_that_its_chunks_do_not_have() -> None:
    chunk = b"c" * 100
    packed = encode(ChunkHeader(TABLE, 1, 0, 101, (sha256(chunk).digest(),)))
    receiver = courier()
    take(receiver, write_frame(HeaderFrame(packed, AUTHOR.sign(DOMAIN_CHUNKS, packed))))
    with pytest.raises(Malformed):
        take(receiver, write_frame(ChunkFrame(0, 1, chunk)))
    assert receiver._open == {}


# [FRAME-1] of protocol.md
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc0",
        bytes(MESSAGE_LIMIT + 1),
        pack((len(FRAMES), b"")),
        pack((-1,)),
        pack((0,)),
        pack((0, b"")),
        pack((0, (b"", bytes(63)))),
        pack((2, 0, 0, bytes(CHUNK + 1))),
        pack((2, 256, 0, b"")),
        pack((0, (b"", bytes(64)))) + b"\0",
    ],
)
def test_messages_that_are_no_frames(data: bytes) -> None:
    with pytest.raises(Malformed):
        read_frame(data)


# --- records --------------------------------------------------------------------------------------


# [FRAME-5] of protocol.md
def test_a_record_is_signed_by_the_key_it_names() -> None:
    frame = read_frame(sign_record(AUTHOR, Bye(b"p" * 8, finished=True)))
    assert isinstance(frame, RecordFrame)
    assert read_record(frame) == Bye(b"p" * 8, finished=True)
    for wrong in (
        RecordFrame(frame.record, OTHER.public, frame.signature),
        RecordFrame(frame.record + b"\0", frame.key, frame.signature),
        RecordFrame(frame.record, frame.key, AUTHOR.sign(DOMAIN_CONTRIBUTION, frame.record)),
        RecordFrame(frame.record, bytes(32), frame.signature),
        RecordFrame(b"", frame.key, AUTHOR.sign(b"p2pcards/1 record", b"")),
    ):
        with pytest.raises(Malformed):
            read_record(wrong)


# --- whole matches --------------------------------------------------------------------------------


def test_a_match_in_small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """All mixes travel in a dozen chunks, through loss and reordering."""
    monkeypatch.setattr(frames, "CHUNK", 600)
    monkeypatch.setattr(frames, "MESSAGE_LIMIT", 1000)
    network = room("bazaar", 3, OpenKernel(), 8, weather=BAD)
    network.run()
    check_agreed(network)
    largest = max(len(message) for node in network.nodes for _, message in node.sent)
    assert largest <= 1000
    assert any(
        isinstance(read_frame(message), HeaderFrame)
        for node in network.nodes
        for _, message in node.sent
    )


def test_two_packs_are_more_than_a_message() -> None:
    """104 real masks and their proof."""
    network = room("bazaar", 2, RealKernel(), 8, options={"pack": "double"})
    network.run()
    match = check_agreed(network)
    assert max(len(envelope) for envelope in match.chain.envelopes()) > MESSAGE_LIMIT
