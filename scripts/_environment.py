"""The shared part of play.py, test.py and check.py: make or reuse `.venv`, then become its Python.

It knows the lock files and how the project is installed, and nothing about p2pcards itself. It uses
the standard library alone. This file and the three scripts must parse on any Python 3.6 or newer,
so that an old Python is told what is wrong instead of failing on the syntax.
"""

import sys

# The answer to an old Python has to come before anything below that an old Python cannot run.
if sys.version_info < (3, 11):  # noqa: UP036 - older Pythons do start these scripts
    sys.stderr.write(
        "p2pcards: needs Python 3.11 or newer, and this is Python {}.{}: install a newer one "
        "(python.org has them) and start this script with it.\n".format(*sys.version_info[:2])
    )
    sys.exit(2)

import contextlib
import hashlib
import json
import os
import re
import signal
import subprocess
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import IO, NoReturn

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("run", "test")
"""What can be installed, each containing the one before: scripts/lock/NAME.txt."""

FAILED = 2
NO_NETWORK = 4
"""Exit codes; 128 + the signal's number when a signal ended the set-up."""

_UNFINISHED = b"unfinished"
"""Content of the lock file while `.venv` is being changed, and after a change that broke off."""

_UNREACHABLE = re.compile(
    r"NewConnectionError|NameResolutionError|Connect(ion)?Timeout|ReadTimeout|Read timed out"
    r"|ProxyError|SSLError|ConnectionError|Connection(Reset|Refused|Aborted)|RemoteDisconnected"
    r"|Network is unreachable|Temporary failure in name resolution|\(from versions: none\)"
)
"""pip's words when no package index answers. A pinned package of which the index knows no version
at all is the same thing: pip says no more than that when its retries are turned off."""


class Trouble(Exception):
    """The set-up cannot go on. `str()` is one line for the user: what is wrong and what to do."""

    def __init__(self, line: str, code: int = FAILED) -> None:
        self.code = code
        super().__init__(line)


class Stopped(BaseException):
    """SIGINT or SIGTERM came while setting up."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)


def start(lock: str, arguments: Sequence[str], folder: Path | None = None) -> NoReturn:
    """Run `.venv`'s Python on `arguments` (in `folder`) with what `lock` names installed."""
    try:
        with _stoppable():
            python = prepare(ROOT, lock)
        if folder is not None:
            os.chdir(folder)
        _become([str(python), *arguments])
    except Trouble as trouble:
        _say(str(trouble))
        sys.exit(trouble.code)
    except OSError as error:
        _say(f"cannot go on in {ROOT}: {error}; the folder must be writable and the disk not full.")
        sys.exit(FAILED)
    except Stopped as stopped:
        _say("stopped while setting up; the next start continues.")
        sys.exit(128 + stopped.number)


def prepare(root: Path, lock: str) -> Path:
    """The Python of `root/.venv`, after installing there whatever is missing.

    When nothing is missing this reads a few small files and writes none. Starts at the same time
    wait for each other; a set-up that broke off is begun anew.
    """
    venv = root / ".venv"
    python = venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if _is_ready(root, lock):
        return python
    with _exclusive(root / ".venv.lock") as state:
        if not _is_ready(root, lock):  # else another start has just done it
            _make(venv, python, lock, state)
    return python


# --- is it there? ---------------------------------------------------------------------------------


def _stamp(venv: Path, lock: str) -> Path:
    return venv / f".p2pcards-{lock}"


def _is_ready(root: Path, lock: str) -> bool:
    """Whether `.venv` holds what `lock` asks for now, by the stamp left when it was made."""
    try:
        stamped = _stamp(root / ".venv", lock).read_text("utf-8")
        return stamped == _wanted(root, lock)
    except (OSError, KeyError):
        return False


