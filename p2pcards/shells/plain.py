"""Views and moves as plain JSON values, for programs in any language.

One generic form for all games: piles of cards, the rules' public state, and the moves a seat may
make, each with its option id. protocol.md section 11.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum
from typing import Any

from p2pcards.cards.faces import Face, Pack
from p2pcards.cards.rules import Dealing, Moves
from p2pcards.engine.view import SeatView

SCHEMA = 1


def view_plain(view: SeatView) -> dict[str, Any]:
    """What a seat sees, as JSON values. A card is `{"slot", "face", "up"}`: its face is null when
    this seat does not know it, `up` when everybody does."""
    return {
        "schema": SCHEMA,
        "game": view.game,
        "seat": view.seat,
        "seats": view.seats,
        "step": view.step,
        "waiting_for": _waiting(view),
        "piles": [
            {
                "name": pile.name,
                "seat": pile.seat,
                "cards": [
                    {
                        "slot": slot,
                        "face": _face(view.pack, view.table.faces.get(slot)),
                        "up": view.public.is_up(slot),
                    }
                    for slot in slots
                ],
            }
            for pile, slots in view.table.piles.items()
        ],
        "state": plain(view.state, view.pack),
        "sheet": [plain(row, view.pack) for row in view.sheet],
        "legal": [
            {"id": choice.id, "move": move_plain(choice.move, view.pack)} for choice in view.options
        ],
    }


def move_plain(move: Any, pack: Pack | None) -> dict[str, Any]:
    """A move: its type's name in lower case, and its fields."""
    fields = plain(move, pack)
    return {"type": type(move).__name__.lower(), **(fields if isinstance(fields, dict) else {})}


def plain(value: Any, pack: Pack | None) -> Any:
    """Any public value of a game as JSON values: records as objects, faces by their names."""
    if isinstance(value, Face):
        return _face(pack, value)
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value):
        return {
            field.name: plain(getattr(value, field.name), pack)
            for field in dataclasses.fields(value)
        }
    if isinstance(value, Mapping):
        return {str(key): plain(item, pack) for key, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(plain(item, pack) for item in value)
    if isinstance(value, tuple | list):
        return [plain(item, pack) for item in value]
    return value


def _face(pack: Pack | None, face: Face | None) -> str | None:
    if face is None:
        return None
    return pack.name(face) if pack is not None else "-".join(map(str, face))


def _waiting(view: SeatView) -> list[int]:
    match view.awaits:
        case Moves(seats):
            return sorted(seats)
        case Dealing():
            return list(range(view.seats))
        case _:
            return []
