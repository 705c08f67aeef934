"""What is true of every game. Each law is a function that fails by an AssertionError.

A law gets a match at some position and may play it on; `rng` makes all choices. `test_games` tries
them on the registered games, `test_laws_bite` on games and referees that break them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, is_dataclass
from itertools import islice, permutations
from random import Random
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from p2pcards.cards.claims import holds, slots_of
from p2pcards.cards.rules import Dealing, Moves, Over
from p2pcards.cards.table import Table
from p2pcards.engine.view import AnyRules, lawful
from p2pcards.errors import FaceDown, IllegalMove
from p2pcards.testing.referee import Referee
from tests.laws.worlds import arbitrary_moves, fork, hidden_from, move_on, pick, swapped


def no_card_is_lost_or_doubled(referee: Referee, rng: Random) -> None:
    """Every card of the pack lies in one pile, from the deal to the end of the hand, and whoever
    has seen its face has seen the true one."""
    for _ in range(20):
        if referee.pack is not None:
            slots = referee.table.slots()
            assert len(set(slots)) == len(slots)
            assert set(slots) == referee.truth.keys()
            assert Counter(referee.truth.values()) == Counter(referee.pack.faces)
            for seen in (referee.table.faces, *referee.known):
                assert seen.items() <= referee.truth.items()
        if referee.outcome is not None:
            return
        move_on(referee, rng)


def what_is_not_offered_is_refused(referee: Referee, rng: Random) -> None:
    """A move that no option offers is refused with a code, and nothing has changed."""
    before = fork(referee)
    for seat in range(referee.seats):
        offered = {option.move for option in referee.options(seat)}
        for move in arbitrary_moves(referee, rng, 25):
            if move in offered:
                continue
            with pytest.raises(IllegalMove) as refusal:
                referee.play(seat, move)
            assert "." in refusal.value.code
    assert referee == before


def a_card_of_others_is_refused_unseen(referee: Referee, rng: Random) -> None:
    """`judge` asks for a hidden face only if the seat may make the move, whatever the face is."""
    for seat in range(referee.seats):
        offered = {option.move for option in referee.options(seat)}
        for move in arbitrary_moves(referee, rng, 25):
            opened = referee.rules.opens(move)
            known = {s: referee.known[seat][s] for s in opened if s in referee.known[seat]}
            try:
                referee.rules.judge(referee.state, referee.table.turn_up(known), seat, move)
            except FaceDown:
                assert move in offered
            except IllegalMove:
                continue


def what_is_offered_is_accepted(referee: Referee, rng: Random) -> None:
    """Every option of every seat can be played, and ids and moves are distinct."""
    for seat in range(referee.seats):
        options = referee.options(seat)
        assert len({option.id for option in options}) == len(options)
        assert len({option.move for option in options}) == len(options)
        for option in options:
            assert type(option.move) in referee.rules.moves
            fork(referee).play(seat, option.move)


def who_owes_can_move(referee: Referee, rng: Random) -> None:
    """A seat that owes a move has an option, exactly one if it is forced; others have none."""
    awaits = referee.rules.awaits(referee.state, referee.table)
    assert isinstance(awaits, Moves)
    assert awaits.seats
    assert awaits.seats <= set(range(referee.seats))
    for seat in range(referee.seats):
        count = len(referee.options(seat))
        assert (count > 0) == (seat in referee.owing)
        assert not (awaits.forced and count > 1)
    assert referee.view(None).options == ()


def hidden_cards_change_nothing(referee: Referee, rng: Random) -> None:
    """Two worlds: swap two cards that a seat has not seen; its view with all options stays."""
    for seat in (None, *range(referee.seats)):
        hidden = hidden_from(referee, seat)
        if len(hidden) < 2:
            continue
        a, b = rng.sample(hidden, 2)
        other = swapped(referee, a, b)
        assert referee.view(seat) == other.view(seat)


def claims_speak_of_own_cards(referee: Referee, rng: Random) -> None:
    """A claim is about cards that lie face up or in a pile of the mover, before the move."""
    for seat in referee.owing:
        known = referee.known[seat]
        piles = referee.table.piles.items()
        held = {slot for pile, slots in piles if pile.seat == seat for slot in slots}
        mine = referee.table.turn_up(known)
        for move in referee.rules.candidates(referee.state, mine, seat):
            opened = {s: known[s] for s in referee.rules.opens(move) if s in known}
            shown = referee.table.turn_up(opened)
            try:
                ruling = referee.rules.judge(referee.state, shown, seat, move)
            except (IllegalMove, FaceDown):
                continue
            assert slots_of(ruling.claim) <= held | shown.faces.keys()


def a_claim_is_the_same_for_all(referee: Referee, rng: Random) -> None:
    """The ruling by which a seat chose is the one that everybody reaches who accepts the move."""
    for seat in referee.owing:
        known = referee.known[seat]
        for move, ruling in lawful(referee.rules, referee.state, referee.table, seat, known):
            opened = {slot: referee.truth[slot] for slot in referee.rules.opens(move)}
            shown = referee.table.turn_up(opened)
            theirs = referee.rules.judge(referee.state, shown, seat, move)
            assert ruling is None or ruling == theirs
            assert holds(theirs.claim, shown.turn_up(known).face)
            assert theirs.broken(shown.turn_up(known).face) is None


def moves_of_one_step_commute(referee: Referee, rng: Random) -> None:
    """Where several seats move at once, the order in which their moves count does not matter."""
    for _ in range(40):
        if len(referee.owing) > 1:
            break
        if referee.outcome is not None:
            return
        move_on(referee, rng)
    owing = sorted(referee.owing)
    if len(owing) < 2:
        return
    said = {seat: pick(referee.options(seat), rng).move for seat in owing}

    arrived = []
    for order in (owing, owing[::-1], rng.sample(owing, len(owing))):
        match = fork(referee)
        for seat in order:
            match.play(seat, said[seat])
        arrived.append(match)
    assert all(match == arrived[0] for match in arrived)

    folded = [_fold(referee, said, order) for order in islice(permutations(owing), 24)]
    assert all(end == folded[0] for end in folded)


def _fold(referee: Referee, said: dict[int, Any], order: tuple[int, ...]) -> tuple[Any, Table]:
    match = fork(referee)
    for seat in order:
        opened = {slot: match.truth[slot] for slot in match.rules.opens(said[seat])}
        match.table = match.table.turn_up(opened)
        ruling = match.rules.judge(match.state, match.table, seat, said[seat])
        match.state = ruling.state
        for op in ruling.ops:
            match.perform(op)
    return match.state, match.table


def a_match_ends(referee: Referee, rng: Random) -> None:
    """Random play comes to an end, with places that start at 1 and a gap after shared ones."""
    for _ in range(20_000):
        if referee.outcome is not None:
            break
        move_on(referee, rng)
    over = referee.outcome
    assert over is not None
    assert sorted(over.places) == [1 + sum(q < p for q in over.places) for p in sorted(over.places)]
    assert len(over.places) == referee.seats
    assert over == referee.rules.standing(referee.state)
    assert all(referee.options(seat) == () for seat in range(referee.seats))


def a_replay_gives_the_same(first: Referee, again: Referee, rng: Random) -> None:
    """Two matches from one beginning: the moves of the first make the second its equal."""
    assert first == again
    for _ in range(60):
        if first.outcome is not None:
            break
        move_on(first, rng)
    for seat, move in first.history:
        again.play(seat, move)
    for seat, move in first.said.items():
        again.play(seat, move)
    assert first == again


def nothing_changes_in_place(referee: Referee, rng: Random) -> None:
    """States and tables that were handed out stay as they were, and cannot be altered."""
    seen: list[tuple[Any, str, Table, str]] = []
    for _ in range(25):
        seen.append((referee.state, repr(referee.state), referee.table, repr(referee.table)))
        if referee.outcome is not None:
            break
        move_on(referee, rng)
    for state, state_text, table, table_text in seen:
        assert repr(state) == state_text
        assert repr(table) == table_text
        assert hash(state) == hash(state)
        for record in (state, table):
            for field in fields(record):
                with pytest.raises(AttributeError):
                    setattr(record, field.name, None)
    for pile in referee.table.piles:
        with pytest.raises(TypeError):
            referee.table.piles[pile] = ()  # type: ignore[index] # it must not be possible


def the_cards_have_turns(referee: Referee, rng: Random) -> None:
    """Asked the same, rules answer the same; cards never move without an operation."""
    for _ in range(20):
        awaits = referee.rules.awaits(referee.state, referee.table)
        assert awaits == referee.awaits
        assert not isinstance(awaits, Dealing)
        if isinstance(awaits, Over):
            return
        move_on(referee, rng)


def the_sheet_grows(referee: Referee, rng: Random) -> None:
    """Rows of the score sheet are added and never altered, and hold plain values."""
    before = tuple(referee.rules.sheet(referee.state))
    for _ in range(40):
        sheet = tuple(referee.rules.sheet(referee.state))
        assert sheet[: len(before)] == before
        assert len(sheet) <= len(before) + 1
        for row in sheet:
            assert all(_is_plain(value) for value in row.values())
        before = sheet
        if referee.outcome is not None:
            return
        move_on(referee, rng)


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | str)


def moves_are_records(rules: AnyRules) -> None:
    """A move is a frozen, slotted record of whole numbers, truths, texts and tuples of numbers."""
    assert len({kind.__name__ for kind in rules.moves}) == len(rules.moves)
    for kind in rules.moves:
        assert is_dataclass(kind)
        assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined] # not in the stubs
        assert "__slots__" in vars(kind)
        for hint in get_type_hints(kind).values():
            assert hint in (int, bool, str) or (
                get_origin(hint) is tuple and get_args(hint) == (int, ...)
            ), f"{kind.__name__}: {hint}"
            assert not isinstance(hint, UnionType)
