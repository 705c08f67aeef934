"""The group, hash to curve, constants, faces and masks, after protocol.md, section 3, and the
checks of Ed25519 keys of section 2.1. Plain integers: slow, and open to anybody's reading.

A point is (x, y), or None for infinity; only `combine` looks inside with Jacobian coordinates.
"""

from __future__ import annotations

from functools import cache

from tests.reference.bytes_ import sha256

Point = tuple[int, int] | None
Mask = tuple[Point, Point]
Face = tuple[int, int, int]

FIELD = 2**256 - 2**32 - 977
L = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G: Point = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


class Unproven(Exception):
    """A point, a scalar or a proof does not hold."""


def need(condition: bool, what: str) -> None:
    """Refuses unless the condition holds."""
    if not condition:
        raise Unproven(what)


# --- arithmetic -----------------------------------------------------------------------------------

Jacobian = tuple[int, int, int]
_INFINITY: Jacobian = (1, 1, 0)


def _double(a: Jacobian) -> Jacobian:
    x, y, z = a
    if z == 0:
        return a
    yy = y * y % FIELD
    s = 4 * x * yy % FIELD
    m = 3 * x * x % FIELD
    x3 = (m * m - 2 * s) % FIELD
    return x3, (m * (s - x3) - 8 * yy * yy) % FIELD, 2 * y * z % FIELD


def _add(a: Jacobian, b: Jacobian) -> Jacobian:
    if a[2] == 0:
        return b
    if b[2] == 0:
        return a
    aa, bb = a[2] * a[2] % FIELD, b[2] * b[2] % FIELD
    u, v = a[0] * bb % FIELD, b[0] * aa % FIELD
    s, t = a[1] * bb * b[2] % FIELD, b[1] * aa * a[2] % FIELD
    h, r = (v - u) % FIELD, (t - s) % FIELD
    if h == 0:
        return _double(a) if r == 0 else _INFINITY
    hh = h * h % FIELD
    hhh, w = h * hh % FIELD, u * hh % FIELD
    x = (r * r - hhh - 2 * w) % FIELD
    return x, (r * (w - x) - s * hhh) % FIELD, a[2] * b[2] * h % FIELD


