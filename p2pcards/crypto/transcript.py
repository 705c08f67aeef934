"""Fiat-Shamir transcripts and proof contexts: bytes in, challenges and nonces out.

Knows no curve but the order of the group, and no proof. protocol.md section 4.

A transcript is one SHA-512 over items, each

    kind (1 byte) | length of label (1 byte) | label (ASCII) | length of data (4 bytes) | data

with all integers big-endian and unsigned. Kinds and data:

    00  start     label "P2PCARDS-V1", data = the name of the protocol (ASCII)
    01  put       data as given
    02  put_all   data = count (4 bytes) | width (4 bytes) | count strings of that width
    03  scalar    data empty
    04  vector    data = n (4 bytes)
    05  answer    data = 64 bytes, the digest just given out
    06  secret    data = the prover's secret; only on a fork
    07  fresh     data = 32 random bytes; only on a fork

Asking for a scalar appends item 03, takes the digest d of everything so far, appends item 05 with d
under the same label, and gives d mod L (as a big-endian integer). Asking for a vector does the same
with item 04, and gives SHA-512(d | i as 4 bytes) mod L for i = 0 .. n-1. The bias is below 2^-256;
a result of zero has no chance in practice and is not treated apart.

Nonces (merlin's transcript RNG): copy the state, append items 06 and 07 with label "nonce", take
the digest d; nonce number i = 0, 1, ... is SHA-512(d | i as 8 bytes) mod L, zeros passed over. The
transcript itself does not change. So a nonce depends on the statement, on all that was sent before,
on the secret and on fresh randomness: a generator that repeats itself repeats no nonce under
another statement, and a restored machine repeats none under the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha512
from typing import Final

from p2pcards.crypto.group import L, Rng

PROOF_VERSION: Final = 1

_START, _PUT, _PUT_ALL, _SCALAR, _VECTOR, _ANSWER, _SECRET, _FRESH = range(8)
_FRESH_SIZE = 32


@dataclass(frozen=True, slots=True)
class Context:
    """Where in a match a proof stands; the same bytes are in every proof made there.

    `table` and `prev` (the head of the chain before the contribution) are 32 bytes; `index` counts
    the proofs inside one contribution. All of it is public.
    """

    table: bytes
    step: int
    prev: bytes
    seat: int
    index: int = 0

    def pack(self, proof: str) -> bytes:
        """95 bytes: version 1 | proof name 16 | table 32 | step 8 | prev 32 | seat 2 | index 4.

        The name is 1 to 16 ASCII characters, filled up with zero bytes on the right; integers are
        big-endian.
        """
        name = proof.encode("ascii")
        if not 1 <= len(name) <= 16 or len(self.table) != 32 or len(self.prev) != 32:
            raise ValueError("a context field has the wrong length")
        return b"".join(
            (
                PROOF_VERSION.to_bytes(1, "big"),
                name.ljust(16, b"\0"),
                self.table,
                self.step.to_bytes(8, "big"),
                self.prev,
                self.seat.to_bytes(2, "big"),
                self.index.to_bytes(4, "big"),
            )
        )


class Nonces:
    """A stream of secret scalars from one fork of a transcript; never shown, never stored."""

    __slots__ = ("_count", "_seed")

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._count = 0

    def __repr__(self) -> str:
        return "Nonces(<secret>)"

    def scalar(self) -> int:
        """The next secret scalar, 1 <= k < L."""
        while True:
            digest = sha512(self._seed + self._count.to_bytes(8, "big")).digest()
            self._count += 1
            k = int.from_bytes(digest, "big") % L
            if k:
                return k

    def scalars(self, n: int) -> list[int]:
        """The next n secret scalars."""
        return [self.scalar() for _ in range(n)]


class Transcript:
    """One run of one protocol; see the module for the bytes."""

    __slots__ = ("_hash",)

    def __init__(self, label: str) -> None:
        self._hash = sha512()
        self._item(_START, "P2PCARDS-V1", label.encode("ascii"))

    @classmethod
    def start(cls, label: str) -> Transcript:
        """A transcript of the protocol of that name."""
        return cls(label)

    def put(self, label: str, data: bytes) -> None:
        """Absorb one string."""
        self._item(_PUT, label, data)

    def put_all(self, label: str, items: Sequence[bytes]) -> None:
        """Absorb a list of strings of equal length as one item."""
        width = len(items[0]) if items else 0
        data = b"".join(items)
        if any(len(item) != width for item in items):
            raise ValueError("strings of different lengths under one label")
        head = len(items).to_bytes(4, "big") + width.to_bytes(4, "big")
        self._item(_PUT_ALL, label, head + data)

    def scalar(self, label: str) -> int:
        """A challenge, 0 <= c < L."""
        return int.from_bytes(self._ask(_SCALAR, label, b""), "big") % L

    def vector(self, label: str, n: int) -> list[int]:
        """n challenges, 0 <= u_i < L."""
        seed = self._ask(_VECTOR, label, n.to_bytes(4, "big"))
        return [
            int.from_bytes(sha512(seed + i.to_bytes(4, "big")).digest(), "big") % L
            for i in range(n)
        ]

    def fork_rng(self, secret: bytes, rng: Rng) -> Nonces:
        """A source of nonces bound to all that was absorbed, to `secret` and to 32 fresh bytes."""
        fresh = rng(_FRESH_SIZE)
        if len(fresh) != _FRESH_SIZE:
            raise ValueError("rng gave the wrong number of bytes")
        state = self._hash.copy()
        state.update(_encode(_SECRET, "nonce", secret) + _encode(_FRESH, "nonce", fresh))
        return Nonces(state.digest())

    def _item(self, kind: int, label: str, data: bytes) -> None:
        self._hash.update(_encode(kind, label, data))

    def _ask(self, kind: int, label: str, data: bytes) -> bytes:
        self._item(kind, label, data)
        digest = self._hash.digest()
        self._item(_ANSWER, label, digest)
        return digest


@cache
def _head(kind: int, label: str) -> bytes:
    """How an item begins; labels are few, and none comes from outside."""
    name = label.encode("ascii")
    return bytes((kind, len(name))) + name


def _encode(kind: int, label: str, data: bytes) -> bytes:
    return _head(kind, label) + len(data).to_bytes(4, "big") + data
