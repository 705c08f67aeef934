"""Positions of any game, moves that make no sense, and worlds that one seat cannot tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import fields
from random import Random
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from p2pcards.cards.rules import Option, Value, settle
from p2pcards.cards.table import Seat, Slot
from p2pcards.engine.view import AnyRules
from p2pcards.errors import BadOption
from p2pcards.testing.referee import Referee

T = TypeVar("T")


def pick(items: Sequence[T], rng: Random) -> T:
    """One of them."""
    return items[rng.randrange(len(items))]


def random_options(rules: AnyRules, seats: int, rng: Random) -> dict[str, Value]:
    """Some options away from their defaults, such that `check` accepts them all."""
    while True:
        options = {o.name: _random_value(o, rng) for o in rules.options if rng.random() < 0.5}
        try:
            rules.check(settle(rules.options, options), seats)
        except BadOption:
            continue
        return options


def _random_value(option: Option, rng: Random) -> Value:
    # a thousand deals show no more than three, and take all day
    return pick(option.values[:4] if option.name == "deals" else option.values, rng)


def begin(rules: AnyRules, rng: Random, *, ends: bool = False) -> Referee:
    """A new match with any number of seats and any options. `ends`: not one that goes on until a
    player has had enough, which bots never have."""
    seats = pick(rules.seats, rng)
    options = random_options(rules, seats, rng)
    if ends and options.get("deals") == 0:
        options["deals"] = 1
    return Referee.deal(rules, seats, options, rng=rng)


def move_on(referee: Referee, rng: Random) -> tuple[Seat, Any]:
    """Some seat that owes a move makes one of its own; gives both."""
    seat = pick(sorted(referee.owing), rng)
    move = pick(referee.options(seat), rng).move
    referee.play(seat, move)
    return seat, move


def reach(rules: AnyRules, rng: Random, most: int = 60) -> Referee:
    """A position in a running match, up to so many moves from its beginning."""
    referee = begin(rules, rng)
    for _ in range(rng.randrange(most)):
        before = fork(referee)
        move_on(referee, rng)
        if referee.outcome is not None:
            return before
    return referee


def fork(referee: Referee) -> Referee:
    """The same match, to be played on in another way. Future cards come from a copy of the rng."""
    other = copy(referee)
    other.rng = Random()
    other.rng.setstate(referee.rng.getstate())
    other.truth = dict(referee.truth)
    other.known = [dict(faces) for faces in referee.known]
    other.said = dict(referee.said)
    other.history = list(referee.history)
    return other


def hidden_from(referee: Referee, seat: Seat | None) -> list[Slot]:
    """The cards on the table that a seat (None: a spectator) has not seen."""
    known = {} if seat is None else referee.known[seat]
    return [s for s in referee.table.slots() if not referee.table.is_up(s) and s not in known]


def swapped(referee: Referee, a: Slot, b: Slot) -> Referee:
    """The world in which two cards lie the other way round, for everybody who has seen them."""
    other = fork(referee)
    faces = {a: referee.truth[b], b: referee.truth[a]}
    other.truth.update(faces)
    for known in other.known:
        known.update({slot: face for slot, face in faces.items() if slot in known})
    return other


def arbitrary_moves(referee: Referee, rng: Random, count: int) -> Iterator[Any]:
    """Moves of the right types and nothing else: any card, any number."""
    for _ in range(count):
        kind = pick(referee.rules.moves, rng)
        hints = get_type_hints(kind)
        yield kind(*(_arbitrary(hints[f.name], referee, rng) for f in fields(kind)))


def _arbitrary(hint: Any, referee: Referee, rng: Random) -> Any:
    if hint is int:
        near = (-1, 0, 1, 2, 3, 5, 8, 13, 17, 52, 2**32)
        return pick((pick(near, rng), pick(referee.table.slots() or (0,), rng)), rng)
    if hint is bool:
        return rng.random() < 0.5
    if hint is str:
        return pick(("", "x", "pass"), rng)
    if get_origin(hint) is tuple:
        return tuple(_arbitrary(get_args(hint)[0], referee, rng) for _ in range(rng.randrange(4)))
    raise TypeError(f"a move's field is a whole number, a truth, a text or a tuple: {hint}")
