"""Proofs of formulas about held cards: And shares the challenge, Or splits it.

One prover and one verifier for every formula of `formula`; all atoms of one proof are under one key
X = xG. Cramer, Damgard, Schoenmakers 1994 for the composition, Okamoto 1992 for the representation,
the Fiat-Shamir transform with the whole statement inside. protocol.md section 5.5.

An atom over (A, B) with fixed values K = sum fixed_i P_i and free attributes F proves knowledge
of x and m_i, i in F, such that X = xG and B - K = xA + sum over F of m_i P_i. For a challenge c:

    commit     T1 = wG,  T2 = wA + sum over F of v_i P_i
    respond    z = w + cx,  z_i = v_i + c m_i
    holds if   T1 = zG - cX,  T2 = zA + sum over F of z_i P_i - c(B - K)

For the difference of two masks, A and B are the differences. An atom that is false has its c chosen
beforehand and commits to T2 - cN instead, N = sum over the others of (m_i - fixed_i) P_i: the
simulated proof of Cramer, Damgard, Schoenmakers, with its responses written as w + cx and
v_i + c m_i for uniform w, v_i, since the prover does know x and all m_i.

Challenges. The root has the challenge c of the transcript. The children of an And have its
challenge. The challenges of the children of an Or sum to its challenge mod L.

Proof: scalars of 32 bytes, 1 <= s < L: c, then the formula in preorder: for an Or of n children the
challenges of the first n - 1; for an atom z, then z_i for each free attribute in order.

Transcript "formula": put ctx (`Context.pack("formula")`), key (33), statement (`formula`'s
canonical bytes), commitments (T1 | T2 of every atom in preorder); scalar "c".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from p2pcards.crypto.bases import attribute_terms, combination
from p2pcards.crypto.elgamal import Attributes, Mask, decode_mask
from p2pcards.crypto.formula import (
    And,
    Formula,
    Or,
    Rep,
    fold,
    pattern,
    proof_size,
    statement,
)
from p2pcards.crypto.group import (
    MAX_ATTRIBUTES,
    SCALAR_SIZE,
    SECP256K1,
    L,
    Point,
    Rng,
    decode_scalar,
    encode_scalar,
)
from p2pcards.crypto.sigma import check_length, commitment
from p2pcards.crypto.transcript import Context, Nonces, Transcript
from p2pcards.errors import BadProof, BadScalar, WrongWitness

Reader = Callable[[Mask], Attributes | None]
"""What the prover knows: the attributes of the card of a mask, None if it is no card."""

_group = SECP256K1
_INDICES: Final = range(MAX_ATTRIBUTES)


def _start(ctx: Context, public: bytes, folded: Formula) -> Transcript:
    transcript = Transcript.start("formula")
    transcript.put("ctx", ctx.pack("formula"))
    transcript.put("key", public)
    transcript.put("statement", statement(folded))
    return transcript


def split_challenge(whole: int, first: list[int]) -> list[int]:
    """The challenges of an Or's children: those given, and the last, which makes the sum right."""
    last = (whole - sum(first)) % L
    if not last:
        raise BadScalar(detail="a challenge of zero")
    return [*first, last]


