"""Talk: signed, numbered, bounded, and nothing that a match depends on."""

from __future__ import annotations

import os

import pytest

from p2pcards.crypto.signing import Identity
from p2pcards.engine.agreement import Agreement
from p2pcards.engine.chat import BURST, TOPIC, Said, Talk
from p2pcards.engine.frames import sign_record
from p2pcards.errors import Malformed
from p2pcards.testing import network
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import Bye, Chat

TEXT_LIMIT, PHRASE_LIMIT = 200, 40


@pytest.fixture(name="table")
def _table() -> tuple[Agreement, list[Identity]]:
    """Three who have agreed; their identities in seat order."""
    peers = network.table("oh-hell", 3, OpenKernel(), seed=1)
    return peers[0].match.agreement, [peer._identity for peer in peers]


def test_words_arrive_as_they_were_said(table: tuple[Agreement, list[Identity]]) -> None:
    agreement, seats = table
    ada, bob = Talk(agreement, seats[0]), Talk(agreement, seats[1])
    own, sent = ada.say("", "hello", (1,))
    assert sent.topic == TOPIC
    assert not sent.retain
    assert bob.take(sent.message, 0.0) == own == Said(0, 1, "", "hello", (1,))
    _, again = ada.say("phrase.thanks", "")
    assert bob.take(again.message, 0.0) == Said(0, 2, "phrase.thanks", "", ())


def test_what_is_repeated_is_said_once(table: tuple[Agreement, list[Identity]]) -> None:
    agreement, seats = table
    ada, bob = Talk(agreement, seats[0]), Talk(agreement, seats[1])
    first, second = ada.say("", "one")[1].message, ada.say("", "two")[1].message
    assert bob.take(second, 0.0) is not None
    assert bob.take(second, 1.0) is None
    assert bob.take(first, 2.0) is None  # a replay, or late: nothing rests on it
    assert ada.take(first, 0.0) is None  # our own


def chat(agreement: Agreement, **changed: object) -> Chat:
    """A record that is fine but for what is changed."""
    fields = {
        "place": agreement.draft.place,
        "number": 1,
        "phrase": "",
        "text": "x",
        "to": (),
        **changed,
    }
    return Chat(**fields)  # type: ignore[arg-type]  # the misfits are the point


@pytest.mark.parametrize(
    "changed",
    [
        {"place": bytes(8)},
        {"text": ""},
        {"phrase": "phrase.thanks"},
        {"text": "x" * (TEXT_LIMIT + 1)},
        {"text": "", "phrase": "x" * (PHRASE_LIMIT + 1)},
        {"to": (3,)},
        {"to": tuple(range(21))},
    ],
)
def test_talk_that_is_none(
    table: tuple[Agreement, list[Identity]], changed: dict[str, object]
) -> None:
    agreement, seats = table
    bob = Talk(agreement, seats[1])
    with pytest.raises(Malformed):
        bob.take(sign_record(seats[0], chat(agreement, **changed)), 0.0)
    assert bob.take(sign_record(seats[0], chat(agreement)), 0.0) is not None


def test_the_longest_text_arrives(table: tuple[Agreement, list[Identity]]) -> None:
    agreement, seats = table
    longest = "\N{LATIN SMALL LETTER O WITH STROKE}" * TEXT_LIMIT
    message = Talk(agreement, seats[0]).say("", longest)[1].message
    said = Talk(agreement, seats[1]).take(message, 0.0)
    assert said is not None
    assert said.text == longest


def test_strangers_and_other_records_are_not_heard(
    table: tuple[Agreement, list[Identity]],
) -> None:
    agreement, seats = table
    bob = Talk(agreement, seats[1])
    for message in (
        sign_record(Identity.new(os.urandom), chat(agreement)),
        sign_record(seats[0], Bye(agreement.draft.place, False)),
        b"",
        b"\xc0",
        os.urandom(100),
    ):
        with pytest.raises(Malformed):
            bob.take(message, 0.0)


def test_who_talks_without_a_pause_is_not_heard(table: tuple[Agreement, list[Identity]]) -> None:
    agreement, seats = table
    ada, bob, cleo = (Talk(agreement, identity) for identity in seats)

    dropped: set[str] = set()

    def heard(talker: Talk, now: float) -> bool:
        try:
            return bob.take(talker.say("", "spam")[1].message, now) is not None
        except Malformed as error:
            dropped.add(error.code)
            return False

    assert sum(heard(ada, 0.0) for _ in range(100)) == BURST
    assert heard(cleo, 0.0)  # one seat's noise silences nobody else
    assert sum(heard(ada, 3.0) for _ in range(100)) == 3
    assert dropped == {"malformed.often"}
