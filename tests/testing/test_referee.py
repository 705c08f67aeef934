"""The referee: the six operations on true faces, what each seat learns, sealed and blind moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pcards.cards.claims import All, RankAtLeast
from p2pcards.cards.faces import Face, french
from p2pcards.cards.ops import EVERYONE, Deck, Give, Mix, Op, Put, Show, Top, Toss, Unexposed, Whole
from p2pcards.cards.rules import Await, Dealing, Moves, Option, Over, Ruling, Value, need
from p2pcards.cards.table import STOCK, TRICK, Pile, Seat, Slot, Table, hand, lay
from p2pcards.errors import FaceDown, IllegalMove, StaleChoice
from p2pcards.games.oh_hell import OhHell, Ready
from p2pcards.testing.referee import Referee

PACK = french()
BLIND = Pile("blind", 0)


@dataclass(frozen=True, slots=True)
class Flip:
    """Turn a card of one's blind pile."""

    card: Slot


@dataclass(frozen=True, slots=True)
class Boast:
    """Lay a card and claim that all others are at least a ten."""

    card: Slot


@dataclass(frozen=True, slots=True)
class Tale:
    """What has happened in the toy game."""

    flipped: tuple[Face, ...] = ()
    sealed: bool = False


class Toy:
    """Seat 0 turns blind cards, or all seats boast at once; never ends by itself."""

    key = "toy"
    title = "Toy"
    seats = range(2, 4)
    moves: tuple[type[Flip | Boast], ...] = (Flip, Boast)
    options: tuple[Option, ...] = ()

    def check(self, options: Mapping[str, Value], seats: int) -> None:
        """Nothing to refuse."""

    def start(self, seats: int, options: Mapping[str, Value]) -> Tale:
        """Nothing has happened."""
        return Tale()

    def awaits(self, s: Tale, t: Table) -> Await:
        """Seat 0 while it has blind cards."""
        if s.sealed:
            return Moves(frozenset({0, 1}), sealed=True)
        return Moves(frozenset({0})) if t[BLIND] else Over((1, 1))

    def resume(self, s: Tale, t: Table) -> Tale:
        """Nothing is dealt."""
        return s

    def opens(self, m: Flip | Boast) -> tuple[Slot, ...]:
        """The card."""
        return (m.card,)

    def judge(self, s: Tale, t: Table, seat: Seat, m: Flip | Boast) -> Ruling[Tale]:
        """A flip tells the face; a boast proves the cards kept."""
        if isinstance(m, Flip):
            need(seat == 0 and m.card in t[BLIND], "card.not_held")
            face = t.face(m.card)
            return Ruling(replace(s, flipped=(*s.flipped, face)), (Put((m.card,), TRICK),))
        held = t[hand(seat)]
        need(s.sealed and m.card in held, "card.not_held")
        claim = All(RankAtLeast(slot, 10) for slot in held if slot != m.card)
        return Ruling(s, (Put((m.card,), TRICK),), claim)

    def candidates(self, s: Tale, t: Table, seat: Seat) -> Iterable[Flip | Boast]:
        """Blind cards and own ones."""
        yield from map(Flip, t[BLIND])
        yield from map(Boast, t[hand(seat)])

    def sheet(self, s: Tale) -> Sequence[Mapping[str, object]]:
        """Empty."""
        return ()

    def standing(self, s: Tale) -> Over:
        """Everybody is first."""
        return Over((1, 1))


def toy(text: str, *, sealed: bool = False) -> Referee:
    return Referee.at(Toy(), 2, Tale(sealed=sealed), lay(PACK, text), rng=Random(5))


def names(faces: Iterable[Face]) -> str:
    return " ".join(PACK.name(face) for face in faces)


# --- operations -----------------------------------------------------------------------------------


