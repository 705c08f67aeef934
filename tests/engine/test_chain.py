"""The chain by itself: what an offered envelope is, what is kept, and what convicts."""

from __future__ import annotations

from random import Random

import pytest

from p2pcards.crypto.signing import Identity
from p2pcards.engine import chain as chain_module
from p2pcards.engine.chain import (
    AHEAD,
    Chain,
    Offer,
    next_head,
    pack_envelope,
    read_contribution,
)
from p2pcards.errors import Malformed, SeatFault
from p2pcards.testing.cheaters import sign
from p2pcards.wire.codec import MAX_BYTES, Plain, encode
from p2pcards.wire.messages import DOMAIN_CHUNKS, DOMAIN_CONTRIBUTION, VERSION, Kind, Payload

TABLE = b"T" * 32
IDENTITIES = [Identity.new(Random(seat).randbytes) for seat in range(3)]
EVERYONE = frozenset(range(3))


@pytest.fixture
def chain() -> Chain:
    return new_chain()


def new_chain() -> Chain:
    """A chain of three seats at step 0."""
    return Chain(TABLE, [identity.public for identity in IDENTITIES])


def envelope(
    seat: int,
    step: int,
    prev: bytes,
    body: Plain = (),
    *,
    kind: Kind = Kind.AGREE,
    table: bytes = TABLE,
    version: int = VERSION,
    signer: int | None = None,
) -> bytes:
    """Any payload, signed by its seat unless another signer is named."""
    payload = Payload(version, table, step, prev, seat, int(kind), body)
    return sign(IDENTITIES[seat if signer is None else signer], payload)


def sit(chain: Chain, *seats: int) -> None:
    """Seats contribute to step 0."""
    for seat in seats:
        offer, _ = chain.offer(envelope(seat, 0, TABLE, kind=Kind.SIT))
        assert offer is Offer.TAKEN


def begun() -> Chain:
    """A chain at step 1, where all owe an agreement."""
    chain = new_chain()
    sit(chain, 0, 1, 2)
    assert chain.close(Kind.AGREE, EVERYONE) == []
    return chain


# --- what is dropped ------------------------------------------------------------------------------


# [CHAIN-6] of protocol.md
@pytest.mark.parametrize(
    "data, code",
    [
        (envelope(0, 0, TABLE, kind=Kind.SIT, table=b"U" * 32), "malformed.table"),
        (envelope(0, 0, TABLE, kind=Kind.SIT, version=2), "malformed.version"),
        (envelope(0, 0, TABLE, kind=Kind.SIT, signer=1), "malformed.signature"),
        (sign(IDENTITIES[0], Payload(1, TABLE, 0, TABLE, 3, 0, ())), "malformed.seat"),
        (
            sign(IDENTITIES[0], Payload(1, TABLE, 0, TABLE, 0, 0, ()), DOMAIN_CHUNKS),
            "malformed.signature",
        ),
        (
            pack_envelope(encode(Payload(1, TABLE, 0, TABLE, 0, 0, ())), bytes(64)),
            "malformed.signature",
        ),
        (pack_envelope(b"", bytes(64)), "malformed.msgpack"),
        (pack_envelope(b"\xc0", bytes(64)), "malformed.field"),
        (pack_envelope(encode((1, 2)), bytes(64)), "malformed.field"),
        (b"", "malformed.msgpack"),
        (bytes(MAX_BYTES + 257), "malformed.long"),
    ],
)
def test_nobodys_fault(chain: Chain, data: bytes, code: str) -> None:
    with pytest.raises(Malformed) as caught:
        chain.offer(data)
    assert caught.value.code == code
    assert chain.missing == EVERYONE
    assert chain.at(0) == ()


def test_every_bit_of_an_envelope_counts(chain: Chain) -> None:
    good = envelope(1, 0, TABLE, kind=Kind.SIT)
    for bit in range(8 * len(good)):
        place, shift = divmod(bit, 8)
        wrong = good[:place] + bytes((good[place] ^ 1 << shift,)) + good[place + 1 :]
        with pytest.raises(Malformed):
            chain.offer(wrong)
    assert chain.offer(good)[0] is Offer.TAKEN


# --- what is taken --------------------------------------------------------------------------------


