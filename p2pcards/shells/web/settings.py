"""What the player has chosen for the page, and whom they have met: two small files of the profile.

Both hold conveniences; nothing rests on them. A damaged file counts as none. protocol.md
section 11.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from p2pcards.errors import BadOption, LocalError, StoreError
from p2pcards.net.advert import check_name
from p2pcards.net.store import Profile, save
from p2pcards.shells.script import NAME_LIMIT
from p2pcards.shells.text import CATALOGUES

PEOPLE_LIMIT = 1000
"""People that are remembered; the ones met longest ago are forgotten first."""
_BOT = re.compile(r"Bot [0-9]{1,2}")

Check = Callable[[Any], Any]
"""The value of a setting, or `LocalError`."""


def _one_of(*values: object) -> Check:
    def check(value: Any) -> Any:
        if not any(value == each and type(value) is type(each) for each in values):
            raise LocalError("command", f"{value!r}")
        return value

    return check


def _number(most: int) -> Check:
    def check(value: Any) -> Any:
        if type(value) is not int or not 0 <= value <= most:
            raise LocalError("command", f"{value!r}")
        return value

    return check


def check_player(value: Any) -> str:
    """A player's name. Raises `BadOption`."""
    name = check_name(value if isinstance(value, str) else "")
    if len(name) > NAME_LIMIT:
        raise BadOption("player.name", f"at most {NAME_LIMIT} characters")
    return name


_SWITCH = _one_of(True, False)
SETTINGS: Mapping[str, Check] = MappingProxyType(
    {
        "lang": _one_of(*CATALOGUES),
        "name": check_player,
        "room": _one_of("", "evening", "day"),
        "deck": _one_of("two", "four"),
        "print": _one_of("", "large"),
        "calm": _SWITCH,
        "sound": _SWITCH,
        "volume": _number(100),
        "letters": _SWITCH,
        "confirm": _SWITCH,
        "grace": _SWITCH,
        "autoplay": _SWITCH,
        "nudge": _number(3600),
        "pace": _number(5000),
    }
)
"""Every setting that the page may store, with what it takes."""


class Settings:
    """The settings, kept in `page.json` of the profile."""

    def __init__(self, profile: Profile, **given: Any) -> None:
        self._path = profile.path / "page.json"
        self.values: dict[str, Any] = {}
        for name, value in {**_read(self._path), **given}.items():
            if name in SETTINGS:
                try:
                    self.values[name] = SETTINGS[name](value)
                except LocalError:
                    continue

    @property
    def language(self) -> str:
        """The language of the page."""
        return str(self.values.get("lang", "en"))

    def set(self, name: str, value: Any) -> None:
        """Changes one. Raises `LocalError`."""
        if name not in SETTINGS:
            raise LocalError("command", f"no setting {name!r}")
        self.values[name] = SETTINGS[name](value)
        _write(self._path, self.values)


class People:
    """Whom this player has played with: names by the tag of the key (hex)."""

    def __init__(self, profile: Profile) -> None:
        self._path = profile.path / "people.json"
        read = _read(self._path)
        self._names = {tag: name for tag, name in read.items() if isinstance(name, str)}

    def meet(self, tag: str, name: str) -> None:
        """Remembers somebody. Bots have a new key for every table and are not remembered."""
        if _BOT.fullmatch(name) or self._names.get(tag) == name:
            return
        self._names.pop(tag, None)
        self._names[tag] = name
        while len(self._names) > PEOPLE_LIMIT:
            del self._names[next(iter(self._names))]
        _write(self._path, self._names)

    def is_known(self, tag: str) -> bool:
        """Whether we have played with this key before."""
        return tag in self._names

    def is_impostor(self, tag: str, name: str) -> bool:
        """Whether somebody else, whom we know, has this name."""
        if tag in self._names:
            return False
        wanted = name.casefold()
        return any(known.casefold() == wanted for known in self._names.values())


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with suppress(StoreError):  # a full disk must not stop a game
        save(path, json.dumps(content, indent=1).encode())
