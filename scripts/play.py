"""Play from a fresh copy of the project: set up `.venv` if need be, then run `p2pcards play ...`.

    python3 scripts/play.py oh-hell --seats 4 --bots 4 --headless

All arguments are those of `p2pcards play`; `--help` lists them. Python 3.11 or newer is all that
has to be there before.
"""

import os
import sys

# Python leaves this folder out when PYTHONSAFEPATH is set.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import _environment

if __name__ == "__main__":
    # -P: a file of the player's own folder must not stand in for a module.
    _environment.start("run", ["-P", "-m", "p2pcards", "play", *sys.argv[1:]])
