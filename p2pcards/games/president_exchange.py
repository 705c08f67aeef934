"""The exchange of Røvhul: the two best cards for two low ones, by cards that nobody else sees.

What a gift must be, as a claim about the giver's hand, and which gifts a seat can make. Knows hands
and no turns. Gifts are ordered: the claim compares each given card with its neighbour, and only the
last one with the cards that are kept, which takes half as many comparisons as all with all.
protocol.md section 7.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise, permutations

from p2pcards.cards.claims import NOTHING, All, Any, AtLeast, Claim, RankAtMost
from p2pcards.cards.faces import Attribute
from p2pcards.cards.ops import Give, Op, Put
from p2pcards.cards.rules import need
from p2pcards.cards.table import Seat, Slot, Table, hand
from p2pcards.games.president_house import HIGHEST_LOW

Gift = tuple[Slot, ...]


def hand_over(gift: Gift, giver: Seat, to: Seat) -> tuple[Op, ...]:
    """The receiver sees the cards and takes them into the hand."""
    return (Give(gift, giver, to), Put(gift, hand(to)))


def check_gift(gift: Gift, count: int, held: tuple[Slot, ...]) -> tuple[Slot, ...]:
    """The cards kept. Raises `IllegalMove` unless these are so many different cards of the hand."""
    need(len(gift) == count, "exchange.wrong_count", f"{count}")
    need(all(card in held for card in gift), "card.not_held")
    need(len(set(gift)) == count, "exchange.wrong_count", "one card twice")
    return tuple(card for card in held if card not in gift)


# --- the best cards -------------------------------------------------------------------------------


def are_best(gift: Gift, kept: tuple[Slot, ...], by: Attribute) -> Claim:
    """No card kept ranks higher than any given; the highest is given first."""
    descending = (AtLeast(high, low, by) for high, low in pairwise(gift))
    return All((*descending, *(AtLeast(gift[-1], card, by) for card in kept)))


def best_gifts(t: Table, held: tuple[Slot, ...], count: int, by: Attribute) -> Iterator[Gift]:
    """Every gift of the best cards. `t` shows the faces of the hand."""
    best = sorted((t.face(card)[by] for card in held), reverse=True)[:count]
    return (gift for gift in permutations(held, count) if [t.face(c)[by] for c in gift] == best)


# --- the low cards --------------------------------------------------------------------------------


def are_returnable(gift: Gift, kept: tuple[Slot, ...], rule: str) -> Claim:
    """The cards may be returned under this `return_rule`; the lowest is given first."""
    if rule == "any":
        return NOTHING
    ascending = [AtLeast(high, low) for low, high in pairwise(gift)]
    lowest = All(AtLeast(card, gift[-1]) for card in kept)
    if rule == "lowest":
        return All((*ascending, lowest))
    # Where the last card given is low, so are the others. Where it is not, the hand must have too
    # few low cards, which is so if all it keeps rank at least as high.
    return All((*ascending, Any((RankAtMost(gift[-1], HIGHEST_LOW), lowest))))


def check_order(gift: Gift, rule: str) -> None:
    """Where no card is compared with another one set of cards is one gift, not several."""
    if rule == "any":
        need(all(a < b for a, b in pairwise(gift)), "move.order")


def returnable_gifts(t: Table, held: tuple[Slot, ...], count: int, rule: str) -> Iterable[Gift]:
    """Every gift that may be returned. `t` shows the faces of the hand."""
    if rule == "any":
        return combinations(sorted(held), count)
    lowest = sorted(t.face(card).rank for card in held)[:count]

    def fits(gift: Gift) -> bool:
        ranks = [t.face(card).rank for card in gift]
        low = rule == "low" and ranks == sorted(ranks) and ranks[-1] <= HIGHEST_LOW
        return low or ranks == lowest

    return filter(fits, permutations(held, count))
