"""Adding a game is one module and one line of the registry: real peers play it over the broker,
prove what it demands of hidden cards, and anybody audits the log."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from p2pcards.crypto.kernel import RealKernel
from p2pcards.engine.audit import audit
from p2pcards.games import GAMES
from p2pcards.shells.bots import strategy
from p2pcards.shells.script import Peer, Result
from tests.e2e.high_card import Fold, HighCard


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "high-card", HighCard())


async def play() -> Result:
    async with Peer("Ada", seed=1) as peer:
        table = await peer.host("high-card", seats=4, bots=["random"] * 3)
        choose = strategy("random", Random(2))
        async for decision in table.decisions():
            folds = [move for move in decision.legal if isinstance(move, Fold)]
            if folds:
                await decision.play(folds[0])
            else:
                await decision.choose(choose(decision.view))
        return await table.result()


def test_a_sixth_game_is_a_module_and_a_line() -> None:
    claims = 0
    for _ in range(3):
        result = asyncio.run(play())
        report = audit(result.log, RealKernel())
        assert report.verdict == "honest", report.problem
        assert report.over is not None
        assert report.over.places == result.places
        claims += report.checks["proofs about hidden cards"]
    assert claims > 0
