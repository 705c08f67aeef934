"""Join links: written and read back, and nothing else is one."""

from __future__ import annotations

import pytest

from p2pcards.errors import BadOption
from p2pcards.net.invitation import JoinLink, is_link

PLACE, KEY = bytes(range(8)), bytes(range(16))
GOOD = f"p2pcards://join?h=127.0.0.1&p=1883&t={PLACE.hex()}&k={KEY.hex()}"


@pytest.mark.parametrize(
    "hosts", [("127.0.0.1",), ("192.168.1.23", "fe80::1", "10.0.0.2"), ("broker.example",)]
)
def test_what_is_written_is_read(hosts: tuple[str, ...]) -> None:
    link = JoinLink(hosts, 40001, PLACE, KEY)
    assert JoinLink.parse(str(link)) == link
    assert JoinLink.parse(f"  {link}\n") == link
    assert is_link(str(link))


def test_a_link_fits_a_qr_code_that_phones_read() -> None:
    many = tuple(f"192.168.100.{i}" for i in range(100, 116))
    assert len(str(JoinLink(many, 65535, PLACE, KEY))) < 400


@pytest.mark.parametrize(
    "text",
    [
        "",
        "p2pcards:",
        "p2pcards://join",
        GOOD.replace("join", "leave"),
        GOOD.replace("p2pcards:", "http:"),
        GOOD.replace("127.0.0.1", ""),
        GOOD.replace("127.0.0.1", "127.0.0.1,"),
        GOOD.replace("127.0.0.1", "a/b"),
        GOOD.replace("127.0.0.1", "a b"),
        GOOD.replace("127.0.0.1", ",".join(["127.0.0.1"] * 17)),
        GOOD.replace("1883", "0"),
        GOOD.replace("1883", "65536"),
        GOOD.replace("1883", "x"),
        GOOD.replace(PLACE.hex(), PLACE.hex()[:-1]),
        GOOD.replace(PLACE.hex(), PLACE.hex().upper().replace("0", "G")),
        GOOD.replace(KEY.hex(), ""),
        GOOD + "&" + "x=1&" * 9,
        GOOD + " " * 1000 + "x",
        "p2pcards://[::1/join",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(BadOption) as refused:
        JoinLink.parse(text)
    assert refused.value.code == "table.link"


@pytest.mark.parametrize("text", ["Ada", "127.0.0.1:1883", "mqtt://127.0.0.1", "p2pcards", ""])
def test_names_and_addresses_are_no_links(text: str) -> None:
    assert not is_link(text)
