"""The command line: what it says where, how it ends, and that nobody's name can command it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from p2pcards import __version__
from p2pcards.crypto.kernel import RealKernel
from p2pcards.engine.audit import FAULT_MAGIC, pack_log
from p2pcards.engine.chain import read_contribution
from p2pcards.games import GAMES
from p2pcards.net.address import BrokerUrl
from p2pcards.net.entry import find_door
from p2pcards.shells import cli
from p2pcards.testing.cheaters import sign
from tests import programs
from tests.net.raw import until
from tests.net.seats import chair, guest_lobby, host_lobby
from tests.programs import Program, played

COMMANDS = ("play", "join", "bot", "tables", "audit", "rules")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and files")


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on stdout."""
        found: dict[str, Any] = json.loads(self.out)
        return found


Run = Callable[..., Ended]


@pytest.fixture(name="run")
def _run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Run:
    """Runs a command in this process and in a directory of its own, on loopback."""
    for name in [name for name in os.environ if name.startswith("P2PCARDS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("P2PCARDS_INTERFACE", "127.0.0.1")
    monkeypatch.setenv("P2PCARDS_PROFILE", str(tmp_path / "profile"))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["p2pcards", *map(str, arguments)])
        capsys.readouterr()
        code = cli.main()
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Ended(code, out, err)

    return run


@pytest.fixture(name="nobody")
def _nobody() -> Iterator[str]:
    """The URL of a port where nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield f"mqtt://127.0.0.1:{sock.getsockname()[1]}"


# --- help -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_data_and_has_examples(run: Run, command: str, flag: str) -> None:
    ended = run(*filter(None, [command]), flag)
    assert ended.code == 0
    assert ended.err == ""
    assert "Example" in ended.out
    assert f"p2pcards {command}".strip() in ended.out
    if not command:
        assert all(name in ended.out for name in COMMANDS)


def test_the_version(run: Run) -> None:
    assert run("--version") == Ended(0, f"p2pcards {__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["bogus"],
        ["play", "oh-hell", "--bogus"],
        ["play", "oh-hell", "--seats"],
        ["play", "oh-hell", "--seats", "four"],
        ["play", "oh-hell", "--seed", "x"],
        ["join", "a", "b"],
        ["join", "--wait", "-1"],
        ["join", "--wait", "nan"],
        ["tables", "--wait", "inf"],
        ["audit"],
        ["rules"],
    ],
)
def test_wrong_usage_is_said_so(run: Run, arguments: list[str]) -> None:
    ended = run(*arguments)
    assert ended.code == cli.USAGE
    assert "Usage:" in ended.err or "Error:" in ended.err


# --- options that cannot be -----------------------------------------------------------------------

PLAY = ("play", "oh-hell", "--headless")

REFUSED: Mapping[str, tuple[str, ...]] = {
    "game.unknown": ("play", "poker"),
    "option.seats": (*PLAY, "--seats", "2", "--bots", "2"),
    "option.seats ": (*PLAY, "--seats", "8", "--bots", "8"),
    "option.seats  ": (*PLAY, "--seats", "-3"),
    "option.bots": (*PLAY, "--seats", "3", "--bots", "4"),
    "option.bots ": (*PLAY, "--seats", "3", "--bots", "-1"),
    "option.form": (*PLAY, "--option", "hook"),
    "option.unknown": (*PLAY, "--option", "stakes=high"),
    "option.value": (*PLAY, "--option", "hook=perhaps"),
    "option.value ": (*PLAY, "--hands", "-1"),
    "option.value  ": (*PLAY, "--hands", "1000000000000000000000"),
    "option.value   ": (*PLAY, "--openings", "sometimes"),
    "option.conflict": (*PLAY, "--option", "hook=true", "--option", "bidding=simultaneous"),
    "strategy.unknown": (*PLAY, "--bots", "3", "--strategy", "genius"),
    "player.name": (*PLAY, "--name", "x" * 41),
    "table.name": (*PLAY, "--name", "x" * 64),
    "table.name ": (*PLAY, "--name", "a\x1b[2Jb"),
    "table.name  ": (*PLAY, "--name", "a\u202eb"),
    "table.name   ": (*PLAY, "--name", "a\nb"),
    "table.name    ": (*PLAY, "--name", " "),
    "table.name     ": (*PLAY, "--title", "x" * 64),
    "interface.unknown": (*PLAY, "--interface", "192.0.2.7"),
    "broker.url": (*PLAY, "--broker", "http://broker.example"),
    "game.unknown ": ("rules", "poker"),
    "player.name ": ("join", "--name", "x" * 41),
    "interface.unknown ": ("join", "--interface", "192.0.2.7"),
    "interface.unknown  ": ("tables", "--interface", "nonsense"),
    "broker.url ": ("join", "--broker", "mqtt://:secret@host"),
    "strategy.unknown ": ("join", "--strategy", "genius"),
    "bot.stdio": ("bot", "Ada"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_options_that_cannot_be_are_refused_in_one_line(run: Run, case: str) -> None:
    ended = run(*REFUSED[case])
    assert (ended.code, ended.out) == (cli.USAGE, "")
    *_, last = ended.err.splitlines()
    assert last.startswith("p2pcards: ")
    assert case.strip() not in last  # words for people, not our names for things


def test_an_error_is_one_json_document_where_one_is_wanted(run: Run) -> None:
    ended = run(*REFUSED["option.conflict"], "--json")
    assert ended.code == cli.USAGE
    assert ended.document["error"]["code"] == "option.conflict"
    assert ended.document["error"]["message"] in ended.err


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", ["no/such/place.p2plog", "."])
def test_a_log_that_cannot_be_written_is_refused_before_the_match(run: Run, log: str) -> None:
    ended = run(*PLAY, "--seats", "3", "--bots", "3", "--log", log)
    assert (ended.code, ended.out) == (cli.UNREADABLE, "")
    assert "seats taken" not in ended.err


def test_a_directory_that_may_not_be_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write anywhere
    ended = run(*PLAY, "--seats", "3", "--bots", "3")
    assert (ended.code, ended.out) == (cli.UNREADABLE, "")
    assert "no file can be made in" in ended.err


def test_a_profile_that_is_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    for command in (PLAY, ("join",)):
        ended = run(*command, "--profile", tmp_path / "file")
        assert (ended.code, ended.out) == (cli.UNREADABLE, "")
        assert "file" in ended.err.splitlines()[-1]


def test_a_damaged_identity_is_not_replaced(run: Run, tmp_path: Path) -> None:
    (tmp_path / "profile").mkdir()
    (tmp_path / "profile" / "identity").write_bytes(b"garbage")
    ended = run("join", "--wait", "0")
    assert ended.code == cli.UNREADABLE
    assert "damaged" in ended.err
    assert (tmp_path / "profile" / "identity").read_bytes() == b"garbage"


# --- the network ----------------------------------------------------------------------------------


def test_without_a_broker_there_is_no_table(run: Run, nobody: str) -> None:
    for arguments in (
        (*PLAY, "--broker", nobody),
        (*PLAY, "--seats", "3", "--bots", "3", "--broker", nobody),
        ("join", "--headless", "--broker", nobody),
        ("join", "--headless", nobody.removeprefix("mqtt://")),
    ):
        ended = run(*arguments)
        assert (ended.code, ended.out) == (cli.NETWORK, "")
        assert "nothing listens at 127.0.0.1" in ended.err


def test_a_table_that_is_not_there(run: Run) -> None:
    ended = run("join", "a table of that name", "--wait", "0.1", "--json")
    assert ended.code == cli.NETWORK
    assert ended.document["error"]["code"] == "table.not_found"
    assert "a table of that name" in ended.err


def test_tables_lists_nothing_as_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def browse(wait: float, interface: str | None) -> list[object]:
        assert (wait, interface) == (0.5, "127.0.0.1")
        return []

    monkeypatch.setattr("p2pcards.net.discovery.browse", browse)
    quiet = run("tables", "--wait", "0.5")
    assert (quiet.code, quiet.out) == (0, "")
    assert "join ADDRESS" in quiet.err
    assert run("tables", "--wait", "0.5", "--json").document == {"schema": 1, "tables": []}


def test_what_nobody_expected_is_no_verdict(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours must not end like `dishonesty proven`."""

    async def browse(wait: float, interface: str | None) -> list[object]:
        raise ZeroDivisionError("our own fault")

    monkeypatch.setattr("p2pcards.net.discovery.browse", browse)
    ended = run("tables")
    assert ended.code == cli.BUG
    assert "our own fault" in ended.err
    with pytest.raises(ZeroDivisionError):
        run("--debug", "tables")


# --- audit ----------------------------------------------------------------------------------------


def test_an_honest_log(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.p2plog").write_bytes(played().log)
    ended = run("audit", "a.p2plog")
    assert (ended.code, ended.err) == (cli.HONEST, "")
    assert ended.out.startswith("HONEST: ")
    assert all(f"player {i}: " in ended.out for i in range(3))
    document = run("audit", "a.p2plog", "--json").document
    assert (document["schema"], document["verdict"], document["hands"]) == (1, "honest", 1)
    assert document["checks"]["proofs of shuffle"] == 3
    assert len(document["players"]) == len(document["points"]) == 3


def test_a_file_that_convicts(run: Run, tmp_path: Path) -> None:
    match = played()
    first = read_contribution(match.envelopes[4])
    other = sign(match.identities[first.seat], replace(first.payload, body=(b"other",)))
    (tmp_path / "a.p2pfault").write_bytes(pack_log([*match.envelopes, other], FAULT_MAGIC))
    ended = run("audit", "a.p2pfault")
    assert (ended.code, ended.err) == (cli.DISHONEST, "")
    assert ended.out.startswith(f"DISHONEST: seat {first.seat}, ")
    assert "[chain.equivocation]" in ended.out
    fault = run("audit", "a.p2pfault", "--json").document["fault"]
    assert (fault["seat"], fault["step"]) == (first.seat, first.step)


@pytest.mark.parametrize(
    "content, code",
    [
        (b"", "log.magic"),
        (b"P2PLOG\0", "log.version"),
        (b"P2PLOG\0\2", "log.version"),
        (b"P2PLOG\0\1", "log.truncated"),
        (b"P2PLOG\0\1\xff\xff\xff\xff", "log.truncated"),
        (b"P2PLOG\0\1\0\0\0\1\xc0", "malformed"),
        (b"P2PFLT\0\1", "fault.unproven"),
        (bytes(range(256)) * 10, "log.magic"),
    ],
)
def test_a_file_that_is_no_log(run: Run, tmp_path: Path, content: bytes, code: str) -> None:
    (tmp_path / "bad").write_bytes(content)
    ended = run("audit", "bad")
    assert (ended.code, ended.err) == (cli.UNREADABLE, "")
    assert ended.out.startswith("UNREADABLE: ")
    document = run("audit", "bad", "--json").document
    assert document["code"].startswith(code)
    assert document["verdict"] == "unreadable"
    assert document["problem"]


@pytest.mark.parametrize("name", ["missing.p2plog", ".", "\x1b[2J\u202e.p2plog"])
def test_a_file_that_cannot_be_opened(run: Run, name: str) -> None:
    ended = run("audit", name, "--json")
    assert ended.code == cli.UNREADABLE
    assert ended.document["error"]["code"] == "log.file"
    assert not set(ended.err + ended.out) & set("\x1b\u202e")


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_rules_with_all_options(run: Run, game: str) -> None:
    ended = run("rules", game)
    assert (ended.code, ended.err) == (0, "")
    assert all(f"`{option.name}`" in ended.out for option in GAMES[game].options)


# --- whole tables ---------------------------------------------------------------------------------


def test_a_table_of_bots(run: Run, tmp_path: Path) -> None:
    ended = run(*PLAY, "--seats", "3", "--bots", "3", "--hands", "1", "--log", "a.p2plog")
    assert ended.code == 0
    sheet, ranking = ended.out.strip().split("\n\n")
    assert sheet.split()[0] == "hand"
    assert ranking.startswith("1. ")
    assert all(line.startswith("p2pcards: ") for line in ended.err.splitlines())
    assert ended.err.splitlines()[-1] == "p2pcards: log: a.p2plog"
    assert run("audit", "a.p2plog").code == 0
    assert not (tmp_path / "profile").exists()  # nothing of ours is kept but the log


def test_a_seed_fixes_what_bots_choose_and_not_the_cards(run: Run) -> None:
    """In the first hand, of one card, everybody may bid 0 or 1, whatever the cards are."""

    def bids(seed: int) -> tuple[dict[str, int], str]:
        arguments = ("--seats", "3", "--bots", "3", "--hands", "1", "--strategy", "random")
        ended = run(*PLAY, *arguments, "--seed", seed, "--json", "--quiet", "--log", "log")
        assert (ended.code, ended.err) == (0, "p2pcards: log: log\n")
        document = ended.document
        assert {*document} == KEYS
        assert (document["schema"], document["log"]) == (1, "log")
        assert document["players"][document["seat"]] == "Bot 0"
        names, row = document["players"], document["sheet"][0]
        table = run("audit", "log", "--json").document["table"]
        return dict(zip(names, row["bids"], strict=True)), table

    (first, one), (again, two), (other, _) = bids(1), bids(1), bids(2)
    assert first == again
    assert one != two
    assert first != other


KEYS = {"schema", "game", "players", "seat", "places", "points", "sheet", "log"}


# --- processes ------------------------------------------------------------------------------------

TABLE = ("--seats", "3", "--bots", "1", "--headless")


def address_of(host: Program) -> str:
    """Where a host says that its table can be joined."""
    return host.wait_for("without discovery").split()[-1]


@POSIX
@pytest.mark.parametrize(
    "who, sign_",
    [
        ("host", signal.SIGINT),
        pytest.param("guest", signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param("host", signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param("guest", signal.SIGINT, marks=pytest.mark.slow),
    ],
)
def test_who_is_interrupted_leaves_politely(
    tmp_path: Path, who: str, sign_: signal.Signals
) -> None:
    host_home, guest_home = tmp_path / "host", tmp_path / "guest"
    for home in (host_home, guest_home):
        home.mkdir()
    with (
        programs.start(host_home, programs.play(*TABLE, "--name", "Ada")) as host,
        programs.start(guest_home, programs.join(address_of(host), "--name", "Bob")) as guest,
    ):
        for program in (host, guest):
            program.wait_for("hand 1:")
        leaves, stays = (host, guest) if who == "host" else (guest, host)
        leaves.process.send_signal(sign_)
        assert leaves.end(10) == cli.INTERRUPTED
        assert stays.end(10) == cli.NETWORK
    name = "Ada" if who == "host" else "Bob"
    assert "p2pcards: left the table\n" in leaves.said
    assert f"{name} has left the table" in stays.said[-1]
    for program in (leaves, stays):
        assert any("the log so far: " in line for line in program.said)
    logs = [path for home in (host_home, guest_home) for path in home.glob("*.p2plog")]
    assert len(logs) == 2
    for log in logs:
        audited = programs.run(tmp_path, "audit", str(log), "--json")
        assert audited.returncode == cli.UNREADABLE
        assert json.loads(audited.stdout)["code"] == "log.truncated"


@POSIX
@pytest.mark.parametrize(
    "sign_", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_host_may_give_up_waiting(tmp_path: Path, sign_: signal.Signals) -> None:
    with programs.start(tmp_path, programs.play(*TABLE)) as host:
        host.wait_for("seats taken")
        host.process.send_signal(sign_)
        assert host.end(10) == cli.INTERRUPTED
    assert not list(tmp_path.glob("*.p2plog"))


@POSIX
def test_an_audit_can_be_interrupted_without_a_verdict(tmp_path: Path) -> None:
    """It waits for a pipe that nobody writes to."""
    os.mkfifo(tmp_path / "pipe")
    with programs.start(tmp_path, programs.command("audit", "pipe")) as audit:
        descriptor = os.open(tmp_path / "pipe", os.O_WRONLY)  # returns once it reads
        audit.process.send_signal(signal.SIGINT)
        assert audit.end(10) == cli.INTERRUPTED
        os.close(descriptor)


@POSIX
@pytest.mark.parametrize("arguments", [("rules", "oh-hell"), ("audit", "log", "--json")])
def test_a_broken_pipe_ends_quietly(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "log").write_bytes(played().log)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as broken:
        done = subprocess.run(
            programs.command(*arguments),
            cwd=tmp_path,
            env=programs.environment(tmp_path),
            stdout=broken,
            stderr=subprocess.PIPE,
            timeout=programs.WITHIN,
            check=False,
        )
    assert done.stderr == b""
    assert done.returncode == cli.UNHEARD


def test_letters_that_a_terminal_lacks_end_nothing(tmp_path: Path) -> None:
    done = programs.run(tmp_path, "rules", "oh-hell", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert done.stdout.isascii()


HOSTILE = "\x1b[2J\x1b]0;x\x07\u202eadA\u2066\n\rp2pcards: ok\x9b1m"


# [NET-9] of protocol.md
def test_a_hostile_name_commands_no_terminal(tmp_path: Path) -> None:
    """A guest that is not our program gives itself a name that ours would never take."""

    async def intrude(address: str) -> None:
        door = await find_door(address, os.urandom, broker=None, interface=None, wait=0)
        lobby = guest_lobby(host_lobby(3), HOSTILE)
        lobby.place, lobby._host = door.advert.place, door.host
        guest = chair(lobby, BrokerUrl.parse(address), kernel=RealKernel())
        async with guest.driver:
            await guest.driver.agreed()
            await until(lambda: guest.driver.peer and guest.driver.peer.match.chain.step > 5)

    with programs.start(tmp_path, programs.play(*TABLE, "--name", "Ada")) as host:
        asyncio.run(intrude(address_of(host)))
        assert host.end(20) == cli.NETWORK
        out = host.out
    said = "".join(host.said)
    assert "adAp2pcards: ok" in said  # its letters, in one line
    assert all(line.startswith("p2pcards: ") for line in host.said)
    assert all(c.isprintable() or c == "\n" for c in said + out)
    (log,) = tmp_path.glob("*.p2plog")
    for arguments in (("audit", log.name), ("audit", log.name, "--json")):
        done = programs.run(tmp_path, *arguments)
        assert all(c.isprintable() or c == "\n" for c in done.stdout + done.stderr)
