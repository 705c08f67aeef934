"""What a table says on the network, and what strangers may say there."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pcards.errors import BadOption, Malformed
from p2pcards.net import advert
from p2pcards.net.advert import Found, Notice

NOTICE = Notice("Hanne's table", "0123456789abcdef", "ab" * 16, "oh-hell", 1, 4)
ADDRESSES = ("192.168.1.5",)


def pairs(**changes: str | bytes | None) -> dict[bytes, bytes | None]:
    """The TXT pairs of `NOTICE`, some of them changed."""
    given: dict[str, str | bytes | None] = {**advert.properties(NOTICE), **changes}
    return {
        key.encode(): value.encode() if isinstance(value, str) else value
        for key, value in given.items()
    }


@pytest.mark.parametrize("name", ["Bodega", "Å. b. (c)", "卓" * 21, "♠♥♦♣", "x" * 63, "a\u00a0b"])
@pytest.mark.parametrize("game", ["oh-hell", ""])
def test_a_notice_is_read_as_it_was_written(name: str, game: str) -> None:
    notice = replace(NOTICE, name=name, game=game)
    written = {key.encode(): value.encode() for key, value in advert.properties(notice).items()}
    assert advert.read(written, ADDRESSES, 4242) == Found(
        name, "0123456789abcdef", "ab" * 16, game, 1, 4, ADDRESSES, 4242, 1
    )


@pytest.mark.parametrize(
    "notice",
    [
        replace(NOTICE, name=""),
        replace(NOTICE, name="  "),
        replace(NOTICE, name="x" * 64),
        replace(NOTICE, name="卓" * 22),
        replace(NOTICE, name="a\nb"),
        replace(NOTICE, name="\x1b[2J"),
        replace(NOTICE, name="a\u202eb"),
        replace(NOTICE, name="\ud800"),
        replace(NOTICE, table="0123"),
        replace(NOTICE, key="AB" * 16),
        replace(NOTICE, game="Oh Hell"),
        replace(NOTICE, seats=1),
        replace(NOTICE, taken=5),
        replace(NOTICE, seats=100),
    ],
)
def test_notices_that_nobody_would_read(notice: Notice) -> None:
    with pytest.raises(BadOption):
        advert.properties(notice)


def test_names_are_composed() -> None:
    assert advert.check_name(" A\u030angstro\u0308m ") == "\u00c5ngstr\u00f6m"


# [NET-7] of protocol.md
@pytest.mark.parametrize(
    "changes",
    [
        {"v": None},
        {"v": "0"},
        {"v": "one"},
        {"v": "12345"},
        {"t": "0123456789abcde"},
        {"t": "../../../../etc/"},
        {"k": "ab" * 17},
        {"k": None},
        {"g": "Oh Hell"},
        {"g": "x" * 33},
        {"n": "4"},
        {"n": "5/4"},
        {"n": "-1/4"},
        {"n": "\u0661/\u0664"},
        {"n": "1/1"},
        {"l": ""},
        {"l": None},
        {"l": "\x1b\x07"},
        {"l": "x" * 64},
        {"l": b"\xff\xfe"},
        {"x": "y" * 400},
    ],
)
def test_hostile_records(changes: dict[str, str | bytes | None]) -> None:
    with pytest.raises(Malformed) as refusal:
        advert.read(pairs(**changes), ADDRESSES, 4242)
    assert refusal.value.code == "advert"


@pytest.mark.parametrize("addresses, port", [((), 4242), (ADDRESSES, 0), (ADDRESSES, 65536)])
def test_nowhere_to_go(addresses: tuple[str, ...], port: int) -> None:
    with pytest.raises(Malformed):
        advert.read(pairs(), addresses, port)


# [NET-7] of protocol.md
def test_names_from_strangers_lose_what_a_terminal_would_obey() -> None:
    found = advert.read(pairs(l="\x1b[2JHan\u202ene\u2028\x00"), ADDRESSES, 1)
    assert found.name == "[2JHanne"


def test_a_later_version_is_shown_as_such() -> None:
    assert advert.read(pairs(v="2", new="field"), ADDRESSES, 1).version == 2


@given(st.dictionaries(st.sampled_from([b"v", b"t", b"k", b"g", b"n", b"l"]), st.binary()))
def test_any_pairs_are_read_or_malformed(changes: dict[bytes, bytes]) -> None:
    try:
        found = advert.read({**pairs(), **changes}, ADDRESSES, 1)
    except Malformed:
        return
    assert advert.printable(found.name) == found.name


@pytest.mark.parametrize(
    "name, label",
    [
        ("Hanne's table", "Hanne s table"),
        ("a.b._tcp.local.", "a b _tcp local"),
        ('(x) [y] \\ "z"', "x y z"),
        ("Blå Bodega", "Blå Bodega"),
        ("...", "table"),
        ("♠", "table"),
        ("卓" * 21, "卓" * 18),
    ],
)
def test_labels_have_no_dots_and_fit(name: str, label: str) -> None:
    assert advert.label(name) == label
    assert len(label.encode()) <= 56


@pytest.mark.parametrize("wanted", ["Hanne's table", "HANNE'S TABLE ", "0123456789ABCDEF"])
def test_a_table_goes_by_its_name_and_its_id(wanted: str) -> None:
    found = advert.read(pairs(), ADDRESSES, 1)
    assert advert.is_called(found, wanted)
    assert not advert.is_called(found, "Hanne")
    assert not advert.is_called(found, "")
