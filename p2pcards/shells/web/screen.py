"""From a seat's view to the document that the page draws; one builder for all games.

Everything comes from the `SeatView`: faces that this seat does not know are null, and no other part
of the document depends on them. What is special about a game is in its scene. protocol.md
section 6.7 (VIEW-1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from p2pcards.cards.rules import Moves, Over
from p2pcards.cards.table import Seat, Slot
from p2pcards.engine.view import SeatView
from p2pcards.errors import FaceDown, IllegalMove
from p2pcards.games import find
from p2pcards.shells.web.chronicle import Chronicle
from p2pcards.shells.web.scenes import SCENES
from p2pcards.shells.web.scenes.scene import Scene
from p2pcards.shells.web.scenes.shedding import last_one
from p2pcards.shells.web.sight import Doc, Sight, who, whom, words

AWAY = 6.0
"""Seconds without a sign of life after which a seat is shown as away."""
MISSED = 15.0
"""Seconds after which the sentence says so."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who sits on a seat: name, tag of the key (hex), whether we know it to be a bot of ours, and
    for how many seconds there has been no sign of life."""

    name: str
    key: str
    bot: bool = False
    silent: float = 0.0

    @property
    def away(self) -> int | None:
        """Seconds, once it is long enough to be shown."""
        return int(self.silent) if self.silent >= AWAY else None


@dataclass(frozen=True, slots=True)
class Pending:
    """What the table waits for: `kind` is `move`, `mix`, `deal`, `start`, `close`, `agree`, `open`
    (sealed choices), `check` (all is here) or `nothing`; `seats` are those who owe it."""

    kind: str = "nothing"
    seats: frozenset[Seat] = frozenset()


@dataclass(frozen=True, slots=True)
class Table:
    """What stands round a view: people, title, story, shield; and the end once it has come.

    `broken`: why the match broke off, in words. `record`: whether the signed log can be had.
    """

    people: Sequence[Person]
    title: str
    pending: Pending
    story: Chronicle
    shield: Doc
    over: Over | None = None
    broken: Doc | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


def screen(view: SeatView, table: Table) -> Doc:
    """The document of one seat; None as the view's seat is a spectator."""
    scene = SCENES[view.game]
    pending = table.pending
    owing = pending.seats if pending.kind == "move" else frozenset[Seat]()
    sight = Sight(view, owing, table.story.owners)
    over = _over(scene, sight, table)
    middle: Doc = {"trick": scene.trick(sight), "piles": scene.piles(sight)}
    middle["swept"] = table.story.swept
    middle |= {"layout": scene.layout, "need": None, "exchange": None, **scene.middle(sight)}
    _show_received(sight, table.story.fresh, middle["exchange"])
    return {
        "t": "screen",
        "step": view.step,
        "game": view.game,
        "pack": scene.pack,
        "title": table.title,
        "turn_direction": scene.direction(sight),
        "phase": scene.phase(sight),
        "you": view.seat,
        "seats": [_seat(scene, sight, seat, table) for seat in range(view.seats)],
        "middle": middle,
        "trump": scene.trump(sight),
        "say": _say(scene, sight, table) if over is None else None,
        "why": _why(scene, sight, table) if over is None else None,
        "actions": _actions(scene, sight),
        "hand": _hand(scene, sight, table.story.fresh),
        "groups": _groups(scene, sight),
        "arrange": scene.arrange(sight),
        "sheet": scene.sheet(sight),
        "log": list(table.story.lines),
        "shield": table.shield,
        "over": over,
        **table.more,
    }


# --- seats ----------------------------------------------------------------------------------------


def _seat(scene: Scene, sight: Sight, seat: Seat, table: Table) -> Doc:
    person = table.people[seat]
    mine = seat == sight.me
    slots = sight.hand(seat)
    shown = [] if mine else [slot for slot in slots if sight.face(slot) is not None]
    won = scene.won(sight, seat)
    return {
        "seat": seat,
        "name": person.name,
        "key": person.key,
        "you": mine,
        "turn": seat in sight.owing,
        "dealer": seat == scene.dealer(sight),
        "out": scene.is_out(sight, seat),
        "away": None if mine else person.away,
        "bot": person.bot,
        "counters": scene.counters(sight, seat),
        "note": scene.note(sight, seat),
        "held": 0 if mine else len(slots) - len(shown),
        "count": len(slots),
        "shown": sight.cards(shown),
        "peek": scene.is_quiet(sight) and not mine,
        "row": scene.row(sight, seat),
        "won": None
        if won is None
        else {"count": len(won), "cards": sight.cards(won) if mine else []},
    }


# --- sentences ------------------------------------------------------------------------------------


def _missed(table: Table) -> tuple[Seat, int] | None:
    """The seat that the table has been waiting for in vain for the longest time."""
    waited = [(table.people[seat].silent, seat) for seat in table.pending.seats]
    silent, seat = max(waited, default=(0.0, 0))
    return (seat, int(silent)) if silent >= MISSED else None


