"""The kernel: every verb of the table that touches a card's secrecy, bytes in and bytes out.

The one door to this package for the floors above. A kernel knows keys, masks and proofs; it knows
no step, no seat's turn and no rule, and decides nothing: whether a share is due or a claim is owed
is the engine's affair. protocol.md section 5 and the modules named there give the bytes.

Sizes: a key 33, a secret 32, a mask 66, a share 33; proofs: key 64, shares 64, give 96, mix
`shuffle.proof_size(N)`, claim `formula.proof_size(fold(formula))`. Every `check_...` is silent or
raises: BadProof if it does not convince or has another length, BadPoint and BadScalar for bytes
that are none, BadFormula for a claim that cannot be stated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Protocol

from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from p2pcards.crypto import composition, shuffle, sigma
from p2pcards.crypto.elgamal import (
    MASK_SIZE,
    Attributes,
    Mask,
    decode_mask,
    dictionary,
    initial_deck,
    plaintext,
    strip,
)
from p2pcards.crypto.formula import Formula
from p2pcards.crypto.group import (
    POINT_SIZE,
    SECP256K1,
    Point,
    Rng,
    decode_scalar,
    encode_scalar,
    random_scalar,
)
from p2pcards.crypto.transcript import Context
from p2pcards.errors import BadPoint, BadScalar

SECRET_SIZE: Final = 32
_MAX_REMEMBERED: Final = 2048

_group = SECP256K1


@dataclass(frozen=True, slots=True)
class HandKey:
    """A seat's key for one hand: `x` is its secret alone until the hand is opened."""

    x: bytes = field(repr=False)
    public: bytes
    proof: bytes


class Kernel(Protocol):
    """What the engine asks of cryptography; the open kernel answers with faces in the clear."""

    def keys(self, ctx: Context, secret: bytes, rng: Rng) -> HandKey:
        """The key of a stored 32-byte hand secret, with its proof of possession."""

    def key_commitment(self, ctx: Context, public: bytes, proof: bytes) -> bytes:
        """32 bytes that bind a seat to its key before it has seen the others'."""

    def check_key(self, ctx: Context, public: bytes, proof: bytes) -> None:
        """That the author of `ctx` knows the secret of `public`."""

    def joint(self, publics: Sequence[bytes]) -> bytes:
        """The sum of the holders' keys; BadPoint if it, or a sum of two of them, is no key."""

    def opens_key(self, x: bytes, public: bytes) -> bool:
        """Whether `x` is the secret of `public`."""

    def initial(self, key: bytes, faces: Sequence[Attributes]) -> tuple[Mask, ...]:
        """The public deck that the first mix starts from."""

    def mix(
        self, ctx: Context, key: bytes, before: Sequence[Mask], seed: bytes, rng: Rng
    ) -> tuple[tuple[Mask, ...], bytes]:
        """The masks in a secret order under new randomness, all from `seed`, and the proof."""

    def check_mix(
        self, ctx: Context, key: bytes, before: Sequence[Mask], after: Sequence[Mask], proof: bytes
    ) -> None:
        """That `after` hides the cards of `before`, in whatever order."""

    def recompute(self, key: bytes, before: Sequence[Mask], seed: bytes) -> tuple[Mask, ...]:
        """What `mix` makes of this seed."""

    def shares(
        self, ctx: Context, x: bytes, public: bytes, masks: Sequence[Mask], rng: Rng
    ) -> tuple[tuple[bytes, ...], bytes]:
        """One's share of each mask, and one proof for all of them."""

    def check_shares(
        self,
        ctx: Context,
        public: bytes,
        masks: Sequence[Mask],
        shares: Sequence[bytes],
        proof: bytes,
    ) -> None:
        """That these are the shares of `public` for these masks."""

    def strip(self, mask: Mask, shares: Sequence[bytes]) -> Mask:
        """The mask without the layers that the shares take off."""

    def open_face(self, mask: Mask, share: bytes, faces: Sequence[Attributes]) -> Attributes | None:
        """The card that the last share shows; None if it is none of the pack."""

    def read(self, mask: Mask, x: bytes, faces: Sequence[Attributes]) -> Attributes | None:
        """The card of a mask under one's own key; None if it is none of the pack."""

    def give(
        self, ctx: Context, x: bytes, public: bytes, to: bytes, mask: Mask, rng: Rng
    ) -> tuple[Mask, bytes]:
        """The same card under the key `to`, unseen by all others, and the proof."""

    def check_give(
        self, ctx: Context, public: bytes, to: bytes, mask: Mask, given: Mask, proof: bytes
    ) -> None:
        """That `given` hides under `to` the card that `mask` hides under `public`."""

    def prove(
        self,
        ctx: Context,
        x: bytes,
        public: bytes,
        formula: Formula,
        faces: Sequence[Attributes],
        rng: Rng,
    ) -> bytes:
        """A proof that the formula is true of the cards under `public`; else WrongWitness."""

    def check(self, ctx: Context, public: bytes, formula: Formula, proof: bytes) -> None:
        """That the formula is true of the cards under `public`."""


