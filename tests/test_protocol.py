"""protocol.md, the tests and the docstrings point at each other, and at nothing that is not there.

Every requirement of protocol.md has an id, and a test that names it; the modules name sections.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "protocol.md").read_text(encoding="utf-8")
ID = re.compile(r"\[([A-Z]+-[0-9]+)\]")
REQUIREMENT = re.compile(r"^\* \*\*\[([A-Z]+-[0-9]+)\]\*\* (.+(?:\n  .+)*)", re.MULTILINE)
HEADING = re.compile(r"^##+ ([0-9]+(?:\.[0-9]+)*) ", re.MULTILINE)
REFERENCE = re.compile(
    r"protocol\.md,? sections? ([0-9]+(?:\.[0-9]+)*(?:(?:, | and | to )[0-9]+(?:\.[0-9]+)*)*)"
)
MENTION = re.compile(r"\(([0-9]+\.[0-9]+)(?:, ([0-9]+\.[0-9]+))*\)|section ([0-9]+(?:\.[0-9]+)?)")

REQUIREMENTS = [match[1] for match in REQUIREMENT.finditer(TEXT)]
SECTIONS = set(HEADING.findall(TEXT))


def sources(*folders: str) -> list[Path]:
    """All Python files of these folders but this one."""
    files = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in files if path != Path(__file__))


NAMED = {
    name: path for path in sources("tests") for name in ID.findall(path.read_text(encoding="utf-8"))
}


def test_requirements_are_well_formed() -> None:
    """Each id stands once at the head of a sentence with MUST, numbered within its family."""
    assert 60 <= len(REQUIREMENTS) <= 120
    assert [name for name, count in Counter(REQUIREMENTS).items() if count > 1] == []
    for match in REQUIREMENT.finditer(TEXT):
        assert "MUST" in match[2], match[1]
    families = Counter(name.partition("-")[0] for name in REQUIREMENTS)
    for family, count in families.items():
        assert {f"{family}-{i}" for i in range(1, count + 1)} <= set(REQUIREMENTS), family


def test_every_must_is_a_requirement() -> None:
    """No MUST hides in the explanations, where it would have no test."""
    rest = REQUIREMENT.sub("", TEXT)
    introduction, _, rest = rest.partition("## 1 ")
    assert "MUST" in introduction
    assert "MUST" not in rest


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_a_requirement_has_a_test(name: str) -> None:
    """At least one test names it."""
    assert name in NAMED


def test_tests_name_requirements_that_exist() -> None:
    """A renumbered requirement takes its tests along."""
    assert {name: path.name for name, path in NAMED.items() if name not in REQUIREMENTS} == {}


def test_references_to_sections_exist() -> None:
    """In docstrings and comments, of the package, the scripts and the tests."""
    seen = 0
    for path in sources("p2pcards", "scripts", "tests"):
        words = " ".join(path.read_text(encoding="utf-8").replace("#", " ").split())
        for match in REFERENCE.finditer(words):
            for section in re.findall(r"[0-9]+(?:\.[0-9]+)*", match[1]):
                assert section in SECTIONS, f"{path.relative_to(ROOT)}: section {section}"
                seen += 1
    assert seen > 40


def test_mentions_of_sections_exist() -> None:
    """protocol.md refers to its own sections; RFCs have theirs."""
    own = re.sub(r"RFC [0-9]+,? (?:section|appendix) \S+", "", TEXT)
    mentioned = {section for groups in MENTION.findall(own) for section in groups if section}
    assert len(mentioned) > 10
    assert mentioned <= SECTIONS


def test_mentions_of_requirements_exist() -> None:
    """Also without brackets, as in "see KEY-3"."""
    families = "|".join({name.partition("-")[0] for name in REQUIREMENTS})
    mentioned = set(re.findall(rf"\b(?:{families})-[0-9]+", TEXT))
    assert mentioned <= set(REQUIREMENTS)
