"""Proofs of possession, shares, gifts and formulas, after protocol.md, sections 5.1 and 5.3 to 5.5.

Each `check_x` returns if the proof holds and raises `Unproven` if not. Points and masks are given
as the bytes that stand in the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.reference.bytes_ import joined, sha256
from tests.reference.group import (
    G,
    L,
    Mask,
    Point,
    Unproven,
    attribute_base,
    combine,
    decode,
    decode_mask,
    encode,
    face_of,
    need,
    scalar,
    scalars,
    subtract,
)
from tests.reference.transcript import Transcript


def check_possession(ctx: bytes, key: bytes, proof: bytes) -> None:
    """64 bytes: whoever made it knows x with X = xG."""
    need(len(proof) == 64, "length")
    c, z = scalars(proof)
    transcript = Transcript("pop")
    transcript.put("ctx", ctx)
    transcript.put("key", key)
    transcript.put("commitments", encode(combine((z, G), (-c, decode(key)))))
    need(transcript.scalar("c") == c, "possession")


# --- shares ---------------------------------------------------------------------------------------


def check_dleq(
    base: Point, A: Point, B: Point, C: Point, proof: bytes, message: bytes = b""
) -> None:
    """BIP-374: A = a base and C = a B for one a. An empty message stands for none."""
    need(len(proof) == 64, "length")
    s = int.from_bytes(proof[32:], "big")
    e = int.from_bytes(proof[:32], "big")
    need(s < L and e % L != 0, "scalars")
    R1, R2 = combine((s, base), (-e, A)), combine((s, B), (-e, C))
    data = b"".join(map(encode, (A, B, C, base, R1, R2))) + message
    need(_tagged("BIP0374/challenge", data) == proof[:32], "equality of logarithms")


def _tagged(tag: str, data: bytes) -> bytes:
    prefix = sha256(tag.encode())
    return sha256(prefix + prefix + data)


def batch_weights(
    ctx: bytes, key: bytes, masks: Sequence[bytes], shares: Sequence[bytes]
) -> list[int]:
    """The d_i that bind several shares into one statement."""
    transcript = Transcript("shares")
    transcript.put("ctx", ctx)
    transcript.put("key", key)
    transcript.put_all("masks", [mask[:33] for mask in masks])
    transcript.put_all("shares", shares)
    return transcript.vector("d", len(masks))


def check_shares(
    ctx: bytes, key: bytes, masks: Sequence[bytes], shares: Sequence[bytes], proof: bytes
) -> None:
    """64 bytes: each share is x A for the mask's A and the x of the key."""
    need(len(masks) == len(shares) > 0 and len(proof) == 64, "length")
    scalar(proof[32:])
    firsts, images = [decode(mask[:33]) for mask in masks], [decode(share) for share in shares]
    if len(masks) == 1:
        B, C = firsts[0], images[0]
    else:
        d = batch_weights(ctx, key, masks, shares)
        B = combine(*zip(d, firsts, strict=True))
        C = combine(*zip(d, images, strict=True))
    check_dleq(G, decode(key), B, C, proof, sha256(ctx))


# --- gifts ----------------------------------------------------------------------------------------


def check_gift(ctx: bytes, key: bytes, to: bytes, mask: bytes, given: bytes, proof: bytes) -> None:
    """96 bytes: `given` under `to` holds the card of `mask` under `key`."""
    need(len(proof) == 96, "length")
    c, zx, zr = scalars(proof)
    X, Y = decode(key), decode(to)
    (A, B), (A2, B2) = decode_mask(mask), decode_mask(given)
    commitments = (
        combine((zx, G), (-c, X)),
        combine((zr, G), (-c, A2)),
        combine((zx, A), (-zr, Y), (-c, subtract(B, B2))),
    )
    transcript = Transcript("give")
    transcript.put("ctx", ctx)
    transcript.put("key", key)
    transcript.put("to", to)
    transcript.put("mask", mask)
    transcript.put("given", given)
    transcript.put("commitments", b"".join(map(encode, commitments)))
    need(transcript.scalar("c") == c, "gift")


# --- formulas -------------------------------------------------------------------------------------

FREE = None
Pattern = tuple[int | None, int | None, int | None, int | None]


