"""The lobby over a network that loses, doubles and reorders: everyone agrees on one table, or is
told why not; and nobody but the host decides who sits there."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from p2pcards.cards.rules import Value
from p2pcards.crypto.signing import Identity
from p2pcards.engine.agreement import Agreement, nonce_commitment
from p2pcards.engine.events import (
    Agreed,
    Gathering,
    Invited,
    LobbyEffect,
    Received,
    Send,
    Tick,
    TurnedAway,
    Wake,
)
from p2pcards.engine.frames import read_frame, read_record, sign_record, write_frame
from p2pcards.engine.lobby import HOST_SILENT, SILENT, Guest, Host, Lobby, Stage
from p2pcards.errors import BadOption
from p2pcards.games import GAMES
from p2pcards.games.oh_hell import OhHell
from p2pcards.testing.network import BAD, CALM, Weather, seeded_bytes
from p2pcards.wire.codec import encode
from p2pcards.wire.messages import (
    Advert,
    Bye,
    Draft,
    Kick,
    Knock,
    Nonce,
    Player,
    Proposal,
    RecordFrame,
    Sign,
)


class Crowd(OhHell):
    """A game for as many as the protocol seats; what is played does not matter in a lobby."""

    key = "crowd"
    title = "Crowd"
    seats = range(2, 21)

    def check(self, options: Mapping[str, Value], seats: int) -> None:
        """Any number of seats, and else as Oh Hell."""
        super().check(options, min(max(seats, 3), 7))


@pytest.fixture(autouse=True)
def _crowd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, Crowd.key, Crowd())


@dataclass
class Node:
    """A lobby in the network, and what it has said. `deaf`/`mute`: nothing reaches or leaves it."""

    lobby: Lobby
    gathered: list[Gathering] = field(default_factory=list)
    agreed: list[Agreement] = field(default_factory=list)
    turned_away: list[str] = field(default_factory=list)
    sent: list[object] = field(default_factory=list)
    deaf: bool = False
    mute: Callable[[object], bool] = lambda record: False
    wake: float = float("inf")

    def sent_of(self, kind: type[object]) -> list[object]:
        """Its records of one kind."""
        return [record for record in self.sent if isinstance(record, kind)]


class Net:
    """Lobbies at one broker, under a virtual clock. `retained` is what the broker keeps."""

    def __init__(self, seed: int, weather: Weather = CALM) -> None:
        self.now = 100.0
        self.nodes: list[Node] = []
        self.wire: list[bytes] = []
        self.retained = b""
        self.opened: dict[bytes, set[bytes]] = {}
        self._rng = random.Random(seed)
        self._weather = weather
        self._queue: list[tuple[float, int, Node, Received | Tick]] = []
        self._count = itertools.count()

    def rng(self) -> Callable[[int], bytes]:
        """A source of bytes of its own for somebody."""
        return seeded_bytes(random.Random(self._rng.random()))

    def host(self, seats: int, **more: object) -> Node:
        """Opens a table of the crowd."""
        settings: dict[str, object] = {
            "game": "crowd",
            "seats": seats,
            "options": {},
            "table_options": {},
            "unix_time": lambda: int(self.now),
        } | more
        host = Host(Identity.new(self.rng()), "host", self.rng(), **settings)  # type: ignore[arg-type]  # a test's own dictionary
        return self.add(host)

    def guest(self, number: int, identity: Identity | None = None, **more: object) -> Node:
        """Somebody who wants a seat at the table of the first node."""
        host = self.nodes[0].lobby
        guest = Guest(
            identity or Identity.new(self.rng()),
            f"guest {number}",
            self.rng(),
            place=host.place,
            host=host.key,
            **more,  # type: ignore[arg-type]  # a test's own dictionary
        )
        return self.add(guest)

    def add(self, lobby: Lobby) -> Node:
        node = Node(lobby)
        self.nodes.append(node)
        if self.retained:
            self._post(node, Received(self.retained), 0.0)
        self.perform(node, lobby.handle(Tick(), self.now))
        return node

    def leave(self, node: Node) -> None:
        """Says goodbye and is gone."""
        self.perform(node, node.lobby.goodbye())
        self.vanish(node)

    def vanish(self, node: Node) -> None:
        """Is gone without a word."""
        node.deaf, node.mute = True, lambda record: True

    def inject(self, message: bytes, to: Sequence[Node] | None = None) -> None:
        """A message from somebody who is not among the nodes."""
        for node in self.nodes if to is None else to:
            self._post(node, Received(message), 0.0)

    def run(self, seconds: float) -> None:
        """Goes on for some virtual time."""
        end = self.now + seconds
        while self._queue and self._queue[0][0] <= end:
            self._step()
        self.now = end

    def run_until(self, done: Callable[[], object], seconds: float = 600.0) -> None:
        """Until something is so; TimeoutError if it is not after that much virtual time."""
        end = self.now + seconds
        while not done():
            if not self._queue or self.now > end:
                raise TimeoutError(f"not so at {self.now - 100.0:.1f} s of virtual time")
            self._step()

    def _step(self) -> None:
        self.now, _, node, event = heapq.heappop(self._queue)
        if isinstance(event, Tick):
            node.wake = float("inf")
        self.perform(node, node.lobby.handle(event, self.now))

    def _post(self, node: Node, event: Received | Tick, delay: float) -> None:
        heapq.heappush(self._queue, (self.now + delay, next(self._count), node, event))

    def perform(self, node: Node, effects: Sequence[LobbyEffect]) -> None:
        """Does what a lobby wants done."""
        for effect in effects:
            match effect:
                case Send("lobby", message, retain):
                    self._send(node, message, retain)
                case Send():
                    raise AssertionError("lobbies speak on one topic")
                case Wake(at):
                    if at < node.wake:
                        node.wake = at
                        self._post(node, Tick(), max(0.0, at - self.now))
                case Gathering():
                    node.gathered.append(effect)
                case Agreed(agreement):
                    node.agreed.append(agreement)
                case TurnedAway(reason):
                    node.turned_away.append(reason)
                case Invited():
                    raise AssertionError("nobody invites to another table here")

    def _send(self, node: Node, message: bytes, retain: bool) -> None:
        if retain:
            self.retained = message
        if not message:
            return
        record = record_of(message)
        node.sent.append(record)
        if isinstance(record, Nonce):
            self.opened.setdefault(record.nonce, set()).add(record.draft)
        if node.mute(record):
            return
        self.wire.append(message)
        for other in self.nodes:  # the sender too: brokers send everybody everything
            if not other.deaf:
                self._carry(other, message)

    def _carry(self, to: Node, message: bytes) -> None:
        weather = self._weather
        if self._rng.random() < weather.loss:
            return
        for _ in range(2 if self._rng.random() < weather.double else 1):
            self._post(to, Received(message), self._rng.uniform(*weather.delay))


def record_of(message: bytes) -> object:
    """The record in a message."""
    frame = read_frame(message)
    assert isinstance(frame, RecordFrame)
    return read_record(frame)


def agree(net: Net, nodes: Sequence[Node]) -> Agreement:
    """Runs until these have agreed, and checks that they agreed on one thing, once."""
    net.run_until(lambda: all(node.agreed for node in nodes))
    first = nodes[0].agreed[0]
    for node in nodes:
        assert node.agreed == [first]
        assert node.lobby.agreement == first
        assert node.lobby.stage is Stage.AGREED
        assert not node.turned_away
    assert {player.key for player in first.players} == {node.lobby.key for node in nodes}
    check_nonces(net)
    return first


def taken(host: Node) -> int:
    """How many sit at the table, as the host last said."""
    return len(host.gathered[-1].players)


def check_nonces(net: Net) -> None:
    """No nonce was ever opened for two drafts."""
    assert all(len(drafts) == 1 for drafts in net.opened.values())


# --- agreeing -------------------------------------------------------------------------------------


# [LOBBY-4] of protocol.md
@pytest.mark.parametrize("seats", [2, 3, 4, 7, 12, 20])
def test_all_agree_on_one_table(seats: int) -> None:
    net = Net(seats)
    net.host(seats)
    for number in range(1, seats):
        net.guest(number)
    agreement = agree(net, net.nodes)
    assert agreement.draft.roster[0].key == net.nodes[0].lobby.key
    assert agreement.seats == seats
    assert [len(seen.players) for seen in net.nodes[0].gathered] == list(range(2, seats + 1))
    assert net.now - 100.0 < 1.0  # nothing waited for a repetition
    assert net.retained == b""  # the table takes nobody any more


@pytest.mark.parametrize("seats, seed", [*itertools.product((2, 4, 7), range(4)), (20, 0)])
def test_bad_weather_changes_nothing(seats: int, seed: int) -> None:
    net = Net(seed, BAD)
    net.host(seats)
    for number in range(1, seats):
        net.guest(number)
    agree(net, net.nodes)


# [LOBBY-4] of protocol.md
def test_nobody_alone_chooses_the_seats() -> None:
    orders = set()
    for seed in range(12):
        net = Net(seed)
        net.host(3)
        nodes = [net.nodes[0], net.guest(1), net.guest(2)]
        agreement = agree(net, nodes)
        orders.add(tuple(player.name for player in agreement.players))
    assert len(orders) > 3


def test_nothing_is_said_any_more_once_all_agree() -> None:
    net = Net(1)
    net.host(4)
    for number in range(1, 4):
        net.guest(number)
    agree(net, net.nodes)
    net.run(3)
    said = len(net.wire)
    net.run(60)
    assert len(net.wire) == said


@pytest.mark.parametrize("behind", [0, 1])
def test_who_has_agreed_helps_those_who_have_not(behind: int) -> None:
    """The host, or a guest, misses every nonce until the others are done."""
    net = Net(2)
    net.host(3)
    nodes = [net.nodes[0], net.guest(1), net.guest(2)]
    late = nodes[behind]
    ahead = [node for node in nodes if node is not late]
    net.run_until(lambda: late.lobby.stage is Stage.SIGNED)
    late.deaf = True
    net.run_until(lambda: all(node.agreed for node in ahead))
    net.run(3)
    late.deaf = False
    agree(net, nodes)


def test_an_advert_says_what_is_played_and_is_repeated() -> None:
    net = Net(3)
    host = net.host(4, options={"hook": True})
    assert isinstance(host.lobby, Host)
    net.run(0.1)
    first = record_of(net.retained)
    assert isinstance(first, Advert)
    assert (first.host, first.game, first.seats, first.taken) == ("host", "crowd", 4, 1)
    assert ("hook", True) in [(setting.name, setting.value) for setting in first.options]
    net.guest(1)
    net.run(2)
    second = record_of(net.retained)
    assert isinstance(second, Advert)
    assert second.taken == 2
    net.run(45)
    third = record_of(net.retained)
    assert isinstance(third, Advert)
    assert third.at > second.at + 20


# --- coming and going -----------------------------------------------------------------------------


def test_a_full_table_turns_away_and_goes_on() -> None:
    net = Net(4, CALM)
    net.host(3)
    seated = [net.nodes[0], net.guest(1), net.guest(2)]
    net.run_until(lambda: net.nodes[0].lobby.stage is not Stage.GATHERING)
    late = net.guest(3)
    agree(net, seated)
    net.run(2)
    assert late.turned_away
    assert set(late.turned_away) <= {"lobby.full", "lobby.started"}
    assert not late.agreed


def test_a_table_that_waits_for_a_signature_is_full_too() -> None:
    net = Net(4)
    net.host(3)
    slow = net.guest(1)
    slow.mute = lambda record: isinstance(record, Sign | Nonce)
    net.guest(2)
    late = net.guest(3)
    net.run(3)
    assert set(late.turned_away) == {"lobby.full"}


def test_a_latecomer_is_told_that_the_match_has_begun() -> None:
    net = Net(5)
    net.host(2)
    agree(net, [net.nodes[0], net.guest(1)])
    late = net.guest(2)
    net.run(2)
    assert set(late.turned_away) == {"lobby.started"}


def test_seats_are_kept_for_those_who_are_expected() -> None:
    net = Net(6)
    expected = [Identity.new(net.rng()) for _ in range(2)]
    net.host(4, expected=frozenset(identity.public for identity in expected))
    first, second = net.guest(1), net.guest(2)
    net.run(2)
    assert not first.turned_away
    assert set(second.turned_away) == {"lobby.full"}
    net.vanish(second)
    bots = [net.guest(3 + i, identity) for i, identity in enumerate(expected)]
    agree(net, [net.nodes[0], first, *bots])


def test_a_host_that_closes_says_so() -> None:
    net = Net(7)
    host = net.host(4)
    guests = [net.guest(1), net.guest(2)]
    net.run(2)
    assert net.retained
    net.leave(host)
    net.run(1)
    assert net.retained == b""
    assert all(guest.turned_away == ["lobby.closed"] for guest in guests)


def test_a_host_that_is_silent_is_given_up() -> None:
    net = Net(7)
    host = net.host(4)
    guest = net.guest(1)
    net.run(HOST_SILENT)  # a living host is quiet at times, but not as long as that
    assert not guest.turned_away
    net.vanish(host)
    net.run(HOST_SILENT + 2)
    assert guest.turned_away[0] == "lobby.silent"


def test_a_guest_that_leaves_while_all_gather_makes_room() -> None:
    net = Net(8)
    host = net.host(3)
    net.leave(net.guest(1))
    net.run(1)
    assert [len(seen.players) for seen in host.gathered] == [2, 1]
    agree(net, [host, net.guest(2), net.guest(3)])


# [LOBBY-3] of protocol.md
@pytest.mark.parametrize("farewell", [True, False], ids=["goodbye", "silence"])
@pytest.mark.parametrize("withheld", [Sign, Nonce], ids=["drafted", "signed"])
def test_a_changed_roster_starts_again_with_new_nonces(
    withheld: type[object], farewell: bool
) -> None:
    """One guest never signs (or never opens its nonce) and goes; another takes its seat."""
    net = Net(9)
    host = net.host(4)
    stays, also_stays, goes = net.guest(1), net.guest(2), net.guest(3)
    kinds = (Sign, Nonce) if withheld is Sign else (Nonce,)
    goes.mute = lambda record: isinstance(record, kinds)
    wanted = Stage.DRAFTED if withheld is Sign else Stage.SIGNED
    net.run_until(lambda: stays.lobby.stage is wanted and host.lobby.stage is wanted)
    net.run(1)
    (net.leave if farewell else net.vanish)(goes)
    net.run_until(lambda: host.lobby.stage is Stage.GATHERING)
    assert taken(host) == 3
    net.run(3 * SILENT)  # those who stay are not taken for silent
    assert taken(host) == 3
    nodes = [host, stays, also_stays, net.guest(4)]
    agreement = agree(net, nodes)
    assert agreement.draft.number >= 2
    for node in nodes[:3]:
        opened = {record.nonce for record in node.sent_of(Nonce) if isinstance(record, Nonce)}
        assert len(opened) == (2 if withheld is Nonce else 1)


def test_a_guest_that_never_signs_is_not_waited_for_when_it_is_gone() -> None:
    net = Net(10)
    host = net.host(2)
    silent = net.guest(1)
    net.run_until(lambda: host.lobby.stage is not Stage.GATHERING)
    net.vanish(silent)
    net.run(SILENT - 2)
    assert taken(host) == 2
    net.run(4)
    assert taken(host) == 1
    agree(net, [host, net.guest(2)])


def test_a_guest_that_comes_back_after_a_silence_gets_its_seat_again() -> None:
    net = Net(11)
    host = net.host(3)
    away, other = net.guest(1), net.guest(2)
    other.mute = lambda record: isinstance(record, Sign | Nonce)
    net.run(2)
    away.deaf, away.mute = True, lambda record: True
    net.run(2 * SILENT)
    assert taken(host) == 2
    away.deaf, away.mute, other.mute = False, lambda record: False, lambda record: False
    agree(net, [host, away, other])


def test_a_guest_that_starts_anew_replaces_itself() -> None:
    net = Net(12)
    host = net.host(3)
    identity = Identity.new(net.rng())
    net.vanish(net.guest(1, identity))
    net.run(1)
    again = net.guest(1, identity)
    net.run(1)
    assert taken(host) == 2
    agree(net, [host, again, net.guest(2)])


@pytest.mark.parametrize("seed", range(4))
def test_coming_and_going_in_bad_weather(seed: int) -> None:
    net = Net(seed, BAD)
    host = net.host(5)
    rng = random.Random(seed)
    guests = [net.guest(number) for number in range(4)]
    for number in range(4, 10):
        net.run(rng.uniform(0.2, 4))
        if host.agreed:
            break
        gone = guests.pop(rng.randrange(len(guests)))
        (net.leave if rng.random() < 0.5 else net.vanish)(gone)
        guests.append(net.guest(number))
    while not host.agreed:
        # Somebody had agreed, the host had not, and who made the difference was gone: the seat is
        # free for another one, and the one who had agreed is told.
        net.run(2)
        for gone in [guest for guest in guests if guest.turned_away]:
            assert gone.turned_away[-1] in ("lobby.full", "lobby.restarted")
            guests.remove(gone)
            net.vanish(gone)
            guests.append(net.guest(99))
        assert net.now < 400
    roster = {player.key for player in host.agreed[0].players}
    seated = [node for node in net.nodes if node.lobby.key in roster and not node.deaf]
    # Whoever vanished in the very moment of the agreement is the match's affair.
    net.run_until(lambda: all(node.agreed for node in seated))
    assert {node.agreed[0].table for node in seated} == {host.agreed[0].table}
    check_nonces(net)


# --- what others send -----------------------------------------------------------------------------


@pytest.fixture(name="waiting")
def _waiting() -> Net:
    """A host and one guest at a table for three."""
    net = Net(13)
    net.host(3)
    net.guest(1)
    net.run(1)
    return net


def draft_for(net: Net, number: int, roster: Sequence[Player], **fields: object) -> bytes:
    """A draft like the host's."""
    host = net.nodes[0].lobby
    assert isinstance(host, Host)
    advert = host.advert()
    table_options = host._table_options
    draft = Draft(1, host.place, number, "crowd", advert.options, table_options, tuple(roster))
    return encode(replace(draft, **fields))  # type: ignore[arg-type]  # fields of a draft


