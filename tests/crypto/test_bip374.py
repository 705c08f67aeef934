"""Equality proofs against BIP-374's own vectors: made, accepted and refused as it says."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

from p2pcards.crypto import sigma
from p2pcards.crypto.group import SECP256K1, Point
from p2pcards.errors import BadPoint, BadProof, BadScalar, CryptoError

VECTORS = Path(__file__).parents[1] / "vectors"


def rows(name: str) -> list[dict[str, str]]:
    with (VECTORS / name).open(encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def point(row: Mapping[str, str], column: str) -> Point:
    return SECP256K1.decode(bytes.fromhex(row[column]))


def message(row: Mapping[str, str]) -> bytes | None:
    return bytes.fromhex(row["message"]) or None


GENERATE = rows("bip374_dleq_generate.csv")
VERIFY = rows("bip374_dleq_verify.csv")
MADE = [row for row in GENERATE if row["result_proof"] != "INVALID"]
REFUSED = [row for row in VERIFY if row["result_success"] == "FALSE"]
ACCEPTED = [row for row in VERIFY if row["result_success"] == "TRUE"]


def make(row: Mapping[str, str]) -> bytes:
    return sigma.prove_dleq(
        int(row["scalar_a"], 16),
        point(row, "point_B"),
        bytes.fromhex(row["auxrand_r"]),
        message=message(row),
        base=point(row, "point_G"),
    )


def check(row: Mapping[str, str], proof: bytes, m: bytes | None) -> None:
    a, b, c = (point(row, f"point_{name}") for name in "ABC")
    sigma.check_dleq(a, b, c, proof, message=m, base=point(row, "point_G"))


def test_there_are_vectors_of_every_kind() -> None:
    assert (len(MADE), len(ACCEPTED), len(REFUSED)) == (8, 8, 7)
    assert any(message(row) is None for row in MADE)
    assert len({row["point_G"] for row in MADE}) > 1


@pytest.mark.parametrize("row", MADE, ids=lambda row: row["comment"])
def test_proof_is_reproduced(row: dict[str, str]) -> None:
    assert make(row).hex() == row["result_proof"]


@pytest.mark.parametrize("row", MADE, ids=lambda row: row["comment"])
def test_what_is_at_hand_changes_no_byte(row: dict[str, str]) -> None:
    a, other, base = int(row["scalar_a"], 16), point(row, "point_B"), point(row, "point_G")
    proof = sigma.prove_dleq(
        a,
        other,
        bytes.fromhex(row["auxrand_r"]),
        message=message(row),
        base=base,
        public=SECP256K1.encode(SECP256K1.mul(base, a)),
        image=SECP256K1.encode(SECP256K1.mul(other, a)),
    )
    assert proof.hex() == row["result_proof"]


# [SHARE-1] of protocol.md
@pytest.mark.parametrize("row", ACCEPTED, ids=lambda row: row["comment"])
def test_proof_is_accepted(row: dict[str, str]) -> None:
    check(row, bytes.fromhex(row["proof"]), message(row))


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row["comment"])
def test_proof_is_refused(row: dict[str, str]) -> None:
    with pytest.raises(BadProof):
        check(row, bytes.fromhex(row["proof"]), message(row))


@pytest.mark.parametrize("row", GENERATE[8:], ids=lambda row: row["comment"])
def test_nothing_is_made_of_invalid_input(row: dict[str, str]) -> None:
    if row["point_B"] == "INFINITY":
        with pytest.raises(BadPoint):
            SECP256K1.decode(bytes(33))
    else:
        with pytest.raises(BadScalar):
            make(row)


def test_the_default_base_is_the_generator() -> None:
    row = next(row for row in MADE if row["point_G"].startswith("0279be667e"))
    proof = sigma.prove_dleq(
        int(row["scalar_a"], 16),
        point(row, "point_B"),
        bytes.fromhex(row["auxrand_r"]),
        message=message(row),
    )
    assert proof.hex() == row["result_proof"]


@pytest.mark.parametrize("row", ACCEPTED, ids=lambda row: row["comment"])
def test_absent_and_present_messages_differ(row: dict[str, str]) -> None:
    other = None if message(row) else bytes(32)
    with pytest.raises(BadProof):
        check(row, bytes.fromhex(row["proof"]), other)


def test_e_is_compared_as_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A challenge plus the group order is another challenge, though the curve sees no difference.

    A real one that leaves room below 2^256 cannot be found, so the hash is made small here.
    """
    monkeypatch.setattr(sigma, "_dleq_challenge", lambda *_: (5).to_bytes(32, "big"))
    row = ACCEPTED[0]
    proof = make(MADE[0])
    check(row, proof, message(row))
    longer = (5 + SECP256K1.L).to_bytes(32, "big") + proof[32:]
    with pytest.raises(BadProof):
        check(row, longer, message(row))


@pytest.mark.parametrize("s", [0, SECP256K1.L, SECP256K1.L + 1, 2**256 - 1])
def test_s_is_a_scalar(s: int) -> None:
    row = ACCEPTED[0]
    with pytest.raises(BadScalar):
        check(row, bytes.fromhex(row["proof"])[:32] + s.to_bytes(32, "big"), message(row))


@pytest.mark.parametrize("size", [0, 32, 63, 65, 128])
def test_a_proof_has_64_bytes(size: int) -> None:
    with pytest.raises(CryptoError):
        check(ACCEPTED[0], b"\1" * size, None)


@pytest.mark.parametrize("e", [0, SECP256K1.L])
def test_a_challenge_of_zero_is_refused(e: int) -> None:
    row = ACCEPTED[0]
    with pytest.raises(BadScalar):
        check(row, e.to_bytes(32, "big") + bytes.fromhex(row["proof"])[32:], message(row))


def test_lengths_of_the_prover_are_its_own_affair() -> None:
    generator = SECP256K1.generator()
    with pytest.raises(ValueError, match="auxiliary"):
        sigma.prove_dleq(3, generator, bytes(31))
    with pytest.raises(ValueError, match="message"):
        sigma.prove_dleq(3, generator, bytes(32), message=bytes(31))
