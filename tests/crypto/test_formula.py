"""Formulas: their canonical bytes and sizes, and the proofs of the claims that games make."""

from collections.abc import Callable

import pytest

from p2pcards.crypto import composition
from p2pcards.crypto.bases import attribute_terms, combination
from p2pcards.crypto.elgamal import Attributes
from p2pcards.crypto.formula import (
    MAX_CHILDREN,
    MAX_DEPTH,
    And,
    Formula,
    Or,
    Rep,
    fold,
    pattern,
    proof_size,
    statement,
)
from p2pcards.crypto.group import SECP256K1, L, P, Secp256k1, encode_scalar
from p2pcards.crypto.transcript import Context, Transcript
from p2pcards.errors import BadFormula, BadPoint, BadProof, BadScalar, WrongWitness
from tests.crypto.hands import (
    BAD_SCALARS,
    CONTEXT,
    OTHER_CONTEXTS,
    Seat,
    at_least,
    flip,
    not_of_suit,
    other_forms,
    seeded,
    two_best,
)

ALICE = Seat("alice")
HAND: list[Attributes] = [(1, 14), (2, 9), (2, 9), (3, 4), (4, 16), (1, 3)]
MASKS = ALICE.hand(HAND)
FOOL, PLAIN, MATADOR = ALICE.hand([(1, 13, 1), (2, 9, 1), (2, 20, 2)])

TRUE, FALSE = And(()), Or(())
ATOM = Rep(b"m" * 66, None, (2, None))
OTHER = Rep(b"m" * 66, b"n" * 66, (None, 0, 254))


def prove(formula: Formula, ctx: Context = CONTEXT, seat: Seat = ALICE, seed: int = 0) -> bytes:
    read = seat.cards.get
    return composition.prove(ctx, seat.x, seat.public, formula, read, seeded(seed))


def check(formula: Formula, proof: bytes, ctx: Context = CONTEXT, seat: Seat = ALICE) -> None:
    composition.check(ctx, seat.public, formula, proof)


def nested(depth: int, make: Callable[[tuple[Formula, ...]], Formula] = Or) -> Formula:
    formula: Formula = Rep(MASKS[0], None, (1, None))
    for _ in range(depth):
        formula = make((formula,))
    return formula


# --- the language --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "formula, folded",
    [
        (TRUE, True),
        (FALSE, False),
        (ATOM, ATOM),
        (And((TRUE, TRUE)), True),
        (Or((FALSE, FALSE)), False),
        (And((ATOM, FALSE)), False),
        (Or((ATOM, TRUE)), True),
        (And((ATOM, TRUE)), And((ATOM,))),
        (Or((FALSE, ATOM, FALSE)), Or((ATOM,))),
        (And((Or((ATOM, FALSE)), OTHER, And((TRUE,)))), And((Or((ATOM,)), OTHER))),
        (Or((And((Or((And(()),)), FALSE)), And((ATOM, OTHER)))), Or((And((ATOM, OTHER)),))),
    ],
)
def test_constants_are_folded_away(formula: Formula, folded: Formula | bool) -> None:
    assert fold(formula) == folded


def test_canonical_bytes() -> None:
    m, n = b"m" * 66, b"n" * 66
    assert statement(ATOM) == b"\3" + m + bytes([2, 255, 0, 0])
    assert statement(OTHER) == b"\4" + m + n + bytes([255, 0, 254, 0])
    assert statement(Or((ATOM, And((OTHER,))))) == b"".join(
        [b"\2\0\2", statement(ATOM), b"\1\0\1", statement(OTHER)]
    )
    assert pattern(Rep(m, None, (None,))) == (None, 0, 0, 0)


def test_sizes_follow_from_the_shape() -> None:
    assert proof_size(True) == proof_size(False) == 0
    assert proof_size(ATOM) == 32 * 3
    assert proof_size(Rep(b"m" * 66, None, (3, 2))) == 32 * 2
    assert proof_size(Or((ATOM, ATOM, ATOM))) == 32 * (1 + 2 + 6)
    assert proof_size(And((ATOM, ATOM, ATOM))) == 32 * (1 + 6)
    cannot_follow = And(tuple(not_of_suit(mask, 2) for mask in [b"m" * 66] * 12))
    assert proof_size(cannot_follow) <= 3500
    president = two_best(b"m" * 66, b"n" * 66, [bytes([i]) * 66 for i in range(25)])
    assert proof_size(president) <= 35_000


