"""Writes the project's own test vectors into tests/vectors: fixed seeds, every value in hex.

Run it after a deliberate change of protocol.md, and look at the difference; `--check` only says
whether the files are what the code makes. Each function of VECTORS makes one file. Needs p2pcards
on the path: `python scripts/make_vectors.py` from the project's folder in its environment.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256, shake_256
from pathlib import Path
from typing import Any

from p2pcards.crypto import elgamal, shuffle, sigma
from p2pcards.crypto.formula import And, Formula, Or, Rep, fold, statement
from p2pcards.crypto.group import MAX_CARDS, SECP256K1, H, P, Rng, encode_scalar
from p2pcards.crypto.kernel import HandKey, RealKernel
from p2pcards.crypto.transcript import Context

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "vectors"

KERNEL = RealKernel()

Vector = Mapping[str, Any]


def drawn(name: str, n: int = 32) -> bytes:
    """Bytes for a fixed input of that name: SHAKE-256 of it."""
    return shake_256(f"p2pcards vectors/{name}".encode()).digest(n)


def counted(name: str) -> Rng:
    """A random source whose i-th answer, from 0, is `drawn("<name>/<i>", n)`."""
    calls = 0

    def rng(n: int) -> bytes:
        nonlocal calls
        calls += 1
        return drawn(f"{name}/{calls - 1}", n)

    return rng


def context(name: str, step: int, seat: int, index: int = 0) -> Context:
    """A context of that vector."""
    return Context(drawn(f"{name}/table"), step, drawn(f"{name}/prev"), seat, index)


def context_fields(ctx: Context) -> Vector:
    """A context as a vector shows it."""
    return {
        "table": ctx.table.hex(),
        "step": ctx.step,
        "prev": ctx.prev.hex(),
        "seat": ctx.seat,
        "index": ctx.index,
    }


def scalars(values: Sequence[int]) -> list[str]:
    """32 bytes each, zero included."""
    return [value.to_bytes(32, "big").hex() for value in values]


def points(values: Sequence[bytes]) -> list[str]:
    """Encoded points or masks in hex."""
    return [value.hex() for value in values]


def constants() -> Vector:
    """The nothing-up-my-sleeve points."""
    return {
        "about": "P(1)..P(4) and H(0)..H(108): hash_to_curve of RFC 9380, suite "
        "secp256k1_XMD:SHA-256_SSWU_RO_, DST P2PCARDS-V1-attribute and P2PCARDS-V1-shuffle, "
        "message = the index as 4 bytes big-endian; 33-byte compressed points.",
        "P": points([SECP256K1.encode(P(i)) for i in range(1, 5)]),
        "H": points([SECP256K1.encode(H(i)) for i in range(MAX_CARDS + 1)]),
    }


def one_shuffle(n: int) -> Vector:
    """A shuffle of the first n cards of a pack of 52, with all its inner values."""
    name = f"shuffle/{n}"
    x = int.from_bytes(drawn(f"{name}/x"), "big") >> 1
    key = SECP256K1.encode(SECP256K1.base(x))
    faces = [(suit, rank) for suit in range(1, 5) for rank in range(2, 15)][:n]
    before = elgamal.initial_deck(key, faces)
    seed, ctx = drawn(f"{name}/seed"), context(name, step=7 + n, seat=n % 4)
    after, proof = shuffle.mix(ctx, key, before, seed, counted(f"{name}/rng"))
    shuffle.check_mix(ctx, key, before, after, proof)

    secret = shuffle.mixing(seed, n)
    parsed, c = shuffle.decode_proof(proof, n)
    statement = shuffle.statement_of(
        SECP256K1.decode(key),
        [elgamal.decode_mask(mask) for mask in before],
        [elgamal.decode_mask(mask) for mask in after],
    )
    transcript, rng = (
        shuffle.start_transcript(ctx, key, before, after),
        counted(f"{name}/rng"),
    )
    rho = transcript.fork_rng(seed, rng).scalars(n)
    C = SECP256K1.encode_all(parsed.C)
    u = shuffle.weigh(transcript, C)
    nonces = transcript.fork_rng(seed, rng)
    rh, w, wh, wp = (nonces.scalars(k) for k in (n, 4, n, n))
    announcement = shuffle.verify_equations(SECP256K1, statement, parsed, u, c)
    return {
        "n": n,
        "context": context_fields(ctx),
        "packed_context": ctx.pack(shuffle.PROOF_NAME).hex(),
        "x": encode_scalar(x).hex(),
        "key": key.hex(),
        "faces": faces,
        "before": points(before),
        "seed": seed.hex(),
        "rng": [drawn(f"{name}/rng/{i}").hex() for i in range(2)],
        "psi": list(secret.psi),
        "r": scalars(secret.r),
        "after": points(after),
        "rho": scalars(rho),
        "C": points(C),
        "u": scalars(u),
        "rh": scalars(rh),
        "Ch": points(SECP256K1.encode_all(parsed.Ch)),
        "w": scalars(w),
        "wh": scalars(wh),
        "wp": scalars(wp),
        "t": points(SECP256K1.encode_all(announcement.t)),
        "th": points(SECP256K1.encode_all(announcement.th)),
        "c": scalars([c])[0],
        "s": scalars(parsed.s),
        "sh": scalars(parsed.sh),
        "sp": scalars(parsed.sp),
        "proof": proof.hex(),
    }


def shuffles() -> Vector:
    """Shuffles of several sizes."""
    return {
        "about": "Shuffles as p2pcards/crypto/shuffle.py documents them, names as there; psi "
        "counts from 0; a mask is A then B; `x` is the secret of `key`; `rng` are the two "
        "answers of the random source.",
        "shuffles": [one_shuffle(n) for n in (1, 2, 5, 13)],
    }


def one_key(seat: int) -> Vector:
    """A hand key of a stored secret, with its proof of possession and its commitment."""
    name = f"key/{seat}"
    ctx, secret = context("keys", step=1, seat=seat), drawn(f"{name}/secret")
    key = KERNEL.keys(ctx, secret, counted(f"{name}/rng"))
    KERNEL.check_key(ctx, key.public, key.proof)
    return {
        "context": context_fields(ctx),
        "secret": secret.hex(),
        "x": key.x.hex(),
        "key": key.public.hex(),
        "rng": [drawn(f"{name}/rng/0").hex()],
        "proof": key.proof.hex(),
        "commitment": KERNEL.key_commitment(ctx, key.public, key.proof).hex(),
    }


def holder() -> HandKey:
    """The key under which the cards of the vectors below are held."""
    return KERNEL.keys(context("keys", step=1, seat=0), drawn("key/0/secret"), counted("key/0/rng"))


def held(name: str, face: elgamal.Attributes) -> elgamal.Mask:
    """A mask of a card under the holder's key, its r drawn under that name."""
    r = int.from_bytes(drawn(f"mask/{name}/r"), "big") >> 1
    public = SECP256K1.decode(holder().public)
    b = SECP256K1.sum([elgamal.card_point(face), SECP256K1.mul(public, r)])
    return SECP256K1.encode(SECP256K1.base(r)) + SECP256K1.encode(b)


