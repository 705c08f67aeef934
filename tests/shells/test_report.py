"""Reports: columns that line up, verdicts that say where, and names that command no terminal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest

from p2pcards.cards.rules import Over
from p2pcards.crypto.kernel import RealKernel
from p2pcards.crypto.signing import Identity
from p2pcards.engine.audit import Fault, Report, audit, pack_log
from p2pcards.net.advert import Found
from p2pcards.shells import report
from p2pcards.shells.script import Result
from p2pcards.testing.cheaters import sign
from p2pcards.testing.network import agree, seeded_bytes
from p2pcards.wire.codec import encode
from p2pcards.wire.messages import VERSION, Kind, Payload, Sit
from tests.programs import played

HOSTILE = "\x1b[2J\x1b]0;x\x07\u202eadA\u2066\n\r\x9b1m\ud7ff\u2028"

SHEET: tuple[Mapping[str, object], ...] = (
    {"hand": 1, "trump": "h", "bids": (0, 1), "points": (10, 0)},
    {"hand": 12, "trump": None, "bids": (1, 1), "points": (-5, 11)},
)


def result(*players: str) -> Result:
    """How a match of two ended."""
    return Result("oh-hell", players, 0, (2, 1), (5, 11), SHEET, b"")


def is_harmless(text: str) -> bool:
    """Whether a terminal shows this and does nothing else."""
    return all(c.isprintable() or c == "\n" for c in text)


def test_columns_line_up_numbers_to_the_right() -> None:
    text = report.columns([["a", 1], ["bcd", -20], [None, "x"]])
    assert text == "a      1\nbcd  -20\n     x"
    assert report.columns([]) == ""


def test_a_sheet_has_a_line_for_each_hand_and_a_column_for_each_seat() -> None:
    head, *lines = report.sheet(SHEET, ["Ada", "Bob"]).splitlines()
    assert head.split() == ["hand", "trump", "Ada", "Bob", "bids/points"]
    assert [line.split() for line in lines] == [
        ["1", "h", "0/10", "1/0"],
        ["12", "-", "1/-5", "1/11"],
    ]
    assert report.sheet([], ["Ada"]) == ""


def test_the_best_comes_first() -> None:
    assert report.ranking(result("Ada", "Bob")).split() == ["1.", "Bob", "11", "2.", "Ada", "5"]
    without = replace(result("Ada", "Bob"), points=None)
    assert report.ranking(without).split() == ["1.", "Bob", "2.", "Ada"]


def test_a_result_as_json() -> None:
    document = report.result_json(result("Ada", "Bob"), "a.p2plog")
    assert json.loads(json.dumps(document)) == {
        "schema": 1,
        "game": "oh-hell",
        "players": ["Ada", "Bob"],
        "seat": 0,
        "places": [2, 1],
        "points": [5, 11],
        "sheet": [
            {"hand": 1, "trump": "h", "bids": [0, 1], "points": [10, 0]},
            {"hand": 12, "trump": None, "bids": [1, 1], "points": [-5, 11]},
        ],
        "log": "a.p2plog",
    }


def test_tables_on_the_network() -> None:
    found = Found("Ada", "00" * 8, "ab" * 16, "oh-hell", 2, 4, ("127.0.0.1",), 1883, 1)
    head, line = report.tables([found]).splitlines()
    assert head.split()[:3] == ["TABLE", "GAME", "SEATS"]
    assert line.split()[:4] == ["Ada", "oh-hell", "2/4", "00" * 8]
    (only,) = report.tables_json([found])["tables"]
    assert (only["id"], only["port"], only["addresses"]) == ("00" * 8, 1883, ["127.0.0.1"])
    assert only["fingerprint"] in line


@pytest.mark.parametrize("name", [HOSTILE, "\x1b", "", " ", "\u202e", "x" * 40, "日本", "a b", "0"])
def test_names_of_others_are_harmless_everywhere(name: str) -> None:
    found = Found(name, "00" * 8, "ab" * 16, "oh-hell", 2, 4, ("127.0.0.1",), 1883, 1)
    fault = Report(
        "dishonest",
        fault=Fault(0, 3, "key.reused", name),
        players=[{"seat": 0, "name": name, "key": "", "fingerprint": ""}],
    )
    honest = Report(
        "honest",
        game="oh-hell",
        players=[{"seat": i, "name": name, "key": "", "fingerprint": ""} for i in range(2)],
        checks=Counter(moves=3),
        over=Over((1, 2), (3, 4)),
        sheet=SHEET,
        unopened=[1],
    )
    unreadable = Report(code="log.magic", problem=name)
    texts = [
        report.clean(name),
        report.sheet(SHEET, [name, name]),
        report.ranking(result(name, name)),
        report.tables([found]),
        report.audit(fault),
        report.audit(honest),
        report.audit(unreadable),
    ]
    assert all(map(is_harmless, texts))
    assert texts[0].strip()
    assert len(report.ranking(result(name, name)).splitlines()) == 2


@pytest.mark.parametrize("field", ["game", "name"])
def test_an_audit_of_a_hostile_log_is_harmless(field: str) -> None:
    """The first envelope carries the table agreement, signed by whoever likes to."""
    identities = [Identity.new(seeded_bytes(Random(i))) for i in range(3)]
    agreement = agree("oh-hell", identities, names=[HOSTILE, "b", "c"])
    draft = agreement.draft
    if field == "game":
        draft = replace(draft, game=HOSTILE)
    sit = Sit(encode(draft), agreement.nonces)
    payload = Payload(VERSION, agreement.table, 0, agreement.table, 0, int(Kind.SIT), sit)
    read = audit(pack_log([sign(identities[0], payload)]), RealKernel())
    assert read.verdict == "unreadable"
    assert is_harmless(report.audit(read))
    assert is_harmless(json.dumps(read.as_json()))


def test_an_honest_audit_says_what_was_checked_and_how_it_ended() -> None:
    text = report.audit(audit(played().log, RealKernel()))
    assert text.startswith("HONEST: ")
    for words in ("proofs of shuffle", "shuffles recomputed", "signatures", "hands=1", "seat 2"):
        assert words in text
    assert text.splitlines()[-3].startswith("1. ")


def test_a_verdict_says_who_what_and_where() -> None:
    players = [{"seat": i, "name": name} for i, name in enumerate(("Ada", "Bob"))]
    fault = Report("dishonest", fault=Fault(1, 42, "play.must_follow", ""), players=players)
    assert report.verdict(fault) == (
        "DISHONEST: seat 1, Bob, at step 42: You hold a card of the suit that was led, and must "
        "play one. [play.must_follow]"
    )
    nothing = report.verdict(Report(code="log.truncated", problem="envelope 3: byte 99: ends"))
    assert nothing.startswith("UNREADABLE: ")
    assert nothing.endswith("[log.truncated] envelope 3: byte 99: ends")
