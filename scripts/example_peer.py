"""An example of a peer in a script: it hosts a table with two bots and plays one seat itself.

    python scripts/example_peer.py [--hands 2]

Everything is as at a table with strangers: three peers with keys of their own, an MQTT broker, full
cryptography. To play with others, give `bots=0` and let them run `p2pcards join`; to take a seat at
somebody else's table, write `await peer.join("Ada")` in place of `await peer.host(...)`.
"""

import argparse
import asyncio

from p2pcards.cards.table import hand
from p2pcards.games.oh_hell import Bid
from p2pcards.shells.script import Decision, Peer


def policy(decision: Decision) -> object:
    """Bids one trick for every two high cards, and plays the first card that is legal."""
    # The view is what this seat may know, and nothing else: its own cards have faces, those of the
    # others have none. `legal` are the moves that the rules allow and that our cards can prove.
    view = decision.view
    if isinstance(decision.legal[0], Bid) and view.seat is not None:
        cards = [view.table.face(slot) for slot in view.table[hand(view.seat)]]
        wanted = sum(card.rank > 10 for card in cards) // 2
        return min(decision.legal, key=lambda bid: abs(bid.tricks - wanted))
    return decision.legal[0]


async def play(hands: int) -> None:
    """Hosts a table, plays so many hands of Oh Hell, and says how it went."""
    # Without a profile the peer has an identity for this match alone, and stores nothing.
    async with Peer("Example") as peer:
        table = await peer.host("oh-hell", seats=3, bots=2, hands=hands)
        print("at the table:", ", ".join(table.players))
        # One question after another, whenever it is this seat's turn, until the match is over. A
        # move that can only be one is played without a question.
        async for decision in table.decisions():
            move = policy(decision)
            await decision.play(move)
            if isinstance(move, Bid):
                print(f"I bid {move.tricks}")
        # Raises `SeatFault` if somebody was caught cheating, `Unavailable` if somebody left.
        result = await table.result()
    print(f"the log has {len(result.log)} bytes; `p2pcards audit` verifies it once it is saved")
    for name, points in zip(result.players, result.points or (), strict=True):
        print(f"{name}: {points} points")
    print("places:", ", ".join(map(str, result.places)))


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hands", type=int, default=2, help="how many hands to play")
    arguments = parser.parse_args()
    # The MQTT client needs a selector loop, which Windows does not choose by itself.
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        runner.run(play(arguments.hands))


if __name__ == "__main__":
    main()
