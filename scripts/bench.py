"""Measure the speed of the cryptography and of the engine, and hold it against its bars.

    python3 scripts/bench.py                      # a table: figure, value, bar, ok or over
    python3 scripts/bench.py --json               # the same for programs
    python3 scripts/bench.py --quick --only claim # one try instead of three, some figures

Ends with 1 when a bar is missed. Sets up `.venv` if need be, like play.py. What is measured and
how is in _bench.py and _figures.py.
"""

import os
import sys

# Python leaves this folder out when PYTHONSAFEPATH is set.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import _environment

if __name__ == "__main__":
    _environment.start("run", ["scripts/_bench.py", *sys.argv[1:]], folder=_environment.ROOT)
