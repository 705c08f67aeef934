"""The second verifier on the published vectors and on ours: what is stored as good passes, and what
is altered in any part does not."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.reference import bytes_, group, shuffle, sigma
from tests.reference.bytes_ import Malformed
from tests.reference.group import Unproven
from tests.reference.transcript import context

VECTORS = Path(__file__).parents[1] / "vectors"


def load(name: str) -> Any:
    """A file of vectors."""
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


def ctx(proof: str, fields: dict[str, Any]) -> bytes:
    """A context as the vectors write it."""
    table, prev = bytes.fromhex(fields["table"]), bytes.fromhex(fields["prev"])
    return context(proof, table, fields["step"], prev, fields["seat"], fields["index"])


def many(texts: list[str]) -> list[bytes]:
    """Strings from hexadecimal."""
    return [bytes.fromhex(text) for text in texts]


def altered(data: bytes, every: int = 32) -> Iterator[bytes]:
    """One bit flipped in each piece of this length; one byte less, one more."""
    for at in range(0, len(data), every):
        yield data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    yield data[:-1]
    yield data + b"\x00"


def refused(check: Callable[..., object], *arguments: object) -> None:
    """Demands that a check of these arguments fails, and in the way it may."""
    with pytest.raises(Unproven):
        check(*arguments)


# --- bytes ----------------------------------------------------------------------------------------


# [BYTES-1] and [BYTES-2] of protocol.md
def test_each_value_has_one_encoding() -> None:
    """Of a value that is allowed exactly one of the listed encodings is read, of others none."""
    allowed = 0
    for cases in load("msgpack_test_suite.json").values():
        for case in cases:
            read = list(read_all(case["msgpack"]))
            assert read == allowed_values(case), case
            allowed += len(read)
    assert allowed > 30


def read_all(texts: list[str]) -> Iterator[Any]:
    """The values of those encodings that are read."""
    for text in texts:
        with suppress(Malformed):
            yield bytes_.decode(bytes.fromhex(text.replace("-", "")))


def allowed_values(case: dict[str, Any]) -> list[Any]:
    """The case's value, in a list; nothing if the protocol has no such value."""
    if "binary" in case:
        return [bytes.fromhex(case["binary"].replace("-", ""))]
    if "bignum" in case:
        return [int(case["bignum"])]
    return [
        case[kind]
        for kind in ("nil", "bool", "number", "string", "array")
        if kind in case and not isinstance(case[kind], float) and case[kind] != [{}]
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"\x91" * 9 + b"\xc0",
        b"\xdc\x10\x01" + b"\xc0" * 4097,
        b"\xc0\xc0",
        b"\x92\xc0",
        b"\xa1\xff",
        b"\xc6\x00\x04\x00\x01" + bytes(262_145),
        b"",
    ],
    ids=["depth", "items", "rest", "short", "text", "bound", "nothing"],
)
# [BYTES-2] and [BYTES-3] of protocol.md
def test_what_is_no_value(data: bytes) -> None:
    with pytest.raises(Malformed):
        bytes_.decode(data)


def test_the_deepest_and_longest_values() -> None:
    deepest, longest = b"\x91" * 8 + b"\xc0", b"\xdc\x10\x00" + b"\xc0" * 4096
    for data in (deepest, longest, b"\x91" * 8 + b"\x90"):
        assert bytes_.encode(bytes_.decode(data)) == data


# [BYTES-5] of protocol.md
def test_the_example_of_a_labelled_hash() -> None:
    plain = bytes.fromhex("92a473656564c420") + bytes(32)
    assert bytes_.digest("seed", bytes(32)) == bytes_.sha256(plain)


# --- the group ------------------------------------------------------------------------------------


# [GROUP-4] of protocol.md
def test_constants() -> None:
    stored = load("constants.json")
    bases = [group.encode(group.attribute_base(i)) for i in range(1, 5)]
    assert bases == many(stored["P"])
    assert [group.encode(group.shuffle_base(i)) for i in range(109)] == many(stored["H"])


def test_hash_to_curve() -> None:
    suite = load("rfc9380_secp256k1_sswu_RO.json")
    for case in suite["vectors"]:
        point = group.hash_to_curve(case["msg"].encode(), suite["dst"].encode())
        assert point == (int(case["P"]["x"], 16), int(case["P"]["y"], 16))


def test_arithmetic() -> None:
    assert group.combine((group.L, group.G)) is None
    assert group.add(group.G, group.negative(group.G)) is None
    three = group.add(group.G, group.add(group.G, group.G))
    assert group.combine((3, group.G)) == three == group.combine((1, group.G), (2, group.G))
    assert group.combine((group.L - 1, group.G)) == group.negative(group.G)


