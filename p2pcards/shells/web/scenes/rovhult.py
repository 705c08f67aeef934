"""The look of Røvhult: stock and pile in the middle, three pairs of cards before each seat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any

from p2pcards.cards.faces import Pack
from p2pcards.cards.table import Seat, Slot, hand
from p2pcards.engine.match import MoveMade
from p2pcards.games.rovhult import (
    Arrange,
    Flip,
    Phase,
    Play,
    State,
    down,
    source,
    up,
)
from p2pcards.games.rovhult_house import LOWEST, ROW
from p2pcards.games.shedding import PILE, REMOVED
from p2pcards.shells.web.scenes.scene import (
    Scene,
    open_pile,
    pile,
    places_counter,
    stock,
)
from p2pcards.shells.web.scenes.shedding import faces_words, set_words
from p2pcards.shells.web.sight import Doc, Sight, face_word, who, words


class RovhultScene(Scene):
    """The look of Røvhult."""

    key = "rovhult"

    # --- the table --------------------------------------------------------------------------------

    def direction(self, sight: Sight) -> str:
        """As the table has agreed."""
        return str(sight.state.house.direction)

    def phase(self, sight: Sight) -> Doc:
        """Arranging, or who is left."""
        s: State = sight.state
        if s.phase in {Phase.DEAL, Phase.ARRANGE, Phase.LOT}:
            return words("phase.rovhult.arrange")
        return words("phase.rovhult.turns", n=s.seats - len(s.finished))

    def is_out(self, sight: Sight, seat: Seat) -> bool:
        """Who has no cards left is done."""
        return seat in sight.state.finished

    def counters(self, sight: Sight, seat: Seat) -> list[Doc]:
        """A place, for those who are done."""
        return places_counter(sight.state.finished, seat)

    def row(self, sight: Sight, seat: Seat) -> list[Doc]:
        """Three pairs, a face-down card under each face-up one."""
        table = sight.view.table
        pairs = zip_longest(table[down(seat)], table[up(seat)])
        return [
            {
                "down": None if below is None else sight.card(below),
                "up": None if above is None else sight.card(above),
            }
            for below, above in pairs
        ]

    def piles(self, sight: Sight) -> list[Doc]:
        """What is drawn from, what is played on, and what is out of the game."""
        removed = len(sight.view.table[REMOVED])
        piles = [stock(sight), open_pile(sight, PILE, "pile")]
        if removed:
            piles.append(pile("removed", removed, words("pile.removed", n=removed)))
        return piles

    # --- sentences --------------------------------------------------------------------------------

    def say(self, sight: Sight) -> Doc:
        """What fits the pile."""
        s: State = sight.state
        if s.phase is Phase.ARRANGE:
            return words("say.rovhult.arrange")
        table = sight.view.table
        if sight.me is not None and source(table, sight.me) == down(sight.me):
            return words("say.rovhult.flip")
        if not table[PILE]:
            return words("say.rovhult.any")
        if not any(isinstance(choice.move, Play) for choice in sight.view.options):
            return words("say.rovhult.take", n=len(table[PILE]))
        top = table[PILE][-1]
        way = "lower" if sight.known(top).rank == s.house.reverse_rank else "higher"
        return words(f"say.rovhult.{way}", rank=sight.rank_word(top))

    def waiting(self, sight: Sight) -> Doc:
        """Who plays, or who arranges."""
        s: State = sight.state
        if s.phase is Phase.TURNS:
            return words("say.playing", who=who(s.turn))
        if s.phase is Phase.ARRANGE and sight.owing:
            return words("say.rovhult.arranging", seats={"seats": sorted(sight.owing)})
        return super().waiting(sight)

    def why(self, sight: Sight) -> Doc | None:
        """The special card on top, and what always goes."""
        s: State = sight.state
        if s.phase is Phase.ARRANGE:
            return words("why.rovhult.arrange")
        cards = sight.view.table[PILE]
        if s.phase is not Phase.TURNS or not cards or not sight.asked:
            return None
        rank = sight.known(cards[-1]).rank
        always = {"two": _rank(LOWEST), "nuke": _rank(s.house.nuke_rank)}
        if rank == s.house.reverse_rank:
            return words("why.rovhult.reverse", rank=_rank(rank), **always)
        return words("why.rovhult.always", **always)

    # --- options ----------------------------------------------------------------------------------

    def slots(self, move: Any) -> tuple[Slot, ...]:
        """The cards played or turned over."""
        match move:
            case Play(cards):
                return cards
            case Flip(card):
                return (card,)
            case _:
                return ()

    def verb(self, sight: Sight, move: Any) -> Doc:
        """Play, turn over, or take."""
        match move:
            case Play(cards):
                return set_words(sight, cards, "verb.play")
            case Flip():
                return words("verb.rovhult.flip")
            case _:
                return words("verb.rovhult.take", n=len(sight.view.table[PILE]))

    def shortcut(self, _move: Any) -> str | None:
        """T takes."""
        return "t"

    def attempt(self, sight: Sight, slot: Slot) -> Any:
        """A click means to play."""
        return Play((slot,)) if sight.state.phase is Phase.TURNS else None

    def arrange(self, sight: Sight) -> Doc | None:
        """Which three cards lie face up, to the option that says so."""
        ids = {
            ",".join(map(str, sorted(choice.move.face_up))): choice.id
            for choice in sight.view.options
            if isinstance(choice.move, Arrange)
        }
        return {"count": ROW, "ids": ids} if ids else None

    # --- on paper ---------------------------------------------------------------------------------

    def tell(self, made: MoveMade, pack: Pack | None) -> Iterable[Doc]:
        """Plays and their effects."""
        before: State = made.before
        seat = who(made.seat)
        match made.move:
            case Arrange(cards):
                swapped = sum(card in made.table[hand(made.seat)] for card in cards)
                yield words("log.rovhult.arrange", who=seat, n=swapped)
            case Play(cards):
                yield faces_words(pack, [made.table.face(c) for c in cards], "log.play", who=seat)
                yield from self._effect(made, cards[0])
            case Flip(card):
                face = made.table.face(card)
                fits = _fits(made, card)
                code = "log.rovhult.flip" if fits else "log.rovhult.flip-in-vain"
                yield words(code, who=seat, card=face_word(pack, face))
                if fits:
                    yield from self._effect(made, card)
            case _:
                yield words("log.rovhult.take", who=seat, n=len(made.table[PILE]))
        if len(made.after.finished) > len(before.finished):
            yield words("log.finished", who=seat, place=len(made.after.finished))

    def scored(self, row: Mapping[str, object]) -> Doc | None:
        """A match that went round in circles."""
        return words("log.stalled") if row.get("end") == "stalled" else None

    def _effect(self, made: MoveMade, card: Slot) -> Iterable[Doc]:
        s: State = made.before
        if (gone := self.swept(made)) is not None:
            yield words("log.rovhult.clear", n=len(gone[0]))
        elif made.table.face(card).rank == s.house.skip_rank:
            skipped = s.next_holding(made.seat)
            if skipped != made.seat:
                yield words("log.rovhult.skip", who=who(skipped))


def _rank(rank: int) -> Doc:
    return words(f"ranks.{'23456789TJQKA'[rank - 2]}")


def _fits(made: MoveMade, card: Slot) -> bool:
    heap = made.table[PILE]
    top = made.table.face(heap[-1]).rank if heap else None
    refusal: str | None = made.before.house.refusal(top, made.table.face(card).rank)
    return refusal is None
