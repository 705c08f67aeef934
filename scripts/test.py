"""Test from a fresh copy of the project: set up `.venv` if need be, then run all checks and tests.

    python3 scripts/test.py                               # format, lint, types, floors, tests
    python3 scripts/test.py tests/crypto -k shuffle       # with arguments: pytest alone

Paths in the arguments count from the project's root. Python 3.11 or newer is all that has to be
there before.
"""

import os
import sys

# Python leaves this folder out when PYTHONSAFEPATH is set.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import _environment

if __name__ == "__main__":
    command = ["-m", "pytest", *sys.argv[1:]] if sys.argv[1:] else ["scripts/_checks.py", "--tests"]
    _environment.start("test", command, folder=_environment.ROOT)
