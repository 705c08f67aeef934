"""A program that joins a table and revokes: it plays off suit while it could follow.

    python -m tests.e2e.cheating_peer ADDRESS missing|forged|replayed|other

It is an honest peer in everything but the proof of that one move.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any

from p2pcards.crypto.formula import Formula
from p2pcards.crypto.group import Rng
from p2pcards.crypto.signing import Identity
from p2pcards.engine.match import Match
from p2pcards.errors import P2PCardsError
from p2pcards.games.oh_hell import Play
from p2pcards.net import driver
from p2pcards.shells.bots import strategy
from p2pcards.shells.script import Peer
from p2pcards.testing.cheaters import Cheater
from p2pcards.wire.messages import Move
from tests.cheats.test_play import about_other_cards, forged, missing, revoke

Proof = Callable[[Cheater, Any, Formula], bytes]

PROOFS: Mapping[str, Proof] = {"missing": missing, "forged": forged, "other": about_other_cards}


class Replaying:
    """Gives a proof of its own that was good once: of the claim of an earlier move."""

    def __init__(self) -> None:
        self.earlier = b""

    def __call__(self, _: Cheater, __: Any, ___: Formula) -> bytes:
        return self.earlier


def cheat(name: str) -> Callable[[Cheater, Any], Iterable[object]]:
    """Revokes at the first occasion."""
    replaying = Replaying()
    proof = PROOFS.get(name, replaying)
    done = False

    def sign(peer: Cheater, body: Any) -> Iterable[object]:
        nonlocal done
        if not isinstance(body, Move) or done:
            return (body,)
        card = revoke(peer)
        if body.claim:
            replaying.earlier = body.claim
        if card is None or (name == "replayed" and not replaying.earlier):
            return (body,)
        statement = peer.plan(Play(card)).statement
        if statement is None:
            return (body,)
        done = True
        return (peer.move(Play(card), proof(peer, card, statement)),)

    return sign


async def main(address: str, name: str) -> None:
    """Joins, cheats, and sees what comes of it."""

    def make(match: Match, identity: Identity, rng: Rng) -> Cheater:
        return Cheater(match, identity, rng, cheat(name))

    driver.Peer = make  # type: ignore[attr-defined,assignment]  # the driver's only way to a peer
    async with Peer("Eve") as peer:
        table = await peer.join(address)
        try:
            await table.play(strategy("simple", Random(os.urandom(8))))
        except P2PCardsError as error:
            print(error.code)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
