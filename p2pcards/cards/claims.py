"""Claims: what a seat must prove about its face-down cards, as a formula over slots.

Rules return a claim with a move; it filters the moves on screen, makes the proof, checks it, and is
what the auditor reads. An atom speaks of one slot or compares two; `All` and `Any` nest to any
depth. protocol.md section 6.6 says which proof each becomes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from p2pcards.cards.faces import Attribute, Face
from p2pcards.cards.table import Slot


@dataclass(frozen=True, slots=True)
class FaceIs:
    """The card is exactly this one."""

    slot: Slot
    face: Face


@dataclass(frozen=True, slots=True)
class FaceIsNot:
    """The card is any but this one."""

    slot: Slot
    face: Face


@dataclass(frozen=True, slots=True)
class SuitIs:
    """The card is of this suit."""

    slot: Slot
    suit: int


@dataclass(frozen=True, slots=True)
class SuitIsNot:
    """The card is of another suit."""

    slot: Slot
    suit: int


@dataclass(frozen=True, slots=True)
class RankAtMost:
    """The card's rank (or another attribute) is at most this."""

    slot: Slot
    rank: int
    attribute: Attribute = Attribute.RANK


@dataclass(frozen=True, slots=True)
class RankAtLeast:
    """The card's rank (or another attribute) is at least this."""

    slot: Slot
    rank: int
    attribute: Attribute = Attribute.RANK


@dataclass(frozen=True, slots=True)
class ClassIs:
    """The card is of this class (Gnav: 1 ordinary, 2 matador)."""

    slot: Slot
    klass: int


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The first card's attribute is at least the second's; both are the mover's own."""

    high: Slot
    low: Slot
    attribute: Attribute = Attribute.RANK


@dataclass(frozen=True, slots=True)
class OneOf:
    """The card is one of a public list."""

    slot: Slot
    faces: tuple[Face, ...]


@dataclass(frozen=True, slots=True, init=False)
class All:
    """Every part holds; the empty one is true."""

    parts: tuple[Claim, ...]

    def __init__(self, parts: Iterable[Claim] = ()) -> None:
        object.__setattr__(self, "parts", tuple(parts))


@dataclass(frozen=True, slots=True, init=False)
class Any:
    """At least one part holds; the empty one is false."""

    parts: tuple[Claim, ...]

    def __init__(self, parts: Iterable[Claim] = ()) -> None:
        object.__setattr__(self, "parts", tuple(parts))


OneSlot = FaceIs | FaceIsNot | SuitIs | SuitIsNot | RankAtMost | RankAtLeast | ClassIs | OneOf
Atom = OneSlot | AtLeast
Claim = Atom | All | Any

NOTHING: Claim = All(())
IMPOSSIBLE: Claim = Any(())


def is_true_of(atom: OneSlot, face: Face) -> bool:
    """Whether an atom holds of a card with this face."""
    match atom:
        case FaceIs(_, wanted):
            return face == wanted
        case FaceIsNot(_, other):
            return face != other
        case SuitIs(_, suit):
            return face.suit == suit
        case SuitIsNot(_, suit):
            return face.suit != suit
        case RankAtMost(_, rank, attribute):
            return face[attribute] <= rank
        case RankAtLeast(_, rank, attribute):
            return face[attribute] >= rank
        case ClassIs(_, klass):
            return face.klass == klass
        case OneOf(_, faces):
            return face in faces


def holds(claim: Claim, face: Callable[[Slot], Face]) -> bool:
    """Whether a claim is true, for somebody who sees the faces of all its slots."""
    match claim:
        case All(parts):
            return all(holds(part, face) for part in parts)
        case Any(parts):
            return any(holds(part, face) for part in parts)
        case AtLeast(high, low, attribute):
            return face(high)[attribute] >= face(low)[attribute]
        case _:
            return is_true_of(claim, face(claim.slot))


def slots_of(claim: Claim) -> frozenset[Slot]:
    """Every slot that a claim speaks of."""
    match claim:
        case All(parts) | Any(parts):
            return frozenset().union(*(slots_of(part) for part in parts))
        case AtLeast(high, low):
            return frozenset((high, low))
        case _:
            return frozenset((claim.slot,))


def simplify(claim: Claim, faces: Mapping[Slot, Face]) -> Claim:
    """The claim with every face that is already public folded in.

    What is left speaks of face-down cards only; `NOTHING` means that no proof is needed, and
    `IMPOSSIBLE` that the claim is false in the open.
    """
    match claim:
        case All(parts):
            return _fold(parts, faces, All, unit=NOTHING, zero=IMPOSSIBLE)
        case Any(parts):
            return _fold(parts, faces, Any, unit=IMPOSSIBLE, zero=NOTHING)
        case AtLeast(high, low, attribute):
            return _compare(claim, high, low, attribute, faces)
        case _:
            if claim.slot not in faces:
                return claim
            return NOTHING if is_true_of(claim, faces[claim.slot]) else IMPOSSIBLE


def _fold(
    parts: tuple[Claim, ...],
    faces: Mapping[Slot, Face],
    join: type[All | Any],
    unit: Claim,
    zero: Claim,
) -> Claim:
    left = []
    for part in parts:
        simple = simplify(part, faces)
        if simple == zero:
            return zero
        if simple != unit:
            left.append(simple)
    if len(left) == 1:
        return left[0]
    return join(left) if left else unit


def _compare(
    claim: AtLeast, high: Slot, low: Slot, attribute: Attribute, faces: Mapping[Slot, Face]
) -> Claim:
    if high == low:
        return NOTHING
    if high in faces and low in faces:
        return NOTHING if faces[high][attribute] >= faces[low][attribute] else IMPOSSIBLE
    if low in faces:
        return RankAtLeast(high, faces[low][attribute], attribute)
    if high in faces:
        return RankAtMost(low, faces[high][attribute], attribute)
    return claim
