"""A peer that waits: for hours if it must, and no louder than in the first minute."""

from __future__ import annotations

from p2pcards.engine.events import Send, Tick
from p2pcards.engine.peer import WANT_LAST
from p2pcards.testing.network import table
from p2pcards.testing.open_kernel import OpenKernel


def test_a_peer_waits_for_hours() -> None:
    peer, _ = table("bazaar", 2, OpenKernel(), seed=1)
    peer.start(0.0)
    wanted = 0
    hours = 3
    for second in range(1, hours * 3600):
        effects = peer.handle(Tick(), float(second))
        wanted += sum(isinstance(e, Send) and e.topic == "want" for e in effects)
    assert 1000 < wanted <= hours * 3600 / WANT_LAST + 10
