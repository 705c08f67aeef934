"""Who may speak to the local page: this machine's browser, with the token that we printed.

Any page of the web can make the browser send requests to 127.0.0.1, under any host name that it
points there, and other users of this machine can open connections. So every request must name a
local host, come from our own page, and carry our cookie; what comes back may be shown nowhere else.
Host is compared with a list and never with Origin: under DNS rebinding both carry the same foreign
name. Knows requests and no games.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from p2pcards.shells.text import say

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN = 16
"""Bytes of the one-time token in the address, and half of those in the cookie."""
METHODS = frozenset({"GET", "HEAD"})
"""All that is ever changed is changed over the socket."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
"""On every answer."""


class Guard:
    """ASGI application round another one, for one port.

    `used` is called when somebody comes with a token that has served already: perhaps the player
    with another browser, who then needs a new one (`renew`).
    """

    def __init__(self, app: App, port: int, used: Callable[[], None] = lambda: None) -> None:
        self._app = app
        self._port = port
        self._used = used
        self._hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))
        self._origins = frozenset(f"http://{host}" for host in self._hosts)
        self._cookie = f"p2pcards-{port}"
        self._session = secrets.token_urlsafe(2 * TOKEN)
        self._token: str | None = None
        self._spent: list[str] = []

    def renew(self) -> str:
        """A new address with a token that works once; an older one that was not used is void."""
        self._token = secrets.token_urlsafe(TOKEN)
        return f"http://127.0.0.1:{self._port}/?token={self._token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, refuses, or passes a request on."""
        if scope["type"] not in {"http", "websocket"}:
            return
        headers = [(name.lower(), value) for name, value in scope["headers"]]
        refusal = self._refusal(scope, headers)
        if refusal is None and not self._has_cookie(headers):
            token = _token_of(scope)
            if scope["type"] == "http" and token is not None and self._spend(token):
                await self._welcome(send)
                return
            refusal = "refused.no-token"
        elif refusal is None and scope["type"] == "http" and _token_of(scope) is not None:
            await _answer(send, 303, [(b"location", b"/")])
            return
        if refusal is not None:
            await _refuse(scope["type"], refusal, send)
            return
        await self._app(scope, receive, _dressed(send))

    # --- what is asked of a request ---------------------------------------------------------------

    def _refusal(self, scope: Scope, headers: list[tuple[bytes, bytes]]) -> str | None:
        """The code of what is wrong with a request, whoever sends it."""
        hosts = _values(headers, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "refused.host"
        origins = _values(headers, b"origin")
        if len(origins) > 1 or any(origin not in self._origins for origin in origins):
            return "refused.origin"
        if scope["type"] == "websocket" and not origins:
            return "refused.origin"
        sites = _values(headers, b"sec-fetch-site")
        if any(site not in {"none", "same-origin"} for site in sites):
            return "refused.site"
        if scope["type"] == "http" and scope["method"] not in METHODS:
            return "refused.method"
        return None

    def _has_cookie(self, headers: list[tuple[bytes, bytes]]) -> bool:
        for value in _values(headers, b"cookie"):
            try:
                morsel = SimpleCookie(value).get(self._cookie)
            except CookieError:
                continue
            if morsel is not None and _same(morsel.value, self._session):
                return True
        return False

    def _spend(self, token: str) -> bool:
        """Whether this is the token; it then serves no more."""
        if self._token is not None and _same(token, self._token):
            self._spent.append(self._token)
            self._token = None
            return True
        if any(_same(token, spent) for spent in self._spent):
            self._used()
        return False

    async def _welcome(self, send: Send) -> None:
        """The token becomes a cookie. Cookies are not bound to a port, so that its name is."""
        cookie = f"{self._cookie}={self._session}; Path=/; HttpOnly; SameSite=Strict"
        await _answer(send, 303, [(b"location", b"/"), (b"set-cookie", cookie.encode())])


def _values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]


def _token_of(scope: Scope) -> str | None:
    if scope["path"] != "/" or scope.get("method") != "GET":
        return None
    try:
        fields = parse_qs(scope["query_string"].decode("ascii"), max_num_fields=4)
    except ValueError:
        return None
    tokens: list[str] = fields.get("token", [])
    return tokens[0] if tokens else None


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _dressed(send: Send) -> Send:
    """The answers of the inner application get our headers."""

    async def dressed(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        await send(message)

    return dressed


async def _refuse(kind: str, code: str, send: Send) -> None:
    if kind == "websocket":
        # closed before it is accepted: the server answers 403
        await send({"type": "websocket.close", "code": 1008, "reason": code})
        return
    status = 405 if code == "refused.method" else 403
    await _answer(send, status, [(b"content-type", b"text/plain; charset=utf-8")], say(code))


async def _answer(
    send: Send, status: int, headers: list[tuple[bytes, bytes]], text: str = ""
) -> None:
    body = text.encode()
    length = (b"content-length", str(len(body)).encode())
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [*headers, length, *HEADERS],
        }
    )
    await send({"type": "http.response.body", "body": body})