def player(identity: Identity, name: str = "eve", nonce: bytes = bytes(32)) -> Player:
    """A line of a roster."""
    return Player(identity.public, name, nonce_commitment(nonce))


def test_strangers_decide_nothing(waiting: Net) -> None:
    """Every record of a host, signed by somebody else."""
    host, guest = waiting.nodes
    eve = Identity.new(waiting.rng())
    place, me = host.lobby.place, guest.lobby._me
    draft = draft_for(waiting, 9, [player(eve), me])
    hers = draft_for(waiting, 9, [host.lobby._me, me, player(eve)])
    records = [
        Proposal(place, draft),
        Proposal(place, hers),
        Kick(place, guest.lobby.key, "lobby.full"),
        Bye(place, False),
        Knock(place, me),
        Knock(place, host.lobby._me),
        Advert(place, "eve", "crowd", (), 3, 1, 100),
    ]
    before = len(host.gathered)
    for record in records:
        waiting.inject(sign_record(eve, record))
    waiting.run(2)
    assert guest.lobby.stage is Stage.GATHERING
    assert not guest.turned_away
    assert len(host.gathered) == before
    agree(waiting, [host, guest, waiting.guest(2)])


# [LOBBY-6], [LOBBY-1] of protocol.md
def test_a_guest_cannot_do_what_the_host_does(waiting: Net) -> None:
    host, guest = waiting.nodes
    eve = Identity.new(waiting.rng())
    mole = waiting.guest(2, eve)
    agree(waiting, [host, guest, mole])
    place = host.lobby.place
    for record in (Kick(place, guest.lobby.key, "lobby.full"), Bye(place, False)):
        waiting.inject(sign_record(eve, record))
    waiting.run(2)
    assert not guest.turned_away
    assert len(guest.agreed) == 1


