"""Mixes: the proof, and what a seed determines, after protocol.md, section 5.2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.reference.bytes_ import digest, joined, sha512
from tests.reference.group import (
    G,
    L,
    Point,
    add,
    combine,
    decode,
    decode_mask,
    encode,
    encode_mask,
    need,
    negative,
    scalars,
    shuffle_base,
)
from tests.reference.transcript import Transcript


def check_mix(
    ctx: bytes, key: bytes, before: Sequence[bytes], after: Sequence[bytes], proof: bytes
) -> None:
    """130 N + 160 bytes: `after` holds the cards of `before`, in some order, masked anew."""
    N = len(before)
    need(len(after) == N and len(proof) == 130 * N + 160, "length")
    need(len({mask[:33] for mask in after}) == N, "a first half is repeated")
    points = [proof[33 * i : 33 * (i + 1)] for i in range(2 * N)]
    c, s1, s2, s3, s4, *rest = scalars(proof[66 * N :])
    sh, sp = rest[:N], rest[N:]
    X = decode(key)
    C, Ch = [decode(p) for p in points[:N]], [decode(p) for p in points[N:]]
    inputs, outputs = [decode_mask(m) for m in before], [decode_mask(m) for m in after]
    H = [shuffle_base(i) for i in range(N + 1)]

    transcript = Transcript("shuffle")
    transcript.put("ctx", ctx)
    transcript.put("n", joined([N], 4))
    transcript.put("bases", b"P2PCARDS-V1-shuffle")
    transcript.put("key", key)
    transcript.put_all("before", before)
    transcript.put_all("after", after)
    transcript.put_all("C", points[:N])
    u = transcript.vector("u", N)

    U = 1
    for u_j in u:
        U = U * u_j % L
    c_bar = add(*C, *(negative(h) for h in H[1:]))
    c_hat = combine((1, Ch[-1]), (-U, H[0]))
    c_til = combine(*zip(u, C, strict=True))
    a_til = combine(*((u_j, A) for u_j, (A, _) in zip(u, inputs, strict=True)))
    b_til = combine(*((u_j, B) for u_j, (_, B) in zip(u, inputs, strict=True)))
    need(None not in (c_bar, c_hat, c_til, a_til, b_til), "a sum is at infinity")
    t = [
        combine((s1, G), (-c, c_bar)),
        combine((s2, G), (-c, c_hat)),
        combine((s3, G), *zip(sp, H[1:], strict=True), (-c, c_til)),
        combine((-s4, G), *((s, A) for s, (A, _) in zip(sp, outputs, strict=True)), (-c, a_til)),
        combine((-s4, X), *((s, B) for s, (_, B) in zip(sp, outputs, strict=True)), (-c, b_til)),
    ]
    chain = [H[0], *Ch]
    th = [combine((sh[i], G), (sp[i], chain[i]), (-c, chain[i + 1])) for i in range(N)]

    transcript.put_all("Ch", points[N:])
    transcript.put_all("t", [encode(point) for point in t])
    transcript.put_all("th", [encode(point) for point in th])
    need(transcript.scalar("c") == c, "mix")


def seed_of_mix(hand_seed: bytes, step: int) -> bytes:
    """The mix seed, of the MIXED in this step."""
    return digest("mix", hand_seed, step)


def permutation(mix_seed: bytes, N: int) -> list[int]:
    """psi: output i comes from input psi[i]."""

    def words() -> Iterator[int]:
        i = 0
        while True:
            block = _block(1, mix_seed, i)
            yield from (int.from_bytes(block[k : k + 4], "big") for k in range(0, 64, 4))
            i += 1

    stream = words()
    psi = list(range(N))
    for k in range(N - 1, 0, -1):
        word = next(w for w in stream if w < 2**32 - 2**32 % (k + 1))
        j = word % (k + 1)
        psi[k], psi[j] = psi[j], psi[k]
    return psi


def remaskings(mix_seed: bytes, N: int) -> list[int]:
    """r_j for each input j."""
    r: list[int] = []
    i = 0
    while len(r) < N:
        number = int.from_bytes(_block(2, mix_seed, i), "big") % L
        if number:
            r.append(number)
        i += 1
    return r


def _block(label: int, mix_seed: bytes, i: int) -> bytes:
    return sha512(b"P2PCARDS-V1-mix" + bytes([label]) + mix_seed + joined([i], 4))


def mixed(mix_seed: bytes, key: Point, before: Sequence[bytes]) -> list[bytes]:
    """The masks that this seed makes of these."""
    r = remaskings(mix_seed, len(before))
    masks = []
    for j in permutation(mix_seed, len(before)):
        A, B = decode_mask(before[j])
        masks.append(encode_mask((combine((1, A), (r[j], G)), combine((1, B), (r[j], key)))))
    return masks
