"""Cheats with claims: honest code on false cards, and forgeries for verifiers with a hole.

Each mutant is our verifier with one thing missing. Each forgery is written for that hole: the
mutant accepts it, so a verifier that had the hole would fail here, and ours refuses it.
"""

from collections.abc import Callable

import pytest

from p2pcards.crypto import composition
from p2pcards.crypto.elgamal import Attributes, Mask
from p2pcards.crypto.formula import And, Formula, Or, Rep, fold, proof_size, statement
from p2pcards.crypto.group import SECP256K1, L, P, Point, encode_scalar
from p2pcards.crypto.transcript import Context, Transcript
from p2pcards.errors import BadProof, CryptoError
from tests.crypto.hands import (
    CONTEXT,
    OTHER_CONTEXTS,
    Seat,
    at_least,
    leave_out,
    not_of_suit,
    seeded,
    two_best,
)

decode, encode, base, mul = SECP256K1.decode, SECP256K1.encode, SECP256K1.base, SECP256K1.mul

ALICE = Seat("alice")
LED = 2
GUILTY, INNOCENT, ACE = ALICE.hand([(LED, 7), (3, 11), (1, 14)])
MATADOR = ALICE.hold((2, 20, 2))
LIE = not_of_suit(GUILTY, LED)
"""False: the card is of the led suit."""
ONE_LIE = Rep(GUILTY, None, (3, None))
"""False, and a single atom: the card's suit is another."""


def total(*points: Point) -> Point:
    return SECP256K1.sum(points)


def minus(point: Point) -> Point:
    return SECP256K1.negate(point)


def over(point: Point, c: int) -> Point:
    """The point divided by c."""
    return mul(point, pow(c, -1, L))


def scalars(*values: int) -> bytes:
    return b"".join(encode_scalar(value % L) for value in values)


def prove(formula: Formula, read: composition.Reader = ALICE.cards.get) -> bytes:
    return composition.prove(CONTEXT, ALICE.x, ALICE.public, formula, read, seeded(0))


def check(formula: Formula, proof: bytes, ctx: Context = CONTEXT) -> None:
    composition.check(ctx, ALICE.public, formula, proof)


def started(formula: Formula) -> tuple[Transcript, composition._Prover]:
    """The honest prover with its statement absorbed and nothing committed."""
    transcript = composition._start(CONTEXT, ALICE.public, formula)
    nonces = transcript.fork_rng(ALICE.secret, seeded(1))
    return transcript, composition._Prover(ALICE.x, ALICE.cards.get, nonces)


def simulated(formula: Formula, c: int) -> tuple[Transcript, bytes]:
    """A proof of anything for a challenge chosen beforehand, and the transcript after it."""
    transcript, prover = started(formula)
    plan = prover.commit(formula, c)
    transcript.put("commitments", b"".join(prover.commitments))
    return transcript, scalars(c, *prover.respond(plan, c))


def challenge(formula: Formula, commitments: bytes) -> int:
    transcript = composition._start(CONTEXT, ALICE.public, formula)
    transcript.put("commitments", commitments)
    return transcript.scalar("c")


# --- without a hole: honest code, run where it must not convince ---------------------------------


@pytest.mark.parametrize(
    "formula, mask, face",
    [
        (LIE, GUILTY, (3, 7)),
        (LIE, GUILTY, (4, 13)),
        (ONE_LIE, GUILTY, (3, 7)),
        (Rep(MATADOR, None, (None, None, 1)), MATADOR, (2, 20, 1)),
        (at_least(GUILTY, ACE), ACE, (1, 3)),
        (Rep(GUILTY, ACE, (None, 0)), ACE, (1, 7)),
        (And((LIE, not_of_suit(ACE, LED))), GUILTY, (1, 7)),
        (Rep(GUILTY, None, (1, 14)), GUILTY, (1, 14)),
    ],
)
def test_honest_prover_with_a_wrong_witness(formula: Formula, mask: Mask, face: Attributes) -> None:
    cards = {**ALICE.cards, mask: face}
    proof = prove(formula, cards.get)
    assert len(proof) == proof_size(fold(formula))
    with pytest.raises(BadProof):
        check(formula, proof)