# [LOBBY-6] of protocol.md
def test_a_guest_signs_no_draft_that_is_not_for_it(waiting: Net) -> None:
    """The host itself proposes what it may not: each is counted, none is signed."""
    host, guest = waiting.nodes
    eve = Identity.new(waiting.rng())
    me, hosts = guest.lobby._me, host.lobby._me
    roster = [hosts, me, player(eve)]
    bad: dict[str, bytes] = {
        "agreement.host": draft_for(waiting, 9, [me, hosts, player(eve)]),
        "malformed.place": draft_for(waiting, 9, roster, place=bytes(8)),
        "agreement.twice": draft_for(waiting, 9, [hosts, me, me]),
        "agreement.version": draft_for(waiting, 9, roster, version=2),
        "agreement.options": draft_for(waiting, 9, roster, options=()),
        "game.unknown": draft_for(waiting, 9, roster, game="\x1b[2Jpoker"),
        "option.seats": draft_for(waiting, 9, [hosts]),
    }
    for code, draft in bad.items():
        message = sign_record(host.lobby._identity, Proposal(host.lobby.place, draft))
        waiting.inject(message, [guest])
        waiting.run(0.1)
        assert guest.lobby.dropped[code] == 1, code
    assert not guest.sent_of(Sign)


def test_a_draft_without_us_is_answered_with_a_knock(waiting: Net) -> None:
    host, guest = waiting.nodes
    others = [player(Identity.new(waiting.rng())) for _ in range(2)]
    knocks = len(guest.sent_of(Knock))
    draft = draft_for(waiting, 9, [host.lobby._me, *others])
    waiting.inject(sign_record(host.lobby._identity, Proposal(host.lobby.place, draft)), [guest])
    waiting.run(0.01)
    assert len(guest.sent_of(Knock)) == knocks + 1
    assert not guest.sent_of(Sign)