# [GROUP-1] of protocol.md
@pytest.mark.parametrize(
    "text",
    ["04" + "11" * 32, "00" * 33, "02" + "ff" * 32, "02" + "00" * 31 + "05", "02" + "11" * 31],
)
def test_what_is_no_point(text: str) -> None:
    refused(group.decode, bytes.fromhex(text))


# [SIGN-2] of protocol.md
def test_identity_keys() -> None:
    base = bytes.fromhex("58" + "66" * 31)
    assert group.is_identity_key(base)
    neutral, order_two = b"\x01" + bytes(31), bytes.fromhex("ec" + "ff" * 30 + "7f")
    not_reduced, negative_zero = (
        bytes.fromhex("ee" + "ff" * 30 + "7f"),
        b"\x01" + bytes(30) + b"\x80",
    )
    order_eight = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
    no_point = b"\x02" + bytes(31)
    for key in (neutral, order_two, not_reduced, negative_zero, order_eight, no_point):
        assert not group.is_identity_key(key)


# --- proofs ---------------------------------------------------------------------------------------

SIGMA = load("sigma.json")
KEY = bytes.fromhex(SIGMA["keys"][0]["key"])
# Those of another pack name the third attribute too, and this verifier knows French cards alone.
FRENCH_CLAIMS = [v for v in SIGMA["claims"] if all(len(face) == 2 for face in v["faces"])]
OTHER_KEY = bytes.fromhex(SIGMA["keys"][1]["key"])


@pytest.mark.parametrize("vector", SIGMA["keys"])
def test_possession(vector: dict[str, Any]) -> None:
    where, key, proof = ctx("pop", vector["context"]), *many([vector["key"], vector["proof"]])
    sigma.check_possession(where, key, proof)
    committed = bytes_.sha256(ctx("keycom", vector["context"]) + key + proof)
    assert committed.hex() == vector["commitment"]
    for other in altered(proof):
        refused(sigma.check_possession, where, key, other)
    refused(sigma.check_possession, ctx("give", vector["context"]), key, proof)
    refused(sigma.check_possession, where, group.encode(group.G), proof)


