"""The purse: what one seat keeps secret in a hand, and how it pays what it owes.

Gives bodies, or the work that makes them, for a due; signs nothing and sends nothing. Everything
secret that a payment rests on comes out as `keep`, to be stored before it is used (protocol.md
section 11).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from p2pcards.cards.faces import Face
from p2pcards.cards.table import Seat, Slot
from p2pcards.crypto.group import Rng
from p2pcards.crypto.kernel import HandKey
from p2pcards.engine.dues import (
    AgreeDue,
    CommitDue,
    Due,
    GiveDue,
    KeyCommitDue,
    KeyOpenDue,
    MixDue,
    MoveDue,
    OpenDue,
    RevealDue,
    SharesDue,
    SitDue,
)
from p2pcards.engine.match import Match, commitment, mix_seed
from p2pcards.engine.moves import CLAIM_INDEX, GIVES_INDEX, SHARES_INDEX, OwnPayer, at, try_move
from p2pcards.wire.codec import Plain, digest, pack, to_tagged
from p2pcards.wire.messages import (
    Agree,
    Commit,
    Given,
    KeyCommit,
    KeyOpen,
    Mixed,
    Move,
    Open,
    Reveal,
    Shares,
)


@dataclass(frozen=True, slots=True)
class Payment:
    """A body at once, or `work` that makes it off the loop; `keep` is stored before either."""

    body: object = None
    work: Callable[[], object] | None = field(default=None, repr=False)
    keep: bytes | None = field(default=None, repr=False)


@dataclass(slots=True)
class HandSecrets:
    """One hand's: `key` from the stored `secret` (32 bytes), and `seed` (32 bytes) of all mixes."""

    secret: bytes = field(repr=False)
    seed: bytes = field(repr=False)
    key: HandKey


