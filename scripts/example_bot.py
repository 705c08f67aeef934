"""A bot for `p2pcards bot --stdio`, written without p2pcards: any language could do the same.

    p2pcards play oh-hell --seats 3 --bots 1 --name Ada &
    p2pcards bot Ada --stdio          <-- its two pipes go to this program

or let this program start it:    python3 scripts/example_bot.py Ada

It reads one JSON document a line and answers each question. Its idea of Oh Hell: bid nothing, and
play the lowest card that is allowed.
"""

import json
import subprocess
import sys
from typing import IO, Any

RANKS = "23456789TJQKA"


def choose(question: dict[str, Any]) -> str:
    """The id of the option to take."""
    faces = {
        card["slot"]: card["face"] for pile in question["view"]["piles"] for card in pile["cards"]
    }

    def cost(option: dict[str, Any]) -> int:
        move = option["move"]
        if move["type"] == "play":
            return RANKS.index(faces[move["card"]][0])
        return int(move.get("tricks", 0))

    return str(min(question["legal"], key=cost)["id"])


def converse(questions: IO[str], answers: IO[str]) -> None:
    """Answers until the match is over."""
    for line in questions:
        document = json.loads(line)
        if document["type"] == "decide":
            answers.write(json.dumps({"move": choose(document)}) + "\n")
            answers.flush()
        elif document["type"] == "result":
            mine = document["places"][document["seat"]]
            print(f"place {mine} of {len(document['places'])}", file=sys.stderr)


def main() -> int:
    """Starts `p2pcards bot --stdio` with our arguments and plays its seat."""
    command = [sys.executable, "-m", "p2pcards", "bot", "--stdio", *sys.argv[1:]]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as peer:
        if peer.stdin is None or peer.stdout is None:
            raise RuntimeError("pipes were asked for")
        converse(peer.stdout, peer.stdin)
        peer.stdin.close()
        return peer.wait()


if __name__ == "__main__":
    sys.exit(main())