@pytest.mark.parametrize("formula", [LIE, ONE_LIE, And((LIE, ONE_LIE)), Or((ONE_LIE,))])
def test_all_branches_simulated(formula: Formula) -> None:
    """Every equation holds but the one that makes the challenge a hash."""
    _, proof = simulated(formula, 12345)
    with pytest.raises(BadProof):
        check(formula, proof)


# [CLAIM-1] of protocol.md
def test_challenges_that_do_not_sum_to_the_hash() -> None:
    """Simulated branches, and then the true hash put in front: the last branch breaks."""
    transcript, proof = simulated(LIE, 12345)
    with pytest.raises(BadProof):
        check(LIE, scalars(transcript.scalar("c")) + proof[32:])


def test_a_branch_left_out() -> None:
    """Two branches instead of three, and three with one of them twice."""
    assert isinstance(LIE, Or)
    honest = not_of_suit(INNOCENT, LED)
    assert isinstance(honest, Or)
    fewer = Or(honest.children[:2])
    with pytest.raises(BadProof):
        check(honest, prove(fewer))
    twice = Or((honest.children[1], honest.children[1], honest.children[2]))
    with pytest.raises(BadProof):
        check(honest, prove(twice))


# [CLAIM-4] of protocol.md
def test_proof_about_fewer_cards() -> None:
    """The one guilty card is left out; the verifier asks about all that are held."""
    held = And(tuple(not_of_suit(mask, LED) for mask in (INNOCENT, ACE, GUILTY)))
    shown = And(tuple(not_of_suit(mask, LED) for mask in (INNOCENT, ACE)))
    with pytest.raises(BadProof):
        check(held, prove(shown))


# [CLAIM-2] of protocol.md
def test_another_card_s_proof() -> None:
    for other in (INNOCENT, ACE):
        with pytest.raises(BadProof):
            check(LIE, prove(not_of_suit(other, LED)))


# [CLAIM-2] of protocol.md
def test_a_claim_about_another_value() -> None:
    proof = prove(Rep(GUILTY, None, (LED, None)))
    for wrong in ((3, None), (None, 7), (None, LED)):
        with pytest.raises(BadProof):
            check(Rep(GUILTY, None, wrong), proof)
    with pytest.raises(BadProof):
        check(Rep(INNOCENT, GUILTY, (LED, None)), proof)


def test_a_comparison_turned_round() -> None:
    proof = prove(at_least(ACE, GUILTY))
    with pytest.raises(BadProof):
        check(at_least(GUILTY, ACE), proof)
    best = prove(two_best(ACE, INNOCENT, [GUILTY]))
    with pytest.raises(BadProof):
        check(two_best(INNOCENT, ACE, [GUILTY]), best)


def test_a_malleated_mask() -> None:
    """(A + dG, B + dX) is the same card and another statement; (A, B + P2) is another card."""
    a, b = decode(INNOCENT[:33]), decode(INNOCENT[33:])
    same = encode(total(a, base(9))) + encode(total(b, mul(decode(ALICE.public), 9)))
    other = INNOCENT[:33] + encode(total(b, P(2)))
    proof = prove(not_of_suit(INNOCENT, LED))
    for mask in (same, other):
        with pytest.raises(BadProof):
            check(not_of_suit(mask, LED), proof)


def test_and_is_not_or() -> None:
    """Proofs of one size under another connective: the statement holds its shape."""
    true, false = Rep(INNOCENT, None, (3, None)), ONE_LIE
    for claimed in (And((Or((true, true)), false)), Or((And((true, false)), true))):
        for proven in (And((Or((true, false)), true)), Or((And((true, true)), false))):
            with pytest.raises(BadProof):
                check(claimed, prove(proven))


@pytest.mark.parametrize("other", OTHER_CONTEXTS)
def test_replay(other: Context) -> None:
    """A proof of an earlier trick, hand, table or seat."""
    formula = not_of_suit(INNOCENT, LED)
    with pytest.raises(BadProof):
        check(formula, prove(formula), other)


