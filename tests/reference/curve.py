"""secp256k1 and transcripts in plain integers, after sections 3.1 and 4.1 of protocol.md.

The second implementation that keeps the first honest: nothing of p2pcards is imported, and nothing
here is quick. A point is (x, y, z) in Jacobian coordinates; z = 0 is infinity.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

Point = tuple[int, int, int]

FIELD = 2**256 - 2**32 - 977
L = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G: Point = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
    1,
)
INFINITY: Point = (1, 1, 0)


class Refused(Exception):
    """The bytes do not say what they claim."""


def need(condition: bool, what: str) -> None:
    """Refuses unless the condition holds."""
    if not condition:
        raise Refused(what)


def sha(data: bytes) -> bytes:
    """SHA-256."""
    return hashlib.sha256(data).digest()


def sha512(data: bytes) -> bytes:
    """SHA-512."""
    return hashlib.sha512(data).digest()


# --- points ---------------------------------------------------------------------------------------


def double(a: Point) -> Point:
    """a + a."""
    if a[2] == 0:
        return a
    y2 = a[1] * a[1] % FIELD
    s, m = 4 * a[0] * y2 % FIELD, 3 * a[0] * a[0] % FIELD
    x = (m * m - 2 * s) % FIELD
    return x, (m * (s - x) - 8 * y2 * y2) % FIELD, 2 * a[1] * a[2] % FIELD


def plus(a: Point, b: Point) -> Point:
    """a + b."""
    if a[2] == 0:
        return b
    if b[2] == 0:
        return a
    z1, z2 = a[2] * a[2] % FIELD, b[2] * b[2] % FIELD
    u1, u2 = a[0] * z2 % FIELD, b[0] * z1 % FIELD
    s1, s2 = a[1] * z2 * b[2] % FIELD, b[1] * z1 * a[2] % FIELD
    h, r = (u2 - u1) % FIELD, (s2 - s1) % FIELD
    if h == 0:
        return double(a) if r == 0 else INFINITY
    h2 = h * h % FIELD
    h3, v = h * h2 % FIELD, u1 * h2 % FIELD
    x = (r * r - h3 - 2 * v) % FIELD
    return x, (r * (v - x) - s1 * h3) % FIELD, h * a[2] * b[2] % FIELD


def total(*points: Point) -> Point:
    """The sum of any number of points."""
    result = INFINITY
    for point in points:
        result = plus(result, point)
    return result


def negative(a: Point) -> Point:
    """-a."""
    return a[0], -a[1] % FIELD, a[2]


def minus(a: Point, b: Point) -> Point:
    """a - b."""
    return plus(a, negative(b))


def times(k: int, a: Point) -> Point:
    """k a, by doubling and adding."""
    result = INFINITY
    for bit in f"{k % L:b}":
        result = double(result)
        if bit == "1":
            result = plus(result, a)
    return result


def encode(a: Point) -> bytes:
    """33 bytes; infinity has no encoding."""
    need(a[2] != 0, "infinity")
    inverse = pow(a[2], -1, FIELD)
    x, y = a[0] * inverse**2 % FIELD, a[1] * inverse**3 % FIELD
    return bytes([2 + (y & 1)]) + x.to_bytes(32, "big")


@cache
def decode(data: bytes) -> Point:
    """The point of 33 bytes."""
    need(len(data) == 33 and data[0] in (2, 3), "not a compressed point")
    x = int.from_bytes(data[1:], "big")
    need(x < FIELD, "x is too large")
    y2 = (x**3 + 7) % FIELD
    y = pow(y2, (FIELD + 1) // 4, FIELD)
    need(y * y % FIELD == y2, "not on the curve")
    return x, y if y & 1 == data[0] & 1 else FIELD - y, 1


def scalar(data: bytes) -> int:
    """1 <= k < L from 32 bytes."""
    need(len(data) == 32, "a scalar has 32 bytes")
    k = int.from_bytes(data, "big")
    need(0 < k < L, "not a canonical scalar")
    return k


def scalars(data: bytes) -> list[int]:
    """One scalar for each 32 bytes."""
    return [scalar(data[i : i + 32]) for i in range(0, len(data), 32)]


_CONSTANTS = json.loads(
    (Path(__file__).parent.parent / "vectors" / "constants.json").read_text(encoding="utf-8")
)
P: list[Point] = [INFINITY, *(decode(bytes.fromhex(text)) for text in _CONSTANTS["P"])]
"""The attribute generators, P[1] to P[4]."""
H: list[Point] = [decode(bytes.fromhex(text)) for text in _CONSTANTS["H"]]
"""The shuffle generators from H[0]."""


# --- transcripts and contexts ---------------------------------------------------------------------


class Transcript:
    """Section 4.1: one SHA-512 over labelled items."""

    def __init__(self, name: str) -> None:
        self._hash = hashlib.sha512()
        self._item(0, "P2PCARDS-V1", name.encode())

    def _item(self, kind: int, label: str, data: bytes) -> None:
        head = bytes([kind, len(label)]) + label.encode()
        self._hash.update(head + len(data).to_bytes(4, "big") + data)

    def put(self, label: str, data: bytes) -> None:
        """One string."""
        self._item(1, label, data)

    def put_all(self, label: str, items: Sequence[bytes]) -> None:
        """A list of strings of one width."""
        width = len(items[0]) if items else 0
        head = len(items).to_bytes(4, "big") + width.to_bytes(4, "big")
        self._item(2, label, head + b"".join(items))

    def _ask(self, kind: int, label: str, data: bytes) -> bytes:
        self._item(kind, label, data)
        digest = self._hash.digest()
        self._item(5, label, digest)
        return digest

    def scalar(self, label: str) -> int:
        """A challenge."""
        return int.from_bytes(self._ask(3, label, b""), "big") % L

    def vector(self, label: str, n: int) -> list[int]:
        """n challenges."""
        seed = self._ask(4, label, n.to_bytes(4, "big"))
        return [int.from_bytes(sha512(seed + i.to_bytes(4, "big")), "big") % L for i in range(n)]


def context(proof: str, table: bytes, step: int, prev: bytes, seat: int, index: int = 0) -> bytes:
    """The 95 bytes of a proof's context."""
    return (
        b"\1"
        + proof.encode().ljust(16, b"\0")
        + table
        + step.to_bytes(8, "big")
        + prev
        + seat.to_bytes(2, "big")
        + index.to_bytes(4, "big")
    )
