"""How a figure is measured: in processor time, the best of some tries, against one multiplication.

The unit u is one call of `secp256k1_ec_pubkey_tweak_mul` through the binding, measured just before
and after each try of a figure; so a processor that changes its speed, or is shared, changes both.
Processor time, because other programs' turns are nobody's cost. Knows no figure.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha512

from btclib_secp256k1 import ffi, lib
from btclib_secp256k1.context import ctx

from p2pcards.crypto import group

Results = Mapping[str, Mapping[str, float]]
"""From a figure's name to its numbers by field: units, bytes, ms or value."""

_MULTIPLICATIONS = 100

cpu = time.process_time
"""Processor time of this process in seconds, all its threads together."""


@dataclass(frozen=True, slots=True)
class Call:
    """Something to be timed. `known`: the keys (33 bytes) and masks (66) whose points whoever does
    it has parsed before; it starts without any other. `ready`: what else it has done before.
    `size`: bytes of the proof that comes out.
    """

    run: Callable[[], object]
    known: Sequence[bytes] = ()
    ready: Callable[[], object] = lambda: None
    size: int | None = None


Case = Mapping[str, Call]
"""What is timed of one fresh example, by name: prove and verify, for instance."""


@dataclass(slots=True)
class Measurement:
    """One run of the benchmark: how many tries each figure has, and the smallest unit so far."""

    tries: int
    unit_us: float = float("inf")

    @property
    def quick(self) -> bool:
        """Whether a shorter example will do."""
        return self.tries == 1

    def parts(self, prefix: str, cases: Sequence[Case]) -> Results:
        """The figure of each part: the best try's mean over the cases. Short work has many cases,
        so that the clock's own steps do not count."""
        return {f"{prefix}.{part}": self._part([case[part] for case in cases]) for part in cases[0]}

    def _part(self, calls: Sequence[Call]) -> Mapping[str, float]:
        best, unit = self.best_of(lambda: _timed(calls) / len(calls))
        size = calls[0].size
        return {"units": best / unit} if size is None else {"units": best / unit, "bytes": size}

    def best_of(self, seconds: Callable[[], float]) -> tuple[float, float]:
        """The smallest of the tries' answers, and the unit around them, both in seconds."""
        best = unit = float("inf")
        for _ in range(self.tries):
            gc.collect()
            before = _unit()
            best = min(best, seconds())
            unit = min(unit, before, _unit())
        self.unit_us = min(self.unit_us, unit * 1e6)
        return best, unit


def _timed(calls: Sequence[Call]) -> float:
    know([encoding for call in calls for encoding in call.known])
    for call in calls:
        call.ready()
    began = cpu()
    for call in calls:
        call.run()
    return cpu() - began


@cache
def _scalars() -> Sequence[bytes]:
    """All different: one that comes again and again is predicted by the processor, and takes less
    time than any that a proof meets."""
    return [
        int.to_bytes(int.from_bytes(sha512(bytes([i])).digest(), "big") % group.L, 32, "big")
        for i in range(_MULTIPLICATIONS)
    ]


def _unit() -> float:
    """Seconds of one multiplication."""
    point = ffi.new("secp256k1_pubkey *", group.SECP256K1.generator()[0])
    multiply, scalars = lib.secp256k1_ec_pubkey_tweak_mul, _scalars()
    began = cpu()
    for scalar in scalars:
        multiply(ctx, point, scalar)
    return (cpu() - began) / _MULTIPLICATIONS


def know(encodings: Iterable[bytes]) -> None:
    """Every peer remembers the points that it has parsed: from now on exactly these."""
    group._decode.cache_clear()
    for encoding in encodings:
        for i in range(0, len(encoding), group.POINT_SIZE):
            group.SECP256K1.decode(encoding[i : i + group.POINT_SIZE])
