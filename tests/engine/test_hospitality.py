"""The host's manners: turning guests away, and inviting those who played to the next table."""

from __future__ import annotations

import os
from collections.abc import Sequence

from p2pcards.crypto.signing import Identity
from p2pcards.engine.events import Invited, LobbyEffect, Received, Send, Tick, TurnedAway
from p2pcards.engine.frames import sign_record
from p2pcards.engine.lobby import SILENT, Guest, Host, Stage
from p2pcards.wire.messages import Again


def host_of(seats: int = 3) -> Host:
    """A table of Oh Hell."""
    return Host(
        Identity.new(os.urandom),
        "Ada",
        os.urandom,
        game="oh-hell",
        seats=seats,
        options={},
        table_options={},
        unix_time=lambda: 0,
    )


def guest_of(host: Host, name: str) -> Guest:
    """Somebody who knocks there."""
    return Guest(Identity.new(os.urandom), name, os.urandom, place=host.place, host=host.key)


def messages(effects: Sequence[LobbyEffect]) -> list[bytes]:
    """What is sent."""
    return [effect.message for effect in effects if isinstance(effect, Send)]


def knock(host: Host, guest: Guest, now: float) -> list[LobbyEffect]:
    """The guest knocks; what the host says reaches it, and it says what it thinks of it."""
    thought: list[LobbyEffect] = []
    for message in messages(guest.handle(Tick(), now)):
        for answer in messages(host.handle(Received(message), now)):
            thought.extend(guest.handle(Received(answer), now))
    return thought


def test_a_guest_who_is_turned_away_loses_the_seat_and_hears_why() -> None:
    host = host_of()
    bob, cleo = guest_of(host, "Bob"), guest_of(host, "Cleo")
    knock(host, bob, 0.0)
    assert [player.name for player in host.players] == ["Ada", "Bob"]
    (kick, *_) = messages(host.kick(bob.key))
    assert bob.handle(Received(kick), 1.0)[0] == TurnedAway("lobby.kicked")
    assert not any(isinstance(e, TurnedAway) for e in cleo.handle(Received(kick), 1.0))
    assert [player.name for player in host.players] == ["Ada"]


def test_who_was_turned_away_stays_away_and_takes_no_room() -> None:
    host = host_of()
    bob, cleo, dag = (guest_of(host, name) for name in ("Bob", "Cleo", "Dag"))
    knock(host, bob, 0.0)
    host.kick(bob.key)
    assert TurnedAway("lobby.kicked") in knock(host, bob, 2.0)
    knock(host, cleo, 2.0)
    knock(host, dag, 2.0)
    assert [player.name for player in host.players] == ["Ada", "Cleo", "Dag"]


def test_nobody_is_turned_away_who_is_not_there_or_after_all_have_agreed() -> None:
    host = host_of()
    stranger = guest_of(host, "Eir")
    assert messages(host.kick(stranger.key)) == []
    assert messages(host.kick(host.key)) == []
    bob = guest_of(host, "Bob")
    knock(host, bob, 0.0)
    host.stage = Stage.AGREED
    assert messages(host.kick(bob.key)) == []
    assert len(host.players) == 2


def test_guests_see_who_else_knocks_until_it_falls_silent() -> None:
    host = host_of()
    bob, cleo = guest_of(host, "Bob"), guest_of(host, "Cleo")
    for message in messages(cleo.handle(Tick(), 0.0)):
        bob.handle(Received(message), 0.0)
    assert [player.name for player in bob.others(1.0)] == ["Cleo"]
    assert bob.others(SILENT + 1.0) == ()


def test_guests_hear_what_the_host_says_of_its_table() -> None:
    host = host_of(4)
    bob = guest_of(host, "Bob")
    for message in messages(host.handle(Tick(), 0.0)):
        bob.handle(Received(message), 0.0)
    assert bob.advert is not None
    assert (bob.advert.host, bob.advert.seats, bob.advert.taken) == ("Ada", 4, 1)


def test_only_the_host_invites_and_only_those_who_have_agreed() -> None:
    host = host_of()
    bob = guest_of(host, "Bob")
    (again,) = messages(host.invite(bytes(7) + b"\1"))
    assert Invited(bytes(7) + b"\1") not in bob.handle(Received(again), 0.0)
    bob.stage = Stage.AGREED
    assert bob.handle(Received(again), 1.0) == [Invited(bytes(7) + b"\1")]
    forged = sign_record(Identity.new(os.urandom), Again(host.place, bytes(8)))
    assert bob.handle(Received(forged), 2.0) == []
    elsewhere = sign_record(host._identity, Again(bytes(8), bytes(8)))
    assert bob.handle(Received(elsewhere), 3.0) == []
