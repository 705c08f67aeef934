"""Values and misfits for every wire form: what a field takes, and what lies just outside of it."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Union

from hypothesis import strategies as st

from p2pcards.wire import messages
from p2pcards.wire.codec import MAX_ITEMS, Between, Plain, Size, Upto, to_plain

RECORDS: tuple[type[Any], ...] = (
    messages.Payload,
    messages.Envelope,
    messages.ChunkHeader,
    messages.Player,
    messages.Setting,
    messages.Draft,
    *messages.BODIES.values(),
    *messages.FRAMES,
    *messages.RECORDS,
)
"""Every record that travels, alone or inside another."""

LEAVES: st.SearchStrategy[Plain] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.binary(max_size=40),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)


def _arrays(inner: st.SearchStrategy[Plain]) -> st.SearchStrategy[Plain]:
    return st.lists(inner, max_size=4).map(tuple)


PLAIN: st.SearchStrategy[Plain] = st.one_of(
    LEAVES, _arrays(LEAVES), _arrays(_arrays(LEAVES)), _arrays(_arrays(_arrays(LEAVES)))
)
"""Plain values, at most as deep as a move may be inside its message."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """A field's annotation, taken apart."""

    kind: Any
    size: int | None = None
    upto: int | None = None
    low: int = -(2**63)
    high: int = 2**64 - 1


def bounds(hint: Any) -> Bounds:
    """The bare type of an annotation and the bounds on it."""
    found = Bounds(hint)
    while typing.get_origin(found.kind) is Annotated:
        bare, *marks = typing.get_args(found.kind)
        found = dataclasses.replace(found, kind=bare)
        for mark in marks:
            match mark:
                case Size(length):
                    found = dataclasses.replace(found, size=length)
                case Upto(length):
                    found = dataclasses.replace(found, upto=length)
                case Between(low, high):
                    found = dataclasses.replace(found, low=low, high=high)
                case _:
                    raise TypeError(f"an unknown bound: {mark}")
    return found


def fields(record: type[Any]) -> dict[str, Any]:
    """Annotations by field name."""
    return typing.get_type_hints(record, include_extras=True)


def is_union(kind: Any) -> bool:
    """Whether an annotation leaves a choice."""
    return typing.get_origin(kind) in (Union, types.UnionType)


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values that fit an annotation."""
    b = bounds(hint)
    most = b.size if b.size is not None else min(b.upto if b.upto is not None else 12, 12)
    least = b.size or 0
    if b.kind is bytes:
        return st.binary(min_size=least, max_size=most)
    if b.kind is str:
        alphabet = st.characters(exclude_categories=["Cs"])
        return st.text(alphabet, min_size=least, max_size=most)
    if b.kind is bool:
        return st.booleans()
    if b.kind is int:
        return st.integers(b.low, b.high)
    if b.kind is type(None):
        return st.none()
    if b.kind is Any:
        return PLAIN
    if is_union(b.kind):
        return st.one_of(*(values(each) for each in typing.get_args(b.kind)))
    if typing.get_origin(b.kind) is tuple:
        each, _ = typing.get_args(b.kind)
        return st.lists(values(each), min_size=least, max_size=min(most, 4)).map(tuple)
    return records(b.kind)


def records(record: type[Any]) -> st.SearchStrategy[Any]:
    """Records of a type."""
    return st.builds(record, **{name: values(hint) for name, hint in fields(record).items()})


def example(hint: Any) -> Any:
    """One small value that fits."""
    b = bounds(hint)
    if b.kind in (bytes, str):
        return (b"\1" if b.kind is bytes else "a") * (b.size if b.size is not None else 1)
    if b.kind is bool:
        return True
    if b.kind is int:
        return min(max(1, b.low), b.high)
    if b.kind is Any or b.kind is type(None):
        return None
    if is_union(b.kind):
        return example(typing.get_args(b.kind)[0])
    if typing.get_origin(b.kind) is tuple:
        return (example(typing.get_args(b.kind)[0]),)
    return b.kind(**{name: example(hint) for name, hint in fields(b.kind).items()})


def misfits(hint: Any) -> Iterator[Plain]:
    """Plain values that just do not fit an annotation."""
    b = bounds(hint)
    if b.kind is Any:
        return
    if is_union(b.kind):
        kinds = typing.get_args(b.kind)
        others: tuple[Plain, ...] = (None, True, 1, b"\1", "a")
        yield from (value for value in others if type(value) not in kinds and bare(value, kinds))
        yield (1,)
        return
    yield from _other_types(b)
    if b.kind in (bytes, str):
        one: Plain = b"\1" if b.kind is bytes else "a"
        assert isinstance(one, bytes | str)
        if b.size is not None:
            yield from (one * (b.size - 1), one * (b.size + 1), one * 0)
        if b.upto is not None:
            yield one * (b.upto + 1)
    elif b.kind is int:
        yield from (low for low in (b.low - 1,) if low >= -(2**63))
        yield from (high for high in (b.high + 1,) if high < 2**64)
    elif typing.get_origin(b.kind) is tuple:
        (each, _) = typing.get_args(b.kind)
        fine = to_plain(example(each))
        if b.upto is not None and b.upto < MAX_ITEMS:
            yield (fine,) * (b.upto + 1)
        yield from ((fine, misfit) for misfit in misfits(each))
    elif isinstance(b.kind, type) and dataclasses.is_dataclass(b.kind):
        yield from misfit_records(b.kind)


def bare(value: Plain, kinds: tuple[Any, ...]) -> bool:
    """Whether none of the kinds is a record, which no bare value can be."""
    return all(not dataclasses.is_dataclass(kind) for kind in kinds) or value is not None


def _other_types(b: Bounds) -> Iterator[Plain]:
    length = b.size if b.size is not None else 1
    look_alikes: dict[Any, tuple[Plain, ...]] = {
        bytes: ("a" * length, (1,) * min(length, 40), 1, True, None),
        str: (b"a" * length, ("a",), 1, True, None),
        int: (True, False, b"\1", "1", (1,), None),
        bool: (1, 0, b"\1", "true", (), None),
    }
    arrays: tuple[Plain, ...] = (None, 1, True, b"\1", "a")
    yield from look_alikes.get(b.kind, arrays)


def misfit_records(record: type[Any]) -> Iterator[Plain]:
    """Arrays that are nearly a record: each field put wrong in turn, one too few, one too many."""
    fine = to_plain(example(record))
    assert isinstance(fine, tuple)
    for place, hint in enumerate(fields(record).values()):
        for misfit in misfits(hint):
            yield (*fine[:place], misfit, *fine[place + 1 :])
    if fine:
        yield fine[:-1]
    yield (*fine, None)
    yield (*fine, fine)
