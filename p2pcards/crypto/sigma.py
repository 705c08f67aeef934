"""Sigma protocols about one key: possession, decryption shares, and the hidden hand-over.

Points, scalars and hashes; knows no faces and no rules, and what a claim says of a card is
`formula`'s. protocol.md sections 5.1, 5.3 and 5.4.

Notation: G the base point, X = xG the prover's key, (A, B) a mask, L the order of the group. Every
transcript starts with the name of the proof, then `ctx` (95 bytes, `Context.pack(name)`), then
the statement, then the commitments, and gives the challenge c.

    name      statement                               commitments    proof                   bytes
    pop       key X                                   T              c | z                      64
    give      key X, to Y, mask A|B, given A'|B'      T1|T2|T3       c | zx | zr                96
    shares    BIP-374 on (G, X; A, D), see below                     e | s                      64

`pop` (Schnorr 1991): T = wG, z = w + cx; holds if T = zG - cX.

`give` turns (A, B) under X into (A', B') = (rG, B - xA + rY) under Y. T1 = wG, T2 = vG,
T3 = wA - vY; zx = w + cx, zr = v + cr; holds if T1 = zx G - cX, T2 = zr G - cA' and
T3 = zx A - zr Y - c(B - B').

`shares`: for one mask the proof is BIP-374's, with message SHA-256(ctx). For k > 1 masks it is
the same proof on the composites M = sum d_i A_i, Z = sum d_i D_i (RFC 9497, section 2.2.1), where
the d_i are the vector "d" of a transcript "shares" over ctx, key, masks (put_all, the A_i) and
shares (put_all, the D_i).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from p2pcards.crypto.elgamal import decode_mask
from p2pcards.crypto.group import (
    SECP256K1,
    L,
    Point,
    Rng,
    decode_scalar,
    encode_scalar,
)
from p2pcards.crypto.transcript import Context, Transcript
from p2pcards.errors import BadPoint, BadProof, BadScalar

POSSESSION_SIZE: Final = 64
DLEQ_SIZE: Final = 64
GIVE_SIZE: Final = 96

_group = SECP256K1
_G: Final = _group.encode(_group.generator())


def check_length(data: bytes, size: int, what: str) -> None:
    """Raises BadProof unless `data` is a byte string of exactly `size` bytes."""
    if type(data) is not bytes or len(data) != size:
        raise BadProof(detail=f"{what} is not {size} bytes")


def commitment(points: Sequence[Point]) -> Point:
    """The sum a verifier recomputes; no honest prover's is at infinity: BadProof."""
    try:
        return _group.sum(points)
    except BadPoint as infinity:
        raise BadProof(detail="a commitment at infinity") from infinity


# --- possession of a key --------------------------------------------------------------------------


def _possession_transcript(ctx: Context, public: bytes) -> Transcript:
    transcript = Transcript.start("pop")
    transcript.put("ctx", ctx.pack("pop"))
    transcript.put("key", public)
    return transcript


def prove_possession(ctx: Context, x: int, public: bytes, rng: Rng) -> bytes:
    """That the prover knows x with `public` = xG: 64 bytes."""
    transcript = _possession_transcript(ctx, public)
    w = transcript.fork_rng(encode_scalar(x), rng).scalar()
    transcript.put("commitments", _group.encode(_group.base(w)))
    c = transcript.scalar("c")
    return encode_scalar(c) + encode_scalar((w + c * x) % L)


def check_possession(ctx: Context, public: bytes, proof: bytes) -> None:
    """Raises BadProof, or BadPoint and BadScalar for bytes that are none."""
    check_length(proof, POSSESSION_SIZE, "a proof of possession")
    c, z = decode_scalar(proof[:32]), decode_scalar(proof[32:])
    key = _group.decode(public)
    transcript = _possession_transcript(ctx, public)
    t = commitment([_group.base(z), _group.mul(key, L - c)])
    transcript.put("commitments", _group.encode(t))
    if transcript.scalar("c") != c:
        raise BadProof(detail="possession of the key")


# --- equality of two logarithms: BIP-374 ----------------------------------------------------------


def _tag(name: str) -> bytes:
    """The 64 bytes that begin a tagged hash (BIP-340)."""
    return sha256(name.encode("ascii")).digest() * 2


_AUX: Final = _tag("BIP0374/aux")
_NONCE: Final = _tag("BIP0374/nonce")
_CHALLENGE: Final = _tag("BIP0374/challenge")


