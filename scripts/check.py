"""The checks that run no test: format, lint, types, floors. What pre-commit runs.

    python3 scripts/check.py

Sets up `.venv` if need be, like test.py, which runs these checks too.
"""

import os
import sys

# Python leaves this folder out when PYTHONSAFEPATH is set.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import _environment

if __name__ == "__main__":
    _environment.start("test", ["scripts/_checks.py", *sys.argv[1:]], folder=_environment.ROOT)
