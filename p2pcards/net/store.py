"""The profile directory: identity key, and for each table a journal, secrets and a lock.

Files only: what stands in them (envelopes, framing, magic numbers) is the business of
`engine.audit` and comes as bytes. Everything is private to the user (0600, directories 0700).
protocol.md section 11.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import platformdirs

from p2pcards.errors import StoreError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_IDENTITY_MAGIC = b"P2PKEY\x00\x01"
_SEED = 32
_CHECK = 4
_TABLE = re.compile(r"[0-9a-f]{8,64}")
_LOCK_BYTE = 1 << 20
"""Where Windows locks a byte: far behind the process number, which stays readable."""


class Profile:
    """One player's directory. Several may live on one machine (`--profile`)."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def open(cls, path: str | Path | None = None) -> Profile:
        """The directory `path`, else `P2PCARDS_PROFILE`, else the platform's place for user data.

        Made when missing. Raises `StoreError("profile.unusable")`.
        """
        chosen = path or os.environ.get("P2PCARDS_PROFILE") or None
        place = Path(chosen or platformdirs.user_data_dir("p2pcards", appauthor=False))
        with _storing(place):
            place = place.expanduser().absolute()
            _make_directory(place)
            _make_directory(place / "tables")
        return cls(place)

    def identity(self, rng: Callable[[int], bytes]) -> bytes:
        """The Ed25519 seed (32 bytes, known to nobody else) of this profile.

        Made from `rng(32)` when there is none yet; of two processes that make one at the same time
        both get the same. Raises `StoreError`: `profile.identity` for a damaged or foreign file.
        """
        path = self.path / "identity"
        with _storing(path):
            if not path.exists():
                seed = rng(_SEED)
                _create(path, _IDENTITY_MAGIC + seed + _check(seed))
            _make_private(path)
            content = path.read_bytes()
        seed = content[len(_IDENTITY_MAGIC) : len(_IDENTITY_MAGIC) + _SEED]
        if content != _IDENTITY_MAGIC + seed + _check(seed) or len(seed) != _SEED:
            hint = "put back a copy, or move it away to start with a new identity"
            raise StoreError("profile.identity", f"{path} is damaged: {hint}")
        return seed

    def table(self, table: str) -> TableStore:
        """The files of one table (8 to 64 lower-case hex digits), locked for this process.

        Raises `StoreError("profile.in_use")` when another process (or another part of this one)
        has it open.
        """
        return TableStore(self._place(table), table)

    def tables(self) -> list[str]:
        """The tables that this profile has files of, in order of their names."""
        with _storing(self.path):
            names = [entry.name for entry in (self.path / "tables").iterdir() if entry.is_dir()]
        return sorted(name for name in names if _TABLE.fullmatch(name))

    def _place(self, table: str) -> Path:
        if _TABLE.fullmatch(table) is None:
            raise StoreError("profile.table", f"{table!r} is not the name of a table")
        return self.path / "tables" / table