def _dleq_nonce(a: int, image: bytes, public: bytes, aux: bytes, message: bytes) -> int:
    if len(aux) != 32:
        raise ValueError("the auxiliary randomness is 32 bytes")
    veil = int.from_bytes(sha256(_AUX + aux).digest(), "big")
    veiled = (a ^ veil).to_bytes(32, "big")
    digest = sha256(_NONCE + veiled + public + image + message).digest()
    k = int.from_bytes(digest, "big") % L
    if not k:
        raise BadScalar(detail="the nonce is zero; draw other randomness")
    return k


def prove_dleq(
    a: int,
    other: Point,
    aux: bytes,
    *,
    message: bytes | None = None,
    base: Point | None = None,
    public: bytes | None = None,
    image: bytes | None = None,
) -> bytes:
    """BIP-374's GenerateProof: that aG and aB, B = `other`, have one logarithm. 64 bytes e | s.

    `aux` is its 32 bytes of auxiliary randomness, `base` its point G, `message` its m (32 bytes or
    absent). `public` = aG and `image` = aB save their computation where they are at hand. BIP-374's
    last step, checking one's own proof, is left out: it guards against faulty hardware, and costs
    more than the proof.
    """
    encode_scalar(a)
    m = message if message is not None else b""
    if len(m) not in (0, 32):
        raise ValueError("a message is 32 bytes or absent")
    if public is None:
        public = _group.encode(_group.base(a) if base is None else _group.mul(base, a))
    if image is None:
        image = _group.encode(_group.mul(other, a))
    k = _dleq_nonce(a, image, public, aux, m)
    r1 = _group.base(k) if base is None else _group.mul(base, k)
    e = _dleq_challenge(public, _group.encode(other), image, base, r1, _group.mul(other, k), m)
    return e + encode_scalar((k + int.from_bytes(e, "big") * a) % L)


def check_dleq(
    public: Point,
    other: Point,
    image: Point,
    proof: bytes,
    *,
    message: bytes | None = None,
    base: Point | None = None,
) -> None:
    """BIP-374's VerifyProof for A = `public`, B = `other`, C = `image`; raises BadProof, BadScalar.

    e is compared as 32 bytes: a challenge that was reduced, or to which L was added, is refused.
    """
    check_length(proof, DLEQ_SIZE, "an equality proof")
    e, s = proof[:32], decode_scalar(proof[32:])
    minus_e = -int.from_bytes(e, "big") % L
    if not minus_e:
        raise BadScalar(detail="a challenge of zero")
    first = _group.base(s) if base is None else _group.mul(base, s)
    r1 = commitment([first, _group.mul(public, minus_e)])
    r2 = commitment([_group.mul(other, s), _group.mul(image, minus_e)])
    points = [_group.encode(p) for p in (public, other, image)]
    m = message if message is not None else b""
    if _dleq_challenge(points[0], points[1], points[2], base, r1, r2, m) != e:
        raise BadProof(detail="equality of logarithms")


def _dleq_challenge(
    public: bytes,
    other: bytes,
    image: bytes,
    base: Point | None,
    r1: Point,
    r2: Point,
    message: bytes,
) -> bytes:
    generator = _G if base is None else _group.encode(base)
    commitments = _group.encode(r1) + _group.encode(r2)
    return sha256(_CHALLENGE + public + other + image + generator + commitments + message).digest()


# --- decryption shares ----------------------------------------------------------------------------


def composite_weights(
    ctx: Context, public: bytes, bases: Sequence[bytes], shares: Sequence[bytes]
) -> list[int]:
    """The d_i of a batch, which nobody knows before all A_i and D_i are fixed."""
    transcript = Transcript.start("shares")
    transcript.put("ctx", ctx.pack("shares"))
    transcript.put("key", public)
    transcript.put_all("masks", bases)
    transcript.put_all("shares", shares)
    return transcript.vector("d", len(bases))


def _composite(weights: Sequence[int], points: Sequence[Point]) -> Point:
    return _group.sum([_group.mul(p, d) for d, p in zip(weights, points, strict=True)])


