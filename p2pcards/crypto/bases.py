"""Multiples of the attribute bases P(1) .. P(4), from tables.

The proofs of `composition` multiply these four points again and again; a table of 8-bit windows
makes such a product a sum of at most 33 known points, at a third of the price, and the sum that it
is part of stays one library call. Knows the group and nothing of cards. Not constant-time, as
little as the multiplication it replaces. The tables change no byte of any proof; protocol.md
section 3.1 has the points.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from p2pcards.crypto.group import SECP256K1, L, P, Point, Row

_WINDOWS: Final = 32
_HALF: Final = 128
_OFFSET: Final = int.from_bytes(bytes([_HALF]) * (_WINDOWS + 1), "little")

_group = SECP256K1


@cache
def _table(i: int) -> tuple[Row, ...]:
    """Row j, place d: (d - 128) 256^j P(i); about 15 ms and 0.5 MB for each base, at first use.

    The scalar is written in signed digits by adding 128 to each of its bytes; what that carries
    out of the top is the last row, which needs no multiple but one. Place 128 of a row stands for
    a digit of zero and is never read.
    """
    rows: list[Row] = []
    unit = P(i)
    for _ in range(_WINDOWS):
        multiples = [unit]
        for _ in range(_HALF - 1):
            multiples.append(_group.sum((multiples[-1], unit)))
        negatives = [_group.negate(multiple) for multiple in reversed(multiples)]
        rows.append(_group.row([*negatives, unit, *multiples[:-1]]))
        unit = _group.sum((multiples[-1], multiples[-1]))
    rows.append(_group.row([unit] * (_HALF + 2)))
    return tuple(rows)


def attribute_terms(i: int, k: int) -> list[Point]:
    """Points whose sum is kP(i), any integer k; none if L divides k, and at most 33."""
    digits = (k % L + _OFFSET).to_bytes(_WINDOWS + 1, "little")
    pairs = zip(_table(i), digits, strict=True)
    return [row + digit for row, digit in pairs if digit != _HALF]


def combination(values: tuple[int, ...]) -> Point | None:
    """sum of values_i P(i) for small public integers of either sign; None where all are 0."""
    terms = [term for i, value in enumerate(values, 1) for term in attribute_terms(i, value)]
    return _group.sum(terms) if terms else None
