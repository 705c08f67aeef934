"""Where an MQTT broker is: a URL as people type it, read strictly, shown without its password.

Knows no sockets. protocol.md section 10.1.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from p2pcards.errors import BadOption

_PORTS = {"mqtt": 1883, "mqtts": 8883}
_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?")
_CODE = "broker.url"


@dataclass(frozen=True, slots=True)
class BrokerUrl:
    """`mqtt://user:password@host:port`, or `mqtts` for TLS. IPv6 may carry a zone (`fe80::1%eth0`).

    `repr` and `str` never show the password.
    """

    host: str
    port: int
    tls: bool = False
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, text: str) -> BrokerUrl:
        """Reads a URL; `host`, `host:port` and a bare IPv6 address are taken as `mqtt`.

        Raises `BadOption("broker.url")`.
        """
        text = text.strip()
        if "://" not in text:
            text = f"mqtt://[{text}]" if _is_ipv6(text) else f"mqtt://{text}"
        try:
            parts = urlsplit(text)
            host, port = unquote(parts.hostname or ""), parts.port
        except ValueError as error:
            raise BadOption(_CODE, f"not a broker's URL: {error}") from None
        if parts.scheme not in _PORTS:
            raise BadOption(_CODE, f"mqtt:// or mqtts:// is spoken here, not {parts.scheme}://")
        if parts.path not in ("", "/") or parts.query or parts.fragment:
            raise BadOption(_CODE, "nothing may follow the port of a broker's URL")
        if not (_is_ipv6(host) or _NAME.fullmatch(host)):
            raise BadOption(_CODE, "a broker's URL needs a host name or an address")
        if port == 0:
            raise BadOption(_CODE, "a port is a number from 1 to 65535")
        user = unquote(parts.username) if parts.username else None
        password = unquote(parts.password) if parts.password is not None else None
        if password is not None and user is None:
            raise BadOption(_CODE, "a password needs a user name before it")
        return cls(host, port or _PORTS[parts.scheme], parts.scheme == "mqtts", user, password)

    @property
    def place(self) -> str:
        """`host:port`, with brackets around an IPv6 address."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def __str__(self) -> str:
        user = f"{self.user}@" if self.user is not None else ""
        return f"{'mqtts' if self.tls else 'mqtt'}://{user}{self.place}"


def _is_ipv6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).version == 6
    except ValueError:
        return False
