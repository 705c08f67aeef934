"""Operations as data: references, and the recipes made of them."""

from __future__ import annotations

from itertools import permutations

import pytest

from p2pcards.cards.faces import french
from p2pcards.cards.ops import (
    EVERYONE,
    Cards,
    Give,
    Mix,
    Op,
    Put,
    Show,
    Top,
    Unexposed,
    Whole,
    deal,
    draw,
    hide,
    in_order,
    resolve,
    shuffle,
    swap,
    turn_up,
)
from p2pcards.cards.table import STOCK, TRICK, Slot, Table, hand, lay

PACK = french()


@pytest.mark.parametrize(
    "cards, slots",
    [
        ((4, 1), (4, 1)),
        ((), ()),
        (Top(STOCK), (0,)),
        (Top(STOCK, 2), (0, 1)),
        (Top(STOCK, 9), (0, 1, 2)),
        (Top(TRICK), ()),
        (Whole(hand(1)), (3, 4)),
        (Whole(TRICK), ()),
        (Unexposed(hand(1)), (4,)),
    ],
)
def test_references(cards: Cards, slots: tuple[Slot, ...]) -> None:
    table, _ = lay(PACK, "stock: 2c 3c 4c; hand 1: 5c! 6c")
    assert resolve(cards, table) == slots


def put_all(table: Table, ops: tuple[Op, ...]) -> Table:
    for op in ops:
        if isinstance(op, Put):
            table = table.put(resolve(op.cards, table), op.to)
    return table


def test_dealing_goes_round_card_by_card() -> None:
    ops = deal((2, 0), 2)
    assert ops == (*draw(2), *draw(0), *draw(2), *draw(0))
    table = put_all(Table().with_deck(6), ops)
    assert table[hand(2)] == (0, 2)
    assert table[hand(0)] == (1, 3)
    assert [op.to for op in ops if isinstance(op, Show)] == [2, 0, 2, 0]


def test_turning_up_shows_everyone() -> None:
    assert turn_up(TRICK) == (Show(Top(STOCK), EVERYONE), Put(Top(STOCK), TRICK))


def test_shuffling_is_mixing_by_all_and_hiding_by_one() -> None:
    assert shuffle() == (Mix(Whole(STOCK), EVERYONE),)
    assert hide(3) == (Mix(Unexposed(hand(3)), (3,)),)


def test_a_swap_exchanges_whole_hands() -> None:
    table, _ = lay(PACK, "hand 0: 2c 3c; hand 1: 4c")
    ops = swap(0, 1)
    after = put_all(table, ops)
    assert after[hand(0)] == (2,)
    assert after[hand(1)] == (0, 1)
    assert len(after.slots()) == 3
    gives = [(op.giver, op.to) for op in ops if isinstance(op, Give)]
    assert gives == [(0, 1), (1, 0)]


def test_a_toss_stands_for_an_order() -> None:
    orders = [in_order((7, 8, 9, 5), toss) for toss in range(24)]
    assert set(orders) == set(permutations((7, 8, 9, 5)))
    assert orders[0] == (7, 8, 9, 5)
    assert orders[-1] == (5, 9, 8, 7)
    assert in_order((), 0) == ()
    assert in_order((3,), 0) == (3,)
