"""Claims become statements for the kernel; and the jobs in which proofs are made and checked.

A claim speaks of slots, a statement of masks and attribute values. Each atom is an OR over the
values that an attribute may take, each branch one linear relation (protocol.md section 6.6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any as AnyValue

from p2pcards.cards.claims import (
    All,
    Any,
    AtLeast,
    Claim,
    ClassIs,
    FaceIs,
    FaceIsNot,
    OneOf,
    RankAtLeast,
    RankAtMost,
    SuitIs,
    SuitIsNot,
)
from p2pcards.cards.faces import Attribute, Face, Pack
from p2pcards.cards.table import Slot
from p2pcards.crypto.formula import And, Formula, Or, Rep
from p2pcards.crypto.kernel import Kernel
from p2pcards.errors import BadProof, CryptoError

Pattern = tuple[int | None, ...]


def formula(claim: Claim, mask: Callable[[Slot], bytes], pack: Pack) -> Formula:
    """The statement of a simplified claim. `mask`: a slot's 66 bytes under the prover's own key."""

    def branches(slot: Slot, patterns: Iterable[Pattern]) -> Formula:
        return Or(tuple(Rep(mask(slot), None, pattern) for pattern in patterns))

    def where(slot: Slot, attribute: Attribute, keep: Callable[[int], bool]) -> Formula:
        values = filter(keep, pack.values(attribute))
        return branches(slot, (_pattern(pack, attribute, value) for value in values))

    match claim:
        case All(parts):
            return And(tuple(formula(part, mask, pack) for part in parts))
        case Any(parts):
            return Or(tuple(formula(part, mask, pack) for part in parts))
        case FaceIs(slot, face):
            return branches(slot, (face,))
        case FaceIsNot(slot, face):
            return branches(slot, _others(pack, face))
        case OneOf(slot, faces):
            return branches(slot, faces)
        case SuitIs(slot, suit):
            return where(slot, Attribute.SUIT, lambda value: value == suit)
        case SuitIsNot(slot, suit):
            return where(slot, Attribute.SUIT, lambda value: value != suit)
        case RankAtMost(slot, rank, attribute):
            return where(slot, attribute, lambda value: value <= rank)
        case RankAtLeast(slot, rank, attribute):
            return where(slot, attribute, lambda value: value >= rank)
        case ClassIs(slot, klass):
            return where(slot, Attribute.CLASS, lambda value: value == klass)
        case AtLeast(high, low, attribute):
            values = pack.values(attribute)
            return Or(
                tuple(
                    Rep(mask(high), mask(low), _pattern(pack, attribute, difference))
                    for difference in range(values[-1] - values[0] + 1)
                )
            )


def _pattern(pack: Pack, fixed: Attribute, value: int) -> Pattern:
    """One attribute fixed; the others free where the pack uses them, 0 where it does not."""
    return tuple(
        value if attribute is fixed else (0 if pack.values(attribute) == (0,) else None)
        for attribute in Attribute
    )


def _others(pack: Pack, face: Face) -> Iterable[Pattern]:
    """Not this face: some attribute differs. Far fewer branches than one for each other card."""
    for attribute in Attribute:
        for value in pack.values(attribute):
            if value != face[attribute]:
                yield _pattern(pack, attribute, value)


@dataclass(frozen=True, slots=True)
class Job:
    """One call of a kernel verb, to be run off the loop. `expect`: what it must give (None: the
    verb raises by itself). `code`: what a failure is called."""

    code: str
    verb: str
    args: tuple[AnyValue, ...]
    expect: AnyValue = None

    def run(self, kernel: Kernel) -> CryptoError | None:
        """None when all is well, otherwise the error."""
        try:
            result = getattr(kernel, self.verb)(*self.args)
            if self.expect is not None and result != self.expect:
                return BadProof(self.code, self.verb)
        except CryptoError as error:
            return error
        return None
