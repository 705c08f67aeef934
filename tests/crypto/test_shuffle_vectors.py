"""`shuffle` against values from elsewhere: Verificatum, plain integers, and our own files."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from p2pcards.crypto import shuffle
from p2pcards.crypto.elgamal import (
    decode_mask,
    initial_deck,
)
from p2pcards.crypto.group import SECP256K1, L
from p2pcards.crypto.shuffle import (
    Proof,
    Statement,
    mix,
    statement_of,
    verify_equations,
)
from p2pcards.crypto.transcript import Context
from tests.crypto.hands import CONTEXT, PACK, Seat
from tests.crypto.p256 import P256, SLOW_SECP256K1, Affine

G = SECP256K1
VECTORS = Path(__file__).parents[1] / "vectors"
SEED = bytes(range(32))


def scalar(text: str) -> int:
    return int(text, 16) % P256.L


def point(pair: Sequence[str]) -> Affine:
    return int(pair[0], 16), int(pair[1], 16)


class TestForeignValues:
    def verificatum(self) -> tuple[Any, Statement[Affine], Proof[Affine]]:
        data = json.loads((VECTORS / "verificatum_p256_shuffle.json").read_text("utf-8"))
        h = list(map(point, data["h"]))
        before, after = ([(point(a), point(b)) for a, b in data[key]] for key in ("w", "w_out"))
        statement = Statement(point(data["pk"]), before, after, [h[0], *h], P256.sum(h))
        proof = Proof(
            list(map(point, data["C"])),
            list(map(point, data["Ch"])),
            (scalar(data["kC"]), scalar(data["kD"]), scalar(data["kA"]), scalar(data["kF"])),
            list(map(scalar, data["kB"])),
            list(map(scalar, data["kE"])),
        )
        return data, statement, proof

    def test_verificatum_on_p256(self) -> None:
        data, statement, proof = self.verificatum()
        assert point(data["g"]) == P256.generator()
        u = list(map(scalar, data["e"]))
        found = verify_equations(P256, statement, proof, u, scalar(data["v"]))
        Fa, Fb = map(point, data["Fp"])
        assert found.t == (point(data["Cp"]), point(data["Dp"]), point(data["Ap"]), Fa, Fb)
        assert found.th == list(map(point, data["Bp"]))

    def test_verificatum_changed(self) -> None:
        """Two outputs exchanged: the equation of the ciphertexts, and no other, says so."""
        data, statement, proof = self.verificatum()
        first, second, *rest = statement.after
        changed = replace(statement, after=[second, first, *rest])
        u = list(map(scalar, data["e"]))
        found = verify_equations(P256, changed, proof, u, scalar(data["v"]))
        assert found.t[:3] == (point(data["Cp"]), point(data["Dp"]), point(data["Ap"]))
        assert found.t[3:] != tuple(map(point, data["Fp"]))

    def test_libsecp256k1_and_plain_integers_agree(self) -> None:
        seat = Seat("slow")
        before = initial_deck(seat.public, PACK[:2])
        after, proof = mix(CONTEXT, seat.public, before, SEED, seat.rng)
        parsed, c = shuffle.decode_proof(proof, 2)
        statement = statement_of(
            G.decode(seat.public), list(map(decode_mask, before)), list(map(decode_mask, after))
        )
        slow = SLOW_SECP256K1

        def again(points: Any) -> list[Affine]:
            return [slow.decode(G.encode(p)) for p in points]

        def masks(pairs: Any) -> list[tuple[Affine, Affine]]:
            return [(a, b) for a, b in map(again, pairs)]

        slow_statement = Statement(
            slow.decode(seat.public),
            masks(statement.before),
            masks(statement.after),
            again(statement.bases),
            slow.sum(again(statement.bases[1:])),
        )
        slow_proof = Proof(again(parsed.C), again(parsed.Ch), parsed.s, parsed.sh, parsed.sp)
        u = [3**100 % L, 5**100 % L]
        fast = verify_equations(G, statement, parsed, u, c)
        found = verify_equations(slow, slow_statement, slow_proof, u, c)
        assert list(found.t) == again(fast.t)
        assert found.th == again(fast.th)

    # [MIX-3] of protocol.md
    def test_own_vectors(self) -> None:
        data = json.loads((VECTORS / "shuffle.json").read_text("utf-8"))
        for case in data["shuffles"]:
            fields = case["context"]
            ctx = Context(
                bytes.fromhex(fields["table"]),
                fields["step"],
                bytes.fromhex(fields["prev"]),
                fields["seat"],
                fields["index"],
            )
            answers = iter(map(bytes.fromhex, case["rng"]))
            key, seed = bytes.fromhex(case["key"]), bytes.fromhex(case["seed"])
            before = initial_deck(key, list(map(tuple, case["faces"])))
            assert [mask.hex() for mask in before] == case["before"]
            after, proof = mix(ctx, key, before, seed, lambda _, it=answers: next(it))  # type: ignore[misc]  # a default binds the loop's value
            assert [mask.hex() for mask in after] == case["after"]
            assert proof.hex() == case["proof"]
