"""Seeded keys, masks and contexts for the tests of proofs; transcripts with a piece left out."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import shake_256

import pytest

from p2pcards.crypto.elgamal import Attributes, Mask, card_point
from p2pcards.crypto.formula import And, Formula, Or, Rep
from p2pcards.crypto.group import SECP256K1, L, Rng, random_scalar
from p2pcards.crypto.transcript import Context, Transcript

CONTEXT = Context(table=b"T" * 32, step=7, prev=b"h" * 32, seat=2, index=1)

OTHER_CONTEXTS = [
    replace(CONTEXT, table=b"U" * 32),
    replace(CONTEXT, step=8),
    replace(CONTEXT, prev=b"i" * 32),
    replace(CONTEXT, seat=3),
    replace(CONTEXT, index=2),
]
"""CONTEXT with each field changed in turn."""

PACK: Sequence[Attributes] = [(suit, rank) for suit in range(1, 5) for rank in range(2, 15)]

BAD_SCALARS = [bytes(32), L.to_bytes(32, "big"), (L + 1).to_bytes(32, "big"), b"\xff" * 32]


def seeded(seed: int | str) -> Rng:
    """A random source that is the same in every run."""
    count = 0

    def draw(n: int) -> bytes:
        nonlocal count
        count += 1
        return shake_256(f"{seed}/{count}".encode()).digest(n)

    return draw


class Seat:
    """A seat with a key, the cards it holds, and a source of randomness."""

    def __init__(self, seed: int | str) -> None:
        self.rng = seeded(seed)
        self.x = random_scalar(self.rng)
        self.secret = self.x.to_bytes(32, "big")
        self.public = SECP256K1.encode(SECP256K1.base(self.x))
        self.cards: dict[Mask, Attributes] = {}

    def hold(self, face: Attributes) -> Mask:
        """A new mask of the card under the seat's key."""
        mask = masked(self.public, face, random_scalar(self.rng))
        self.cards[mask] = face
        return mask

    def hand(self, faces: Iterable[Attributes]) -> list[Mask]:
        """A mask for each of the cards."""
        return [self.hold(face) for face in faces]

    def share(self, mask: Mask) -> bytes:
        """xA."""
        return SECP256K1.encode(SECP256K1.mul(SECP256K1.decode(mask[:33]), self.x))


def masked(public: bytes, face: Attributes, r: int) -> Mask:
    """(rG, M + rX)."""
    hiding = SECP256K1.mul(SECP256K1.decode(public), r)
    halves = (SECP256K1.base(r), SECP256K1.sum([card_point(face), hiding]))
    return b"".join(map(SECP256K1.encode, halves))


def not_of_suit(mask: Mask, led: int) -> Formula:
    """The card is of another of the four suits."""
    return Or(tuple(Rep(mask, None, (suit, None)) for suit in range(1, 5) if suit != led))


def at_least(high: Mask, low: Mask) -> Formula:
    """The rank of the first is not below that of the second; ranks 3 to 16."""
    return Or(tuple(Rep(high, low, (None, gap)) for gap in range(14)))


def two_best(best: Mask, second: Mask, rest: Sequence[Mask]) -> Formula:
    """`best` and `second`, in order, are the two highest of the hand."""
    return And((at_least(best, second), *(at_least(second, mask) for mask in rest)))


def other_forms(point: bytes) -> list[bytes]:
    """What may be taken for a point and is none: other SEC 1 forms, lengths, off the curve."""
    p = 2**256 - 2**32 - 977
    x = int.from_bytes(point[1:], "big")
    y = pow(x**3 + 7, (p + 1) // 4, p)
    y = y if y % 2 == point[0] % 2 else p - y
    both = point[1:] + y.to_bytes(32, "big")
    off_curve = next(n for n in range(1, 99) if pow(n**3 + 7, (p - 1) // 2, p) != 1)
    return [
        b"",
        bytes(33),
        point[:-1],
        point + b"\0",
        b"\x04" + both,
        bytes([6 + y % 2]) + both,
        *(bytes([prefix]) + point[1:] for prefix in (0, 1, 4, 5, 6, 7, 255)),
        b"\x02" + off_curve.to_bytes(32, "big"),
        b"\x02" + p.to_bytes(32, "big"),
        b"\x02" + b"\xff" * 32,
    ]


def leave_out(
    monkeypatch: pytest.MonkeyPatch,
    label: str,
    keep: Callable[[bytes], bytes] = lambda _: b"",
) -> None:
    """Makes provers and verifiers whose transcripts absorb `keep(data)` under `label`."""
    put, put_all = Transcript.put, Transcript.put_all

    def put_less(self: Transcript, name: str, data: bytes) -> None:
        put(self, name, keep(data) if name == label else data)

    def put_all_less(self: Transcript, name: str, items: Sequence[bytes]) -> None:
        put_all(self, name, [keep(item) for item in items] if name == label else items)

    monkeypatch.setattr(Transcript, "put", put_less)
    monkeypatch.setattr(Transcript, "put_all", put_all_less)


def flip(data: bytes, bit: int) -> bytes:
    """The bytes with one bit changed."""
    changed = int.from_bytes(data, "big") ^ (1 << bit)
    return changed.to_bytes(len(data), "big")