def test_limits() -> None:
    assert fold(nested(MAX_DEPTH)) == nested(MAX_DEPTH)
    for make in (And, Or):
        with pytest.raises(BadFormula, match="deep"):
            fold(nested(MAX_DEPTH + 1, make))
        with pytest.raises(BadFormula, match="deep"):
            fold(nested(5000, make))
        with pytest.raises(BadFormula, match="children"):
            fold(make((ATOM,) * (MAX_CHILDREN + 1)))
    for fixed in ((-1,), (255,), (1, None, 1000), (), (0,) * 5):
        with pytest.raises(BadFormula):
            fold(And((Rep(b"m" * 66, None, fixed),)))
    with pytest.raises(BadFormula, match="itself"):
        fold(Rep(b"m" * 66, b"m" * 66, (None, 0)))
    for mask, minus in ((b"m" * 65, None), (b"", None), (b"m" * 66, b"n" * 67), (b"m" * 66, b"")):
        with pytest.raises(BadPoint):
            fold(Rep(mask, minus, (None, 0)))


def test_a_limit_is_a_limit_for_both_sides() -> None:
    deep = nested(MAX_DEPTH + 1)
    with pytest.raises(BadFormula):
        prove(deep)
    with pytest.raises(BadFormula):
        check(deep, bytes(96))


