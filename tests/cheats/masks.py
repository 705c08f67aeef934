"""Masks altered by hand, on the real curve."""

from __future__ import annotations

from p2pcards.crypto.group import SECP256K1


def plus(point: bytes, k: int) -> bytes:
    """The point and k times the generator."""
    return SECP256K1.encode(SECP256K1.sum([SECP256K1.decode(point), SECP256K1.base(k)]))


def remasked(mask: bytes, key: bytes, k: int) -> bytes:
    """(A + kG, B + kX)."""
    shift = SECP256K1.mul(SECP256K1.decode(key), k)
    b = SECP256K1.encode(SECP256K1.sum([SECP256K1.decode(mask[33:]), shift]))
    return plus(mask[:33], k) + b
