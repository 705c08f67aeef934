"""Our vectors of keys, shares, hand-overs and claims, checked without our code.

The second implementation here is plain integers, written from the documentation of
`transcript`, `sigma`, `formula` and `composition`: it shares nothing with what it checks but the
files of vectors.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256, sha512
from typing import Any

import pytest

from make_vectors import FOLDER, text
from p2pcards.crypto.kernel import RealKernel
from p2pcards.crypto.transcript import Context

VECTORS: Mapping[str, Any] = json.loads((FOLDER / "sigma.json").read_text("ascii"))
CONSTANTS: Mapping[str, Any] = json.loads((FOLDER / "constants.json").read_text("ascii"))
HOLDER: bytes = bytes.fromhex(VECTORS["keys"][0]["key"])

FIELD = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
Point = tuple[int, int] | None
"""Affine; None is infinity."""
G: Point = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def add(p: Point, q: Point) -> Point:
    if p is None or q is None:
        return q if p is None else p
    (x1, y1), (x2, y2) = p, q
    if x1 == x2 and (y1 + y2) % FIELD == 0:
        return None
    if x1 == x2:
        slope = 3 * x1 * x1 * pow(2 * y1, -1, FIELD)
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, FIELD)
    x3 = (slope * slope - x1 - x2) % FIELD
    return x3, (slope * (x1 - x3) - y1) % FIELD


def times(k: int, p: Point) -> Point:
    total: Point = None
    for bit in f"{k % ORDER:b}":
        total = add(total, total)
        if bit == "1":
            total = add(total, p)
    return total


def total(*points: Point) -> Point:
    out: Point = None
    for point in points:
        out = add(out, point)
    return out


def decode(data: bytes) -> Point:
    assert len(data) == 33
    assert data[0] in (2, 3)
    x = int.from_bytes(data[1:], "big")
    y = pow(x**3 + 7, (FIELD + 1) // 4, FIELD)
    assert y * y % FIELD == (x**3 + 7) % FIELD
    return (x, y if y % 2 == data[0] % 2 else FIELD - y)


def encode(p: Point) -> bytes:
    assert p is not None
    return bytes([2 + p[1] % 2]) + p[0].to_bytes(32, "big")


def number(data: bytes) -> int:
    return int.from_bytes(data, "big")


def scalars(proof: bytes) -> list[int]:
    values = [number(proof[i : i + 32]) for i in range(0, len(proof), 32)]
    assert all(0 < value < ORDER for value in values)
    return values


def item(kind: int, label: str, data: bytes) -> bytes:
    name = label.encode()
    return bytes([kind, len(name)]) + name + len(data).to_bytes(4, "big") + data


def rows(data: Sequence[bytes]) -> bytes:
    return b"".join([len(data).to_bytes(4, "big"), len(data[0]).to_bytes(4, "big"), *data])


def packed(fields: Mapping[str, Any], proof: str) -> bytes:
    return b"".join(
        [
            b"\1",
            proof.encode().ljust(16, b"\0"),
            bytes.fromhex(fields["table"]),
            fields["step"].to_bytes(8, "big"),
            bytes.fromhex(fields["prev"]),
            fields["seat"].to_bytes(2, "big"),
            fields["index"].to_bytes(4, "big"),
        ]
    )


def begun(proof: str, fields: Mapping[str, Any], key: bytes) -> bytes:
    start = item(0, "P2PCARDS-V1", proof.encode())
    return start + item(1, "ctx", packed(fields, proof)) + item(1, "key", key)


def challenge(absorbed: bytes) -> int:
    return number(sha512(absorbed + item(3, "c", b"")).digest()) % ORDER


def octets(vector: Mapping[str, Any], *names: str) -> list[bytes]:
    return [bytes.fromhex(vector[name]) for name in names]


def test_the_file_is_what_the_code_makes() -> None:
    assert (FOLDER / "sigma.json").read_text("ascii") == text("sigma.json")


@pytest.mark.parametrize("vector", VECTORS["keys"], ids=lambda vector: vector["context"]["seat"])
def test_keys(vector: Mapping[str, Any]) -> None:
    x, key, proof, commitment = octets(vector, "x", "key", "proof", "commitment")
    assert encode(times(number(x), G)) == key
    c, z = scalars(proof)
    t = encode(total(times(z, G), times(-c, decode(key))))
    assert challenge(begun("pop", vector["context"], key) + item(1, "commitments", t)) == c
    bound = packed(vector["context"], "keycom") + key + proof
    assert sha256(bound).digest() == commitment


@pytest.mark.parametrize("vector", VECTORS["shares"], ids=lambda vector: len(vector["masks"]))
def test_shares(vector: Mapping[str, Any]) -> None:
    bases = [bytes.fromhex(mask)[:33] for mask in vector["masks"]]
    shares = [bytes.fromhex(share) for share in vector["shares"]]
    x = number(bytes.fromhex(VECTORS["keys"][0]["x"]))
    assert [encode(times(x, decode(base))) for base in bases] == shares
    other, image = decode(bases[0]), decode(shares[0])
    count = len(bases)
    if count > 1:
        absorbed = begun("shares", vector["context"], HOLDER)
        absorbed += item(2, "masks", rows(bases)) + item(2, "shares", rows(shares))
        seed = sha512(absorbed + item(4, "d", count.to_bytes(4, "big"))).digest()
        draws = [sha512(seed + i.to_bytes(4, "big")).digest() for i in range(count)]
        weights = [number(draw) % ORDER for draw in draws]
        assert [weight.to_bytes(32, "big").hex() for weight in weights] == vector["weights"]
        pairs = list(zip(weights, bases, shares, strict=True))
        other = total(*(times(d, decode(base)) for d, base, _ in pairs))
        image = total(*(times(d, decode(share)) for d, _, share in pairs))
    message = sha256(packed(vector["context"], "shares")).digest()
    assert message.hex() == vector["message"]
    proof = bytes.fromhex(vector["proof"])
    e, s = proof[:32], number(proof[32:])
    r1 = total(times(s, G), times(-number(e), decode(HOLDER)))
    r2 = total(times(s, other), times(-number(e), image))
    tag = sha256(b"BIP0374/challenge").digest()
    hashed = HOLDER + b"".join(map(encode, (other, image, G, r1, r2))) + message
    assert sha256(tag + tag + hashed).digest() == e


def test_give() -> None:
    vector = VECTORS["give"]
    to, mask, given, proof = octets(vector, "to", "mask", "given", "proof")
    a, b, new_a, new_b = map(decode, (mask[:33], mask[33:], given[:33], given[33:]))
    c, zx, zr = scalars(proof)
    t1 = total(times(zx, G), times(-c, decode(HOLDER)))
    t2 = total(times(zr, G), times(-c, new_a))
    change = total(b, times(-1, new_b))
    t3 = total(times(zx, a), times(-zr, decode(to)), times(-c, change))
    absorbed = begun("give", vector["context"], HOLDER)
    absorbed += item(1, "to", to) + item(1, "mask", mask) + item(1, "given", given)
    absorbed += item(1, "commitments", b"".join(map(encode, (t1, t2, t3))))
    assert challenge(absorbed) == c


Written = Sequence[Any]
"""A formula as the file has it; here with True and False where it is folded to one."""


def folded(formula: Written) -> Written | bool:
    word, *_ = formula
    if word == "rep":
        return formula
    decisive = bool(word == "or")
    children = [folded(child) for child in formula[1]]
    if any(child is decisive for child in children):
        return decisive
    kept = [child for child in children if child is not (not decisive)]
    return [formula[0], kept] if kept else not decisive


def canonical(formula: Written) -> bytes:
    if formula[0] != "rep":
        head = bytes([1 if formula[0] == "and" else 2]) + len(formula[1]).to_bytes(2, "big")
        return head + b"".join(map(canonical, formula[1]))
    _, mask, minus, fixed = formula
    four = [*fixed, 0, 0, 0][:4]
    pattern = bytes(255 if value is None else value for value in four)
    if minus is None:
        return b"\3" + bytes.fromhex(mask) + pattern
    return b"\4" + bytes.fromhex(mask) + bytes.fromhex(minus) + pattern


def commitments(formula: Written, c: int, values: Iterator[int]) -> Iterator[bytes]:
    if formula[0] == "rep":
        _, mask, minus, fixed = formula
        halves = [decode(bytes.fromhex(mask)[i : i + 33]) for i in (0, 33)]
        if minus is not None:
            others = [decode(bytes.fromhex(minus)[i : i + 33]) for i in (0, 33)]
            halves = [add(p, times(-1, q)) for p, q in zip(halves, others, strict=True)]
        z = next(values)
        bases = [decode(bytes.fromhex(point)) for point in CONSTANTS["P"]]
        image, t2 = halves[1], times(z, halves[0])
        for base, value in zip(bases, fixed, strict=False):
            if value is None:
                t2 = add(t2, times(next(values), base))
            else:
                image = add(image, times(-value, base))
        yield encode(add(times(z, G), times(-c, decode(HOLDER))))
        yield encode(add(t2, times(-c, image)))
        return
    children = formula[1]
    challenges = [c] * len(children)
    if formula[0] == "or":
        challenges = [next(values) for _ in children[1:]]
        challenges.append((c - sum(challenges)) % ORDER)
    for child, challenged in zip(children, challenges, strict=True):
        yield from commitments(child, challenged, values)


@pytest.mark.parametrize("vector", VECTORS["claims"], ids=lambda vector: vector["name"])
def test_claims(vector: Mapping[str, Any]) -> None:
    formula, proof = folded(vector["formula"]), bytes.fromhex(vector["proof"])
    if isinstance(formula, bool):
        assert formula
        assert (proof, vector["statement"]) == (b"", None)
        return
    assert canonical(formula).hex() == vector["statement"]
    c, *rest = scalars(proof)
    values = iter(rest)
    points = b"".join(commitments(formula, c, values))
    assert next(values, None) is None
    absorbed = begun("formula", vector["context"], HOLDER)
    absorbed += item(1, "statement", canonical(formula)) + item(1, "commitments", points)
    assert challenge(absorbed) == c


def test_the_stored_secret_gives_the_key() -> None:
    kernel = RealKernel()
    for vector in VECTORS["keys"]:
        fields = vector["context"]
        table, prev = octets(fields, "table", "prev")
        ctx = Context(table, fields["step"], prev, fields["seat"], fields["index"])
        key = kernel.keys(ctx, bytes.fromhex(vector["secret"]), bytes)
        assert (key.x.hex(), key.public.hex()) == (vector["x"], vector["key"])
