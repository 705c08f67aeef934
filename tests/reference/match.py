"""What is due, the checks of contributions in their order, and what closed steps change, after
protocol.md, sections 5.6, 6.4 to 6.6, 9.2 and 12.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.reference import bytes_, shuffle, sigma
from tests.reference.bytes_ import (
    AGREE,
    BODIES,
    COMMIT,
    KEY_COMMIT,
    MOVE,
    OPEN,
    REVEAL,
    SIT,
    digest,
    encode,
    sha256,
    sha512,
)
from tests.reference.group import (
    FRENCH,
    Face,
    G,
    Unproven,
    add,
    combine,
    decode,
    scalar,
)
from tests.reference.group import encode as encode_point
from tests.reference.oh_hell import (
    All,
    Claim,
    Dealing,
    Moves,
    OhHell,
    Over,
    Refusal,
    Ruling,
    is_move,
    opened,
)
from tests.reference.table import Ask, Step, Stir, Table
from tests.reference.transcript import context

SUITS = sorted({suit for suit, _, _ in FRENCH})


class Fault(Exception):
    """A seat has signed what it may not have."""

    def __init__(self, seat: int, step: int, code: str) -> None:
        super().__init__(f"seat {seat}, step {step}: {code}")
        self.seat, self.step, self.code = seat, step, code


@dataclass(frozen=True, slots=True)
class Place:
    """Where a contribution stands: what its proofs' contexts are made of."""

    table: bytes
    step: int
    prev: bytes
    seat: int

    def context(self, proof: str, index: int = 0) -> bytes:
        """ctx(proof)."""
        return context(proof, self.table, self.step, self.prev, self.seat, index)

    def fault(self, code: str) -> Fault:
        """The author's fault."""
        return Fault(self.seat, self.step, code)

    def need(self, condition: bool, code: str) -> None:
        """The author's fault unless the condition holds."""
        if not condition:
            raise self.fault(code)


@dataclass(frozen=True, slots=True)
class Proven:
    """A claim that came with a good proof, kept until the hand's keys are open."""

    place: Place
    formula: sigma.Formula


