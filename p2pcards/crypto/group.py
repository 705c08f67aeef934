"""The prime-order group: points, scalars, and the nothing-up-my-sleeve constants.

The only module that talks to libsecp256k1. It knows curves and nothing of cards or proofs. Points
travel as 33-byte compressed SEC 1 and as nothing else; inside `crypto` they stay parsed, because a
parse costs a field square root. Multiplication by a secret is not constant-time in libsecp256k1
(`secp256k1_ec_pubkey_tweak_mul`); keys live for one hand. protocol.md section 3.1.

Constants, each RFC 9380 `secp256k1_XMD:SHA-256_SSWU_RO_` with DST `P2PCARDS-V1-` + tag:

    P(i), i = 1..4      tag "attribute", data = i as 4 bytes big-endian
    H(i), i = 0..108    tag "shuffle",   data = i as 4 bytes big-endian
    SH(n)               H(1) + ... + H(n)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, Final, Protocol, TypeVar

from btclib_secp256k1 import ffi, lib
from btclib_secp256k1.context import ctx as _ctx

from p2pcards.errors import BadPoint, BadScalar

Rng = Callable[[int], bytes]
"""A source of randomness: called with a count, it gives that many bytes."""

POINT_SIZE: Final = 33
SCALAR_SIZE: Final = 32
MAX_CARDS: Final = 108
"""The largest deck: two packs of 54."""
MAX_ATTRIBUTES: Final = 4

L: Final = 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141
"""Order of secp256k1 (SEC 2, section 2.4.1)."""

Pt = TypeVar("Pt")


class Group(Protocol[Pt]):
    """A group of prime order `L` whose points are opaque and immutable.

    No method returns the point at infinity. Points are compared by their encodings.
    """

    @property
    def L(self) -> int:
        """The prime order."""

    def decode(self, data: bytes) -> Pt:
        """The point of a canonical encoding; BadPoint for anything else."""

    def encode(self, p: Pt) -> bytes:
        """The one encoding of a point."""

    def base(self, k: int) -> Pt:
        """kG for 1 <= k < L, else BadScalar."""

    def mul(self, p: Pt, k: int) -> Pt:
        """kP for 1 <= k < L, else BadScalar."""

    def sum(self, points: Sequence[Pt]) -> Pt:
        """The sum of any number of points; BadPoint if it is at infinity."""

    def negate(self, p: Pt) -> Pt:
        """-P."""

    def generator(self) -> Pt:
        """G."""


class Point(Protocol):
    """A parsed point of secp256k1: a C struct, compared by `SECP256K1.encode` only."""

    def __getitem__(self, index: int, /) -> Any:
        """The struct itself at index 0."""


class Row(Protocol):
    """Points side by side in memory, for as long as the process lives; `row + i` is the i-th."""

    def __add__(self, index: int, /) -> Point:
        """A point of the row; nobody looks whether there is an i-th."""


_POINT = ffi.typeof("secp256k1_pubkey *")
_POINTERS = ffi.typeof("secp256k1_pubkey *[]")
_ROW = ffi.typeof("secp256k1_pubkey[]")
_OCTETS = ffi.typeof("unsigned char[]")
_LENGTH = ffi.typeof("size_t *")
_COMPRESSED = 258  # SECP256K1_EC_COMPRESSED, a macro that the binding does not export
_rows: list[Row] = []
_new = ffi.new
_parse = lib.secp256k1_ec_pubkey_parse
_serialize = lib.secp256k1_ec_pubkey_serialize
_create = lib.secp256k1_ec_pubkey_create
_tweak_mul = lib.secp256k1_ec_pubkey_tweak_mul
_combine = lib.secp256k1_ec_pubkey_combine
_negate = lib.secp256k1_ec_pubkey_negate


@lru_cache(maxsize=8192)
def _decode(data: bytes) -> Point:
    """Parse strictly; a point seen before is not parsed again (exceptions are not cached)."""
    if len(data) != POINT_SIZE or data[0] not in (2, 3):
        raise BadPoint(detail="not a 33-byte compressed point")
    point: Point = _new(_POINT)
    if not _parse(_ctx, point, data, POINT_SIZE):
        raise BadPoint(detail="not on the curve")
    return point


class Secp256k1:
    """secp256k1 through libsecp256k1; stateless but for the cache of parsed points."""

    __slots__ = ()

    @property
    def L(self) -> int:
        """The prime order."""
        return L

    def decode(self, data: bytes) -> Point:
        """The point of 33 bytes, first byte 02 or 03, x on the curve; else BadPoint."""
        if type(data) is not bytes:
            raise BadPoint(detail="not bytes")
        return _decode(data)

    def encode(self, p: Point) -> bytes:
        """33 bytes."""
        octets = _new(_OCTETS, POINT_SIZE)
        if not _serialize(_ctx, octets, _new(_LENGTH, POINT_SIZE), p, _COMPRESSED):
            raise BadPoint(detail="not a parsed point")
        return bytes(octets)

    def encode_all(self, points: Sequence[Point]) -> list[bytes]:
        """33 bytes each; cheaper than one by one."""
        size = len(points) * POINT_SIZE
        octets, length = _new(_OCTETS, size), _new(_LENGTH, POINT_SIZE)
        offsets = range(0, size, POINT_SIZE)
        for p, k in zip(points, offsets, strict=True):
            if not _serialize(_ctx, octets + k, length, p, _COMPRESSED):
                raise BadPoint(detail="not a parsed point")
        data = bytes(octets)
        return [data[k : k + POINT_SIZE] for k in offsets]

    def base(self, k: int) -> Point:
        """kG, in constant time."""
        if not 0 < k < L:
            raise BadScalar(detail="zero or not below the order")
        out: Point = _new(_POINT)
        if not _create(_ctx, out, k.to_bytes(SCALAR_SIZE, "big")):
            raise BadScalar(detail="refused by secp256k1_ec_pubkey_create")
        return out

    def mul(self, p: Point, k: int) -> Point:
        """kP, not in constant time."""
        if not 0 < k < L:
            raise BadScalar(detail="zero or not below the order")
        out: Point = _new(_POINT, p[0])
        if not _tweak_mul(_ctx, out, k.to_bytes(SCALAR_SIZE, "big")):
            raise BadPoint(detail="refused by secp256k1_ec_pubkey_tweak_mul")
        return out

    def sum(self, points: Sequence[Point]) -> Point:
        """One library call for any number of points."""
        out: Point = _new(_POINT)
        count = len(points)
        if not count or not _combine(_ctx, out, _new(_POINTERS, points), count):
            raise BadPoint(detail="the sum is at infinity")
        return out

    def shift(self, pair: tuple[Point, Point], key: Point, k: int) -> tuple[Point, Point]:
        """(A + kG, B + kX) for a pair (A, B) and X = key, with fewer steps than one by one."""
        if not 0 < k < L:
            raise BadScalar(detail="zero or not below the order")
        scalar = k.to_bytes(SCALAR_SIZE, "big")
        left: Point = _new(_POINT)
        right: Point = _new(_POINT, key[0])
        if not _create(_ctx, left, scalar) or not _tweak_mul(_ctx, right, scalar):
            raise BadPoint(detail="refused by libsecp256k1")
        return self.sum((pair[0], left)), self.sum((pair[1], right))

    def row(self, points: Sequence[Point]) -> Row:
        """Copies of constants, never freed. Tables are read faster so: points one by one lie all
        over memory."""
        out: Row = _new(_ROW, [point[0] for point in points])
        # A point of a row does not keep the row alive, and two threads that fill one cache at the
        # same time may each use a row of which the cache keeps but one.
        _rows.append(out)
        return out

    def negate(self, p: Point) -> Point:
        """-P."""
        out: Point = _new(_POINT, p[0])
        if not _negate(_ctx, out):
            raise BadPoint(detail="not a parsed point")
        return out

    def generator(self) -> Point:
        """G."""
        return _generator()


SECP256K1: Final = Secp256k1()


@lru_cache(maxsize=1)
def _generator() -> Point:
    return SECP256K1.base(1)


# --- scalars --------------------------------------------------------------------------------------


def decode_scalar(data: bytes) -> int:
    """The scalar of 32 bytes big-endian, 1 <= k < L; else BadScalar."""
    if type(data) is not bytes or len(data) != SCALAR_SIZE:
        raise BadScalar(detail="not 32 bytes")
    k = int.from_bytes(data, "big")
    if not 0 < k < L:
        raise BadScalar(detail="zero or not below the order")
    return k


def encode_scalar(k: int) -> bytes:
    """32 bytes big-endian; BadScalar unless 1 <= k < L."""
    if not 0 < k < L:
        raise BadScalar(detail="zero or not below the order")
    return k.to_bytes(SCALAR_SIZE, "big")


def random_scalar(rng: Rng) -> int:
    """1 <= k < L: 64 bytes reduced mod L (bias below 2^-256), drawn again at zero."""
    while True:
        data = rng(64)
        if len(data) != 64:
            raise ValueError("rng gave the wrong number of bytes")
        k = int.from_bytes(data, "big") % L
        if k:
            return k


# --- hashing to the group: public constants only, hence plain integers ----------------------------

_FIELD = 2**256 - 2**32 - 977
# The isogenous curve, RFC 9380 section 8.7, and the isogeny from it, appendix E.1. The coefficients
# of the four polynomials are listed from the constant term up; the two denominators are monic.
_ISO_A = 0x3F8731ABDD661ADCA08A5558F0F5D272E953D363CB6F0E5D405447C01A444533
_ISO_B = 1771
_Z = -11
_X_NUM = (
    0x8E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38DAAAAA8C7,
    0x07D3D4C80BC321D5B9F315CEA7FD44C5D595D2FC0BF63B92DFFF1044F17C6581,
    0x534C328D23F234E6E2A413DECA25CAECE4506144037C40314ECBD0B53D9DD262,
    0x8E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38DAAAAA88C,
)
_X_DEN = (
    0xD35771193D94918A9CA34CCBB7B640DD86CD409542F8487D9FE6B745781EB49B,
    0xEDADC6F64383DC1DF7C4B2D51B54225406D36B641F5E41BBC52A56612A8C6D14,
    1,
)
_Y_NUM = (
    0x4BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684B8E38E23C,
    0xC75E0C32D5CB7C0FA9D0A54B12A0A6D5647AB046D686DA6FDFFC90FC201D71A3,
    0x29A6194691F91A73715209EF6512E576722830A201BE2018A765E85A9ECEE931,
    0x2F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F38E38D84,
)
_Y_DEN = (
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFF93B,
    0x7A06534BB8BDB49FD5E9E6632722C2989467C1BFC8E8D978DFB425D2685C2573,
    0x6484AA716545CA2CF3A70C3FA8FE337E0A3D21162F0D6299A7BF8192BFD2A76F,
    1,
)
_SQRT_EXPONENT = (_FIELD + 1) // 4


def _expand_message_xmd(message: bytes, dst: bytes, length: int) -> bytes:
    """RFC 9380 section 5.3.1 with SHA-256; `length` at most 255 * 32, dst at most 255 bytes."""
    suffix = dst + bytes([len(dst)])
    first = sha256(bytes(64) + message + length.to_bytes(2, "big") + b"\0" + suffix).digest()
    block = sha256(first + b"\1" + suffix).digest()
    out = block
    for i in range(2, -(-length // 32) + 1):
        mixed = bytes(a ^ b for a, b in zip(first, block, strict=True))
        block = sha256(mixed + bytes([i]) + suffix).digest()
        out += block
    return out[:length]


def _polynomial(coefficients: Sequence[int], x: int) -> int:
    value = 0
    for coefficient in reversed(coefficients):
        value = (value * x + coefficient) % _FIELD
    return value


def map_to_curve(u: int) -> tuple[int, int]:
    """Simplified SWU for AB = 0 (RFC 9380 sections 6.6.2 and 6.6.3): affine point of secp256k1."""
    p = _FIELD
    zuu = _Z * u * u % p
    denominator = (zuu * zuu + zuu) % p
    if denominator:
        x = -_ISO_B * pow(_ISO_A, -1, p) * (1 + pow(denominator, -1, p)) % p
    else:
        x = _ISO_B * pow(_Z * _ISO_A, -1, p) % p
    square = (x * x * x + _ISO_A * x + _ISO_B) % p
    y = pow(square, _SQRT_EXPONENT, p)
    if y * y % p != square:
        x = zuu * x % p
        y = pow((x * x * x + _ISO_A * x + _ISO_B) % p, _SQRT_EXPONENT, p)
    if (u ^ y) & 1:
        y = p - y
    x_den, y_den = _polynomial(_X_DEN, x), _polynomial(_Y_DEN, x)
    inverse = pow(x_den * y_den, -1, p)
    return (
        _polynomial(_X_NUM, x) * y_den * inverse % p,
        y * _polynomial(_Y_NUM, x) * x_den * inverse % p,
    )


def _point_of(x: int, y: int) -> Point:
    point: Point = _new(_POINT)
    octets = b"\4" + x.to_bytes(32, "big") + y.to_bytes(32, "big")
    if not _parse(_ctx, point, octets, len(octets)):
        raise BadPoint(detail="not on the curve")
    return point


def hash_to_curve(message: bytes, dst: bytes, count: int = 2) -> Point:
    """RFC 9380 section 3: hash_to_curve (count 2, suite RO) or encode_to_curve (count 1, suite NU).

    For public data only: nothing here runs in constant time. The cofactor is 1.
    """
    octets = _expand_message_xmd(message, dst, 48 * count)
    return SECP256K1.sum(
        [
            _point_of(*map_to_curve(int.from_bytes(octets[i : i + 48], "big") % _FIELD))
            for i in range(0, 48 * count, 48)
        ]
    )


def hash_to_group(tag: str, data: bytes) -> Point:
    """A point of which nobody knows a logarithm to any other base; public data only."""
    return hash_to_curve(data, b"P2PCARDS-V1-" + tag.encode("ascii"))


# --- constants, made at first use: about 0.2 ms each ----------------------------------------------


@cache
def P(i: int) -> Point:
    """The base of a card's attribute number i, 1 <= i <= 4."""
    if not 1 <= i <= MAX_ATTRIBUTES:
        raise ValueError("attributes are numbered 1 to 4")
    return hash_to_group("attribute", i.to_bytes(4, "big"))


@cache
def H(i: int) -> Point:
    """Shuffle generator number i, 0 <= i <= 108."""
    if not 0 <= i <= MAX_CARDS:
        raise ValueError("shuffle generators are numbered 0 to 108")
    return hash_to_group("shuffle", i.to_bytes(4, "big"))


@cache
def SH(n: int) -> Point:
    """H(1) + ... + H(n), 1 <= n <= 108."""
    if not 1 <= n <= MAX_CARDS:
        raise ValueError("a deck has 1 to 108 cards")
    return SECP256K1.sum([H(i) for i in range(1, n + 1)])