def some_shares(n: int) -> Vector:
    """Shares of n masks with their proof; for n = 1 a plain BIP-374 proof."""
    name, key = f"shares/{n}", holder()
    ctx = context(name, step=9, seat=0)
    masks = [held(f"{name}/{i}", (1 + i % 4, 2 + i)) for i in range(n)]
    shares, proof = KERNEL.shares(ctx, key.x, key.public, masks, counted(f"{name}/rng"))
    KERNEL.check_shares(ctx, key.public, masks, shares, proof)
    bases = [mask[: len(shares[0])] for mask in masks]
    weights = sigma.composite_weights(ctx, key.public, bases, shares) if n > 1 else []
    return {
        "context": context_fields(ctx),
        "message": sha256(ctx.pack("shares")).hexdigest(),
        "masks": points(masks),
        "shares": points(shares),
        "weights": scalars(weights),
        "rng": [drawn(f"{name}/rng/0").hex()],
        "proof": proof.hex(),
    }


def one_give() -> Vector:
    """A hidden hand-over from seat 0 to seat 1."""
    name, key = "give", holder()
    ctx, mask, to = context(name, step=11, seat=0), held(name, (3, 9)), one_key(1)["key"]
    given, proof = KERNEL.give(
        ctx, key.x, key.public, bytes.fromhex(to), mask, counted(f"{name}/rng")
    )
    KERNEL.check_give(ctx, key.public, bytes.fromhex(to), mask, given, proof)
    return {
        "context": context_fields(ctx),
        "to": to,
        "mask": mask.hex(),
        "rng": [drawn(f"{name}/rng/0").hex()],
        "given": given.hex(),
        "proof": proof.hex(),
    }


