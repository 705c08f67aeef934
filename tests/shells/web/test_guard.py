"""The local page answers this machine's browser with our cookie, and nobody and nothing else."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from p2pcards.shells.web.guard import POLICY
from p2pcards.shells.web.server import MESSAGE_LIMIT
from tests.shells.web.browsers import Browser, House, house, run

Scenario = Callable[[House, str], Awaitable[None]]


def with_page(scenario: Scenario) -> None:
    """Runs a scenario with a server and a good cookie."""

    async def whole() -> None:
        async with house() as place:
            await scenario(place, await place.cookie())

    run(whole())


def test_the_token_becomes_a_cookie_that_is_named_with_the_port() -> None:
    async def scenario() -> None:
        async with house() as place:
            answer = await place.get("/?" + place.address.partition("?")[2])
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
            cookie = answer.headers["set-cookie"]
            assert cookie.startswith(f"p2pcards-{place.port}=")
            assert {"HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
            page = await place.get(cookie=cookie.partition(";")[0])
            assert page.status_code == 200
            assert page.headers["content-type"].startswith("text/html")

    run(scenario())


def test_a_token_serves_once_and_the_terminal_shows_another() -> None:
    async def scenario() -> None:
        async with house() as place:
            await place.cookie()
            path = "/?" + place.address.partition("?")[2]
            again = await place.get(path)
            assert again.status_code == 403
            assert "set-cookie" not in again.headers
            (told,) = place.told
            fresh = told.split()[-1]
            assert fresh != place.address
            answer = await place.get("/?" + fresh.partition("?")[2])
            assert answer.status_code == 303

    run(scenario())


def test_who_has_the_cookie_may_use_an_old_address_again() -> None:
    async def scenario(place: House, cookie: str) -> None:
        answer = await place.get("/?" + place.address.partition("?")[2], cookie=cookie)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")

    with_page(scenario)


PATHS = ("/", "/app.js", "/record", "/rules/oh-hell", "/?token=", "/?token=guess", "/nothing")


@pytest.mark.parametrize("path", PATHS)
def test_without_token_and_cookie_there_is_nothing(path: str) -> None:
    async def scenario() -> None:
        async with house() as place:
            for answer in (
                await place.get(path),
                await place.get(path, cookie=f"p2pcards-{place.port}=guess"),
                await place.get(path, cookie=f"p2pcards-{place.port}="),
            ):
                assert answer.status_code == 403
                assert "set-cookie" not in answer.headers

    run(scenario())


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example"],
)
def test_a_foreign_host_is_refused_even_with_the_cookie(host: str) -> None:
    async def scenario(place: House, cookie: str) -> None:
        name = host.format(port=place.port)
        assert (await place.get(cookie=cookie, host=name)).status_code == 403
        assert await _upgrade(place.port, cookie, name, place.origin) == 403

    with_page(scenario)


def test_our_own_names_are_not_foreign() -> None:
    async def scenario(place: House, cookie: str) -> None:
        for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
            host = f"{name}:{place.port}"
            assert (await place.get(cookie=cookie, host=host)).status_code == 200

    with_page(scenario)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "null"]
)
def test_a_foreign_origin_is_refused(origin: str) -> None:
    async def scenario(place: House, cookie: str) -> None:
        named = origin.format(port=place.port)
        assert (await place.get(cookie=cookie, origin=named)).status_code == 403
        with pytest.raises(InvalidStatus) as refused:
            async with place.socket(cookie, named):
                pass
        assert refused.value.response.status_code == 403

    with_page(scenario)


def test_a_name_that_was_rebound_to_us_is_refused() -> None:
    """Host and Origin agree, and are both foreign: whoever only compares them lets it in."""

    async def scenario(place: House, cookie: str) -> None:
        name = f"evil.example:{place.port}"
        answer = await place.get(cookie=cookie, host=name, origin=f"http://{name}")
        assert answer.status_code == 403
        assert await _upgrade(place.port, cookie, name, f"http://{name}") == 403

    with_page(scenario)


def test_the_handshake_of_these_tests_is_a_good_one() -> None:
    async def scenario(place: House, cookie: str) -> None:
        name = f"127.0.0.1:{place.port}"
        assert await _upgrade(place.port, cookie, name, place.origin) == 101

    with_page(scenario)


def test_a_socket_without_an_origin_is_refused() -> None:
    """Browsers always send one."""

    async def scenario(place: House, cookie: str) -> None:
        with pytest.raises(InvalidStatus) as refused:
            async with place.socket(cookie, None):
                pass
        assert refused.value.response.status_code == 403

    with_page(scenario)


def test_a_socket_without_the_cookie_is_refused() -> None:
    async def scenario(place: House, _cookie: str) -> None:
        for wrong in (None, f"p2pcards-{place.port}=guess"):
            with pytest.raises(InvalidStatus) as refused:
                async with place.socket(wrong):
                    pass
            assert refused.value.response.status_code == 403

    with_page(scenario)


def test_the_cookie_of_another_port_opens_nothing() -> None:
    """A browser sends the cookies of all ports of a host."""

    async def scenario() -> None:
        async with house("Ada") as ada, house("Bob") as bob:
            cookie = await ada.cookie()
            assert (await bob.get(cookie=cookie)).status_code == 403
            value = cookie.partition("=")[2]
            renamed = f"p2pcards-{bob.port}={value}"
            assert (await bob.get(cookie=renamed)).status_code == 403
            both = f"{cookie}; {await bob.cookie()}"
            assert (await ada.get(cookie=both)).status_code == 200
            assert (await bob.get(cookie=both)).status_code == 200

    run(scenario())


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
def test_what_another_page_asks_for_is_refused(site: str) -> None:
    async def scenario(place: House, cookie: str) -> None:
        answer = await place.get(cookie=cookie, sec_fetch_site=site)
        assert answer.status_code == 403
        with pytest.raises(InvalidStatus):
            async with place.socket(cookie, sec_fetch_site=site):
                pass

    with_page(scenario)


def test_a_token_that_another_page_uses_is_not_used_up() -> None:
    async def scenario() -> None:
        async with house() as place:
            path = "/?" + place.address.partition("?")[2]
            assert (await place.get(path, sec_fetch_site="cross-site")).status_code == 403
            assert (await place.get(path, sec_fetch_site="none")).status_code == 303

    run(scenario())


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_is_changed_by_a_request(method: str) -> None:
    async def scenario(place: House, cookie: str) -> None:
        status = await _raw(
            place.port,
            f"{method} / HTTP/1.1\r\nHost: 127.0.0.1:{place.port}\r\nCookie: {cookie}\r\n"
            "Content-Length: 0\r\n\r\n",
        )
        assert status == 405

    with_page(scenario)


def test_a_request_with_two_hosts_is_refused() -> None:
    async def scenario(place: House, cookie: str) -> None:
        status = await _raw(
            place.port,
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{place.port}\r\nHost: evil.example\r\n"
            f"Cookie: {cookie}\r\n\r\n",
        )
        assert status in {400, 403}

    with_page(scenario)


async def _upgrade(port: int, cookie: str, host: str, origin: str) -> int:
    """A handshake by hand, since a library would add the true host."""
    return await _raw(
        port,
        f"GET /ws HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nCookie: {cookie}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    )


async def _raw(port: int, request: str) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request.encode())
        line = await reader.readline()
        return int(line.split()[1])
    finally:
        writer.close()


@pytest.mark.parametrize("path", ["/", "/app.js", "/nothing", "/rules/oh-hell"])
def test_every_answer_forbids_what_the_page_does_not_need(path: str) -> None:
    async def scenario(place: House, cookie: str) -> None:
        for answer in (await place.get(path, cookie=cookie), await place.get(path)):
            assert answer.headers["content-security-policy"] == POLICY
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cache-control"] == "no-store"
            assert "access-control-allow-origin" not in answer.headers
            assert "server" not in answer.headers

    with_page(scenario)


@pytest.mark.parametrize(
    "path",
    ["/..%2f..%2fpyproject.toml", "/%2e%2e/server.py", "/static/index.html", "/rules/..%2fen"],
)
def test_only_files_of_the_page_are_served(path: str) -> None:
    async def scenario(place: House, cookie: str) -> None:
        assert (await place.get(path, cookie=cookie)).status_code == 404

    with_page(scenario)


def test_the_server_listens_on_loopback_alone() -> None:
    async def scenario(place: House, _cookie: str) -> None:
        others = {
            info[4][0]
            for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
            if not str(info[4][0]).startswith("127.")
        }
        for address in others:
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection(str(address), place.port)

    with_page(scenario)


# --- messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "x" * (MESSAGE_LIMIT + 1),
        '{"do": "say", "text": "' + "x" * MESSAGE_LIMIT + '"}',
        "[" * 30_000,
        "[" * 20 + "]" * 20,
        "no json",
        "",
    ],
    ids=["long", "long json", "deep", "nested", "no json", "empty"],
)
def test_a_message_that_is_none_ends_its_page_and_nothing_else(text: str) -> None:
    async def scenario(place: House, cookie: str) -> None:
        async with Browser.at(place, cookie) as good, Browser.at(place, cookie) as bad:
            await good.wait_for("lobby")
            await bad.send_text(text)
            with pytest.raises(ConnectionClosed):
                await bad.wait_for("the end")
            await good.send("setting", name="sound", value=True)
            assert (await good.wait_for("hello"))["settings"]["sound"] is True

    with_page(scenario)
