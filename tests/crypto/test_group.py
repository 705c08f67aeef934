"""`group`: strict forms of points and scalars, the RFC 9380 vectors, and the constants' bytes."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from btclib_secp256k1 import ffi

from p2pcards.crypto.group import (
    MAX_CARDS,
    SECP256K1,
    SH,
    H,
    L,
    P,
    decode_scalar,
    encode_scalar,
    hash_to_curve,
    hash_to_group,
    map_to_curve,
    random_scalar,
)
from p2pcards.errors import BadPoint, BadScalar

VECTORS = Path(__file__).parents[1] / "vectors"
FIELD = 2**256 - 2**32 - 977
G = SECP256K1


def vector(name: str) -> Any:
    return json.loads((VECTORS / name).read_text("utf-8"))


def compressed(x: int, y: int) -> bytes:
    return bytes([2 + (y & 1)]) + x.to_bytes(32, "big")


def affine(data: bytes) -> tuple[int, int]:
    x = int.from_bytes(data[1:], "big")
    y = pow(x**3 + 7, (FIELD + 1) // 4, FIELD)
    return x, y if y & 1 == data[0] & 1 else FIELD - y


class TestPoints:
    def test_generator_is_the_standard_one(self) -> None:
        x = 0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798
        assert G.encode(G.generator()) == b"\2" + x.to_bytes(32, "big")
        assert G.encode(G.base(1)) == G.encode(G.generator())

    def test_the_laws_of_a_group(self) -> None:
        a, b = 0x1234567890ABCDEF << 150, L - 987654321
        assert G.encode(G.sum((G.base(a), G.base(b)))) == G.encode(G.base((a + b) % L))
        assert G.encode(G.mul(G.base(a), b)) == G.encode(G.base(a * b % L))
        assert G.encode(G.negate(G.base(a))) == G.encode(G.base(L - a))
        assert G.encode(G.sum((G.base(a), G.base(a)))) == G.encode(G.base(2 * a))
        assert G.encode(G.sum([G.base(k) for k in range(1, 101)])) == G.encode(G.base(5050))
        pair = G.shift((G.base(3), G.base(4)), G.base(5), 6)
        assert [G.encode(p) for p in pair] == [G.encode(G.base(9)), G.encode(G.base(34))]

    def test_encode_all_is_encode(self) -> None:
        points = [G.base(k) for k in range(1, 20)]
        assert G.encode_all(points) == [G.encode(p) for p in points]
        assert G.encode_all([]) == []

    def test_operations_leave_their_arguments_alone(self) -> None:
        p, q = G.base(7), G.base(8)
        G.mul(p, 5)
        G.negate(p)
        G.sum((p, q))
        G.shift((p, q), p, 3)
        assert G.encode_all((p, q)) == G.encode_all((G.base(7), G.base(8)))

    # [GROUP-1] of protocol.md
    def test_exactly_one_form_is_accepted(self) -> None:
        data = G.encode(G.base(31337))
        x, y = affine(data)
        both = x.to_bytes(32, "big") + y.to_bytes(32, "big")
        assert G.encode(G.decode(data)) == data
        for prefix in range(256):
            if prefix not in {2, 3}:
                with pytest.raises(BadPoint):
                    G.decode(bytes([prefix]) + data[1:])
            with pytest.raises(BadPoint):
                G.decode(bytes([prefix]) + both)

    @pytest.mark.parametrize("size", [0, 1, 31, 32, 34, 64, 65, 66])
    def test_other_lengths_are_refused(self, size: int) -> None:
        with pytest.raises(BadPoint):
            G.decode((G.encode(G.base(2)) * 2)[:size])

    def test_points_off_the_curve_are_refused(self) -> None:
        off = next(x for x in range(1, 99) if pow(x**3 + 7, (FIELD - 1) // 2, FIELD) != 1)
        for x in (off, 0, FIELD, FIELD + 1, 2**256 - 1):
            for prefix in (2, 3):
                with pytest.raises(BadPoint):
                    G.decode(bytes([prefix]) + x.to_bytes(32, "big"))

    def test_an_x_above_the_field_is_not_reduced(self) -> None:
        on = next(x for x in range(1, 99) if pow(x**3 + 7, (FIELD - 1) // 2, FIELD) == 1)
        G.decode(b"\2" + on.to_bytes(32, "big"))
        with pytest.raises(BadPoint):
            G.decode(b"\2" + (FIELD + on).to_bytes(32, "big"))

    def test_a_refused_point_is_refused_again(self) -> None:
        for _ in range(2):
            with pytest.raises(BadPoint):
                G.decode(bytes(33))

    @pytest.mark.parametrize("data", [bytearray(33), "x" * 33, None, 5, [2] * 33])
    def test_what_is_not_bytes_is_refused(self, data: Any) -> None:
        with pytest.raises(BadPoint):
            G.decode(data)

    # [GROUP-3] of protocol.md
    def test_infinity_is_an_error_wherever_it_appears(self) -> None:
        p = G.base(99)
        for points in ([], [p, G.negate(p)], [G.base(1), G.base(2), G.base(L - 3)]):
            with pytest.raises(BadPoint):
                G.sum(points)
        with pytest.raises(BadPoint):
            G.shift((G.base(L - 6), p), p, 6)

    @pytest.mark.parametrize("k", [0, L, L + 1, -1, 2**256 - 1, 2**256])
    def test_scalars_out_of_range_are_refused(self, k: int) -> None:
        with pytest.raises(BadScalar):
            G.base(k)
        with pytest.raises(BadScalar):
            G.mul(G.generator(), k)
        with pytest.raises(BadScalar):
            G.shift((G.base(1), G.base(2)), G.base(3), k)
        with pytest.raises(BadScalar):
            encode_scalar(k)

    def test_the_return_code_of_every_call_is_looked_at(self) -> None:
        """A struct that was never filled in is refused by libsecp256k1, and so by each method.

        All but `secp256k1_ec_pubkey_combine`, which takes it for a point: so none may get out.
        """
        hollow = ffi.new("secp256k1_pubkey *")
        good = G.base(5)
        attempts = (
            lambda: G.encode(hollow),
            lambda: G.encode_all([good, hollow]),
            lambda: G.mul(hollow, 3),
            lambda: G.negate(hollow),
            lambda: G.shift((good, good), hollow, 3),
        )
        for attempt in attempts:
            with pytest.raises(BadPoint):
                attempt()


class TestScalars:
    @pytest.mark.parametrize("k", [1, 2, L - 1, 1 << 200])
    def test_round_trip(self, k: int) -> None:
        assert decode_scalar(encode_scalar(k)) == k
        assert encode_scalar(k) == k.to_bytes(32, "big")

    # [GROUP-2] of protocol.md
    @pytest.mark.parametrize("k", [0, L, L + 1, 2**256 - 1])
    def test_not_canonical(self, k: int) -> None:
        with pytest.raises(BadScalar):
            decode_scalar(k.to_bytes(32, "big"))

    def test_adding_the_order_is_not_another_form(self) -> None:
        for k in (1, 5, 2**256 - L - 1):
            with pytest.raises(BadScalar):
                decode_scalar((k + L).to_bytes(32, "big"))

    @pytest.mark.parametrize("data", [b"", bytes(31) + b"\1"[:0], b"\1" * 31, b"\1" * 33, None])
    def test_other_shapes(self, data: Any) -> None:
        with pytest.raises(BadScalar):
            decode_scalar(data)

    def test_random_scalars_reduce_64_bytes_and_pass_over_zero(self) -> None:
        answers = iter([L.to_bytes(64, "big"), (7 * L + 5).to_bytes(64, "big")])
        assert random_scalar(lambda n: next(answers)[:n]) == 5
        assert next(answers, None) is None

    def test_a_short_generator_is_noticed(self) -> None:
        with pytest.raises(ValueError, match="number of bytes"):
            random_scalar(lambda n: bytes(n - 1))


class TestHashToCurve:
    @pytest.mark.parametrize("name, count", [("RO", 2), ("NU", 1)])
    def test_rfc_9380(self, name: str, count: int) -> None:
        data = vector(f"rfc9380_secp256k1_sswu_{name}.json")
        assert data["vectors"]
        for case in data["vectors"]:
            point = hash_to_curve(case["msg"].encode(), data["dst"].encode(), count)
            x, y = int(case["P"]["x"], 16), int(case["P"]["y"], 16)
            assert G.encode(point) == compressed(x, y)

    def test_the_exceptional_case_of_the_map(self) -> None:
        """u = 0 makes the denominator of simplified SWU 0; no vector hits it."""
        x, y = map_to_curve(0)
        assert (y * y - x**3 - 7) % FIELD == 0
        assert map_to_curve(1) != (x, y)

    def test_tag_and_data_matter(self) -> None:
        points = [hash_to_group(t, d) for t in ("a", "b") for d in (b"", b"x")]
        assert len(set(G.encode_all(points))) == 4
        assert G.encode(hash_to_group("a", b"x")) == G.encode(hash_to_curve(b"x", b"P2PCARDS-V1-a"))


class TestConstants:
    # [GROUP-4] of protocol.md
    def test_bytes_are_pinned(self) -> None:
        data = vector("constants.json")
        assert [G.encode(P(i)).hex() for i in range(1, 5)] == data["P"]
        assert [G.encode(H(i)).hex() for i in range(MAX_CARDS + 1)] == data["H"]

    def test_no_two_are_equal_or_opposite_and_none_is_the_base(self) -> None:
        points = [G.generator(), *map(P, range(1, 5)), *map(H, range(MAX_CARDS + 1))]
        assert len({G.encode(p)[1:] for p in points}) == 1 + 4 + MAX_CARDS + 1

    def test_sums(self) -> None:
        assert G.encode(SH(1)) == G.encode(H(1))
        assert G.encode(SH(3)) == G.encode(G.sum([H(1), H(2), H(3)]))
        assert G.encode(SH(MAX_CARDS)) == G.encode(G.sum([H(i) for i in range(1, 109)]))

    @pytest.mark.parametrize("make, i", [(P, 0), (P, 5), (H, -1), (H, 109), (SH, 0), (SH, 109)])
    def test_out_of_range(self, make: Any, i: int) -> None:
        with pytest.raises(ValueError, match=r"numbered|has"):
            make(i)

    # [GROUP-4] of protocol.md
    def test_the_dst_and_the_numbering_are_the_documented_ones(self) -> None:
        assert G.encode(P(2)) == G.encode(
            hash_to_curve((2).to_bytes(4, "big"), b"P2PCARDS-V1-attribute")
        )
        assert G.encode(H(108)) == G.encode(
            hash_to_curve(bytes([0, 0, 0, 108]), b"P2PCARDS-V1-shuffle")
        )


def test_cached_points_survive_a_full_cache() -> None:
    first = G.encode(G.base(1))
    kept = G.decode(first)
    for k in range(2, 9000, 1):
        data = b"\2" + sha256(k.to_bytes(4, "big")).digest()
        try:
            G.decode(data)
        except BadPoint:
            continue
    assert G.encode(kept) == first
    assert G.encode(G.decode(first)) == first


def test_points_of_a_row_outlive_whoever_asked_for_it() -> None:
    points = [SECP256K1.base(k) for k in range(1, 257)]
    taken = [SECP256K1.row(points) + 200 for _ in range(8)]
    # What was freed is written over.
    junk = [b"\xff" * (len(points) * 64 + extra) for extra in range(-64, 64, 8) for _ in range(8)]
    assert junk
    assert [SECP256K1.encode(point) for point in taken] == [SECP256K1.encode(points[200])] * 8
