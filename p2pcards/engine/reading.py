"""Reading a contribution: everything that can be found without curve arithmetic, and the proofs
that are still to check, as jobs.

Pure: the match does not change. What a signed contribution gets wrong here is its author's fault,
with the contribution as evidence. protocol.md section 9.2 has the checks in the same order.
"""

from __future__ import annotations

from typing import TypeVar

from p2pcards.crypto.transcript import Context
from p2pcards.engine.chain import Contribution
from p2pcards.engine.dues import Due, GiveDue, MixDue, RevealDue, SharesDue
from p2pcards.engine.match import Match, Reading, commitment, mix_seed
from p2pcards.engine.moves import MessagePayer, try_move
from p2pcards.engine.obligations import Job
from p2pcards.errors import BadProof, CryptoError, IllegalMove, Malformed, SeatFault
from p2pcards.wire.codec import digest, from_plain, from_tagged
from p2pcards.wire.messages import (
    BODIES,
    Given,
    KeyOpen,
    Kind,
    Mixed,
    Move,
    Open,
    Reveal,
    Shares,
    Sit,
)


def read(match: Match, contribution: Contribution) -> Reading:
    """A contribution that the chain has taken; raises `SeatFault` with its evidence."""
    try:
        return _read(match, contribution)
    except SeatFault as fault:
        evidence = (contribution.envelope,)
        raise SeatFault(fault.seat, fault.step, fault.code, evidence, fault.detail) from None


def _read(match: Match, contribution: Contribution) -> Reading:
    ctx = match.context(contribution.seat)
    kind = Kind(contribution.payload.kind)
    try:
        body = from_plain(BODIES[kind], contribution.payload.body)
    except Malformed as error:
        raise _fault(ctx, "body.malformed", error.detail) from None
    jobs: list[Job] = []
    if isinstance(body, Sit) and body != match.agreement.sit:
        raise _fault(ctx, "agreement.differs")
    if isinstance(body, KeyOpen):
        jobs = [_key(match, ctx, body)]
    elif isinstance(body, Mixed):
        jobs = [_mix(match, ctx, body)]
    elif isinstance(body, Shares):
        jobs = [_shares(match, ctx, body)]
    elif isinstance(body, Given):
        jobs = [_gift(match, ctx, body)]
    elif isinstance(body, Move):
        jobs = _move(match, ctx, body)
    elif isinstance(body, Reveal):
        jobs = _reveal(match, ctx, body)
    elif isinstance(body, Open):
        jobs = _opening(match, ctx, body)
    return Reading(contribution, body, tuple(jobs))


def _fault(ctx: Context, code: str, detail: str = "") -> SeatFault:
    return SeatFault(ctx.seat, ctx.step, code, detail=detail)


D = TypeVar("D", bound=Due)


def _expect(due: Due | None, kind: type[D]) -> D:
    if not isinstance(due, kind):
        raise TypeError(f"the open step is {due}, not {kind.__name__}")
    return due


def _key(match: Match, ctx: Context, body: KeyOpen) -> Job:
    committed, made_at = match.hand.commits[ctx.seat]
    if match.kernel.key_commitment(made_at, body.key, body.proof) != committed.key:
        raise _fault(ctx, "key.uncommitted")
    if body.key in match.old_keys:
        raise _fault(ctx, "key.reused")
    return Job("key.proof", "check_key", (made_at, body.key, body.proof))


def _mix(match: Match, ctx: Context, body: Mixed) -> Job:
    due = _expect(match.due, MixDue)
    if len(body.masks) != len(due.before):
        raise _fault(ctx, "mix.count", f"{len(body.masks)} masks for {len(due.before)}")
    try:
        match.dealer.check_first_parts(body.masks)
    except BadProof as error:
        raise _fault(ctx, error.code) from None
    return Job("mix.proof", "check_mix", (ctx, due.key, due.before, body.masks, body.proof))


def _shares(match: Match, ctx: Context, body: Shares) -> Job:
    slots = _expect(match.due, SharesDue).owed[ctx.seat]
    if len(body.shares) != len(slots):
        raise _fault(ctx, "share.count", f"{len(body.shares)} shares for {len(slots)} cards")
    masks = tuple(match.dealer.masked[slot].layer.mask for slot in slots)
    key = match.dealer.keys[ctx.seat]
    return Job("share.wrong", "check_shares", (ctx, key, masks, body.shares, body.proof))


def _gift(match: Match, ctx: Context, body: Given) -> Job:
    due = _expect(match.due, GiveDue)
    try:
        match.dealer.check_first_parts((body.mask,))
    except BadProof as error:
        raise _fault(ctx, error.code) from None
    mask = match.dealer.masked[due.slot].layer.mask
    keys = match.dealer.keys
    args = (ctx, keys[due.giver], keys[due.to], mask, body.mask, body.proof)
    return Job("give.wrong", "check_give", args)


def _move(match: Match, ctx: Context, body: Move) -> list[Job]:
    try:
        move = from_tagged(body.move, match.rules.moves)
    except Malformed as error:
        raise _fault(ctx, "move.malformed", error.detail) from None
    trial = match.dealer.copy()
    payer = MessagePayer(trial, ctx, body)
    try:
        outcome = try_move(match.rules, match.state, trial, ctx.seat, move, payer)
    except (IllegalMove, CryptoError) as error:
        raise _fault(ctx, error.code, error.detail) from None
    return payer.jobs(outcome)


def _reveal(match: Match, ctx: Context, body: Reveal) -> list[Job]:
    due = _expect(match.due, RevealDue)
    committed, made_at = match.sealed[ctx.seat]
    move = None if body.move is None else body.move.move
    if (body.move is None) != (due.sides is not None):
        raise _fault(ctx, "body.malformed", "a toss opens no move, a sealed move does")
    if commitment(made_at, move, body.nonce) != committed:
        raise _fault(ctx, "commit.broken")
    return [] if body.move is None else _move(match, ctx, body.move)


def _opening(match: Match, ctx: Context, body: Open) -> list[Job]:
    if digest("seed", body.seed) != match.hand.commits[ctx.seat][0].seed:
        raise _fault(ctx, "open.seed")
    key = match.dealer.keys[ctx.seat]
    jobs = [Job("open.key", "opens_key", (body.key, key), expect=True)]
    for mix in match.hand.mixes:
        if mix.seat == ctx.seat:
            args = (mix.key, mix.before, mix_seed(body.seed, mix.step))
            jobs.append(Job("open.mix", "recompute", args, expect=mix.after))
    return jobs
