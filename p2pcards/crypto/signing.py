"""Identities: long-lived Ed25519 keys that sign under a domain, and what is refused as one.

Knows nothing of tables, contributions or files. protocol.md section 2.1.

Signed bytes: "P2PCARDS-V1" | length of domain (1 byte) | domain | payload. A signature under one
domain says nothing under another.

RFC 8032 leaves a verifier room where two peers could disagree; this one closes it. A public key
must be canonically encoded and lie in the subgroup of prime order (so not one of the 8 points of
small order, nor a sum with one); that is checked once for each identity, in plain integers, as all
of it is public. Of a signature, `cryptography` refuses s >= the order, and compares R as bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from p2pcards.crypto.group import Rng
from p2pcards.errors import BadSignature

PUBLIC_SIZE: Final = 32
SECRET_SIZE: Final = 32
SIGNATURE_SIZE: Final = 64

_PRIME: Final = 2**255 - 19
_ORDER: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _PRIME) % _PRIME
_ROOT_OF_MINUS_ONE: Final = pow(2, (_PRIME - 1) // 4, _PRIME)

_Extended = tuple[int, int, int, int]
"""X : Y : Z : T with x = X/Z, y = Y/Z, xy = T/Z (RFC 8032, section 5.1.4)."""

_NEUTRAL: Final[_Extended] = (0, 1, 1, 0)


@dataclass(frozen=True, slots=True)
class Identity:
    """A key pair. `public` is the identity everybody sees; `secret` never leaves its file."""

    secret: bytes = field(repr=False)
    """32 bytes, the RFC 8032 private key."""
    public: bytes = field(init=False)
    """32 bytes."""
    _key: Ed25519PrivateKey = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.secret) != SECRET_SIZE:
            raise ValueError("an identity's secret has 32 bytes")
        key = Ed25519PrivateKey.from_private_bytes(self.secret)
        object.__setattr__(self, "_key", key)
        object.__setattr__(self, "public", key.public_key().public_bytes_raw())

    @classmethod
    def new(cls, rng: Rng) -> Identity:
        """A fresh identity from 32 random bytes."""
        return cls(rng(SECRET_SIZE))

    def sign(self, domain: bytes, payload: bytes) -> bytes:
        """64 bytes. The domain is 1 to 255 bytes long."""
        return self._key.sign(_framed(domain, payload))


def check_signature(public: bytes, domain: bytes, payload: bytes, signature: bytes) -> None:
    """BadSignature unless `public` is an identity and signed this payload under this domain."""
    key = _verifier(public)
    if len(signature) != SIGNATURE_SIZE:
        raise BadSignature(detail="not 64 bytes")
    try:
        key.verify(signature, _framed(domain, payload))
    except InvalidSignature:
        raise BadSignature(detail="the signature does not fit") from None


def check_identity(public: bytes) -> None:
    """BadSignature unless these bytes are a canonical point of the subgroup of prime order."""
    _verifier(public)


def _framed(domain: bytes, payload: bytes) -> bytes:
    if not 1 <= len(domain) <= 255:
        raise ValueError("a domain has 1 to 255 bytes")
    return b"P2PCARDS-V1" + bytes((len(domain),)) + domain + payload


@lru_cache(maxsize=1024)
def _verifier(public: bytes) -> Ed25519PublicKey:
    if len(public) != PUBLIC_SIZE:
        raise BadSignature(detail="a public key has 32 bytes")
    point = _decode(public)
    if point is None:
        raise BadSignature(detail="not a canonical point")
    if point == _NEUTRAL or not _is_neutral(_multiply(_ORDER, point)):
        raise BadSignature(detail="not in the subgroup of prime order")
    return Ed25519PublicKey.from_public_bytes(public)


def _decode(data: bytes) -> _Extended | None:
    """RFC 8032 section 5.1.3, without leniency: y below the prime, and no minus zero."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= _PRIME:
        return None
    u, v = (y * y - 1) % _PRIME, (_D * y * y + 1) % _PRIME
    x = u * pow(v, 3, _PRIME) * pow(u * pow(v, 7, _PRIME), (_PRIME - 5) // 8, _PRIME) % _PRIME
    if v * x * x % _PRIME != u:
        x = x * _ROOT_OF_MINUS_ONE % _PRIME
        if v * x * x % _PRIME != u:
            return None
    if x & 1 != sign:
        x = _PRIME - x
    if x == _PRIME:
        return None
    return x, y, 1, x * y % _PRIME


def _add(p: _Extended, q: _Extended) -> _Extended:
    """The complete addition law of RFC 8032 section 5.1.4."""
    x1, y1, z1, t1 = p
    x2, y2, z2, t2 = q
    a, b = (y1 - x1) * (y2 - x2) % _PRIME, (y1 + x1) * (y2 + x2) % _PRIME
    c, d = 2 * t1 * t2 * _D % _PRIME, 2 * z1 * z2 % _PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _PRIME, g * h % _PRIME, f * g % _PRIME, e * h % _PRIME


def _multiply(k: int, p: _Extended) -> _Extended:
    total = _NEUTRAL
    for bit in f"{k:b}":
        total = _add(total, total)
        if bit == "1":
            total = _add(total, p)
    return total


def _is_neutral(p: _Extended) -> bool:
    return p[0] == 0 and p[1] == p[2]
