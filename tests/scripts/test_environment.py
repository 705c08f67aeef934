"""scripts/_environment.py: from a bare Python to a running program, and every way to fail there."""

import os
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import _environment
from tests.scripts.conftest import Project, Started, finish

NOWHERE = {"PIP_INDEX_URL": "http://127.0.0.1:9/"}
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def check_failed(started: Started, code: int, words: str) -> None:
    """A failure: its exit code, nothing on stdout, one line, perhaps after the progress line."""
    assert started.code == code, started
    assert started.output == ""
    problems = [line for line in started.lines if "setting up .venv (" not in line]
    assert len(problems) == 1, started
    assert problems[0].startswith("p2pcards: ")
    assert words in problems[0]


# --- starts that work -----------------------------------------------------------------------------


def test_first_starts_at_the_same_time_make_one_environment(
    first_starts: tuple[Project, Sequence[Started]],
) -> None:
    project, starts = first_starts
    assert [each.code for each in starts] == [7, 7, 7], starts
    assert {each.said["environment"] for each in starts} == {str(project.venv)}
    made = [line for each in starts for line in each.lines if "setting up .venv (" in line]
    assert len(made) == 1, starts


def test_arguments_input_folder_and_exit_code_pass_through(
    first_starts: tuple[Project, Sequence[Started]],
) -> None:
    project, starts = first_starts
    assert [each.said["arguments"] for each in starts] == [
        ["play", "oh-hell", f"--seats={n}"] for n in (3, 4, 5)
    ]
    assert [each.said["input"] for each in starts] == ["input 0", "input 1", "input 2"]
    assert {each.said["folder"] for each in starts} == {str(project.root.parent)}


def test_a_second_start_writes_and_says_nothing(made: Project) -> None:
    before = {path: path.stat().st_mtime_ns for path in made.venv.iterdir()}
    again = made.start("oh-hell")
    assert again.said["demo"]
    assert again.lines == []
    assert {path: path.stat().st_mtime_ns for path in made.venv.iterdir()} == before


@posix
def test_the_program_is_the_started_process_itself(made: Project) -> None:
    process = made.begin()
    assert finish(process).said["process"] == process.pid


def test_a_module_in_the_players_folder_does_not_stand_in(made: Project) -> None:
    fake = made.root.parent / "demo.py"
    fake.write_text("VERSION = 'fake'\n")
    try:
        assert made.start().said["demo"] != "fake"
    finally:
        fake.unlink()


def test_a_changed_lock_is_installed_into_the_environment_there_is(made: Project) -> None:
    kept = made.venv / "kept"
    kept.touch()
    made.lock("2.0")
    assert made.start().said["demo"] == "2.0"
    assert kept.exists()


def test_the_tests_lock_serves_play_too(made: Project) -> None:
    made.lock("3.0")
    tested = made.start("--version", script="test.py")
    assert "No module named pytest" in tested.lines[-1]  # this small project has none
    played = made.start()
    assert played.said["demo"] == "3.0"
    assert played.lines == []


def test_a_set_up_that_broke_off_is_begun_anew(made: Project) -> None:
    left_over = made.venv / "left over"
    left_over.touch()
    made.lock("4.0")
    (made.root / ".venv.lock").write_bytes(b"unfinished")
    assert made.start().said["demo"] == "4.0"
    assert not left_over.exists()
    assert (made.root / ".venv.lock").read_bytes() == b""


# --- starts that cannot work ----------------------------------------------------------------------


def test_no_network(made: Project) -> None:
    made.lock("5.0", local=False)
    check_failed(made.start(environment=NOWHERE), 4, "connect to the network")
    kept = made.venv / "kept"
    kept.touch()
    made.lock("5.0")
    assert made.start().said["demo"] == "5.0"
    assert kept.exists()  # nothing was half done, so nothing was made anew


def test_a_package_that_is_not_the_locked_one(made: Project) -> None:
    made.lock("6.0", digest="0" * 64)
    check_failed(made.start(), 2, "not the one that the lock names")
    made.restore()


