"""Contexts and transcripts, after protocol.md, section 4."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tests.reference.bytes_ import joined, sha512
from tests.reference.group import L


def context(proof: str, table: bytes, step: int, prev: bytes, seat: int, index: int) -> bytes:
    """ctx(proof), 95 bytes: what a proof is made for, and for nothing else."""
    name = proof.encode("ascii").ljust(16, b"\x00")
    place = step.to_bytes(8, "big") + prev + seat.to_bytes(2, "big") + index.to_bytes(4, "big")
    return b"\x01" + name + table + place


class Transcript:
    """What a verifier has seen of a proof, and the challenges it gives."""

    def __init__(self, name: str) -> None:
        self._seen = b""
        self._append(0, "P2PCARDS-V1", name.encode("ascii"))

    def _append(self, kind: int, label: str, data: bytes) -> None:
        name = label.encode("ascii")
        self._seen += bytes([kind, len(name)]) + name + joined([len(data)], 4) + data

    def put(self, label: str, data: bytes) -> None:
        """One item."""
        self._append(1, label, data)

    def put_all(self, label: str, items: Sequence[bytes]) -> None:
        """A list of items of one width."""
        widths = {len(item) for item in items} or {0}
        (width,) = widths
        self._append(2, label, joined([len(items), width], 4) + b"".join(items))

    def _ask(self, kind: int, label: str, data: bytes) -> bytes:
        self._append(kind, label, data)
        answer = hashlib.sha512(self._seen).digest()
        self._append(5, label, answer)
        return answer

    def scalar(self, label: str) -> int:
        """A challenge mod L."""
        return int.from_bytes(self._ask(3, label, b""), "big") % L

    def vector(self, label: str, n: int) -> list[int]:
        """n challenges mod L."""
        d = self._ask(4, label, joined([n], 4))
        return [int.from_bytes(sha512(d + joined([i], 4)), "big") % L for i in range(n)]
