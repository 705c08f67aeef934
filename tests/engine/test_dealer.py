"""The dealer by itself: the queue, who owes what, and which debts ride on a move."""

from __future__ import annotations

import pytest

from p2pcards.cards.faces import Face
from p2pcards.cards.ops import (
    EVERYONE,
    Deck,
    Give,
    Mix,
    Op,
    Put,
    Show,
    Top,
    Toss,
    Unexposed,
    Whole,
    deal,
    draw,
    hide,
    swap,
    turn_up,
)
from p2pcards.cards.table import STOCK, Pile, Seat, Slot, hand
from p2pcards.engine.dealer import Dealer
from p2pcards.engine.dues import (
    AgreeDue,
    CommitDue,
    GiveDue,
    KeyCommitDue,
    KeyOpenDue,
    MixDue,
    OpenDue,
    RevealDue,
    SharesDue,
)
from p2pcards.engine.masks import Layer
from p2pcards.errors import BadPoint, BadProof
from p2pcards.wire.messages import Kind
from tests.engine.dealing import (
    EVERYBODY,
    KERNEL,
    PACK,
    RNG,
    begun,
    context,
    key,
    kinds,
    new,
    pay,
    run,
    share,
    truth,
)

# --- a hand ---------------------------------------------------------------------------------------


def test_a_hand_begins_with_keys() -> None:
    dealer = new()
    dues = run(dealer, (Deck(PACK),))
    assert dues == [KeyCommitDue(EVERYBODY), AgreeDue(EVERYBODY), KeyOpenDue(EVERYBODY)]
    assert dealer.table[STOCK] == tuple(range(52))
    assert all(masked.layer.keys == EVERYBODY for masked in dealer.masked.values())
    assert [truth(dealer, slot) for slot in dealer.table[STOCK]] == list(PACK.faces)


def test_only_holders_take_part() -> None:
    dealer = new()
    dues = run(dealer, (Deck(PACK, (2, 0)), Mix(Whole(STOCK), EVERYONE), Toss(9)))
    assert {seat for due in dues for seat in due.authors} == {0, 2}
    assert [due.seat for due in dues if isinstance(due, MixDue)] == [0, 2]
    assert dealer.everyone == {0, 2}


@pytest.mark.parametrize("openings", [True, False])
def test_the_next_hand_closes_the_last(openings: bool) -> None:
    dealer = new(openings)
    run(dealer, (Deck(PACK),))
    dues = run(dealer, (Deck(PACK, (0, 1)),))
    closing = [AgreeDue(EVERYBODY), *([OpenDue(EVERYBODY)] if openings else [])]
    assert dues == [
        *closing,
        KeyCommitDue(frozenset({0, 1})),
        AgreeDue(frozenset({0, 1})),
        KeyOpenDue(frozenset({0, 1})),
    ]
    assert dealer.hand == 2
    assert dealer.table[STOCK] == tuple(range(52, 104))


def test_a_table_stops_after_its_hands() -> None:
    dealer = new(hands=2)
    run(dealer, (Deck(PACK), Deck(PACK)))
    assert (dealer.hand, dealer.stopped) == (2, False)
    assert run(dealer, (Deck(PACK), Toss(3), Mix(Whole(STOCK), EVERYONE))) == []
    assert (dealer.hand, dealer.stopped) == (2, True)


def test_a_match_ends_with_all_agreeing_twice() -> None:
    dealer = begun()
    dealer.finish()
    assert run(dealer, ()) == [AgreeDue(EVERYBODY), OpenDue(EVERYBODY), AgreeDue(EVERYBODY)]
    unbegun = new()
    unbegun.finish()
    assert run(unbegun, ()) == [AgreeDue(EVERYBODY), AgreeDue(EVERYBODY)]


@pytest.mark.parametrize("twin", [lambda x: x, lambda x: (2**224 - 63) - x])
def test_keys_that_are_one_name_the_last(twin: object) -> None:
    assert callable(twin)
    x = twin(int.from_bytes(key(0).x, "big"))
    other = b"\2" + bytes(4) + x.to_bytes(28, "big")
    dealer = new()
    dealer.enqueue((Deck(PACK),))
    with pytest.raises(BadPoint) as caught:
        dealer.take_keys({0: key(0).public, 1: key(1).public, 2: other})
    assert (caught.value.code, caught.value.detail) == ("key.twin", "2")


# --- showing --------------------------------------------------------------------------------------