# [LOBBY-6] of protocol.md
def test_an_older_draft_is_not_gone_back_to(waiting: Net) -> None:
    host, guest = waiting.nodes
    eve = Identity.new(waiting.rng())
    roster = [host.lobby._me, guest.lobby._me, player(eve)]
    for number in (7, 6, 7):
        name = f"eve {number}"
        draft = draft_for(waiting, number, [*roster[:2], replace(roster[2], name=name)])
        proposal = Proposal(host.lobby.place, draft)
        waiting.inject(sign_record(host.lobby._identity, proposal), [guest])
        waiting.run(0.01)
    assert guest.lobby.dropped["agreement.number"] == 1
    assert guest.lobby._draw is not None
    assert guest.lobby._draw.draft.number == 7


def test_a_draft_that_the_player_does_not_want_is_not_signed() -> None:
    net = Net(14)
    net.host(2)
    picky = net.guest(1, accepts=lambda draft: draft.game != "crowd")
    net.run(2)
    assert set(picky.turned_away) == {"lobby.unwanted"}
    assert not picky.sent_of(Sign)
    assert not picky.sent_of(Nonce)


def test_a_nonce_other_than_the_committed_one_does_not_count() -> None:
    net = Net(15)
    host = net.host(2)
    cheat = net.guest(1)
    cheat.mute = lambda record: isinstance(record, Nonce)
    net.run_until(lambda: host.lobby.stage is Stage.SIGNED)
    draw = host.lobby._draw
    assert draw is not None
    forged = sign_record(cheat.lobby._identity, Nonce(host.lobby.place, draw.hash, bytes(32)))
    net.inject(forged, [host])
    net.run(0.1)
    assert host.lobby.dropped["agreement.nonce"] == 1
    assert host.lobby.stage is Stage.SIGNED
    cheat.mute = lambda record: False
    agree(net, [host, cheat])


