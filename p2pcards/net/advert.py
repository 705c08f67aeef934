"""What a table says about itself on the local network, as the records of DNS-SD (RFC 6763).

Pure: from a notice to a label and TXT pairs, and back from whatever strangers on the network sent.
A notice proves nothing: whoever connects checks the host's key. protocol.md section 10.5.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from p2pcards.errors import BadOption, Malformed

TYPE = "_p2pcards._tcp.local."
VERSION = 1

NAME_LIMIT = 63
"""Bytes of a table's name in UTF-8, at most."""

TXT_LIMIT = 400
"""Bytes of all TXT pairs that we read; RFC 6763 section 6.2 advises the same for writing."""

ADDRESS_LIMIT = 16
"""Addresses of one host that we look at."""

_LABEL_LIMIT = 56
"""Bytes of the label: 63, less what zeroconf appends when two labels are the same."""

_UNPRINTABLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_TABLE = re.compile(r"[0-9a-f]{16}")
_KEY = re.compile(r"[0-9a-f]{32}")
_GAME = re.compile(r"[a-z0-9-]{0,32}")
_SEATS = re.compile(r"([0-9]{1,2})/([0-9]{1,2})")


@dataclass(frozen=True, slots=True)
class Notice:
    """A table looking for players. `table` is its topic level (16 hex digits), `key` the host's
    key fingerprint (32 hex digits); `game` is empty for a private table."""

    name: str
    table: str
    key: str
    game: str
    taken: int
    seats: int


@dataclass(frozen=True, slots=True)
class Found:
    """A notice and where it came from; `addresses` those to try, in order. All of it a claim."""

    name: str
    table: str
    key: str
    game: str
    taken: int
    seats: int
    addresses: tuple[str, ...]
    port: int
    version: int


def check_name(name: str) -> str:
    """A table's name in its composed form. Raises `BadOption("table.name")`."""
    name = unicodedata.normalize("NFC", name).strip()
    if not name or len(name.encode("utf-8", "replace")) > NAME_LIMIT or name != printable(name):
        raise BadOption("table.name", f"1 to {NAME_LIMIT} bytes of printable text")
    return name


def printable(text: str) -> str:
    """`text` without control, formatting and private characters (a terminal would obey some)."""
    return "".join(c for c in text if unicodedata.category(c) not in _UNPRINTABLE)


def label(name: str) -> str:
    """The instance label for a name: letters, digits, spaces, `-` and `_` stay, all else becomes a
    space. Dots separate labels and brackets have confused other programs; the exact name travels
    in the TXT record."""
    kept = "".join(c if c.isalnum() or c in "-_" else " " for c in name)
    plain = " ".join(kept.split()).encode("utf-8")[:_LABEL_LIMIT].decode("utf-8", "ignore").strip()
    return plain or "table"


def properties(notice: Notice) -> dict[str, str]:
    """The TXT pairs of a notice. Raises `BadOption("table.notice")` for one that nobody would
    read."""
    pairs = {
        "v": str(VERSION),
        "t": notice.table,
        "k": notice.key,
        "g": notice.game,
        "n": f"{notice.taken}/{notice.seats}",
        "l": check_name(notice.name),
    }
    try:
        read({key.encode(): value.encode() for key, value in pairs.items()}, ("127.0.0.1",), 1)
    except Malformed as error:
        raise BadOption("table.notice", error.detail) from None
    return pairs


def read(pairs: Mapping[bytes, bytes | None], addresses: tuple[str, ...], port: int) -> Found:
    """A stranger's record. Raises `Malformed("advert")`."""

    def text(key: bytes) -> str:
        try:
            return (pairs.get(key) or b"").decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed("advert", f"{key!r} is not UTF-8") from None

    def matched(key: bytes, pattern: re.Pattern[str]) -> re.Match[str]:
        match = pattern.fullmatch(text(key))
        if match is None:
            raise Malformed("advert", f"{key!r} has not the form it should")
        return match

    if sum(len(key) + len(value or b"") + 2 for key, value in pairs.items()) > TXT_LIMIT:
        raise Malformed("advert", "too long")
    name = unicodedata.normalize("NFC", printable(text(b"l"))).strip()
    if not name or len(name.encode()) > NAME_LIMIT:
        raise Malformed("advert", "no name, or too long a one")
    taken, seats = (int(number) for number in matched(b"n", _SEATS).groups())
    if seats < 2 or taken > seats:
        raise Malformed("advert", "impossible seats")
    if not addresses or not 0 < port < 65536:
        raise Malformed("advert", "no address to go to")
    return Found(
        name=name,
        table=matched(b"t", _TABLE)[0],
        key=matched(b"k", _KEY)[0],
        game=matched(b"g", _GAME)[0],
        taken=taken,
        seats=seats,
        addresses=addresses,
        port=port,
        version=int(matched(b"v", re.compile(r"[1-9][0-9]{0,3}"))[0]),
    )


def is_called(found: Found, wanted: str) -> bool:
    """True when `wanted` is the table's name (whatever its case) or its id."""
    plain = unicodedata.normalize("NFC", wanted).strip()
    return found.name.casefold() == plain.casefold() or found.table == plain.lower()