def test_one_contribution_a_seat_and_step(chain: Chain) -> None:
    sit(chain, 2)
    assert chain.missing == {0, 1}
    assert chain.offer(envelope(2, 0, TABLE, kind=Kind.SIT))[0] is Offer.KNOWN
    with pytest.raises(ValueError, match="lacks seats"):
        chain.close(Kind.AGREE, EVERYONE)


# [CHAIN-1] of protocol.md
def test_the_log_is_in_order_of_step_and_seat(chain: Chain) -> None:
    sit(chain, 2, 0, 1)
    chain.close(Kind.AGREE, EVERYONE)
    log = [read_contribution(data) for data in chain.envelopes()]
    assert [(c.step, c.seat) for c in log] == [(0, 0), (0, 1), (0, 2)]
    assert chain.head == next_head(TABLE, [c.hash for c in log])


# [CHAIN-3] of protocol.md
def test_order_of_arrival_changes_no_head() -> None:
    one, other = new_chain(), new_chain()
    sit(one, 0, 1, 2)
    sit(other, 2, 1, 0)
    one.close(Kind.AGREE, EVERYONE)
    other.close(Kind.AGREE, EVERYONE)
    assert one.head == other.head


# [CHAIN-3] of protocol.md
def test_a_second_signature_is_no_second_contribution(chain: Chain) -> None:
    """Heads and the duplicate test cover payloads: who signs twice cannot split the heads."""
    sit(chain, 0)
    first = chain.at(0)[0]
    again = pack_envelope(first.packed, b"\1" * 64)
    offer, known = chain.offer(again)
    assert offer is Offer.KNOWN
    assert known.signature == first.signature
    assert read_contribution(again).hash == first.hash


# [CHAIN-1] of protocol.md
def test_heads_differ_by_any_payload(chain: Chain) -> None:
    heads = {next_head(TABLE, hashes) for hashes in ([], [TABLE], [TABLE, TABLE], [b"a" * 32])}
    assert len(heads) == 4
    assert next_head(b"a" * 32, [TABLE]) != next_head(TABLE, [b"a" * 32])


# --- what convicts --------------------------------------------------------------------------------


# [CHAIN-4] of protocol.md
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize(
    "second",
    [
        envelope(1, 0, TABLE, (1,), kind=Kind.SIT),
        envelope(1, 0, TABLE, kind=Kind.AGREE),
        envelope(1, 0, b"x" * 32, kind=Kind.SIT),
    ],
    ids=["body", "kind", "prev"],
)
def test_equivocation(chain: Chain, second: bytes, closed: bool) -> None:
    sit(chain, 0, 1, 2)
    first = chain.find(0, 1)
    assert first is not None
    if closed:
        chain.close(Kind.AGREE, EVERYONE)
    for _ in range(2):
        with pytest.raises(SeatFault) as caught:
            chain.offer(second)
        fault = caught.value
        assert (fault.seat, fault.step, fault.code) == (1, 0, "chain.equivocation")
        assert fault.evidence == (first.envelope, second)
    assert chain.find(0, 1) is first


# [CHAIN-4] of protocol.md
def test_equivocation_ahead_of_us(chain: Chain) -> None:
    assert chain.offer(envelope(1, 5, b"a" * 32))[0] is Offer.EARLY
    assert chain.offer(envelope(1, 5, b"a" * 32))[0] is Offer.KNOWN
    with pytest.raises(SeatFault) as caught:
        chain.offer(envelope(1, 5, b"b" * 32))
    assert (caught.value.code, caught.value.step) == ("chain.equivocation", 5)


# [CHAIN-6] of protocol.md
def test_nobody_is_convicted_by_another_key(chain: Chain) -> None:
    sit(chain, 1)
    with pytest.raises(Malformed):
        chain.offer(envelope(1, 0, TABLE, (1,), kind=Kind.SIT, signer=0))


# [CHAIN-7] of protocol.md
def test_contributing_out_of_turn() -> None:
    chain = begun()
    for seat in EVERYONE:
        chain.offer(envelope(seat, 1, chain.head))
    chain.close(Kind.MIXED, frozenset({0}))
    for _ in range(2):
        with pytest.raises(SeatFault) as caught:
            chain.offer(envelope(2, 2, chain.head, kind=Kind.MIXED))
        assert (caught.value.seat, caught.value.step) == (2, 2)
        assert caught.value.code == "chain.not_author"
    chain.offer(envelope(0, 2, chain.head, kind=Kind.MIXED))
    head = chain.head
    chain.close(Kind.AGREE, EVERYONE)
    with pytest.raises(SeatFault) as caught:
        chain.offer(envelope(2, 2, head, kind=Kind.MIXED))
    assert caught.value.code == "chain.not_author"


