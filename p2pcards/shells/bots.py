"""Bots: functions from a seat's view to the id of one of its options.

A bot knows what its seat knows: the view, and nothing else. `random` takes any option; `simple`
plays by a few rules of thumb where it knows the game and at random elsewhere. Chance comes from the
caller's `rng` and never touches the cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from types import MappingProxyType

from p2pcards.cards.faces import Face
from p2pcards.cards.table import TRICK, Seat, hand
from p2pcards.engine.view import Choice, SeatView
from p2pcards.errors import BadOption
from p2pcards.games import oh_hell
from p2pcards.games.cuckoo import Cuckoo
from p2pcards.games.oh_hell_house import PACK
from p2pcards.games.president import President
from p2pcards.games.rovhult import Rovhult
from p2pcards.games.twopart import Twopart
from p2pcards.shells import bots_cuckoo, bots_president, bots_rovhult, bots_twopart

Strategy = Callable[[SeatView], str]
"""Reads a view with at least one option and gives the id of the chosen one."""


def play_random(rng: Random) -> Strategy:
    """Every option is equally likely."""
    return lambda view: rng.choice(view.options).id


def play_simple(rng: Random) -> Strategy:
    """Rules of thumb for the games in `_THUMBS`; `random` for the others."""
    fallback = play_random(rng)

    def choose(view: SeatView) -> str:
        thumb = _THUMBS.get(view.game)
        return fallback(view) if thumb is None else thumb(view).id

    return choose


STRATEGIES: Mapping[str, Callable[[Random], Strategy]] = MappingProxyType(
    {"random": play_random, "simple": play_simple}
)
"""By name, as the command line takes them."""


def strategy(name: str, rng: Random) -> Strategy:
    """A bot of this name; `BadOption` names the strategies there are."""
    if name not in STRATEGIES:
        raise BadOption("strategy.unknown", f"{name}: there are {', '.join(STRATEGIES)}")
    return STRATEGIES[name](rng)


# --- Oh Hell --------------------------------------------------------------------------------------


def _oh_hell(view: SeatView) -> Choice:
    state: oh_hell.State = view.state
    match state.phase:
        case oh_hell.Phase.BID:
            return _nearest_bid(view, state)
        case oh_hell.Phase.PLAY:
            return _play_for_the_bid(view, state)
        case _:
            return view.options[0]


def _seat(view: SeatView) -> Seat:
    if view.seat is None:
        raise ValueError("a spectator has nothing to choose")
    return view.seat


def _nearest_bid(view: SeatView, state: oh_hell.State) -> Choice:
    expected = sum(_chances(view, state))

    def distance(choice: Choice) -> float:
        bid: oh_hell.Bid = choice.move
        return abs(bid.tricks - expected)

    return min(view.options, key=distance)


def _chances(view: SeatView, state: oh_hell.State) -> Iterable[float]:
    """For each card of the hand, a guess at how likely it takes a trick."""
    held = [view.table.face(slot) for slot in view.table[hand(_seat(view))]]
    seen = {*held, *view.public.faces.values()}
    unseen = [face for face in PACK.faces if face not in seen]
    others = state.seats - 1
    # the chance that one given unseen card is in somebody's hand at all
    dealt = min(1.0, others * len(held) / len(unseen))
    # the chance that one given seat has none of some suit: three of four cards are of others
    void = 0.75 ** len(held)
    not_ruffed = (1 - void * (1 - void)) ** others
    for face in held:
        higher = sum(other.suit == face.suit and other.rank > face.rank for other in unseen)
        highest = (1 - dealt) ** higher
        if face.suit == state.trump:
            yield max(highest, 0.35)  # even a low trump may ruff
        else:
            yield highest * (not_ruffed if state.trump is not None else 0.9)


def _play_for_the_bid(view: SeatView, state: oh_hell.State) -> Choice:
    seat = _seat(view)
    trick = [view.table.face(slot) for slot in view.table[TRICK]]
    last = len(trick) == state.seats - 1
    wants_more = state.tricks[seat] < (state.bids[seat] or 0)

    def face(choice: Choice) -> Face:
        return view.table.face(choice.move.card)

    def power(choice: Choice) -> tuple[bool, int]:
        return face(choice).suit == state.trump, face(choice).rank

    def leads(choice: Choice) -> bool:
        return oh_hell.best([*trick, face(choice)], state.trump) == len(trick)

    taking = [choice for choice in view.options if leads(choice)]
    ducking = [choice for choice in view.options if not leads(choice)]
    if wants_more:
        if not taking:
            return min(ducking, key=power)
        # Last to play, the cheapest winner does; before that only the best may hold.
        return min(taking, key=power) if last else max(taking, key=power)
    if ducking:
        return max(ducking, key=power)
    return max(taking, key=power) if last else min(taking, key=power)


_THUMBS: Mapping[str, Callable[[SeatView], Choice]] = MappingProxyType(
    {
        oh_hell.OhHell.key: _oh_hell,
        Cuckoo.key: bots_cuckoo.choose,
        President.key: bots_president.choose,
        Rovhult.key: bots_rovhult.choose,
        Twopart.key: bots_twopart.choose,
    }
)
