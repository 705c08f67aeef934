"""A kernel that hides nothing: the verbs, sizes and refusals of the real one, in plain sight.

It is ElGamal over a group in which logarithms are free, so shares, stripping and giving add up as
they do on the curve, and a check simply looks. A face can be read off a mask by eye: bytes 35 to 38
of its 66 are the attributes. For tests and trials of the engine and of games, never for a table of
real players. The sizes are those of protocol.md section 5.

A point is 33 bytes: 02, four attributes of one byte, then an integer modulo Q in 28 bytes. Points
are added entry by entry. G is (0, 0, 0, 0, 1), so the secret of a key X is X's last entry. A proof
is a hash of its name, its context and its statement, as long as the real one; a check demands
these bytes, and that the statement is true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256, sha512, shake_256
from typing import Final, NamedTuple

from p2pcards.crypto.elgamal import Attributes, Mask
from p2pcards.crypto.formula import And, Formula, Rep, fold, pattern, proof_size, statement
from p2pcards.crypto.group import MAX_ATTRIBUTES, POINT_SIZE, Rng
from p2pcards.crypto.kernel import SECRET_SIZE, HandKey
from p2pcards.crypto.shuffle import proof_size as shuffle_proof_size
from p2pcards.crypto.sigma import DLEQ_SIZE, GIVE_SIZE, POSSESSION_SIZE
from p2pcards.crypto.transcript import Context
from p2pcards.errors import BadPoint, BadProof, BadScalar, WrongWitness

Q: Final = 2**224 - 63
"""A prime, so that no key but zero divides it."""

_PREFIX: Final = b"\2"
_NO_ATTRIBUTES: Final = (0,) * MAX_ATTRIBUTES


class _Point(NamedTuple):
    attributes: tuple[int, ...]
    value: int


def _encode(point: _Point) -> bytes:
    return _PREFIX + bytes(point.attributes) + point.value.to_bytes(28, "big")


def _decode(data: bytes) -> _Point:
    if type(data) is not bytes or len(data) != POINT_SIZE or data[:1] != _PREFIX:
        raise BadPoint(detail="not a 33-byte point")
    value = int.from_bytes(data[5:], "big")
    if value >= Q:
        raise BadPoint(detail="not below the modulus")
    return _Point(tuple(data[1:5]), value)


def _decode_key(data: bytes) -> int:
    """A key, a share or the A of a mask: a multiple of G."""
    point = _decode(data)
    if point.value == 0 or point.attributes != _NO_ATTRIBUTES:
        raise BadPoint(detail="not a multiple of the generator")
    return point.value


def _encode_key(value: int) -> bytes:
    return _encode(_Point(_NO_ATTRIBUTES, value % Q))


def _decode_mask(mask: Mask) -> tuple[int, _Point]:
    if type(mask) is not bytes or len(mask) != 2 * POINT_SIZE:
        raise BadPoint(detail="not a 66-byte mask")
    return _decode_key(mask[:POINT_SIZE]), _decode(mask[POINT_SIZE:])


def _encode_mask(a: int, b: _Point) -> Mask:
    return _encode_key(a) + _encode(b)


def _decode_secret(x: bytes) -> int:
    value = int.from_bytes(x, "big") if len(x) == SECRET_SIZE else 0
    if not 1 <= value < Q:
        raise BadScalar(detail="not a 32-byte scalar")
    return value


def _take_off(b: _Point, share: int) -> _Point:
    return _Point(b.attributes, (b.value - share) % Q)


def _plain(mask: Mask, x: int) -> _Point:
    a, b = _decode_mask(mask)
    return _take_off(b, a * x)


def _card(face: Attributes) -> tuple[int, ...]:
    return (*face, *_NO_ATTRIBUTES[len(face) :])


def _look_up(plain: _Point, faces: Sequence[Attributes]) -> Attributes | None:
    if plain.value != 0:
        return None
    return next((face for face in faces if _card(face) == plain.attributes), None)


def _stamp(name: str, ctx: Context, parts: Iterable[bytes], size: int) -> bytes:
    """The one proof of a statement; `parts` have fixed or self-describing widths."""
    return shake_256(ctx.pack(name) + b"".join(parts)).digest(size)


def _check(true: bool, proof: bytes, wanted: bytes, what: str) -> None:
    if proof != wanted:
        raise BadProof(detail=f"{what}: not its check value")
    if not true:
        raise BadProof(detail=f"{what}: false")


def _holds(formula: Formula, x: int) -> bool:
    if isinstance(formula, Rep):
        return _atom_holds(formula, x)
    join = all if isinstance(formula, And) else any
    return join(_holds(child, x) for child in formula.children)


def _atom_holds(atom: Rep, x: int) -> bool:
    attributes, value = _plain(atom.mask, x)
    if atom.minus is not None:
        other = _plain(atom.minus, x)
        attributes = tuple(a - b for a, b in zip(attributes, other.attributes, strict=True))
        value = (value - other.value) % Q
    wanted = zip(attributes, pattern(atom), strict=True)
    return value == 0 and all(want is None or a == want for a, want in wanted)


class OpenKernel:
    """See `p2pcards.crypto.kernel.Kernel` for the verbs; `rng` arguments are not needed here."""

    __slots__ = ()

    def keys(self, ctx: Context, secret: bytes, rng: Rng) -> HandKey:
        """Context and secret decide the key. ValueError unless the secret has 32 bytes."""
        if len(secret) != SECRET_SIZE:
            raise ValueError("a hand secret has 32 bytes")
        x = int.from_bytes(sha512(ctx.pack("key") + secret).digest(), "big") % (Q - 1) + 1
        public = _encode_key(x)
        proof = _stamp("pop", ctx, (public,), POSSESSION_SIZE)
        return HandKey(x.to_bytes(SECRET_SIZE, "big"), public, proof)

    def key_commitment(self, ctx: Context, public: bytes, proof: bytes) -> bytes:
        """32 bytes."""
        if len(proof) != POSSESSION_SIZE:
            raise BadProof(detail="a proof of possession has another length")
        if len(public) != POINT_SIZE:
            raise BadPoint(detail="not a 33-byte point")
        return sha256(ctx.pack("keycom") + public + proof).digest()

    def check_key(self, ctx: Context, public: bytes, proof: bytes) -> None:
        """That the proof was made in this context, by this seat, for this key."""
        _decode_key(public)
        _check(True, proof, _stamp("pop", ctx, (public,), POSSESSION_SIZE), "possession")

    def joint(self, publics: Sequence[bytes]) -> bytes:
        """The sum of the keys."""
        keys = [_decode_key(public) for public in publics]
        if len({min(key, Q - key) for key in keys}) != len(keys):
            raise BadPoint(detail="two keys are equal or one another's negative")
        total = sum(keys) % Q
        if total == 0:
            raise BadPoint(detail="the joint key is at infinity")
        return _encode_key(total)

    def opens_key(self, x: bytes, public: bytes) -> bool:
        """Whether x G is this key; False also for bytes that are no scalar."""
        try:
            return _encode_key(_decode_secret(x)) == public
        except BadScalar:
            return False

    def initial(self, key: bytes, faces: Sequence[Attributes]) -> tuple[Mask, ...]:
        """(iG, M_i + iX), i = 1 .. N."""
        x = _decode_key(key)
        return tuple(
            _encode_mask(i, _Point(_card(face), i * x % Q)) for i, face in enumerate(faces, 1)
        )

    def mix(
        self, ctx: Context, key: bytes, before: Sequence[Mask], seed: bytes, rng: Rng
    ) -> tuple[tuple[Mask, ...], bytes]:
        """The new masks, and a proof of as many bytes as the real one."""
        after = self.recompute(key, before, seed)
        return after, self._mix_proof(ctx, key, before, after)

    def check_mix(
        self, ctx: Context, key: bytes, before: Sequence[Mask], after: Sequence[Mask], proof: bytes
    ) -> None:
        """The same cards, no two masks with one A."""
        x = _decode_key(key)
        if len(after) != len(before):
            raise BadProof(detail="a shuffle of another size")
        if len({mask[:POINT_SIZE] for mask in after}) != len(after):
            raise BadProof(detail="two masks with the same A")
        same = Counter(_plain(mask, x) for mask in before) == Counter(
            _plain(mask, x) for mask in after
        )
        _check(same, proof, self._mix_proof(ctx, key, before, after), "shuffle")

    def recompute(self, key: bytes, before: Sequence[Mask], seed: bytes) -> tuple[Mask, ...]:
        """Order and randomness from the seed alone, also when it is another number of cards."""
        if len(seed) != SECRET_SIZE:
            raise ValueError("a seed has 32 bytes")
        x, size = _decode_key(key), len(before)
        stream = shake_256(seed).digest(64 * size)
        words = [int.from_bytes(stream[i : i + 32], "big") for i in range(0, 64 * size, 32)]
        order = sorted(range(size), key=words.__getitem__)
        after = []
        for j in order:
            a, b = _decode_mask(before[j])
            r = words[size + j]
            after.append(_encode_mask(a + r, _take_off(b, -r * x)))
        return tuple(after)

    def shares(
        self, ctx: Context, x: bytes, public: bytes, masks: Sequence[Mask], rng: Rng
    ) -> tuple[tuple[bytes, ...], bytes]:
        """D = xA for each mask; WrongWitness if x is not the secret of this key."""
        secret = self._own(x, public)
        shares = tuple(_encode_key(secret * _decode_mask(mask)[0]) for mask in masks)
        return shares, self._shares_proof(ctx, public, masks, shares)

    def check_shares(
        self,
        ctx: Context,
        public: bytes,
        masks: Sequence[Mask],
        shares: Sequence[bytes],
        proof: bytes,
    ) -> None:
        """Every share is the key's own."""
        if not masks or len(masks) != len(shares):
            raise BadProof(detail="shares and cards differ in number")
        x = _decode_key(public)
        given = [_decode_key(share) for share in shares]
        true = given == [x * _decode_mask(mask)[0] % Q for mask in masks]
        _check(true, proof, self._shares_proof(ctx, public, masks, shares), "shares")

    def strip(self, mask: Mask, shares: Sequence[bytes]) -> Mask:
        """(A, B - sum of shares)."""
        a, b = _decode_mask(mask)
        return _encode_mask(a, _take_off(b, sum(_decode_key(share) for share in shares)))

    def open_face(self, mask: Mask, share: bytes, faces: Sequence[Attributes]) -> Attributes | None:
        """None unless every other layer is off and the card is one of the pack."""
        _, b = _decode_mask(mask)
        return _look_up(_take_off(b, _decode_key(share)), faces)

    def read(self, mask: Mask, x: bytes, faces: Sequence[Attributes]) -> Attributes | None:
        """As `open_face`, with one's own secret."""
        return _look_up(_plain(mask, _decode_secret(x)), faces)

    def give(
        self, ctx: Context, x: bytes, public: bytes, to: bytes, mask: Mask, rng: Rng
    ) -> tuple[Mask, bytes]:
        """The card under the key `to`; WrongWitness if x is not the secret of this key."""
        plain = _plain(mask, self._own(x, public))
        receiver = _decode_key(to)
        named = sha256(ctx.pack("give") + public + to + mask).digest()
        r = int.from_bytes(named, "big") % (Q - 1) + 1
        given = _encode_mask(r, _take_off(plain, -r * receiver))
        return given, self._give_proof(ctx, public, to, mask, given)

    def check_give(
        self, ctx: Context, public: bytes, to: bytes, mask: Mask, given: Mask, proof: bytes
    ) -> None:
        """The card under the two keys is one and the same."""
        true = _plain(mask, _decode_key(public)) == _plain(given, _decode_key(to))
        _check(true, proof, self._give_proof(ctx, public, to, mask, given), "hand-over")

    def prove(
        self,
        ctx: Context,
        x: bytes,
        public: bytes,
        formula: Formula,
        faces: Sequence[Attributes],
        rng: Rng,
    ) -> bytes:
        """WrongWitness if the formula is false or x is not the secret of this key."""
        folded = fold(formula)
        secret = self._own(x, public)
        if folded is True:
            return b""
        if folded is False or not _holds(folded, secret):
            raise WrongWitness(detail="the formula is false of the cards")
        return self._claim_proof(ctx, public, folded)

    def check(self, ctx: Context, public: bytes, formula: Formula, proof: bytes) -> None:
        """BadProof for a false formula, whatever the proof."""
        folded = fold(formula)
        if isinstance(folded, bool):
            _check(folded, proof, b"", "claim")
            return
        wanted = self._claim_proof(ctx, public, folded)
        _check(_holds(folded, _decode_key(public)), proof, wanted, "claim")

    def _own(self, x: bytes, public: bytes) -> int:
        secret = _decode_secret(x)
        if _encode_key(secret) != public:
            raise WrongWitness(detail="another key's secret")
        return secret

    def _mix_proof(
        self, ctx: Context, key: bytes, before: Sequence[Mask], after: Sequence[Mask]
    ) -> bytes:
        return _stamp("mix", ctx, (key, *before, *after), shuffle_proof_size(len(before)))

    def _shares_proof(
        self, ctx: Context, public: bytes, masks: Sequence[Mask], shares: Sequence[bytes]
    ) -> bytes:
        return _stamp("shares", ctx, (public, *masks, *shares), DLEQ_SIZE)

    def _give_proof(self, ctx: Context, public: bytes, to: bytes, mask: Mask, given: Mask) -> bytes:
        return _stamp("give", ctx, (public, to, mask, given), GIVE_SIZE)

    def _claim_proof(self, ctx: Context, public: bytes, folded: Formula) -> bytes:
        return _stamp("claim", ctx, (public, statement(folded)), proof_size(folded))
