"""`signing`: RFC 8032's own vector, domains, and the keys and signatures that are refused."""

from __future__ import annotations

from hashlib import sha512

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from p2pcards.crypto import signing
from p2pcards.crypto.signing import Identity, check_identity, check_signature
from p2pcards.errors import BadSignature

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
ME = Identity(bytes(range(32)))


def encode(point: tuple[int, int, int, int]) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, PRIME)
    x, y = x * inverse % PRIME, y * inverse % PRIME
    return (y | (x & 1) << 255).to_bytes(32, "little")


def torsion() -> list[bytes]:
    """The canonical encodings of the 8 points of small order: random points times the order."""
    seen: set[bytes] = set()
    counter = 0
    while len(seen) < 8:
        counter += 1
        point = signing._decode(sha512(counter.to_bytes(4, "big")).digest()[:32])
        if point is not None:
            seen.add(encode(signing._multiply(ORDER, point)))
    return sorted(seen)


SMALL = torsion()


def is_refused(public: bytes) -> bool:
    try:
        check_identity(public)
    except BadSignature:
        return True
    return False


class TestIdentity:
    def test_new_draws_its_secret(self) -> None:
        asked: list[int] = []

        def rng(n: int) -> bytes:
            asked.append(n)
            return bytes(range(n))

        assert Identity.new(rng) == ME
        assert asked == [32]

    def test_the_secret_is_not_shown(self) -> None:
        assert ME.secret.hex() not in repr(ME)
        assert repr(ME.secret) not in repr(ME)
        assert repr(ME.public) in repr(ME)

    @pytest.mark.parametrize("size", [0, 31, 33, 64])
    def test_secrets_have_32_bytes(self, size: int) -> None:
        with pytest.raises(ValueError, match="32 bytes"):
            Identity(bytes(size))

    def test_public_key_of_rfc_8032(self) -> None:
        """Section 7.1, test 1."""
        secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
        public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
        assert Identity(bytes.fromhex(secret)).public.hex() == public


class TestSignatures:
    # [SIGN-1] of protocol.md
    def test_the_signed_bytes_are_the_documented_ones(self) -> None:
        key = Ed25519PrivateKey.from_private_bytes(ME.secret)
        assert ME.sign(b"log", b"payload") == key.sign(b"P2PCARDS-V1\x03logpayload")

    def test_round_trip(self) -> None:
        for payload in (b"", b"x", bytes(100_000)):
            check_signature(ME.public, b"log", payload, ME.sign(b"log", payload))

    # [SIGN-1] of protocol.md
    def test_anything_else_is_refused(self) -> None:
        signature = ME.sign(b"log", b"payload")
        other = Identity(bytes(32))
        attempts = [
            (other.public, b"log", b"payload", signature),
            (ME.public, b"lob", b"payload", signature),
            (ME.public, b"lo", b"gpayload", signature),
            (ME.public, b"logp", b"ayload", signature),
            (ME.public, b"log", b"payloae", signature),
            (ME.public, b"log", b"payload", signature[:-1]),
            (ME.public, b"log", b"payload", signature + b"\0"),
            (ME.public, b"log", b"payload", b""),
            (ME.public, b"log", b"payload", bytes(64)),
            (ME.public[:-1], b"log", b"payload", signature),
        ]
        attempts += [
            (
                ME.public,
                b"log",
                b"payload",
                signature[:i] + bytes([signature[i] ^ 1]) + signature[i + 1 :],
            )
            for i in range(64)
        ]
        for attempt in attempts:
            with pytest.raises(BadSignature):
                check_signature(*attempt)

    # [SIGN-3] of protocol.md
    def test_s_is_canonical(self) -> None:
        signature = ME.sign(b"log", b"payload")
        s = int.from_bytes(signature[32:], "little") + ORDER
        with pytest.raises(BadSignature):
            check_signature(
                ME.public, b"log", b"payload", signature[:32] + s.to_bytes(32, "little")
            )

    @pytest.mark.parametrize("size", [0, 256])
    def test_domains_have_1_to_255_bytes(self, size: int) -> None:
        with pytest.raises(ValueError, match="domain"):
            ME.sign(bytes(size), b"")


