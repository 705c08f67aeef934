"""The benchmark: what its results look like, and when it is content. No time is judged here."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import _bench
import _figures
import _matches
import _timing
from p2pcards.cards.faces import french
from p2pcards.crypto import group
from p2pcards.crypto.group import SECP256K1
from p2pcards.crypto.kernel import RealKernel
from p2pcards.crypto.signing import Identity
from p2pcards.engine.match import Match
from p2pcards.testing.network import agree

KEYS = {
    *(f"shuffle52.{part}" for part in ("remask", "prove", "verify")),
    *(
        f"{figure}.{part}"
        for figure in (
            "shuffle108",
            "claim.not_led",
            "open_held",
            "give",
            "hide13",
            "claim.ordinary",
            "claim.two_best13",
            "claim.two_best27",
            "claim.return27",
            "claim.void12",
        )
        for part in ("prove", "verify")
    ),
    "deal4x13.cpu_per_peer",
    "deal4x13.wall",
    "rules.moves_per_s",
    "audit.cpu_over_play_cpu",
    "peer.rss_mb",
    "help.seconds",
}


def names() -> list[str]:
    return [name for group in (*_figures.PROOFS, *_matches.MATCHES) for name in group[0]]


def test_there_is_a_figure_for_every_key_and_a_bar_for_nearly_all() -> None:
    assert len(names()) == len(KEYS)
    assert set(names()) == KEYS
    assert {bar.figure for bar in _bench.BARS} == KEYS - {"deal4x13.wall"}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = _bench.main(arguments)
    return code, capsys.readouterr().out


def test_a_quick_run_gives_the_wanted_figures_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, output = run(capsys, "--json", "--quick", "--only", "open_held")
    document = json.loads(output)
    assert code in {0, 1}
    assert set(document) == {"unit_us", "results"}
    assert document["unit_us"] > 0
    results: Mapping[str, Mapping[str, float]] = document["results"]
    assert set(results) == {"open_held.prove", "open_held.verify"}
    assert set(results["open_held.prove"]) == {"units", "bytes"}
    assert results["open_held.prove"]["bytes"] == 64
    assert set(results["open_held.verify"]) == {"units"}
    assert all(0 < numbers["units"] < math.inf for numbers in results.values())


@pytest.mark.parametrize(
    "only, fields",
    [
        ("shuffle52.remask", {"shuffle52.remask": {"units"}}),
        ("rules", {"rules.moves_per_s": {"value"}}),
        ("help", {"help.seconds": {"value"}}),
        ("deal*", {"deal4x13.cpu_per_peer": {"units"}, "deal4x13.wall": {"units", "ms"}}),
        pytest.param("audit", {"audit.cpu_over_play_cpu": {"value"}}, marks=pytest.mark.slow),
        pytest.param("rss", {"peer.rss_mb": {"value"}}, marks=pytest.mark.slow),
    ],
)
def test_numbers_have_the_fields_of_their_kind(only: str, fields: Mapping[str, set[str]]) -> None:
    _, results = _bench.measure(only, 1)
    assert {name: set(numbers) for name, numbers in results.items()} == fields
    assert all(0 < value < math.inf for numbers in results.values() for value in numbers.values())


def test_an_old_python_can_parse_what_is_started() -> None:
    path = Path(_bench.__file__).with_name("bench.py")
    ast.parse(path.read_text("utf-8"), feature_version=(3, 6))


# --- bars -----------------------------------------------------------------------------------------

HALF: Mapping[str, Mapping[str, float]] = {
    name: {
        bar.field: bar.limit * (2 if bar.at_least else 0.5)
        for bar in _bench.BARS
        if bar.figure == name
    }
    for name in KEYS - {"deal4x13.wall"}
}
"""Results that keep every bar by far."""


def test_the_bars_are_kept_by_results_that_keep_them() -> None:
    assert _bench.missed(HALF) == []
    exact = {
        name: {bar.field: bar.limit for bar in _bench.BARS if bar.figure == name} for name in HALF
    }
    assert _bench.missed(exact) == []


@pytest.mark.parametrize("bar", _bench.BARS, ids=lambda bar: f"{bar.figure}-{bar.field}")
def test_one_missed_bar_is_named(bar: _bench.Bar) -> None:
    worse = bar.limit * (0.99 if bar.at_least else 1.01)
    results = {**HALF, bar.figure: {**HALF[bar.figure], bar.field: worse}}
    (line,) = _bench.missed(results)
    assert line.startswith(f"{bar.figure}: ")
    over = [row for row in _bench.rows(results) if row[-1] == "over"]
    assert [row[0] for row in over] == [bar.figure]


def test_the_exit_code_says_whether_a_bar_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    value = 0.3

    def measure(pattern: str, tries: int) -> tuple[float, Mapping[str, Mapping[str, float]]]:
        return 20.0, {"help.seconds": {"value": value}} if tries == 3 and not pattern else {}

    monkeypatch.setattr(_bench, "measure", measure)
    code, output = run(capsys)
    assert (code, output.splitlines()[1].split()) == (
        0,
        ["help.seconds", "0.3", "value", "<=", "0.4", "ok"],
    )
    value = 0.5
    code, output = run(capsys)
    assert code == 1
    assert output.splitlines()[1].endswith("over")
    assert run(capsys, "--quick") == (2, "")
    assert _bench.main(["--only", "nothing like it"]) == 2


# --- what is measured -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, new",
    [
        # Of a held card the verifier has yet to parse B; of a message, every point.
        (_figures.open_held, 1 + 1),
        (_figures.give, 1 + 2),
        (_figures.not_led, 1),
        (_figures.ordinary, 1),
        (_figures.void, 12),
        (lambda: _figures.two_best(3), 3),
        (_figures.hide_hand, 13 + 13 * 4),
        (lambda: _figures.mix(french()), 52 * 4),
    ],
)
def test_only_the_points_of_a_message_are_new(make: Callable[[], _timing.Case], new: int) -> None:
    for part, call in make().items():
        _timing.know(call.known)
        call.ready()
        before = group._decode.cache_info().misses
        call.run()
        parsed = group._decode.cache_info().misses - before
        assert parsed == (new if part == "verify" else 0), part


def test_readiness_is_the_hand_read_and_nothing_more() -> None:
    owner = _figures.Holder(french(), french().faces[:3])
    kernel = owner.kernel
    kernel.read(owner.masks[0], _figures.Holder(french(), ()).key.x, owner.faces)
    owner.read()
    assert len(kernel._shares) == 3


def test_peers_of_one_process_share_no_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group, "_decode", group._decode)  # put back afterwards
    identities = [Identity(bytes([i]) * 32) for i in range(3)]
    agreement = agree("oh-hell", identities)
    key = SECP256K1.encode(SECP256K1.generator())
    for identity in identities:
        loner = _matches.Loner(Match(agreement, RealKernel()), identity)
        loner.start(0.0)
        misses = group._decode.cache_info().misses
        SECP256K1.decode(key)
        assert group._decode.cache_info().misses == misses + 1