@dataclass(frozen=True, slots=True)
class Rep:
    """The card in the mask, or the difference of two, fits the pattern."""

    mask: bytes
    minus: bytes | None
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Both:
    """And: every part is true."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """Or: some part is true."""

    parts: tuple[Formula, ...]


Formula = Rep | Both | Either
TRUE, FALSE = Both(()), Either(())


def fold(formula: Formula) -> Formula:
    """Without constants inside; `TRUE` or `FALSE` if it is one."""
    if isinstance(formula, Rep):
        return formula
    gone, decisive = (TRUE, FALSE) if isinstance(formula, Both) else (FALSE, TRUE)
    parts = tuple(part for part in map(fold, formula.parts) if part != gone)
    return decisive if decisive in parts else type(formula)(parts)


def statement(formula: Formula) -> bytes:
    """The canonical bytes of a folded formula."""
    if isinstance(formula, Rep):
        pattern = bytes(255 if value is None else value for value in formula.pattern)
        if formula.minus is None:
            return b"\x03" + formula.mask + pattern
        return b"\x04" + formula.mask + formula.minus + pattern
    head = b"\x01" if isinstance(formula, Both) else b"\x02"
    return head + joined([len(formula.parts)], 2) + b"".join(map(statement, formula.parts))


def proof_length(formula: Formula) -> int:
    """Bytes of a proof of a folded formula."""

    def numbers(part: Formula) -> int:
        if isinstance(part, Rep):
            return 1 + part.pattern.count(FREE)
        challenges = len(part.parts) - 1 if isinstance(part, Either) else 0
        return challenges + sum(map(numbers, part.parts))

    return 32 * (1 + numbers(formula))


def check_formula(ctx: bytes, key: bytes, formula: Formula, proof: bytes) -> None:
    """The (folded) formula is true of cards under the key; false has no proof."""
    need(formula != FALSE, "false")
    if formula == TRUE:
        need(proof == b"", "length")
        return
    need(len(proof) == proof_length(formula), "length")
    c, *rest = scalars(proof)
    transcript = Transcript("formula")
    transcript.put("ctx", ctx)
    transcript.put("key", key)
    transcript.put("statement", statement(formula))
    commitments = b"".join(_commitments(formula, c, decode(key), iter(rest)))
    transcript.put("commitments", commitments)
    need(transcript.scalar("c") == c, "formula")


def _commitments(formula: Formula, c: int, X: Point, numbers: Iterator[int]) -> Iterator[bytes]:
    """T1 and T2 of every atom, in preorder; takes its numbers from those of the proof."""
    if isinstance(formula, Rep):
        A, B = _difference(formula)
        z = next(numbers)
        yield encode(combine((z, G), (-c, X)))
        bases = [attribute_base(i) for i in range(1, 5)]
        terms = [(z, A), (-c, B)]
        for base, value in zip(bases, formula.pattern, strict=True):
            terms.append((next(numbers) if value is None else c * value, base))
        yield encode(combine(*terms))
        return
    challenges = [c] * len(formula.parts)
    if isinstance(formula, Either):
        # An Or's first challenges stand before all its children, not each before its own.
        challenges = [next(numbers) for _ in formula.parts[1:]]
        challenges.append((c - sum(challenges)) % L)
        need(challenges[-1] != 0, "the last challenge of an Or")
    for part, challenge in zip(formula.parts, challenges, strict=True):
        yield from _commitments(part, challenge, X, numbers)


def _difference(atom: Rep) -> Mask:
    A, B = decode_mask(atom.mask)
    if atom.minus is None:
        return A, B
    A2, B2 = decode_mask(atom.minus)
    A, B = subtract(A, A2), subtract(B, B2)
    need(A is not None and B is not None, "a difference of masks is at infinity")
    return A, B


def holds(formula: Formula, secret: int) -> bool:
    """Whether the formula is true of the cards, for who knows x; `Unproven` if one is no card."""
    if isinstance(formula, Both):
        return all(holds(part, secret) for part in formula.parts)
    if isinstance(formula, Either):
        return any(holds(part, secret) for part in formula.parts)
    values = _read(formula.mask, secret)
    if formula.minus is not None:
        other = _read(formula.minus, secret)
        values = tuple(a - b for a, b in zip(values, other, strict=True))
    return all(
        wanted in (FREE, value) for wanted, value in zip(formula.pattern, values, strict=True)
    )


def _read(mask: bytes, secret: int) -> tuple[int, ...]:
    A, B = decode_mask(mask)
    face = face_of(combine((1, B), (-secret, A)))
    if face is None:
        raise Unproven("no card")
    return (*face, 0)