def test_a_deck_is_new_and_unknown_and_a_mix_orders_it() -> None:
    referee = toy("hand 0: As; hand 1: Kd!")
    referee.perform(Deck(PACK))
    assert referee.known == [{}, {}]
    assert referee.table.faces == {}
    before = [referee.truth[slot] for slot in referee.table[STOCK]]
    assert before == list(PACK.faces)
    referee.perform(Mix(Whole(STOCK), EVERYONE))
    after = [referee.truth[slot] for slot in referee.table[STOCK]]
    assert sorted(after) == sorted(before) != after
    assert referee.truth.keys() == set(referee.table.slots())


def test_a_toss_is_in_range() -> None:
    referee = toy("")
    seen = set()
    for _ in range(60):
        referee.perform(Toss(3))
        seen.add(referee.table.toss)
    assert seen == {0, 1, 2}


def test_showing_tells_one_seat_or_all() -> None:
    referee = toy("stock: As Kd 2c")
    referee.perform(Show(Top(STOCK), 1))
    assert [names(known.values()) for known in referee.known] == ["", "As"]
    assert referee.table.faces == {}
    referee.perform(Put(Top(STOCK), hand(1)))
    referee.perform(Show(Top(STOCK), EVERYONE))
    assert names(referee.table.faces.values()) == "Kd"


def test_giving_tells_the_receiver_alone() -> None:
    referee = toy("hand 0: As; hand 1: Kd")
    referee.perform(Give(Whole(hand(0)), 0, 1))
    assert names(referee.known[1].values()) == "Kd As"
    assert names(referee.known[0].values()) == "As", "the giver remembers"
    assert referee.table.faces == {}
    with pytest.raises(FaceDown):
        toy("stock: 2c").perform(Give(Top(STOCK), 0, 1))


def test_who_mixes_alone_keeps_the_thread() -> None:
    referee = toy("hand 0: As Kd 2c 3c 4c! ; hand 1: Qh")
    referee.known[1] = {0: PACK.face("As")}
    cards = {referee.truth[slot] for slot in referee.table[hand(0)]}
    referee.perform(Mix(Unexposed(hand(0)), (0,)))
    held = referee.table[hand(0)]
    assert {referee.truth[slot] for slot in held} == cards
    assert {slot: referee.truth[slot] for slot in held[:4]}.items() <= referee.known[0].items()
    assert referee.known[1] == {}
    assert referee.table.is_up(held[4])


def test_what_several_have_mixed_nobody_knows() -> None:
    for by in ((0, 1), EVERYONE):
        referee = toy("hand 0: As Kd!")
        referee.perform(Mix(Whole(hand(0)), by))
        assert referee.known == [{}, {}]
        assert referee.table.faces == {}


PLACES = (STOCK, hand(0), hand(1), TRICK)
place = st.sampled_from(PLACES)
seat = st.integers(0, 1)
cards = st.one_of(
    st.builds(Top, place, st.integers(1, 9)), st.builds(Whole, place), st.builds(Unexposed, place)
)
mixers = st.sampled_from([(0,), (1,), (0, 1), EVERYONE])
any_op = st.one_of(
    st.builds(Put, cards, place),
    st.builds(Show, cards, st.one_of(seat, st.just(EVERYONE))),
    st.builds(Mix, cards, mixers),
    st.builds(Toss, st.just(6)),
    st.builds(lambda giver: Give(Whole(hand(giver)), giver, 1 - giver), seat),
)


@given(ops=st.lists(any_op, max_size=20))
def test_no_operation_loses_or_doubles_a_card_or_tells_a_wrong_one(ops: list[Op]) -> None:
    referee = toy("hand 0: As Kd 2c; hand 1: 3c 4c!; trick: 5c! 6c!")
    cards_before = sorted(referee.truth.values())
    for op in ops:
        try:
            referee.perform(op)
        except FaceDown:
            assert isinstance(op, Give), "only a giver must know the cards"
        slots = referee.table.slots()
        assert len(slots) == len(set(slots)) == len(cards_before)
        assert set(slots) == referee.truth.keys()
        assert sorted(referee.truth.values()) == cards_before
        for seen in (referee.table.faces, *referee.known):
            assert seen.items() <= referee.truth.items()


