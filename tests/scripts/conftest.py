"""A small project with the real scripts, whose lock and build backend need no network."""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

# Stands for p2pcards: says what it was started with, and ends with a code of its own.
PROGRAM = """
import json, os, sys
import demo
print(json.dumps({
    "arguments": sys.argv[1:],
    "folder": os.getcwd(),
    "demo": demo.VERSION,
    "process": os.getpid(),
    "environment": sys.prefix,
    "input": sys.stdin.read(),
}))
sys.exit(7)
"""

# Stands for flit: an editable wheel is a line in a .pth file.
BACKEND = """
import os, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "p2pcards-1-py3-none-any.whl"
    info = "p2pcards-1.dist-info/"
    files = {
        "p2pcards.pth": os.getcwd(),
        info + "METADATA": "Metadata-Version: 2.1\\nName: p2pcards\\nVersion: 1\\n",
        info + "WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }
    files[info + "RECORD"] = "".join(f"{each},,\\n" for each in [*files, info + "RECORD"])
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for each, content in files.items():
            wheel.writestr(each, content)
    return name
"""

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "p2pcards"
version = "1"
"""


def make_wheel(folder: Path, version: str) -> str:
    """Put the package `demo` into `folder` as a wheel; the answer is its SHA-256."""
    info = f"demo-{version}.dist-info"
    files = {
        "demo.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: demo\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest())
        record += f"{name},sha256={digest.decode().rstrip('=')},{len(content)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    folder.mkdir(exist_ok=True)
    path = folder / f"demo-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in files.items():
            wheel.writestr(name, content)
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class Project:
    """The small project at `root`."""

    root: Path

    @property
    def venv(self) -> Path:
        """Where its environment is or will be."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The environment's Python."""
        return self.venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    def lock(self, version: str, digest: str | None = None, *, local: bool = True) -> None:
        """Write a lock that names demo `version`, from the project's own wheels or an index."""
        where = "--no-index\n--find-links wheels\n" if local else ""
        made = make_wheel(self.root / "wheels", version)
        text = f"{where}demo=={version} --hash=sha256:{digest or made}\n"
        for name in ("run", "test"):
            (self.root / "scripts" / "lock" / f"{name}.txt").write_text(text)

    def restore(self) -> None:
        """After a failure that left `.venv` sound: spare the next test making it anew."""
        self.lock("1.0")
        (self.root / ".venv.lock").write_bytes(b"")

    def begin(
        self,
        *arguments: str,
        script: str = "play.py",
        before: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[str]:
        """Start a script from another folder, in an environment of only a few names."""
        inherited = ("PATH", "HOME", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")
        return subprocess.Popen(
            [sys.executable, *before, str(self.root / "scripts" / script), *arguments],
            cwd=self.root.parent,
            env={
                **{name: os.environ[name] for name in inherited if name in os.environ},
                "PIP_CONFIG_FILE": os.devnull,
                "PIP_NO_CACHE_DIR": "1",
                "PIP_RETRIES": "0",
                **(environment or {}),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def start(
        self,
        *arguments: str,
        script: str = "play.py",
        before: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> "Started":
        """Like `begin`, and wait for the end."""
        return finish(self.begin(*arguments, script=script, before=before, environment=environment))


@dataclass(frozen=True, slots=True)
class Started:
    """How a start ended. `said` is what PROGRAM printed, or nothing."""

    code: int
    output: str
    lines: Sequence[str]

    @property
    def said(self) -> dict[str, object]:
        """What PROGRAM said."""
        said: dict[str, object] = json.loads(self.output)
        return said


def finish(process: subprocess.Popen[str], text: str = "") -> Started:
    """Give `text` to a started process and wait for its end."""
    output, errors = process.communicate(text, timeout=120)
    return Started(process.returncode, output, errors.splitlines())


def make_project(root: Path) -> Project:
    """A project at `root` that was never started."""
    (root / "scripts" / "lock").mkdir(parents=True)
    for name in ("_environment.py", "play.py", "test.py", "check.py"):
        shutil.copy(SCRIPTS / name, root / "scripts")
    (root / "p2pcards").mkdir()
    (root / "p2pcards" / "__init__.py").touch()
    (root / "p2pcards" / "__main__.py").write_text(PROGRAM)
    (root / "backend.py").write_text(BACKEND)
    (root / "pyproject.toml").write_text(PYPROJECT)
    project = Project(root)
    project.lock("1.0")
    return project


@pytest.fixture
def fresh(tmp_path: Path) -> Project:
    """A project that was never started, in a folder with a space in its name."""
    return make_project(tmp_path / "card table")


@pytest.fixture(scope="module")
def first_starts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Sequence[Started]]:
    """A project and how its first three starts ended, which all came at once."""
    project = make_project(tmp_path_factory.mktemp("shared") / "card table")
    processes = [project.begin("oh-hell", f"--seats={n}") for n in (3, 4, 5)]
    return project, [finish(process, f"input {n}") for n, process in enumerate(processes)]


@pytest.fixture
def made(first_starts: tuple[Project, Sequence[Started]]) -> Project:
    """The project with its environment made, holding demo 1.0 or a later version."""
    project = first_starts[0]
    again = project.start()
    assert again.code == 7, again
    return project
