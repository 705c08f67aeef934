"""p2pcards as people start it: processes of their own, on loopback, in directories of the test."""

from __future__ import annotations

import contextlib
import functools
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import IO

from p2pcards.cards.rules import Value
from p2pcards.crypto.kernel import RealKernel
from p2pcards.crypto.signing import Identity
from p2pcards.engine.audit import pack_log
from p2pcards.testing.network import Network, random_option, table

ROOT = Path(__file__).resolve().parents[1]
WITHIN = 120.0
"""Seconds after which a program that should have ended counts as hanging; this machine is busy."""


def environment(home: Path, **more: str) -> dict[str, str]:
    """Ours without its p2pcards settings; everything private to `home`, loopback alone."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("P2PCARDS_")}
    paths = os.pathsep.join(filter(None, [str(ROOT), kept.get("PYTHONPATH", "")]))
    ours = {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "share"),
        "P2PCARDS_INTERFACE": "127.0.0.1",
        "PYTHONPATH": paths,
        "PYTHONUNBUFFERED": "1",
    }
    return {**kept, **ours, **more}


def command(*arguments: str) -> list[str]:
    """The command line of one p2pcards command."""
    return [sys.executable, "-m", "p2pcards", *arguments]


def run(
    home: Path, *arguments: str, within: float = WITHIN, **more: str
) -> subprocess.CompletedProcess[str]:
    """Runs a command in `home` to its end. Whatever comes out is text, and no traceback."""
    done = subprocess.run(
        command(*arguments),
        cwd=home,
        env=environment(home, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=within,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@dataclass
class Program:
    """A running command; its lines on stderr come as they are said."""

    process: subprocess.Popen[str]
    lines: queue.Queue[str | None]
    said: list[str]

    def wait_for(self, words: str, within: float = WITHIN) -> str:
        """The first line with these words, from the beginning on."""
        for line in self.said:
            if words in line:
                return line
        while True:
            line = self._next(within)
            if words in line:
                return line

    def _next(self, within: float) -> str:
        try:
            line = self.lines.get(timeout=within)
        except queue.Empty:
            raise TimeoutError(self._story("has gone quiet")) from None
        if line is None:
            raise EOFError(self._story("has ended"))
        self.said.append(line)
        return line

    def _story(self, what: str) -> str:
        return f"{what}, after:\n{''.join(self.said)}"

    def end(self, within: float = WITHIN) -> int:
        """Waits for its end; the exit code. `said` and `out` are complete then."""
        code = self.process.wait(within)
        with contextlib.suppress(EOFError):
            while True:
                self._next(within)
        assert not any("Traceback" in line for line in self.said), self._story("broke")
        return code

    @property
    def out(self) -> str:
        """What it wrote to stdout, after `end`."""
        assert self.process.stdout is not None
        return self.process.stdout.read()


def _listen(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


@contextlib.contextmanager
def start(
    home: Path, arguments: Sequence[str], prefix: Sequence[str] = (), **more: str
) -> Iterator[Program]:
    """Starts a command (`prefix` before it); it is killed at the end of the block, if it lives."""
    process = subprocess.Popen(
        [*prefix, *arguments],
        cwd=home,
        env=environment(home, **more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    assert process.stderr is not None
    lines: queue.Queue[str | None] = queue.Queue()
    thread = threading.Thread(target=_listen, args=(process.stderr, lines), daemon=True)
    thread.start()
    try:
        yield Program(process, lines, [])
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        thread.join()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def play(*arguments: str) -> list[str]:
    """The command line of a host without a screen."""
    return command("play", "oh-hell", "--headless", *arguments)


def join(*arguments: str) -> list[str]:
    """The command line of a guest without a screen."""
    return command("join", "--headless", *arguments)


# --- logs -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """A short match with full cryptography, played in this process."""

    envelopes: tuple[bytes, ...]
    identities: tuple[Identity, ...]
    """In seat order."""

    @property
    def log(self) -> bytes:
        """As a file."""
        return pack_log(self.envelopes)


@functools.cache
def played(seed: int = 1, seats: int = 3, hands: int = 1) -> Played:
    """The match with this seed: the same whenever it is asked for."""
    options: dict[str, Value] = {"hands": hands, "openings": "after-hand"}
    peers = table("oh-hell", seats, RealKernel(), seed=seed, table_options=options)
    rng = Random(seed)
    network = Network(peers, [random_option(rng) for _ in peers], rng)
    network.run()
    identities = tuple(node.peer._identity for node in network.nodes)
    return Played(tuple(network.nodes[0].peer.match.chain.envelopes()), identities)
