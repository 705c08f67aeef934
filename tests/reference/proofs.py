"""Every proof of sections 4 and 5 that an Oh Hell log holds, checked in plain integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.reference.curve import (
    INFINITY,
    G,
    H,
    L,
    P,
    Point,
    Transcript,
    decode,
    encode,
    minus,
    need,
    negative,
    plus,
    scalar,
    scalars,
    sha,
    sha512,
    times,
    total,
)


def check_possession(ctx: bytes, key: bytes, proof: bytes) -> None:
    """That the author of the context knows the secret of its key."""
    need(len(proof) == 64, "a proof of possession has 64 bytes")
    c, z = scalars(proof)
    transcript = Transcript("pop")
    transcript.put("ctx", ctx)
    transcript.put("key", key)
    transcript.put("commitments", encode(minus(times(z, G), times(c, decode(key)))))
    need(transcript.scalar("c") == c, "proof of possession")


def tagged(tag: str, data: bytes) -> bytes:
    """BIP-340's tagged hash."""
    head = sha(tag.encode())
    return sha(head + head + data)


def check_shares(
    ctx: bytes, key: bytes, masks: Sequence[bytes], shares: Sequence[bytes], proof: bytes
) -> None:
    """BIP-374 on one pair (A, D), or on the composite of several."""
    need(len(masks) == len(shares) > 0 and len(proof) == 64, "lengths of shares")
    firsts = [mask[:33] for mask in masks]
    if len(firsts) == 1:
        base, image = decode(firsts[0]), decode(shares[0])
    else:
        transcript = Transcript("shares")
        transcript.put("ctx", ctx)
        transcript.put("key", key)
        transcript.put_all("masks", firsts)
        transcript.put_all("shares", shares)
        weights = transcript.vector("d", len(firsts))
        base = total(*(times(d, decode(a)) for d, a in zip(weights, firsts, strict=True)))
        image = total(*(times(d, decode(s)) for d, s in zip(weights, shares, strict=True)))
    e, s = int.from_bytes(proof[:32], "big"), scalar(proof[32:])
    r1 = minus(times(s, G), times(e, decode(key)))
    r2 = minus(times(s, base), times(e, image))
    points = b"".join(map(encode, (base, image, G, r1, r2)))
    need(tagged("BIP0374/challenge", key + points + sha(ctx)) == proof[:32], "shares")


def check_mix(
    ctx: bytes, key: bytes, before: Sequence[bytes], after: Sequence[bytes], proof: bytes
) -> None:
    """Terelius and Wikstrom's proof that `after` is a shuffle of `before`."""
    n = len(before)
    need(len(after) == n and len(proof) == 130 * n + 160, "lengths of a mix")
    points = [proof[33 * i : 33 * i + 33] for i in range(2 * n)]
    commitments, chain = points[:n], points[n:]
    c, s1, s2, s3, s4, *rest = scalars(proof[66 * n :])
    hats, primes = rest[:n], rest[n:]

    transcript = Transcript("shuffle")
    transcript.put("ctx", ctx)
    transcript.put("n", n.to_bytes(4, "big"))
    transcript.put("bases", b"P2PCARDS-V1-shuffle")
    transcript.put("key", key)
    transcript.put_all("before", before)
    transcript.put_all("after", after)
    transcript.put_all("C", commitments)
    u = transcript.vector("u", n)

    product = 1
    for weight in u:
        product = product * weight % L
    C, links = [decode(point) for point in commitments], [H[0], *map(decode, chain)]
    bar = minus(total(*C), total(*H[1 : n + 1]))
    hat = minus(links[-1], times(product, H[0]))
    tilde = _weighted(u, C)
    a_in, b_in = _weighted(u, _firsts(before)), _weighted(u, _seconds(before))
    t = (
        minus(times(s1, G), times(c, bar)),
        minus(times(s2, G), times(c, hat)),
        total(times(s3, G), negative(times(c, tilde)), _weighted(primes, H[1 : n + 1])),
        total(times(-s4, G), negative(times(c, a_in)), _weighted(primes, _firsts(after))),
        total(
            times(-s4, decode(key)), negative(times(c, b_in)), _weighted(primes, _seconds(after))
        ),
    )
    steps = [
        total(times(hats[i], G), times(primes[i], links[i]), negative(times(c, links[i + 1])))
        for i in range(n)
    ]
    transcript.put_all("Ch", chain)
    transcript.put_all("t", [encode(point) for point in t])
    transcript.put_all("th", [encode(point) for point in steps])
    need(transcript.scalar("c") == c, "proof of shuffle")