# --- the prover -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Atom:
    """A committed atom: T2's masks, and what a response adds c times to each of them."""

    nonces: tuple[int, ...]
    witness: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Conjunction:
    children: tuple[_Plan, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    """A committed Or: the challenge of every child, None for the one that is proven."""

    children: tuple[_Plan, ...]
    challenges: tuple[int | None, ...]


_Plan = _Atom | _Conjunction | _Choice


class _Prover:
    """One proof in the making; holds the key and the cards, and is dropped when it is made."""

    __slots__ = ("_attributes", "_bases", "_nonces", "_read", "_x", "commitments")

    def __init__(self, x: int, read: Reader, nonces: Nonces) -> None:
        self._x = x
        self._read = read
        self._nonces = nonces
        self._bases: dict[tuple[Mask, Mask | None], Point] = {}
        self._attributes: dict[Mask, Attributes] = {}
        self.commitments: list[bytes] = []

    def holds(self, formula: Formula) -> bool:
        """Whether the formula is true of the cards."""
        if isinstance(formula, Rep):
            facts = zip(self._facts(formula), pattern(formula), strict=True)
            return all(wanted is None or fact == wanted for fact, wanted in facts)
        if isinstance(formula, And):
            return all(self.holds(child) for child in formula.children)
        return any(self.holds(child) for child in formula.children)

    def commit(self, formula: Formula, preset: int | None) -> _Plan:
        """Commits to a subformula; `preset` is its challenge where it is only simulated."""
        if isinstance(formula, Rep):
            return self._commit_atom(formula, preset)
        if isinstance(formula, And):
            return _Conjunction(tuple(self.commit(child, preset) for child in formula.children))
        challenges = self._choose_challenges(formula, preset)
        pairs = zip(formula.children, challenges, strict=True)
        return _Choice(tuple(self.commit(child, c) for child, c in pairs), challenges)

    def respond(self, plan: _Plan, c: int) -> Iterator[int]:
        """The scalars of a committed subformula for its challenge, in the order of the proof."""
        if isinstance(plan, _Atom):
            for nonce, witness in zip(plan.nonces, plan.witness, strict=True):
                yield (nonce + c * witness) % L
            return
        if isinstance(plan, _Conjunction):
            challenges = [c] * len(plan.children)
        else:
            rest = (c - sum(known for known in plan.challenges if known is not None)) % L
            challenges = [rest if known is None else known for known in plan.challenges]
            yield from challenges[:-1]
        for child, challenge in zip(plan.children, challenges, strict=True):
            yield from self.respond(child, challenge)

    def _choose_challenges(self, formula: Or, preset: int | None) -> tuple[int | None, ...]:
        count = len(formula.children)
        if preset is not None:
            return tuple(split_challenge(preset, self._nonces.scalars(count - 1)))
        proven = next(i for i, child in enumerate(formula.children) if self.holds(child))
        return tuple(None if i == proven else self._nonces.scalar() for i in range(count))

    def _commit_atom(self, atom: Rep, preset: int | None) -> _Atom:
        facts, wanted = self._facts(atom), pattern(atom)
        free = [i for i in _INDICES if wanted[i] is None]
        w = self._nonces.scalar()
        masks = self._nonces.scalars(len(free))
        terms = [_group.mul(self._base(atom), w)]
        for i, v in zip(free, masks, strict=True):
            terms += attribute_terms(i + 1, v)
        if preset is not None:
            for i, (fact, want) in enumerate(zip(facts, wanted, strict=True)):
                if want is not None and want != fact:
                    terms += attribute_terms(i + 1, preset * (want - fact))
        self.commitments += (_group.encode(_group.base(w)), _group.encode(_group.sum(terms)))
        return _Atom((w, *masks), (self._x, *(facts[i] for i in free)))

    def _base(self, atom: Rep) -> Point:
        """A, or the difference of the two A."""
        pair = (atom.mask, atom.minus)
        if pair not in self._bases:
            a, _ = decode_mask(atom.mask)
            if atom.minus is not None:
                a = _group.sum([a, _group.negate(decode_mask(atom.minus)[0])])
            self._bases[pair] = a
        return self._bases[pair]

    def _facts(self, atom: Rep) -> Attributes:
        """All four attributes of the card, or their differences."""
        facts = self._card(atom.mask)
        if atom.minus is None:
            return facts
        return tuple(a - b for a, b in zip(facts, self._card(atom.minus), strict=True))

    def _card(self, mask: Mask) -> Attributes:
        if mask not in self._attributes:
            read = self._read(mask)
            if read is None:
                raise WrongWitness(detail="a mask that hides no card of the pack")
            self._attributes[mask] = read + (0,) * (MAX_ATTRIBUTES - len(read))
        return self._attributes[mask]


def prove(ctx: Context, x: int, public: bytes, formula: Formula, read: Reader, rng: Rng) -> bytes:
    """A proof of `proof_size` bytes; WrongWitness if the formula is false of the cards.

    `read` gives the attributes of the cards under `public` = xG. BadFormula, BadPoint if the
    statement cannot be made.
    """
    folded = fold(formula)
    if folded is True:
        return b""
    if folded is False:
        raise WrongWitness(detail="the formula is false whatever the cards")
    transcript = _start(ctx, public, folded)
    prover = _Prover(x, read, transcript.fork_rng(encode_scalar(x), rng))
    if not prover.holds(folded):
        raise WrongWitness(detail="the formula is false of the cards")
    plan = prover.commit(folded, None)
    transcript.put("commitments", b"".join(prover.commitments))
    c = transcript.scalar("c")
    return b"".join(map(encode_scalar, (c, *prover.respond(plan, c))))


# --- the verifier ---------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _minus_fixed(wanted: tuple[int | None, ...]) -> Point | None:
    """-K for a pattern; None where K = 0."""
    return combination(tuple(-(want or 0) for want in wanted))


class _Verifier:
    """One check: the scalars still to be read, and the commitments that they give."""

    __slots__ = ("_key", "_points", "_scalars", "commitments")

    def __init__(self, key: Point, scalars: Iterator[int]) -> None:
        self._key = key
        self._scalars = scalars
        self._points: dict[tuple[Mask, Mask | None], tuple[Point, Point]] = {}
        self.commitments: list[bytes] = []

    def recompute(self, formula: Formula, c: int) -> None:
        """Adds the commitments of a subformula whose challenge is c."""
        if isinstance(formula, Rep):
            self._recompute_atom(formula, L - c)
            return
        challenges = [c] * len(formula.children)
        if isinstance(formula, Or):
            challenges = split_challenge(c, [next(self._scalars) for _ in challenges[1:]])
        for child, challenge in zip(formula.children, challenges, strict=True):
            self.recompute(child, challenge)

    def _recompute_atom(self, atom: Rep, minus_c: int) -> None:
        a, b = self._mask(atom)
        wanted = pattern(atom)
        z = next(self._scalars)
        minus_k = _minus_fixed(wanted)
        image = b if minus_k is None else commitment([b, minus_k])
        terms = [_group.mul(a, z), _group.mul(image, minus_c)]
        for i in _INDICES:
            if wanted[i] is None:
                terms += attribute_terms(i + 1, next(self._scalars))
        t1 = commitment([_group.base(z), _group.mul(self._key, minus_c)])
        self.commitments += (_group.encode(t1), _group.encode(commitment(terms)))

    def _mask(self, atom: Rep) -> tuple[Point, Point]:
        """A and B, or their differences."""
        pair = (atom.mask, atom.minus)
        if pair not in self._points:
            a, b = decode_mask(atom.mask)
            if atom.minus is not None:
                other_a, other_b = decode_mask(atom.minus)
                a = commitment([a, _group.negate(other_a)])
                b = commitment([b, _group.negate(other_b)])
            self._points[pair] = (a, b)
        return self._points[pair]


def check(ctx: Context, public: bytes, formula: Formula, proof: bytes) -> None:
    """Raises BadProof unless `proof` shows the formula of cards held under `public`.

    BadPoint and BadScalar for bytes that are none, BadFormula if the statement cannot be made;
    lengths and scalars are looked at before any work on the curve.
    """
    folded = fold(formula)
    check_length(proof, proof_size(folded), "a proof of a claim")
    if folded is True:
        return
    if folded is False:
        raise BadProof(detail="the claim is false whatever the cards")
    scalars = [decode_scalar(proof[i : i + SCALAR_SIZE]) for i in range(0, len(proof), SCALAR_SIZE)]
    verifier = _Verifier(_group.decode(public), iter(scalars[1:]))
    verifier.recompute(folded, scalars[0])
    transcript = _start(ctx, public, folded)
    transcript.put("commitments", b"".join(verifier.commitments))
    if transcript.scalar("c") != scalars[0]:
        raise BadProof(detail="claim about held cards")
