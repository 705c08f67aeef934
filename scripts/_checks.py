"""Runs the project's checks one after the other, with the Python that has them installed.

Reached through check.py and test.py, which see to that Python. Knows which checks there are and
nothing of what they look at; their settings are in pyproject.toml. All run even when one fails;
pytest is the last, so that its own summary ends the output.
"""

import signal
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path

CHECKS: Mapping[str, Sequence[str]] = {
    "format": (sys.executable, "-m", "ruff", "format", "--check", "."),
    "lint": (sys.executable, "-m", "ruff", "check", "."),
    "types": (sys.executable, "-m", "mypy"),
    # import-linter has a command, but no module to run.
    "floors": (
        str(Path(sysconfig.get_path("scripts")) / "lint-imports"),
        "--cache-dir=.cache/import-linter",
    ),
}
TESTS = (sys.executable, "-m", "pytest", "-n", "auto", "--dist", "loadfile")
"""All tests, on all processors: most of them wait for sockets or compute alone."""
AGAIN = (sys.executable, "-m", "pytest", "--last-failed", "--last-failed-no-failures", "none")
"""Those that failed, once more and one at a time. Multicast and processes that wait for each other
have limits of time, which a machine full of other tests may miss; a fault fails again."""


def run(command: Sequence[str]) -> int:
    """The exit code of one check. It is not left behind when we are stopped."""
    with subprocess.Popen(command) as child:
        try:
            return child.wait()
        except KeyboardInterrupt:
            child.wait()  # Ctrl-C reached it too; it may have something to tidy up and to tell
            raise
        except SystemExit:
            child.terminate()
            raise


def main(arguments: Sequence[str]) -> int:
    """Run all checks, and the tests too with `--tests`. The exit code is 0 when all are content."""
    if arguments not in ([], ["--tests"]):
        print("takes no argument but --tests", file=sys.stderr)
        return 2
    commands = {**CHECKS, "tests": TESTS} if arguments else CHECKS
    failed = []
    for name, command in commands.items():
        print(f"--- {name}", flush=True)
        code = run(command)
        if name == "tests" and code == 1:
            print("--- tests that failed, once more and alone", flush=True)
            code = run(AGAIN)
        if code != 0:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    # SIGTERM as an exception, so that `run` can pass it on.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