class TestPublicKeys:
    def test_honest_ones_are_accepted(self) -> None:
        for i in range(10):
            check_identity(Identity(sha512(bytes([i])).digest()[:32]).public)

    # [SIGN-2] of protocol.md
    @pytest.mark.parametrize("public", SMALL, ids=bytes.hex)
    def test_small_order(self, public: bytes) -> None:
        assert signing._decode(public) is not None
        assert is_refused(public)

    def test_a_small_order_key_would_sign_everything(self) -> None:
        """Why: for the neutral element as key, R = the base point and s = 1 fit any message."""
        neutral = (1).to_bytes(32, "little")
        base = (4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little")
        forged = base + (1).to_bytes(32, "little")
        Ed25519PublicKey.from_public_bytes(neutral).verify(forged, b"anything at all")
        with pytest.raises(BadSignature):
            check_signature(neutral, b"log", b"anything at all", forged)

    # [SIGN-2] of protocol.md
    @pytest.mark.parametrize("small", SMALL, ids=bytes.hex)
    def test_mixed_order(self, small: bytes) -> None:
        mine, torsion_part = signing._decode(ME.public), signing._decode(small)
        assert mine is not None
        assert torsion_part is not None
        mixed = encode(signing._add(mine, torsion_part))
        assert is_refused(mixed) == (small != (1).to_bytes(32, "little"))

    def test_a_mixed_order_key_would_split_the_table(self) -> None:
        """Why: A plus a point of order 2 fits a signature where the hash is even, by chance.

        A verifier that multiplies by the cofactor, as RFC 8032 allows, takes all of them; one that
        does not, half of them.
        """
        clamped = bytearray(sha512(ME.secret).digest()[:32])
        clamped[0] &= 248
        clamped[31] = clamped[31] & 63 | 64
        secret = int.from_bytes(clamped, "little")
        base = signing._decode((4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little"))
        mine = signing._decode(ME.public)
        order_two = signing._decode((PRIME - 1).to_bytes(32, "little"))
        assert base is not None
        assert mine is not None
        assert order_two is not None
        mixed = encode(signing._add(mine, order_two))
        fitting = []
        for r in range(1, 13):
            R = encode(signing._multiply(r, base))
            k = int.from_bytes(sha512(R + mixed + b"payload").digest(), "little") % ORDER
            signature = R + ((r + k * secret) % ORDER).to_bytes(32, "little")
            try:
                Ed25519PublicKey.from_public_bytes(mixed).verify(signature, b"payload")
            except InvalidSignature:
                assert k % 2 == 1
            else:
                assert k % 2 == 0
                fitting.append(r)
        assert 0 < len(fitting) < 12
        assert is_refused(mixed)

    # [SIGN-2] of protocol.md
    def test_not_canonical(self) -> None:
        """y >= p, and the two encodings of x = 0 with a sign: RFC 8032 allows no other form."""
        for y in range(PRIME, 2**255):
            for sign in (0, 1 << 255):
                assert is_refused((y | sign).to_bytes(32, "little"))
        for y in (1, PRIME - 1):
            assert signing._decode((y | 1 << 255).to_bytes(32, "little")) is None

    def test_not_on_the_curve(self) -> None:
        refused = [y for y in range(2, 40) if signing._decode(y.to_bytes(32, "little")) is None]
        assert refused
        assert all(is_refused(y.to_bytes(32, "little")) for y in refused)

    @pytest.mark.parametrize("size", [0, 31, 33, 64])
    def test_other_sizes(self, size: int) -> None:
        assert is_refused(bytes(size))

    def test_decoding_agrees_with_the_library_on_signs(self) -> None:
        for i in range(20):
            public = Identity(sha512(bytes([i, 1])).digest()[:32]).public
            point = signing._decode(public)
            assert point is not None
            assert encode(point) == public