def test_a_card_is_shown_to_one_by_all_others() -> None:
    dealer = begun()
    (due,) = run(dealer, draw(1))
    assert isinstance(due, SharesDue)
    slot = dealer.table[hand(1)][0]
    assert due.owed == {0: (slot,), 2: (slot,)}
    assert dealer.masked[slot].layer.keys == {1}
    assert not dealer.table.is_up(slot)


def test_a_deal_is_one_step_of_shares() -> None:
    dealer = begun()
    (due,) = run(dealer, (*deal(range(3), 4), *turn_up(Pile("turned"))))
    assert isinstance(due, SharesDue)
    assert {seat: len(slots) for seat, slots in due.owed.items()} == {0: 9, 1: 9, 2: 9}
    turned = dealer.table[Pile("turned")][0]
    assert all(slots[-1] == turned for slots in due.owed.values())
    assert dealer.table.face(turned) == truth(dealer, turned)


def test_who_has_paid_already_does_not_pay_again() -> None:
    dealer = begun(*draw(1))
    slot = dealer.table[hand(1)][0]
    (due,) = run(dealer, (Show((slot,), EVERYONE),))
    assert isinstance(due, SharesDue)
    assert due.owed == {1: (slot,)}
    assert dealer.table.face(slot) == truth(dealer, slot)
    assert run(dealer, (Show((slot,), EVERYONE), Show((slot,), 0))) == []


def test_shown_twice_in_one_breath_is_owed_once() -> None:
    dealer = begun()
    (due,) = run(
        dealer, (Show(Top(STOCK), 0), Show(Top(STOCK), EVERYONE), Show(Top(STOCK), EVERYONE))
    )
    assert isinstance(due, SharesDue)
    assert due.owed == dict.fromkeys(range(3), (dealer.table[STOCK][0],))


def test_which_cards_are_unexposed_waits_for_the_shares() -> None:
    """A reference that depends on faces is resolved when they are there."""
    dealer = begun(Put(Top(STOCK, 3), Pile("row")))
    first, *others = dealer.table[Pile("row")]
    run(dealer, (Show(Top(Pile("row")), EVERYONE), Put(Unexposed(Pile("row")), Pile("rest"))))
    assert dealer.table[Pile("row")] == (first,)
    assert dealer.table[Pile("rest")] == tuple(others)


def test_a_plaintext_that_is_no_card() -> None:
    dealer = begun()
    slot = dealer.table[STOCK][0]
    dealer.enqueue((Show((slot,), EVERYONE),))
    due = dealer.advance()
    assert isinstance(due, SharesDue)
    wrong = {seat: {slot: share(dealer, 0, slot)} for seat in range(3)}
    with pytest.raises(BadProof) as caught:
        dealer.take_shares(wrong)
    assert caught.value.code == "deck.unknown_card"


# --- tosses ---------------------------------------------------------------------------------------


def test_a_toss_takes_three_steps() -> None:
    dealer = new()
    dues = run(dealer, (Toss(52),))
    assert dues == [CommitDue(EVERYBODY, 52), AgreeDue(EVERYBODY), RevealDue(EVERYBODY, 52)]
    assert dealer.table.toss == 7


def test_operations_are_done_in_their_order() -> None:
    dealer = begun()
    ops = (*draw(0), Toss(3), *draw(1), Mix(Unexposed(hand(0)), (0,)), *draw(2))
    assert kinds(run(dealer, ops)) == [
        Kind.SHARES,
        Kind.COMMIT,
        Kind.AGREE,
        Kind.REVEAL,
        Kind.SHARES,
        Kind.MIXED,
        Kind.SHARES,
    ]


# --- mixing ---------------------------------------------------------------------------------------


def test_everyone_mixes_in_turn_and_then_agrees() -> None:
    dealer = new()
    run(dealer, (Deck(PACK),))
    dues = run(dealer, (Mix(Whole(STOCK), EVERYONE),))
    assert kinds(dues) == [Kind.MIXED] * 3 + [Kind.AGREE]
    assert [due.seat for due in dues if isinstance(due, MixDue)] == [0, 1, 2]
    slots = dealer.table[STOCK]
    assert slots == tuple(range(52, 104))
    assert sorted(truth(dealer, slot) for slot in slots) == sorted(PACK.faces)
    assert [truth(dealer, slot) for slot in slots] != list(PACK.faces)


