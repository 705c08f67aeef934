"""Drafts and agreements: what is read, and everything that is not."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import msgpack
import pytest

from p2pcards.crypto.signing import Identity
from p2pcards.engine.agreement import Agreement, read_draft
from p2pcards.errors import BadOption, Malformed, P2PCardsError
from p2pcards.testing.network import agree
from p2pcards.wire.codec import encode
from p2pcards.wire.messages import Draft, Setting

PLAYERS = [Identity(bytes([i]) * 32) for i in range(1, 5)]
GOOD = agree("oh-hell", PLAYERS)


def with_option(name: str, *values: object, table: bool = False) -> Draft:
    """The draft with these settings instead of the one of this name."""
    draft = GOOD.draft
    settings = draft.table_options if table else draft.options
    changed = tuple(
        new
        for setting in settings
        for new in (
            [Setting(name, value) for value in values]  # type: ignore[arg-type]  # wrong on purpose
            if setting.name == name
            else [setting]
        )
    )
    return replace(draft, table_options=changed) if table else replace(draft, options=changed)


REFUSED: dict[str, tuple[Draft, str]] = {
    "another version": (replace(GOOD.draft, version=2), "agreement.version"),
    "an unknown game": (replace(GOOD.draft, game="chess"), "game.unknown"),
    "an alias": (replace(GOOD.draft, game="ohhell"), "agreement.game"),
    "too few": (replace(GOOD.draft, roster=GOOD.draft.roster[:2]), "option.seats"),
    "too many": (replace(GOOD.draft, roster=GOOD.draft.roster * 2), "option.seats"),
    "one twice": (
        replace(GOOD.draft, roster=GOOD.draft.roster[:3] + GOOD.draft.roster[:1]),
        "agreement.twice",
    ),
    "an option left out": (with_option("hook"), "agreement.options"),
    "an option twice": (with_option("hook", False, False), "agreement.options"),
    "out of order": (
        replace(GOOD.draft, options=GOOD.draft.options[::-1]),
        "agreement.options",
    ),
    "an unknown option": (
        replace(GOOD.draft, options=(*GOOD.draft.options, Setting("zzz", 1))),
        "option.unknown",
    ),
    "an unknown value": (with_option("bidding", "aloud"), "option.value"),
    "0 for false": (with_option("hook", 0), "option.value"),
    "text for true": (with_option("hook", "true"), "agreement.options"),
    "a number out of range": (with_option("max_hand", 18), "option.value"),
    "nil where there is a default": (with_option("hook", None), "option.value"),
    "more cards than the pack": (with_option("max_hand", 14), "option.seats"),
    "options that do not go together": (
        replace(
            with_option("hook", True),
            options=tuple(
                Setting("bidding", "simultaneous") if s.name == "bidding" else s
                for s in with_option("hook", True).options
            ),
        ),
        "option.conflict",
    ),
    "a table option left out": (with_option("hands", table=True), "agreement.options"),
    "a table option out of range": (with_option("hands", 1000, table=True), "option.value"),
}


# [LOBBY-2] of protocol.md
@pytest.mark.parametrize("name", REFUSED)
def test_a_draft_is_refused(name: str) -> None:
    draft, code = REFUSED[name]
    with pytest.raises(P2PCardsError) as error:
        read_draft(encode(draft))
    assert isinstance(error.value, Malformed | BadOption)
    assert error.value.code == code


# [LOBBY-2] of protocol.md
def test_a_good_draft_is_read() -> None:
    assert read_draft(GOOD.draft_bytes) == GOOD.draft
    assert [setting.name for setting in GOOD.draft.options] == sorted(GOOD.options)


# [LOBBY-4] of protocol.md
def test_table_and_seats_are_the_documented_hashes() -> None:
    """Put together by hand from the draft's bytes and the nonces."""

    def digest(*values: object) -> bytes:
        data = msgpack.packb(list(values), use_bin_type=True)
        assert isinstance(data, bytes)
        return sha256(data).digest()

    table = digest("table", GOOD.draft_bytes, list(GOOD.nonces))
    assert GOOD.table == table
    keys = [player.key for player in GOOD.draft.roster]
    assert [player.key for player in GOOD.players] == sorted(
        keys, key=lambda key: digest("seat", table, key)
    )
    for player, nonce in zip(GOOD.draft.roster, GOOD.nonces, strict=True):
        assert player.nonce_commitment == digest("nonce", nonce)


@pytest.mark.parametrize(
    "nonces",
    [GOOD.nonces[:3], (*GOOD.nonces, bytes(32)), (bytes(32), *GOOD.nonces[1:]), GOOD.nonces[::-1]],
    ids=["too few", "too many", "another", "in another order"],
)
def test_nonces_fit_their_commitments(nonces: tuple[bytes, ...]) -> None:
    with pytest.raises(Malformed, match=r"agreement\.nonce"):
        Agreement.of(GOOD.draft_bytes, nonces)
