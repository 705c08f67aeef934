"""Several mistakes in one contribution: every peer names the same one, the first in the order of
protocol.md section 9.2."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from p2pcards.testing.cheaters import Cheater
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import KeyOpen, Kind, Mixed, Move, Open, Shares
from tests.cheats.arena import arena, convicted, on


def bad_key(_: Cheater, body: KeyOpen) -> KeyOpen:
    """Not the committed key, and a proof that does not hold."""
    return KeyOpen(body.key[:-1] + bytes([body.key[-1] ^ 1]), bytes(64))


def too_few_and_one_twice(_: Cheater, body: Mixed) -> Mixed:
    """A mask is missing, another occurs twice, and there is no proof."""
    return Mixed((body.masks[1], *body.masks[1:-1]), b"")


def one_twice(_: Cheater, body: Mixed) -> Mixed:
    """The number fits; a mask occurs twice, and there is no proof."""
    return Mixed((body.masks[1], *body.masks[1:]), b"")


def too_few_shares(_: Cheater, body: Shares) -> Shares:
    """One is missing, the first is no point, and there is no proof."""
    return Shares((bytes(33), *body.shares[1:-1]), b"")


def more_than_owed(_: Cheater, body: Move) -> Move:
    """A share that nobody asked for, a proof of nothing, and a claim of nothing."""
    return dataclasses.replace(body, shares=Shares((bytes(33),), b"x"), claim=b"x")


def wrong_seed_and_key(_: Cheater, body: Open) -> Open:
    """Neither the key nor the seed."""
    return Open(b"\1" * 32, b"\2" * 32)


# [FAULT-3] of protocol.md
@pytest.mark.parametrize(
    "kind, forge, code",
    [
        (Kind.KEY_OPEN, bad_key, "key.uncommitted"),
        (Kind.MIXED, too_few_and_one_twice, "mix.count"),
        (Kind.MIXED, one_twice, "mask.repeated"),
        (Kind.SHARES, too_few_shares, "share.count"),
        (Kind.MOVE, more_than_owed, "move.unasked"),
        (Kind.OPEN, wrong_seed_and_key, "open.seed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_first_mistake_gives_the_verdict(
    kind: Kind, forge: Callable[[Cheater, Any], object], code: str
) -> None:
    convicted(arena({1: on(kind, forge)}, OpenKernel()), 1, code)


def wrong_shares(_: Cheater, body: Shares) -> Shares:
    """Without a proof."""
    return Shares(body.shares, b"")


def two_versions(peer: Cheater, body: object) -> Iterable[object]:
    """Signs the honest shares and wrong ones."""
    if not isinstance(body, Shares):
        return (body,)
    return (body, wrong_shares(peer, body))


# [FAULT-5] of protocol.md
def test_of_two_faults_in_one_step_the_smaller_seat_is_named() -> None:
    cheats = {2: on(Kind.SHARES, wrong_shares), 1: on(Kind.SHARES, wrong_shares)}
    convicted(arena(cheats, OpenKernel(), seats=4), 1, "share.wrong")


# [FAULT-5] of protocol.md
def test_equivocation_comes_before_every_other_fault() -> None:
    cheats = {1: on(Kind.SHARES, wrong_shares), 2: two_versions}
    convicted(arena(cheats, OpenKernel(), seats=4), 2, "chain.equivocation")
