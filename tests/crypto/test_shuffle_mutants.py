"""Mistakes that void the shuffle proof, made on purpose, each with a forgery that it lets pass.

A mutant is the real check with one function exchanged or one item left out of the transcript. Every
forgery is refused by the real check. Those that are naive say nothing, because even a broken
permutation argument preserves linear sums: see `test_a_naive_forgery_proves_nothing`.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from p2pcards.crypto import elgamal, shuffle
from p2pcards.crypto.elgamal import (
    MASK_SIZE,
    Mask,
    card_point,
    encode_masks,
)
from p2pcards.crypto.group import POINT_SIZE, SECP256K1, H, L, Point, Secp256k1, random_scalar
from p2pcards.crypto.shuffle import Mixing, check_mix, mix, prove, statement_of
from p2pcards.crypto.transcript import Transcript
from p2pcards.errors import BadPoint, BadProof, BadScalar
from tests.crypto.forge import (
    LOW,
    WISHED,
    Forger,
    Openings,
    bend,
    both,
    combine,
    commit_to_identity,
    commit_to_weights,
    dot,
    encrypt,
    finish,
    fitting_weights,
)
from tests.crypto.hands import CONTEXT, OTHER_CONTEXTS, leave_out

G = SECP256K1
SEED = bytes(32)
BLANK_MASK = bytes(MASK_SIZE)


class TestWeights:
    """u must come after C. If it is known before, C can be made for it, and any deck goes."""

    def forge(self, forger: Forger, u: Sequence[int], after: Any, transcript: Transcript) -> bytes:
        masks, outputs, r = after
        statement = statement_of(forger.key, forger.inputs, outputs)
        up = fitting_weights(u, LOW, WISHED, forger.rng)
        rho = forger.scalars()
        C = G.encode_all(commit_to_weights(statement.bases, u, up, rho))
        assert shuffle.weigh(transcript, C) == u
        openings = Openings(sum(rho), dot(rho, u), forger.rpr(up, r, u))
        assert masks == encode_masks(outputs)
        return finish(transcript, statement, C, u, up, openings, forger.rng).proof

    def refused(self, forger: Forger, masks: Sequence[Mask], proof: bytes) -> None:
        assert forger.read(masks) == WISHED
        with pytest.raises(BadProof):
            forger.check(masks, proof)

    def test_commitment_left_out_of_the_hash(self, monkeypatch: pytest.MonkeyPatch) -> None:
        forger = Forger()
        wish = forger.wish()
        with monkeypatch.context() as mutant:
            leave_out(mutant, "C")
            u = shuffle.weigh(forger.transcript(wish[0]), [bytes(POINT_SIZE)] * forger.n)
            proof = self.forge(forger, u, wish, forger.transcript(wish[0]))
            forger.check(wish[0], proof)
        self.refused(forger, wish[0], proof)

    def test_weights_drawn_before_the_commitment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def too_early(transcript: Transcript, C: Sequence[bytes]) -> list[int]:
            u = transcript.vector("u", len(C))
            transcript.put_all("C", C)
            return u

        forger = Forger()
        wish = forger.wish()
        with monkeypatch.context() as mutant:
            mutant.setattr(shuffle, "weigh", too_early)
            u = forger.transcript(wish[0]).vector("u", forger.n)
            proof = self.forge(forger, u, wish, forger.transcript(wish[0]))
            forger.check(wish[0], proof)
        self.refused(forger, wish[0], proof)

    def test_weights_used_for_a_second_shuffle(self, monkeypatch: pytest.MonkeyPatch) -> None:
        used: list[int] = []
        weigh = shuffle.weigh

        def once(transcript: Transcript, C: Sequence[bytes]) -> list[int]:
            drawn = weigh(transcript, C)
            used.extend(drawn if not used else [])
            return list(used)

        forger = Forger()
        with monkeypatch.context() as mutant:
            mutant.setattr(shuffle, "weigh", once)
            honest, honest_proof = mix(CONTEXT, forger.seat.public, forger.before, SEED, forger.rng)
            forger.check(honest, honest_proof)
            wish = forger.wish()
            proof = self.forge(forger, list(used), wish, forger.transcript(wish[0]))
            forger.check(wish[0], proof)
        self.refused(forger, wish[0], proof)


class TestGenerators:
    """C and the chain bind only where nobody knows a relation between G and the H_i."""

    def test_peers_choose_the_generators(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """With the logarithms of all H_i any C opens to any u', chosen after u."""
        forger = Forger()
        logs = [random_scalar(forger.rng) for _ in range(forger.n + 1)]
        masks, outputs, r = forger.wish()
        with monkeypatch.context() as mutant:
            mutant.setattr(shuffle, "H", lambda i: G.base(logs[i]))
            mutant.setattr(shuffle, "SH", lambda n: G.base(sum(logs[1 : n + 1]) % L))
            statement = statement_of(forger.key, forger.inputs, outputs)
            transcript = forger.transcript(masks)
            rho = forger.scalars()
            C = G.encode_all([G.base(k) for k in rho])
            u = shuffle.weigh(transcript, C)
            up = fitting_weights(u, LOW, WISHED, forger.rng)
            openings = Openings(
                sum(rho) - sum(logs[1:]),
                dot(rho, u) - dot(logs[1:], up),
                forger.rpr(up, r, u),
            )
            proof = finish(transcript, statement, C, u, up, openings, forger.rng).proof
            forger.check(masks, proof)
        assert forger.read(masks) == WISHED
        with pytest.raises(BadProof):
            forger.check(masks, proof)

    @pytest.mark.parametrize("name", ["X_h", "G"])
    def test_the_chain_starts_from_a_known_point(
        self, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """H_0 := X_h in the shuffle of a hand, or := G, gives the trapdoor for the product."""
        forger = Forger([(1, 2), (1, 4), (1, 6)])
        h0 = forger.seat.x if name == "X_h" else 1
        with monkeypatch.context() as mutant:
            mutant.setattr(shuffle, "H", lambda i: H(i) if i else G.base(h0))
            after, proof = bend(forger, h0=h0)
            forger.check(after, proof)
        assert forger.read(after) == [(1, 3), (1, 3), (1, 6)]
        with pytest.raises(BadProof):
            forger.check(after, proof)
        with pytest.raises(BadProof):
            forger.check(*bend(forger, h0=h0))

    def test_a_naive_forgery_proves_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A card simply doubled is refused by that mutant too: the sums do not fit."""
        forger = Forger()
        monkeypatch.setattr(shuffle, "H", lambda i: H(i) if i else forger.key)
        outputs = [G.shift(forger.inputs[j], forger.key, 9 + i) for i, j in enumerate([0, 0, 2, 3])]
        masks = encode_masks(outputs)
        statement = statement_of(forger.key, forger.inputs, outputs)
        secret = Mixing([0, 0, 2, 3], [9, 10, 11, 12])
        proof = prove(forger.transcript(masks), statement, secret, SEED, forger.rng)
        with pytest.raises(BadProof):
            forger.check(masks, proof)


class TestStatement:
    """What is not in the hash can be chosen after the challenge."""

    def identity(
        self, forger: Forger, transcript: Transcript, bases: Sequence[Point]
    ) -> tuple[list[bytes], list[int], int, int]:
        """A commitment to the identity, the weights, rbar and rtil."""
        rho = forger.scalars()
        C = G.encode_all(commit_to_identity(bases, rho))
        u = shuffle.weigh(transcript, C)
        return C, u, sum(rho), dot(rho, u)

    def test_outputs_left_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """All aces, but for one mask that solves the last equation and hides no card at all."""
        forger = Forger()
        with monkeypatch.context() as mutant:
            leave_out(mutant, "after")
            transcript = forger.transcript([BLANK_MASK] * forger.n)
            statement = statement_of(forger.key, forger.inputs, forger.inputs)
            C, u, rbar, rtil = self.identity(forger, transcript, statement.bases)
            t4 = G.base(123), G.base(456)
            done = finish(
                transcript, statement, C, u, u, Openings(rbar, rtil, 0), forger.rng, t4=t4
            )
            aces = [encrypt(forger.key, (1, 14), k) for k in forger.scalars()[1:]]
            target = both(
                [t4, (G.generator(), forger.key), both(forger.inputs, u), both(aces, done.sp[1:])],
                [1, done.s4, done.c, -1],
            )
            last = both([target], [pow(done.sp[0], -1, L)])
            after = encode_masks([last, *aces])
            forger.check(after, done.proof)
        assert forger.read(after) == [None, (1, 14), (1, 14), (1, 14)]
        with pytest.raises(BadProof):
            forger.check(after, done.proof)

    def test_inputs_left_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """One input is fitted to the weights.

        The chain fixes the inputs before anybody mixes, so in a match this helps only a forger who
        can bend the deck before; the argument is void all the same.
        """
        forger = Forger()
        aces = [encrypt(forger.key, (1, 14), k) for k in forger.scalars()]
        after = encode_masks(aces)
        with monkeypatch.context() as mutant:
            leave_out(mutant, "before")
            transcript = forger.transcript(after)
            statement = statement_of(forger.key, forger.inputs, aces)
            C, u, rbar, rtil = self.identity(forger, transcript, statement.bases)
            done = finish(transcript, statement, C, u, u, Openings(rbar, rtil, 777), forger.rng)
            gap = both(
                [both(aces, u), (G.generator(), forger.key), both(forger.inputs[1:], u[1:])],
                [1, -777, -1],
            )
            fitted = both([gap], [pow(u[0], -1, L)])
            before = encode_masks([fitted, *forger.inputs[1:]])
            check_mix(CONTEXT, forger.seat.public, before, after, done.proof)
        assert forger.read(before)[1:] == LOW[1:]
        assert forger.read(after) == [(1, 14)] * 4
        with pytest.raises(BadProof):
            check_mix(CONTEXT, forger.seat.public, before, after, done.proof)

    def test_key_left_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The key is fitted to the challenge; one B half was changed.

        There is no forgery for a key that is fixed beforehand, and nobody could prove possession
        of the fitted one: the proof of possession stands in the way too.
        """
        forger = Forger()
        r = forger.scalars()
        outputs = [G.shift(pair, forger.key, k) for pair, k in zip(forger.inputs, r, strict=True)]
        outputs[0] = outputs[0][0], G.sum([outputs[0][1], card_point((1, 9))])
        after = encode_masks(outputs)
        with monkeypatch.context() as mutant:
            leave_out(mutant, "key")
            transcript = forger.transcript(after, key=b"")
            statement = statement_of(forger.key, forger.inputs, outputs)
            C, u, rbar, rtil = self.identity(forger, transcript, statement.bases)
            openings = Openings(rbar, rtil, dot(r, u))
            done = finish(transcript, statement, C, u, u, openings, forger.rng)
            gap = combine(
                [
                    combine([b for _, b in outputs], done.sp),
                    combine([b for _, b in forger.inputs], u),
                    done.t4[1],
                ],
                [1, -done.c, -1],
            )
            fitted = G.encode(G.mul(gap, pow(done.s4, -1, L)))
            check_mix(CONTEXT, fitted, forger.before, after, done.proof)
        with pytest.raises(BadProof):
            check_mix(CONTEXT, fitted, forger.before, after, done.proof)

    def test_place_left_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Not a forgery but a replay, at another step, table, seat or head."""
        forger = Forger()
        with monkeypatch.context() as mutant:
            leave_out(mutant, "ctx")
            after, proof = mix(CONTEXT, forger.seat.public, forger.before, SEED, forger.rng)
            for ctx in OTHER_CONTEXTS:
                check_mix(ctx, forger.seat.public, forger.before, after, proof)
        after, proof = mix(CONTEXT, forger.seat.public, forger.before, SEED, forger.rng)
        for ctx in OTHER_CONTEXTS:
            with pytest.raises(BadProof):
                check_mix(ctx, forger.seat.public, forger.before, after, proof)

    def test_the_number_of_cards_is_taken_from_the_message(self) -> None:
        """The last card is dropped: a perfect proof about the others."""
        forger = Forger()
        after, proof = mix(CONTEXT, forger.seat.public, forger.before[:3], SEED, forger.rng)

        def check_as_many_as_there_are(before: Sequence[Mask], after: Sequence[Mask]) -> None:
            check_mix(CONTEXT, forger.seat.public, before[: len(after)], after, proof)

        check_as_many_as_there_are(forger.before, after)
        with pytest.raises(BadProof):
            forger.check(after, proof)


class TestChallenge:
    """What is announced must be in the hash before the challenge."""

    def test_the_announcement_left_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without t1 .. t4 in the hash nothing holds: a proof about other cards passes."""
        forger = Forger()
        masks, outputs, _ = forger.wish()
        with monkeypatch.context() as mutant:
            leave_out(mutant, "t")
            transcript = forger.transcript(masks)
            statement = statement_of(forger.key, forger.inputs, outputs)
            C = G.encode_all([G.base(k) for k in forger.scalars()])
            u = shuffle.weigh(transcript, C)
            done = finish(transcript, statement, C, u, u, Openings(1, 2, 3), forger.rng)
            forger.check(masks, done.proof)
        assert forger.read(masks) == WISHED
        with pytest.raises(BadProof):
            forger.check(masks, done.proof)

    def test_the_steps_of_the_chain_left_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without th in the hash the chain may end where it likes: at the product of the u."""
        forger = Forger([(1, 2), (1, 4), (1, 6)])
        with monkeypatch.context() as mutant:
            leave_out(mutant, "th")
            after, proof = bend(forger, last_link=99)
            forger.check(after, proof)
        assert forger.read(after) == [(1, 3), (1, 3), (1, 6)]
        with pytest.raises(BadProof):
            forger.check(after, proof)

    def test_the_chain_alone_left_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Ch missing from the hash, t2 and th in it: no practical forgery, hence only this.

        Let y = 1/c, Ch_i = a_i G + b_i H_0, and theta_i, tau the H_0 parts of the announced th_i
        and t2. C and t3 fix u' and w', so s'_i/c = u'_i + w'_i y, and the equations demand
        b_i = (u'_i + w'_i y) b_{i-1} - theta_i y and b_N = U - tau y. All but y is fixed before c
        is drawn, and at y = 0 the two sides differ by the product of the u' less U, which is not 0:
        a polynomial of degree N in y that is not 0, met by N of the 2^256 challenges. The chain is
        in the hash for the proof's sake, not because leaving it out is known to hurt.
        """
        forger = Forger([(1, 2), (1, 4), (1, 6)])
        leave_out(monkeypatch, "Ch")
        with pytest.raises(BadProof):
            forger.check(*bend(forger))
        with pytest.raises(BadProof):
            forger.check(*bend(forger, last_link=99))


class Nothing:
    """The point at infinity, or what a call that failed has left behind."""

    def __getitem__(self, index: int, /) -> Any:
        raise AssertionError("not a struct")


NOTHING = Nothing()


class WithInfinity(Secp256k1):
    """A group that takes 33 zero bytes for the point at infinity, and computes with it."""

    __slots__ = ()

    def decode(self, data: bytes) -> Point:
        return NOTHING if data == bytes(POINT_SIZE) else super().decode(data)

    def encode_all(self, points: Sequence[Point]) -> list[bytes]:
        return [bytes(POINT_SIZE) if p is NOTHING else self.encode(p) for p in points]

    def mul(self, p: Point, k: int) -> Point:
        return NOTHING if p is NOTHING else super().mul(p, k)

    def sum(self, points: Sequence[Point]) -> Point:
        try:
            return super().sum([p for p in points if p is not NOTHING])
        except BadPoint:
            return NOTHING


class Careless(Secp256k1):
    """A group that looks at no return code: what fails is zeros, and so is all that uses it."""

    __slots__ = ()

    def decode(self, data: bytes) -> Point:
        try:
            return super().decode(data)
        except BadPoint:
            return NOTHING

    def encode_all(self, points: Sequence[Point]) -> list[bytes]:
        return [bytes(POINT_SIZE) if p is NOTHING else self.encode(p) for p in points]

    def mul(self, p: Point, k: int) -> Point:
        return NOTHING if p is NOTHING else super().mul(p, k)

    def sum(self, points: Sequence[Point]) -> Point:
        return NOTHING if NOTHING in points else super().sum(points)


def use_group(mutant: pytest.MonkeyPatch, group: Secp256k1) -> None:
    """In everything that mixes."""
    mutant.setattr(shuffle, "SECP256K1", group)
    mutant.setattr(elgamal, "SECP256K1", group)


class TestEncodings:
    def test_infinity_let_through(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Re-masked by minus its own randomness a card lies open: A = 0, B = M."""
        forger = Forger()
        secret = Mixing([0, 1, 2, 3], [L - 1, 5, 6, 7])
        with monkeypatch.context() as mutant:
            use_group(mutant, WithInfinity())
            statement = shuffle._mix(forger.seat.public, forger.before, secret)
            after = encode_masks(statement.after)
            proof = prove(forger.transcript(after), statement, secret, SEED, forger.rng)
            forger.check(after, proof)
        assert after[0] == bytes(POINT_SIZE) + G.encode(card_point(LOW[0]))
        with pytest.raises(BadPoint):
            forger.check(after, proof)

    def test_return_codes_ignored(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """An undecodable C_1 turns t1 and t3 into zeros, and nothing ties u' to C any more."""
        forger = Forger()
        masks, outputs, r = forger.wish()
        with monkeypatch.context() as mutant:
            use_group(mutant, Careless())
            statement = statement_of(forger.key, forger.inputs, outputs)
            transcript = forger.transcript(masks)
            C = [bytes(POINT_SIZE), *G.encode_all([G.base(k) for k in (2, 3, 4)])]
            u = shuffle.weigh(transcript, C)
            up = fitting_weights(u, LOW, WISHED, forger.rng)
            openings = Openings(1, 1, forger.rpr(up, r, u))
            done = finish(transcript, statement, C, u, up, openings, forger.rng, t13=NOTHING)
            forger.check(masks, done.proof)
        assert forger.read(masks) == WISHED
        with pytest.raises(BadPoint):
            forger.check(masks, done.proof)

    def test_scalars_reduced_instead_of_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A second proof of one statement, without its secret: a response plus L.

        A random response leaves no room for that below 2^256 (one in 2^128 does), so whoever wants
        two forms has to prepare them: a mix without re-masking has the response s4 = w4, which may
        be small.
        """
        forger = Forger()
        statement = statement_of(forger.key, forger.inputs, forger.inputs)
        transcript = forger.transcript(forger.before)
        rho = forger.scalars()
        C = G.encode_all(commit_to_identity(statement.bases, rho))
        u = shuffle.weigh(transcript, C)
        openings = Openings(sum(rho), dot(rho, u), 0)
        done = finish(transcript, statement, C, u, u, openings, forger.rng, w4=5)
        forger.check(forger.before, done.proof)
        at = 2 * forger.n * POINT_SIZE + 4 * 32
        assert done.proof[at : at + 32] == (5).to_bytes(32, "big")
        second = done.proof[:at] + (5 + L).to_bytes(32, "big") + done.proof[at + 32 :]
        with monkeypatch.context() as mutant:
            mutant.setattr(shuffle, "decode_scalar", lambda data: int.from_bytes(data, "big") % L)
            forger.check(forger.before, second)
        with pytest.raises(BadScalar):
            forger.check(forger.before, second)
