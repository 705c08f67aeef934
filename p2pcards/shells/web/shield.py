"""The shield: what this peer itself has verified so far, counted, in words.

It claims nothing that was not checked here: the numbers are those of proofs that held and of
signatures in the chain. protocol.md section 13.1.
"""

from __future__ import annotations

from p2pcards.engine.fingerprint import words as proquints
from p2pcards.engine.peer import Peer
from p2pcards.shells.report import clean
from p2pcards.shells.web.sight import Doc, number, words

PRESENT = 6.0
"""Seconds since the last sign of life within which a seat counts as here."""


def shield(peer: Peer, moves: int, step: int, now: float) -> Doc:
    """`moves`: how many were applied. `step`: where we were a moment ago; whoever has signed that
    it is as far has checked all before it."""
    match = peer.match
    others = set(range(match.seats)) - {peer.seat}
    checked = sum(
        now - peer.heard.get(seat, 0.0) < PRESENT and peer.reached.get(seat, -1) >= step
        for seat in others
    )
    state = "ok" if checked == len(others) else "checking"
    facts = _facts(peer, moves)
    if peer.verdict is not None:
        state = "fault"
        name = clean(match.agreement.players[peer.verdict.seat].name)
        facts.insert(0, {**words("fact.fault", name=name), "state": "fault", "more": None})
    return {
        "checked": 1 + checked,
        "of": match.seats,
        "state": state,
        "facts": facts,
        "words": proquints(match.chain.table[:16]),
        "numbers": [
            [words("shield.table"), match.chain.table.hex()],
            [words("shield.step"), str(match.chain.step)],
            [words("shield.head"), match.chain.head.hex()],
        ],
    }


def _facts(peer: Peer, moves: int) -> list[Doc]:
    match, verified = peer.match, peer.verified
    facts: list[Doc] = []
    if match.hands:
        facts.append(_shuffles(peer))
    if n := verified["check_shares"]:
        facts.append(_fact("hidden", n))
    if n := verified["check"] + verified["check_give"]:
        facts.append(_fact("claims", n))
    if moves:
        facts.append(_fact("moves", moves))
    facts.append(_fact("signed", sum(map(len, match.chain.log))))
    return facts


def _shuffles(peer: Peer) -> Doc:
    """Who has shuffled in the hand at hand. What is mixed later is no shuffle of the pack."""
    match = peer.match
    holders = set(match.dealer.keys)
    done = sorted({mix.seat for mix in match.hand.mixes} & holders)
    n, of = len(done), len(holders)
    complete = bool(done) and n == of
    said = (
        words("fact.shuffled", n=n, count=number(n))
        if complete
        else words("fact.shuffling", n=n, of=of)
    )
    more = words("fact.shuffled-more")
    return {**said, "seats": done, "more": more, "state": "ok" if complete else "checking"}


def _fact(name: str, n: int) -> Doc:
    more = words(f"fact.{name}-more", n=n, count=number(n))
    return {**words(f"fact.{name}"), "more": more, "state": "ok"}
