"""The look of Gnav: one card each, lives at the names, the stock in the middle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from p2pcards.cards.faces import Pack
from p2pcards.cards.table import ASIDE, STOCK, Seat
from p2pcards.engine.match import MoveMade
from p2pcards.games.cuckoo import (
    Accept,
    Announce,
    Ask,
    Bar,
    Keep,
    Knock,
    Ordinary,
    Ready,
    drawn,
)
from p2pcards.games.cuckoo_house import CAT, FOOL, HORSE, HOUSE
from p2pcards.games.cuckoo_match import Phase, Result, State
from p2pcards.shells.web.scenes.scene import Scene, heads, pile, stock
from p2pcards.shells.web.sight import Doc, Sight, face_word, who, whom, words


class CuckooScene(Scene):
    """The look of Gnav."""

    key = "cuckoo"
    pack = "gnav"
    layout = "ring"
    confirms = (Ready,)

    # --- the table --------------------------------------------------------------------------------

    def phase(self, sight: Sight) -> Doc:
        """Which deal, and how many are alive."""
        s: State = sight.state
        deal = len(s.results) + (s.phase not in {Phase.SCORE, Phase.END})
        return words("phase.cuckoo", deal=max(deal, 1), n=len(s.alive))

    def dealer(self, sight: Sight) -> Seat | None:
        """The dealer, once drawn."""
        s: State = sight.state
        return None if s.phase is Phase.CUT else s.dealer

    def is_out(self, sight: Sight, seat: Seat) -> bool:
        """Who has no life left."""
        s: State = sight.state
        return s.lives[seat] == 0

    def counters(self, sight: Sight, seat: Seat) -> list[Doc]:
        """Lives."""
        s: State = sight.state
        return [{"kind": "lives", "left": s.lives[seat], "of": s.house.lives}]

    def note(self, sight: Sight, seat: Seat) -> Doc | None:
        """Who rests, who has knocked, who pays."""
        s: State = sight.state
        if s.phase is Phase.SCORE and s.results[-1].lost[seat]:
            return words("word.pays")
        if seat in s.resting:
            return words("word.rests")
        return words("word.knocked") if seat in s.knocked and s.order else None

    def piles(self, sight: Sight) -> list[Doc]:
        """The stock, what it answered with, and what is laid aside."""
        table = sight.view.table
        aside = table[ASIDE]
        top = sight.card(aside[-1]) if aside else None
        piles = [stock(sight)] if table[STOCK] else []
        piles += [
            pile("drawn", 1, words("pile.drawn", who=who(seat)), sight.card(table[drawn(seat)][0]))
            for seat in range(sight.view.seats)
            if table[drawn(seat)]
        ]
        piles.append(pile("aside", len(aside), words("pile.aside", n=len(aside)), top))
        return piles

    # --- sentences --------------------------------------------------------------------------------

    def say(self, sight: Sight) -> Doc:
        """Keep or swap, or go on."""
        s: State = sight.state
        if s.phase is not Phase.TURN or sight.me is None:
            return self._score(sight, s)
        card = sight.card_word(sight.hand(sight.me)[0])
        following = s.following(sight.me)
        code = "say.cuckoo.turn-stock" if following is None else "say.cuckoo.turn"
        last = next((e for e in reversed(s.exchanges) if e.other == sight.me), None)
        if last is not None and sight.hand(sight.me) == (last.given,):
            return words(f"{code}-passed", card=card, giver=who(last.asker), who=_who(following))
        return words(code, card=card, who=_who(following))

    def _score(self, sight: Sight, s: State) -> Doc:
        result = s.results[-1]
        payers = [seat for seat, lost in enumerate(result.lost) if lost]
        if sight.me in payers:
            return words("say.cuckoo.you-pay", n=len(payers))
        return words("say.cuckoo.pay" if payers else "say.cuckoo.nobody", seats=whom(payers))

    def waiting(self, sight: Sight) -> Doc:
        """Who is thinking, or whose card answers."""
        s: State = sight.state
        match s.phase:
            case Phase.TURN:
                return words("say.cuckoo.thinking", who=who(s.turn))
            case Phase.ANSWER if s.asked is not None:
                return words("say.cuckoo.asks", who=who(s.turn), whom=who(s.asked))
            case Phase.DRAW | Phase.DRAWN:
                return words("say.cuckoo.draws", who=who(s.turn))
            case Phase.KNOCK:
                return words("say.cuckoo.knocking")
            case Phase.SCORE if sight.me is not None:
                return self._score(sight, s)
            case _:
                return super().waiting(sight)

    def why(self, sight: Sight) -> Doc | None:
        """What the card in the hand means."""
        s: State = sight.state
        if s.phase is Phase.SCORE:
            return words("why.cuckoo.rest", seats=whom(s.resting)) if s.resting else None
        if s.phase is not Phase.TURN or not sight.asked or sight.me is None:
            return None
        face = sight.known(sight.hand(sight.me)[0])
        if face == FOOL:
            return words("why.cuckoo.fool-rests" if s.house.fool_rests else "why.cuckoo.fool")
        return words("why.cuckoo.lowest")

    # --- options ----------------------------------------------------------------------------------

    def verb(self, sight: Sight, move: Any) -> Doc:
        """Keep, swap, go on."""
        match move:
            case Keep():
                return words("verb.cuckoo.keep")
            case Ask() if sight.me is not None:
                following = sight.state.following(sight.me)
                if following is None:
                    return words("verb.cuckoo.draw")
                return words("verb.cuckoo.swap", who=who(following))
            case Ready():
                return words("verb.next-deal")
            case _:
                return words("verb.cuckoo.say")

    def shortcut(self, move: Any) -> str | None:
        """K keeps, S swaps."""
        match move:
            case Keep():
                return "k"
            case Ask():
                return "s"
            case _:
                return "Enter"

    # --- on paper ---------------------------------------------------------------------------------

    def sheet(self, sight: Sight) -> Doc:
        """A row a deal: lives left, and the card that was shown."""
        s: State = sight.state
        rows = [
            {
                "label": i,
                "state": "done",
                "cells": [_cell(sight, result, seat) for seat in range(s.seats)],
            }
            for i, result in enumerate(s.results, 1)
        ]
        return {
            "heads": heads(sight),
            "rows": rows,
            "sums": list(s.lives),
            "sub": words("sheet.cuckoo"),
            "note": None,
        }

    def tell(self, made: MoveMade, pack: Pack | None) -> Iterable[Doc]:
        """What was kept, asked for, barred and exchanged."""
        s: State = made.before
        seat = who(made.seat)
        match made.move:
            case Keep():
                yield words("log.cuckoo.keep", who=seat)
            case Ask():
                following = s.following(made.seat)
                code = "log.cuckoo.ask-stock" if following is None else "log.cuckoo.ask"
                yield words(code, who=seat, whom=_who(following))
            case Accept():
                yield words("log.cuckoo.swap", who=who(s.turn), whom=seat)
            case Ordinary():
                yield words("log.cuckoo.took", who=seat)
            case Announce():
                yield words("log.cuckoo.fool", who=seat)
            case Knock():
                yield words("log.cuckoo.knock", who=seat)
            case Bar(card):
                face = made.table.face(card)
                yield words("log.cuckoo.bar", who=seat, card=face_word(pack, face))
                if made.after.lives[s.turn] < s.lives[s.turn]:
                    yield words("log.cuckoo.life", who=who(s.turn))
                elif face in {HOUSE, HORSE}:
                    yield words("log.cuckoo.on")
                if face == CAT and s.exchanges and not made.after.exchanges:
                    yield words("log.cuckoo.undone")
            case _:
                return

    def scored(self, row: Mapping[str, object]) -> Doc | None:
        """Who pays."""
        lost = row["lost"]
        if not isinstance(lost, tuple):
            return None
        payers = [seat for seat, lives in enumerate(lost) if lives]
        return words("log.cuckoo.pay", deal=row["deal"], seats=whom(payers)) if payers else None


def _who(seat: Seat | None) -> Doc | None:
    return None if seat is None else who(seat)


def _cell(sight: Sight, result: Result, seat: Seat) -> Doc | None:
    if seat not in result.order:
        return {"text": result.lives[seat]} if result.lives[seat] else None
    face = result.cards[seat]
    small = None if face is None else words("card-name", card=face_word(sight.view.pack, face))
    return {"text": result.lives[seat], "small": small, "miss": result.lost[seat] > 0}
