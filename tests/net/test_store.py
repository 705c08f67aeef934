"""Profiles on disk: who may read them, what a crash or a stranger can do to them."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from p2pcards.errors import StoreError
from p2pcards.net import store
from p2pcards.net.store import Journal, Profile

TABLE = "00112233445566aa"
HEADER = b"P2PLOG\x00\x01"

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")


def counting() -> Callable[[int], bytes]:
    """An `rng` that never gives the same bytes twice."""
    given = iter(range(256))
    return lambda length: bytes([next(given)]) * length


@pytest.fixture(name="profile")
def _profile(tmp_path: Path) -> Profile:
    return Profile.open(tmp_path / "ann")


def code_of(action: Callable[[], object]) -> str:
    """The code of the `StoreError` that `action` raises."""
    with pytest.raises(StoreError) as refusal:
        action()
    return refusal.value.code


def mode(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


def test_where_a_profile_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path / "default"))
    monkeypatch.delenv("P2PCARDS_PROFILE", raising=False)
    assert Profile.open().path == tmp_path / "default"
    monkeypatch.setenv("P2PCARDS_PROFILE", str(tmp_path / "environment"))
    assert Profile.open().path == tmp_path / "environment"
    assert Profile.open(tmp_path / "given").path == tmp_path / "given"
    assert Profile.open(tmp_path / "given").path.is_dir()


def test_a_profile_that_cannot_be_made_names_its_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="file") as refusal:
        Profile.open(tmp_path / "file" / "ann")
    assert refusal.value.code == "profile.unusable"


def test_the_identity_is_made_once(profile: Profile) -> None:
    rng = counting()
    seed = profile.identity(rng)
    assert seed == bytes(32)
    assert profile.identity(rng) == seed
    assert Profile.open(profile.path).identity(rng) == seed
    assert rng(1) == b"\x01"  # asked once only
    assert sorted(entry.name for entry in profile.path.iterdir()) == ["identity", "tables"]


# [PEER-2] of protocol.md
@posix
def test_the_profile_is_private_from_the_start(profile: Profile) -> None:
    profile.identity(counting())
    with profile.table(TABLE) as table, table.journal(HEADER), table.secrets():
        files = [path for path in profile.path.rglob("*") if path.is_file()]
        assert {path.name for path in files} == {"identity", "journal", "secrets", "lock"}
        assert {mode(path) for path in files} == {0o600}
    assert mode(profile.path) == 0o700
    assert mode(profile.path / "tables" / TABLE) == 0o700


@posix
def test_open_permissions_are_repaired(profile: Profile) -> None:
    seed = profile.identity(counting())
    (profile.path / "identity").chmod(0o644)
    assert profile.identity(counting()) == seed
    assert mode(profile.path / "identity") == 0o600


@posix
def test_a_file_of_somebody_else_is_refused(
    profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile.identity(counting())
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert code_of(lambda: profile.identity(counting())) == "profile.owner"


def damages() -> dict[str, Callable[[bytes], bytes]]:
    """What may happen to an identity file."""
    return {
        "empty": lambda _: b"",
        "cut": lambda content: content[:-1],
        "longer": lambda content: content + b"\n",
        "flipped seed": lambda content: content[:20] + bytes([content[20] ^ 1]) + content[21:],
        "flipped check": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        "another format": lambda content: content[:7] + b"\x02" + content[8:],
        "bare seed": lambda content: content[8:40],
    }


@pytest.mark.parametrize("damage", damages().values(), ids=damages().keys())
def test_a_damaged_identity_is_named_and_kept(
    profile: Profile, damage: Callable[[bytes], bytes]
) -> None:
    profile.identity(counting())
    path = profile.path / "identity"
    path.write_bytes(damage(path.read_bytes()))
    content = path.read_bytes()
    with pytest.raises(StoreError) as refusal:
        profile.identity(counting())
    assert refusal.value.code == "profile.identity"
    assert str(path) in refusal.value.detail
    assert path.read_bytes() == content


def test_of_two_that_make_an_identity_the_later_takes_the_earliers(
    profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Profile.open(profile.path)
    rng = counting()

    def racing(length: int) -> bytes:
        other.identity(rng)
        return b"late" * (length // 4)

    assert profile.identity(racing) == bytes(32)
    (profile.path / "identity").unlink()

    def no_links(_path: Path, _target: Path) -> None:
        raise OSError(95, "no links here")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    assert profile.identity(rng) == b"\x01" * 32
    assert profile.identity(rng) == b"\x01" * 32


@pytest.mark.parametrize("name", ["", "..", "../up", "AA" * 8, "0" * 7, "0" * 65, "con", "0/1" * 8])
def test_table_names_are_not_paths(profile: Profile, name: str) -> None:
    assert code_of(lambda: profile.table(name)) == "profile.table"


def test_tables_are_listed(profile: Profile) -> None:
    assert profile.tables() == []
    for name in ("ffffffff", TABLE):
        profile.table(name).close()
    (profile.path / "tables" / "notes").mkdir()
    assert profile.tables() == [TABLE, "ffffffff"]


# [PEER-3] of protocol.md
def test_a_table_is_open_once(profile: Profile) -> None:
    table = profile.table(TABLE)
    with pytest.raises(StoreError, match=f"process {os.getpid()}$") as refusal:
        profile.table(TABLE)
    assert refusal.value.code == "profile.in_use"
    profile.table("ffffffff").close()
    table.close()
    table.close()
    profile.table(TABLE).close()


HOLDER = """
import sys
from p2pcards.net.store import Profile
table = Profile.open(sys.argv[1]).table(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_ends_with_its_process_however_that_ends(profile: Profile) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(profile.path), TABLE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().split() == [b"held"]
        with pytest.raises(StoreError, match=f"process {holder.pid}$"):
            profile.table(TABLE)
        holder.kill()
        holder.wait()
        profile.table(TABLE).close()


def test_a_journal_grows_and_comes_back(profile: Profile) -> None:
    with profile.table(TABLE) as table:
        with table.journal(HEADER) as journal:
            journal.append(b"one")
            journal.append(b"two")
            journal.sync()
            assert journal.read() == HEADER + b"onetwo"
            assert (table.path / "journal").read_bytes() == HEADER + b"onetwo"
        with table.journal(HEADER) as journal:
            journal.append(b"three")
            journal.cut(len(HEADER) + 3)
            journal.append(b"!")
            assert journal.read() == HEADER + b"one!"
        with table.secrets() as secrets:
            secrets.append(b"seed")
            assert secrets.read() == b"seed"


def test_a_journal_with_another_header_is_refused_and_kept(profile: Profile) -> None:
    with profile.table(TABLE) as table:
        table.journal(HEADER).close()
        assert code_of(lambda: table.journal(b"P2PLOG\x00\x02")) == "profile.journal"
        (table.path / "journal").write_bytes(HEADER[:3])
        assert code_of(lambda: table.journal(HEADER)) == "profile.journal"
        assert (table.path / "journal").read_bytes() == HEADER[:3]


def test_a_full_disk_is_a_store_error(profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_fd: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with profile.table(TABLE) as table, table.journal(HEADER) as journal:
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(StoreError, match="No space left") as refusal:
            journal.append(b"x")
        assert refusal.value.code == "profile.unusable"
        monkeypatch.undo()


def test_short_writes_are_continued(profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with profile.table(TABLE) as table, table.journal(HEADER) as journal:
        monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data[:2])))
        journal.append(b"seven..")
        assert journal.read() == HEADER + b"seven.."


def test_closed_journals_may_be_closed_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", b"")
    journal.close()
    journal.close()
    with pytest.raises(StoreError):
        journal.append(b"x")


def test_saved_files_are_old_or_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "match.p2plog"
    store.save(path, b"old")
    store.save(path, b"new")
    assert path.read_bytes() == b"new"

    def refuse(_self: Path, _target: Path) -> None:
        raise OSError(5, "broken disk")

    monkeypatch.setattr(Path, "replace", refuse)
    assert code_of(lambda: store.save(path, b"newer")) == "profile.unusable"
    assert [(entry.name, entry.read_bytes()) for entry in tmp_path.iterdir()] == [
        ("match.p2plog", b"new")
    ]
    assert code_of(lambda: store.save(tmp_path / "no" / "where", b"x")) == "profile.unusable"