class Match:
    """A match of Oh Hell, as far as its closed steps go."""

    def __init__(
        self, sit: list[Any], seats: int, options: Mapping[str, Any], hands: int, openings: bool
    ) -> None:
        self.sit = sit
        self.rules = OhHell(seats, options)
        self.table = Table(seats, hands, openings)
        self.result: Over | None = None
        self.unopened: list[int] = []
        self.checked: Counter[str] = Counter()
        self._dealing = False
        self._old_keys: set[bytes] = set()
        self._sealed: dict[int, tuple[Place, bytes]] = {}
        self._proven: list[Proven] = []
        self.due: Step | None = Step(SIT, self.table.everybody)

    # --- what is due ------------------------------------------------------------------------------

    def _settle(self) -> Step | None:
        table = self.table
        while True:
            step = table.advance()
            if step is not None or self.result is not None:
                return step
            if table.stopped:
                self.result = self.rules.standing()
                table.queue += [*table.closing(), Ask(AGREE)]
                continue
            if self._dealing:
                self._dealing = False
                self.rules.resume(table)
                continue
            match self.rules.turn():
                case Moves(seats, sealed=False):
                    return Step(MOVE, tuple(sorted(seats)))
                case Moves(seats):
                    table.queue += [Ask(COMMIT, seats), Ask(AGREE), Ask(REVEAL, seats)]
                case Dealing(operations):
                    table.queue += operations
                    self._dealing = True
                case Over() as result:
                    self.result = result
                    table.queue += [*table.closing(), Ask(AGREE)]

    # --- checks, in the order of section 9.2 ------------------------------------------------------

    def check(self, place: Place, kind: int, body: Any) -> None:
        """Raises `Fault` unless the content of a contribution that is due is as it must be."""
        place.need(BODIES[kind](body), "body.malformed")
        match kind:
            case bytes_.SIT:
                place.need(body == self.sit, "agreement.differs")
            case bytes_.KEY_OPEN:
                self._check_key(place, body)
            case bytes_.MIXED:
                self._check_mix(place, body)
            case bytes_.SHARES:
                self._check_shares(place, body)
            case bytes_.MOVE:
                self._check_move(place, body)
            case bytes_.REVEAL:
                self._check_reveal(place, body)
            case bytes_.OPEN:
                self._check_opening(place, body)
            case _:  # AGREE, KEY_COMMIT and COMMIT say nothing that could be wrong by itself
                pass

    def _check_key(self, place: Place, body: list[Any]) -> None:
        key, proof = body
        step, prev, commitment, _ = self._commitment(place.seat)
        then = Place(place.table, step, prev, place.seat)
        place.need(sha256(then.context("keycom") + key + proof) == commitment, "key.uncommitted")
        place.need(key not in self._old_keys, "key.reused")
        try:
            sigma.check_possession(then.context("pop"), key, proof)
        except Unproven:
            raise place.fault("key.proof") from None

    def _commitment(self, seat: int) -> tuple[int, bytes, bytes, bytes]:
        return self.table.keys.commitments[seat]

    def _check_mix(self, place: Place, body: list[Any]) -> None:
        masks, proof = body
        stir = self._stir()
        place.need(len(masks) == len(stir.masks), "mix.count")
        firsts = [mask[:33] for mask in masks]
        fresh = len(set(firsts)) == len(firsts)
        place.need(fresh and not self.table.keys.first_halves & set(firsts), "mask.repeated")
        ctx, key = place.context("shuffle"), self.table.keys.joint
        try:
            shuffle.check_mix(ctx, key, stir.masks, masks, proof)
        except Unproven:
            raise place.fault("mix.proof") from None

    def _stir(self) -> Stir:
        assert self.due is not None
        assert isinstance(self.due.about, Stir)
        return self.due.about

    def _check_shares(self, place: Place, body: list[Any]) -> None:
        shares, proof = body
        slots = self.table.debts[place.seat]
        place.need(len(shares) == len(slots), "share.count")
        self._prove_shares(place, slots, shares, proof)

    def _prove_shares(
        self, place: Place, slots: list[int], shares: list[bytes], proof: bytes
    ) -> None:
        key = self.table.keys.keys[place.seat]
        masks = [self.table.slots[slot].mask for slot in slots]
        try:
            sigma.check_shares(place.context("shares"), key, masks, shares, proof)
        except Unproven:
            raise place.fault("share.wrong") from None
        self.checked["shares"] += len(shares)

    def _check_reveal(self, place: Place, body: list[Any]) -> None:
        nonce, move = body
        place.need((move is None) == (self._toss_sides() is not None), "body.malformed")
        then, commitment = self._sealed[place.seat]
        sealed = None if move is None else move[0]
        opening = digest("commit", then.context("commit"), sealed, nonce)
        place.need(opening == commitment, "commit.broken")
        if move is not None:
            self._check_move(place, move)

    def _toss_sides(self) -> int | None:
        assert self.due is not None
        assert isinstance(self.due.about, Ask)
        return self.due.about.sides

    def _check_opening(self, place: Place, body: list[Any]) -> None:
        secret, seed = body
        keys = self.table.keys
        place.need(digest("seed", seed) == self._commitment(place.seat)[3], "open.seed")
        try:
            opened_key = encode_point(combine((scalar(secret), G)))
        except Unproven:
            raise place.fault("open.key") from None
        place.need(opened_key == keys.keys[place.seat], "open.key")
        for mixing in keys.mixings:
            if mixing.seat == place.seat:
                mix_seed = shuffle.seed_of_mix(seed, mixing.step)
                again = shuffle.mixed(mix_seed, decode(keys.joint), mixing.before)
                place.need(tuple(again) == mixing.after, "open.mix")

    # --- moves ------------------------------------------------------------------------------------

    def _check_move(self, place: Place, body: list[Any]) -> None:
        move, (shares, proof), claim, gifts = body
        place.need(is_move(move), "move.malformed")
        slots, faces = self._open_cards(place, move, shares)
        ruling = self._judge(place, move, faces)
        place.need(len(shares) == len(slots) and not gifts, "move.unasked")
        place.need(bool(shares) or not proof, "move.unasked")
        formula = sigma.TRUE if ruling.claim is None else sigma.fold(self._translate(ruling.claim))
        place.need(formula != sigma.FALSE, "claim.false")
        place.need(formula != sigma.TRUE or not claim, "move.unasked")
        if shares:
            self._prove_shares(place, slots, shares, proof)
        if formula != sigma.TRUE:
            self._prove_claim(place, formula, claim)

    def _open_cards(
        self, place: Place, move: list[Any], shares: list[bytes]
    ) -> tuple[list[int], dict[int, Face]]:
        """The slots that the move's shares open, and all faces that are up with them."""
        faces, taken = self.table.faces(), list[int]()
        for slot in opened(move):
            there = self.table.slots.get(slot)
            if there is None or place.seat not in there.under:
                continue
            place.need(len(taken) < len(shares), "share.missing")
            share = shares[len(taken)]
            taken.append(slot)
            after = type(there)(there.mask, there.under)
            try:
                after.take_off(place.seat, share)
            except Unproven:
                raise place.fault("share.wrong") from None
            if after.face is not None:
                faces[slot] = after.face
        return taken, faces

    def _judge(self, place: Place, move: list[Any], faces: Mapping[int, Face]) -> Ruling:
        try:
            return self.rules.judge(self.table, faces, place.seat, move)
        except Refusal as refusal:
            raise place.fault(str(refusal)) from None

    def _translate(self, claim: Claim) -> sigma.Formula:
        """The statement of a claim: cards kept in a hand are never up, so nothing is known yet."""
        if isinstance(claim, All):
            parts = tuple(map(self._translate, claim.parts))
            return parts[0] if len(parts) == 1 else sigma.Both(parts)
        mask = self.table.slots[claim.slot].mask
        others = [suit for suit in SUITS if suit != claim.suit]
        return sigma.Either(
            tuple(sigma.Rep(mask, None, (suit, sigma.FREE, 0, 0)) for suit in others)
        )

    def _prove_claim(self, place: Place, formula: sigma.Formula, proof: bytes) -> None:
        key = self.table.keys.keys[place.seat]
        try:
            sigma.check_formula(place.context("formula", 1), key, formula, proof)
        except Unproven:
            raise place.fault("claim.false") from None
        self._proven.append(Proven(place, formula))
        self.checked["claims"] += 1

    # --- closed steps -----------------------------------------------------------------------------

    def close(self, kind: int, places: list[Place], bodies: list[Any]) -> None:
        """Applies a step, whose contributions are given in ascending order of seats."""
        step = places[0].step
        both = list(zip(places, bodies, strict=True))
        match kind:
            case bytes_.KEY_COMMIT:
                for place, (key, seed) in both:
                    self.table.keys.commitments[place.seat] = (step, place.prev, key, seed)
            case bytes_.KEY_OPEN:
                self._take_keys(both)
            case bytes_.MIXED:
                self.table.stirred(self._stir(), step, tuple(bodies[0][0]))
            case bytes_.SHARES:
                for place, (shares, _) in both:
                    self._pay(place, shares)
            case bytes_.MOVE:
                for place, body in both:
                    self._make_move(place, body)
            case bytes_.COMMIT:
                self._sealed = {place.seat: (place, commitment) for place, (commitment,) in both}
            case bytes_.REVEAL:
                self._reveal(both)
            case bytes_.OPEN:
                self._evaluate_claims({place.seat: body[0] for place, body in both})
            case _:  # SIT and AGREE change nothing but the head
                pass
        self._note_unopened(kind)
        self.due = self._settle()

    def _take_keys(self, opened_keys: list[tuple[Place, Any]]) -> None:
        seen: list[bytes] = []
        for place, (key, _) in opened_keys:
            place.need(all(key[1:] != other[1:] for other in seen), "key.twin")
            seen.append(key)
        highest = opened_keys[-1][0]
        highest.need(add(*map(decode, seen)) is not None, "key.sum")
        self.table.keys.keys = dict(enumerate(seen))
        self._old_keys.update(seen)

    def _pay(self, place: Place, shares: list[bytes]) -> None:
        try:
            self.table.pay(place.seat, shares)
        except Unproven:
            raise place.fault("card.unknown") from None

    def _make_move(self, place: Place, body: list[Any]) -> None:
        move, (shares, _), _, _ = body
        slots, faces = self._open_cards(place, move, shares)
        ruling = self._judge(place, move, faces)
        for slot, share in zip(slots, shares, strict=True):
            self.table.slots[slot].take_off(place.seat, share)
        self.table.perform_puts(ruling.puts)
        self.rules.apply(faces, place.seat, move)

    def _reveal(self, both: list[tuple[Place, Any]]) -> None:
        sides = self._toss_sides()
        if sides is None:
            for place, (_, move) in both:
                self._make_move(place, move)
            return
        place = both[0][0]
        nonces = [nonce for _, (nonce, _) in both]
        wide = sha512(encode(["toss", place.table, place.step, nonces]))
        self.table.toss = int.from_bytes(wide, "big") % sides

    def _evaluate_claims(self, secrets: dict[int, bytes]) -> None:
        for proven in self._proven:
            secret = scalar(secrets[proven.place.seat])
            try:
                true = sigma.holds(proven.formula, secret)
            except Unproven:
                raise proven.place.fault("card.unknown") from None
            proven.place.need(true, "claim.false_in_the_open")
            self.checked["claims opened"] += 1
        self._proven = []

    def _note_unopened(self, kind: int) -> None:
        if kind == KEY_COMMIT:
            self.unopened.append(self.table.hands_begun)
        if kind == OPEN:
            self.unopened.pop()
