"""A match on the referee with a page at every seat: stories told and screens built, no network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from p2pcards.cards.claims import simplify
from p2pcards.cards.rules import Moves, Value
from p2pcards.cards.table import Seat, Slot
from p2pcards.engine.match import MoveMade
from p2pcards.engine.view import AnyRules
from p2pcards.shells.web.chronicle import Chronicle
from p2pcards.shells.web.scenes import SCENES
from p2pcards.shells.web.screen import Pending, Person, Table, screen
from p2pcards.testing.referee import Referee

SHIELD = {"checked": 1, "of": 1, "state": "ok", "facts": []}


@dataclass
class Stage:
    """A match, and what every seat's page would show; the last story is a spectator's."""

    referee: Referee
    stories: list[Chronicle]
    cards: frozenset[Slot] = frozenset()

    @classmethod
    def of(cls, referee: Referee) -> Stage:
        """A match as it stands; nothing of it has been told yet."""
        stories = [Chronicle(SCENES[referee.rules.key]) for _ in range(referee.seats + 1)]
        stage = cls(referee, stories)
        stage.look()
        return stage

    @classmethod
    def deal(
        cls, rules: AnyRules, seats: int, options: dict[str, Value] | None, rng: Random
    ) -> Stage:
        """A new match."""
        return cls.of(Referee.deal(rules, seats, options, rng=rng))

    @property
    def viewers(self) -> list[Seat | None]:
        """All seats, and a spectator."""
        return [*range(self.referee.seats), None]

    def play(self, seat: Seat, move: object) -> None:
        """A move, told to all pages as a peer would tell it."""
        referee = self.referee
        others, truth = dict(referee.said), dict(referee.truth)
        before, table = referee.state, referee.table
        referee.play(seat, move)
        if referee.said:
            return  # the step is still open
        state = before
        for author, said in sorted({**others, seat: move}.items()):
            table = table.turn_up({slot: truth[slot] for slot in referee.rules.opens(said)})
            ruling = referee.rules.judge(state, table, author, said)
            claim = simplify(ruling.claim, table.faces)
            made = MoveMade(referee.step, author, said, state, ruling.state, table, claim)
            state = ruling.state
            for story in self.stories:
                story.add(made, referee.pack)
        self.look()

    def look(self) -> None:
        """Every page looks at the table."""
        cards = frozenset(self.referee.table.slots())
        dealt = cards.isdisjoint(self.cards)
        self.cards = cards
        for viewer, story in zip(self.viewers, self.stories, strict=True):
            if dealt:
                story.begin_hand(1, self.referee.step)
            story.look(self.referee.view(viewer))

    def step(self, rng: Random) -> None:
        """Some seat makes some move of its own."""
        seat = rng.choice(sorted(self.referee.owing))
        self.play(seat, rng.choice(self.referee.options(seat)).move)

    def screen(self, viewer: Seat | None) -> dict[str, Any]:
        """The document of one page."""
        story = self.stories[-1 if viewer is None else viewer]
        return screen(self.referee.view(viewer), self.around(story))

    def around(self, story: Chronicle) -> Table:
        """What stands round every view."""
        people = [Person(f"P{seat}", f"{seat:032x}") for seat in range(self.referee.seats)]
        pending = Pending()
        if isinstance(self.referee.awaits, Moves):
            pending = Pending("move", self.referee.owing)
        return Table(people, "title", pending, story, SHIELD, self.referee.outcome)


def walk(document: object) -> Iterator[dict[str, Any]]:
    """Every object inside a document."""
    if isinstance(document, dict):
        yield document
        for value in document.values():
            yield from walk(value)
    elif isinstance(document, list | tuple):
        for value in document:
            yield from walk(value)


def codes(document: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every code with its arguments."""
    for each in walk(document):
        if isinstance(each.get("code"), str):
            yield each["code"], each.get("args", {})
