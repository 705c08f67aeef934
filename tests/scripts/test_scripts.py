"""The scripts' files themselves, the locks, the order of the checks, and what marked tests need."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import _checks

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["_environment.py", "play.py", "test.py", "check.py"])
def test_scripts_that_meet_an_old_python_parse_there(name: str) -> None:
    ast.parse((SCRIPTS / name).read_text("utf-8"), feature_version=(3, 6))


def test_the_parse_test_can_fail() -> None:
    with pytest.raises(SyntaxError):
        ast.parse("if (n := 1): pass", feature_version=(3, 6))


def test_the_version_is_checked_before_anything_an_old_python_lacks() -> None:
    body = ast.parse((SCRIPTS / "_environment.py").read_text("utf-8")).body
    kinds = [type(each) for each in body[:3]]
    assert kinds == [ast.Expr, ast.Import, ast.If]
    assert ast.unparse(body[1]) == "import sys"
    assert isinstance(body[2], ast.If)
    assert ast.unparse(body[2].test) == "sys.version_info < (3, 11)"


# --- locks ----------------------------------------------------------------------------------------


def requirements(name: str) -> dict[str, str]:
    """Package to version, with its marker, in a lock."""
    text = (SCRIPTS / "lock" / f"{name}.txt").read_text("utf-8").replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(
            r"([a-z0-9-]+)==(\S+( ;[^\\]*?)?)((\s+--hash=sha256:[0-9a-f]{64})+)", line
        )
        assert match, line
        found[match[1]] = match[2]
    return found


def normal(requirement: str) -> str:
    """The package's name in a requirement, as locks spell it."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def test_every_line_of_a_lock_is_a_pinned_version_with_hashes() -> None:
    assert len(requirements("run")) > 10
    assert len(requirements("test")) > len(requirements("run"))


def test_the_tests_run_on_the_versions_that_players_get() -> None:
    assert requirements("run").items() <= requirements("test").items()


def test_locks_hold_what_pyproject_asks_for() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        asked = tomllib.load(file)
    run = {*asked["project"]["dependencies"], *asked["build-system"]["requires"]}
    test = {*run, *asked["project"]["optional-dependencies"]["test"]}
    assert {normal(each) for each in run} <= set(requirements("run"))
    assert {normal(each) for each in test} <= set(requirements("test"))


# --- checks ---------------------------------------------------------------------------------------


def test_all_checks_run_even_when_one_fails_and_tests_come_last(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def command(line: str) -> tuple[str, ...]:
        return (sys.executable, "-c", line)

    checks = {
        "first": command("print('1')"),
        "second": command("import sys; print('2'); sys.exit(3)"),
        "third": command("print('3')"),
    }
    monkeypatch.setattr(_checks, "CHECKS", checks)
    monkeypatch.setattr(_checks, "TESTS", command("print('5 passed in 1 s')"))
    assert _checks.main(["--tests"]) == 1
    output, errors = capfd.readouterr()
    assert [line for line in output.splitlines() if not line.startswith("---")] == [
        "1",
        "2",
        "3",
        "5 passed in 1 s",
    ]
    assert errors == "failed: second\n"

    del checks["second"]
    assert _checks.main([]) == 0
    output, errors = capfd.readouterr()
    assert "passed" not in output
    assert errors == ""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_check_ends_with_the_checks() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(SCRIPTS)!r})\n"
        "import runpy, subprocess\n"
        "stuck = [sys.executable, '-c', 'print(1, flush=True); input()']\n"
        "start = subprocess.Popen\n"
        "subprocess.Popen = lambda command: start(stuck)\n"
        "sys.argv = ['_checks.py']\n"
        f"runpy.run_path({str(SCRIPTS / '_checks.py')!r}, run_name='__main__')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["--- format\n", "1\n"]
        process.terminate()
        assert process.stdout.read() == ""  # ends only when the check has gone too
        assert process.wait() == 143


# --- what marked tests need -----------------------------------------------------------------------

MARKED = """
import pytest

@pytest.mark.mosquitto
def test_with_a_broker(): pass

@pytest.mark.slow
def test_of_patience(): pass
"""


@pytest.mark.parametrize(
    "ci, option, outcomes",
    [
        ("", [], {"skipped": 2}),
        ("", ["--slow"], {"skipped": 1, "passed": 1}),
        ("true", [], {"passed": 1, "errors": 1}),
    ],
)
def test_a_missing_need_skips_here_and_fails_in_ci(
    tmp_path: Path, ci: str, option: list[str], outcomes: dict[str, int]
) -> None:
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    with (tmp_path / "conftest.py").open("a") as file:
        file.write("\nNEEDS = {**NEEDS, 'mosquitto': lambda config: 'no broker'}\n")
    (tmp_path / "test_marked.py").write_text(MARKED)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  mosquitto\n  slow\n")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *option],
        cwd=tmp_path,
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    summary = ran.stdout.splitlines()[-1]
    counts = {
        name: int(n) for n, name in re.findall(r"(\d+) (passed|skipped|failed|errors?)", summary)
    }
    if "error" in counts:
        counts["errors"] = counts.pop("error")
    assert counts == outcomes, ran.stdout
