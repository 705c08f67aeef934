"""The project's own vector files are what the code makes today."""

import json
from pathlib import Path

import pytest

import make_vectors


@pytest.mark.parametrize("name", sorted(make_vectors.VECTORS))
def test_file_is_current(name: str) -> None:
    assert (make_vectors.FOLDER / name).read_text("utf-8") == make_vectors.text(name)


def test_every_own_file_says_what_it_is() -> None:
    for name in make_vectors.VECTORS:
        assert json.loads((make_vectors.FOLDER / name).read_text("utf-8"))["about"]


def test_a_difference_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make_vectors, "FOLDER", tmp_path)
    monkeypatch.setattr(make_vectors, "VECTORS", {"a.json": lambda: {"about": "a"}})
    assert make_vectors.main(["--check"]) == 1
    assert "a.json" in capsys.readouterr().err
    assert make_vectors.main([]) == 0
    assert make_vectors.main(["--check"]) == 0
    assert make_vectors.main(["--help"]) == 2