def test_who_hides_its_hand_does_it_alone() -> None:
    dealer = begun(*draw(1, 3))
    old = dealer.table[hand(1)]
    run(dealer, (Show((old[1],), EVERYONE),))
    (due,) = run(dealer, hide(1))
    assert isinstance(due, MixDue)
    assert (due.seat, due.key, len(due.before)) == (1, key(1).public, 2)
    new_hand = dealer.table[hand(1)]
    assert new_hand[1] == old[1]
    assert not {new_hand[0], new_hand[2]} & set(old)
    assert all(dealer.masked[slot].layer.keys == {1} for slot in new_hand if slot != old[1])
    assert not {old[0], old[2]} & dealer.masked.keys()


def test_face_up_cards_are_hidden_again() -> None:
    """From the public mask of each, under the key of those who mix."""
    dealer = begun(Put(Top(STOCK, 2), Pile("row")), Show(Whole(Pile("row")), EVERYONE))
    faces = {dealer.table.face(slot) for slot in dealer.table[Pile("row")]}
    dues = run(dealer, (Mix(Whole(Pile("row")), (0, 2)),))
    assert kinds(dues) == [Kind.MIXED, Kind.MIXED, Kind.AGREE]
    fresh = dealer.table[Pile("row")]
    assert not any(dealer.table.is_up(slot) for slot in fresh)
    assert all(dealer.masked[slot].layer.keys == {0, 2} for slot in fresh)
    run(dealer, (Show(fresh, EVERYONE),))
    assert {dealer.table.face(slot) for slot in fresh} == faces


@pytest.mark.parametrize("count", [0, 1])
def test_mixes_of_none_and_of_one(count: int) -> None:
    dealer = begun(*draw(1, count))
    assert kinds(run(dealer, hide(1))) == [Kind.MIXED] * count


def test_cards_under_other_keys_cannot_be_mixed() -> None:
    dealer = begun(*draw(1))
    dealer.enqueue((Mix(Whole(hand(1)), (0,)),))
    with pytest.raises(ValueError, match="not under the keys"):
        dealer.advance()


def test_first_halves_do_not_repeat() -> None:
    dealer = begun()
    masks = [dealer.masked[slot].layer.mask for slot in dealer.table[STOCK]]
    fresh = [b"\2" + bytes(4) + number.to_bytes(28, "big") + bytes(33) for number in (77, 78)]
    dealer.check_first_parts(fresh)
    for bad in ([masks[0]], [*fresh, masks[3]], [fresh[0], fresh[0]]):
        with pytest.raises(BadProof) as caught:
            dealer.check_first_parts(bad)
        assert caught.value.code == "mask.repeated"


def test_first_halves_are_remembered_through_all_mixes_and_gifts() -> None:
    """Of the deck, of what each of several made of it, and of cards given; not of the last hand."""
    dealer = new()
    dealer.enqueue((Deck(PACK), Mix(Whole(STOCK), EVERYONE), *draw(0), Give(Whole(hand(0)), 0, 1)))
    seen: set[bytes] = set()
    while (due := dealer.advance()) is not None:
        pay(dealer, due)
        layers = [layer for masked in dealer.masked.values() for layer in masked.layers]
        seen |= {layer.mask[:33] for layer in layers}
        seen |= {mask[:33] for mask in (dealer.mixing.masks if dealer.mixing else ())}
    assert len(seen) == 4 * 52 + 1
    assert dealer.first_parts == seen
    run(dealer, (Deck(PACK),))
    assert len(dealer.first_parts) == 52


# --- giving ---------------------------------------------------------------------------------------


def test_a_given_card_is_its_receivers_when_it_arrives() -> None:
    dealer = begun(*draw(0, 2))
    slot, kept = dealer.table[hand(0)]
    face = truth(dealer, slot)
    assert run(dealer, (Give((slot,), 0, 1),)) == [GiveDue(0, slot, 1)]
    assert dealer.masked[slot].layer.keys == {0}
    run(dealer, (Put((slot,), hand(1)),))
    assert dealer.masked[slot].layer.keys == {1}
    assert truth(dealer, slot) == face
    assert dealer.table[hand(0)] == (kept,)


def test_a_card_that_comes_back_is_its_givers_again() -> None:
    dealer = begun(*draw(0))
    (slot,) = dealer.table[hand(0)]
    before = dealer.masked[slot].layer
    run(dealer, (Give((slot,), 0, 2), Put((slot,), hand(2)), Put((slot,), hand(0))))
    assert dealer.masked[slot].layer == before
    (due,) = run(dealer, (Show((slot,), EVERYONE),))
    assert isinstance(due, SharesDue)
    assert due.owed == {0: (slot,)}


