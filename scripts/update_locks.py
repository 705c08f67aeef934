"""Writes scripts/lock/*.txt anew from pyproject.toml. Needs uv on PATH.

    python3 scripts/update_locks.py             # only what pyproject.toml made necessary
    python3 scripts/update_locks.py --upgrade   # everything to its newest

`run.txt` is what p2pcards runs on, `test.txt` the same versions and the tools of the tests. Both
hold for all platforms and every Python the project supports, with a hash for each file, and both
hold the build backend, so that the project itself installs without a download.
"""

import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def compile_lock(name: str, options: Sequence[str], backend: str) -> None:
    """Let uv resolve pyproject.toml and the build `backend` into scripts/lock/NAME.txt."""
    oldest = "3.11"
    command = [
        "uv",
        "pip",
        "compile",
        "pyproject.toml",
        "-",
        "--quiet",
        "--universal",
        f"--python-version={oldest}",
        "--generate-hashes",
        # No line of the lock may say where packages come from: that is each user's own setting.
        "--no-emit-index-url",
        "--no-emit-find-links",
        "--no-header",
        "--no-annotate",
        f"--output-file=scripts/lock/{name}.txt",
        *options,
    ]
    subprocess.run(command, cwd=ROOT, input=backend, text=True, check=True)


def main(arguments: Sequence[str]) -> None:
    """Compile run.txt, then test.txt held to run.txt's versions."""
    upgrade = ["--upgrade"] if "--upgrade" in arguments else []
    with (ROOT / "pyproject.toml").open("rb") as file:
        backend = "\n".join(tomllib.load(file)["build-system"]["requires"])
    compile_lock("run", upgrade, backend)
    compile_lock("test", [*upgrade, "--extra=test", "--constraints=scripts/lock/run.txt"], backend)


if __name__ == "__main__":
    main(sys.argv[1:])
