"""A move on the table: its cards opened, judged, and what rides along paid.

The one way a move is made: by its mover on a copy of the dealer, by whoever checks it on another
copy, and when its step is applied. Only who pays differs. protocol.md section 6.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from p2pcards.cards.claims import IMPOSSIBLE, NOTHING, Claim, simplify
from p2pcards.cards.faces import Face
from p2pcards.cards.ops import EVERYONE, Show
from p2pcards.cards.table import Seat, Slot
from p2pcards.crypto.formula import Formula
from p2pcards.crypto.transcript import Context
from p2pcards.engine.dealer import Dealer
from p2pcards.engine.masks import Layer, Payer, open_face
from p2pcards.engine.obligations import Job, formula
from p2pcards.engine.view import AnyRules
from p2pcards.errors import CryptoError, FaceDown, SeatFault
from p2pcards.wire.messages import Move

SHARES_INDEX, CLAIM_INDEX, GIVES_INDEX = 0, 1, 2
"""Where a proof stands within a contribution; the gives count on from their first."""


def at(ctx: Context, index: int) -> Context:
    """The context of another proof in the same contribution."""
    return Context(ctx.table, ctx.step, ctx.prev, ctx.seat, index)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a move came to: the state after it, unless it is `blind` and waits for its face.

    `claim` is what is left to prove once public faces are folded in, `statement` the same for the
    kernel (None: nothing to prove, or a claim that is false in the open), over `masks` that are
    under the mover's own key.
    """

    state: Any
    blind: bool
    claim: Claim
    statement: Formula | None
    masks: Mapping[Slot, bytes]


def try_move(
    rules: AnyRules, state: Any, dealer: Dealer, seat: Seat, move: Any, payer: Payer
) -> Outcome:
    """Makes a move on `dealer`. Raises `IllegalMove`, and what the payer raises."""
    opened = rules.opens(move)
    for slot in opened:
        if slot in dealer.masked:
            dealer.pay_share(slot, payer)
    try:
        ruling = rules.judge(state, dealer.table, seat, move)
    except FaceDown:
        # a card that the mover cannot see either: the others' shares first, then the ruling
        if all(dealer.table.is_up(slot) for slot in opened):
            raise
        dealer.enqueue((Show(opened, EVERYONE),))
        return Outcome(None, True, NOTHING, None, {})
    claim = simplify(ruling.claim, dealer.table.faces)
    masks: dict[Slot, bytes] = {}

    def mask(slot: Slot) -> bytes:
        layer = dealer.masked[slot].layer
        if layer.keys != {seat}:
            raise ValueError(f"a claim about slot {slot}, which seat {seat} does not hold")
        masks[slot] = layer.mask
        return layer.mask

    statement = None
    if claim not in (NOTHING, IMPOSSIBLE) and dealer.pack is not None:
        statement = formula(claim, mask, dealer.pack)
    dealer.perform(ruling.ops, payer)
    return Outcome(ruling.state, False, claim, statement, masks)


class MessagePayer:
    """Pays from a move's message, and notes which proofs have to be checked.

    `dealer` gives keys and faces of the hand. Raises `SeatFault` where the message holds too
    little, or what is no card.
    """

    def __init__(self, dealer: Dealer, ctx: Context, body: Move) -> None:
        self.seat = ctx.seat
        self._dealer, self._ctx, self._body = dealer, ctx, body
        self._shown: list[bytes] = []
        self._given = 0
        self._jobs: list[Job] = []

    def _fault(self, code: str, detail: str = "") -> SeatFault:
        return SeatFault(self.seat, self._ctx.step, code, detail=detail)

    def share(self, slot: Slot, layer: Layer) -> tuple[bytes, Face | None]:
        """The next share of the message, taken off the mask."""
        shares = self._body.shares.shares
        if len(self._shown) == len(shares):
            raise self._fault("share.missing", f"slot {slot}")
        share = shares[len(self._shown)]
        self._shown.append(layer.mask)
        kernel = self._dealer.kernel
        try:
            if len(layer.keys) > 1:
                return kernel.strip(layer.mask, [share]), None
            face = open_face(kernel, layer.mask, share, self._dealer.faces)
        except CryptoError as error:
            raise self._fault("share.wrong", error.code) from None
        if face is None:
            raise self._fault("share.wrong", f"slot {slot}: no card of the pack")
        return layer.mask, face

    def give(self, slot: Slot, layer: Layer, to: Seat) -> bytes:
        """The next given card of the message."""
        if self._given == len(self._body.gives):
            raise self._fault("give.missing", f"slot {slot}")
        given = self._body.gives[self._given]
        ctx = at(self._ctx, GIVES_INDEX + self._given)
        self._given += 1
        try:
            self._dealer.check_first_parts((given.mask,))
        except CryptoError as error:
            raise self._fault(error.code) from None
        keys = self._dealer.keys
        args = (ctx, keys[self.seat], keys[to], layer.mask, given.mask, given.proof)
        self._jobs.append(Job("give.wrong", "check_give", args))
        return given.mask

    def jobs(self, outcome: Outcome) -> list[Job]:
        """Everything to check; `SeatFault` where the message holds more than the move owes, or
        claims what is false of cards that everybody sees."""
        body = self._body
        if len(self._shown) < len(body.shares.shares) or self._given < len(body.gives):
            raise self._fault("move.unasked", "more shares or cards than the move owes")
        if not self._shown and body.shares.proof:
            raise self._fault("move.unasked", "a proof of no share")
        jobs = list(self._jobs)
        key = self._dealer.keys.get(self.seat, b"")
        if self._shown:
            ctx = at(self._ctx, SHARES_INDEX)
            args = (ctx, key, tuple(self._shown), body.shares.shares, body.shares.proof)
            jobs.insert(0, Job("share.wrong", "check_shares", args))
        if outcome.statement is not None:
            ctx = at(self._ctx, CLAIM_INDEX)
            jobs.append(Job("claim.false", "check", (ctx, key, outcome.statement, body.claim)))
        elif outcome.claim == IMPOSSIBLE:
            raise self._fault("claim.false", "false of cards that everybody sees")
        elif body.claim:
            raise self._fault("move.unasked", "a proof of nothing")
        return jobs


class OwnPayer:
    """The mover itself, planning: notes what it will have to share and to give.

    `known`: the faces that this seat has seen.
    """

    def __init__(self, seat: Seat, known: Mapping[Slot, Face]) -> None:
        self.seat = seat
        self.masks: list[bytes] = []
        self.gifts: list[tuple[bytes, Seat]] = []
        self._known = known

    def share(self, slot: Slot, layer: Layer) -> tuple[bytes, Face | None]:
        """Notes the mask; shows the face if no other key is left on it."""
        self.masks.append(layer.mask)
        return layer.mask, self._known[slot] if len(layer.keys) == 1 else None

    def give(self, slot: Slot, layer: Layer, to: Seat) -> bytes:
        """Notes the card; the mask under the receiver's key comes with the proof."""
        self.gifts.append((layer.mask, to))
        return layer.mask
