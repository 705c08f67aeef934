"""Commitments, tosses and mix seeds: the documented bytes, put together by hand."""

from hashlib import sha256, sha512
from math import factorial

import msgpack
import pytest

from p2pcards.crypto.transcript import Context
from p2pcards.engine.match import commitment, mix_seed, toss_result
from p2pcards.wire.codec import Plain

TABLE, PREV = bytes([1]) * 32, bytes([2]) * 32
NONCES = {2: bytes([12]) * 32, 0: bytes([10]) * 32, 1: bytes([11]) * 32}


def packed(*values: object) -> bytes:
    """What the labelled hash is of."""
    data = msgpack.packb(list(values), use_bin_type=True)
    assert isinstance(data, bytes)
    return data


# [COMMIT-1] of protocol.md
@pytest.mark.parametrize("move", [None, (0, 3), (2,)], ids=str)
def test_a_commitment_is_the_documented_hash(move: Plain) -> None:
    """Of the context of 95 bytes, the tagged move or nil, and the nonce."""
    ctx = Context(TABLE, 7, PREV, 3)
    where = b"\1commit" + bytes(10) + TABLE + (7).to_bytes(8, "big") + PREV + b"\0\3" + bytes(4)
    expected = sha256(packed("commit", where, move, NONCES[0])).digest()
    assert commitment(ctx, move, NONCES[0]) == expected


@pytest.mark.parametrize(
    "ctx",
    [
        Context(PREV, 7, PREV, 3),
        Context(TABLE, 8, PREV, 3),
        Context(TABLE, 7, TABLE, 3),
        Context(TABLE, 7, PREV, 2),
    ],
)
def test_a_commitment_is_of_one_seat_and_step(ctx: Context) -> None:
    """So that a copied one opens for nobody else."""
    assert commitment(ctx, None, NONCES[0]) != commitment(
        Context(TABLE, 7, PREV, 3), None, NONCES[0]
    )


# [COMMIT-2] of protocol.md
@pytest.mark.parametrize("sides", [2, 7, factorial(52)])
def test_a_toss_is_the_documented_number(sides: int) -> None:
    """All nonces in the order of seats, whatever the order they came in."""
    wide = sha512(packed("toss", TABLE, 9, [NONCES[0], NONCES[1], NONCES[2]])).digest()
    assert toss_result(TABLE, 9, NONCES, sides) == int.from_bytes(wide, "big") % sides


# [MIX-1] of protocol.md
def test_a_mix_seed_is_the_documented_hash() -> None:
    assert mix_seed(PREV, 300) == sha256(packed("mix", PREV, 300)).digest()
