"""The look of Røvhul: plays in a row, roles at the names, the exchange on a sheet of paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from p2pcards.cards.faces import Pack
from p2pcards.cards.table import TRICK, Seat, Slot
from p2pcards.engine.match import MoveMade
from p2pcards.games.president import (
    CLEARED,
    Announce,
    Best,
    NotMine,
    Pass,
    Play,
    Ready,
    Return,
)
from p2pcards.games.president_house import CLEARING, Pair
from p2pcards.games.president_match import Phase, State
from p2pcards.shells.web.scenes.scene import Scene, heads, pile, played
from p2pcards.shells.web.scenes.shedding import faces_words, set_words
from p2pcards.shells.web.sight import Doc, Sight, number, ranks_word, who, whom, words

EXCHANGE = frozenset({Phase.GIVE, Phase.TAKE, Phase.RETURN, Phase.TAKE_BACK})


class PresidentScene(Scene):
    """The look of Røvhul."""

    key = "president"
    layout = "row"
    confirms = (Ready,)

    # --- the table --------------------------------------------------------------------------------

    def phase(self, sight: Sight) -> Doc:
        """Which deal of how many."""
        s: State = sight.state
        deal = len(s.results) + (s.phase not in {Phase.SCORE, Phase.END})
        if s.house.deals:
            return words("phase.president", deal=deal, of=s.house.deals)
        return words("phase.president.open", deal=deal)

    def dealer(self, sight: Sight) -> Seat | None:
        """The dealer, once drawn."""
        s: State = sight.state
        return None if s.phase is Phase.CUT else s.dealer

    def is_out(self, sight: Sight, seat: Seat) -> bool:
        """Who has no cards left in this deal."""
        s: State = sight.state
        return s.phase in {Phase.PLAY, Phase.SHOW} and seat in s.out

    def counters(self, sight: Sight, seat: Seat) -> list[Doc]:
        """The role of the last deal; a place; whether a seat has passed."""
        s: State = sight.state
        counters: list[Doc] = []
        if self.is_out(sight, seat):
            counters.append({"kind": "place", "place": 1 + s.out.index(seat)})
        elif s.phase is Phase.PLAY and seat in s.passed:
            counters.append({"kind": "word", "code": "word.passed", "args": {}})
        if s.results:
            counters.insert(0, {"kind": "role", "code": f"role.{_role(s, seat)}"})
        return counters

    def trick(self, sight: Sight) -> list[Doc]:
        """The plays of the trick, the last one lit."""
        s: State = sight.state
        slots = sight.view.table[TRICK]
        size = max(s.count, 1)
        entries: list[Doc] = []
        for at in range(0, len(slots), size):
            best = at + size >= len(slots)
            entries.extend(played(sight, slots[at : at + size], play=at // size, best=best))
        return entries

    def piles(self, sight: Sight) -> list[Doc]:
        """What has been cleared away."""
        n = len(sight.view.table[CLEARED])
        return [pile("cleared", n, words("pile.cleared", n=n))] if n else []

    def middle(self, sight: Sight) -> Doc:
        """The exchange, to the two who make it."""
        s: State = sight.state
        if s.phase not in EXCHANGE or sight.me is None:
            return {"layout": self.layout}
        pair = next((p for p in s.pairs() if sight.me in {p.worse, p.better}), None)
        exchange = None if pair is None else _exchange(sight, s, pair)
        return {"layout": self.layout, "exchange": exchange}

    # --- sentences --------------------------------------------------------------------------------

    def say(self, sight: Sight) -> Doc:
        """Give, lead, follow, or go on."""
        s: State = sight.state
        match s.phase:
            case Phase.GIVE | Phase.RETURN:
                pair = _pair(sight, s)
                returning = s.phase is Phase.RETURN
                to = pair.worse if returning else pair.better
                code = "say.president.return" if returning else "say.president.give"
                return words(code, who=who(to), n=pair.count, count=number(pair.count))
            case Phase.PLAY if not s.count:
                return words("say.president.bound" if s.bound else "say.lead")
            case Phase.PLAY:
                return self._follow(sight, s)
            case _:
                return words("say.president.score", role=words(f"role.{_role(s, sight.me or 0)}"))

    def _follow(self, sight: Sight, s: State) -> Doc:
        if not any(isinstance(choice.move, Play) for choice in sight.view.options):
            return words("say.president.pass")
        top = sight.known(sight.view.table[TRICK][-1])
        if s.count == 1:
            return words("say.president.beat", rank=sight.rank_word(sight.view.table[TRICK][-1]))
        ranks = ranks_word(sight.view.pack, top)
        return words("say.president.beat-set", n=s.count, count=number(s.count), ranks=ranks)

    def waiting(self, sight: Sight) -> Doc:
        """Who plays, or who exchanges."""
        s: State = sight.state
        if s.phase is Phase.PLAY:
            return words("say.playing", who=who(s.turn))
        if s.phase in {Phase.GIVE, Phase.RETURN} and sight.owing:
            return words("say.president.exchange", seats=whom(sight.owing))
        return super().waiting(sight)

    def why(self, sight: Sight) -> Doc | None:
        """What may be given, or what clears the table."""
        s: State = sight.state
        match s.phase:
            case Phase.GIVE if sight.asked:
                return words("why.president.best")
            case Phase.RETURN if sight.asked:
                return words(f"why.president.{s.house.return_rule}")
            case Phase.PLAY if sight.me in s.passed:
                return words("why.president.passed")
            case Phase.PLAY if sight.asked and s.count:
                return words("why.president.clear")
            case Phase.SCORE if s.stop:
                return words("why.president.stop")
            case _:
                return None

    # --- options ----------------------------------------------------------------------------------

    def slots(self, move: Any) -> tuple[Slot, ...]:
        """The cards played or given."""
        return move.cards if isinstance(move, Best | Return | Play) else ()

    def verb(self, sight: Sight, move: Any) -> Doc:
        """Give, play, pass, go on, stop."""
        s: State = sight.state
        match move:
            case Best(cards) | Return(cards):
                pair = _pair(sight, s)
                to = pair.worse if isinstance(move, Return) else pair.better
                given = {"cards": [sight.card_word(card)["card"] for card in cards]}
                return words("verb.president.give", cards=given, who=who(to))
            case Play(cards):
                return set_words(sight, cards, "verb.play")
            case Pass():
                return words("verb.president.pass")
            case Ready(stop):
                return words("verb.president.stop" if stop else "verb.next-deal")
            case Announce():
                return words("verb.president.club")
            case _:
                return words("verb.president.no-club")

    def shortcut(self, move: Any) -> str | None:
        """P passes."""
        match move:
            case Pass():
                return "p"
            case Ready(stop):
                return None if stop else "Enter"
            case _:
                return None

    def is_primary(self, _sight: Sight, move: Any) -> bool:
        """Going on stands out."""
        return isinstance(move, Ready) and not move.stop

    def attempt(self, sight: Sight, slot: Slot) -> Any:
        """A click means to play; in the exchange a card alone means nothing."""
        s: State = sight.state
        if s.phase is Phase.PLAY:
            return Play((slot,))
        return None

    # --- on paper ---------------------------------------------------------------------------------

    def sheet(self, sight: Sight) -> Doc:
        """A row a deal: the place of each seat."""
        s: State = sight.state
        roles = s.house.roles(s.seats)
        rows: list[Doc] = [
            {
                "label": i,
                "state": "done",
                "cells": [
                    {"text": words("place", n=place), "small": words(f"role.{roles[place - 1]}")}
                    for place in result.places
                ],
            }
            for i, result in enumerate(s.results, 1)
        ]
        summed = s.house.match_score == "places"
        sums = [sum(r.places[seat] for r in s.results) for seat in range(s.seats)]
        return {
            "heads": heads(sight),
            "rows": rows,
            "sums": sums if summed else None,
            "sub": words(f"sheet.president.{s.house.match_score}"),
            "note": None,
        }

    def details(self, sight: Sight) -> Sequence[Doc] | None:
        """The roles."""
        s: State = sight.state
        if not s.results:
            return None
        return [words(f"role.{_role(s, seat)}") for seat in range(s.seats)]

    def tell(self, made: MoveMade, pack: Pack | None) -> Iterable[Doc]:
        """Gifts without their faces, plays, passes, who is out."""
        before: State = made.before
        seat = who(made.seat)
        match made.move:
            case Best(cards) | Return(cards):
                best = isinstance(made.move, Best)
                pair = next(p for p in before.pairs() if made.seat in {p.worse, p.better})
                to = pair.better if best else pair.worse
                code = "log.president.give" if best else "log.president.return"
                n = len(cards)
                yield words(code, who=seat, whom=who(to), n=n, count=number(n))
            case Play(cards):
                faces = [made.table.face(card) for card in cards]
                yield faces_words(pack, faces, "log.play", who=seat)
                if len(made.after.out) > len(before.out):
                    place = 1 + made.after.out.index(made.seat)
                    yield words("log.finished", who=seat, place=place)
                if faces[0].rank in CLEARING or self.swept(made) is not None:
                    yield words("log.president.clear")
            case Pass():
                yield words("log.president.pass", who=seat)
                if self.swept(made) is not None and before.last is not None:
                    yield words("log.president.stands", who=who(before.last))
            case Announce():
                yield words("log.president.club", who=seat)
            case NotMine() if before.phase is Phase.PROVE:
                yield words("log.president.no-club", who=seat)
            case Ready(True):
                yield words("log.president.stop", who=seat)
            case _:
                return

    def scored(self, row: Mapping[str, object]) -> Doc | None:
        """Who is president, who is røvhul."""
        places = row["places"]
        if not isinstance(places, tuple):
            return None
        first, last = places.index(1), places.index(len(places))
        return words("log.president.roles", hand=row["hand"], first=who(first), last=who(last))


def _role(s: State, seat: Seat) -> str:
    return s.house.roles(s.seats)[s.results[-1].places[seat] - 1]


def _pair(sight: Sight, s: State) -> Pair:
    return next(p for p in s.pairs() if sight.me in {p.worse, p.better})


def _exchange(sight: Sight, s: State, pair: Pair) -> Doc:
    """Who gives what to whom. Cards received lie in the hand already, and are marked there."""
    better = sight.me == pair.better
    other = pair.worse if better else pair.better
    n, count = pair.count, number(pair.count)
    got = words("exchange.got-best" if better else "exchange.got-low", n=n, count=count)
    code = f"exchange.give-{s.house.return_rule}" if better else "exchange.give-best"
    give = {"seat": other, "count": pair.count, **words(code, n=n, count=count)}
    received = s.phase in ({Phase.RETURN, Phase.TAKE_BACK} if better else {Phase.TAKE_BACK})
    return {
        "got": {"seat": other, "cards": [], **got} if received else None,
        "give": give if sight.asked else None,
    }
