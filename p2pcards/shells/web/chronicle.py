"""The story of a match in words: who did what, who played which card, what the last trick was.

Told from the moves as they are applied, so that nothing is lost when many steps pass between two
views. Knows public faces only. protocol.md section 6.7.
"""

from __future__ import annotations

from collections import Counter, deque

from p2pcards.cards.faces import Face, Pack
from p2pcards.cards.table import Seat, Slot, hand
from p2pcards.engine.match import MoveMade
from p2pcards.engine.view import SeatView
from p2pcards.games import find
from p2pcards.shells.web.scenes.scene import Scene
from p2pcards.shells.web.sight import Doc, words

REMEMBERED = 60
"""Lines of the story that the page gets."""


class Chronicle:
    """One match, as one seat's page tells it.

    `owners`: who played which card of this hand. `swept`: the last trick or pile that was taken
    away. `fresh`: cards that came into the viewer's hand since its last move.
    """

    def __init__(self, scene: Scene) -> None:
        self.lines: deque[Doc] = deque(maxlen=REMEMBERED)
        self.owners: dict[Slot, Seat] = {}
        self.swept: Doc | None = None
        self.fresh: frozenset[Slot] = frozenset()
        self._scene = scene
        self._rules = find(scene.key)
        self._rows = 0
        self._held: Counter[Face | None] | None = None

    def add(self, made: MoveMade, pack: Pack | None) -> None:
        """A move was applied. `pack` names the faces."""
        self.owners.update(dict.fromkeys(self._rules.opens(made.move), made.seat))
        for line in self._scene.tell(made, pack):
            self._write(line, made.step)
        gone = self._scene.swept(made)
        if gone is not None:
            slots, to = gone
            cards = [self._public(made, slot, pack) for slot in slots]
            self.swept = {"cards": cards, "to": to, "step": made.step}

    def look(self, view: SeatView) -> None:
        """A new view: hands that were scored, cards that are new."""
        for row in view.sheet[self._rows :]:
            line = self._scene.scored(row)
            if line is not None:
                self._write(line, view.step)
        self._rows = len(view.sheet)
        self._notice(view)

    def begin_hand(self, number: int, step: int) -> None:
        """Cards are dealt anew."""
        self.owners = {}
        self.swept = None
        self._held = None
        self._write(words("log.dealt", n=number), step)

    def _write(self, line: Doc, step: int) -> None:
        self.lines.append({**line, "step": step})

    def _public(self, made: MoveMade, slot: Slot, pack: Pack | None) -> Doc:
        face = made.table.faces.get(slot)
        name = None if face is None or pack is None else pack.name(face)
        card = {"slot": slot, "face": name, "up": face is not None, "mine": False}
        return {"seat": self.owners.get(slot), "card": card}

    def _notice(self, view: SeatView) -> None:
        """Faces are compared, not slots: a hand that was mixed has new slots and no new cards."""
        if view.seat is None:
            return
        slots, faces = view.table[hand(view.seat)], view.table.faces
        held = Counter(faces.get(slot) for slot in slots)
        if self._held is None:
            self.fresh = frozenset()
        elif new := held - self._held:
            fresh = set()
            for slot in slots:
                if new[faces.get(slot)] > 0:
                    new[faces.get(slot)] -= 1
                    fresh.add(slot)
            self.fresh = frozenset(fresh)
        elif self._held - held:
            self.fresh = frozenset()
        if slots:
            self._held = held
