"""What a player does at the page: the lobby, tables, talk, reloads, rematches; two players, too."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from p2pcards.crypto.kernel import RealKernel
from p2pcards.engine.audit import audit
from p2pcards.errors import LocalError
from p2pcards.net import driver as driver_module
from p2pcards.net.store import Profile
from p2pcards.shells import script
from p2pcards.shells.text.en import WORDS
from p2pcards.shells.web.desk import BACKLOG, PAGES, Page
from p2pcards.shells.web.settings import SETTINGS, People, Settings
from tests.shells.web.browsers import Browser, House, house, run

SMALL = {"game": "oh-hell", "options": {"max_hand": 1}}
HOSTILE = "<b>x</b>\x1b[2J\u202eadA\u2066\n\r\x9b"


@pytest.fixture(autouse=True)
def _loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """No port that others may want, and no waiting for proofs that are long since checked."""
    monkeypatch.setattr(script, "PORT", 0)
    monkeypatch.setattr(driver_module, "VERDICT_WITHIN", 0.3)


@asynccontextmanager
async def player(name: str, **more: Any) -> AsyncIterator[tuple[House, Browser, str]]:
    """A player with one open page."""
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(house(name, **more))
        cookie = await place.cookie()
        page = await stack.enter_async_context(Browser.at(place, cookie))
        await page.wait_for("hello")
        yield place, page, cookie


async def at_table(ada: Browser, bob: Browser, **table: Any) -> str:
    """Ada hosts a table of three with a bot, Bob joins it from the lobby; gives its id."""
    title = f"sofa {secrets.token_hex(4)}"  # others may play on this machine, too
    await ada.send("host", **{**SMALL, "seats": 3, "bots": ["simple"], "title": title, **table})
    await ada.wait_for("forming", taken=2)
    lobby = await bob.wait(lambda d: d["t"] == "lobby" and listed(d, title))
    (found,) = listed(lobby, title)
    assert (found["game"], found["seats"]) == ("oh-hell", table.get("seats", 3))
    await bob.send("join", table=found["id"])
    return str(found["id"])


def listed(lobby: dict[str, Any], title: str) -> list[dict[str, Any]]:
    """The tables of a lobby with a name."""
    return [table for table in lobby["tables"] if title in (table["name"], table["id"])]


def is_over(screen: dict[str, Any]) -> bool:
    """Whether a screen shows an end."""
    return screen["over"] is not None


# --- words and settings ---------------------------------------------------------------------------


def test_hello_says_who_we_are_and_what_there_is() -> None:
    async def scenario() -> None:
        async with player("Ada") as (_, page, _):
            hello = page.seen[0]
            assert hello["t"] == "hello"
            assert hello["me"]["name"] == "Ada"
            assert len(hello["me"]["key"]) == 32
            assert len(hello["me"]["words"].split()) == 6
            assert hello["words"] == dict(WORDS)
            assert {game["key"] for game in hello["games"]} >= {"oh-hell", "cuckoo"}
            kinds = {o["kind"] for game in hello["games"] for o in game["options"]}
            assert kinds == {"flag", "choice", "number"}
            lobby = await page.next()
            assert lobby["t"] == "lobby"

    run(scenario())


def test_settings_are_kept_in_the_profile_and_follow_on_every_page(tmp_path: Path) -> None:
    async def scenario() -> None:
        profile = Profile.open(tmp_path)
        async with (
            player("Ada", profile=profile) as (place, page, cookie),
            Browser.at(place, cookie) as other,
        ):
            await other.wait_for("hello")
            await page.send("setting", name="deck", value="four")
            assert (await other.wait_for("hello"))["settings"]["deck"] == "four"
            await page.send("setting", name="name", value="Ada Lovelace")
            assert (await other.wait_for("hello"))["me"]["name"] == "Ada Lovelace"
        kept = Settings(profile).values
        assert (kept["deck"], kept["name"]) == ("four", "Ada Lovelace")
        assert (tmp_path / "page.json").stat().st_mode & 0o077 == 0

    run(scenario())


@pytest.mark.parametrize(
    "name, value",
    [
        ("deck", "five"),
        ("sound", 1),
        ("sound", "yes"),
        ("volume", 101),
        ("volume", True),
        ("nudge", -1),
        ("lang", "xx"),
        ("name", ""),
        ("name", "x" * 41),
        ("name", HOSTILE),
        ("path", "/etc"),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, name: str, value: object) -> None:
    settings = Settings(Profile.open(tmp_path))
    with pytest.raises(LocalError):
        settings.set(name, value)
    assert settings.values == {}


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"deck": 5, "sound": true, "x": 1}', "[" * 9999]
)
def test_a_damaged_file_of_settings_counts_as_none(tmp_path: Path, content: str) -> None:
    profile = Profile.open(tmp_path)
    (tmp_path / "page.json").write_text(content)
    (tmp_path / "people.json").write_text(content)
    assert set(Settings(profile).values) <= {"sound"}
    assert not People(profile).is_known("deck")
    assert set(SETTINGS) > {"deck", "sound"}


def test_people_are_known_by_their_keys(tmp_path: Path) -> None:
    profile = Profile.open(tmp_path)
    people = People(profile)
    people.meet("aa", "Bob")
    people.meet("bb", "Bot 1")
    again = People(profile)
    assert again.is_known("aa")
    assert not again.is_known("bb")
    assert again.is_impostor("cc", "bob")
    assert not again.is_impostor("aa", "Bob")
    assert not again.is_impostor("cc", "Carol")


# --- commands that make no sense ------------------------------------------------------------------

BAD: tuple[tuple[dict[str, Any], str], ...] = (
    ({"do": "bogus"}, "command"),
    ({"do": ["host"]}, "command"),
    ({}, "command"),
    ({"do": "host"}, "command"),
    ({"do": "host", "game": "poker", "seats": 4}, "game.unknown"),
    ({"do": "host", "game": "oh-hell", "seats": "4"}, "command"),
    ({"do": "host", "game": "oh-hell", "seats": True}, "command"),
    ({"do": "host", "game": "oh-hell", "seats": 2}, "option.seats"),
    ({"do": "host", "game": "oh-hell", "seats": 10**30}, "option.seats"),
    ({"do": "host", "game": "oh-hell", "seats": 3, "bots": ["simple"] * 3}, "option.bots"),
    ({"do": "host", "game": "oh-hell", "seats": 3, "bots": ["genius"]}, "strategy.unknown"),
    ({"do": "host", "game": "oh-hell", "seats": 3, "bots": 2}, "command"),
    ({"do": "host", "game": "oh-hell", "seats": 3, "options": {"hook": "perhaps"}}, "option.value"),
    ({"do": "host", "game": "oh-hell", "seats": 3, "options": {"hook": []}}, "command"),
    ({"do": "host", "game": "oh-hell", "seats": 3, "hands": -1}, "option.value"),
    ({"do": "host", "game": "oh-hell", "seats": 3, "title": HOSTILE}, "table.name"),
    ({"do": "join"}, "command"),
    ({"do": "join", "table": ""}, "table.not_found"),
    ({"do": "join", "table": "p2pcards://join?h=x"}, "table.link"),
    ({"do": "choose", "option": "o0", "at": 1}, "command.no-table"),
    ({"do": "say", "text": "hello"}, "command.no-table"),
    ({"do": "say", "phrase": "phrase.bogus"}, "command"),
    ({"do": "say", "phrase": "arrange.count"}, "command"),
    ({"do": "say"}, "command"),
    ({"do": "hint"}, "command.no-table"),
    ({"do": "kick", "key": "00"}, "command.no-table"),
    ({"do": "rematch"}, "command.no-table"),
    ({"do": "knock", "seat": 1}, "command.no-table"),
    ({"do": "setting", "name": "deck", "value": {}}, "command"),
)


def test_commands_that_cannot_be_are_said_so_to_their_page_alone() -> None:
    async def scenario() -> None:
        async with player("Ada") as (place, page, cookie), Browser.at(place, cookie) as other:
            await other.wait_for("lobby")
            for command, code in BAD:
                await page.send_text(json.dumps(command))
                assert (await page.wait_for("error"))["code"] == code, command
                assert code in WORDS
            await page.send_text("[1, 2]")
            assert (await page.wait_for("error"))["code"] == "command"
            await page.send("setting", name="sound", value=True)
            await other.wait_for("hello")
            assert not any(document["t"] == "error" for document in other.seen)

    run(scenario())


def test_leaving_no_table_is_no_fault() -> None:
    async def scenario() -> None:
        async with player("Ada") as (_, page, _):
            await page.send("leave")
            await page.send("setting", name="sound", value=True)
            await page.wait_for("hello")
            assert not any(document["t"] == "error" for document in page.seen)

    run(scenario())


# --- a table of bots ------------------------------------------------------------------------------


def test_a_match_against_bots_on_two_pages_with_reloads_and_a_rematch(tmp_path: Path) -> None:
    async def scenario() -> None:
        profile = Profile.open(tmp_path)
        async with player("Ada", profile=profile) as (place, page, cookie):
            await page.send("host", **SMALL, seats=3, bots=["simple", "random"])
            await page.play(lambda screen: screen["hand"])
            async with Browser.at(place, cookie) as other:
                shown = await other.wait_for("screen")
                assert shown["you"] == page.seen[-1]["you"]
                # a page that went and came back plays on, as does the other one
                ended = await other.play(is_over)
            assert len(ended["over"]["places"]) == 3
            assert ended["shield"]["state"] in {"ok", "checking"}
            codes = {fact["code"] for fact in ended["shield"]["facts"]}
            assert codes >= {"fact.shuffled", "fact.hidden", "fact.moves", "fact.signed"}
            assert any(line["code"] == "log.trick" for line in ended["log"])

            record = await place.get("/record", cookie=cookie)
            assert audit(record.content, RealKernel()).verdict == "honest"
            assert ".p2plog" in record.headers["content-disposition"]

            await page.wait(lambda d: d["t"] == "screen" and is_over(d))
            await page.send("rematch")
            await page.wait_for("screen", over=None)
            await page.play(is_over)
            await page.send("leave")
            await page.wait_for("lobby")
        kept = list((tmp_path / "records").glob("*.p2plog"))
        assert len(kept) == 2
        for log in kept:
            assert audit(log.read_bytes(), RealKernel()).verdict == "honest"

    run(scenario())


def test_a_stale_or_unknown_choice_is_refused_and_nothing_is_sent() -> None:
    async def scenario() -> None:
        async with player("Ada") as (_, page, _):
            await page.send("host", **SMALL, seats=3, bots=["simple"] * 2)
            screen = await page.play(lambda s: s["actions"])
            for option, at, code in (
                ("o99", screen["step"], "choice.unknown"),
                ("o0", screen["step"] - 1, "choice.stale"),
            ):
                await page.send("choose", option=option, at=at)
                assert (await page.wait_for("error"))["code"] == code
            await page.send("host", **SMALL, seats=3)
            assert (await page.wait_for("error"))["code"] == "command.busy"
            await page.send("rematch")
            assert (await page.wait_for("error"))["code"] == "command.not-over"

    run(scenario())


def test_forced_moves_are_made_for_who_wants_it() -> None:
    async def scenario() -> None:
        async with player("Ada") as (_, page, _):
            await page.send("setting", name="autoplay", value=True)
            await page.send("host", **SMALL, seats=3, bots=["simple"] * 2)
            screen = await page.play(lambda s: s["actions"])  # the bid is a choice
            assert {action["id"] for action in screen["actions"]} == {"o0", "o1"}
            await page.send("choose", option="o0", at=screen["step"])
            # the one card that is left is played by the desk
            await page.wait(lambda d: d["t"] == "screen" and d["middle"]["swept"])

    run(scenario())


# --- two players ----------------------------------------------------------------------------------


def test_two_players_find_each_other_talk_and_play_again() -> None:
    async def scenario() -> None:
        async with player("Ada") as (_, ada, _), player("Bob") as (_, bob, _):
            await at_table(ada, bob)
            forming = next(d for d in ada.seen if d["t"] == "forming")
            assert forming["host"] is True
            assert forming["link"].startswith("p2pcards://join?h=127.0.0.1&p=")
            assert {len(row) for row in forming["qr"]} == {len(forming["qr"])}
            await asyncio.gather(
                ada.play(lambda screen: screen["hand"]), bob.play(lambda screen: screen["hand"])
            )
            names = {seat["name"] for seat in bob.seen[-1]["seats"]}
            assert names == {"Ada", "Bob", "Bot 1"}

            # [NET-9] of protocol.md
            await ada.send("say", text=HOSTILE)
            said = await bob.wait_for("chat")
            assert said["text"] == "<b>x</b>[2JadA"
            assert said["name"] == "Ada"
            await bob.send("say", phrase="phrase.well-played")
            assert (await ada.wait_for("chat", phrase="phrase.well-played"))["name"] == "Bob"
            await bob.send("knock", seat=said["from"])
            knock = await ada.wait_for("chat", phrase="phrase.knock")
            assert knock["to"] == [said["from"]]

            await asyncio.gather(ada.play(is_over), bob.play(is_over))
            assert ada.seen[-1]["over"]["places"] == bob.seen[-1]["over"]["places"]

            await ada.send("rematch")
            await bob.wait(lambda d: d["t"] == "screen" and d["rematch"]["invited"])
            await bob.send("rematch")
            await asyncio.gather(
                ada.wait(lambda d: d["t"] == "screen" and not is_over(d)),
                bob.wait(lambda d: d["t"] == "screen" and not is_over(d)),
            )
            again = {seat["name"] for seat in bob.seen[-1]["seats"]}
            assert again == {"Ada", "Bob", "Bot 1"}
            await asyncio.gather(ada.play(is_over), bob.play(is_over))

    run(scenario())


def test_who_wants_a_rematch_first_waits_for_the_host() -> None:
    async def scenario() -> None:
        async with player("Ada") as (_, ada, _), player("Bob") as (_, bob, _):
            await at_table(ada, bob)
            await asyncio.gather(ada.play(is_over), bob.play(is_over))
            await bob.send("rematch")
            assert (await ada.wait_for("chat", phrase="phrase.rematch"))["name"] == "Bob"
            await ada.send("rematch")
            await asyncio.gather(
                ada.wait(lambda d: d["t"] == "screen" and not is_over(d)),
                bob.wait(lambda d: d["t"] == "screen" and not is_over(d)),
            )

    run(scenario())


def test_a_guest_who_is_turned_away_is_told_and_cannot_come_back() -> None:
    async def scenario() -> None:
        async with player("Ada") as (_, ada, _), player("Bob") as (_, bob, _):
            table = await at_table(ada, bob, seats=4)
            forming = await ada.wait(lambda d: d["t"] == "forming" and len(d["players"]) == 3)
            (guest,) = [p for p in forming["players"] if p["name"] == "Bob"]
            await bob.wait(lambda d: d["t"] == "forming" and d["game"] == "oh-hell")
            await bob.send("kick", key=guest["key"])
            assert (await bob.wait_for("error"))["code"] == "command.not-host"
            await ada.send("kick", key=guest["key"])
            assert (await bob.wait_for("error"))["code"] == "lobby.kicked"
            await ada.wait(lambda d: d["t"] == "forming" and len(d["players"]) == 2)
            await bob.send("join", table=table)
            assert (await bob.wait_for("error"))["code"] == "lobby.kicked"

    run(scenario())


def test_who_leaves_a_table_that_forms_frees_the_seat() -> None:
    async def scenario() -> None:
        async with player("Ada") as (_, ada, _), player("Bob") as (_, bob, _):
            table = await at_table(ada, bob, seats=4)
            await ada.wait(lambda d: d["t"] == "forming" and len(d["players"]) == 3)
            await bob.send("leave")
            await bob.wait_for("lobby")
            await ada.wait(lambda d: d["t"] == "forming" and len(d["players"]) == 2)
            await ada.send("leave")
            await ada.wait_for("lobby")
            await bob.wait(lambda d: d["t"] == "lobby" and not listed(d, table))

    run(scenario())


def test_who_leaves_a_match_ends_it_for_the_others_who_hear_who_it_was() -> None:
    async def scenario() -> None:
        async with player("Ada") as (_, ada, _), player("Bob") as (_, bob, _):
            await at_table(ada, bob)
            await asyncio.gather(
                ada.play(lambda screen: screen["hand"]), bob.play(lambda screen: screen["hand"])
            )
            await bob.send("leave")
            ended = await ada.wait(lambda d: d["t"] == "screen" and is_over(d))
            assert ended["over"]["code"] == "over.left"
            assert ended["over"]["args"] == {"name": "Bob"}
            assert ended["over"]["places"] is None

    run(scenario())


def test_a_table_is_joined_by_its_link() -> None:
    async def scenario() -> None:
        async with player("Ada") as (_, ada, _), player("Bob") as (_, bob, _):
            await ada.send("host", **SMALL, seats=3, bots=["simple"])
            forming = await ada.wait_for("forming", taken=2)
            await bob.send("join", table=forming["link"])
            await bob.play(lambda screen: screen["hand"])
            wrong = forming["link"][:-4] + "0000"
            await bob.send("leave")
            await bob.wait_for("lobby")
            await bob.send("join", table=wrong)
            assert (await bob.wait_for("error"))["code"] in {
                "table.impostor",
                "table.not_found",
            }

    run(scenario())


# --- pages ----------------------------------------------------------------------------------------


def test_a_slow_page_gets_the_latest_state_and_no_pile_of_old_ones() -> None:
    async def scenario() -> None:
        page = Page()
        for step in range(1000):
            page.show({"t": "screen", "step": step})
            page.show({"t": "chat", "number": step})
        page.show({"t": "hello"})
        assert await page.next() == {"t": "hello"}
        assert await page.next() == {"t": "screen", "step": 999}
        talk = [await page.next() for _ in range(BACKLOG)]
        assert [said["number"] for said in talk] == list(range(1000 - BACKLOG, 1000))

    run(scenario())


def test_the_lobby_never_covers_a_table() -> None:
    """Which of the views counts is the last one that came."""

    async def scenario() -> None:
        page = Page()
        page.show({"t": "screen"})
        page.show({"t": "lobby"})
        page.show({"t": "forming"})
        assert (await page.next())["t"] == "forming"

    run(scenario())


def test_there_is_an_end_to_pages() -> None:
    async def scenario() -> None:
        async with house() as place:
            pages = [place.desk.open() for _ in range(PAGES)]
            with pytest.raises(LocalError):
                place.desk.open()
            place.desk.close(pages[0])
            place.desk.open()

    run(scenario())


def test_pages_hear_that_the_server_goes() -> None:
    async def scenario() -> None:
        async with AsyncExitStack() as stack:
            place = await stack.enter_async_context(house())
            page = place.desk.open()
            await stack.aclose()
            kinds = [(await page.next())["t"] for _ in range(3)]
            assert kinds[-1] == "away"

    run(scenario())