# --- verifiers with a hole -----------------------------------------------------------------------


def only_the_mutant_accepts(
    monkeypatch: pytest.MonkeyPatch,
    forged: Callable[[], None],
    refusal: type[CryptoError] = BadProof,
) -> None:
    """Called with the mutant in force."""
    forged()
    monkeypatch.undo()
    with pytest.raises(refusal):
        forged()


@pytest.mark.parametrize("formula", [LIE, ONE_LIE, And((LIE, ONE_LIE))])
def test_without_commitments(monkeypatch: pytest.MonkeyPatch, formula: Formula) -> None:
    """The challenge is known beforehand, and everything can be simulated."""
    leave_out(monkeypatch, "commitments")
    _, proof = simulated(formula, challenge(formula, b""))
    only_the_mutant_accepts(monkeypatch, lambda: check(formula, proof))


def test_without_second_commitments(monkeypatch: pytest.MonkeyPatch) -> None:
    """T1 proves that Alice knows her key, and nothing ties it to the card."""
    leave_out(monkeypatch, "commitments", lambda data: data[:33])
    w = 5
    c = challenge(ONE_LIE, encode(base(w)))
    proof = scalars(c, w + c * ALICE.x, 99)
    only_the_mutant_accepts(monkeypatch, lambda: check(ONE_LIE, proof))


def test_without_first_commitments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any x will do, so that a card may be called whatever B - K = x'A makes of it.

    Needs an A whose logarithm is known relative to the lie: here A = 8 (B - K - 3 P2) is a mask of
    the forger's own.
    """
    leave_out(monkeypatch, "commitments", lambda data: data[33:])
    b = decode(GUILTY[33:])
    image = total(b, minus(mul(P(1), 3)))
    mask = encode(mul(total(image, minus(mul(P(2), 3))), 8)) + GUILTY[33:]
    formula = Rep(mask, None, (3, None))
    x, w, v = pow(8, -1, L), 6, 7
    t2 = total(mul(decode(mask[:33]), w), mul(P(2), v))
    # T1 is what the verifier will recompute; the mutant does not hash it.
    c = challenge(formula, bytes(33) + encode(t2))
    proof = scalars(c, w + c * x, v + c * 3)
    only_the_mutant_accepts(monkeypatch, lambda: check(formula, proof))


def test_without_the_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    """B is made after the challenge: T2 holds a point Q, and the plaintext becomes K - Q / c."""
    leave_out(monkeypatch, "statement")
    a, w, v = decode(GUILTY[:33]), 5, 6
    t2 = total(mul(a, w), mul(P(2), v), mul(P(1), 1000))
    c = challenge(ONE_LIE, encode(base(w)) + encode(t2))
    zx, z = (w + c * ALICE.x) % L, (v + c * 7) % L
    fixed = mul(P(1), 3)
    b = total(fixed, over(total(mul(a, zx), mul(P(2), z), minus(t2)), c))
    forged = Rep(GUILTY[:33] + encode(b), None, (3, None))
    proof = scalars(c, zx, z)
    only_the_mutant_accepts(monkeypatch, lambda: check(forged, proof))


@pytest.mark.parametrize("half", [0, 1])
def test_without_half_of_the_mask(monkeypatch: pytest.MonkeyPatch, half: int) -> None:
    """The same with the structure in the hash, and one of A and B missing."""

    def without_half(data: bytes) -> bytes:
        return data[:1] + data[34:] if half == 0 else data[:34] + data[67:]

    leave_out(monkeypatch, "statement", without_half)
    a, b, w, v = decode(GUILTY[:33]), decode(GUILTY[33:]), 5, 6
    t2 = total(mul(a, w), mul(P(2), v), mul(P(1), 1000))
    c = challenge(ONE_LIE, encode(base(w)) + encode(t2))
    zx, z = (w + c * ALICE.x) % L, (v + c * 7) % L
    fixed = mul(P(1), 3)
    if half == 0:
        image = total(b, minus(fixed))
        a = over(total(t2, mul(image, c), minus(mul(P(2), z))), zx)
    else:
        b = total(fixed, over(total(mul(a, zx), mul(P(2), z), minus(t2)), c))
    forged = Rep(encode(a) + encode(b), None, (3, None))
    proof = scalars(c, zx, z)
    only_the_mutant_accepts(monkeypatch, lambda: check(forged, proof))


def test_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mask opens as claimed with some d; the key is made afterwards, with another secret."""
    leave_out(monkeypatch, "key")
    d, t, u, v = 21, 22, 23, 24
    a = decode(GUILTY[:33])
    mask = GUILTY[:33] + encode(total(mul(a, d), mul(P(1), 3), mul(P(2), 7)))
    formula = Rep(mask, None, (3, None))
    t2 = total(mul(a, t), mul(P(2), v))
    c = challenge(formula, encode(base(u)) + encode(t2))
    zx = (t + c * d) % L
    public = encode(over(total(base(zx), minus(base(u))), c))
    assert public != encode(base(d))
    proof = scalars(c, zx, v + c * 7)
    only_the_mutant_accepts(monkeypatch, lambda: composition.check(CONTEXT, public, formula, proof))


