"""The look of Twopart: a ring of cards round the stock in part one, a row of plays in part two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from p2pcards.cards.faces import SUITS, Face, Pack
from p2pcards.cards.table import STOCK, Seat, Slot, won
from p2pcards.engine.match import MoveMade
from p2pcards.games.shedding import PILE, REMOVED
from p2pcards.games.twopart import Lay, Phase, PickUp, Play, State
from p2pcards.shells.web.scenes.scene import (
    Scene,
    pile,
    places_counter,
    played,
    stock,
    waiting_for,
)
from p2pcards.shells.web.sight import Doc, Sight, face_word, number, suit_word, who, words

PART_TWO = frozenset({Phase.PART_TWO, Phase.END})


class TwopartScene(Scene):
    """The look of Twopart."""

    key = "twopart"

    # --- the table --------------------------------------------------------------------------------

    def direction(self, sight: Sight) -> str:
        """As the table has agreed."""
        return str(sight.state.house.direction)

    def phase(self, sight: Sight) -> Doc:
        """Which part."""
        s: State = sight.state
        return words("phase.twopart.one" if s.phase not in PART_TWO else "phase.twopart.two")

    def is_out(self, sight: Sight, seat: Seat) -> bool:
        """Who has no cards left in part two is done."""
        return seat in sight.state.finished

    def counters(self, sight: Sight, seat: Seat) -> list[Doc]:
        """Cards won in part one, a place in part two."""
        s: State = sight.state
        if s.phase not in PART_TWO:
            n = len(sight.view.table[won(seat)])
            return [{"kind": "word", "code": "word.won", "args": {"n": n}}] if n else []
        if seat in s.finished[: s.early]:
            return [{"kind": "place", "place": 1}]
        return places_counter(s.finished, seat)

    def won(self, sight: Sight, seat: Seat) -> tuple[Slot, ...] | None:
        """The cards of part one."""
        return sight.view.table[won(seat)] if sight.state.phase not in PART_TWO else None

    def is_quiet(self, sight: Sight) -> bool:
        """In part two everybody could know all hands."""
        return sight.state.phase in PART_TWO

    def trick(self, sight: Sight) -> list[Doc]:
        """The cards that are fought for; or the plays, each with its number."""
        s: State = sight.state
        slots = sight.view.table[PILE]
        if s.phase not in PART_TWO:
            return _contest(sight, s, slots)
        entries: list[Doc] = []
        at = 0
        for play, size in enumerate(s.plays):
            last = play == len(s.plays) - 1
            entries.extend(played(sight, slots[at : at + size], play=play, best=last))
            at += size
        return entries

    def piles(self, sight: Sight) -> list[Doc]:
        """The stock; in part two what is out of the game."""
        if sight.state.phase not in PART_TWO:
            return [stock(sight)] if sight.view.table[STOCK] else []
        n = len(sight.view.table[REMOVED])
        return [pile("removed", n, words("pile.removed", n=n))] if n else []

    def middle(self, sight: Sight) -> Doc:
        """A ring in part one; in part two a row and how many plays it takes."""
        s: State = sight.state
        if s.phase not in PART_TWO:
            return {"layout": "ring"}
        made, due = len(s.plays), s.due
        need = {"done": made, "of": made + due, **words("need.twopart", n=due, count=number(due))}
        return {"layout": "row", "need": need if s.phase is Phase.PART_TWO else None}

    def trump(self, sight: Sight) -> Doc:
        """Known once the last card of the stock has been shown."""
        s: State = sight.state
        face = None if s.last is None else sight.view.public.faces.get(s.last)
        card = None if face is None or s.last is None else sight.card(s.last)
        suit = s.trump if s.trump is not None else (face.suit if face else None)
        letter = None if suit is None else SUITS[suit - 1]
        return {"card": card, "suit": letter, "known": suit is not None}

    # --- sentences --------------------------------------------------------------------------------

    def say(self, sight: Sight) -> Doc:
        """Play a card; lead, or beat the pile."""
        s: State = sight.state
        slots = sight.view.table[PILE]
        if s.phase is Phase.PART_ONE:
            return words("say.twopart.again" if len(slots) > s.laid else "say.twopart.lay")
        if not s.plays:
            return words("say.twopart.lead")
        if not any(isinstance(choice.move, Play) for choice in sight.view.options):
            return words("say.twopart.pick-up", n=s.plays[-1])
        return words("say.twopart.beat", card=sight.card_word(slots[-1]))

    def waiting(self, sight: Sight) -> Doc:
        """Who plays."""
        s: State = sight.state
        if s.phase in {Phase.PART_ONE, Phase.PART_TWO}:
            return words("say.playing", who=who(s.turn))
        return waiting_for(sight.owing)

    def why(self, sight: Sight) -> Doc | None:
        """Who fights for the pile, or what beats it."""
        s: State = sight.state
        if s.phase is Phase.PART_ONE:
            level = len(sight.view.table[PILE]) > s.laid and len(s.contest) < s.seats
            return words("why.twopart.level", seats={"seats": list(s.contest)}) if level else None
        if not sight.asked or not s.plays or s.trump is None:
            return None
        suit = sight.known(sight.view.table[PILE][-1]).suit
        if suit == s.trump:
            return words("why.twopart.trump", suit=suit_word(suit))
        return words("why.twopart.suit", suit=suit_word(suit), trump=suit_word(s.trump))

    # --- options ----------------------------------------------------------------------------------

    def slots(self, move: Any) -> tuple[Slot, ...]:
        """A card, or a run."""
        match move:
            case Lay(card):
                return (card,)
            case Play(run):
                return run
            case _:
                return ()

    def verb(self, sight: Sight, move: Any) -> Doc:
        """Play one, play a run, or pick up."""
        match move:
            case Lay(card):
                return words("verb.play", card=sight.card_word(card))
            case Play(run):
                return _run_words(sight.view.pack, [sight.known(c) for c in run], "verb.play")
            case _:
                last: int = sight.state.plays[-1]
                return words("verb.twopart.pick-up", n=last, count=number(last))

    def shortcut(self, _move: Any) -> str | None:
        """T takes."""
        return "t"

    def attempt(self, sight: Sight, slot: Slot) -> Any:
        """A click means to play."""
        s: State = sight.state
        if s.phase is Phase.PART_ONE:
            return Lay(slot)
        return Play((slot,)) if s.phase is Phase.PART_TWO else None

    # --- on paper ---------------------------------------------------------------------------------

    def tell(self, made: MoveMade, pack: Pack | None) -> Iterable[Doc]:
        """Cards, runs, pick-ups; who wins the pile."""
        seat = who(made.seat)
        match made.move:
            case Lay(card):
                yield words("log.play", who=seat, card=face_word(pack, made.table.face(card)))
                if (gone := self.swept(made)) is not None and gone[1] is not None:
                    yield words("log.twopart.won", who=who(gone[1]), n=len(gone[0]))
            case Play(run):
                faces = [made.table.face(slot) for slot in run]
                yield _run_words(pack, faces, "log.play", who=seat)
                if self.swept(made) is not None:
                    yield words("log.twopart.complete")
            case PickUp():
                n: int = made.before.plays[-1]
                yield words("log.twopart.pick-up", who=seat, n=n, count=number(n))
            case _:
                return
        if len(made.after.finished) > len(made.before.finished):
            yield words("log.finished", who=seat, place=len(made.after.finished))

    def scored(self, row: Mapping[str, object]) -> Doc | None:
        """A match that went round in circles."""
        return words("log.stalled") if row.get("end") == "stalled" else None


def _contest(sight: Sight, s: State, slots: tuple[Slot, ...]) -> list[Doc]:
    """All cards of the pile; those of the round under way are known by the order of play."""
    entries = played(sight, slots)
    current = entries[len(entries) - s.laid :] if s.laid else []
    for seat, entry in zip(s.contest, current, strict=False):
        entry["seat"] = seat
    for entry, slot in zip(entries, slots, strict=True):
        entry["best"] = entry in current and slot == _highest(sight, slots[-s.laid :])
    return entries


def _highest(sight: Sight, slots: tuple[Slot, ...]) -> Slot:
    return max(slots, key=lambda slot: sight.known(slot).rank)


def _run_words(pack: Pack | None, faces: list[Face], code: str, **args: Doc) -> Doc:
    if len(faces) == 1:
        return words(code, card=face_word(pack, faces[0]), **args)
    low, high = face_word(pack, faces[0]), face_word(pack, faces[-1])
    return words(f"{code}-run", n=len(faces), low=low, high=high, **args)
