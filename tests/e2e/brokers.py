"""Mosquitto on loopback, started by the test with a configuration of its own."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path


def free_port() -> int:
    """A port of loopback that nobody listens on just now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Whether somebody does."""
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def mosquitto(folder: Path) -> Iterator[str]:
    """Its URL."""
    # Debian puts it in sbin, which is not on everybody's PATH.
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
    program = shutil.which("mosquitto", path=places) or "mosquitto"
    port = free_port()
    config = folder / "mosquitto.conf"
    # As root it would become another user, who may not read our files.
    lines = [
        f"listener {port} 127.0.0.1",
        "allow_anonymous true",
        "persistence false",
        f"user {getpass.getuser()}",
    ]
    config.write_text("\n".join([*lines, ""]))
    process = subprocess.Popen(
        [program, "-c", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(1000):
            if listens(port):
                break
            time.sleep(0.01)
        yield f"mqtt://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)
