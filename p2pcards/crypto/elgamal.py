"""Cards as points and masks as ciphertexts: encoding, the initial deck, re-masking, stripping.

ElGamal over the group with a linear card encoding. Knows no proof and no rule; what the attributes
of a card mean is the pack's affair. protocol.md section 3.3.

    card   M = a1 P(1) + a2 P(2) + ...       an attribute of 0 contributes nothing
    mask   (A, B) = (rG, M + rX)             66 bytes, A then B, two compressed points
    deck   E_i = (iG, M_i + iX), i = 1..N    public, no two entries equal even where faces are

G, P(1), ..., P(4) have no known relation, so a plaintext has one known representation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final

from p2pcards.crypto.group import MAX_ATTRIBUTES, POINT_SIZE, SECP256K1, P, Point
from p2pcards.errors import BadPoint

Attributes = tuple[int, ...]
"""Up to four small integers >= 0, at least one of them positive."""

Mask = bytes
"""66 bytes: A, B."""

Ciphertext = tuple[Point, Point]
"""A mask, parsed."""

MASK_SIZE: Final = 2 * POINT_SIZE


def decode_mask(mask: Mask) -> Ciphertext:
    """Both points; BadPoint unless the mask is 66 bytes and each half is one."""
    if type(mask) is not bytes or len(mask) != MASK_SIZE:
        raise BadPoint(detail="not a 66-byte mask")
    return SECP256K1.decode(mask[:POINT_SIZE]), SECP256K1.decode(mask[POINT_SIZE:])


def encode_masks(ciphertexts: Iterable[Ciphertext]) -> tuple[Mask, ...]:
    """66 bytes each."""
    halves = SECP256K1.encode_all([point for pair in ciphertexts for point in pair])
    return tuple(map(bytes.__add__, halves[::2], halves[1::2]))


@lru_cache(maxsize=1024)
def _multiple(i: int, value: int) -> Point:
    return SECP256K1.mul(P(i), value)


@lru_cache(maxsize=1024)
def card_point(attributes: Attributes) -> Point:
    """The plaintext of a card; public. ValueError if no attribute is positive."""
    if len(attributes) > MAX_ATTRIBUTES or any(a < 0 for a in attributes) or not any(attributes):
        raise ValueError("a card has up to four attributes >= 0, one of them positive")
    return SECP256K1.sum([_multiple(i, a) for i, a in enumerate(attributes, 1) if a])


@lru_cache(maxsize=64)
def dictionary(faces: tuple[Attributes, ...]) -> Mapping[bytes, Attributes]:
    """From encoded plaintext to attributes, for the faces of a pack; equal ones share an entry."""
    return MappingProxyType({SECP256K1.encode(card_point(face)): face for face in faces})


@cache
def _counter(i: int) -> Point:
    return SECP256K1.base(i)


def initial_deck(key: bytes, faces: Sequence[Attributes]) -> tuple[Mask, ...]:
    """The deck before any shuffle, under the joint key; everybody computes it.

    BadPoint in the freak case that a sum is at infinity, which nobody can bring about without
    knowing a relation of X and the attribute bases.
    """
    x = SECP256K1.decode(key)
    deck = []
    multiple = x
    for i, face in enumerate(faces, 1):
        if i > 1:
            multiple = SECP256K1.sum((multiple, x))
        deck.append((_counter(i), SECP256K1.sum((card_point(face), multiple))))
    return encode_masks(deck)


def remask(key: Point, ciphertext: Ciphertext, r: int) -> Ciphertext:
    """(A + rG, B + rX) for a secret 1 <= r < L: the same card, unlinkable."""
    return SECP256K1.shift(ciphertext, key, r)


def strip(mask: Mask, shares: Sequence[bytes]) -> Mask:
    """(A, B - sum of shares): the mask under the key that remains. BadPoint at infinity."""
    if not shares:
        return mask
    total = SECP256K1.sum([SECP256K1.decode(share) for share in shares])
    b = SECP256K1.decode(mask[POINT_SIZE:])
    return mask[:POINT_SIZE] + SECP256K1.encode(SECP256K1.sum((b, SECP256K1.negate(total))))


def plaintext(mask: Mask, share: bytes) -> bytes:
    """B - D, encoded: a key of `dictionary` if the mask hides a card. BadPoint at infinity."""
    return strip(mask, (share,))[POINT_SIZE:]
