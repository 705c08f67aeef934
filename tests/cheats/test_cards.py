"""Cheats with masks and shares: attacks 14, 15, 17, 20, 21, 23 to 28 of the catalogue."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from p2pcards.crypto.group import SECP256K1, L, encode_scalar
from p2pcards.crypto.transcript import Context
from p2pcards.engine.dues import MixDue, SharesDue
from p2pcards.engine.match import mix_seed
from p2pcards.testing.cheaters import Cheater, honest
from p2pcards.testing.open_kernel import OpenKernel
from p2pcards.wire.messages import BODIES, RECORDS, Given, Kind, Mask, Mixed, Shares
from tests.cheats.arena import (
    SharedKernel,
    arena,
    cheater_of,
    contributions,
    convicted,
    on,
    rush,
    stalled,
    withhold,
)
from tests.cheats.masks import plus, remasked
from tests.wire.schema import fields

REAL = SharedKernel()


def mixing(peer: Cheater) -> MixDue:
    """What the cheater is to mix."""
    assert isinstance(peer.match.due, MixDue)
    return peer.match.due


# --- shuffles -------------------------------------------------------------------------------------


def doubled(peer: Cheater, body: Mixed) -> Mixed:
    """The first card twice, the second not at all."""
    twin = remasked(body.masks[0], mixing(peer).key, 5)
    return Mixed((body.masks[0], twin, *body.masks[2:]), body.proof)


def doubled_with_a_proof(peer: Cheater, body: Mixed) -> Mixed:
    """The same, and the honest prover run on a deck in which the card lies twice."""
    due, seed = mixing(peer), mix_seed(peer.seed, peer.match.chain.step)
    before = (due.before[0], remasked(due.before[0], due.key, 5), *due.before[2:])
    return Mixed(*REAL.mix(peer.context, due.key, before, seed, peer.rng))


def foreign(_: Cheater, body: Mixed) -> Mixed:
    """A card that is none: its B is moved by G."""
    first = body.masks[0]
    return Mixed((first[:33] + plus(first[33:], 1), *body.masks[1:]), body.proof)


def chosen_card(peer: Cheater, body: Mixed) -> Mixed:
    """A card of its choice laid on top, under the joint key."""
    ace = REAL.initial(mixing(peer).key, peer.match.dealer.faces)[51]
    top = remasked(ace, mixing(peer).key, 99)
    return Mixed((top, *body.masks[1:]), body.proof)


def proof_of_another_step(peer: Cheater, body: Mixed) -> Mixed:
    """A good proof of a good shuffle, made for the next step."""
    due, ctx = mixing(peer), peer.context
    ctx = dataclasses.replace(ctx, step=ctx.step + 1)
    return Mixed(*REAL.mix(ctx, due.key, due.before, b"s" * 32, peer.rng))


def proof_of_another_table(peer: Cheater, body: Mixed) -> Mixed:
    """The same for another table."""
    due, ctx = mixing(peer), peer.context
    ctx = dataclasses.replace(ctx, table=b"t" * 32)
    return Mixed(*REAL.mix(ctx, due.key, due.before, b"s" * 32, peer.rng))


def no_proof(_: Cheater, body: Mixed) -> Mixed:
    return Mixed(body.masks, b"")


# [MIX-3] of protocol.md
@pytest.mark.parametrize(
    "forge",
    [
        doubled,
        doubled_with_a_proof,
        foreign,
        chosen_card,
        proof_of_another_step,
        proof_of_another_table,
        no_proof,
    ],
    ids=lambda forge: forge.__name__,
)
def test_14_15_17_shuffles_that_are_none(forge: Callable[[Cheater, Mixed], Mixed]) -> None:
    """Also by the last who mixes: no share leaves anybody's hands."""
    network = arena({2: on(Kind.MIXED, forge)}, REAL)
    convicted(network, 2, "mix.proof")
    assert contributions(network, Kind.SHARES) == []


# [MIX-3] of protocol.md
def test_17_the_shuffle_of_an_earlier_hand() -> None:
    earlier: list[Mixed] = []

    def forge(_: Cheater, body: Mixed) -> Mixed:
        earlier.append(body)
        return earlier[0]

    convicted(arena({0: on(Kind.MIXED, forge)}, REAL, hands=2), 0, "mix.proof")
    assert len(earlier) == 2


# [MIX-4] of protocol.md
def test_14_the_first_component_of_another_mask() -> None:
    """A deck that is handed on as it came, with the proof of another; refused without curves."""

    def forge(peer: Cheater, body: Mixed) -> Mixed:
        return Mixed(mixing(peer).before, body.proof)

    convicted(arena({1: on(Kind.MIXED, forge)}, REAL), 1, "mask.repeated")


# [DEAL-1] of protocol.md
def test_20_shuffling_out_of_turn() -> None:
    """Seat 2 mixes before seat 0 has."""

    network = arena({2: honest}, OpenKernel())
    last = cheater_of(network)
    network.start()
    network.run_until(lambda: last.match.chain.kind is Kind.MIXED)
    due = mixing(last)
    mixed = Mixed(*last.kernel.mix(last.context, due.key, due.before, b"s" * 32, last.rng))
    network.perform(network.nodes[2], last.publish(last.sign(mixed)))
    convicted(network, 2, "chain.not_author", started=True)


