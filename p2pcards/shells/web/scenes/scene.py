"""What a game says about its look: piles, counters, verbs, sentences; with defaults for most of it.

A scene reads a `Sight` and gives parts of the document of `screen`. It decides nothing about the
game: what may be done comes from the view's options alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from p2pcards.cards.faces import Pack
from p2pcards.cards.ops import Put, Whole
from p2pcards.cards.rules import Over
from p2pcards.cards.table import STOCK, TRICK, Pile, Seat, Slot
from p2pcards.engine.match import MoveMade
from p2pcards.games import find
from p2pcards.games.shedding import PILE
from p2pcards.shells.web.sight import Doc, Sight, number, who, whom, words

FAN = 5
"""Cards of an open pile that the page gets to fan out."""

MIDDLE = frozenset({TRICK, PILE})
"""Where cards are played."""

Swept = tuple[tuple[Slot, ...], Seat | None]
"""Cards that a move took off the middle, and the seat that won them."""


class Scene:
    """The look of one game; has no state of its own."""

    key = ""
    pack = "french"
    layout: str | None = None
    confirms: tuple[type[Any], ...] = ()
    """Moves by which a seat only says that it has seen the score."""

    # --- the table --------------------------------------------------------------------------------

    def direction(self, _sight: Sight) -> str:
        """Which way the turn goes: `cw` or `ccw`."""
        return "cw"

    def phase(self, sight: Sight) -> Doc:
        """Where the match stands, for the head of the page."""
        raise NotImplementedError

    def dealer(self, _sight: Sight) -> Seat | None:
        """Who has dealt, where that matters."""
        return None

    def is_out(self, _sight: Sight, _seat: Seat) -> bool:
        """Whether a seat has left the game."""
        return False

    def counters(self, _sight: Sight, _seat: Seat) -> list[Doc]:
        """What stands under a seat's name."""
        return []

    def note(self, _sight: Sight, _seat: Seat) -> Doc | None:
        """Words beside the counters."""
        return None

    def row(self, _sight: Sight, _seat: Seat) -> list[Doc]:
        """Cards on the table before a seat."""
        return []

    def won(self, _sight: Sight, _seat: Seat) -> tuple[Slot, ...] | None:
        """Cards won by a seat, where people look through them; None where they do not."""
        return None

    def is_quiet(self, _sight: Sight) -> bool:
        """Whether hands are public knowledge of which the table shows only counts."""
        return False

    def trick(self, _sight: Sight) -> list[Doc]:
        """The cards in the middle that somebody has just played."""
        return []

    def piles(self, sight: Sight) -> list[Doc]:
        """Stock and piles."""
        return [stock(sight)] if sight.view.table[STOCK] else []

    def middle(self, _sight: Sight) -> Doc:
        """More for the middle: `layout`, `need`, `exchange`."""
        return {}

    def trump(self, _sight: Sight) -> Doc | None:
        """The trump, in games that have one."""
        return None

    # --- sentences --------------------------------------------------------------------------------

    def say(self, sight: Sight) -> Doc:
        """What the viewer, who is asked, does now."""
        raise NotImplementedError

    def waiting(self, sight: Sight) -> Doc:
        """Whom the table waits for, to one who is not asked."""
        return waiting_for(sight.owing)

    def why(self, _sight: Sight) -> Doc | None:
        """The quieter line under the sentence."""
        return None

    # --- options ----------------------------------------------------------------------------------

    def slots(self, _move: Any) -> tuple[Slot, ...]:
        """The cards that a move lays or gives, for clicks; empty for a button."""
        return ()

    def verb(self, sight: Sight, move: Any) -> Doc:
        """What a button or a choice of cards does."""
        raise NotImplementedError

    def shortcut(self, _move: Any) -> str | None:
        """The key of a button."""
        return None

    def is_primary(self, _sight: Sight, move: Any) -> bool:
        """Whether this is the one button that stands out."""
        return isinstance(move, self.confirms)

    def attempt(self, _sight: Sight, _slot: Slot) -> Any:
        """The move that somebody means who clicks this card of the hand; None where a card alone
        means nothing. It is tried, to say why it cannot be."""
        return None

    def arrange(self, _sight: Sight) -> Doc | None:
        """Choosing several cards of several places at once."""
        return None

    # --- on paper ---------------------------------------------------------------------------------

    def sheet(self, _sight: Sight) -> Doc | None:
        """The score sheet."""
        return None

    def details(self, _sight: Sight) -> Sequence[Doc] | None:
        """A line for each seat at the end of the match."""
        return None

    def course(self, _sight: Sight) -> list[list[int]] | None:
        """Points of each seat after each hand."""
        return None

    def ending(self, sight: Sight, over: Over) -> Doc:
        """Who has won."""
        first = [seat for seat, place in enumerate(over.places) if place == 1]
        if sight.me in first:
            others = [seat for seat in first if seat != sight.me]
            return words("over.you-share", seats=whom(others)) if others else words("over.you-win")
        if len(first) > 1:
            return words("over.share", seats=whom(first))
        return words("over.wins", who=who(first[0]))

    def tell(self, _made: MoveMade, _pack: Pack | None) -> Iterable[Doc]:
        """A move in words, for everybody."""
        return ()

    def scored(self, _row: Mapping[str, object]) -> Doc | None:
        """A new row of the score sheet in words."""
        return None

    def swept(self, made: MoveMade) -> Swept | None:
        """The cards that a move took off the middle: the last trick."""
        rules = find(self.key)
        for op in rules.judge(made.before, made.table, made.seat, made.move).ops:
            match op:
                case Put(Whole(where), to) if where in MIDDLE and to.name != "hand":
                    return (*made.table[where], *rules.opens(made.move)), to.seat
                case _:
                    pass
        return None


# --- for all scenes -------------------------------------------------------------------------------


def waiting_for(seats: Iterable[Seat]) -> Doc:
    """The table waits for these seats."""
    return words("say.waiting", seats=whom(seats))


def stock(sight: Sight) -> Doc:
    """The cards that are still to be drawn."""
    count = len(sight.view.table[STOCK])
    return pile("stock", count, words("pile.stock", n=count))


def pile(name: str, count: int, label: Doc, top: Doc | None = None, fan: Sequence[Doc] = ()) -> Doc:
    """A pile of the document."""
    return {"name": name, "count": count, "label": label, "top": top, "fan": list(fan)}


def open_pile(sight: Sight, where: Pile, name: str) -> Doc:
    """A pile of open cards, the last on top."""
    cards = sight.view.table[where]
    return pile(
        name,
        len(cards),
        words(f"pile.{name}", n=len(cards)),
        sight.card(cards[-1]) if cards else None,
        sight.cards(cards[-FAN:]),
    )


def played(sight: Sight, slots: Sequence[Slot], **more: Any) -> list[Doc]:
    """Cards in the middle, each with who played it (null where nobody remembers)."""
    return [
        {
            "seat": sight.owners.get(slot),
            "card": sight.card(slot),
            "best": False,
            "proof": None,
            **more,
        }
        for slot in slots
    ]


def places_counter(finished: Sequence[Seat], seat: Seat) -> list[Doc]:
    """The place of a seat that has got rid of its cards."""
    return [{"kind": "place", "place": 1 + finished.index(seat)}] if seat in finished else []


def heads(sight: Sight) -> list[Doc]:
    """The columns of a sheet: a seat each."""
    return [who(seat) for seat in range(sight.view.seats)]


def count_words(n: int) -> Doc:
    """Arguments `n` (for the plural) and `count` (in words)."""
    return {"n": n, "count": number(n)}