def test_signatures_of_strangers_do_not_count() -> None:
    net = Net(16)
    host = net.host(2)
    guest = net.guest(1)
    guest.mute = lambda record: isinstance(record, Sign | Nonce)
    net.run_until(lambda: host.lobby.stage is Stage.DRAFTED)
    draw = host.lobby._draw
    assert draw is not None
    eve = Identity.new(net.rng())
    for record in (
        Sign(host.lobby.place, draw.hash),
        Nonce(host.lobby.place, draw.hash, bytes(32)),
    ):
        net.inject(sign_record(eve, record), [host])
    net.run(0.1)
    assert host.lobby.dropped["malformed.stranger"] == 2
    assert host.lobby.stage is Stage.DRAFTED


def malformed(net: Net) -> Iterator[tuple[str, bytes]]:
    """Messages that are nothing, with the code that they are counted under."""
    eve = Identity.new(net.rng())
    good = sign_record(eve, Knock(net.nodes[0].lobby.place, player(eve)))
    frame = read_frame(good)
    assert isinstance(frame, RecordFrame)
    yield "malformed.msgpack", b"\xc1"
    yield "malformed.msgpack", good[:-1]
    yield "malformed.msgpack", good + b"\0"
    yield "malformed.long", bytes(20_000)
    yield "malformed.signature", write_frame(replace(frame, key=net.nodes[0].lobby.key[::-1]))
    yield "malformed.signature", write_frame(replace(frame, signature=bytes(64)))
    yield "malformed.msgpack", write_frame(_signed(eve, b"\xc1"))
    yield "malformed.place", sign_record(eve, Knock(bytes(8), player(eve)))
    yield "malformed.field", write_frame(_signed(eve, b"\x92\x01\x90"))