def test_no_venv_module(fresh: Project, tmp_path: Path) -> None:
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text("import sys\nsys.modules['ensurepip'] = None\n")
    failed = fresh.start(environment={"PYTHONPATH": str(hook)})
    check_failed(failed, 2, "sudo apt install python3-venv")


def test_a_folder_that_cannot_be_written(fresh: Project) -> None:
    # A folder in the place of the file, since root may write everywhere.
    (fresh.root / ".venv.lock").mkdir()
    check_failed(fresh.start(), 2, "the folder must be writable")


def test_a_copy_without_locks(fresh: Project) -> None:
    (fresh.root / "scripts" / "lock" / "run.txt").unlink()
    check_failed(fresh.start(), 2, "run.txt is missing")


def test_something_else_in_the_place_of_the_environment(fresh: Project) -> None:
    fresh.venv.write_text("not a folder")
    check_failed(fresh.start(), 2, "setting up .venv failed: ")


@posix
@pytest.mark.parametrize(
    "number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
def test_a_signal_during_set_up_ends_it_and_what_it_started(
    made: Project, number: signal.Signals, code: int
) -> None:
    made.lock("7.0", local=False)
    with socket.create_server(("127.0.0.1", 0)) as index:
        index.settimeout(60)
        port = index.getsockname()[1]
        index_url = f"http://127.0.0.1:{port}/"
        process = made.begin(environment={"PIP_INDEX_URL": index_url, "PIP_DEFAULT_TIMEOUT": "600"})
        connection, _ = index.accept()
        with connection:
            assert connection.recv(1)
            process.send_signal(number)
            check_failed(finish(process), code, "stopped while setting up")
            connection.settimeout(60)
            while connection.recv(4096):  # ends only when pip has gone
                pass
    assert (made.root / ".venv.lock").read_bytes() == b"unfinished"
    made.restore()


# --- an old Python --------------------------------------------------------------------------------


@pytest.mark.parametrize("script", ["play.py", "test.py", "check.py"])
def test_an_old_python_is_told_before_anything_else(fresh: Project, script: str) -> None:
    old = (
        "import runpy, sys\n"
        "sys.version_info = (3, 10, 4, 'final', 0)\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    failed = fresh.start(script=script, before=["-c", old])
    check_failed(failed, 2, "needs Python 3.11 or newer, and this is Python 3.10")
    assert not fresh.venv.exists()


# --- parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "output, code, words",
    [
        ("WARNING: Retrying ... NewConnectionError('...')", 4, "connect to the network"),
        ("ERROR: Could not find a version (from versions: none)", 4, "connect to the network"),
        ("ERROR: Could not install: [Errno 28] No space left on device", 2, "disk is full"),
        ("first\nERROR: something new\nlast\n", 2, "ERROR: something new"),
        ("no line of this kind\nbut a last one\n\n", 2, "but a last one"),
        ("", 2, "no output"),
    ],
)
def test_diagnosis(output: str, code: int, words: str) -> None:
    trouble = _environment._diagnosis(output, Path("set-up.log"))
    assert trouble.code == code
    assert words in str(trouble)
    assert "\n" not in str(trouble)


def test_only_a_working_python_is_sound(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    text = tmp_path / "text"
    text.write_text("no program")
    text.chmod(0o755)
    assert not _environment._is_sound(nothing)
    assert not _environment._is_sound(text)
    assert not _environment._is_sound(tmp_path)


def test_settings_that_lead_pip_astray_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PIP_TARGET", "PIP_PREFIX", "PYTHONPATH", "PYTHONHOME", "PIP_INDEX_URL"):
        monkeypatch.setenv(name, "somewhere")
    monkeypatch.setenv("PIP_USER", "1")
    clean = _environment._clean_environment()
    assert clean["PIP_USER"] == "0"
    assert clean["PIP_INDEX_URL"] == "somewhere"
    assert clean["PATH"] == os.environ["PATH"]
    assert not {"PIP_TARGET", "PIP_PREFIX", "PYTHONPATH", "PYTHONHOME"} & set(clean)
