"""Settings of the whole test suite: hypothesis without chance, and what marked tests need.

A test marked `mosquitto`, `netns` or `slow` needs something that not every machine has, or not
everybody wants to wait for. Where the need is missing the test is skipped with the reason; where
CI=true it fails, so that nothing goes untested unseen.
"""

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "p2pcards",
    derandomize=True,  # the same examples on every machine
    database=None,
    deadline=None,  # cryptography on a busy machine
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("p2pcards")

IN_CI = os.environ.get("CI", "").lower() == "true"


def missing_mosquitto(_config: pytest.Config) -> str | None:
    """What keeps tests with Mosquitto from running here; None when nothing does."""
    # Debian puts it in sbin, which is not on everybody's PATH.
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
    if shutil.which("mosquitto", path=places) is None:
        return "mosquitto is not installed"
    return None


@functools.cache
def _namespace_refused() -> str | None:
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    ip = shutil.which("ip", path=places)
    if sys.platform != "linux" or ip is None:
        return "network namespaces need Linux and iproute2"
    name = f"p2pcards-try-{os.getpid()}"
    made = subprocess.run([ip, "netns", "add", name], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return f"no network namespace can be made: {made.stderr.strip()}"
    subprocess.run([ip, "netns", "delete", name], check=True)
    return None


def missing_netns(_config: pytest.Config) -> str | None:
    """What keeps tests with network namespaces from running here; None when nothing does."""
    return _namespace_refused()


def missing_patience(config: pytest.Config) -> str | None:
    """Why slow tests are left out; None when they are wanted."""
    return None if IN_CI or config.getoption("--slow") else "slow: asked for with --slow"


NEEDS: Mapping[str, Callable[[pytest.Config], str | None]] = {
    "mosquitto": missing_mosquitto,
    "netns": missing_netns,
    "slow": missing_patience,
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --slow."""
    parser.addoption("--slow", action="store_true", help="run the tests marked slow too")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a marked test whose need is missing; in CI fail it."""
    for marker, missing in NEEDS.items():
        if item.get_closest_marker(marker) is None:
            continue
        reason = missing(item.config)
        if reason is not None and IN_CI:
            pytest.fail(f"not skipped where CI=true: {reason}", pytrace=False)
        if reason is not None:
            pytest.skip(reason)
