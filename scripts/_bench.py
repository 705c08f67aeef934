"""Runs the figures of _figures.py, and prints them beside the bars that they may not miss.

Reached through bench.py, which sees to a Python that has p2pcards. Knows the bars and how results
look, and nothing of what is measured.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from _figures import PROOFS
from _matches import MATCHES
from _timing import Measurement, Results


@dataclass(frozen=True, slots=True)
class Bar:
    """What one number may be: at most the limit, or at least."""

    figure: str
    limit: float
    field: str = "units"
    at_least: bool = False

    def is_met(self, value: float) -> bool:
        """Whether a number keeps the bar."""
        return value >= self.limit if self.at_least else value <= self.limit


BARS: Sequence[Bar] = (
    Bar("shuffle52.remask", 110),
    Bar("shuffle52.prove", 470),
    Bar("shuffle52.prove", 7100, "bytes"),
    Bar("shuffle52.verify", 580),
    Bar("shuffle108.prove", 980),
    Bar("shuffle108.verify", 1200),
    Bar("claim.not_led.prove", 18),
    Bar("claim.not_led.verify", 20),
    Bar("open_held.prove", 3.5),
    Bar("open_held.verify", 6),
    Bar("give.prove", 7.5),
    Bar("give.verify", 10),
    Bar("hide13.prove", 160),
    Bar("hide13.verify", 170),
    Bar("deal4x13.cpu_per_peer", 4500),
    Bar("claim.ordinary.prove", 4.5),
    Bar("claim.ordinary.verify", 6.5),
    Bar("claim.two_best13.prove", 1200),
    Bar("claim.two_best13.verify", 1200),
    Bar("claim.two_best27.prove", 2600),
    Bar("claim.two_best27.verify", 2600),
    Bar("claim.return27.prove", 2600),
    Bar("claim.return27.verify", 2600),
    Bar("claim.void12.prove", 210),
    Bar("claim.void12.verify", 220),
    Bar("rules.moves_per_s", 3000, "value", at_least=True),
    Bar("audit.cpu_over_play_cpu", 1 / 3, "value"),
    Bar("peer.rss_mb", 90, "value"),
    Bar("help.seconds", 0.4, "value"),
)
"""The promises of this project; one that is not met makes the exit code 1."""


def missed(results: Results) -> list[str]:
    """One line for each bar that the results do not keep."""
    return [
        f"{bar.figure}: {number(results[bar.figure][bar.field])} {bar.field}, "
        f"{'at least' if bar.at_least else 'at most'} {number(bar.limit)}"
        for bar in BARS
        if bar.figure in results and not bar.is_met(results[bar.figure][bar.field])
    ]


def number(value: float) -> str:
    """Three or four digits that count."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def rows(results: Results) -> list[tuple[str, str, str, str, str]]:
    """The table: figure, number, its unit, its bar, ok or over; one row for each number."""
    bars = {(bar.figure, bar.field): bar for bar in BARS}
    table = []
    for figure, numbers in results.items():
        for field, value in numbers.items():
            bar = bars.get((figure, field))
            limit = verdict = ""
            if bar is not None:
                limit = f"{'>=' if bar.at_least else '<='} {number(bar.limit)}"
                verdict = "ok" if bar.is_met(value) else "over"
            table.append((figure, number(value), field, limit, verdict))
    return table


def measure(pattern: str, tries: int) -> tuple[float, dict[str, Mapping[str, float]]]:
    """The unit in microseconds, and the results of the figures whose name has the pattern."""
    measurement = Measurement(tries)
    measurement.best_of(lambda: 0.0)  # some figures are in no need of the unit
    results: dict[str, Mapping[str, float]] = {}
    for names, figure in (*PROOFS, *MATCHES):
        wanted = [name for name in names if fnmatchcase(name, f"*{pattern}*")]
        if not wanted:
            continue
        print(", ".join(wanted), file=sys.stderr, flush=True)
        found = figure(measurement)
        results.update({name: found[name] for name in wanted if name in found})
    return measurement.unit_us, results


def main(arguments: Sequence[str]) -> int:
    """0: every bar is met. 1: one is missed. 2: nothing to measure."""
    parser = argparse.ArgumentParser(
        prog="bench.py",
        description="Measures speed in units u, one multiplication by libsecp256k1 in this run.",
    )
    parser.add_argument("--json", action="store_true", help="results for programs on stdout")
    parser.add_argument("--quick", action="store_true", help="one try instead of the best of three")
    parser.add_argument(
        "--only", metavar="PATTERN", default="", help="e.g. claim, or shuffle*prove"
    )
    options = parser.parse_args(arguments)

    unit_us, results = measure(options.only, 1 if options.quick else 3)
    if not results:
        print(f"no figure has {options.only} in its name", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps({"unit_us": unit_us, "results": results}, indent=1))
    else:
        print(f"u = {unit_us:.1f} us")
        for figure, value, field, limit, verdict in rows(results):
            print(f"{figure:26}{value:>10} {field:6}{limit:>10}  {verdict}".rstrip())
    for line in missed(results):
        print(f"over: {line}", file=sys.stderr)
    return 1 if missed(results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