def test_hands_are_swapped() -> None:
    dealer = begun(*draw(0, 2), *draw(1, 2))
    mine, yours = dealer.table[hand(0)], dealer.table[hand(1)]
    faces = {slot: truth(dealer, slot) for slot in (*mine, *yours)}
    dues = run(dealer, swap(0, 1))
    assert [due.giver for due in dues if isinstance(due, GiveDue)] == [0, 0, 1, 1]
    assert (dealer.table[hand(0)], dealer.table[hand(1)]) == (yours, mine)
    for seat, slots in ((0, yours), (1, mine)):
        for slot in slots:
            assert dealer.masked[slot].layer.keys == {seat}
            assert (
                KERNEL.read(dealer.masked[slot].layer.mask, key(seat).x, PACK.faces) == faces[slot]
            )


def test_a_card_that_everybody_sees_needs_no_giving() -> None:
    dealer = begun(*draw(0))
    slots = dealer.table[hand(0)]
    run(dealer, (Show(slots, EVERYONE),))
    assert run(dealer, (Give(slots, 0, 1), Put(slots, hand(1)))) == []


# --- debts that ride on a move --------------------------------------------------------------------


class Noting:
    """A mover that notes what it pays."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.paid: list[tuple[str, Slot]] = []

    def share(self, slot: Slot, layer: Layer) -> tuple[bytes, Face | None]:
        """Takes off its key; shows a face if that was the last."""
        self.paid.append(("share", slot))
        face = Face(*layer.mask[34:37]) if len(layer.keys) == 1 else None
        return layer.mask, face

    def give(self, slot: Slot, layer: Layer, to: Seat) -> bytes:
        """A mask under the receiver's key."""
        self.paid.append(("give", slot))
        x, own = key(self.seat).x, key(self.seat).public
        return KERNEL.give(context(slot), x, own, key(to).public, layer.mask, RNG)[0]


def ride(dealer: Dealer, seat: Seat, *ops: Op) -> list[tuple[str, Slot]]:
    """What a mover pays at once."""
    payer = Noting(seat)
    dealer.perform(ops, payer)
    return payer.paid


def test_what_the_mover_owes_first_rides() -> None:
    dealer = begun(*draw(0, 2))
    first, second = dealer.table[hand(0)]
    paid = ride(dealer, 0, Give((first,), 0, 1), Put((first,), hand(1)), Show((second,), EVERYONE))
    assert paid == [("give", first), ("share", second)]
    assert dealer.advance() is None
    assert dealer.masked[first].layer.keys == {1}
    assert dealer.table.is_up(second)


def test_what_comes_after_anothers_debt_waits() -> None:
    dealer = begun(*draw(0, 1), *draw(1, 1))
    (mine,), (yours,) = dealer.table[hand(0)], dealer.table[hand(1)]
    paid = ride(dealer, 0, Give((yours,), 1, 0), Give((mine,), 0, 1))
    assert paid == []
    assert [dealer.advance(), dealer.advance()] == [GiveDue(1, yours, 0), GiveDue(0, mine, 1)]


def test_the_movers_share_rides_and_the_others_follow() -> None:
    dealer = begun()
    top = dealer.table[STOCK][0]
    assert ride(dealer, 1, Show(Top(STOCK), 0), Put(Top(STOCK), hand(0))) == [("share", top)]
    due = dealer.advance()
    assert isinstance(due, SharesDue)
    assert due.owed == {2: (top,)}
    assert dealer.advance() is None
    assert dealer.table[hand(0)] == (top,)


def test_nothing_rides_behind_a_mix() -> None:
    dealer = begun(*draw(0, 2))
    cards = dealer.table[hand(0)]
    assert ride(dealer, 0, *hide(0), Show(Whole(hand(0)), EVERYONE)) == []
    due = dealer.advance()
    assert isinstance(due, MixDue)
    assert len(due.before) == len(cards)
    pay(dealer, due)
    due = dealer.advance()
    assert isinstance(due, SharesDue)
    assert due.owed.keys() == {0}


def test_a_copy_is_of_no_consequence() -> None:
    """Trying a move on a copy leaves the dealer as it was."""
    dealer = begun(*draw(0, 2))
    first, second = dealer.table[hand(0)]
    before = (dealer.table, dict(dealer.masked), set(dealer.first_parts), dealer.holders)
    copy = dealer.copy()
    ride(copy, 0, Give((first,), 0, 1), Put((first,), hand(1)), Show((second,), EVERYONE), Toss(3))
    assert copy.advance() is not None
    assert (dealer.table, dealer.masked, dealer.first_parts, dealer.holders) == before
    assert dealer.advance() is None
