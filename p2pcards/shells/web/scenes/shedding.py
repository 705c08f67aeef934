"""What the looks of games share in which cards are got rid of: places, endings, sets of cards."""

from __future__ import annotations

from collections.abc import Sequence

from p2pcards.cards.faces import Face, Pack
from p2pcards.cards.rules import Over
from p2pcards.cards.table import Seat, Slot
from p2pcards.shells.web.sight import Doc, Sight, face_word, number, ranks_word, who, words


def set_words(sight: Sight, slots: Sequence[Slot], code: str) -> Doc:
    """`code` with one card, or `code`-set with several equal ones."""
    return faces_words(sight.view.pack, [sight.known(slot) for slot in slots], code)


def faces_words(pack: Pack | None, faces: Sequence[Face], code: str, **args: Doc) -> Doc:
    """The same for faces."""
    if len(faces) == 1:
        return words(code, card=face_word(pack, faces[0]), **args)
    n = len(faces)
    return words(f"{code}-set", n=n, count=number(n), ranks=ranks_word(pack, faces[0]), **args)


def loser(over: Over) -> Seat | None:
    """The one seat in the last place."""
    last = [seat for seat, place in enumerate(over.places) if place == max(over.places)]
    return last[0] if len(last) == 1 else None


def last_one(sight: Sight, over: Over) -> Doc | None:
    """Who is left with cards."""
    seat = loser(over)
    if seat is None:
        return None
    return words("over.last-you") if seat == sight.me else words("over.last", who=who(seat))