class RealKernel:
    """The kernel of real games. One object serves any number of hands and threads.

    It remembers shares xA that it has computed and plaintexts that it has read, since a card that
    is read is later played, given or proven about. `forget` drops them, as one drops the keys of a
    hand.
    """

    __slots__ = ("_plaintexts", "_shares")

    def __init__(self) -> None:
        self._shares: dict[bytes, tuple[Point, bytes]] = {}
        self._plaintexts: dict[bytes, bytes] = {}

    def forget(self) -> None:
        """Drops everything derived from secrets."""
        self._shares.clear()
        self._plaintexts.clear()

    def keys(self, ctx: Context, secret: bytes, rng: Rng) -> HandKey:
        """x = HKDF-SHA-512(secret, no salt, info `ctx.pack("key")`, 64 bytes) mod L.

        The same context and secret give the same key again, so storing the secret before its first
        use is enough to survive a restart. ValueError unless the secret has 32 bytes.
        """
        if len(secret) != SECRET_SIZE:
            raise ValueError("a hand secret has 32 bytes")
        kdf = HKDF(algorithm=SHA512(), length=64, salt=None, info=ctx.pack("key"))
        x = random_scalar(lambda _: kdf.derive(secret))
        public = _group.encode(_group.base(x))
        return HandKey(encode_scalar(x), public, sigma.prove_possession(ctx, x, public, rng))

    def key_commitment(self, ctx: Context, public: bytes, proof: bytes) -> bytes:
        """SHA-256(ctx.pack("keycom") | key | proof of possession), all of fixed width."""
        sigma.check_length(proof, sigma.POSSESSION_SIZE, "a proof of possession")
        if len(public) != POINT_SIZE:
            raise BadPoint(detail="not a 33-byte compressed point")
        return sha256(ctx.pack("keycom") + public + proof).digest()

    def check_key(self, ctx: Context, public: bytes, proof: bytes) -> None:
        """Schnorr's proof, bound to the seat in `ctx`: no key is copied, none is made of others."""
        sigma.check_possession(ctx, public, proof)

    def joint(self, publics: Sequence[bytes]) -> bytes:
        """33 bytes. Two keys with one x coordinate are equal or one another's negative."""
        points = [_group.decode(public) for public in publics]
        if len({public[1:] for public in publics}) != len(publics):
            raise BadPoint(detail="two keys are equal or one another's negative")
        return _group.encode(_group.sum(points))

    def opens_key(self, x: bytes, public: bytes) -> bool:
        """False also for bytes that are no scalar."""
        try:
            return _group.encode(_group.base(decode_scalar(x))) == public
        except BadScalar:
            return False

    def initial(self, key: bytes, faces: Sequence[Attributes]) -> tuple[Mask, ...]:
        """(iG, M_i + iX), i = 1 .. N."""
        return initial_deck(key, faces)

    def mix(
        self, ctx: Context, key: bytes, before: Sequence[Mask], seed: bytes, rng: Rng
    ) -> tuple[tuple[Mask, ...], bytes]:
        """`shuffle.mix`; only the proof's nonces come from `rng`."""
        return shuffle.mix(ctx, key, before, seed, rng)

    def check_mix(
        self, ctx: Context, key: bytes, before: Sequence[Mask], after: Sequence[Mask], proof: bytes
    ) -> None:
        """`shuffle.check_mix`."""
        shuffle.check_mix(ctx, key, before, after, proof)

    def recompute(self, key: bytes, before: Sequence[Mask], seed: bytes) -> tuple[Mask, ...]:
        """`shuffle.recompute`: independent of the proof system."""
        return shuffle.recompute(key, before, seed)

    def shares(
        self, ctx: Context, x: bytes, public: bytes, masks: Sequence[Mask], rng: Rng
    ) -> tuple[tuple[bytes, ...], bytes]:
        """D = xA for each mask (at least one), and a proof of 64 bytes."""
        secret = decode_scalar(x)
        shares = tuple(self._share(secret, x, mask)[1] for mask in masks)
        bases = _first_halves(masks)
        return shares, sigma.prove_shares(ctx, secret, public, bases, shares, rng)

    def check_shares(
        self,
        ctx: Context,
        public: bytes,
        masks: Sequence[Mask],
        shares: Sequence[bytes],
        proof: bytes,
    ) -> None:
        """The number of shares is the number of masks, which the engine knows."""
        sigma.check_shares(ctx, public, _first_halves(masks), shares, proof)

    def strip(self, mask: Mask, shares: Sequence[bytes]) -> Mask:
        """(A, B - sum of shares)."""
        return strip(mask, shares)

    def open_face(self, mask: Mask, share: bytes, faces: Sequence[Attributes]) -> Attributes | None:
        """M = B - D; BadPoint if that is at infinity, which hides no card either."""
        return dictionary(tuple(faces)).get(plaintext(mask, share))

    def read(self, mask: Mask, x: bytes, faces: Sequence[Attributes]) -> Attributes | None:
        """As `open_face` with one's own share, which nobody else sees."""
        return dictionary(tuple(faces)).get(self._plaintext(x, mask))

    def give(
        self, ctx: Context, x: bytes, public: bytes, to: bytes, mask: Mask, rng: Rng
    ) -> tuple[Mask, bytes]:
        """`sigma.prove_give`."""
        secret = decode_scalar(x)
        share, _ = self._share(secret, x, mask)
        return sigma.prove_give(ctx, secret, public, to, mask, rng, share)

    def check_give(
        self, ctx: Context, public: bytes, to: bytes, mask: Mask, given: Mask, proof: bytes
    ) -> None:
        """`sigma.check_give`."""
        sigma.check_give(ctx, public, to, mask, given, proof)

    def prove(
        self,
        ctx: Context,
        x: bytes,
        public: bytes,
        formula: Formula,
        faces: Sequence[Attributes],
        rng: Rng,
    ) -> bytes:
        """`composition.prove`; the cards are read with x."""
        known = dictionary(tuple(faces))
        return composition.prove(
            ctx,
            decode_scalar(x),
            public,
            formula,
            lambda mask: known.get(self._plaintext(x, mask)),
            rng,
        )

    def check(self, ctx: Context, public: bytes, formula: Formula, proof: bytes) -> None:
        """`composition.check`."""
        composition.check(ctx, public, formula, proof)

    def _share(self, secret: int, x: bytes, mask: Mask) -> tuple[Point, bytes]:
        """xA, parsed and encoded; remembered under a hash, so that no key lies in the table."""
        name = sha256(x + mask[:POINT_SIZE]).digest()
        known = self._shares.get(name)
        if known is None:
            a, _ = decode_mask(mask)
            point = _group.mul(a, secret)
            known = (point, _group.encode(point))
            if len(self._shares) >= _MAX_REMEMBERED:
                self._shares.clear()
            self._shares[name] = known
        return known

    def _plaintext(self, x: bytes, mask: Mask) -> bytes:
        """B - xA, encoded; remembered under a hash, as shares are. BadPoint at infinity."""
        name = sha256(x + mask).digest()
        known = self._plaintexts.get(name)
        if known is None:
            share, _ = self._share(decode_scalar(x), x, mask)
            _, b = decode_mask(mask)
            known = _group.encode(_group.sum((b, _group.negate(share))))
            if len(self._plaintexts) >= _MAX_REMEMBERED:
                self._plaintexts.clear()
            self._plaintexts[name] = known
        return known


def _first_halves(masks: Sequence[Mask]) -> list[bytes]:
    """The A of each mask, which alone a share depends on."""
    if any(len(mask) != MASK_SIZE for mask in masks):
        raise BadPoint(detail="not a 66-byte mask")
    return [mask[:POINT_SIZE] for mask in masks]