def test_equality_of_logarithms() -> None:
    with (VECTORS / "bip374_dleq_verify.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        names = ("point_G", "point_A", "point_B", "point_C")
        points = [group.decode(bytes.fromhex(row[name])) for name in names]
        proof, message = many([row["proof"], row["message"]])
        if row["result_success"] == "TRUE":
            sigma.check_dleq(points[0], points[1], points[2], points[3], proof, message)
        else:
            refused(sigma.check_dleq, *points, proof, message)
    assert {row["result_success"] for row in rows} == {"TRUE", "FALSE"}


# [SHARE-1] of protocol.md
@pytest.mark.parametrize("vector", SIGMA["shares"])
def test_shares(vector: dict[str, Any]) -> None:
    where, proof = ctx("shares", vector["context"]), bytes.fromhex(vector["proof"])
    masks, shares = many(vector["masks"]), many(vector["shares"])
    sigma.check_shares(where, KEY, masks, shares, proof)
    assert bytes_.sha256(where).hex() == vector["message"]
    if len(masks) > 1:
        weights = sigma.batch_weights(where, KEY, masks, shares)
        assert [d.to_bytes(32, "big") for d in weights] == many(vector["weights"])
        refused(sigma.check_shares, where, KEY, masks, shares[::-1], proof)
    for other in altered(proof):
        refused(sigma.check_shares, where, KEY, masks, shares, other)
    refused(sigma.check_shares, where, OTHER_KEY, masks, shares, proof)
    refused(sigma.check_shares, where, KEY, masks, shares[1:], proof)
    refused(sigma.check_shares, where, KEY, masks, [KEY, *shares[1:]], proof)
    refused(sigma.check_shares, ctx("pop", vector["context"]), KEY, masks, shares, proof)


# [GIVE-1] of protocol.md
def test_a_gift() -> None:
    vector = SIGMA["give"]
    where = ctx("give", vector["context"])
    to, mask, given, proof = many([vector[name] for name in ("to", "mask", "given", "proof")])
    sigma.check_gift(where, KEY, to, mask, given, proof)
    for other in altered(proof):
        refused(sigma.check_gift, where, KEY, to, mask, given, other)
    refused(sigma.check_gift, where, KEY, KEY, mask, given, proof)
    refused(sigma.check_gift, where, OTHER_KEY, to, mask, given, proof)
    refused(sigma.check_gift, where, KEY, to, given, mask, proof)
    refused(sigma.check_gift, where, KEY, to, mask, mask, proof)


def formula(written: list[Any]) -> sigma.Formula:
    """A formula as the vectors write it: a pattern there lacks the entries that are 0."""
    if written[0] == "rep":
        _, mask, minus, pattern = written
        first, second, third, fourth = (*pattern, 0, 0, 0)[:4]
        other = None if minus is None else bytes.fromhex(minus)
        return sigma.Rep(bytes.fromhex(mask), other, (first, second, third, fourth))
    kind = sigma.Both if written[0] == "and" else sigma.Either
    return kind(tuple(map(formula, written[1])))


# [CLAIM-1] of protocol.md
@pytest.mark.parametrize("vector", SIGMA["claims"], ids=lambda vector: str(vector["name"]))
def test_claims(vector: dict[str, Any]) -> None:
    where, proof = ctx("formula", vector["context"]), bytes.fromhex(vector["proof"])
    folded = sigma.fold(formula(vector["formula"]))
    sigma.check_formula(where, KEY, folded, proof)
    if vector["statement"] is None:
        assert folded == sigma.TRUE
        refused(sigma.check_formula, where, KEY, folded, b"\x01")
        return
    assert sigma.statement(folded).hex() == vector["statement"]
    # Of a long proof not every number: each takes as long as the whole.
    for other in altered(proof, 32 * (len(proof) // 32 // 3 + 1)):
        refused(sigma.check_formula, where, KEY, folded, other)
    refused(sigma.check_formula, where, OTHER_KEY, folded, proof)
    refused(sigma.check_formula, ctx("pop", vector["context"]), KEY, folded, proof)
    refused(sigma.check_formula, where, KEY, sigma.Both((folded,)), proof)


# [AUDIT-5] of protocol.md
@pytest.mark.parametrize("vector", FRENCH_CLAIMS, ids=lambda vector: str(vector["name"]))
def test_claims_on_opened_cards(vector: dict[str, Any]) -> None:
    """Without its proof, with the key: what was proven is true, and its opposite is not."""
    folded = sigma.fold(formula(vector["formula"]))
    secret = int(SIGMA["keys"][0]["x"], 16)
    assert sigma.holds(folded, secret)
    assert not sigma.holds(sigma.Both((folded, sigma.FALSE)), secret)
    if isinstance(folded, sigma.Rep):
        wrong = sigma.Rep(folded.mask, folded.minus, (9, 9, 0, 0))
        assert not sigma.holds(wrong, secret)
    if folded != sigma.TRUE:
        refused(sigma.holds, folded, secret + 1)


def test_most_claims_are_about_french_cards() -> None:
    assert len(FRENCH_CLAIMS) >= 8


def test_false_has_no_proof() -> None:
    refused(sigma.check_formula, bytes(95), KEY, sigma.FALSE, b"")
    assert sigma.fold(sigma.Both((sigma.FALSE,))) == sigma.FALSE
    assert sigma.fold(sigma.Either((sigma.FALSE, sigma.TRUE))) == sigma.TRUE


# --- shuffles -------------------------------------------------------------------------------------


# [MIX-1] and [MIX-3] of protocol.md
@pytest.mark.parametrize("vector", load("shuffle.json")["shuffles"], ids=lambda v: str(v["n"]))
def test_shuffles(vector: dict[str, Any]) -> None:
    n, where, key = vector["n"], ctx("shuffle", vector["context"]), bytes.fromhex(vector["key"])
    seed, proof = many([vector["seed"], vector["proof"]])
    before, after = many(vector["before"]), many(vector["after"])
    assert where.hex() == vector["packed_context"]
    assert shuffle.permutation(seed, n) == vector["psi"]
    assert [r.to_bytes(32, "big") for r in shuffle.remaskings(seed, n)] == many(vector["r"])
    assert shuffle.mixed(seed, group.decode(key), before) == after
    shuffle.check_mix(where, key, before, after, proof)
    for other in altered(proof, len(proof) // 8):
        refused(shuffle.check_mix, where, key, before, after, other)
    refused(shuffle.check_mix, where, KEY, before, after, proof)
    refused(shuffle.check_mix, where[:-1] + b"\x01", key, before, after, proof)
    refused(shuffle.check_mix, where, key, before, after[1:], proof)
    refused(shuffle.check_mix, where, key, before, before, proof)
    if n > 1:
        turned = [*after[1:], after[0]]
        refused(shuffle.check_mix, where, key, before, turned, proof)
        refused(shuffle.check_mix, where, key, before, [after[0]] * n, proof)
