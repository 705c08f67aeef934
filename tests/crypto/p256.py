"""Short Weierstrass curves in plain integers, slow.

P-256, where foreign vectors of the shuffle proof live, and secp256k1 without libsecp256k1.

Parameters: SEC 2 version 2, sections 2.4.2 and 2.4.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from p2pcards.errors import BadPoint, BadScalar

Affine = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Weierstrass:
    """y^2 = x^3 + ax + b over a prime field p = 3 mod 4: a `Group` over affine points."""

    p: int
    a: int
    b: int
    G: Affine
    L: int

    def decode(self, data: bytes) -> Affine:
        if len(data) != 33 or data[0] not in {2, 3}:
            raise BadPoint
        x = int.from_bytes(data[1:], "big")
        square = (x**3 + self.a * x + self.b) % self.p
        y = pow(square, (self.p + 1) // 4, self.p)
        if x >= self.p or y * y % self.p != square:
            raise BadPoint
        return x, y if y & 1 == data[0] & 1 else self.p - y

    def encode(self, p: Affine) -> bytes:
        return bytes([2 + (p[1] & 1)]) + p[0].to_bytes(32, "big")

    def base(self, k: int) -> Affine:
        return self.mul(self.G, k)

    def mul(self, p: Affine, k: int) -> Affine:
        if not 0 < k < self.L:
            raise BadScalar
        total: Affine | None = None
        for bit in f"{k:b}":
            total = self._add(total, total)
            if bit == "1":
                total = self._add(total, p)
        return self._finite(total)

    def sum(self, points: Sequence[Affine]) -> Affine:
        total: Affine | None = None
        for point in points:
            total = self._add(total, point)
        return self._finite(total)

    def negate(self, p: Affine) -> Affine:
        return p[0], self.p - p[1]

    def generator(self) -> Affine:
        return self.G

    def _add(self, p: Affine | None, q: Affine | None) -> Affine | None:
        if p is None:
            return q
        if q is None:
            return p
        (x1, y1), (x2, y2) = p, q
        if x1 == x2:
            if (y1 + y2) % self.p == 0:
                return None
            slope = (3 * x1 * x1 + self.a) * pow(2 * y1, -1, self.p)
        else:
            slope = (y2 - y1) * pow(x2 - x1, -1, self.p)
        x = (slope * slope - x1 - x2) % self.p
        return x, (slope * (x1 - x) - y1) % self.p

    @staticmethod
    def _finite(p: Affine | None) -> Affine:
        if p is None:
            raise BadPoint
        return p


P256 = Weierstrass(
    p=2**256 - 2**224 + 2**192 + 2**96 - 1,
    a=-3,
    b=0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    G=(
        0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
    ),
    L=0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
)

SLOW_SECP256K1 = Weierstrass(
    p=2**256 - 2**32 - 977,
    a=0,
    b=7,
    G=(
        0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
        0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
    ),
    L=0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141,
)