def test_20_shuffling_twice() -> None:
    """Seat 0 mixes once more where the turn is seat 1's."""
    network = arena({0: honest}, OpenKernel())
    first = cheater_of(network)
    network.start()
    network.run_until(lambda: isinstance(first.match.due, MixDue) and first.match.due.seat == 1)
    due = mixing(first)
    mixed = Mixed(*first.kernel.mix(first.context, due.key, due.before, b"s" * 32, first.rng))
    network.perform(network.nodes[0], first.publish(first.sign(mixed)))
    convicted(network, 0, "chain.not_author", started=True)


# [DEAL-1] of protocol.md
def test_20_skipping_a_seat() -> None:
    """Nobody can shuffle for a seat that does not: the others wait for it by name."""
    stalled(arena({1: withhold(Kind.MIXED)}, OpenKernel()), {1})


class Counting(OpenKernel):
    """A kernel that counts what it is asked to check."""

    __slots__ = ("calls",)

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    def check_mix(
        self,
        ctx: Context,
        key: bytes,
        before: Sequence[bytes],
        after: Sequence[bytes],
        proof: bytes,
    ) -> None:
        self.calls["mix"] += 1
        super().check_mix(ctx, key, before, after, proof)


# [MIX-2] of protocol.md
@pytest.mark.parametrize("count", [0, 1, 41, 51, 53, 104, 108])
def test_21_a_deck_of_another_size(count: int) -> None:
    """Refused by counting, before any work on it."""
    kernel = Counting()

    def forge(peer: Cheater, body: Mixed) -> Mixed:
        masks = (body.masks * 3)[:count]
        return Mixed(masks, body.proof)

    convicted(arena({0: on(Kind.MIXED, forge)}, kernel), 0, "mix.count")
    assert kernel.calls["mix"] == 0


def test_21_more_masks_than_a_message_may_hold() -> None:
    def forge(_: Cheater, body: Mixed) -> Mixed:
        return Mixed((body.masks * 3)[:109], body.proof)

    convicted(arena({0: on(Kind.MIXED, forge)}, OpenKernel()), 0, "body.malformed")


# --- shares ---------------------------------------------------------------------------------------


def owed(peer: Cheater) -> tuple[int, ...]:
    """The slots whose shares the cheater owes."""
    assert isinstance(peer.match.due, SharesDue)
    return peer.match.due.owed[peer.seat]


def masks_of(peer: Cheater) -> list[bytes]:
    """Their masks."""
    return [peer.match.dealer.masked[slot].layer.mask for slot in owed(peer)]


def shifted(_: Cheater, body: Shares) -> Shares:
    return Shares((plus(body.shares[0], 1), *body.shares[1:]), body.proof)


def exchanged(_: Cheater, body: Shares) -> Shares:
    first, second, *rest = body.shares
    return Shares((second, first, *rest), body.proof)


def exchanged_with_a_proof(peer: Cheater, body: Shares) -> Shares:
    """Good shares of good cards in another order than they are owed."""
    masks = masks_of(peer)[::-1]
    return Shares(*REAL.shares(peer.context, peer.key.x, peer.key.public, masks, peer.rng))


def of_another_card(peer: Cheater, body: Shares) -> Shares:
    """A good share, but of a card that is not owed to anybody."""
    others = [slot for slot in peer.match.dealer.masked if slot not in owed(peer)]
    masks = [peer.match.dealer.masked[others[-1]].layer.mask, *masks_of(peer)[1:]]
    return Shares(*REAL.shares(peer.context, peer.key.x, peer.key.public, masks, peer.rng))


def under_another_key(peer: Cheater, body: Shares) -> Shares:
    x = 12345
    public = SECP256K1.encode(SECP256K1.base(x))
    masks = masks_of(peer)
    return Shares(*REAL.shares(peer.context, encode_scalar(x), public, masks, peer.rng))


def that_cancel_out(_: Cheater, body: Shares) -> Shares:
    """The sum of all shares is right; only a batch without weights would pass."""
    first, second, *rest = body.shares
    return Shares((plus(first, 1), plus(second, L - 1), *rest), body.proof)


def for_another_step(peer: Cheater, body: Shares) -> Shares:
    ctx = dataclasses.replace(peer.context, step=peer.context.step - 1)
    key = peer.key
    return Shares(*REAL.shares(ctx, key.x, key.public, masks_of(peer), peer.rng))


def no_point(_: Cheater, body: Shares) -> Shares:
    return Shares((bytes(33), *body.shares[1:]), body.proof)


def without_proof(_: Cheater, body: Shares) -> Shares:
    return Shares(body.shares, b"")


