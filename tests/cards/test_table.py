"""The table: piles, faces, and the notation of positions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pcards.cards.faces import french
from p2pcards.cards.table import STOCK, TRICK, Pile, Table, hand, lay, won
from p2pcards.errors import FaceDown

PACK = french()
AS, KD = PACK.face("As"), PACK.face("Kd")


# [DEAL-3] of protocol.md
def test_a_new_deck_retires_all_cards() -> None:
    table = Table().with_deck(3).turn_up({0: AS}).with_toss(7)
    assert table[STOCK] == (0, 1, 2)
    again = table.with_deck(2)
    assert again[STOCK] == again.slots() == (3, 4)
    assert again.faces == {}
    assert again.next_slot == 5
    assert again.toss == 7


def test_putting_moves_cards_to_the_end() -> None:
    table = Table().with_deck(4).put((2,), hand(0)).put((0, 3), hand(0))
    assert table[hand(0)] == (2, 0, 3)
    assert table[STOCK] == (1,)
    assert table.where(3) == hand(0)
    assert table.where(9) is None
    emptied = table.put((1,), TRICK)
    assert STOCK not in emptied.piles
    assert emptied[STOCK] == ()
    assert table.put((), TRICK) == table
    assert table.put((2,), hand(0))[hand(0)] == (0, 3, 2)


@pytest.mark.parametrize("slots", [(9,), (1, 1), (0, 9)])
def test_no_card_comes_from_nowhere(slots: tuple[int, ...]) -> None:
    table = Table().with_deck(3)
    with pytest.raises(ValueError, match="not distinct cards"):
        table.put(slots, TRICK)
    with pytest.raises(ValueError, match="not distinct cards"):
        table.mixed(slots)


def test_only_what_lies_face_up_can_be_read() -> None:
    table = Table().with_deck(2)
    up = table.turn_up({1: KD})
    assert up.face(1) == KD
    assert (up.is_up(0), up.is_up(1)) == (False, True)
    for hidden in (0, 5):
        with pytest.raises(FaceDown):
            up.face(hidden)
    assert not table.is_up(1), "the first table has not changed"
    assert table.turn_up({}) is table
    assert up.put((1,), TRICK).is_up(1)


# [DEAL-3] of protocol.md
def test_mixing_makes_new_slots_in_the_same_places() -> None:
    table = Table().with_deck(5).put((1, 2, 3), hand(0)).turn_up({2: AS, 4: KD})
    mixed, fresh = table.mixed((1, 2))
    assert fresh == (5, 6)
    assert mixed[hand(0)] == (5, 6, 3)
    assert mixed.faces == {4: KD}, "a mixed card can no longer be told"
    assert mixed.next_slot == 7


@given(
    moves=st.lists(
        st.tuples(st.integers(0, 2), st.lists(st.integers(0, 9), max_size=4, unique=True)),
        max_size=12,
    )
)
def test_no_card_is_lost_or_doubled(moves: list[tuple[int, list[int]]]) -> None:
    table = Table().with_deck(10)
    for to, places in moves:
        slots = [table.slots()[place] for place in places]
        if to == 2:
            table, fresh = table.mixed(slots)
            assert set(fresh) <= set(table.slots())
            assert not set(slots) & set(table.slots())
        else:
            table = table.put(slots, (TRICK, won(3))[to])
            assert table[(TRICK, won(3))[to]][-len(slots) :] == tuple(slots) or not slots
        assert len(table.slots()) == len(set(table.slots())) == 10
        assert max(table.slots()) < table.next_slot


def test_the_notation_of_positions() -> None:
    table, truth = lay(PACK, "hand 0: As 2h!; hand 1: 4c; trick: 5h! ; turned:")
    assert table[hand(0)] == (0, 1)
    assert table[hand(1)] == (2,)
    assert table[TRICK] == (3,)
    assert table[Pile("turned")] == ()
    assert [PACK.name(truth[slot]) for slot in range(4)] == ["As", "2h", "4c", "5h"]
    assert set(table.faces) == {1, 3}
    assert table.next_slot == 4
    assert lay(PACK, "") == (Table(), {})
    for wrong in ("hand 0: As!!", "hand 0: A*"):
        with pytest.raises(ValueError, match="not a card"):
            lay(PACK, wrong)
    with pytest.raises(KeyError):
        lay(PACK, "hand 0: Zz")


def test_piles_have_names() -> None:
    assert str(hand(2)) == "hand 2"
    assert str(TRICK) == "trick"
    assert hand(1) == Pile("hand", 1) != hand(2)