def combine(*terms: tuple[int, Point]) -> Point:
    """k_1 P_1 + k_2 P_2 + ..., four bits of all the scalars at a time."""
    tables = []
    for k, point in terms:
        if point is None or k % L == 0:
            continue
        multiples: list[Jacobian] = [_INFINITY, (*point, 1)]
        # No more multiples than this scalar's digits ask for: many scalars here are 1.
        for _ in range(2, min(16, k % L + 1)):
            multiples.append(_add(multiples[-1], multiples[1]))
        tables.append((k % L, multiples))
    total = _INFINITY
    longest = max((k.bit_length() for k, _ in tables), default=0)
    for shift in range((longest + 3) // 4 * 4 - 4, -1, -4):
        for _ in range(4):
            total = _double(total)
        for k, multiples in tables:
            total = _add(total, multiples[(k >> shift) & 15])
    if total[2] == 0:
        return None
    z = pow(total[2], -1, FIELD)
    return total[0] * z * z % FIELD, total[1] * z * z * z % FIELD


def add(*points: Point) -> Point:
    """The sum of points."""
    return combine(*((1, point) for point in points))


def negative(a: Point) -> Point:
    """-a."""
    return None if a is None else (a[0], -a[1] % FIELD)


def subtract(a: Point, b: Point) -> Point:
    """a - b."""
    return add(a, negative(b))


# --- encodings ------------------------------------------------------------------------------------


def encode(a: Point) -> bytes:
    """33 bytes; infinity has none."""
    if a is None:
        raise Unproven("a sum is at infinity")
    return bytes([2 + a[1] % 2]) + a[0].to_bytes(32, "big")


@cache
def decode(data: bytes) -> Point:
    """A point of 33 bytes."""
    need(len(data) == 33 and data[0] in (2, 3), "not a compressed point")
    x = int.from_bytes(data[1:], "big")
    need(x < FIELD, "x is not below the field prime")
    square = (x**3 + 7) % FIELD
    y = _root(square)
    need(y is not None, "not on the curve")
    assert y is not None
    return x, y if y % 2 == data[0] % 2 else FIELD - y


def _root(square: int) -> int | None:
    root = pow(square, (FIELD + 1) // 4, FIELD)
    return root if root * root % FIELD == square % FIELD else None


def scalar(data: bytes) -> int:
    """1 <= s < L of 32 bytes."""
    value = int.from_bytes(data, "big")
    need(len(data) == 32 and 0 < value < L, "not a scalar")
    return value


def scalars(data: bytes) -> list[int]:
    """One for each 32 bytes."""
    return [scalar(data[i : i + 32]) for i in range(0, len(data), 32)]


def decode_mask(data: bytes) -> Mask:
    """(A, B) of 66 bytes."""
    return decode(data[:33]), decode(data[33:])


def encode_mask(mask: Mask) -> bytes:
    """66 bytes."""
    return encode(mask[0]) + encode(mask[1])


# --- hash to curve, RFC 9380, secp256k1_XMD:SHA-256_SSWU_RO_ --------------------------------------

# The curve y^2 = x^3 + A x + B that is 3-isogenous to secp256k1, Z, and the isogeny: section 8.7
# and appendix E.1 of the RFC; coefficients from the constant one upwards.
_A = 0x3F8731ABDD661ADCA08A5558F0F5D272E953D363CB6F0E5D405447C01A444533
_B = 1771
_Z = FIELD - 11
_X_NUMERATOR = (
    0x8E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38DAAAAA8C7,
    0x07D3D4C80BC321D5B9F315CEA7FD44C5D595D2FC0BF63B92DFFF1044F17C6581,
    0x534C328D23F234E6E2A413DECA25CAECE4506144037C40314ECBD0B53D9DD262,
    0x8E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38DAAAAA88C,
)
_X_DENOMINATOR = (
    0xD35771193D94918A9CA34CCBB7B640DD86CD409542F8487D9FE6B745781EB49B,
    0xEDADC6F64383DC1DF7C4B2D51B54225406D36B641F5E41BBC52A56612A8C6D14,
    1,
)
_Y_NUMERATOR = (
    0x4BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684B8E38E23C,
    0xC75E0C32D5CB7C0FA9D0A54B12A0A6D5647AB046D686DA6FDFFC90FC201D71A3,
    0x29A6194691F91A73715209EF6512E576722830A201BE2018A765E85A9ECEE931,
    0x2F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F38E38D84,
)
_Y_DENOMINATOR = (
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFF93B,
    0x7A06534BB8BDB49FD5E9E6632722C2989467C1BFC8E8D978DFB425D2685C2573,
    0x6484AA716545CA2CF3A70C3FA8FE337E0A3D21162F0D6299A7BF8192BFD2A76F,
    1,
)


def hash_to_curve(message: bytes, dst: bytes) -> Point:
    """A point whose logarithm nobody knows."""
    wide = _expand(message, dst, 96)
    halves = (int.from_bytes(wide[:48], "big"), int.from_bytes(wide[48:], "big"))
    return add(*(_map_to_curve(half % FIELD) for half in halves))


def _expand(message: bytes, dst: bytes, length: int) -> bytes:
    suffix = dst + bytes([len(dst)])
    first = sha256(bytes(64) + message + length.to_bytes(2, "big") + b"\x00" + suffix)
    block, blocks = sha256(first + b"\x01" + suffix), b""
    for i in range(2, length // 32 + 2):
        blocks += block
        mixed = bytes(a ^ b for a, b in zip(first, block, strict=True))
        block = sha256(mixed + bytes([i]) + suffix)
    return blocks


def _map_to_curve(u: int) -> Point:
    z = _Z * u * u % FIELD
    t = (z * z + z) % FIELD
    if t:
        x = -_B * pow(_A, -1, FIELD) * (1 + pow(t, -1, FIELD)) % FIELD
    else:
        x = _B * pow(_Z * _A, -1, FIELD) % FIELD
    y = _root((x**3 + _A * x + _B) % FIELD)
    if y is None:
        x = z * x % FIELD
        y = _root((x**3 + _A * x + _B) % FIELD)
    assert y is not None, "one of the two is a square"
    if y % 2 != u % 2:
        y = FIELD - y

    def at_x(coefficients: tuple[int, ...]) -> int:
        return sum(c * pow(x, i, FIELD) for i, c in enumerate(coefficients)) % FIELD

    return (
        at_x(_X_NUMERATOR) * pow(at_x(_X_DENOMINATOR), -1, FIELD) % FIELD,
        y * at_x(_Y_NUMERATOR) * pow(at_x(_Y_DENOMINATOR), -1, FIELD) % FIELD,
    )


@cache
def attribute_base(i: int) -> Point:
    """P(i), 1 <= i <= 4."""
    return hash_to_curve(i.to_bytes(4, "big"), b"P2PCARDS-V1-attribute")


@cache
def shuffle_base(i: int) -> Point:
    """H(i), 0 <= i <= 108."""
    return hash_to_curve(i.to_bytes(4, "big"), b"P2PCARDS-V1-shuffle")


# --- cards ----------------------------------------------------------------------------------------

FRENCH: list[Face] = [(suit, rank, 0) for suit in range(1, 5) for rank in range(2, 15)]
"""The pack `french-1`, in its initial order."""


@cache
def card(face: Face) -> Point:
    """M of a face."""
    return combine(*((value, attribute_base(i)) for i, value in enumerate(face, 1)))


def initial_deck(pack: list[Face], key: Point) -> list[bytes]:
    """Masks anybody can recompute: (iG, M_i + iX), i from 1."""
    return [
        encode_mask((combine((i, G)), add(card(face), combine((i, key)))))
        for i, face in enumerate(pack, 1)
    ]


@cache
def _faces() -> dict[bytes, Face]:
    return {encode(card(face)): face for face in FRENCH}


def face_of(M: Point) -> Face | None:
    """The face of the pack, None if the point is no card."""
    return None if M is None else _faces().get(encode(M))


# --- Ed25519 keys ---------------------------------------------------------------------------------

_Q = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _Q) % _Q


def is_identity_key(data: bytes) -> bool:
    """SIGN-2: the canonical encoding of a point of prime order (RFC 8032, section 5.1.3)."""
    y, sign = int.from_bytes(data, "little") % 2**255, data[31] >> 7
    if y >= _Q:
        return False
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _Q) % _Q
    x = pow(square, (_Q + 3) // 8, _Q)
    if x * x % _Q != square:
        x = x * pow(2, (_Q - 1) // 4, _Q) % _Q
    if x * x % _Q != square or (x == 0 and sign):
        return False
    x = x if x % 2 == sign else _Q - x
    return (x, y) != (0, 1) and _edwards_times(_ORDER, (x, y)) == (0, 1)


def _edwards_times(k: int, a: tuple[int, int]) -> tuple[int, int]:
    total, addend = (0, 1), a
    while k:
        if k % 2:
            total = _edwards_add(total, addend)
        addend, k = _edwards_add(addend, addend), k // 2
    return total


def _edwards_add(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    c = _D * a[0] * b[0] * a[1] * b[1] % _Q
    x = (a[0] * b[1] + a[1] * b[0]) * pow(1 + c, -1, _Q) % _Q
    y = (a[1] * b[1] + a[0] * b[0]) * pow(1 - c, -1, _Q) % _Q
    return x, y


def has_canonical_s(signature: bytes) -> bool:
    """SIGN-3."""
    return int.from_bytes(signature[32:], "little") < _ORDER
