"""Strict canonical msgpack, and records with bounds: the one place that knows how bytes are packed.

Bytes from outside are `Untrusted` until `unpack` has read them. One value has one encoding: what
decodes must encode to the same bytes again (protocol.md section 1.1). Records are frozen
dataclasses; on the wire each is an array of its fields. Bounds stand in the annotations:
`Annotated[bytes, Size(32)]`, `Annotated[tuple[X, ...], Upto(20)]`.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Annotated, Any, NewType, TypeVar, Union

import msgpack

from p2pcards.errors import Malformed

Untrusted = NewType("Untrusted", bytes)
"""Bytes from outside."""

Plain = None | bool | int | bytes | str | tuple["Plain", ...]
"""What may travel. No floats, maps, extension types or nil-terminated surprises."""

MAX_DEPTH = 8
"""Deeper nesting is refused. The deepest message of the protocol has 5 levels."""
MAX_ITEMS = 4096
"""Longest array anywhere; the largest contribution has 27 comparisons and 108 masks."""
MAX_BYTES = 256 * 1024
"""Largest contribution (protocol.md section 1.1)."""


@dataclass(frozen=True, slots=True)
class Size:
    """Exactly this many bytes."""

    length: int


@dataclass(frozen=True, slots=True)
class Upto:
    """At most this many bytes, characters or items."""

    length: int


@dataclass(frozen=True, slots=True)
class Between:
    """An integer in this inclusive range."""

    low: int
    high: int


U8 = Annotated[int, Between(0, 2**8 - 1)]
U32 = Annotated[int, Between(0, 2**32 - 1)]
U64 = Annotated[int, Between(0, 2**64 - 1)]

T = TypeVar("T")

_LEAVES = (types.NoneType, bool, int, bytes, str)


# --- bytes and plain values -----------------------------------------------------------------------


def pack(value: Plain) -> bytes:
    """The one encoding of a plain value."""
    packed = msgpack.packb(value, use_bin_type=True, strict_types=False)
    if not isinstance(packed, bytes):
        raise TypeError("msgpack gave no bytes")
    return packed


def unpack(data: bytes, limit: int = MAX_BYTES) -> Plain:
    """Reads one plain value that fills `data`; `Malformed` for anything else.

    Length is checked before parsing, nesting and element counts while parsing, types and
    canonical form after it.
    """
    if len(data) > limit:
        raise Malformed("malformed.long", f"{len(data)} bytes, at most {limit}")
    try:
        value = msgpack.unpackb(
            data,
            raw=False,
            use_list=False,
            strict_map_key=True,
            max_array_len=MAX_ITEMS,
            max_map_len=0,
            max_ext_len=0,
            max_bin_len=limit,
            max_str_len=limit,
        )
    except (ValueError, TypeError, msgpack.UnpackException, RecursionError) as error:
        raise Malformed("malformed.msgpack", type(error).__name__) from None
    _check_plain(value, MAX_DEPTH)
    if pack(value) != data:
        raise Malformed("malformed.canonical", "another encoding is the shortest")
    return typing.cast("Plain", value)


def digest(label: str, *values: Plain) -> bytes:
    """SHA-256 of the canonical array (label, values...): the one labelled hash of the protocol
    outside the proofs (protocol.md section 1.3)."""
    return sha256(pack((label, *values))).digest()


def _check_plain(value: object, depth: int) -> None:
    if depth < 0:
        raise Malformed("malformed.deep", f"more than {MAX_DEPTH} levels")
    if type(value) is tuple:  # msgpack's extension type is a subclass of tuple
        for item in value:
            _check_plain(item, depth - 1)
    elif type(value) not in _LEAVES:
        raise Malformed("malformed.type", type(value).__name__)


# --- records --------------------------------------------------------------------------------------

Reader = Callable[[Any, str], Any]


def to_plain(value: Any) -> Plain:
    """A record (or a tuple of them) as plain values: its fields in order."""
    if dataclasses.is_dataclass(value):
        return tuple(to_plain(getattr(value, f.name)) for f in dataclasses.fields(value))
    if isinstance(value, tuple):
        return tuple(to_plain(item) for item in value)
    return typing.cast("Plain", value)


def from_plain(kind: type[T], value: Plain) -> T:
    """Reads a record; `Malformed` names the field that does not fit."""
    reader: Reader = _reader(typing.cast(Any, kind))
    return typing.cast("T", reader(value, kind.__name__))


def encode(record: object) -> bytes:
    """Record to bytes."""
    return pack(to_plain(record))


def decode(kind: type[T], data: bytes, limit: int = MAX_BYTES) -> T:
    """Bytes to record; `Malformed` for anything that is not exactly one."""
    return from_plain(kind, unpack(data, limit))


def to_tagged(value: Any, kinds: Sequence[type[Any]]) -> Plain:
    """One of several record types, as (index of its type, fields...)."""
    fields = to_plain(value)
    if not isinstance(fields, tuple):
        raise TypeError(f"not a record: {value!r}")
    return (kinds.index(type(value)), *fields)


def from_tagged(value: Plain, kinds: Sequence[type[Any]]) -> Any:
    """Reads what `to_tagged` wrote."""
    if not isinstance(value, tuple) or not value:
        raise Malformed("malformed.record", "a tagged record is an array")
    tag = value[0]
    if type(tag) is not int or not 0 <= tag < len(kinds):
        raise Malformed("malformed.tag", repr(tag)[:40])
    return from_plain(kinds[tag], value[1:])


def _fail(where: str, wanted: str, value: object) -> Malformed:
    return Malformed("malformed.field", f"{where}: {wanted}, not {type(value).__name__}")


@cache
def _reader(kind: Any) -> Reader:
    """Compiles an annotation into a function (value, where) -> checked value."""
    origin = typing.get_origin(kind)
    if origin is Annotated:
        base, *bounds = typing.get_args(kind)
        return _bounded(_reader(base), bounds)
    if origin is tuple:
        return _tuple_reader(typing.get_args(kind))
    if origin in (Union, types.UnionType):
        return _optional_reader(typing.get_args(kind))
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record_reader(kind)
    if kind in (int, bool, bytes, str):
        return _scalar_reader(kind)
    if kind is Any:
        return lambda value, where: value
    raise TypeError(f"no wire form for {kind!r}")


def _scalar_reader(kind: type[Any]) -> Reader:
    def read(value: Any, where: str) -> Any:
        if type(value) is not kind:  # bool is an int in Python; on the wire it is not
            raise _fail(where, kind.__name__, value)
        return value

    return read


def _bounded(read: Reader, bounds: Sequence[Any]) -> Reader:
    def bounded(value: Any, where: str) -> Any:
        value = read(value, where)
        for bound in bounds:
            match bound:
                case Size(length) if len(value) != length:
                    raise Malformed("malformed.size", f"{where}: {len(value)}, wanted {length}")
                case Upto(length) if len(value) > length:
                    raise Malformed("malformed.size", f"{where}: {len(value)} > {length}")
                case Between(low, high) if not low <= value <= high:
                    raise Malformed("malformed.range", f"{where}: {value} not in {low}..{high}")
        return value

    return bounded


def _tuple_reader(args: tuple[Any, ...]) -> Reader:
    if len(args) == 2 and args[1] is Ellipsis:
        each = _reader(args[0])

        def read(value: Any, where: str) -> Any:
            if type(value) is not tuple:
                raise _fail(where, "an array", value)
            return tuple(each(item, f"{where}[{i}]") for i, item in enumerate(value))

        return read
    readers = tuple(_reader(arg) for arg in args)

    def read_fixed(value: Any, where: str) -> Any:
        if type(value) is not tuple or len(value) != len(readers):
            raise _fail(where, f"an array of {len(readers)}", value)
        return tuple(
            r(item, f"{where}[{i}]") for i, (r, item) in enumerate(zip(readers, value, strict=True))
        )

    return read_fixed


def _optional_reader(args: tuple[Any, ...]) -> Reader:
    readers = {arg: _reader(arg) for arg in args if arg is not type(None)}

    def read(value: Any, where: str) -> Any:
        if value is None and type(None) in args:
            return None
        for kind, reader in readers.items():
            if kind is type(value) or len(readers) == 1:
                return reader(value, where)
        raise _fail(where, "one of " + ", ".join(str(a) for a in args), value)

    return read


def _record_reader(kind: type[Any]) -> Reader:
    hints = typing.get_type_hints(kind, include_extras=True)
    names = [field.name for field in dataclasses.fields(kind)]
    readers = [_reader(hints[name]) for name in names]

    def read(value: Any, where: str) -> Any:
        if type(value) is not tuple or len(value) != len(names):
            raise _fail(where, f"an array of {len(names)}", value)
        return kind(
            *(
                reader(item, f"{where}.{name}")
                for reader, item, name in zip(readers, value, names, strict=True)
            )
        )

    return read
