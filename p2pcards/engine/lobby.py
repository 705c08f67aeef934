"""The lobby: from strangers to a signed agreement. Events in, effects out, as in `peer`.

    gathering   the host takes knocks until all seats are taken
    drafted     the host has proposed a draft; everyone in it signs it
    signed      all have signed; everyone opens its nonce
    agreed      all nonces are open: the table id, the seats, step 0 of the chain

A changed roster goes back to gathering, under the next draft number. Records are repeated until
they have had their effect, so nothing rests on a broker's delivery. protocol.md section 8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from p2pcards.cards.rules import Value, settle
from p2pcards.crypto.group import Rng
from p2pcards.crypto.signing import Identity
from p2pcards.engine.agreement import (
    TABLE_OPTIONS,
    Agreement,
    nonce_commitment,
    read_draft,
    settings,
)
from p2pcards.engine.events import (
    Agreed,
    Event,
    Gathering,
    Invited,
    LobbyEffect,
    Received,
    Send,
    TurnedAway,
    Wake,
)
from p2pcards.engine.frames import read_frame, read_record, sign_record
from p2pcards.errors import BadOption, Malformed
from p2pcards.games import find
from p2pcards.wire.codec import digest, encode
from p2pcards.wire.messages import (
    MAX_SEATS,
    VERSION,
    Advert,
    Again,
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

REPEAT = 1.0
"""Seconds after which a record that has had no effect yet is sent again."""
ADVERTISE = 20.0
"""Seconds between two adverts of a table that has not changed."""
SILENT = 10.0
"""Seconds of silence after which a guest has lost its seat at a table that is forming."""
HOST_SILENT = 3 * ADVERTISE
"""The same for the host: a guest gives the table up."""


class Stage(Enum):
    """How far a lobby has come; see the module."""

    GATHERING = "gathering"
    DRAFTED = "drafted"
    SIGNED = "signed"
    AGREED = "agreed"


@dataclass
class Draw:
    """A draft under way: who has signed it, whose nonce is open."""

    packed: bytes
    draft: Draft
    hash: bytes
    signed: set[bytes] = field(default_factory=set)
    nonces: dict[bytes, bytes] = field(default_factory=dict)


class Lobby:
    """What host and guest have in common: signing a draft and opening the nonces.

    `dropped` counts messages that were nobody's provable fault, by code.
    """

    def __init__(self, identity: Identity, name: str, place: bytes, rng: Rng) -> None:
        self.stage = Stage.GATHERING
        self.place = place
        self.agreement: Agreement | None = None
        self.dropped: Counter[str] = Counter()
        self._identity = identity
        self._name = name
        self._rng = rng
        self._draw: Draw | None = None
        self._repeat_at = 0.0
        self._heard: dict[bytes, float] = {}
        self._effects: list[LobbyEffect] = []
        self._new_nonce()

    def handle(self, event: Event, now: float) -> list[LobbyEffect]:
        """What follows from an event."""
        if isinstance(event, Received):
            try:
                self._receive(event.message, now)
            except (Malformed, BadOption) as error:
                self.dropped[error.code] += 1
        self._advance()
        if now >= self._repeat_at:
            self._repeat_at = now + REPEAT
            self._repeat(now)
        if self.stage is not Stage.AGREED:
            self._effects.append(Wake(self._repeat_at))
        return self._take_effects()

    def goodbye(self) -> list[LobbyEffect]:
        """Leaves a table that has not begun."""
        self._send(Bye(self.place, False))
        return self._take_effects()

    @property
    def key(self) -> bytes:
        """Our identity key."""
        return self._identity.public

    # --- for host and guest to fill in ------------------------------------------------------------

    def _take(self, key: bytes, record: object, now: float) -> None:
        raise NotImplementedError

    def _repeat(self, now: float) -> None:
        """Sends again what has had no effect yet."""
        if self._draw is not None:
            self._send(Sign(self.place, self._draw.hash))
            if self.stage in (Stage.SIGNED, Stage.AGREED):
                self._send(Nonce(self.place, self._draw.hash, self._nonce))

    # --- common -----------------------------------------------------------------------------------

    def _take_effects(self) -> list[LobbyEffect]:
        effects, self._effects = self._effects, []
        return effects

    @property
    def _me(self) -> Player:
        return Player(self._identity.public, self._name, nonce_commitment(self._nonce))

    def _new_nonce(self) -> None:
        self._nonce = self._rng(32)

    def _send(self, record: object, *, retain: bool = False) -> None:
        self._effects.append(Send("lobby", sign_record(self._identity, record), retain))

    def _receive(self, message: bytes, now: float) -> None:
        frame = read_frame(message)
        if not isinstance(frame, RecordFrame) or frame.key == self._identity.public:
            return
        record = read_record(frame)
        if record.place != self.place:
            raise Malformed("malformed.place", "a record of another table")
        if frame.key in self._heard:
            self._heard[frame.key] = now
        draw = self._draw
        match record:
            case Sign(_, draft) if draw is not None and draft == draw.hash:
                self._check_member(frame.key)
                draw.signed.add(frame.key)
            case Nonce(_, draft, nonce) if draw is not None and draft == draw.hash:
                player = self._check_member(frame.key)
                if nonce_commitment(nonce) != player.nonce_commitment:
                    raise Malformed("agreement.nonce", "not the nonce it committed to")
                # whoever opens its nonce has seen all signatures, its own among them
                draw.signed.add(frame.key)
                draw.nonces[frame.key] = nonce
            case _:
                self._take(frame.key, record, now)

    def _help(self, now: float) -> None:
        """Somebody is still where we were: what we sent there, once more. Only what nobody sends
        any more after the agreement asks for it, or the peers would help each other for ever."""
        if now >= self._repeat_at:
            self._repeat_at = now + REPEAT
            self._repeat(now)

    def _check_member(self, key: bytes) -> Player:
        roster = () if self._draw is None else self._draw.draft.roster
        for player in roster:
            if player.key == key:
                return player
        raise Malformed("malformed.stranger", "not on the roster")

    def _begin(self, packed: bytes, draft: Draft) -> None:
        """A draft that we are in: sign it."""
        self._draw = Draw(packed, draft, digest("draft", packed))
        self._draw.signed.add(self._identity.public)
        self.stage = Stage.DRAFTED
        self._send(Sign(self.place, self._draw.hash))

    def _advance(self) -> None:
        draw = self._draw
        if draw is None:
            return
        keys = [player.key for player in draw.draft.roster]
        if self.stage is Stage.DRAFTED and draw.signed.issuperset(keys):
            self.stage = Stage.SIGNED
            draw.nonces[self._identity.public] = self._nonce
            self._send(Nonce(self.place, draw.hash, self._nonce))
        if self.stage is Stage.SIGNED and draw.nonces.keys() >= set(keys):
            self.stage = Stage.AGREED
            nonces = tuple(draw.nonces[key] for key in keys)
            self.agreement = Agreement.of(draw.packed, nonces)
            self._effects.append(Agreed(self.agreement))


class Host(Lobby):
    """Who opens a table. `seats` counts the host's own; some are kept for the `expected` identity
    keys, whoever knocks first."""

    def __init__(
        self,
        identity: Identity,
        name: str,
        rng: Rng,
        *,
        game: str,
        seats: int,
        options: Mapping[str, Value],
        table_options: Mapping[str, Value],
        unix_time: Callable[[], int],
        expected: frozenset[bytes] = frozenset(),
    ) -> None:
        super().__init__(identity, name, rng(8), rng)
        rules = find(game)
        if seats not in rules.seats:
            raise BadOption(
                "option.seats",
                f"{rules.title} takes {rules.seats.start} to {rules.seats.stop - 1} seats, "
                f"not {seats}",
            )
        settled = settle(rules.options, options)
        rules.check(settled, seats)
        self.game = rules.key
        self.seats = seats
        self._options = settings(settled)
        self._table_options = settings(settle(TABLE_OPTIONS, table_options))
        self._unix_time = unix_time
        self._expected = expected
        self._barred: set[bytes] = set()
        self._guests: dict[bytes, Player] = {}
        self._number = 0
        self._advertise_at = 0.0
        self._advertised = False

    @property
    def taken(self) -> int:
        """Seats that are taken, the host's own among them."""
        return 1 + len(self._guests)

    @property
    def options(self) -> dict[str, Value]:
        """The options of the game, all of them."""
        return {setting.name: setting.value for setting in self._options}

    @property
    def players(self) -> tuple[Player, ...]:
        """Who sits here, ourselves first, then in the order of arrival."""
        return (self._me, *self._guests.values())

    def goodbye(self) -> list[LobbyEffect]:
        """Closes the table."""
        self._effects.append(Send("lobby", b"", retain=True))
        return super().goodbye()

    def kick(self, key: bytes) -> list[LobbyEffect]:
        """Turns a guest away for good, as long as not all have agreed."""
        if self.stage is not Stage.AGREED and key in self._guests:
            self._barred.add(key)
            self._send(Kick(self.place, key, "lobby.kicked"))
            self._lose(key)
        return self._take_effects()

    def invite(self, following: bytes) -> list[LobbyEffect]:
        """After the match: our next table is at this place (8 bytes)."""
        self._send(Again(self.place, following))
        return self._take_effects()

    def _take(self, key: bytes, record: object, now: float) -> None:
        match record:
            case Knock(_, player) if player.key == key:
                self._knocked(player, now)
            case Bye() if key in self._guests and self.stage is not Stage.AGREED:
                self._lose(key)
            case _:
                pass

    def _knocked(self, player: Player, now: float) -> None:
        if self.stage is Stage.AGREED:
            if player.key in self._guests:
                self._help(now)
            else:
                self._send(Kick(self.place, player.key, "lobby.started"))
            return
        if player.key in self._barred:
            self._send(Kick(self.place, player.key, "lobby.kicked"))
            return
        if player.key not in self._guests and not self._has_room(player.key):
            self._send(Kick(self.place, player.key, "lobby.full"))
            return
        self._heard[player.key] = now
        if self._guests.get(player.key) != player:
            self._guests[player.key] = player
            self._changed()

    def _has_room(self, key: bytes) -> bool:
        kept = self._expected - self._guests.keys() - {key}
        return self.taken + len(kept) < self.seats

    def _lose(self, key: bytes) -> None:
        del self._guests[key], self._heard[key]
        self._changed()

    def _changed(self) -> None:
        """The roster is another one: whatever was signed is void."""
        if self.stage is not Stage.GATHERING:
            self.stage, self._draw = Stage.GATHERING, None
            self._new_nonce()
        self._advertise_at = 0.0
        self._repeat_at = 0.0
        roster = self.players
        self._effects.append(Gathering(roster, self.seats))
        if len(roster) == self.seats:
            self._number += 1
            draft = Draft(
                VERSION,
                self.place,
                self._number,
                self.game,
                self._options,
                self._table_options,
                roster,
            )
            self._begin(encode(draft), draft)

    def _repeat(self, now: float) -> None:
        if self.stage is not Stage.AGREED:
            for key in [k for k in self._guests if now - self._heard[k] > SILENT]:
                self._lose(key)
        if self.stage is not Stage.AGREED:
            if self._draw is not None:
                self._send(Proposal(self.place, self._draw.packed))
            if now >= self._advertise_at:
                self._advertise_at = now + ADVERTISE
                self._advertised = True
                self._send(self.advert(), retain=True)
        super()._repeat(now)

    def _advance(self) -> None:
        super()._advance()
        if self.stage is Stage.AGREED and self._advertised:
            self._advertised = False
            self._effects.append(Send("lobby", b"", retain=True))

    def advert(self) -> Advert:
        """The table as others see it."""
        return Advert(
            self.place,
            self._name,
            self.game,
            self._options,
            self.seats,
            self.taken,
            self._unix_time(),
        )


