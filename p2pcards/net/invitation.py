"""Join links: everything a guest needs to find a table, and to know its host, in one line of text.

`p2pcards://join?h=192.168.1.23,fe80::1&p=1883&t=<place>&k=<tag of the host's key>`. It carries all
addresses of the host and its key's tag, so that nobody on the network can take the host's place.
Knows no sockets. protocol.md section 10.5.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, urlsplit

from p2pcards.errors import BadOption

SCHEME = "p2pcards"
LENGTH_LIMIT = 1000
"""Characters of a link that we read."""
HOST_LIMIT = 16

_PLACE = re.compile(r"[0-9a-f]{16}")
_TAG = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?")


@dataclass(frozen=True, slots=True)
class JoinLink:
    """`hosts`: addresses or names, in the order to try; `place` 8 bytes; `key` the tag (16 bytes)
    of the host's identity key."""

    hosts: tuple[str, ...]
    port: int
    place: bytes
    key: bytes

    @classmethod
    def parse(cls, text: str) -> JoinLink:
        """Reads a link. Raises `BadOption("table.link")`."""
        try:
            parts = urlsplit(text.strip()[: LENGTH_LIMIT + 1])
            fields = parse_qs(parts.query, strict_parsing=True, max_num_fields=8)
            hosts = tuple(fields["h"][0].split(","))
            port, place, key = int(fields["p"][0]), fields["t"][0], fields["k"][0]
        except (ValueError, KeyError):
            raise BadOption("table.link", "not a link to a table") from None
        if parts.scheme != SCHEME or parts.netloc != "join" or len(text) > LENGTH_LIMIT:
            raise BadOption("table.link", "not a link to a table")
        if not 0 < port < 65536 or not _PLACE.fullmatch(place) or not _TAG.fullmatch(key):
            raise BadOption("table.link", "part of the link is missing or wrong")
        if len(hosts) > HOST_LIMIT or not all(map(_is_host, hosts)):
            raise BadOption("table.link", "the link names no address")
        return cls(hosts, port, bytes.fromhex(place), bytes.fromhex(key))

    def __str__(self) -> str:
        hosts = quote(",".join(self.hosts), safe=",:.")
        query = f"h={hosts}&p={self.port}&t={self.place.hex()}&k={self.key.hex()}"
        return f"{SCHEME}://join?{query}"


def is_link(text: str) -> bool:
    """Whether a table was named by a link."""
    return text.strip().lower().startswith(f"{SCHEME}:")


def _is_host(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return _NAME.fullmatch(text) is not None
    return True