def prove_shares(
    ctx: Context,
    x: int,
    public: bytes,
    bases: Sequence[bytes],
    shares: Sequence[bytes],
    rng: Rng,
) -> bytes:
    """That every D_i of `shares` is xA_i, A_i of `bases`: 64 bytes.

    Both have 33 bytes each, and there is at least one; BadProof if not, since nothing is shown.
    """
    if not bases:
        raise BadProof(detail="no shares to prove")
    points = [_group.decode(base) for base in bases]
    if len(points) == 1:
        other, image = points[0], shares[0]
    else:
        other = _composite(composite_weights(ctx, public, bases, shares), points)
        image = _group.encode(_group.mul(other, x))
    message = sha256(ctx.pack("shares")).digest()
    return prove_dleq(x, other, rng(32), message=message, public=public, image=image)


def check_shares(
    ctx: Context, public: bytes, bases: Sequence[bytes], shares: Sequence[bytes], proof: bytes
) -> None:
    """The check of `prove_shares`; raises BadProof, BadPoint, BadScalar."""
    check_length(proof, DLEQ_SIZE, "a proof of shares")
    if not bases or len(bases) != len(shares):
        raise BadProof(detail="shares and cards differ in number")
    key = _group.decode(public)
    others = [_group.decode(base) for base in bases]
    images = [_group.decode(share) for share in shares]
    if len(bases) == 1:
        other, image = others[0], images[0]
    else:
        weights = composite_weights(ctx, public, bases, shares)
        other, image = _composite(weights, others), _composite(weights, images)
    check_dleq(key, other, image, proof, message=sha256(ctx.pack("shares")).digest())


# --- the hidden hand-over -------------------------------------------------------------------------


def _give_transcript(ctx: Context, public: bytes, to: bytes, mask: bytes) -> Transcript:
    transcript = Transcript.start("give")
    transcript.put("ctx", ctx.pack("give"))
    transcript.put("key", public)
    transcript.put("to", to)
    transcript.put("mask", mask)
    return transcript


def prove_give(
    ctx: Context,
    x: int,
    public: bytes,
    to: bytes,
    mask: bytes,
    rng: Rng,
    share: Point | None = None,
) -> tuple[bytes, bytes]:
    """The mask of the same card under the key `to`, and the proof: 66 and 96 bytes.

    `share` = xA saves its computation. The card stays hidden from all but the giver and, with the
    key of `to`, the receiver.
    """
    a, b = decode_mask(mask)
    receiver = _group.decode(to)
    transcript = _give_transcript(ctx, public, to, mask)
    r, w, v = transcript.fork_rng(encode_scalar(x), rng).scalars(3)
    minus_share = _group.negate(_group.mul(a, x) if share is None else share)
    given = _group.encode(_group.base(r)) + _group.encode(
        _group.sum([b, minus_share, _group.mul(receiver, r)])
    )
    transcript.put("given", given)
    t3 = _group.sum([_group.mul(a, w), _group.mul(receiver, L - v)])
    commitments = (_group.base(w), _group.base(v), t3)
    transcript.put("commitments", b"".join(map(_group.encode, commitments)))
    c = transcript.scalar("c")
    responses = (c, (w + c * x) % L, (v + c * r) % L)
    return given, b"".join(map(encode_scalar, responses))


def check_give(
    ctx: Context, public: bytes, to: bytes, mask: bytes, given: bytes, proof: bytes
) -> None:
    """That `given` hides under `to` what `mask` hides under `public`, and that its maker chose it.

    The knowledge of r keeps anybody from handing on another card's A (a related ciphertext).
    Raises BadProof, BadPoint, BadScalar.
    """
    check_length(proof, GIVE_SIZE, "a proof of a hand-over")
    c, zx, zr = (decode_scalar(proof[i : i + 32]) for i in range(0, GIVE_SIZE, 32))
    key, receiver = _group.decode(public), _group.decode(to)
    (a, b), (new_a, new_b) = decode_mask(mask), decode_mask(given)
    minus_c = L - c
    change = commitment([b, _group.negate(new_b)])
    t1 = commitment([_group.base(zx), _group.mul(key, minus_c)])
    t2 = commitment([_group.base(zr), _group.mul(new_a, minus_c)])
    t3 = commitment([_group.mul(a, zx), _group.mul(receiver, L - zr), _group.mul(change, minus_c)])
    transcript = _give_transcript(ctx, public, to, mask)
    transcript.put("given", given)
    transcript.put("commitments", b"".join(map(_group.encode, (t1, t2, t3))))
    if transcript.scalar("c") != c:
        raise BadProof(detail="hidden hand-over")