@pytest.mark.parametrize("k", [1, 2, -1, -3, 127, 128, 129, 255, 256, L - 1, L // 2, 2**255, L + 5])
def test_tables_multiply(k: int) -> None:
    for i in (1, 2, 3, 4):
        product = SECP256K1.sum(attribute_terms(i, k))
        assert SECP256K1.encode(product) == SECP256K1.encode(SECP256K1.mul(P(i), k % L))


def test_tables_at_zero() -> None:
    assert attribute_terms(1, 0) == attribute_terms(2, L) == attribute_terms(3, -L) == []
    assert combination((0, 0, 0, 0)) is None


# --- the claims of the games ---------------------------------------------------------------------


CLAIMS = [
    pytest.param(not_of_suit(MASKS[0], 2), id="not of the led suit"),
    pytest.param(Rep(PLAIN, None, (None, None, 1)), id="ordinary"),
    pytest.param(at_least(MASKS[4], MASKS[0]), id="at least"),
    pytest.param(at_least(MASKS[1], MASKS[2]), id="at least, by nothing"),
    pytest.param(Rep(MASKS[1], MASKS[2], (0, 0)), id="the same face"),
    pytest.param(Rep(MASKS[1], MASKS[2], (None, 0)), id="of one rank"),
    pytest.param(Or(tuple(Rep(MASKS[3], None, (3, r)) for r in range(2, 15))), id="one of a list"),
    pytest.param(
        two_best(MASKS[4], MASKS[0], [MASKS[1], MASKS[2], MASKS[3], MASKS[5]]), id="two best"
    ),
    pytest.param(And(tuple(not_of_suit(m, 3) for m in MASKS[:3])), id="cannot follow"),
    pytest.param(
        And((Or((Rep(MASKS[5], None, (None, 3)), at_least(MASKS[5], MASKS[0]))),)),
        id="low or not above",
    ),
    pytest.param(Rep(MASKS[0], None, (None, None)), id="a card at all"),
]
LIES = [
    pytest.param(not_of_suit(MASKS[0], 1), id="of the led suit"),
    pytest.param(Rep(MATADOR, None, (None, None, 1)), id="a matador"),
    pytest.param(Rep(FOOL, None, (2, None, None)), id="the fool"),
    pytest.param(at_least(MASKS[0], MASKS[4]), id="below"),
    pytest.param(Rep(MASKS[0], MASKS[5], (None, 0)), id="of two ranks"),
    pytest.param(
        Or(tuple(Rep(MASKS[0], None, (3, r)) for r in range(2, 15))), id="not on the list"
    ),
    pytest.param(two_best(MASKS[0], MASKS[4], [MASKS[1]]), id="in the wrong order"),
    pytest.param(two_best(MASKS[0], MASKS[1], [MASKS[4]]), id="not the two best"),
    pytest.param(And(tuple(not_of_suit(m, 3) for m in MASKS)), id="one card could follow"),
    pytest.param(Or((Rep(MASKS[0], None, (2, None)), And((ATOM, FALSE)))), id="false or false"),
]


@pytest.mark.parametrize("formula", CLAIMS)
def test_what_is_true_is_proven(formula: Formula) -> None:
    proof = prove(formula)
    assert len(proof) == proof_size(fold(formula))
    check(formula, proof)


@pytest.mark.parametrize("formula", LIES)
def test_what_is_false_is_not_even_tried(formula: Formula) -> None:
    with pytest.raises(WrongWitness):
        prove(formula)


def test_constants_have_no_proof() -> None:
    assert prove(TRUE) == prove(Or((ATOM, TRUE))) == b""
    check(TRUE, b"")
    for lie in (FALSE, And((ATOM, FALSE))):
        with pytest.raises(WrongWitness):
            prove(lie)
        with pytest.raises(BadProof):
            check(lie, b"")
    with pytest.raises(BadProof):
        check(TRUE, b"\0")


def test_a_false_child_is_no_free_challenge() -> None:
    """An Or with an empty Or inside could be split with any challenge for it."""
    guilty, alibi = Rep(MASKS[0], None, (2, None)), Or((Rep(MASKS[0], None, (1, None)), FALSE))
    assert len(prove(alibi)) == 32 * 3
    with pytest.raises(WrongWitness):
        prove(Or((guilty, FALSE)))
    with pytest.raises(BadProof):
        check(Or((guilty, FALSE)), bytes(32 * 4))


def test_a_mask_that_hides_no_card() -> None:
    with pytest.raises(WrongWitness):
        prove(Rep(ATOM.mask, None, (None, None)))


# [CLAIM-1] of protocol.md
@pytest.mark.parametrize("formula", CLAIMS)
def test_every_byte_counts(formula: Formula) -> None:
    proof = prove(formula)
    step = max(1, len(proof) // 40)
    for byte in range(0, len(proof), step):
        with pytest.raises((BadProof, BadScalar)):
            check(formula, flip(proof, 8 * byte + byte % 8))


@pytest.mark.parametrize("formula", CLAIMS)
def test_scalars_are_canonical(formula: Formula) -> None:
    proof = prove(formula)
    for start in range(0, len(proof), max(32, len(proof) // 320 * 32)):
        for bad in BAD_SCALARS:
            with pytest.raises(BadScalar):
                check(formula, proof[:start] + bad + proof[start + 32 :])


def test_no_second_form_of_a_response(monkeypatch: pytest.MonkeyPatch) -> None:
    """s + L, where s is small: only with a challenge that is no hash, here always 3."""
    monkeypatch.setattr(Transcript, "scalar", lambda *_: 3)
    formula = Rep(PLAIN, None, (None, None, 1))
    honest = [3, 5, 6, 7]
    check(formula, b"".join(map(encode_scalar, honest)))
    for i in range(4):
        second = [k + L if i == j else k for j, k in enumerate(honest)]
        with pytest.raises(BadScalar):
            check(formula, b"".join(k.to_bytes(32, "big") for k in second))


def test_a_last_challenge_of_zero_is_refused() -> None:
    formula = not_of_suit(MASKS[0], 2)
    one, two = encode_scalar(1), encode_scalar(2)
    with pytest.raises(BadScalar):
        check(formula, encode_scalar(3) + one + two + one * 6)


def test_lengths_and_scalars_come_before_the_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = two_best(MASKS[4], MASKS[0], MASKS[1:4])
    proof = prove(formula)

    def no_work(*_: object) -> None:
        raise AssertionError("work on the curve")

    for name in ("decode", "base", "mul", "sum"):
        monkeypatch.setattr(Secp256k1, name, no_work)
    for wrong in (b"", proof[:-1], proof + b"\1", proof[:-32], proof * 2, proof[:32]):
        with pytest.raises(BadProof):
            check(formula, wrong)
    with pytest.raises(BadScalar):
        check(formula, proof[:-32] + bytes(32))


def test_only_canonical_points() -> None:
    formula = Rep(PLAIN, None, (None, None, 1))
    proof = prove(formula)
    for bad in other_forms(ALICE.public):
        with pytest.raises(BadPoint):
            composition.check(CONTEXT, bad, formula, proof)
    for bad in other_forms(PLAIN[:33]):
        for mask in (bad + PLAIN[33:], PLAIN[:33] + bad):
            with pytest.raises(BadPoint):
                check(Rep(mask, None, (None, None, 1)), proof)


def test_a_difference_at_infinity_is_refused() -> None:
    """Two masks with one A: the shuffle's rule against repeated A keeps them out of a hand."""
    twin = MASKS[0][:33] + MASKS[1][33:]
    formula = Rep(MASKS[0], twin, (None, 0))
    with pytest.raises(BadProof):
        check(formula, prove(Rep(MASKS[1], MASKS[2], (None, 0))))


# [CTX-1] of protocol.md
@pytest.mark.parametrize("ctx", OTHER_CONTEXTS)
@pytest.mark.parametrize("formula", CLAIMS[:3])
def test_no_proof_is_worth_anything_elsewhere(ctx: Context, formula: Formula) -> None:
    with pytest.raises(BadProof):
        check(formula, prove(formula), ctx)


def test_no_proof_is_worth_anything_for_another_seat() -> None:
    formula = not_of_suit(MASKS[0], 2)
    with pytest.raises(BadProof):
        check(formula, prove(formula), seat=Seat("bob"))


# [CTX-3] of protocol.md
def test_nonces_follow_the_statement_even_if_randomness_repeats() -> None:
    """Two responses under one nonce would give the key away."""
    one, other = Rep(MASKS[1], None, (2, None)), Rep(MASKS[2], None, (2, None))
    proofs = [
        composition.prove(CONTEXT, ALICE.x, ALICE.public, formula, ALICE.cards.get, bytes)
        for formula in (one, other)
    ]
    (c, z, _), (d, y, _) = [
        [int.from_bytes(proof[i : i + 32], "big") for i in (0, 32, 64)] for proof in proofs
    ]
    assert c != d
    assert (z - y) * pow(c - d, -1, L) % L != ALICE.x


def test_fresh_randomness_gives_a_fresh_proof() -> None:
    formula = not_of_suit(MASKS[0], 2)
    proofs = {prove(formula, seed=seed) for seed in range(4)}
    assert len(proofs) == 4
    assert prove(formula, seed=1) == prove(formula, seed=1)


# --- the price -----------------------------------------------------------------------------------


CARD, OF_RANK = Rep(PLAIN, None, (None, None, 1)), Rep(MASKS[1], MASKS[2], (None, 0))


@pytest.mark.parametrize(
    "formula, made, checked",
    [
        (CARD, (1, 1), (1, 3)),
        (OF_RANK, (1, 1), (1, 3)),
        (not_of_suit(MASKS[0], 2), (3, 3), (3, 9)),
        (at_least(MASKS[4], MASKS[0]), (14, 14), (14, 42)),
    ],
)
def test_multiplications(
    formula: Formula,
    made: tuple[int, int],
    checked: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the base, and of other points; products of the attribute bases come from tables."""
    prove(formula)
    counts = {"base": 0, "mul": 0}
    for name in counts:
        honest = getattr(Secp256k1, name)

        def count(
            *arguments: object, name: str = name, honest: Callable[..., object] = honest
        ) -> object:
            counts[name] += 1
            return honest(*arguments)

        monkeypatch.setattr(Secp256k1, name, count)
    proof = prove(formula)
    assert (counts["base"], counts["mul"]) == made
    counts.update(base=0, mul=0)
    check(formula, proof)
    assert (counts["base"], counts["mul"]) == checked
