"""What a card game is to the rest of the house: the `Rules` protocol.

Rules are pure functions of public knowledge: same arguments, same answer. They see a `Table` with
the faces that are turned up and nothing else; what a seat must prove about its hidden cards is a
claim in the `Ruling`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from p2pcards.cards.claims import NOTHING, All, Claim, holds
from p2pcards.cards.faces import Face
from p2pcards.cards.ops import Op
from p2pcards.cards.table import Seat, Slot, Table
from p2pcards.errors import BadOption, IllegalMove

Value = bool | int | str | None
"""A value of an option."""


@dataclass(frozen=True, slots=True)
class Moves:
    """These seats each owe one move.

    `sealed`: all commit before any is revealed. `forced`: exactly one option can be true of a
    seat's cards, so its peer plays it at once.
    """

    seats: frozenset[Seat]
    sealed: bool = False
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Dealing:
    """The cards have a turn: these operations, then `resume`."""

    ops: tuple[Op, ...]


@dataclass(frozen=True, slots=True)
class Over:
    """The match has ended. `places`: per seat, 1 is best, equal places are shared. `points`: per
    seat, where the game counts any."""

    places: tuple[int, ...]
    points: tuple[int, ...] | None = None


Await = Moves | Dealing | Over

S = TypeVar("S")
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Ruling(Generic[S]):
    """A lawful move: the state after it, the cards it moves, and what the mover must prove.

    `word` must be true of the mover's cards like the claim, but nobody asks for a proof of it: a
    game takes the mover's word where a lie comes to light later by itself. It decides what a seat
    is offered, and nothing else.

    `reasons`: where claim and word are `All`s, the code of the rule behind each of their parts, in
    order, the claim's first. Only the mover can tell which part is false of its cards; its own
    screen names the rule.
    """

    state: S
    ops: tuple[Op, ...] = ()
    claim: Claim = NOTHING
    reasons: tuple[str, ...] = ()
    word: Claim = NOTHING

    def broken(self, face: Callable[[Slot], Face]) -> str | None:
        """The code of the rule that the move breaks, for somebody who sees the faces of all slots
        of claim and word; None if both are true."""
        if holds(self.claim, face) and holds(self.word, face):
            return None
        parts = (*_parts(self.claim), *_parts(self.word))
        for part, reason in zip(parts, self.reasons, strict=False):
            if not holds(part, face):
                return reason
        return IllegalMove.code


def _parts(claim: Claim) -> tuple[Claim, ...]:
    return claim.parts if isinstance(claim, All) else ()


@dataclass(frozen=True, slots=True)
class Option:
    """One rule that a table may choose. `values` is the list, or an inclusive (lowest, highest)
    of a whole number. A default of None is worked out from the number of seats."""

    name: str
    values: tuple[Value, ...] | range
    default: Value
    text: str

    def read(self, value: Value) -> Value:
        """The value, also from its text form; `BadOption` names the values it takes."""
        # a name is taken as it stands, also "none", which elsewhere means no value
        plain = not isinstance(value, str) or value in self.values
        read = value if plain else _from_text(str(value))
        if read is None and self.default is None:
            return None
        for candidate in self.values:
            # True == 1 in Python; the kinds must not mix on the wire
            if read == candidate and type(read) is type(candidate):
                return candidate
        raise BadOption(detail=f"{self.name}={value}: takes {self.describe()}")

    def describe(self) -> str:
        """The values in words, e.g. `true | false` or `1..17`."""
        if isinstance(self.values, range):
            return f"{self.values.start}..{self.values.stop - 1}"
        return " | ".join(self.write(value) for value in self.values)

    def write(self, value: Value) -> str:
        """The text form of a value, as `read` takes it."""
        return str(value).lower() if isinstance(value, bool) or value is None else str(value)


_WORDS: Mapping[str, Value] = {"true": True, "false": False, "none": None, "null": None}


def _from_text(text: str) -> Value:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    # a name that starts like a number stays a name; int() alone would take "1_0" and " 7"
    return int(text) if text.isascii() and text.isdigit() else text


def settle(schema: Iterable[Option], given: Mapping[str, Value]) -> dict[str, Value]:
    """Every option of a schema with its value: given, or the default. Raises `BadOption`."""
    options = {option.name: option for option in schema}
    for name in given:
        if name not in options:
            raise BadOption("option.unknown", f"{name}: there are {', '.join(options) or 'none'}")
    return {
        name: option.read(given[name]) if name in given else option.default
        for name, option in options.items()
    }


class Rules(Protocol[S, M]):
    """One card game, over public knowledge only."""

    key: str
    title: str
    seats: range
    moves: tuple[type[M], ...]
    options: tuple[Option, ...]

    def check(self, options: Mapping[str, Value], seats: int) -> None:
        """Raises `BadOption` for options that do not go together or do not fit the seats."""

    def start(self, seats: int, options: Mapping[str, Value]) -> S:
        """The state before anything has happened; `options` are settled and checked."""

    def awaits(self, s: S, t: Table) -> Await:
        """Whose turn it is: some seats', the cards', or nobody's. The game's one state machine."""

    def resume(self, s: S, t: Table) -> S:
        """The cards of a `Dealing` have moved; `t` shows what was turned up and tossed."""

    def opens(self, m: M) -> tuple[Slot, ...]:
        """The cards that this move lays face up."""

    def judge(self, s: S, t: Table, seat: Seat, m: M) -> Ruling[S]:
        """The ruling on a move, or `IllegalMove`. `t` shows the cards the move opens, unless one
        is a blind card; what can be refused without its face is refused before it is asked for."""

    def candidates(self, s: S, t: Table, seat: Seat) -> Iterable[M]:
        """Moves worth judging, on the table as this seat sees it; a superset of the lawful ones."""

    def sheet(self, s: S) -> Sequence[Mapping[str, object]]:
        """The score sheet so far, a row a hand."""

    def standing(self, s: S) -> Over:
        """Places and points if the match ended now (a table may stop after some hands)."""


def need(condition: bool, code: str, detail: str = "") -> None:
    """A rule of the game: without the condition the move is refused under this code."""
    if not condition:
        raise IllegalMove(code, detail)
