"""The figures of whole matches and processes: a deal, the rules, an audit, a peer, the help text.

Matches run on the simulated network: peers compute all that they would, and nothing is spent on
sockets.
"""

from __future__ import annotations

import os
import random
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from _figures import Figure
from _timing import Measurement, Results, cpu, know
from p2pcards.cards.rules import Over
from p2pcards.crypto import group
from p2pcards.crypto.kernel import RealKernel
from p2pcards.crypto.signing import Identity
from p2pcards.engine.audit import audit, pack_log
from p2pcards.engine.dues import MoveDue, RevealDue
from p2pcards.engine.events import Effect, Event
from p2pcards.engine.match import Match
from p2pcards.engine.peer import Peer
from p2pcards.games import find
from p2pcards.testing.network import Network, agree, first_option, random_option, table
from p2pcards.testing.referee import Referee

GAME, SEATS = "oh-hell", 4
_LONG = 1e6
"""Seconds of virtual time that no match needs."""
_WITHIN = 120.0
"""Seconds for a real match over a broker, and for the help text."""


# --- matches --------------------------------------------------------------------------------------


class Loner(Peer):
    """A peer that lives in one process with others and shares no memory of parsed points."""

    def __init__(self, match: Match, identity: Identity) -> None:
        super().__init__(match, identity, os.urandom)
        self._memory = lru_cache(maxsize=8192)(group._decode.__wrapped__)

    def handle(self, event: Event, now: float) -> list[Effect]:
        """The network performs all effects of one event before it delivers the next."""
        group._decode = self._memory
        return super().handle(event, now)


def _deal(measurement: Measurement) -> Results:
    """From the keys to four hands of 13 cards that everybody has read. The opening of the lot for
    the first dealer is inside. The wall time is that of all four peers in one thread."""
    walls = []

    def deal() -> float:
        identities = [Identity.new(os.urandom) for _ in range(SEATS)]
        agreement = agree(GAME, identities, {"sequence": "down", "max_hand": 13})
        peers = [Loner(Match(agreement, RealKernel()), identity) for identity in identities]
        network = Network(peers, [first_option] * SEATS, random.Random(0))
        network.start()
        network.run_until(lambda: any(isinstance(p.match.due, RevealDue) for p in peers), _LONG)
        wall, began = time.perf_counter(), cpu()
        network.run_until(lambda: all(isinstance(p.match.due, MoveDue) for p in peers), _LONG)
        spent = cpu() - began
        walls.append(time.perf_counter() - wall)
        return spent

    everybody, unit = measurement.best_of(deal)
    return {
        "deal4x13.cpu_per_peer": {"units": everybody / SEATS / unit},
        "deal4x13.wall": {"units": min(walls) / unit, "ms": min(walls) * 1e3},
    }


def _rules(measurement: Measurement) -> Results:
    """Each move is drawn from all options of its seat."""
    rates = []
    for seed in range(measurement.tries):
        rng, moves = random.Random(seed), 0
        began = cpu()
        for _ in range(1 if measurement.quick else 4):
            referee = Referee.deal(find(GAME), SEATS, rng=rng)
            while not isinstance(referee.awaits, Over):
                seat = min(referee.owing)
                referee.play(seat, rng.choice(referee.options(seat)).move)
                moves += 1
        rates.append(moves / (cpu() - began))
    return {"rules.moves_per_s": {"value": max(rates)}}


def _audit(measurement: Measurement) -> Results:
    """A whole match, or its first six hands. The peers share parsed points, as those of a table of
    bots do, and have no sockets, so that playing costs less than it really does; the audit starts
    without any."""
    hands = 6 if measurement.quick else 0
    plays, audits = [], []
    for seed in range(measurement.tries):
        peers = table(GAME, SEATS, RealKernel(), seed=seed, table_options={"hands": hands})
        rng = random.Random(seed)
        network = Network(peers, [random_option(rng)] * SEATS, rng)
        know(())
        began = cpu()
        network.run(_LONG)
        plays.append(cpu() - began)
        log = pack_log(peers[0].match.chain.envelopes())
        know(())
        began = cpu()
        report = audit(log, RealKernel())
        audits.append(cpu() - began)
        if report.verdict != "honest":
            raise ValueError(report.problem or str(report.fault))
    return {"audit.cpu_over_play_cpu": {"value": min(audits) / min(plays)}}


# --- processes ------------------------------------------------------------------------------------


def _command(*arguments: str) -> list[str]:
    # -P: a file in the folder we are in must not stand in for a module.
    return [sys.executable, "-P", "-m", "p2pcards", *arguments]


def _help(measurement: Measurement) -> Results:
    """The first start may have to compile, and does not count."""
    times = []
    for _ in range(1 + measurement.tries):
        began = time.perf_counter()
        subprocess.run(_command("--help"), capture_output=True, check=True, timeout=_WITHIN)
        times.append(time.perf_counter() - began)
    return {"help.seconds": {"value": min(times[1:])}}


def _memory(measurement: Measurement) -> Results:
    """The most that a joining peer ever has, in MB of 10^6 bytes, over a match of 13 hands. No
    figure on Windows, which tells it in a way of its own."""
    if sys.platform == "win32":
        return {}
    hands = "2" if measurement.quick else "0"
    return {"peer.rss_mb": {"value": min(_peak(hands) for _ in range(measurement.tries))}}


def _peak(hands: str) -> float:
    """A host with two bots, and the peer that joins it, on loopback alone."""
    title = f"bench {secrets.token_hex(4)}"
    with tempfile.TemporaryDirectory() as folder:

        def start(name: str, *arguments: str) -> subprocess.Popen[bytes]:
            own = Path(folder, name)
            own.mkdir()
            local = ("--interface", "127.0.0.1", "--quiet", "--profile", "profile")
            with Path(folder, f"{name}.txt").open("wb") as said:
                return subprocess.Popen(
                    _command(*arguments, *local, "--name", name, "--log", "log"),
                    cwd=own,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                )

        seats = ("--headless", "--seats", str(SEATS), "--bots", str(SEATS - 2))
        host = start("Host", "play", GAME, *seats, "--hands", hands, "--title", title)
        guest = start("Guest", "join", title, "--headless", "--wait", "30")
        try:
            peak = _watch(guest)
            host.wait(_WITHIN)
        finally:
            for process in (guest, host):
                process.kill()  # does nothing to one that has ended
                process.wait()
        if guest.returncode != 0 or host.returncode != 0:
            said = [path.read_text("utf-8", "replace") for path in Path(folder).glob("*.txt")]
            raise ValueError("the match failed:\n" + "\n".join(said))
        return peak


def _watch(process: subprocess.Popen[bytes]) -> float:
    """The peak of a process that ends by itself."""
    status = Path("/proc", str(process.pid), "status")
    if sys.platform != "win32" and not status.exists():
        _, ended, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(ended)
        return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    # Not from wait4 here: Linux counts what the parent had when it made the child.
    peak, end = 0, time.monotonic() + _WITHIN
    while process.poll() is None and time.monotonic() < end:
        for line in status.read_text("ascii").splitlines():
            if line.startswith("VmHWM:"):  # no longer there in the moment of its end
                peak = int(line.split()[1])
        time.sleep(0.02)
    return peak * 1024 / 1e6


MATCHES: Sequence[tuple[Sequence[str], Figure]] = (
    (("deal4x13.cpu_per_peer", "deal4x13.wall"), _deal),
    (("rules.moves_per_s",), _rules),
    (("audit.cpu_over_play_cpu",), _audit),
    (("peer.rss_mb",), _memory),
    (("help.seconds",), _help),
)