def _signed(identity: Identity, record: bytes) -> RecordFrame:
    return RecordFrame(record, identity.public, identity.sign(b"p2pcards/1 record", record))


def test_what_makes_no_sense_is_counted_and_does_no_harm(waiting: Net) -> None:
    host, guest = waiting.nodes
    for code, message in malformed(waiting):
        before = host.lobby.dropped.copy()
        waiting.inject(message)
        waiting.run(0.01)
        new = host.lobby.dropped - before
        assert new.total() == 1, (code, new)
        assert code.split(".")[0] in next(iter(new)), (code, new)
        assert guest.lobby.dropped == host.lobby.dropped
    agree(waiting, [host, guest, waiting.guest(2)])


@pytest.mark.parametrize("seed", range(2))
def test_random_bytes_and_flipped_bits_do_no_harm(seed: int) -> None:
    net = Net(seed)
    host = net.host(3)
    guest = net.guest(1)
    net.run(2)
    rng = random.Random(seed)
    theirs = [message for message in net.wire if host.lobby.key not in message]
    for _ in range(300):
        noise = bytearray(rng.choice(theirs) if rng.random() < 0.7 else rng.randbytes(80))
        noise[rng.randrange(len(noise))] ^= 1 << rng.randrange(8)
        net.inject(bytes(noise))
    net.run(1)
    assert host.lobby.dropped.total() == 300
    agree(net, [host, guest, net.guest(2)])