class TableStore:
    """The directory of one table, held until `close` or the end of `with`."""

    def __init__(self, path: Path, table: str) -> None:
        self.path = path
        self.table = table
        with _storing(path):
            _make_directory(path)
        self._lock = _Lock(path / "lock")

    def journal(self, header: bytes) -> Journal:
        """The log of the table: `header` (magic and version), then what is appended."""
        return Journal(self.path / "journal", header)

    def secrets(self, header: bytes = b"") -> Journal:
        """What only this seat may know of the table: hand seeds and keys."""
        return Journal(self.path / "secrets", header)

    def close(self) -> None:
        """Lets go of the lock. Journals are closed by whoever opened them. May be called again."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Journal:
    """A file that only grows. What `append` has taken survives the end of the process at once, and
    a power cut after `sync`."""

    def __init__(self, path: Path, header: bytes) -> None:
        self.path = path
        with _storing(path):
            if not path.exists():
                _create(path, header)
            _make_private(path)
            flags = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)
            self._fd = os.open(path, flags)
        if self.read()[: len(header)] != header:
            self.close()
            raise StoreError("profile.journal", f"{path} does not begin as it should")

    def append(self, data: bytes) -> None:
        """Writes `data` at the end. Raises `StoreError` (disk full, device gone)."""
        with _storing(self.path):
            view = memoryview(data)
            while view:
                view = view[os.write(self._fd, view) :]

    def read(self) -> bytes:
        """All bytes, the header included."""
        with _storing(self.path):
            os.lseek(self._fd, 0, os.SEEK_SET)
            pieces = []
            while piece := os.read(self._fd, 1 << 20):
                pieces.append(piece)
        return b"".join(pieces)

    def cut(self, length: int) -> None:
        """Forgets everything behind the first `length` bytes: a record torn by a crash."""
        with _storing(self.path):
            os.truncate(self._fd if os.truncate in os.supports_fd else self.path, length)

    def sync(self) -> None:
        """Returns when the disk has everything. Takes milliseconds: not for the event loop."""
        with _storing(self.path):
            os.fsync(self._fd)

    def close(self) -> None:
        """Closes the file, without `sync`. May be called again."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def save(path: str | Path, data: bytes) -> None:
    """Writes a whole file (an exported log, a fault) so that it is either old or new, never half.

    Raises `StoreError("profile.unusable")`.
    """
    target = Path(path)
    with _storing(target):
        temporary = _write_beside(target, data)
        try:
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_directory(target.parent)


class _Lock:
    """A lock of the operating system, so that it ends with the process however that ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _storing(path):
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(self._fd)
        except OSError:
            holder = os.pread(self._fd, 20, 0) if hasattr(os, "pread") else os.read(self._fd, 20)
            os.close(self._fd)
            self._fd = -1
            pid = holder.decode("ascii", "replace").strip() or "unknown"
            raise StoreError(
                "profile.in_use", f"{path.parent} is in use by process {pid}"
            ) from None
        with _storing(path):
            os.ftruncate(self._fd, 0)
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.write(self._fd, b"%d\n" % os.getpid())

    def release(self) -> None:
        if self._fd >= 0:
            if sys.platform == "win32":
                os.lseek(self._fd, _LOCK_BYTE, os.SEEK_SET)
                msvcrt.locking(self._fd, msvcrt.LK_UNLCK, 1)
            os.close(self._fd)
            self._fd = -1


def _lock(fd: int) -> None:
    if sys.platform == "win32":
        os.lseek(fd, _LOCK_BYTE, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        os.lseek(fd, 0, os.SEEK_SET)
    else:
        # flock, not lockf: it also holds against a second opening by this same process.
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def _storing(path: Path) -> Iterator[None]:
    """Turns what the operating system raises into a `StoreError` that names the file."""
    try:
        yield
    except OSError as error:
        raise StoreError(detail=f"{path}: {error.strerror or error}") from error


def _check(seed: bytes) -> bytes:
    return hashlib.sha256(_IDENTITY_MAGIC + seed).digest()[:_CHECK]


def _make_directory(path: Path) -> None:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def _make_private(path: Path) -> None:
    """Takes away what others may do with the file; refuses one that belongs to somebody else."""
    # On Windows the user's profile is private by its access list.
    if sys.platform != "win32":
        status = path.stat()
        if status.st_uid != os.geteuid():
            raise StoreError("profile.owner", f"{path} belongs to another user")
        if stat.S_IMODE(status.st_mode) & 0o077:
            path.chmod(0o600)


def _write_beside(path: Path, data: bytes) -> Path:
    """A new file next to `path` (0600, on disk), to be moved to its place."""
    # mkstemp opens with O_EXCL and 0600.
    fd, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _create(path: Path, data: bytes) -> None:
    """Makes `path` with all of `data` at once, unless it is there already; then it is left."""
    temporary = _write_beside(path, data)
    try:
        with contextlib.suppress(FileExistsError):
            try:
                path.hardlink_to(temporary)
            except FileExistsError:
                raise
            except OSError:
                # A file system without links. Of two processes the later one wins here, in the
                # instant between the look and the move.
                if not path.exists():
                    temporary.rename(path)
        _sync_directory(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _sync_directory(path: Path) -> None:
    """Makes the name of a new file survive a power cut, where directories can be opened."""
    if sys.platform != "win32":
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
