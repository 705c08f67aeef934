"""The local server: the files of the page, the rules, the record, and one socket a page.

Runs inside our event loop, listens on loopback alone, and lets `guard` look at every request
first. Nothing is read from outside the package, nothing is taken from the request's path but the
name of a file that stands in a list.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from importlib.resources import files
from importlib.resources.abc import Traversable

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from p2pcards.errors import BadOption, LocalError, Unavailable
from p2pcards.games import find
from p2pcards.shells.text import rules_text
from p2pcards.shells.web.desk import Desk, Page
from p2pcards.shells.web.guard import Guard

MESSAGE_LIMIT = 64 * 1024
"""Bytes of a message from the page, at most."""
HEADER_LIMIT = 16 * 1024
DEPTH = 16
"""Levels of nesting in a message from the page, at most."""
CONNECTIONS = 64
START_WITHIN = 5.0
STOP_WITHIN = 2.0

TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


def application(desk: Desk) -> Starlette:
    """The application behind the guard."""
    shelf = {name: (kind, data, gzip.compress(data)) for name, kind, data in _files()}

    async def page_file(request: Request) -> Response:
        found = shelf.get(request.path_params.get("name", "") or "index.html")
        if found is None:
            return Response(status_code=404)
        kind, data, packed = found
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers = {"content-encoding": "gzip", "vary": "accept-encoding"}
            return Response(packed, media_type=kind, headers=headers)
        return Response(data, media_type=kind)

    async def rules(request: Request) -> Response:
        try:
            text = rules_text(find(request.path_params["game"]), desk.settings.language)
        except (BadOption, OSError):
            return Response(status_code=404)
        return PlainTextResponse(text, media_type="text/markdown")

    async def record(_request: Request) -> Response:
        found = desk.record()
        if found is None:
            return Response(status_code=404)
        name, data = found
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(data, media_type="application/octet-stream", headers=headers)

    async def talk(websocket: WebSocket) -> None:
        await _talk(desk, websocket)

    return Starlette(
        routes=[
            WebSocketRoute("/ws", talk),
            Route("/rules/{game}", rules),
            Route("/record", record),
            Route("/", page_file),
            Route("/{name}", page_file),
        ]
    )


def _files() -> Iterator[tuple[str, str, bytes]]:
    folder: Traversable = files("p2pcards.shells.web") / "static"
    for entry in folder.iterdir():
        kind = TYPES.get("." + entry.name.rpartition(".")[2])
        if kind is not None and entry.is_file():
            yield entry.name, kind, entry.read_bytes()


# --- the socket -----------------------------------------------------------------------------------


async def _talk(desk: Desk, websocket: WebSocket) -> None:
    """One page, until it goes or sends what is no message."""
    try:
        page = desk.open()
    except LocalError:
        await websocket.close(1013)
        return
    await websocket.accept()
    writer = asyncio.create_task(_write(page, websocket))
    try:
        while True:
            text = await websocket.receive_text()
            try:
                message = _read(text)
            except ValueError:
                await websocket.close(1007)
                return
            await desk.do(page, message)
    except (WebSocketDisconnect, KeyError):
        return  # KeyError: binary messages, of which the page has none
    finally:
        desk.close(page)
        writer.cancel()
        await asyncio.gather(writer, return_exceptions=True)


async def _write(page: Page, websocket: WebSocket) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            document = await page.next()
            await websocket.send_text(json.dumps(document, ensure_ascii=False))


def _read(text: str) -> object:
    """A message. ValueError for anything but JSON of a reasonable depth."""
    if len(text) > MESSAGE_LIMIT or text.count("[") + text.count("{") > 4096:
        raise ValueError("too long")
    try:
        message: object = json.loads(text)
    except RecursionError:
        raise ValueError("too deep") from None
    _check_depth(message, DEPTH)
    return message


def _check_depth(value: object, left: int) -> None:
    if left == 0:
        raise ValueError("too deep")
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            _check_depth(item, left - 1)


# --- running --------------------------------------------------------------------------------------


class _Server(uvicorn.Server):
    """Without signal handlers of its own: Ctrl-C is the affair of the command line."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(
    desk: Desk, port: int = 0, tell: Callable[[str], None] = lambda text: None
) -> AsyncIterator[str]:
    """Serves the desk's pages; gives the address to open, with its one-time token. `tell` gets a
    new one when somebody has come with a used token. Raises `Unavailable("server.port")`."""
    for name in ("uvicorn", "uvicorn.error", "websockets"):
        # below this they write down headers, our cookie among them
        logging.getLogger(name).setLevel(logging.INFO)
    sockets = _listen(port)
    bound = sockets[0].getsockname()[1]

    def used() -> None:
        tell(f"for another browser: {guard.renew()}")

    guard = Guard(application(desk), bound, used)
    config = uvicorn.Config(
        guard,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=MESSAGE_LIMIT,
        ws_per_message_deflate=False,
        server_header=False,
        date_header=False,
        h11_max_incomplete_event_size=HEADER_LIMIT,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=sockets))
    try:
        async with asyncio.timeout(START_WITHIN):
            while not server.started and not task.done():  # noqa: ASYNC110 - it has no event
                await asyncio.sleep(0.01)
        yield guard.renew()
    finally:
        server.should_exit = True
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_WITHIN):
                await asyncio.gather(task, return_exceptions=True)
        for each in sockets:
            each.close()


def _listen(port: int) -> list[socket.socket]:
    """Loopback, both families where there are two; the second one is a convenience."""
    try:
        first = _bind(socket.AF_INET, "127.0.0.1", port)
    except OSError as error:
        raise Unavailable("server.port", f"{port}: {error.strerror}") from None
    sockets = [first]
    with suppress(OSError):
        sockets.append(_bind(socket.AF_INET6, "::1", first.getsockname()[1]))
    return sockets


def _bind(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.bind((address, port))
    except OSError:
        listener.close()
        raise
    return listener
