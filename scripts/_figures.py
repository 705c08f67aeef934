"""The figures of single proofs: what making and checking one costs, in u.

What is warm, because it is so in a match too:

- constants (generators, card points, tables of multiples): a process makes them once;
- for a prover its key, the masks of its hand and its shares of them: a peer reads its cards as soon
  as they are dealt;
- for a verifier the keys of the hand, and the A of every mask: they stand in the deck, whose
  shuffle it has checked. The B of a held card is new to it, since that comes out of a subtraction
  of shares; so is every point that the message brings;
- for a shuffle of the joint deck, and for its check, the deck before it, checked a step ago.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from _timing import Call, Case, Measurement, Results
from p2pcards.cards.claims import All, Claim, ClassIs, SuitIsNot
from p2pcards.cards.faces import (
    HEARTS,
    ORDINARY,
    SPADES,
    Attribute,
    Face,
    Pack,
    french,
    gnav,
    president,
)
from p2pcards.crypto import shuffle
from p2pcards.crypto.elgamal import Mask, card_point, decode_mask, encode_masks
from p2pcards.crypto.group import POINT_SIZE, SECP256K1, random_scalar
from p2pcards.crypto.kernel import HandKey, RealKernel
from p2pcards.crypto.transcript import Context
from p2pcards.engine.obligations import formula
from p2pcards.games.president_exchange import are_best, are_returnable

Figure = Callable[[Measurement], Results]

RNG = os.urandom


def _context() -> Context:
    """A place in a match, another each time."""
    return Context(RNG(32), 7, RNG(32), 0)


def _new_key() -> HandKey:
    return RealKernel().keys(_context(), RNG(32), RNG)


class Holder:
    """A seat with a key of its own and some cards of a pack under it."""

    def __init__(self, pack: Pack, faces: Sequence[Face]) -> None:
        self.kernel = RealKernel()
        self.key = _new_key()
        self.faces = pack.faces
        public = SECP256K1.decode(self.key.public)
        cards = []
        for face in faces:
            r = random_scalar(RNG)
            b = SECP256K1.sum((card_point(face), SECP256K1.mul(public, r)))
            cards.append((SECP256K1.base(r), b))
        self.masks: Sequence[Mask] = encode_masks(cards)

    @property
    def own(self) -> Sequence[bytes]:
        """What this peer has parsed when its cards are dealt."""
        return (self.key.public, *self.masks)

    @property
    def seen(self) -> Sequence[bytes]:
        """What another peer has parsed of it then."""
        return (self.key.public, *(mask[:POINT_SIZE] for mask in self.masks))

    def read(self) -> None:
        """Reads the hand, and has read nothing before."""
        self.kernel.forget()
        for mask in self.masks:
            self.kernel.read(mask, self.key.x, self.faces)


# --- shuffles -------------------------------------------------------------------------------------


def mix(pack: Pack) -> Case:
    kernel, key = RealKernel(), _new_key().public
    # Not the first deck, whose masks have a pattern (1G, 2G, ...).
    before = kernel.recompute(key, kernel.initial(key, pack.faces), RNG(32))
    ctx, seed = _context(), RNG(32)
    after, proof = kernel.mix(ctx, key, before, seed, RNG)
    kernel.check_mix(ctx, key, before, after, proof)
    # The prover has all of these parsed: the deck it has checked, and the one it has just made.
    statement = shuffle.statement_of(
        SECP256K1.decode(key), list(map(decode_mask, before)), list(map(decode_mask, after))
    )
    secret = shuffle.mixing(seed, len(before))

    known = (key, *before)

    def prove() -> bytes:
        transcript = shuffle.start_transcript(ctx, key, before, after)
        return shuffle.prove(transcript, statement, secret, seed, RNG)

    return {
        "remask": Call(lambda: kernel.recompute(key, before, seed), known),
        "prove": Call(prove, known, size=len(proof)),
        "verify": Call(lambda: kernel.check_mix(ctx, key, before, after, proof), known),
    }


def mix_two_packs() -> Case:
    return {part: call for part, call in mix(president(2)).items() if part != "remask"}


def hide_hand() -> Case:
    """A seat mixes its own 13 cards, proof included."""
    owner = Holder(french(), french().faces[20:33])
    kernel, key, before = owner.kernel, owner.key.public, owner.masks
    ctx, seed = _context(), RNG(32)
    after, proof = kernel.mix(ctx, key, before, seed, RNG)
    kernel.check_mix(ctx, key, before, after, proof)
    return {
        "prove": Call(
            lambda: kernel.mix(ctx, key, before, seed, RNG), owner.own, owner.read, len(proof)
        ),
        "verify": Call(lambda: kernel.check_mix(ctx, key, before, after, proof), owner.seen),
    }


# --- one card -------------------------------------------------------------------------------------


def open_held() -> Case:
    """A seat lays down a card of its hand; the others check the share and read the face."""
    owner = Holder(french(), french().faces[30:31])
    kernel, key, masks, ctx = owner.kernel, owner.key, owner.masks, _context()
    shares, proof = kernel.shares(ctx, key.x, key.public, masks, RNG)

    def verify() -> None:
        kernel.check_shares(ctx, key.public, masks, shares, proof)
        if kernel.open_face(masks[0], shares[0], owner.faces) is None:
            raise ValueError("another card came out")

    verify()
    return {
        "prove": Call(
            lambda: kernel.shares(ctx, key.x, key.public, masks, RNG),
            owner.own,
            owner.read,
            len(proof),
        ),
        "verify": Call(verify, owner.seen),
    }


def give() -> Case:
    """A card goes to another player, unseen by the rest."""
    giver, to = Holder(gnav(), gnav().faces[5:6]), _new_key().public
    kernel, key, (mask,), ctx = giver.kernel, giver.key, giver.masks, _context()
    given, proof = kernel.give(ctx, key.x, key.public, to, mask, RNG)

    def verify() -> None:
        kernel.check_give(ctx, key.public, to, mask, given, proof)

    verify()
    return {
        "prove": Call(
            lambda: kernel.give(ctx, key.x, key.public, to, mask, RNG),
            (to, *giver.own),
            giver.read,
            len(proof),
        ),
        "verify": Call(verify, (to, *giver.seen)),
    }


# --- claims ---------------------------------------------------------------------------------------


def claim(pack: Pack, faces: Sequence[Face], claim: Claim) -> Case:
    """A claim of the game about cards held; slot i is the i-th of the faces."""
    owner = Holder(pack, faces)
    kernel, key, ctx = owner.kernel, owner.key, _context()
    statement = formula(claim, lambda slot: owner.masks[slot], pack)
    proof = kernel.prove(ctx, key.x, key.public, statement, owner.faces, RNG)
    kernel.check(ctx, key.public, statement, proof)
    return {
        "prove": Call(
            lambda: kernel.prove(ctx, key.x, key.public, statement, owner.faces, RNG),
            owner.own,
            owner.read,
            len(proof),
        ),
        "verify": Call(lambda: kernel.check(ctx, key.public, statement, proof), owner.seen),
    }


def not_led() -> Case:
    return claim(french(), [Face(HEARTS, 9)], SuitIsNot(0, SPADES))


def ordinary() -> Case:
    return claim(gnav(), gnav().faces[5:6], ClassIs(0, ORDINARY))


def void() -> Case:
    """Cannot follow suit, with 12 cards left after the play."""
    faces = [face for face in french().faces if face.suit != SPADES][10:22]
    return claim(french(), faces, All(SuitIsNot(slot, SPADES) for slot in range(12)))


def two_best(cards: int) -> Case:
    """President's gift, by the rules' own formula: the two highest of the hand, in order."""
    pack = president()
    faces = sorted(pack.faces[::2], key=lambda face: face.rank, reverse=True)[:cards]
    return claim(pack, faces, are_best((0, 1), tuple(range(2, cards)), Attribute.RANK))


def returned(cards: int) -> Case:
    """What comes back for it: the two lowest of a hand that has no card from 3 to 9, so that both
    branches of the rules' formula are in the proof and the long one is real."""
    pack = president()
    faces = sorted(pack.faces, key=lambda face: face.rank)[-cards:]
    return claim(pack, faces, are_returnable((0, 1), tuple(range(2, cards)), "low"))


def figure(
    prefix: str, parts: Sequence[str], make: Callable[[], Case], examples: int
) -> tuple[Sequence[str], Figure]:
    return (
        [f"{prefix}.{part}" for part in parts],
        lambda measurement: measurement.parts(prefix, [make() for _ in range(examples)]),
    )


PROOFS: Sequence[tuple[Sequence[str], Figure]] = (
    figure("shuffle52", ("remask", "prove", "verify"), lambda: mix(french()), 1),
    figure("shuffle108", ("prove", "verify"), mix_two_packs, 1),
    figure("claim.not_led", ("prove", "verify"), not_led, 8),
    figure("open_held", ("prove", "verify"), open_held, 32),
    figure("give", ("prove", "verify"), give, 16),
    figure("hide13", ("prove", "verify"), hide_hand, 1),
    figure("claim.ordinary", ("prove", "verify"), ordinary, 32),
    figure("claim.two_best13", ("prove", "verify"), lambda: two_best(13), 1),
    figure("claim.two_best27", ("prove", "verify"), lambda: two_best(27), 1),
    figure("claim.return27", ("prove", "verify"), lambda: returned(27), 1),
    figure("claim.void12", ("prove", "verify"), void, 1),
)
