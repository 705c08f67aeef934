"""The embedded broker's gate: what somebody with a seat has signed passes, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from p2pcards.crypto.signing import Identity
from p2pcards.engine.chain import pack_envelope, read_contribution
from p2pcards.engine.frames import Courier, sign_record, write_frame
from p2pcards.net.gate import REMEMBERED, RosterGate
from p2pcards.testing.network import seeded_bytes
from p2pcards.wire.codec import decode, encode
from p2pcards.wire.messages import (
    DOMAIN_CHUNKS,
    DOMAIN_CONTRIBUTION,
    VERSION,
    Agree,
    Alive,
    Bye,
    ChunkFrame,
    ChunkHeader,
    Envelope,
    FaultReport,
    HeaderFrame,
    Kind,
    Knock,
    Mixed,
    Payload,
    Player,
    Proposal,
    Want,
    WholeFrame,
)

PLACE = bytes(range(8))
TABLE = PLACE.hex()
ROOT = f"p2pcards/1/{TABLE}"
MATCH = bytes(32)
_rng = random.Random(7)
SEATED = [Identity.new(seeded_bytes(_rng)) for _ in range(3)]
STRANGER = Identity.new(seeded_bytes(_rng))
KEYS = [identity.public for identity in SEATED]


def signed(identity: Identity, seat: int, body: object = Agree(), step: int = 1) -> bytes:
    """An envelope that says it is of a seat."""
    kind = Kind.MIXED if isinstance(body, Mixed) else Kind.AGREE
    packed = encode(Payload(VERSION, MATCH, step, MATCH, seat, int(kind), body))
    return pack_envelope(packed, identity.sign(DOMAIN_CONTRIBUTION, packed))


def whole(envelope: bytes) -> bytes:
    """The message of a small envelope."""
    return write_frame(WholeFrame(decode(Envelope, envelope)))


def chunked(identity: Identity, seat: int, step: int = 1) -> list[bytes]:
    """The messages of a large contribution: the header first."""
    masks = tuple(bytes((step, i, seat)) * 22 for i in range(52))
    courier = Courier(MATCH, tuple(KEYS))
    envelope = signed(identity, seat, Mixed(masks, bytes(30_000)), step)
    return courier.messages(read_contribution(envelope), identity)


@pytest.fixture(name="gate")
def _gate() -> RosterGate:
    gate = RosterGate()
    gate.admit(TABLE, KEYS)
    return gate


# --- the lobby ------------------------------------------------------------------------------------


# [NET-5] of protocol.md
def test_anybody_may_speak_in_the_lobby_in_its_own_name() -> None:
    gate = RosterGate()
    player = Player(STRANGER.public, "eve", bytes(32))
    message = sign_record(STRANGER, Knock(PLACE, player))
    assert gate(f"{ROOT}/lobby", message)
    gate.admit(TABLE, KEYS)
    assert gate(f"{ROOT}/lobby", message)  # or a latecomer could not be told


def test_a_retained_advert_may_be_taken_away_and_nothing_else_may_be_empty(
    gate: RosterGate,
) -> None:
    assert gate(f"{ROOT}/lobby", b"")
    for place in ("seat/0", "alive/0", "want", "fault", "lobby/more", ""):
        assert not gate(f"{ROOT}/{place}", b"")


def test_unsigned_and_senseless_records_stay_outside(gate: RosterGate) -> None:
    good = sign_record(STRANGER, Bye(PLACE, False))
    for message in (good[:-1], good + b"\0", good[:-1] + b"\0", b"\xc1", b"\x90", bytes(20_000)):
        assert not gate(f"{ROOT}/lobby", message)


def test_a_contribution_has_no_business_in_the_lobby(gate: RosterGate) -> None:
    assert not gate(f"{ROOT}/lobby", whole(signed(SEATED[0], 0)))


# --- records of the table -------------------------------------------------------------------------


# [NET-5] of protocol.md
@pytest.mark.parametrize("place", ["alive/0", "want", "fault", "chat"])
def test_records_of_the_table_are_for_those_who_sit_there(gate: RosterGate, place: str) -> None:
    records = [
        Alive(PLACE, 3, MATCH),
        Want(PLACE, 3, (1,), 1),
        FaultReport(PLACE, 3, 1, "key.reused"),
    ]
    for record in records:
        assert gate(f"{ROOT}/{place}", sign_record(SEATED[1], record))
        assert not gate(f"{ROOT}/{place}", sign_record(STRANGER, record))
        assert not gate(f"p2pcards/1/{bytes(8).hex()}/{place}", sign_record(SEATED[1], record))


def test_before_the_roster_is_known_only_the_lobby_is_open() -> None:
    gate = RosterGate()
    assert not gate(f"{ROOT}/alive/0", sign_record(SEATED[0], Alive(PLACE, 3, MATCH)))
    assert not gate(f"{ROOT}/seat/0", whole(signed(SEATED[0], 0)))
    gate.admit(TABLE, KEYS)
    assert gate(f"{ROOT}/seat/0", whole(signed(SEATED[0], 0)))
    gate.admit(TABLE, [STRANGER.public])
    assert not gate(f"{ROOT}/seat/0", whole(signed(SEATED[0], 0)))


# --- contributions --------------------------------------------------------------------------------


# [NET-5] of protocol.md
def test_a_seat_speaks_for_itself_alone(gate: RosterGate) -> None:
    for seat, identity in enumerate(SEATED):
        assert gate(f"{ROOT}/seat/{seat}", whole(signed(identity, seat)))
        for other in {0, 1, 2} - {seat}:
            assert not gate(f"{ROOT}/seat/{other}", whole(signed(identity, seat)))
            assert not gate(f"{ROOT}/seat/{seat}", whole(signed(identity, other)))
            assert not gate(f"{ROOT}/seat/{other}", whole(signed(identity, other)))
        assert not gate(f"{ROOT}/seat/{seat}", whole(signed(STRANGER, seat)))


def test_a_contribution_may_be_relayed_by_anybody_unchanged(gate: RosterGate) -> None:
    envelope = signed(SEATED[0], 0)
    assert gate(f"{ROOT}/seat/0", whole(envelope))
    assert gate(f"{ROOT}/seat/0", whole(envelope))
    read = decode(Envelope, envelope)
    flipped = replace(read, signature=bytes([read.signature[0] ^ 1]) + read.signature[1:])
    assert not gate(f"{ROOT}/seat/0", write_frame(WholeFrame(flipped)))
    other = signed(SEATED[0], 0, step=2)
    swapped = replace(read, payload=decode(Envelope, other).payload)
    assert not gate(f"{ROOT}/seat/0", write_frame(WholeFrame(swapped)))


# [NET-5] of protocol.md
@pytest.mark.parametrize(
    "place",
    ["seat/3", "seat/-1", "seat/", "seat", "seat/0/1", "seat/x", "seat/00000", "seat/²", "wants"],
)
def test_there_are_no_other_places(gate: RosterGate, place: str) -> None:
    """`00000` and the like are accepted only where they mean a seat, whose signature counts."""
    envelope = whole(signed(SEATED[2], 2))
    assert not gate(f"{ROOT}/{place}", envelope)


# [NET-5] of protocol.md
def test_another_domain_is_no_contribution(gate: RosterGate) -> None:
    packed = encode(Payload(VERSION, MATCH, 1, MATCH, 0, int(Kind.AGREE), Agree()))
    envelope = pack_envelope(packed, SEATED[0].sign(DOMAIN_CHUNKS, packed))
    assert not gate(f"{ROOT}/seat/0", whole(envelope))


# --- chunks ---------------------------------------------------------------------------------------


def test_chunks_pass_after_their_header(gate: RosterGate) -> None:
    header, *chunks = chunked(SEATED[1], 1)
    assert len(chunks) > 1
    assert not any(gate(f"{ROOT}/seat/1", chunk) for chunk in chunks)
    assert gate(f"{ROOT}/seat/1", header)
    assert all(gate(f"{ROOT}/seat/1", chunk) for chunk in chunks)
    assert not any(gate(f"{ROOT}/seat/0", chunk) for chunk in chunks)


# [NET-5] of protocol.md
def test_chunks_that_no_header_lists_stay_outside(gate: RosterGate) -> None:
    header, *_ = chunked(SEATED[1], 1)
    assert gate(f"{ROOT}/seat/1", header)
    for frame in (ChunkFrame(1, 1, b"x"), ChunkFrame(1, 2, b"x"), ChunkFrame(0, 1, b"x")):
        assert not gate(f"{ROOT}/seat/1", write_frame(frame))


def headers() -> Iterator[HeaderFrame]:
    """Headers that are not good for seat 1."""
    good = ChunkHeader(MATCH, 1, 1, 10, (bytes(32),))
    packed = encode(good)
    yield HeaderFrame(packed, STRANGER.sign(DOMAIN_CHUNKS, packed))
    yield HeaderFrame(packed, SEATED[0].sign(DOMAIN_CHUNKS, packed))
    yield HeaderFrame(packed, SEATED[1].sign(DOMAIN_CONTRIBUTION, packed))
    yield HeaderFrame(packed + b"\0", SEATED[1].sign(DOMAIN_CHUNKS, packed + b"\0"))
    for bad in (replace(good, seat=0), replace(good, table=b"short")):
        packed = encode(bad)
        yield HeaderFrame(packed, SEATED[1].sign(DOMAIN_CHUNKS, packed))


def test_bad_headers_announce_nothing(gate: RosterGate) -> None:
    for header in headers():
        assert not gate(f"{ROOT}/seat/1", write_frame(header))
    assert not gate(f"{ROOT}/seat/1", write_frame(ChunkFrame(1, 1, b"")))


def test_many_headers_of_one_seat_do_not_displace_those_of_another(gate: RosterGate) -> None:
    header, *chunks = chunked(SEATED[1], 1)
    assert gate(f"{ROOT}/seat/1", header)
    for step in range(2, 2 * REMEMBERED):
        packed = encode(ChunkHeader(MATCH, step, 0, 10, (bytes(32),)))
        frame = HeaderFrame(packed, SEATED[0].sign(DOMAIN_CHUNKS, packed))
        assert gate(f"{ROOT}/seat/0", write_frame(frame))
    assert all(gate(f"{ROOT}/seat/1", chunk) for chunk in chunks)
    assert sum(len(steps) for steps in gate._announced.values()) == REMEMBERED + 1


# --- noise ----------------------------------------------------------------------------------------


# [NET-6] of protocol.md
@pytest.mark.parametrize("seed", range(4))
def test_flipped_bits_and_random_bytes_stay_outside(gate: RosterGate, seed: int) -> None:
    rng = random.Random(seed)
    good = [
        whole(signed(SEATED[1], 1)),
        sign_record(SEATED[1], Alive(PLACE, 3, MATCH)),
        sign_record(SEATED[1], Proposal(PLACE, bytes(500))),
        *chunked(SEATED[1], 1)[1:],
    ]
    header = chunked(SEATED[1], 1)[0]
    assert gate(f"{ROOT}/seat/1", header)
    for _ in range(150):
        message = bytearray(rng.choice([*good, header, rng.randbytes(rng.randrange(1, 300))]))
        message[rng.randrange(len(message))] ^= 1 << rng.randrange(8)
        for place in ("seat/1", "lobby", "alive/1"):
            assert not gate(f"{ROOT}/{place}", bytes(message))


# [NET-6] of protocol.md
def test_deep_nesting_stays_outside(gate: RosterGate) -> None:
    for deep in (b"\x91" * 10_000 + b"\x90", b"\x81\xa1a" * 3_000 + b"\xc0", b"\xdc\xff\xff" * 100):
        for place in ("seat/0", "lobby", "want"):
            assert not gate(f"{ROOT}/{place}", deep)


def test_a_proposal_is_only_as_good_as_its_signature(gate: RosterGate) -> None:
    """What a record says is for those whom it reaches; the gate vouches for who said it."""
    assert gate(f"{ROOT}/lobby", sign_record(STRANGER, Proposal(PLACE, b"nonsense")))
