"""The embedded MQTT broker: a child process that lives exactly as long as its parent wants.

The parent writes JSON lines to the child's standard input and reads JSON lines from its standard
output; the end of that input, which comes also when the parent is killed, ends the child. It writes
nothing to disk, and logs to standard error only when `P2PCARDS_DEBUG` is set. The lines:

    parent: {"listen": ["192.168.1.5"], "port": 0, "gate": "module:Class"}   once, first
    child:  {"port": 40001}  or  {"error": "broker.port_taken", "detail": "..."}
    parent: {"roster": {"<table, hex>": ["<identity key, hex>", ...]}}       any time
    parent: {"listen": ["192.168.1.6"]}                                     more addresses
    parent: {"count": true}
    child:  {"counts": {"publish.refused": 3}}

The broker is nobody's referee: whatever it does costs time, never correctness (protocol.md
section 10.4). The parent's half imports no broker code, only the child does.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import os
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from p2pcards.errors import P2PCardsError, Unavailable

if TYPE_CHECKING:
    from p2pcards.net.guard import Gate, Guard

OPEN_GATE = "p2pcards.net.guard:OpenGate"
"""The gate that looks at shape and size alone."""

_START_WITHIN = 15.0
"""Seconds for the child's first line: a cold start on a slow disk included."""

_STOP_WITHIN = 3.0
"""Seconds for the child to go by itself after its input ended; then it is killed."""


class EmbeddedBroker:
    """The parent's handle on the child. Made by `start`; `stop` or `async with` ends it."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self._process = process
        self._asking = asyncio.Lock()
        self.port = port

    @classmethod
    async def start(
        cls, addresses: Sequence[str], port: int = 0, gate: str = OPEN_GATE
    ) -> EmbeddedBroker:
        """Starts the child, listening on all `addresses` at one port (0: a free one).

        `gate` names the class (`module:Class`, called without arguments) of its `guard.Gate`.
        Raises `Unavailable`: `broker.port_taken`, `broker.address`, or `broker.failed`.
        """
        request = {"listen": list(addresses), "port": port, "gate": gate}
        process = await asyncio.to_thread(_spawn)
        try:
            async with asyncio.timeout(_START_WITHIN):
                answer = await asyncio.to_thread(_ask, process, request)
            if "error" in answer:
                raise Unavailable(str(answer["error"]), str(answer.get("detail", "")))
        except TimeoutError:
            _kill(process)
            raise Unavailable("broker.failed", "the broker did not start in time") from None
        except BaseException:
            _kill(process)
            raise
        return cls(process, int(answer["port"]))

    @property
    def pid(self) -> int:
        """The child's process number."""
        return self._process.pid

    def is_running(self) -> bool:
        """False once the child has ended, for whatever reason."""
        return self._process.poll() is None

    def url(self, address: str) -> str:
        """The broker's URL as seen from `address`, one of those it listens on."""
        host = f"[{address}]" if ":" in address else address
        return f"mqtt://{host}:{self.port}"

    def admit(self, table: str, keys: Sequence[bytes]) -> None:
        """Tells the gate who sits at `table` (its topic level, hex): identity keys, 32 bytes each.

        Raises `Unavailable("broker.gone")`.
        """
        _write(self._process, {"roster": {table: [key.hex() for key in keys]}})

    def listen(self, addresses: Sequence[str]) -> None:
        """Serves these addresses too (a lease that came late), those it can. Raises as `admit`."""
        _write(self._process, {"listen": list(addresses)})

    async def dropped(self) -> dict[str, int]:
        """What the guard has refused so far, by reason. Raises as `admit`."""
        async with self._asking:
            answer = await asyncio.to_thread(_ask, self._process, {"count": True})
        return {str(reason): int(count) for reason, count in answer["counts"].items()}

    async def stop(self) -> None:
        """Ends the child and waits for its end. May be called again."""
        await asyncio.to_thread(_end, self._process)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()