# [SHARE-1] of protocol.md
@pytest.mark.parametrize(
    "forge",
    [
        shifted,
        exchanged,
        exchanged_with_a_proof,
        of_another_card,
        under_another_key,
        that_cancel_out,
        for_another_step,
        no_point,
        without_proof,
    ],
    ids=lambda forge: forge.__name__,
)
def test_23_wrong_shares(forge: Callable[[Cheater, Shares], Shares]) -> None:
    convicted(arena({1: on(Kind.SHARES, forge)}, REAL), 1, "share.wrong")


def test_24_the_shares_and_the_proof_of_another_seat() -> None:
    """Another's contribution under one's own name."""
    network = arena({2: withhold(Kind.SHARES)}, REAL)
    rush(network, 2, Kind.SHARES, lambda peer, body: peer.match.accepted[0].body)
    convicted(network, 2, "share.wrong", started=True)


# [SHARE-1] of protocol.md
@pytest.mark.parametrize("count", [0, 1, 4, 200])
def test_23_another_number_of_shares(count: int) -> None:
    def forge(_: Cheater, body: Shares) -> Shares:
        return Shares((body.shares * 100)[:count], body.proof)

    convicted(arena({0: on(Kind.SHARES, forge)}, OpenKernel()), 0, "share.count")


def test_25_a_share_refused() -> None:
    """No state goes on without it, and everybody says whose it is."""
    stalled(arena({1: withhold(Kind.SHARES)}, OpenKernel()), {1})


# --- shares that nobody owes ----------------------------------------------------------------------


def unasked(peer: Cheater, slot: int) -> bytes:
    """A good share of any card at all, signed for the open step."""
    mask = peer.match.dealer.masked[slot].layer.mask
    key = peer.key
    shares = Shares(*peer.kernel.shares(peer.context, key.x, key.public, [mask], peer.rng))
    return peer.sign(shares, kind=int(Kind.SHARES))


@pytest.mark.parametrize("mine", [True, False], ids=["own step", "another's step"])
def test_26_a_share_of_a_hidden_card_during_play(mine: bool) -> None:
    """One colluder opens a card of the stock that nobody may see: the step wants a bid."""
    network = arena({0: withhold(Kind.MOVE) if mine else honest}, OpenKernel(), seed=2)
    cheater = cheater_of(network)
    node = network.nodes[0]
    network.start()
    network.run_until(
        lambda: cheater.match.chain.kind is Kind.MOVE and (0 in cheater.match.chain.missing) == mine
    )
    slot = max(cheater.match.dealer.masked)
    network.perform(node, cheater.publish(unasked(cheater, slot)))
    code = "chain.kind" if mine else "chain.not_author"
    convicted(network, 0, code, started=True)


# [HAND-2] of protocol.md
def test_27_a_share_before_the_deck_is_final() -> None:
    network = arena({2: honest}, OpenKernel())
    cheater = cheater_of(network)
    network.start()
    network.run_until(lambda: cheater.match.chain.kind is Kind.MIXED)
    network.perform(network.nodes[2], cheater.publish(unasked(cheater, 0)))
    convicted(network, 2, "chain.not_author", started=True)


# [DEAL-2] of protocol.md
@pytest.mark.parametrize("kind", list(Kind))
def test_26_no_peer_answers_to_a_kind_out_of_its_time(kind: Kind) -> None:
    """Whatever a seat signs for a step that wants something else, nobody does anything for it."""

    def forge(peer: Cheater, body: object) -> Iterable[object]:
        return (body,) if peer.match.chain.kind is not Kind.MOVE else ()

    network = arena({1: forge}, OpenKernel())
    cheater = cheater_of(network)
    network.start()
    network.run_until(lambda: cheater.withheld is not None)
    if kind is Kind.MOVE:
        return
    envelope = cheater.sign(None, kind=int(kind))
    network.perform(network.nodes[1], cheater.publish(envelope))
    convicted(network, 1, "chain.kind", started=True)


# [DEAL-2] of protocol.md
def test_26_there_is_no_message_that_asks_for_a_card() -> None:
    """All that a peer can ask another for is what was published already."""
    asks = [record.__name__ for record in RECORDS if "slot" in str(fields(record))]
    assert asks == []
    assert {record.__name__ for record in RECORDS if "step" in fields(record)} == {
        "Alive",
        "Want",
        "FaultReport",
    }


def test_28_masks_travel_only_where_new_ones_are_made() -> None:
    """A card is named by its slot; nobody can present a mask of its own making as one."""

    def has_mask(hint: Any) -> bool:
        return Mask in {hint, *getattr(hint, "__args__", ())} or any(
            has_mask(arg) for arg in getattr(hint, "__args__", ())
        )

    with_masks = {
        body for body in BODIES.values() if any(has_mask(hint) for hint in fields(body).values())
    }
    assert with_masks == {Mixed, Given}


def test_73_another_seed_for_a_mix_is_found_when_keys_open() -> None:
    """A good shuffle, but not the one that the committed seed gives."""

    def forge(peer: Cheater, body: Mixed) -> Mixed:
        due = mixing(peer)
        return Mixed(*REAL.mix(peer.context, due.key, due.before, b"f" * 32, peer.rng))

    fault = convicted(arena({1: on(Kind.MIXED, forge)}, REAL), 1, "open.mix")
    assert fault.step > 10