def test_a_replay_of_the_whole_lobby_does_no_harm() -> None:
    net = Net(17)
    host = net.host(3)
    first = [host, net.guest(1), net.guest(2)]
    first[2].mute = lambda record: isinstance(record, Nonce)
    net.run(3)
    net.leave(first[2])
    for message in list(net.wire):
        net.inject(message)
    net.run(1)
    for message in reversed(list(net.wire)):
        net.inject(message)
    # The replayed knock of the one who left has taken a seat, for as long as it keeps silent.
    net.run(2 * SILENT)
    agree(net, [host, first[1], net.guest(3)])


# [FRAME-5] of protocol.md
def test_a_record_of_another_table_is_counted_and_ignored() -> None:
    one, two = Net(18), Net(19)
    for net in (one, two):
        net.host(3)
        net.guest(1)
        net.run(1)
    for message in one.wire:
        two.inject(message)
    two.run(0.1)
    assert {*two.nodes[0].lobby.dropped} == {"malformed.place"}
    assert len(two.nodes[0].gathered[-1].players) == 2


def test_hostile_names_are_only_names() -> None:
    net = Net(20)
    host = net.host(2)
    eve = Identity.new(net.rng())
    name = "\x1b[2J\u202e\n" * 6
    guest = Guest(eve, name, net.rng(), place=host.lobby.place, host=host.lobby.key)
    agreement = agree(net, [host, net.add(guest)])
    assert name in [player.name for player in agreement.players]


# --- hosts that cannot be -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings, code",
    [
        ({"seats": 1}, "option.seats"),
        ({"seats": 21}, "option.seats"),
        ({"seats": 4, "game": "poker"}, "game.unknown"),
        ({"seats": 4, "options": {"stakes": "high"}}, "option.unknown"),
        ({"seats": 4, "options": {"hook": "perhaps"}}, "option.value"),
        ({"seats": 4, "options": {"hook": True, "bidding": "simultaneous"}}, "option.conflict"),
        ({"seats": 4, "table_options": {"hands": -1}}, "option.value"),
        ({"seats": 4, "table_options": {"openings": "sometimes"}}, "option.value"),
    ],
)
def test_a_table_that_cannot_be_is_not_opened(settings: dict[str, object], code: str) -> None:
    with pytest.raises(BadOption) as refusal:
        Net(0).host(**settings)  # type: ignore[arg-type]  # the cases above
    assert refusal.value.code == code
