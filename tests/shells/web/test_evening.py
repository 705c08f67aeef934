"""The commands that open the page: what they print, what they refuse, how they end."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from pathlib import Path

import httpx
import pytest

from p2pcards.shells import cli
from p2pcards.shells.web import evening
from tests import programs
from tests.programs import Program
from tests.shells.web.browsers import Browser, House, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

ADDRESS = re.compile(r"http://127\.0\.0\.1:[0-9]+/\?token=[\w-]{20,}$")


def page_of(program: Program) -> str:
    """The address that a program prints."""
    found = ADDRESS.search(program.wait_for("the page: ").strip())
    assert found is not None
    return found[0]


def look(address: str, fits: str) -> tuple[dict[str, object], str]:
    """Opens the page; gives the first document of a kind, and the cookie."""

    async def scenario() -> tuple[dict[str, object], str]:
        place = House(None, address, [])  # type: ignore[arg-type]  # the desk is in the program
        cookie = await place.cookie()
        async with Browser.at(place, cookie) as page:
            return await page.wait_for(fits), cookie.partition("=")[2]

    return run(scenario())


@pytest.mark.parametrize(
    "arguments, shown",
    [
        (["--no-browser"], "lobby"),
        (["play", "--no-browser"], "lobby"),
        (["join", "--no-browser"], "lobby"),
        (["play", "cuckoo", "--bots", "3", "--no-browser"], "screen"),
        (["play", "oh-hell", "--bots", "2", "--no-browser", "--quiet"], "forming"),
    ],
)
def test_a_command_with_a_screen_opens_the_page(
    tmp_path: Path, arguments: list[str], shown: str
) -> None:
    with programs.start(tmp_path, programs.command(*arguments)) as program:
        document, _ = look(page_of(program), shown)
        assert document.get("title", "") is not None
        program.process.send_signal(signal.SIGINT)
        assert program.end(20) == cli.INTERRUPTED
        assert program.out == ""
        assert all(line.startswith("p2pcards: ") for line in program.said)


def test_a_table_that_is_to_be_joined_and_is_not_there_leaves_the_page_open(
    tmp_path: Path,
) -> None:
    arguments = ["join", "127.0.0.1:9", "--no-browser"]
    with programs.start(tmp_path, programs.command(*arguments)) as program:
        address = page_of(program)

        async def scenario() -> None:
            place = House(None, address, [])  # type: ignore[arg-type]  # as above
            async with Browser.at(place, await place.cookie()) as page:
                await page.wait(lambda d: d["t"] == "lobby" and not d["busy"])

        run(scenario())
        program.process.send_signal(signal.SIGTERM)
        assert program.end(20) == cli.INTERRUPTED


def test_token_and_cookie_are_in_no_log(tmp_path: Path) -> None:
    with programs.start(tmp_path, programs.command("--debug", "--no-browser")) as program:
        address = page_of(program)
        _, cookie = look(address, "lobby")
        program.process.send_signal(signal.SIGINT)
        program.end(20)
        token = address.partition("token=")[2]
        assert sum(token in line for line in program.said) == 1
        assert not any(cookie in line for line in program.said)


def test_a_port_that_is_taken_is_said_so(tmp_path: Path) -> None:
    async def scenario() -> None:
        server = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        done = await asyncio.to_thread(
            programs.run, tmp_path, "play", "--no-browser", "--port", str(port)
        )
        server.close()
        assert done.returncode == cli.NETWORK
        assert str(port) in done.stderr

    run(scenario())


def test_nothing_listens_any_more_when_the_command_has_ended(tmp_path: Path) -> None:
    with programs.start(tmp_path, programs.command("--no-browser")) as program:
        address = page_of(program)
        program.process.send_signal(signal.SIGINT)
        program.end(20)
    with pytest.raises(httpx.ConnectError):
        httpx.get(address, trust_env=False)


@pytest.mark.skipif(sys.platform == "darwin", reason="there is always a display")
@pytest.mark.parametrize(
    "names, there", [([], False), (["DISPLAY"], True), (["WAYLAND_DISPLAY"], True)]
)
def test_a_browser_needs_a_display(
    monkeypatch: pytest.MonkeyPatch, names: list[str], there: bool
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name in names:
        monkeypatch.setenv(name, "x")
    assert evening.has_display() is there
