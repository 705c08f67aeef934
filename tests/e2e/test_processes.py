"""One process hosts and three join: they find each other by name alone, through zeroconf."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests import programs
from tests.programs import Program, start

HANDS = ("--hands", "1")
GUESTS = ("Bob", "Cyd", "Dan")
IP = shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin:/bin") or "ip"


def title() -> str:
    """A table's name that nobody else on this machine has."""
    return f"Bodega {os.getpid()} {os.urandom(2).hex()}"


def check_ends(homes: list[Path], four: list[Program]) -> None:
    """All have ended well, and have one log that stands."""
    for program in four:
        assert program.end() == 0, program.said
    logs = {next(home.glob("*.p2plog")).read_bytes() for home in homes}
    assert len(logs) == 1
    results = [json.loads(program.out) for program in four]
    assert sorted(result["seat"] for result in results) == [0, 1, 2, 3]
    assert {tuple(result["players"]) for result in results} == {tuple(results[0]["players"])}
    assert sorted(results[0]["players"]) == sorted(("Ada", *GUESTS))
    log = next(homes[0].glob("*.p2plog"))
    audited = programs.run(homes[0], "audit", log.name, "--json")
    assert audited.returncode == 0
    # what each of them told its player about the keys is what the audit says
    for player in json.loads(audited.stdout)["players"]:
        assert any(player["fingerprint"] in line for line in four[0].said)


def homes_in(folder: Path) -> list[Path]:
    """A directory for each of four."""
    homes = [folder / name for name in ("Ada", *GUESTS)]
    for home in homes:
        home.mkdir()
    return homes


def test_four_processes_find_each_other_on_loopback(tmp_path: Path) -> None:
    homes, name = homes_in(tmp_path), title()
    hosting = programs.play(*HANDS, "--seats", "4", "--name", "Ada", "--title", name, "--json")
    with ExitStack() as stack:
        four = [stack.enter_context(start(homes[0], hosting))]
        for home, guest in zip(homes[1:], GUESTS, strict=True):
            # Some look for the table before it is there.
            joining = programs.join(name, "--wait", "60", "--name", guest, "--json")
            four.append(stack.enter_context(start(home, joining)))
        check_ends(homes, four)


@pytest.mark.slow
def test_the_table_is_listed_while_it_waits(tmp_path: Path) -> None:
    name = title()
    with start(tmp_path, programs.play(*HANDS, "--title", name, "--name", "Ada")) as host:
        host.wait_for("without discovery")
        listed = programs.run(tmp_path, "tables", "--wait", "4", "--json")
        (table,) = [t for t in json.loads(listed.stdout)["tables"] if t["name"] == name]
        assert (table["game"], table["taken"], table["seats"]) == ("oh-hell", 1, 4)
        assert table["addresses"] == ["127.0.0.1"]
        assert any(table["fingerprint"] in line for line in host.said)
        host.process.terminate()
        assert host.end(10) == 130


# --- network namespaces ---------------------------------------------------------------------------


def ip(*arguments: str) -> None:
    """Runs `ip`."""
    subprocess.run([IP, *arguments], check=True, timeout=10)


@pytest.fixture(name="laptops")
def _laptops() -> Iterator[list[str]]:
    """Four laptops on one switch: the names of their namespaces."""
    bridge = f"p2pe{os.getpid()}"
    laptops = [f"p2p-lap{number}-{os.getpid()}" for number in range(4)]
    try:
        ip("link", "add", bridge, "type", "bridge", "mcast_snooping", "0")
        ip("link", "set", bridge, "up")
        for number, laptop in enumerate(laptops):
            cable = f"p2pw{number}-{os.getpid()}"
            ip("netns", "add", laptop)
            ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", laptop)
            ip("link", "set", cable, "master", bridge, "up")
            ip("-n", laptop, "addr", "add", f"10.78.0.{number + 1}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                ip("-n", laptop, "link", "set", device, "up")
            ip("-n", laptop, "route", "add", "default", "via", "10.78.0.254")
        yield laptops
    finally:
        for laptop in laptops:
            subprocess.run([IP, "netns", "del", laptop], check=False, timeout=10)
        subprocess.run([IP, "link", "del", bridge], check=False, timeout=10)


@pytest.mark.netns
def test_four_laptops_find_each_other(tmp_path: Path, laptops: list[str]) -> None:
    """Each in a network namespace of its own; no interface is named."""
    homes, name = homes_in(tmp_path), title()
    hosting = programs.play(*HANDS, "--seats", "4", "--name", "Ada", "--title", name, "--json")
    with ExitStack() as stack:
        four = []
        for number, laptop in enumerate(laptops):
            joining = ("--wait", "60", "--name", GUESTS[number - 1], "--json")
            line = programs.join(name, *joining) if number else hosting
            prefix = (IP, "netns", "exec", laptop)
            running = start(homes[number], line, prefix, P2PCARDS_INTERFACE="")
            four.append(stack.enter_context(running))
        check_ends(homes, four)
        assert any("10.78.0.1" in line for line in four[0].said)


# --- a laptop that is closed ----------------------------------------------------------------------

HASTY = """
import sys
from p2pcards.net import driver
driver.SILENCE = 6.0
from p2pcards.shells.cli import main
sys.exit(main())
"""
"""The command line with less patience."""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGSTOP, signal.SIGKILL])
def test_a_player_that_is_gone_without_a_word_is_given_up(
    tmp_path: Path, sign: signal.Signals
) -> None:
    homes = homes_in(tmp_path)
    table = ("--seats", "3", "--name", "Ada", "--bots", "1")
    hasty = [sys.executable, "-c", HASTY]
    hosting = [*hasty, "play", "oh-hell", "--headless", *table]
    with start(homes[0], hosting) as host:
        place = host.wait_for("without discovery").split()[-1]
        with start(homes[1], programs.join(place, "--name", "Bob")) as guest:
            host.wait_for("hand 1:")
            guest.process.send_signal(sign)
            assert "waiting for" in host.wait_for("waiting for")
            assert "Bob" in host.said[-1]
            assert host.end() == 4
            assert "Bob has not answered for" in host.said[-1]
