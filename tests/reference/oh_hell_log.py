"""A whole Oh Hell log, verified after protocol.md without a line of p2pcards: chain, signatures,
agreement, keys, shuffles, shares, claims, openings, rules and scores.

    python -m tests.reference.oh_hell_log FILE
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgpack
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.reference.curve import (
    G,
    P,
    Refused,
    context,
    decode,
    encode,
    need,
    scalar,
    sha,
    sha512,
    times,
    total,
)
from tests.reference.proofs import (
    AND,
    OR,
    Formula,
    Join,
    Rep,
    check_formula,
    check_mix,
    check_possession,
    check_shares,
    plaintext,
    remix,
)

SIT, AGREE, KEY_COMMIT, KEY_OPEN, MIXED, SHARES, MOVE, COMMIT, REVEAL, _, OPEN = range(11)
BID, PLAY, READY = range(3)
LARGEST = {3: 15, 4: 13, 5: 10, 6: 8, 7: 7}
DECK = [(suit, rank) for suit in range(1, 5) for rank in range(2, 15)]
CARDS = {encode(total(times(s, P[1]), times(r, P[2]))): (s, r) for s, r in DECK}

Card = tuple[int, int]


def pack(value: Any) -> bytes:
    """Canonical msgpack."""
    packed: bytes = msgpack.packb(value, use_bin_type=True)
    return packed


def digest(*values: Any) -> bytes:
    """The labelled hash of section 1.3."""
    return sha(pack(list(values)))


def unpack(data: bytes) -> Any:
    """Canonical msgpack, read."""
    try:
        value = msgpack.unpackb(data, raw=False)
    except (ValueError, msgpack.UnpackException) as error:
        raise Refused(f"msgpack: {error}") from None
    need(pack(value) == data, "not canonical")
    return value


@dataclass
class Result:
    """What came out: seats, hands played, points per seat, steps, and claims checked."""

    seats: int
    hands: int
    points: list[int]
    steps: int
    claims: int = 0


class Log:
    """The steps of a log, signatures and chain already checked; `take` walks through them."""

    def __init__(self, data: bytes) -> None:
        need(data[:8] == b"P2PLOG\0\1", "magic")
        payloads = [self._envelope(envelope) for envelope in self._envelopes(data)]
        need(bool(payloads), "no envelope")
        sit = payloads[0][0][6]
        self.draft: bytes = sit[0]
        self.nonces: list[bytes] = sit[1]
        _, _, _, self.game, options, table_options, roster = unpack(self.draft)
        need(len(roster) == len(self.nonces), "nonces")
        for player, nonce in zip(roster, self.nonces, strict=True):
            need(digest("nonce", nonce) == player[2], "nonce")
        self.options = dict(options)
        self.table_options = dict(table_options)
        self.table = digest("table", self.draft, self.nonces)
        self.players = sorted(roster, key=lambda player: digest("seat", self.table, player[0]))
        self.steps = self._chain(payloads)
        self.open = 0

    @staticmethod
    def _envelopes(data: bytes) -> list[bytes]:
        envelopes, at = [], 8
        while at < len(data):
            length = int.from_bytes(data[at : at + 4], "big")
            need(at + 4 + length <= len(data), "truncated")
            envelopes.append(data[at + 4 : at + 4 + length])
            at += 4 + length
        return envelopes

    @staticmethod
    def _envelope(envelope: bytes) -> tuple[list[Any], bytes, bytes]:
        packed, signature = unpack(envelope)
        return unpack(packed), packed, signature

    def _chain(self, payloads: Sequence[tuple[list[Any], bytes, bytes]]) -> list[list[Any]]:
        steps: list[list[Any]] = []
        self._heads = [self.table]
        hashes: list[bytes] = []
        for payload, packed, signature in payloads:
            version, table, step, prev, seat, _, _ = payload
            need(version == 1 and table == self.table and seat < len(self.players), "payload")
            domain = b"p2pcards/1 contribution"
            message = b"P2PCARDS-V1" + bytes([len(domain)]) + domain + packed
            try:
                key = Ed25519PublicKey.from_public_bytes(self.players[seat][0])
                key.verify(signature, message)
            except InvalidSignature:
                raise Refused(f"signature of seat {seat} at step {step}") from None
            if step == len(steps):
                if steps:
                    self._heads.append(digest("head", self._heads[-1], *hashes))
                steps.append([])
                hashes = []
            need(step == len(steps) - 1 and prev == self._heads[-1], f"order at step {step}")
            steps[-1].append(payload)
            hashes.append(digest("payload", packed))
        return steps

    def take(self, kind: int, authors: Sequence[int]) -> tuple[int, dict[int, Any]]:
        """The next step, which must be of this kind and by these: its number, and the bodies."""
        need(self.open < len(self.steps), "the log ends too early")
        step = self.steps[self.open]
        need([payload[4] for payload in step] == sorted(authors), f"authors of {self.open}")
        need(all(payload[5] == kind for payload in step), f"kind of step {self.open}")
        self.open += 1
        return self.open - 1, {payload[4]: payload[6] for payload in step}

    def context(self, proof: str, step: int, seat: int, index: int = 0) -> bytes:
        """The context of a proof in a contribution."""
        return context(proof, self.table, step, self._heads[step], seat, index)


class Table:
    """Oh Hell, hand by hand."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.n = len(log.players)
        self.everyone = range(self.n)
        self.points = [0] * self.n
        self.claims = 0
        self.next_slot = 0
        need(log.game == "oh-hell" and 3 <= self.n <= 7, "game")

    def play(self) -> Result:
        """The whole match."""
        log, options = self.log, self.log.options
        _, sits = log.take(SIT, self.everyone)
        need(all(body == [log.draft, log.nonces] for body in sits.values()), "agreement")
        dealer, sizes, hands = self.toss(self.n), self.sizes(), 0
        for number, size in enumerate(sizes):
            if log.table_options["hands"] and number == log.table_options["hands"]:
                break
            last = number == len(sizes) - 1
            bare = {"last": last, "max": size == max(sizes), "never": False}[options["no_trump"]]
            self.hand(dealer, size, trump=size * self.n < 52 and not bare, last=last)
            dealer, hands = (dealer + 1) % self.n, hands + 1
        log.take(AGREE, self.everyone)
        need(log.open == len(log.steps), "something after the end")
        return Result(self.n, hands, self.points, len(log.steps), self.claims)

    def sizes(self) -> list[int]:
        """Cards a seat in each hand."""
        options = self.log.options
        up = list(range(1, (options["max_hand"] or LARGEST[self.n]) + 1))
        down, skip = up[::-1], 0 if options["turning_hand_twice"] else 1
        return {
            "up": up,
            "down": down,
            "up_down": up + down[skip:],
            "down_up": down + up[skip:],
        }[options["sequence"]]

    def toss(self, sides: int) -> int:
        """A joint random number."""
        commits, bodies = self.sealed()
        need(all(body[1] is None for body in bodies.values()), "a toss opens no move")
        opened = [bodies[seat][0] for seat in self.everyone]
        wide = sha512(pack(["toss", self.log.table, commits + 2, opened]))
        return int.from_bytes(wide, "big") % sides

    def sealed(self) -> tuple[int, dict[int, Any]]:
        """Commitments, agreement, openings: the step of the commitments, and what was opened."""
        log = self.log
        step, commits = log.take(COMMIT, self.everyone)
        log.take(AGREE, self.everyone)
        _, bodies = log.take(REVEAL, self.everyone)
        for seat, (nonce, move) in bodies.items():
            ctx = log.context("commit", step, seat)
            plain = None if move is None else move[0]
            need(digest("commit", ctx, plain, nonce) == commits[seat][0], "commitment")
        return step, bodies

    # --- one hand ---------------------------------------------------------------------------------

    def hand(self, dealer: int, size: int, *, trump: bool, last: bool) -> None:
        """Keys, shuffle, deal, bids, tricks, score, openings."""
        log = self.log
        step, commits = log.take(KEY_COMMIT, self.everyone)
        log.take(AGREE, self.everyone)
        _, opened = log.take(KEY_OPEN, self.everyone)
        for seat, (key, proof) in opened.items():
            need(sha(log.context("keycom", step, seat) + key + proof) == commits[seat][0], "key")
            check_possession(log.context("pop", step, seat), key, proof)
        self.keys = {seat: opened[seat][0] for seat in self.everyone}
        joint = encode(total(*(decode(key) for key in self.keys.values())))
        mixes = self.shuffle(joint)
        order = [(dealer + 1 + i) % self.n for i in self.everyone]
        self.deal(mixes[-1][3], order, size, trump)
        bids = self.bid(order, size)
        tricks = self.tricks(order[0], size)
        self.score(bids, tricks, size)
        if not last:
            _, moves = log.take(MOVE, self.everyone)
            need(all(m == [[READY], [[], b""], b"", []] for m in moves.values()), "ready")
        log.take(AGREE, self.everyone)
        if log.table_options["openings"] == "after-hand":
            _, openings = log.take(OPEN, self.everyone)
            for seat, (secret, seed) in openings.items():
                need(encode(times(scalar(secret), G)) == self.keys[seat], "opened key")
                need(digest("seed", seed) == commits[seat][1], "opened seed")
                mix_step, _, before, after = mixes[seat]
                seeded = digest("mix", seed, mix_step)
                need(remix(joint, before, seeded) == after, "recomputed shuffle")

    def shuffle(self, joint: bytes) -> list[tuple[int, int, list[bytes], list[bytes]]]:
        """Every seat's mix, in seat order: step, seat, before, after."""
        deck = [
            encode(times(i, G))
            + encode(total(times(s, P[1]), times(r, P[2]), times(i, decode(joint))))
            for i, (s, r) in enumerate(DECK, 1)
        ]
        mixes = []
        for seat in self.everyone:
            step, bodies = self.log.take(MIXED, [seat])
            after, proof = bodies[seat]
            check_mix(self.log.context("shuffle", step, seat), joint, deck, after, proof)
            mixes.append((step, seat, deck, after))
            deck = after
        self.log.take(AGREE, self.everyone)
        return mixes

    def deal(self, deck: Sequence[bytes], order: Sequence[int], size: int, trump: bool) -> None:
        """All shares of the deal in one step: a dealt card by the others, the trump by all."""
        dealt = size * self.n
        holders = [order[i % self.n] for i in range(dealt)]
        first, self.next_slot = self.next_slot + 52, self.next_slot + 104
        step, bodies = self.log.take(SHARES, self.everyone)
        shares: list[list[bytes]] = [[] for _ in range(dealt + 1)]
        for seat, (given, proof) in bodies.items():
            owed = [i for i in range(dealt) if holders[i] != seat] + [dealt] * trump
            need(len(given) == len(owed), "number of shares")
            ctx = self.log.context("shares", step, seat)
            check_shares(ctx, self.keys[seat], [deck[i] for i in owed], given, proof)
            for i, share in zip(owed, given, strict=True):
                shares[i].append(share)
        self.masks = {first + i: deck[i][:33] + plaintext(deck[i], shares[i]) for i in range(dealt)}
        self.hands = {
            seat: [first + i for i in range(dealt) if holders[i] == seat] for seat in self.everyone
        }
        self.trump = CARDS[plaintext(deck[dealt], shares[dealt])][0] if trump else None

    def bid(self, order: Sequence[int], size: int) -> dict[int, int]:
        """A bid of each seat."""
        log, bids = self.log, dict[int, int]()
        if log.options["bidding"] == "simultaneous":
            _, bodies = self.sealed()
            moves = {seat: bodies[seat][1] for seat in self.everyone}
        else:
            moves = {seat: log.take(MOVE, [seat])[1][seat] for seat in order}
        for seat in order:
            (kind, tricks), shares, claim, gives = moves[seat]
            need(kind == BID and (shares, claim, gives) == ([[], b""], b"", []), "a bid")
            need(0 <= tricks <= size, "range of a bid")
            bids[seat] = tricks
        if log.options["hook"]:
            need(sum(bids.values()) != size, "hook")
        return bids

    def tricks(self, leader: int, size: int) -> dict[int, int]:
        """Every card of the hand; gives the tricks of each seat."""
        won = dict.fromkeys(self.everyone, 0)
        for _trick in range(size):
            cards: list[Card] = []
            for i in self.everyone:
                cards.append(self.card((leader + i) % self.n, cards))
            best = max(
                self.everyone,
                key=lambda i: (cards[i][0] == self.trump, cards[i][0] == cards[0][0], cards[i][1]),
            )
            leader = (leader + best) % self.n
            won[leader] += 1
        return won

    def card(self, seat: int, trick: Sequence[Card]) -> Card:
        """One card played, with the proof that it may be."""
        step, bodies = self.log.take(MOVE, [seat])
        (kind, slot), (shares, proof), claim, gives = bodies[seat]
        need(kind == PLAY and slot in self.hands[seat] and gives == [], "a card of the hand")
        mask = self.masks[slot]
        check_shares(self.log.context("shares", step, seat), self.keys[seat], [mask], shares, proof)
        face = CARDS[plaintext(mask, shares)]
        self.hands[seat].remove(slot)
        wanted = self.duty(seat, face, trick)
        if wanted is None:
            need(claim == b"", "a proof of nothing")
        else:
            ctx = self.log.context("formula", step, seat, 1)
            check_formula(ctx, self.keys[seat], wanted, claim)
            self.claims += 1
        return face

    def duty(self, seat: int, face: Card, trick: Sequence[Card]) -> Formula | None:
        """What must be proven of the cards kept."""
        kept = self.hands[seat]
        if not trick or face[0] == trick[0][0] or not kept:
            return None
        led = trick[0][0]
        duties = [self.none_of(kept, led)]
        must = self.log.options["must_trump"] and self.trump is not None
        if must and self.trump not in (led, face[0]):
            duties.append(self.none_of(kept, self.trump))
        return _all(duties)

    def none_of(self, kept: Sequence[int], suit: int | None) -> Formula:
        """No card kept is of this suit."""
        others = [other for other in range(1, 5) if other != suit]
        return _all(
            [
                Join(OR, tuple(Rep(self.masks[slot], (o, None, 0, 0)) for o in others))
                for slot in kept
            ]
        )

    def score(self, bids: dict[int, int], tricks: dict[int, int], size: int) -> None:
        """Points for the hand."""
        options = self.log.options
        for seat in self.everyone:
            if bids[seat] != tricks[seat]:
                missed = options["miss_points"] == "tricks"
                self.points[seat] += tricks[seat] if missed else 0
            elif bids[seat] == 0 and options["zero_bid"] == "five_plus_hand":
                self.points[seat] += 5 + size
            else:
                self.points[seat] += 10 + tricks[seat]


def _all(parts: Sequence[Formula]) -> Formula:
    return parts[0] if len(parts) == 1 else Join(AND, tuple(parts))


def verify(data: bytes) -> Result:
    """The result of an honest log; `Refused` for any other."""
    try:
        return Table(Log(data)).play()
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise Refused(f"{type(error).__name__}: {error}") from None


if __name__ == "__main__":
    print(verify(Path(sys.argv[1]).read_bytes()))