class Guest(Lobby):
    """Who wants a seat at the table of `host` (an identity key of 32 bytes).

    `accepts` says whether a draft is what its player wants to play.
    """

    def __init__(
        self,
        identity: Identity,
        name: str,
        rng: Rng,
        *,
        place: bytes,
        host: bytes,
        accepts: Callable[[Draft], bool] = lambda draft: True,
    ) -> None:
        super().__init__(identity, name, place, rng)
        self.advert: Advert | None = None
        """What the host said last of its table."""
        self._host = host
        self._accepts = accepts
        self._revealed = False
        self._others: dict[bytes, tuple[Player, float]] = {}

    @property
    def host(self) -> bytes:
        """The host's identity key."""
        return self._host

    def others(self, now: float) -> tuple[Player, ...]:
        """Who else knocks at the table: a hint of whom the host may seat, for people to see."""
        return tuple(player for player, at in self._others.values() if now - at < SILENT)

    def _take(self, key: bytes, record: object, now: float) -> None:
        match record:
            case Again(_, following) if key == self._host and self.stage is Stage.AGREED:
                self._effects.append(Invited(following))
            case Advert() if key == self._host:
                self.advert = record
            case Knock(_, player) if player.key == key and self.stage is Stage.GATHERING:
                self._overhear(player, now)
            case Knock() if self.stage is Stage.AGREED:
                self._check_member(key)
                self._help(now)
            case Proposal(_, packed) if key == self._host and self.stage is Stage.AGREED:
                if self._is_newer(packed):
                    self._effects.append(TurnedAway("lobby.restarted"))
                else:
                    self._help(now)
            case Proposal(_, packed) if key == self._host:
                self._proposed(packed)
            case Kick(_, who, reason) if key == self._host and who == self._identity.public:
                if self.stage is not Stage.AGREED:
                    self._effects.append(TurnedAway(reason))
            case Bye() if key == self._host and self.stage is not Stage.AGREED:
                self._effects.append(TurnedAway("lobby.closed"))
            case _:
                pass

    def _overhear(self, player: Player, now: float) -> None:
        self._others.pop(player.key, None)
        if len(self._others) < MAX_SEATS:
            self._others[player.key] = (player, now)

    def _is_newer(self, packed: bytes) -> bool:
        """Whether the host has given up the draft that we took for agreed: it lacked somebody's
        nonce that we have, and the somebody was gone."""
        return self._draw is not None and read_draft(packed).number > self._draw.draft.number

    def _proposed(self, packed: bytes) -> None:
        if self._draw is not None and packed == self._draw.packed:
            return
        draft = read_draft(packed)
        if draft.place != self.place:
            raise Malformed("malformed.place", "a draft of another table")
        if self._draw is not None and draft.number <= self._draw.draft.number:
            raise Malformed("agreement.number", "an older draft")
        if draft.roster[0].key != self._host:
            raise Malformed("agreement.host", "the first of the roster is the host")
        if self._revealed:
            # an opened nonce must not serve twice; the host drafts again with the new one
            self._revealed = False
            self._new_nonce()
            self.stage, self._draw = Stage.GATHERING, None
        if self._me not in draft.roster:
            self._send(Knock(self.place, self._me))
            return
        if not self._accepts(draft):
            self._effects.append(TurnedAway("lobby.unwanted"))
            return
        self._begin(packed, draft)

    def _advance(self) -> None:
        super()._advance()
        self._revealed = self._revealed or self.stage is Stage.SIGNED

    def _repeat(self, now: float) -> None:
        if self.stage is not Stage.AGREED:
            # in every stage: the host may have lost us, or the whole roster, in the meantime
            self._send(Knock(self.place, self._me))
            if now - self._heard.setdefault(self._host, now) > HOST_SILENT:
                self._effects.append(TurnedAway("lobby.silent"))
        super()._repeat(now)