def _wanted(root: Path, lock: str) -> str:
    """A digest of all that an installation depends on: lock, project, Python and place.

    Raises OSError or KeyError when `.venv` is missing or its Python is gone.
    """
    with (root / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    config = (root / ".venv" / "pyvenv.cfg").read_text("utf-8")
    if sys.platform == "win32":
        settings = dict(re.findall(r"^(\S+)\s*=\s*(.*?)\s*$", config, re.MULTILINE))
        base = Path(settings["home"]) / "python.exe"
    else:
        base = (root / ".venv" / "bin" / "python").resolve()
    python = base.stat()
    facts = [
        (root / "scripts" / "lock" / f"{lock}.txt").read_text("utf-8"),
        project["project"],
        project["build-system"],
        config,
        # A Python replaced in place, by an upgrade of the system for example, may look for
        # packages in another folder or be unable to load compiled ones.
        [str(base), python.st_size, python.st_mtime_ns],
        # Scripts and the link to the project hold absolute paths.
        str(root),
    ]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


# --- making it ------------------------------------------------------------------------------------


def _make(venv: Path, python: Path, lock: str, state: IO[bytes]) -> None:
    """Create `venv` unless it is sound, install `lock` and the project, and leave the stamps."""
    began = time.monotonic()
    root = venv.parent
    lock_file = root / "scripts" / "lock" / f"{lock}.txt"
    if not lock_file.is_file():
        raise Trouble(f"{lock_file} is missing: this copy of the project is not whole.")
    state.seek(0)
    sound = state.read() != _UNFINISHED and _is_sound(python)
    _note(state, _UNFINISHED)
    _say(f"setting up .venv (Python {sys.version.split()[0]}); this takes a minute the first time.")
    if not sound:
        _create(venv, state)
    for each in LOCKS:
        _stamp(venv, each).unlink(missing_ok=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    try:
        # The lock is complete, so --no-deps leaves nothing out, and no constraint of the user's
        # own settings can come between.
        _run(
            [*pip, "--progress-bar=off", "--no-deps", "--require-hashes", "-r", str(lock_file)],
            venv,
            state,
        )
    except Trouble as trouble:
        if trouble.code == NO_NETWORK:
            _note(state, b"")  # pip installs after the last download: nothing is half done
        raise
    # The build backend is in the lock too: nothing is downloaded here.
    _run([*pip, "--no-deps", "--no-build-isolation", "--editable", "."], venv, state)
    for each in LOCKS[: LOCKS.index(lock) + 1]:
        _stamp(venv, each).write_text(_wanted(root, each), "utf-8")
    _note(state, b"")
    _say(f"ready after {time.monotonic() - began:.0f} s.")


def _is_sound(python: Path) -> bool:
    """Whether this Python starts, is new enough, and is the one its folder was made for."""
    probe = (
        "import pip, sys, sysconfig, pathlib\n"
        "home = pathlib.Path(sysconfig.get_path('purelib'))\n"
        "sys.exit(sys.version_info < (3, 11) or home not in pathlib.Path(pip.__file__).parents)"
    )
    try:
        answer = subprocess.run(
            [str(python), "-I", "-c", probe],
            env=_clean_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0


def _create(venv: Path, state: IO[bytes]) -> None:
    """An empty virtual environment at `venv`, instead of whatever is there."""
    try:
        __import__("ensurepip")
        __import__("venv")
    except ImportError:
        raise Trouble(
            "this Python has no venv module: install it (on Debian and Ubuntu: "
            "sudo apt install python3-venv) and start again."
        ) from None
    # Started from inside the environment that is about to be cleared, sys.executable would vanish.
    base = getattr(sys, "_base_executable", None) or sys.executable
    _run([base, "-m", "venv", "--clear", str(venv)], venv, state)


def _run(command: Sequence[str], venv: Path, state: IO[bytes]) -> None:
    """Run one command of the set-up; its output goes to `.venv/set-up.log`. Raises Trouble."""
    # On POSIX the child shares our hold on the lock file: if we are killed and it goes on, the
    # next start still waits for it.
    shared = () if sys.platform == "win32" else (state.fileno(),)
    output: list[str] = []
    with subprocess.Popen(
        command,
        cwd=venv.parent,
        env=_clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        pass_fds=shared,
    ) as child:
        try:
            assert child.stdout is not None
            for line in child.stdout:
                output.append(line)
                _show_progress(line)
            _show_progress("")
        except BaseException:
            child.kill()
            raise
    log = venv / "set-up.log"
    with contextlib.suppress(OSError), log.open("a", encoding="utf-8") as file:
        file.write(f"$ {' '.join(command)}\n{''.join(output)}")
    if child.returncode != 0:
        raise _diagnosis("".join(output), log)


def _diagnosis(output: str, log: Path) -> Trouble:
    """The one line that a failed command's output comes down to."""
    if _UNREACHABLE.search(output):
        return Trouble(
            "cannot reach the package index, which the first start needs: connect to the network "
            f"(or set PIP_INDEX_URL to an index in reach) and start again; details in {log}.",
            NO_NETWORK,
        )
    if "DO NOT MATCH THE HASHES" in output:
        return Trouble(
            "a downloaded package is not the one that the lock names, so nothing was installed: "
            f"try again from a network that you trust; details in {log}."
        )
    if "No space left on device" in output:
        return Trouble("the disk is full: free about 300 MB and start again.")
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")] or lines or ["no output"]
    return Trouble(f"setting up .venv failed: {errors[-1]} (details in {log}).")


def _clean_environment() -> Mapping[str, str]:
    """Our environment without what would lead Python or pip to another place than `.venv`."""
    astray = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIREMENT", "PIP_DRY_RUN", "PIP_LOG")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON") and name not in astray
    }
    return {**kept, "PIP_USER": "0", "PYTHONIOENCODING": "utf-8"}


# --- one at a time --------------------------------------------------------------------------------


@contextlib.contextmanager
def _exclusive(path: Path) -> Iterator[IO[bytes]]:
    """The open file at `path`, held by nobody else; the system lets go of it however we end."""
    with path.open("a+b") as file:
        waiting = False
        while not _try_lock(file):
            if not waiting:
                _say("waiting for another set-up of this folder to end.")
                waiting = True
            time.sleep(0.1)
        yield file


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: IO[bytes]) -> bool:
        """Try to hold `file`, by a byte far behind its end, since locked bytes can't be read."""
        file.seek(1 << 20)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(file: IO[bytes]) -> bool:
        """Try to hold `file`."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _note(state: IO[bytes], content: bytes) -> None:
    """Make `content` all that the lock file holds."""
    state.truncate(0)
    state.write(content)
    state.flush()


# --- the process ----------------------------------------------------------------------------------


def _become(command: list[str]) -> NoReturn:
    """Go on as `command`: the same process where the system can do that, so signals arrive."""
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.platform == "win32":
        with subprocess.Popen(command) as child:
            while True:
                # Ctrl-C reaches the child by itself, and how to end is the child's to say.
                with contextlib.suppress(KeyboardInterrupt):
                    sys.exit(child.wait())
    else:
        os.execv(command[0], command)


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Inside, SIGINT and SIGTERM raise Stopped, once; a signal that was ignored stays ignored."""
    before = {
        number: signal.getsignal(number)
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is not signal.SIG_IGN
    }

    def stop(number: int, _frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)  # the few moments of tidying up are not disturbed
        raise Stopped(number)

    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(line: str) -> None:
    _show_progress("")
    sys.stderr.write(f"p2pcards: {line}\n")
    sys.stderr.flush()


def _show_progress(line: str) -> None:
    """Show what pip is at, on a terminal's last line; anything else is not worth a line there."""
    if not sys.stderr.isatty():
        return
    found = re.match(r"(Collecting|Installing collected) (\S+)", line)
    if line and not found:
        return
    word = f"  {found[1].split()[0].lower()} {found[2]}"[:78] if found else ""
    sys.stderr.write(f"\r\x1b[K{word}")
    sys.stderr.flush()
