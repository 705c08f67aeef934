"""What is special about the open kernel: faces can be read off, and false statements get nowhere.

What it shares with the real one is in tests/laws/test_kernels.py.
"""

from __future__ import annotations

import pytest

from p2pcards.cards.faces import french
from p2pcards.crypto.formula import Rep
from p2pcards.crypto.kernel import HandKey, Kernel
from p2pcards.crypto.transcript import Context
from p2pcards.errors import BadPoint, BadProof, BadScalar, WrongWitness
from p2pcards.testing.open_kernel import OpenKernel

PACK = french()
KERNEL: Kernel = OpenKernel()
CTX = Context(b"t" * 32, 1, b"p" * 32, 0)


def rng(size: int) -> bytes:
    return bytes(size)


def key(number: int) -> HandKey:
    return KERNEL.keys(CTX, bytes([number]) * 32, rng)


def test_faces_lie_open_in_the_masks() -> None:
    joint = KERNEL.joint([key(1).public, key(2).public])
    masks, _ = KERNEL.mix(CTX, joint, KERNEL.initial(joint, PACK.faces), b"s" * 32, rng)
    read = [tuple(mask[34:38]) for mask in masks]
    assert sorted(read) == sorted((*face, 0) for face in PACK.faces)
    assert read != [(*face, 0) for face in PACK.faces]


def test_a_true_looking_proof_of_a_false_statement_is_refused() -> None:
    mine = key(1)
    (mask,) = KERNEL.initial(mine.public, [PACK.face("As")])
    (other,) = KERNEL.initial(mine.public, [PACK.face("Ah")])
    spade = Rep(mask, None, (4, None, 0))
    proof = KERNEL.prove(CTX, mine.x, mine.public, spade, PACK.faces, rng)
    false = Rep(other, None, (4, None, 0))
    with pytest.raises(WrongWitness):
        KERNEL.prove(CTX, mine.x, mine.public, false, PACK.faces, rng)
    with pytest.raises(BadProof):
        KERNEL.check(CTX, mine.public, false, proof)
    # even its check value does not help a false statement
    stamped = OpenKernel()._claim_proof(CTX, mine.public, false)
    with pytest.raises(BadProof, match="false"):
        KERNEL.check(CTX, mine.public, false, stamped)


def test_another_keys_secret_is_the_wrong_witness() -> None:
    mine, other = key(1), key(2)
    (mask,) = KERNEL.initial(mine.public, [PACK.face("As")])
    with pytest.raises(WrongWitness):
        KERNEL.shares(CTX, other.x, mine.public, [mask], rng)
    with pytest.raises(WrongWitness):
        KERNEL.give(CTX, other.x, mine.public, other.public, mask, rng)


def test_points_and_scalars_are_strict() -> None:
    mine = key(1)
    (mask,) = KERNEL.initial(mine.public, [PACK.face("As")])
    zero = b"\2" + bytes(32)
    for wrong in (zero, b"\3" + mine.public[1:], b"\2\0\0\0\0" + b"\xff" * 28, mask[33:]):
        with pytest.raises(BadPoint):
            KERNEL.joint([wrong])
    for keys in ([mine.public], [mine.public, key(2).public]):
        blank = b"\2" + bytes(31) + b"\1" + zero
        opposite = KERNEL.strip(blank, keys)[33:]
        with pytest.raises(BadPoint):
            KERNEL.joint([*keys, opposite])
    with pytest.raises(BadScalar):
        KERNEL.read(mask, bytes(32), PACK.faces)
    with pytest.raises(ValueError, match="32 bytes"):
        KERNEL.recompute(mine.public, [mask], b"short")
    with pytest.raises(BadProof):
        KERNEL.key_commitment(CTX, mine.public, b"")
    with pytest.raises(BadPoint):
        KERNEL.key_commitment(CTX, b"", mine.proof)
    with pytest.raises(BadProof):
        KERNEL.check_shares(CTX, mine.public, [], [], bytes(64))