def written(formula: Formula) -> Sequence[Any]:
    """A formula as JSON: ["rep", mask, minus or null, fixed] or ["and" or "or", children]."""
    if isinstance(formula, Rep):
        minus = None if formula.minus is None else formula.minus.hex()
        return ["rep", formula.mask.hex(), minus, list(formula.fixed)]
    word = "and" if isinstance(formula, And) else "or"
    return [word, [written(child) for child in formula.children]]


def one_claim(name: str, formula: Formula, faces: Sequence[elgamal.Attributes]) -> Vector:
    """A claim about held cards of a pack with these faces, and its proof."""
    key, folded = holder(), fold(formula)
    ctx = context(f"claim/{name}", step=13, seat=0, index=2)
    source = f"claim/{name}/rng"
    proof = KERNEL.prove(ctx, key.x, key.public, formula, faces, counted(source))
    KERNEL.check(ctx, key.public, formula, proof)
    return {
        "name": name,
        "context": context_fields(ctx),
        "formula": written(formula),
        "faces": faces,
        "statement": None if isinstance(folded, bool) else statement(folded).hex(),
        "rng": [] if isinstance(folded, bool) else [drawn(f"{source}/0").hex()],
        "proof": proof.hex(),
    }


def claims() -> Sequence[Vector]:
    """One claim of each kind that a game makes, and the corners of the language."""
    eight, ace, low = held("eight", (2, 8)), held("ace", (1, 14)), held("low", (3, 3))
    twin, plain = held("twin", (2, 8)), held("plain", (2, 7, 1))
    cards, gnav = [(2, 8), (1, 14), (3, 3)], [(2, 7, 1)]

    def other_suit(mask: elgamal.Mask) -> Formula:
        return Or(tuple(Rep(mask, None, (suit, None)) for suit in (1, 2, 3)))

    def at_least(high: elgamal.Mask, low: elgamal.Mask) -> Formula:
        return Or(tuple(Rep(high, low, (None, gap)) for gap in range(14)))

    best = And((at_least(ace, eight), at_least(eight, low)))
    returned = And((Or((Rep(low, None, (None, 3)), at_least(ace, low))), at_least(eight, low)))
    listed = Or(tuple(Rep(low, None, (3, rank)) for rank in (2, 3, 4)))
    nested = Or((And((other_suit(ace), Or(()))), And((Rep(eight, twin, (0, 0)), And(())))))
    return [
        one_claim("not of the led suit", other_suit(eight), cards),
        one_claim("cannot follow", And((other_suit(eight), other_suit(ace))), cards),
        one_claim("ordinary", Rep(plain, None, (None, None, 1)), gnav),
        one_claim("at least", at_least(ace, eight), cards),
        one_claim("two best", best, cards),
        one_claim("returned", returned, cards),
        one_claim("same face", Rep(eight, twin, (0, 0)), cards),
        one_claim("one of a list", listed, cards),
        one_claim("constants folded", nested, cards),
        one_claim("true", And(()), cards),
    ]


def sigmas() -> Vector:
    """Keys, shares, hand-overs and claims."""
    return {
        "about": "Proofs as p2pcards/crypto/sigma.py and composition.py document them. Seat 0 "
        "of `keys` makes all the others; a key's context is of its proof of possession and of its "
        "commitment; `rng` are the answers of the random source; weights are the d_i of a batch; "
        "statement is the canonical form of the folded formula, null if that is a constant.",
        "keys": [one_key(seat) for seat in range(3)],
        "shares": [some_shares(n) for n in (1, 2, 5)],
        "give": one_give(),
        "claims": claims(),
    }


VECTORS: Mapping[str, Callable[[], Vector]] = {
    "constants.json": constants,
    "shuffle.json": shuffles,
    "sigma.json": sigmas,
}


def text(name: str) -> str:
    """The content of one file."""
    return json.dumps(VECTORS[name](), indent=1) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Write the files, or with `--check` compare them; 1 if one differs."""
    if arguments not in ([], ["--check"]):
        print("takes no argument but --check", file=sys.stderr)
        return 2
    differing = []
    for name in VECTORS:
        path = FOLDER / name
        if not arguments:
            path.write_text(text(name), "utf-8")
        elif not path.exists() or path.read_text("utf-8") != text(name):
            differing.append(name)
    if differing:
        print(f"not what the code makes: {', '.join(differing)}", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