def _weighted(weights: Sequence[int], points: Sequence[Point]) -> Point:
    return total(*(times(k, point) for k, point in zip(weights, points, strict=True)))


def _firsts(masks: Sequence[bytes]) -> list[Point]:
    return [decode(mask[:33]) for mask in masks]


def _seconds(masks: Sequence[bytes]) -> list[Point]:
    return [decode(mask[33:]) for mask in masks]


def remix(key: bytes, before: Sequence[bytes], seed: bytes) -> list[bytes]:
    """What a mix with this seed gives: section 4.2, from the seed alone."""
    n = len(before)
    words = _words(seed)
    order = list(range(n))
    for k in range(n - 1, 0, -1):
        word = next(words)
        while word >= 2**32 - 2**32 % (k + 1):
            word = next(words)
        j = word % (k + 1)
        order[k], order[j] = order[j], order[k]
    r = [int.from_bytes(_block(2, seed, i), "big") % L for i in range(n)]
    return [
        encode(plus(decode(before[j][:33]), times(r[j], G)))
        + encode(plus(decode(before[j][33:]), times(r[j], decode(key))))
        for j in order
    ]


def _block(stream: int, seed: bytes, i: int) -> bytes:
    return sha512(b"P2PCARDS-V1-mix" + bytes([stream]) + seed + i.to_bytes(4, "big"))


def _words(seed: bytes) -> Iterator[int]:
    i = 0
    while True:
        block = _block(1, seed, i)
        i += 1
        yield from (int.from_bytes(block[j : j + 4], "big") for j in range(0, 64, 4))


# --- formulas -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rep:
    """Attributes of one mask: a number is fixed, None is free."""

    mask: bytes
    fixed: tuple[int | None, ...]


@dataclass(frozen=True)
class Join:
    """And (kind 1) or Or (kind 2)."""

    kind: int
    parts: tuple[Formula, ...]


Formula = Rep | Join
AND, OR = 1, 2


def statement(formula: Formula) -> bytes:
    """The canonical bytes of a formula."""
    if isinstance(formula, Rep):
        pattern = bytes(255 if value is None else value for value in formula.fixed)
        return b"\3" + formula.mask + pattern
    head = bytes([formula.kind]) + len(formula.parts).to_bytes(2, "big")
    return head + b"".join(map(statement, formula.parts))


def check_formula(ctx: bytes, key: bytes, formula: Formula, proof: bytes) -> None:
    """That the formula is true of the cards under the key."""
    numbers = iter(scalars(proof))
    root = next(numbers, 0)
    commitments = b"".join(_recompute(formula, root, decode(key), numbers))
    need(next(numbers, None) is None, "a proof of another length")
    transcript = Transcript("formula")
    transcript.put("ctx", ctx)
    transcript.put("key", key)
    transcript.put("statement", statement(formula))
    transcript.put("commitments", commitments)
    need(transcript.scalar("c") == root, "proof of a claim")


def _recompute(formula: Formula, c: int, key: Point, numbers: Iterator[int]) -> Iterator[bytes]:
    if isinstance(formula, Rep):
        z = next(numbers, 0)
        a, b = decode(formula.mask[:33]), decode(formula.mask[33:])
        known = total(*(times(v, P[i]) for i, v in enumerate(formula.fixed, 1) if v))
        free = [P[i] for i, v in enumerate(formula.fixed, 1) if v is None]
        t2 = total(times(z, a), negative(times(c, minus(b, known))))
        for base in free:
            t2 = plus(t2, times(next(numbers, 0), base))
        yield encode(minus(times(z, G), times(c, key)))
        yield encode(t2)
        return
    shares = [c] * len(formula.parts)
    if formula.kind == OR:
        shares = [next(numbers, 0) for _ in formula.parts[1:]]
        shares.append((c - sum(shares)) % L)
        need(shares[-1] != 0, "a challenge of zero")
    for part, share in zip(formula.parts, shares, strict=True):
        yield from _recompute(part, share, key, numbers)


def plaintext(mask: bytes, shares: Sequence[bytes]) -> bytes:
    """What is left of a mask's second half without these shares, encoded."""
    taken = total(*map(decode, shares)) if shares else INFINITY
    return encode(minus(decode(mask[33:]), taken))