def _say(scene: Scene, sight: Sight, table: Table) -> Doc:
    if sight.asked:
        return scene.say(sight)
    missed = _missed(table)
    if missed is not None:
        return words("say.away", who=who(missed[0]), n=missed[1])
    seats = table.pending.seats
    match table.pending.kind:
        case "move" if sight.me in seats:
            return words("say.pending")
        case "move":
            return scene.waiting(sight)
        case "mix":
            return words("say.shuffling", who=who(min(seats)))
        case "start" | "deal" | "close" | "agree" | "open" | "check" as kind:
            return words(f"say.{kind}", seats=whom(seats))
        case _:
            return words("say.nothing")


def _why(scene: Scene, sight: Sight, table: Table) -> Doc | None:
    if sight.asked:
        return scene.why(sight)
    missed = _missed(table)
    if missed is not None:
        return words("why.away", who=who(missed[0]))
    if table.pending.kind == "mix":
        return words("why.shuffling")
    return scene.why(sight) if table.pending.kind == "move" else None


def _over(scene: Scene, sight: Sight, table: Table) -> Doc | None:
    if table.broken is not None:
        nothing = {"places": None, "points": None, "stalled": False}
        return {**table.broken, **nothing, "sub": None, "details": None, "course": None}
    over = table.over
    if over is None:
        return None
    stalled = bool(getattr(sight.state, "stalled", False))
    return {
        **scene.ending(sight, over),
        "places": list(over.places),
        "points": None if over.points is None else list(over.points),
        "stalled": stalled,
        "sub": words("over.stalled") if stalled else last_one(sight, over),
        "details": scene.details(sight),
        "course": scene.course(sight),
    }


# --- options --------------------------------------------------------------------------------------


def _actions(scene: Scene, sight: Sight) -> list[Doc]:
    """The options that are buttons."""
    if not sight.asked:
        return []
    buttons = [c for c in sight.view.options if not scene.slots(c.move)]
    if scene.arrange(sight) is not None:
        return []
    return [
        {
            "id": choice.id,
            "verb": scene.verb(sight, choice.move),
            "primary": scene.is_primary(sight, choice.move),
            "key": scene.shortcut(choice.move),
        }
        for choice in buttons
    ]


def _groups(scene: Scene, sight: Sight) -> list[Doc]:
    """Every option that lays cards. Of two that lay the same cards in another order one is
    enough."""
    if not sight.asked:
        return []
    groups: dict[frozenset[Slot], Doc] = {}
    for choice in sight.view.options:
        slots = scene.slots(choice.move)
        if slots:
            verb = scene.verb(sight, choice.move)
            group = {"id": choice.id, "slots": list(slots), "verb": verb}
            groups.setdefault(frozenset(slots), group)
    return list(groups.values())


def _hand(scene: Scene, sight: Sight, fresh: frozenset[Slot]) -> list[Doc]:
    """The viewer's cards: which options each is part of, or why it is part of none."""
    if sight.me is None:
        return []
    options: dict[Slot, list[str]] = {}
    for group in _groups(scene, sight):
        for slot in group["slots"]:
            options.setdefault(slot, []).append(group["id"])
    return [
        {
            **sight.card(slot),
            "options": options.get(slot, []),
            "refused": None if slot in options else _refusal(scene, sight, slot),
            "fresh": slot in fresh,
        }
        for slot in sight.hand(sight.me)
    ]


def _refusal(scene: Scene, sight: Sight, slot: Slot) -> str | None:
    """Why a card cannot be played now, from the rules themselves."""
    view = sight.view
    if not sight.asked or view.seat is None:
        return None
    move = scene.attempt(sight, slot)
    if move is None:
        return None
    rules = find(view.game)
    opened = {s: view.table.faces[s] for s in rules.opens(move) if s in view.table.faces}
    try:
        ruling = rules.judge(view.state, view.public.turn_up(opened), view.seat, move)
        return ruling.broken(view.table.face)
    except IllegalMove as error:
        return error.code
    except FaceDown:
        return None


def _show_received(sight: Sight, fresh: frozenset[Slot], exchange: Doc | None) -> None:
    """Puts the cards that were received into the exchange; the viewer's own and nobody else's."""
    if exchange is not None and exchange["got"] is not None and sight.me is not None:
        received = [slot for slot in sight.hand(sight.me) if slot in fresh]
        exchange["got"]["cards"] = sight.cards(received)


def forced_choice(view: SeatView) -> str | None:
    """The one option of a seat that has no other, unless it only confirms a score."""
    scene = SCENES[view.game]
    awaits = view.awaits
    if len(view.options) != 1 or not isinstance(awaits, Moves) or awaits.forced:
        return None
    (only,) = view.options
    return None if isinstance(only.move, scene.confirms) else only.id


__all__ = ["Pending", "Person", "Table", "forced_choice", "screen"]