class Purse:
    """The secrets of one seat of a match, hand by hand. `rng` gives random bytes."""

    def __init__(self, match: Match, seat: Seat, rng: Rng) -> None:
        self._match = match
        self._seat = seat
        self._rng = rng
        self._hand: HandSecrets | None = None
        self._sealed: tuple[bytes, Any] | None = None

    def __repr__(self) -> str:
        return f"Purse(seat={self._seat})"

    @property
    def hand(self) -> HandSecrets:
        """The hand's secrets; ValueError before its keys are made and after they are open."""
        if self._hand is None:
            raise ValueError("no hand key")
        return self._hand

    def read(self, mask: bytes) -> Face:
        """The face of a card that only this seat's key is left on."""
        attributes = self._match.kernel.read(mask, self.hand.key.x, self._match.dealer.faces)
        if attributes is None:
            raise ValueError("a checked mask hides no card of the pack")
        return Face(*attributes)

    def pay(self, due: Due, known: Mapping[Slot, Face]) -> Payment:
        """What this seat owes to the open step, when that needs no choice."""
        match due:
            case SitDue():
                return Payment(self._match.agreement.sit)
            case AgreeDue():
                return Payment(Agree())
            case KeyCommitDue():
                return self._new_hand()
            case KeyOpenDue():
                return Payment(KeyOpen(self.hand.key.public, self.hand.key.proof))
            case MixDue():
                return self._mix(due)
            case SharesDue(owed):
                return self._shares(owed[self._seat])
            case GiveDue():
                return self._give(due)
            case CommitDue():
                return self.seal(None)
            case RevealDue():
                return self._reveal(known)
            case OpenDue():
                return self._open()
            case MoveDue():
                raise ValueError("a move is a choice")

    # --- keys -------------------------------------------------------------------------------------

    def _new_hand(self) -> Payment:
        match, rng = self._match, self._rng
        ctx = match.context(self._seat)
        secret, seed = rng(32), rng(32)
        hand = HandSecrets(secret, seed, match.kernel.keys(ctx, secret, rng))
        self._hand = hand
        committed = match.kernel.key_commitment(ctx, hand.key.public, hand.key.proof)
        body = KeyCommit(committed, digest("seed", seed))
        return Payment(body, keep=pack(("hand", ctx.step, secret, seed)))

    def _open(self) -> Payment:
        body = Open(self.hand.key.x, self.hand.seed)
        self._hand = None
        return Payment(body)

    # --- cards ------------------------------------------------------------------------------------

    def _mix(self, due: MixDue) -> Payment:
        kernel, rng = self._match.kernel, self._rng
        ctx = self._match.context(self._seat)
        seed = mix_seed(self.hand.seed, ctx.step)
        return Payment(work=lambda: Mixed(*kernel.mix(ctx, due.key, due.before, seed, rng)))

    def _shares(self, slots: tuple[Slot, ...]) -> Payment:
        kernel, rng, key = self._match.kernel, self._rng, self.hand.key
        ctx = self._match.context(self._seat)
        masks = [self._match.dealer.masked[slot].layer.mask for slot in slots]
        return Payment(work=lambda: Shares(*kernel.shares(ctx, key.x, key.public, masks, rng)))

    def _give(self, due: GiveDue) -> Payment:
        kernel, rng, key = self._match.kernel, self._rng, self.hand.key
        ctx = self._match.context(self._seat)
        mask = self._match.dealer.masked[due.slot].layer.mask
        to = self._match.dealer.keys[due.to]
        return Payment(work=lambda: Given(*kernel.give(ctx, key.x, key.public, to, mask, rng)))

    # --- moves ------------------------------------------------------------------------------------

    def move(self, move: Any, known: Mapping[Slot, Face]) -> Payment:
        """A move of the game, with its shares, its proof and what it gives."""
        return Payment(work=self._moving(move, known))

    def seal(self, move: Any) -> Payment:
        """The commitment to a move (None: to random bytes), whose opening is kept first."""
        ctx = self._match.context(self._seat)
        nonce = self._rng(32)
        self._sealed = (nonce, move)
        plain = self._plain(move)
        keep = pack(("sealed", ctx.step, plain, nonce))
        return Payment(Commit(commitment(ctx, plain, nonce)), keep=keep)

    def _reveal(self, known: Mapping[Slot, Face]) -> Payment:
        if self._sealed is None:
            raise ValueError("nothing was committed")
        nonce, move = self._sealed
        self._sealed = None
        if move is None:
            return Payment(Reveal(nonce, None))
        moving = self._moving(move, known)
        return Payment(work=lambda: Reveal(nonce, moving()))

    def _plain(self, move: Any) -> Plain:
        return None if move is None else to_tagged(move, self._match.rules.moves)

    def _moving(self, move: Any, known: Mapping[Slot, Face]) -> Callable[[], Move]:
        match, rng, seat = self._match, self._rng, self._seat
        kernel, ctx = match.kernel, match.context(seat)
        payer = OwnPayer(seat, known)
        trial = match.dealer.copy()
        outcome = try_move(match.rules, match.state, trial, seat, move, payer)
        plain = self._plain(move)
        key = self._hand.key if self._hand is not None else None
        keys, pack_faces = match.dealer.keys, match.dealer.pack

        def make() -> Move:
            shares, claim, gives = Shares((), b""), b"", []
            if key is not None and pack_faces is not None:
                if payer.masks:
                    ours = at(ctx, SHARES_INDEX)
                    shares = Shares(*kernel.shares(ours, key.x, key.public, payer.masks, rng))
                if outcome.statement is not None:
                    claim = kernel.prove(
                        at(ctx, CLAIM_INDEX),
                        key.x,
                        key.public,
                        outcome.statement,
                        pack_faces.faces,
                        rng,
                    )
                for i, (mask, to) in enumerate(payer.gifts):
                    ours = at(ctx, GIVES_INDEX + i)
                    gives.append(Given(*kernel.give(ours, key.x, key.public, keys[to], mask, rng)))
            return Move(plain, shares, claim, tuple(gives))

        return make