# --- moves ----------------------------------------------------------------------------------------


def test_a_blind_card_is_turned_when_it_is_played() -> None:
    referee = toy("blind 0: As Kd; blind 1: 2c")
    first, second, foreign = referee.table.slots()
    assert [option.move for option in referee.options(0)] == [Flip(first), Flip(second)]
    assert not any(referee.view(0).table.is_up(slot) for slot in referee.table.slots())
    with pytest.raises(IllegalMove):
        referee.play(0, Flip(foreign))
    assert not referee.table.is_up(foreign)
    referee.play(0, Flip(second))
    assert names(referee.state.flipped) == "Kd"
    assert referee.table.is_up(second)
    assert not referee.table.is_up(first)
    assert referee.outcome is None
    referee.play(0, Flip(first))
    assert referee.outcome == Over((1, 1))


def test_a_false_claim_is_refused_and_changes_nothing() -> None:
    referee = toy("hand 0: As 2c; hand 1: Kd Qd", sealed=True)
    low = referee.table[hand(0)]
    assert [option.move for option in referee.options(0)] == [Boast(low[1])]
    with pytest.raises(IllegalMove) as refused:
        referee.play(0, Boast(low[0]))
    assert refused.value.code == "play.illegal"
    assert not referee.table.faces
    assert referee.owing == {0, 1}


def test_sealed_moves_count_together_in_seat_order() -> None:
    referee = toy("hand 0: As Ks; hand 1: Kd Qd", sealed=True)
    (mine, _), (theirs, _) = referee.table[hand(0)], referee.table[hand(1)]
    referee.play(1, Boast(theirs))
    assert referee.table[TRICK] == ()
    assert referee.owing == {0}
    assert referee.options(1) == ()
    with pytest.raises(IllegalMove) as refused:
        referee.play(1, Boast(theirs))
    assert refused.value.code == "turn.not_yours"
    step = referee.step
    referee.play(0, Boast(mine))
    assert referee.table[TRICK] == (mine, theirs)
    assert referee.history == [(0, Boast(mine)), (1, Boast(theirs))]
    assert referee.step == step + 1


def test_options_are_chosen_by_id() -> None:
    referee = toy("blind 0: As Kd")
    referee.choose(0, referee.options(0)[1].id)
    assert names(referee.state.flipped) == "Kd"
    with pytest.raises(StaleChoice):
        referee.choose(0, "o7")
    with pytest.raises(StaleChoice):
        referee.choose(1, "o0")


def test_playing_out_stops_where_it_should() -> None:
    first = [lambda view: view.options[0].id] * 3
    referee = Referee.deal(OhHell(), 3, {"max_hand": 2}, rng=Random(1))
    assert referee.play_out(first) == referee.outcome
    with pytest.raises(ValueError, match="not ended after 5"):
        Referee.deal(OhHell(), 3, rng=Random(1)).play_out(first, most=5)


def test_the_same_rng_deals_the_same_cards() -> None:
    rules = OhHell()
    first, again, other = (Referee.deal(rules, 4, rng=Random(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_what_is_known_can_be_told() -> None:
    referee = Referee.at(
        Toy(), 2, Tale(), lay(PACK, "blind 0: As Kd"), known=[{0: PACK.face("As")}, {}]
    )
    assert names(referee.view(0).table.faces.values()) == "As"
    assert names(referee.view(None).table.faces.values()) == ""


def test_dealing_goes_on_until_somebody_owes_a_move() -> None:
    referee = Referee.deal(OhHell(), 3, rng=Random(1))
    assert not isinstance(referee.awaits, Dealing)
    assert referee.step == 3
    with pytest.raises(IllegalMove, match=r"phase\.wrong"):
        referee.play(0, Ready())