# [CHAIN-7] of protocol.md
def test_another_kind() -> None:
    chain = begun()
    with pytest.raises(SeatFault) as caught:
        chain.offer(envelope(2, 1, chain.head, kind=Kind.SHARES))
    assert (caught.value.code, caught.value.seat) == ("chain.kind", 2)
    assert chain.missing == EVERYONE


@pytest.mark.parametrize("kind", [0, 11, 12, 13, 255])
def test_unknown_kinds(kind: int) -> None:
    chain = begun()
    payload = Payload(VERSION, TABLE, 1, chain.head, 0, kind, ())
    with pytest.raises(SeatFault) as caught:
        chain.offer(sign(IDENTITIES[0], payload))
    assert caught.value.code == "chain.kind"


# [CHAIN-6] of protocol.md
def test_another_history_is_nobodys_fault() -> None:
    chain = begun()
    assert chain.offer(envelope(0, 1, b"f" * 32))[0] is Offer.FOREIGN
    assert chain.missing == EVERYONE
    assert chain.find(1, 0) is None
    assert chain.offer(envelope(0, 1, chain.head))[0] is Offer.TAKEN


# --- what is kept for later -----------------------------------------------------------------------


# [CHAIN-5] of protocol.md
def test_early_contributions_come_back_when_their_step_opens(chain: Chain) -> None:
    sit(chain, 0, 1)
    third = envelope(2, 0, TABLE, kind=Kind.SIT)
    hashes = [read_contribution(e).hash for e in (chain.at(0)[0].envelope, chain.at(0)[1].envelope)]
    head = next_head(TABLE, [*hashes, read_contribution(third).hash])
    early, later = envelope(0, 1, head), envelope(1, 2, b"l" * 32)
    assert chain.offer(early)[0] is Offer.EARLY
    assert chain.offer(later)[0] is Offer.EARLY
    chain.offer(third)
    assert chain.close(Kind.AGREE, EVERYONE) == [early]
    assert chain.find(1, 0) is None
    assert chain.offer(early)[0] is Offer.TAKEN
    assert chain.find(2, 1) is not None


# [CHAIN-5] of protocol.md
def test_early_steps_are_bounded(chain: Chain) -> None:
    assert chain.offer(envelope(0, AHEAD, TABLE))[0] is Offer.EARLY
    for step in (AHEAD + 1, 2**32 - 1):
        with pytest.raises(Malformed) as caught:
            chain.offer(envelope(0, step, TABLE))
        assert caught.value.code == "malformed.ahead"


# [CHAIN-5] of protocol.md
def test_early_bytes_are_bounded_for_each_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = new_chain()
    size = len(envelope(0, 1, TABLE, bytes(100)))
    monkeypatch.setattr(chain_module, "EARLY_BYTES", 3 * size)
    for step in (1, 2, 3):
        assert chain.offer(envelope(0, step, TABLE, bytes(100)))[0] is Offer.EARLY
    with pytest.raises(Malformed):
        chain.offer(envelope(0, 4, TABLE, bytes(100)))
    assert chain.offer(envelope(1, 4, TABLE, bytes(100)))[0] is Offer.EARLY
    # room comes back with the step
    sit(chain, 0, 1, 2)
    chain.close(Kind.AGREE, EVERYONE)
    assert chain.offer(envelope(0, 4, TABLE, bytes(100)))[0] is Offer.EARLY


# [CHAIN-1] of protocol.md
def test_a_payload_names_what_is_open() -> None:
    chain = begun()
    payload = chain.payload(2, Kind.AGREE, ())
    assert payload == Payload(VERSION, TABLE, 1, chain.head, 2, int(Kind.AGREE), ())
    signature = IDENTITIES[2].sign(DOMAIN_CONTRIBUTION, encode(payload))
    assert chain.offer(pack_envelope(encode(payload), signature))[0] is Offer.TAKEN