@pytest.mark.parametrize("other", OTHER_CONTEXTS)
def test_without_the_context(monkeypatch: pytest.MonkeyPatch, other: Context) -> None:
    leave_out(monkeypatch, "ctx")
    formula = not_of_suit(INNOCENT, LED)
    proof = prove(formula)
    only_the_mutant_accepts(monkeypatch, lambda: check(formula, proof, other))


def test_without_the_sum_of_challenges(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last branch's challenge does not depend on the hash: all branches are simulated."""

    def unchecked(_whole: int, first: list[int]) -> list[int]:
        return [*first, 12345]

    monkeypatch.setattr(composition, "split_challenge", unchecked)
    transcript, prover = started(LIE)
    plan = prover.commit(LIE, 1)
    transcript.put("commitments", b"".join(prover.commitments))
    c = transcript.scalar("c")
    proof = scalars(c, *prover.respond(plan, c))
    only_the_mutant_accepts(monkeypatch, lambda: check(LIE, proof))


def test_without_folding(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty Or left in its place takes any challenge, and the rest of the Or is simulated."""
    lie = Or((ONE_LIE, Or(())))
    monkeypatch.setattr(composition, "fold", lambda formula: formula)
    monkeypatch.setattr(composition, "proof_size", lambda _: 32 * 4)
    transcript, prover = started(lie)
    preset = 777
    plan = prover.commit(ONE_LIE, preset)
    transcript.put("commitments", b"".join(prover.commitments))
    c = transcript.scalar("c")
    proof = scalars(c, preset, *prover.respond(plan, preset))
    monkeypatch.setattr(composition._Verifier, "recompute", _recompute_without_empty)
    only_the_mutant_accepts(monkeypatch, lambda: check(lie, proof))


_recompute = composition._Verifier.recompute


def _recompute_without_empty(self: composition._Verifier, formula: Formula, c: int) -> None:
    """As ours, but an empty Or, for which ours has no case, passes."""
    if formula != Or(()):
        _recompute(self, formula, c)


def test_without_the_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    """The challenge in the proof is believed: the negative control of all that is above."""
    _, proof = simulated(LIE, 12345)
    monkeypatch.setattr(Transcript, "scalar", lambda *_: 12345)
    only_the_mutant_accepts(monkeypatch, lambda: check(LIE, proof))


def test_the_statement_tells_formulas_apart() -> None:
    """No two formulas of different meaning have one statement."""
    atoms: list[Formula] = [
        Rep(GUILTY, None, (3, None)),
        Rep(GUILTY, None, (None, 3)),
        Rep(GUILTY, None, (3, 0)),
        Rep(ACE, None, (3, None)),
        Rep(GUILTY, ACE, (3, None)),
        Rep(ACE, GUILTY, (3, None)),
    ]
    formulas = atoms + [node((a, b)) for node in (And, Or) for a in atoms for b in atoms]
    formulas += [And((Or((a,)),)) for a in atoms] + [Or((And((a,)),)) for a in atoms]
    assert len({statement(formula) for formula in formulas}) == len(formulas)