def _spawn() -> subprocess.Popen[bytes]:
    """The child in a group of its own, so that a Ctrl-C meant for the game does not end the broker
    before the peers have said goodbye."""
    debug = bool(os.environ.get("P2PCARDS_DEBUG"))
    windows = sys.platform == "win32"
    return subprocess.Popen(
        # -P: the directory we happen to stand in is no place to import from.
        [sys.executable, "-P", "-m", "p2pcards.net.broker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if debug else subprocess.DEVNULL,
        env=_environment(),
        close_fds=True,
        start_new_session=not windows,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) if windows else 0,
    )


def _environment() -> dict[str, str]:
    """Ours, with the place of this package on the path unless it is installed."""
    environment = dict(os.environ)
    root = str(Path(__file__).resolve().parents[2])
    installed = {str(Path(sysconfig.get_path(name)).resolve()) for name in ("purelib", "platlib")}
    if root not in installed:
        path = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = f"{root}{os.pathsep}{path}" if path else root
    return environment


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise Unavailable("broker.failed", "the broker has no pipe")
    return stream


def _write(process: subprocess.Popen[bytes], request: dict[str, Any]) -> None:
    stdin = _pipe(process.stdin)
    try:
        stdin.write(json.dumps(request).encode() + b"\n")
        stdin.flush()
    except (OSError, ValueError) as error:  # ValueError: the pipe is closed on our side already
        raise Unavailable("broker.gone", "the embedded broker has ended") from error


def _ask(process: subprocess.Popen[bytes], request: dict[str, Any]) -> dict[str, Any]:
    _write(process, request)
    line = _pipe(process.stdout).readline()
    if not line:
        hint = "set P2PCARDS_DEBUG=1 to see why"
        raise Unavailable("broker.failed", f"the embedded broker ended by itself ({hint})")
    answer: dict[str, Any] = json.loads(line)
    return answer


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):  # a line that could not be flushed; the pipe is closed all the same
        _pipe(process.stdin).close()
    try:
        process.wait(_STOP_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    _pipe(process.stdout).close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    _end(process)


# --- the child --------------------------------------------------------------------------------


def main() -> None:
    """The child: reads the first line, serves until its input ends."""
    if os.environ.get("P2PCARDS_DEBUG"):
        logging.basicConfig(level=logging.INFO)
    else:
        logging.disable(logging.CRITICAL)
    line = sys.stdin.buffer.readline()
    if not line:
        return
    try:
        asyncio.run(_serve(json.loads(line)))
    except P2PCardsError as error:
        _say({"error": error.code, "detail": error.detail})
    except Exception as error:  # the parent is told whatever went wrong, in one line
        logging.getLogger(__name__).exception("the broker failed")
        _say({"error": "broker.failed", "detail": repr(error)})


async def _serve(config: dict[str, Any]) -> None:
    # Here, not above: the parent imports this module too, and pays for no broker.
    from p2pcards.net.guard import Guard

    module, _, name = config["gate"].partition(":")
    gate: Gate = getattr(importlib.import_module(module), name)()
    guard = Guard(gate)
    await guard.start(config["listen"], config["port"])
    _say({"port": guard.port})
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    # A thread, because no event loop can wait for a pipe on every platform.
    threading.Thread(target=_listen_to_parent, args=(loop, lines), daemon=True).start()
    while line := await lines.get():
        await _obey(json.loads(line), guard, gate)
    await guard.stop()


def _listen_to_parent(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes]) -> None:
    """Hands on every line of our input, then an empty one; and sees to it that we really go."""
    while True:
        line = sys.stdin.buffer.readline()
        try:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        except RuntimeError:  # the loop has ended first
            return
        if not line:
            time.sleep(2)
            os._exit(1)


async def _obey(request: dict[str, Any], guard: Guard, gate: Gate) -> None:
    for table, keys in request.get("roster", {}).items():
        gate.admit(table, [bytes.fromhex(key) for key in keys])
    if "listen" in request:
        try:
            await guard.listen(request["listen"])
        except Unavailable as error:
            logging.getLogger(__name__).warning("%s", error)
            guard.counts[error.code] += 1
    if "count" in request:
        _say({"counts": dict(guard.counts)})


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
