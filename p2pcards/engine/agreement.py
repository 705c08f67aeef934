"""The table agreement: what is played, how, and by whom, signed by everyone as step 0 of the chain.

Everything that could be used as an excuse later is in the table id: game, options, roster, and a
nonce of every player, so that nobody alone chooses the seats (protocol.md section 8.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from p2pcards.cards.rules import Option, Rules, Value, settle
from p2pcards.crypto.signing import check_identity
from p2pcards.errors import BadOption, BadSignature, Malformed
from p2pcards.games import find
from p2pcards.wire.codec import decode, digest
from p2pcards.wire.messages import VERSION, Draft, Player, Setting, Sit

TABLE_OPTIONS: tuple[Option, ...] = (
    Option(
        "openings",
        ("after-hand", "never"),
        "after-hand",
        "open all keys after each hand, so that the log proves every hidden card; or never",
    ),
    Option("hands", range(1000), 0, "stop after this many hands; 0: play the whole match"),
)


def settings(values: Mapping[str, Value]) -> tuple[Setting, ...]:
    """Options in the order of the wire: by name."""
    return tuple(Setting(name, value) for name, value in sorted(values.items()))


def nonce_commitment(nonce: bytes) -> bytes:
    """What a player shows of its nonce (32 bytes) before all have signed the draft."""
    return digest("nonce", nonce)


@dataclass(frozen=True)
class Agreement:
    """A draft that everyone signed, and everyone's nonce; all of it is public.

    `players` are in seat order: ascending by the hash of table id and identity key. `nonces` are in
    the roster's order, as is `draft.roster`.
    """

    draft_bytes: bytes
    nonces: tuple[bytes, ...]
    draft: Draft
    table: bytes
    players: tuple[Player, ...]

    @classmethod
    def of(cls, draft_bytes: bytes, nonces: tuple[bytes, ...]) -> Agreement:
        """Reads and checks an agreement; `Malformed` or `BadOption` say what is wrong with it."""
        draft = read_draft(draft_bytes)
        if len(nonces) != len(draft.roster):
            raise Malformed("agreement.nonces", f"{len(nonces)} for {len(draft.roster)} players")
        for player, nonce in zip(draft.roster, nonces, strict=True):
            if nonce_commitment(nonce) != player.nonce_commitment:
                raise Malformed("agreement.nonce", f"{player.name!r} opened another nonce")
        table = digest("table", draft_bytes, nonces)
        players = sorted(draft.roster, key=lambda player: digest("seat", table, player.key))
        return cls(draft_bytes, nonces, draft, table, tuple(players))

    @property
    def seats(self) -> int:
        """How many."""
        return len(self.players)

    @property
    def sit(self) -> Sit:
        """The body of everyone's step 0."""
        return Sit(self.draft_bytes, self.nonces)

    @cached_property
    def rules(self) -> Rules[Any, Any]:
        """The game."""
        return find(self.draft.game)

    @cached_property
    def options(self) -> dict[str, Value]:
        """The game's options, all of them."""
        return {setting.name: setting.value for setting in self.draft.options}

    @cached_property
    def table_options(self) -> dict[str, Value]:
        """The options common to all games."""
        return {setting.name: setting.value for setting in self.draft.table_options}

    def seat_of(self, key: bytes) -> int | None:
        """The seat of an identity; None for a stranger."""
        return next((i for i, player in enumerate(self.players) if player.key == key), None)


def read_draft(draft_bytes: bytes) -> Draft:
    """A draft whose game exists, whose options are settled, and whose players differ."""
    draft = decode(Draft, draft_bytes)
    if draft.version != VERSION:
        raise Malformed("agreement.version", f"{draft.version}; this is version {VERSION}")
    rules = find(draft.game)
    if draft.game != rules.key:
        raise Malformed("agreement.game", "an alias; drafts carry the game's own key")
    if len(draft.roster) not in rules.seats:
        raise BadOption(
            "option.seats",
            f"{draft.game} takes {rules.seats.start} to {rules.seats.stop - 1} seats",
        )
    if len({player.key for player in draft.roster}) != len(draft.roster):
        raise Malformed("agreement.twice", "one identity on two seats")
    for player in draft.roster:
        try:
            check_identity(player.key)
        except BadSignature:
            raise Malformed("agreement.identity", f"the key of {player.name!r} is none") from None
    for schema, given in ((rules.options, draft.options), (TABLE_OPTIONS, draft.table_options)):
        values = {setting.name: setting.value for setting in given}
        if settings(settle(schema, values)) != given:
            raise Malformed("agreement.options", "options are not complete, sorted and settled")
    rules.check({setting.name: setting.value for setting in draft.options}, len(draft.roster))
    return draft
