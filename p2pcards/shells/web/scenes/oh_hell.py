"""The look of Oh Hell: a trick in a ring, bids at the names, the turned card at the side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from p2pcards.cards.claims import NOTHING
from p2pcards.cards.faces import SUITS, Pack
from p2pcards.cards.table import TRICK, Seat, Slot
from p2pcards.engine.match import MoveMade
from p2pcards.games.oh_hell import TURNED, Bid, Phase, Play, Ready, State, best
from p2pcards.shells.web.scenes.scene import Scene, heads, played
from p2pcards.shells.web.sight import Doc, Sight, face_word, number, suit_word, who, whom, words


class OhHellScene(Scene):
    """The look of Oh Hell."""

    key = "oh-hell"
    layout = "ring"
    confirms = (Ready,)

    # --- the table --------------------------------------------------------------------------------

    def phase(self, sight: Sight) -> Doc:
        """Which hand of how many."""
        s: State = sight.state
        at = min(len(s.results) + (s.phase not in {Phase.SCORE, Phase.END}), len(s.plan))
        return words("phase.oh-hell", hand=at, of=len(s.plan))

    def dealer(self, sight: Sight) -> Seat | None:
        """The dealer, once the cut has chosen one."""
        s: State = sight.state
        return None if s.phase is Phase.CUT else s.dealer

    def counters(self, sight: Sight, seat: Seat) -> list[Doc]:
        """Bid and tricks; points when they change."""
        s: State = sight.state
        if s.phase in {Phase.SCORE, Phase.END}:
            return [{"kind": "points", "points": s.totals[seat]}]
        if s.phase in {Phase.CUT, Phase.DEAL} or s.bids[seat] is None:
            return []
        return [{"kind": "bid", "bid": s.bids[seat], "won": s.tricks[seat]}]

    def trick(self, sight: Sight) -> list[Doc]:
        """One card a seat; the winning one is marked, and what was proven with each."""
        s: State = sight.state
        slots = sight.view.table[TRICK]
        if not slots:
            return []
        leader = (s.turn - len(slots)) % s.seats
        winning = best([sight.known(slot) for slot in slots], s.trump)
        cards = played(sight, slots)
        for i, entry in enumerate(cards):
            seat = (leader + i) % s.seats
            entry["seat"], entry["best"] = seat, i == winning
            entry["proof"] = _proof(sight, slots[0], slots[i], seat)
        return cards

    def piles(self, _sight: Sight) -> list[Doc]:
        """Nobody draws."""
        return []

    def trump(self, sight: Sight) -> Doc | None:
        """The card that was turned; a hand without trump says so."""
        s: State = sight.state
        if s.phase in {Phase.CUT, Phase.DEAL}:
            return None
        turned = sight.view.table[TURNED]
        suit = None if s.trump is None else SUITS[s.trump - 1]
        return {"card": sight.card(turned[0]) if turned else None, "suit": suit, "known": True}

    # --- sentences --------------------------------------------------------------------------------

    def say(self, sight: Sight) -> Doc:
        """Bid, lead, follow, or go on."""
        s: State = sight.state
        match s.phase:
            case Phase.BID:
                return words("say.oh-hell.bid", n=s.hand.cards, count=number(s.hand.cards))
            case Phase.PLAY:
                return _play(sight, s)
            case _:
                return words("say.oh-hell.score", hand=len(s.results))

    def waiting(self, sight: Sight) -> Doc:
        """Who bids or plays."""
        s: State = sight.state
        if s.phase is Phase.PLAY:
            return words("say.playing", who=who(s.turn))
        if s.phase is Phase.BID and len(sight.owing) == 1:
            return words("say.oh-hell.bidding", who=who(*sight.owing))
        return super().waiting(sight)

    def why(self, sight: Sight) -> Doc | None:
        """What the bids add up to, who takes the trick, or what the hand brought."""
        s: State = sight.state
        match s.phase:
            case Phase.BID if sight.asked:
                return _bids(sight, s)
            case Phase.PLAY:
                return _taking(sight, s)
            case Phase.SCORE:
                return _made_bids(s)
            case _:
                return None

    # --- options ----------------------------------------------------------------------------------

    def slots(self, move: Any) -> tuple[Slot, ...]:
        """A play lays one card."""
        return (move.card,) if isinstance(move, Play) else ()

    def verb(self, sight: Sight, move: Any) -> Doc:
        """Bids are their numbers."""
        match move:
            case Bid(tricks):
                return words("verb.oh-hell.bid", n=tricks)
            case Play(card):
                return words("verb.play", card=sight.card_word(card))
            case _:
                last = len(sight.state.results) + 1 == len(sight.state.plan)
                return words("verb.last-hand" if last else "verb.next-hand")

    def shortcut(self, move: Any) -> str | None:
        """Digits bid."""
        if isinstance(move, Bid):
            return str(move.tricks) if move.tricks < 10 else None
        return "Enter"

    def attempt(self, sight: Sight, slot: Slot) -> Any:
        """A click means to play."""
        return Play(slot) if sight.state.phase is Phase.PLAY else None

    # --- on paper ---------------------------------------------------------------------------------

    def sheet(self, sight: Sight) -> Doc:
        """A row a hand, those to come included."""
        s: State = sight.state
        rows: list[Doc] = []
        for i, planned in enumerate(s.plan):
            row: Doc = {"label": planned.cards, "state": "next", "cells": [None] * s.seats}
            if i < len(s.results):
                row |= {"state": "done", "cells": _cells(s, i)}
            elif i == len(s.results):
                bids = s.bids if s.phase in {Phase.BID, Phase.PLAY} else ()
                row |= {"state": "now", "cells": [_ring(bid) for bid in bids] or row["cells"]}
            elif not planned.trump:
                row["span"] = words("sheet.oh-hell.no-trump")
            rows.append(row)
        return {
            "heads": heads(sight),
            "rows": rows,
            "sums": list(s.totals),
            "sub": words(f"sheet.oh-hell.{s.house.miss_points}"),
            "note": _sum_of_bids(s),
        }

    def details(self, sight: Sight) -> Sequence[Doc]:
        """How many bids each seat has made."""
        s: State = sight.state
        made = [sum(r.bids[seat] == r.tricks[seat] for r in s.results) for seat in range(s.seats)]
        return [words("over.bids-made", n=n, of=len(s.results)) for n in made]

    def course(self, sight: Sight) -> list[list[int]]:
        """Running totals."""
        s: State = sight.state
        totals = [0] * s.seats
        course = []
        for result in s.results:
            totals = [a + b for a, b in zip(totals, result.points, strict=True)]
            course.append(totals)
        return course

    def tell(self, made: MoveMade, pack: Pack | None) -> Iterable[Doc]:
        """Bids, plays with what was proven, and who takes the trick."""
        match made.move:
            case Bid(tricks):
                yield words("log.oh-hell.bid", who=who(made.seat), n=tricks, count=number(tricks))
            case Play(card):
                card_word = face_word(pack, made.table.face(card))
                trick = made.table[TRICK]
                if trick and made.claim != NOTHING:
                    led = suit_word(made.table.face(trick[0]).suit)
                    yield words("log.play-proven", who=who(made.seat), card=card_word, suit=led)
                else:
                    yield words("log.play", who=who(made.seat), card=card_word)
                if (gone := self.swept(made)) is not None and gone[1] is not None:
                    n = made.before.tricks[gone[1]] + 1
                    yield words("log.trick", who=who(gone[1]), n=n)
            case _:
                return

    def scored(self, row: Mapping[str, object]) -> Doc | None:
        """Who made the bid."""
        bids, tricks = row["bids"], row["tricks"]
        if not isinstance(bids, tuple) or not isinstance(tricks, tuple):
            return None
        made = [seat for seat, bid in enumerate(bids) if bid == tricks[seat]]
        if not made:
            return words("log.oh-hell.none", hand=row["hand"])
        return words("log.oh-hell.made", hand=row["hand"], seats=whom(made))


def _proof(sight: Sight, led: Slot, slot: Slot, seat: Seat) -> Doc | None:
    """Who does not follow, and keeps cards, has proven that it could not."""
    s: State = sight.state
    wanted, suit = sight.known(led).suit, sight.known(slot).suit
    if suit == wanted or not sight.hand(seat):
        return None
    if s.house.must_trump and s.trump is not None and s.trump not in {suit, wanted}:
        return words("proof.no-suits", suit=suit_word(wanted), other=suit_word(s.trump))
    return words("proof.no-suit", suit=suit_word(wanted))


def _play(sight: Sight, s: State) -> Doc:
    trick = sight.view.table[TRICK]
    if not trick or sight.me is None:
        return words("say.lead")
    led = sight.known(trick[0]).suit
    suits = {sight.known(slot).suit for slot in sight.hand(sight.me)}
    if led in suits:
        return words("say.follow", suit=suit_word(led))
    if s.house.must_trump and s.trump in suits:
        return words("say.must-trump", suit=suit_word(s.trump or 0))
    return words("say.any-card", suit=suit_word(led))


def _bids(sight: Sight, s: State) -> Doc:
    said = sum(bid for bid in s.bids if bid is not None)
    last = s.bids.count(None) == 1
    if s.house.hook and last and said <= s.hand.cards:
        left = s.hand.cards - said
        return words("why.oh-hell.hook", n=number(left), of=number(s.hand.cards))
    if s.house.bidding == "simultaneous":
        return words("why.oh-hell.sealed")
    return words("why.oh-hell.bids", n=said, of=s.hand.cards)


def _taking(sight: Sight, s: State) -> Doc | None:
    trick = sight.view.table[TRICK]
    if not trick:
        return None
    winning = best([sight.known(slot) for slot in trick], s.trump)
    seat = (s.turn - len(trick) + winning) % s.seats
    code = "why.taking-yours" if seat == sight.me else "why.taking"
    return words(code, who=who(seat), card=sight.card_word(trick[winning]))


def _made_bids(s: State) -> Doc:
    result = s.results[-1]
    made = [seat for seat in range(s.seats) if result.bids[seat] == result.tricks[seat]]
    return words("why.oh-hell.made", seats=whom(made)) if made else words("why.oh-hell.none-made")


def _cells(s: State, hand: int) -> list[Doc]:
    result = s.results[hand]
    return [
        {"text": points, "small": bid, "miss": bid != tricks}
        for points, bid, tricks in zip(result.points, result.bids, result.tricks, strict=True)
    ]


def _ring(bid: int | None) -> Doc | None:
    return None if bid is None else {"text": bid, "ring": True}


def _sum_of_bids(s: State) -> Doc | None:
    if s.phase is not Phase.PLAY:
        return None
    said = sum(bid for bid in s.bids if bid is not None)
    code = "over" if said > s.hand.cards else "under" if said < s.hand.cards else "even"
    return words(f"sheet.oh-hell.{code}", n=said, of=s.hand.cards)
