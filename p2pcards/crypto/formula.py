"""What a claim about held cards says: a formula of atoms `Rep`, and its canonical bytes.

Statements only, their shape and their size; no points and no secrets. `composition` proves and
checks them. Games state formulas, so nothing in one ever comes from another peer but the masks.
protocol.md section 5.5.

`Rep(mask, minus, fixed)` says of the card (A, B), or of the difference (A, B) of two cards, held
under the key X = xG:

    B = xA + sum over i of m_i P_i,  with m_i = fixed[i] where that is a number

and nothing of m_i where it is None. Attributes beyond `fixed` are 0. Every card of a pack is such
a sum of small attributes (`elgamal`), and the P_i have no known relation, so this is a statement
about the card's attributes.

Constants. `And(())` is true and `Or(())` is false. Before anything else they are folded away: a
true child leaves its And and makes its Or true, a false child leaves its Or and makes its And
false. Nothing else is simplified. What is left is a constant, or has none inside. A proof of true
is the empty string; false has none.

Canonical bytes of a folded formula, integers big-endian, children in order:

    And   01 | number of children (2 bytes) | children
    Or    02 | number of children (2 bytes) | children
    Rep   03 | mask (66) | pattern (4)                      one card
          04 | mask (66) | minus (66) | pattern (4)         a difference

where byte i of the pattern is fixed[i], or ff where the attribute is free.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from p2pcards.crypto.elgamal import MASK_SIZE, Mask
from p2pcards.crypto.group import MAX_ATTRIBUTES, SCALAR_SIZE
from p2pcards.errors import BadFormula, BadPoint

MAX_DEPTH: Final = 16
"""Deepest nesting of And and Or around an atom."""
MAX_CHILDREN: Final = 65535
MAX_FIXED: Final = 254
"""Largest value of a fixed attribute; one byte, of which 255 means free."""

_FREE: Final = 255


@dataclass(frozen=True, slots=True)
class Rep:
    """An atom: attributes of one card (`mask`), or of the difference `mask` - `minus` of two.

    Masks are 66 bytes under the prover's own key. `fixed` has one entry for each attribute of the
    pack, at most four: its value (0 = absent, or equal in both cards), or None if it is left open.
    """

    mask: Mask
    minus: Mask | None
    fixed: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class And:
    """All of the children hold; true if there is none."""

    children: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of the children holds; false if there is none."""

    children: tuple[Formula, ...]


Formula = Rep | And | Or


def fold(formula: Formula) -> Formula | bool:
    """The formula without constants, or the constant that it is.

    Raises BadFormula if it is deeper or wider than the limits or an attribute is out of range, and
    BadPoint if a mask is not 66 bytes. Whether the masks are points is not looked at.
    """
    return _fold(formula, 0)


def _fold(formula: Formula, depth: int) -> Formula | bool:
    if isinstance(formula, Rep):
        return _check_atom(formula)
    if depth >= MAX_DEPTH:
        raise BadFormula(detail=f"nested more than {MAX_DEPTH} deep")
    if len(formula.children) > MAX_CHILDREN:
        raise BadFormula(detail=f"more than {MAX_CHILDREN} children")
    decisive = isinstance(formula, Or)
    kept: list[Formula] = []
    decided = False
    for child in formula.children:
        folded = _fold(child, depth + 1)
        if isinstance(folded, bool):
            decided = decided or folded is decisive
        else:
            kept.append(folded)
    if decided:
        return decisive
    if not kept:
        return not decisive
    return type(formula)(tuple(kept))


def _check_atom(atom: Rep) -> Rep:
    if len(atom.mask) != MASK_SIZE or (atom.minus is not None and len(atom.minus) != MASK_SIZE):
        raise BadPoint(detail="not a 66-byte mask")
    if atom.minus == atom.mask:
        raise BadFormula(detail="the difference of a card and itself")
    if not 1 <= len(atom.fixed) <= MAX_ATTRIBUTES:
        raise BadFormula(detail=f"a card has 1 to {MAX_ATTRIBUTES} attributes")
    for value in atom.fixed:
        if value is not None and not 0 <= value <= MAX_FIXED:
            raise BadFormula(detail=f"a fixed attribute is 0 to {MAX_FIXED}")
    return atom


def pattern(atom: Rep) -> tuple[int | None, ...]:
    """`fixed` for all four attributes."""
    return atom.fixed + (0,) * (MAX_ATTRIBUTES - len(atom.fixed))


def statement(folded: Formula) -> bytes:
    """The canonical bytes of a folded formula."""
    return b"".join(_pieces(folded))


def _pieces(folded: Formula) -> Iterator[bytes]:
    if isinstance(folded, Rep):
        yield b"\3" if folded.minus is None else b"\4"
        yield folded.mask
        if folded.minus is not None:
            yield folded.minus
        yield bytes(_FREE if value is None else value for value in pattern(folded))
        return
    yield b"\1" if isinstance(folded, And) else b"\2"
    yield len(folded.children).to_bytes(2, "big")
    for child in folded.children:
        yield from _pieces(child)


def proof_size(folded: Formula | bool) -> int:
    """Bytes of a proof: a function of the public shape alone, never of the cards."""
    return 0 if isinstance(folded, bool) else SCALAR_SIZE * (1 + _count_scalars(folded))


def _count_scalars(folded: Formula) -> int:
    if isinstance(folded, Rep):
        return 1 + folded.fixed.count(None)
    chosen = len(folded.children) - 1 if isinstance(folded, Or) else 0
    return chosen + sum(_count_scalars(child) for child in folded.children)
