"""`shuffle`: what honest mixes do, which foreign values they meet, and what is refused."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha512
from pathlib import Path

import pytest

from p2pcards.crypto import shuffle
from p2pcards.crypto.elgamal import (
    Attributes,
    Mask,
    decode_mask,
    dictionary,
    encode_masks,
    initial_deck,
    plaintext,
)
from p2pcards.crypto.group import SECP256K1, L
from p2pcards.crypto.shuffle import (
    Mixing,
    check_mix,
    mix,
    mixing,
    permutation,
    proof_size,
    prove,
    recompute,
    start_transcript,
    statement_of,
)
from p2pcards.crypto.transcript import Context
from p2pcards.errors import BadPoint, BadProof, BadScalar, CryptoError
from tests.crypto.hands import BAD_SCALARS, CONTEXT, OTHER_CONTEXTS, PACK, Seat, other_forms, seeded

G = SECP256K1
VECTORS = Path(__file__).parents[1] / "vectors"
SEED = bytes(range(32))


def faces_of(masks: Sequence[Mask], x: int, faces: Sequence[Attributes]) -> Counter[Attributes]:
    """The cards under key x; fails if one is none of `faces`."""
    entries = dictionary(tuple(faces))
    shares = [G.encode(G.mul(decode_mask(mask)[0], x)) for mask in masks]
    return Counter(entries[plaintext(*pair)] for pair in zip(masks, shares, strict=True))


def deck(seat: Seat, n: int) -> tuple[Mask, ...]:
    return initial_deck(seat.public, (list(PACK) * 3)[:n])


class TestHonest:
    @pytest.mark.parametrize("n", [1, 2, 3, 52, 108])
    def test_a_mix_convinces_and_keeps_the_cards(self, n: int) -> None:
        seat = Seat(n)
        before = deck(seat, n)
        after, proof = mix(CONTEXT, seat.public, before, SEED, seat.rng)
        check_mix(CONTEXT, seat.public, before, after, proof)
        assert len(proof) == proof_size(n) == 130 * n + 160
        assert faces_of(after, seat.x, PACK) == faces_of(before, seat.x, PACK)
        assert not set(before) & set(after)
        assert recompute(seat.public, before, SEED) == after

    def test_the_proof_of_52_cards_fits(self) -> None:
        assert proof_size(52) <= 7100

    def test_several_seats_under_a_joint_key(self) -> None:
        seats = [Seat(i) for i in range(3)]
        key = G.encode(G.sum([G.decode(seat.public) for seat in seats]))
        masks = initial_deck(key, PACK)
        for i, seat in enumerate(seats):
            ctx = replace(CONTEXT, seat=i)
            after, proof = mix(ctx, key, masks, bytes([i]) * 32, seat.rng)
            check_mix(ctx, key, masks, after, proof)
            masks = after
        x = sum(seat.x for seat in seats) % L
        assert faces_of(masks, x, PACK) == Counter(PACK)

    def test_equal_faces(self) -> None:
        seat = Seat("pairs")
        faces = [(1, 5)] * 7 + [(2, 3)] * 5
        before = initial_deck(seat.public, faces)
        after, proof = mix(CONTEXT, seat.public, before, SEED, seat.rng)
        check_mix(CONTEXT, seat.public, before, after, proof)
        assert faces_of(after, seat.x, faces) == Counter(faces)

    def test_a_hand_under_its_holders_key(self) -> None:
        seat = Seat("hand")
        before = seat.hand(PACK[10:23])
        after, proof = mix(CONTEXT, seat.public, before, SEED, seat.rng)
        check_mix(CONTEXT, seat.public, before, after, proof)
        assert faces_of(after, seat.x, PACK) == Counter(PACK[10:23])

    def test_not_permuting_is_legal(self) -> None:
        seat = Seat("lazy")
        before = deck(seat, 5)
        after, proof = prove_with(seat, before, Mixing(range(5), [5] * 5))
        check_mix(CONTEXT, seat.public, before, after, proof)

    # [MIX-1] of protocol.md
    def test_the_seed_alone_decides_the_masks(self) -> None:
        seat = Seat("twice")
        before = deck(seat, 4)
        one = mix(CONTEXT, seat.public, before, SEED, seeded("a"))
        two = mix(replace(CONTEXT, step=99), seat.public, before, SEED, seeded("b"))
        assert one[0] == two[0]
        assert one[1] != two[1]
        assert mix(CONTEXT, seat.public, before, bytes(32), seeded("a"))[0] != one[0]

    # [CTX-3] of protocol.md
    def test_a_stuck_generator_repeats_no_nonce_under_another_statement(self) -> None:
        seat = Seat("stuck")
        before = deck(seat, 3)
        points: list[bytes] = []
        for ctx in (CONTEXT, *OTHER_CONTEXTS):
            _, proof = mix(ctx, seat.public, before, SEED, bytes)
            points += [proof[k : k + 33] for k in range(0, 6 * 33, 33)]
        assert len(set(points)) == len(points)

    def test_nothing_secret_is_shown(self) -> None:
        assert repr(mixing(SEED, 3)) == "Mixing()"


def prove_with(
    seat: Seat, before: Sequence[Mask], secret: Mixing
) -> tuple[tuple[Mask, ...], bytes]:
    """The honest prover's code on whatever secret, well-formed or not."""
    statement = shuffle._mix(seat.public, before, secret)
    after = encode_masks(statement.after)
    transcript = start_transcript(CONTEXT, seat.public, before, after)
    return after, prove(transcript, statement, secret, SEED, seat.rng)


class TestSeed:
    # [MIX-1] of protocol.md
    def test_by_the_documented_algorithm(self) -> None:
        for n in (1, 2, 17, 108):
            stream = b"".join(
                sha512(b"P2PCARDS-V1-mix\1" + SEED + i.to_bytes(4, "big")).digest()
                for i in range(40)
            )
            psi, at = list(range(n)), 0
            for k in reversed(range(1, n)):
                while True:
                    word = int.from_bytes(stream[at : at + 4], "big")
                    at += 4
                    if word < (k + 1) * (2**32 // (k + 1)):
                        break
                psi[k], psi[word % (k + 1)] = psi[word % (k + 1)], psi[k]
            r = [
                int.from_bytes(
                    sha512(b"P2PCARDS-V1-mix\2" + SEED + i.to_bytes(4, "big")).digest(), "big"
                )
                % L
                for i in range(n)
            ]
            assert (list(mixing(SEED, n).psi), list(mixing(SEED, n).r)) == (psi, r)

    def test_words_above_the_limit_are_passed_over(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """For 3 cards the first index is of 3, and 2^32 - 1 is the one word that it refuses."""
        words = [2**32 - 1, 2**32 - 2, 2**32 - 1]
        block = b"".join(word.to_bytes(4, "big") for word in words).ljust(64, b"\0")
        monkeypatch.setattr(shuffle, "_block", lambda *_: block)
        # 2^32 - 2 mod 3 = 2: nothing moves; then 2^32 - 1 mod 2 = 1: nothing moves.
        assert permutation(SEED, 3) == [0, 1, 2]

    def test_zeros_are_passed_over(self, monkeypatch: pytest.MonkeyPatch) -> None:
        blocks = {0: L.to_bytes(64, "big"), 1: (L + 7).to_bytes(64, "big")}
        monkeypatch.setattr(
            shuffle, "_block", lambda label, _, i: blocks[i] if label == 2 else bytes(64)
        )
        assert list(mixing(SEED, 1).r) == [7]

    @pytest.mark.parametrize("size", [0, 31, 33])
    def test_seeds_have_32_bytes(self, size: int) -> None:
        with pytest.raises(ValueError, match="32 bytes"):
            mixing(bytes(size), 3)

    def test_all_permutations_of_4_are_equally_likely(self) -> None:
        """Chi-square with 23 degrees of freedom: 49.7 is passed once in 1000."""
        draws = 4800
        count = Counter(tuple(permutation(i.to_bytes(32, "big"), 4)) for i in range(draws))
        expected = draws / 24
        assert len(count) == 24
        assert sum((k - expected) ** 2 / expected for k in count.values()) < 49.7

    def test_every_card_goes_everywhere(self) -> None:
        """Chi-square over the places of 52 cards, 51 * 51 = 2601 degrees of freedom.

        2826 is passed once in 1000 (normal approximation).
        """
        draws = 3000
        places = Counter(
            (place, card)
            for i in range(draws)
            for place, card in enumerate(permutation(b"s" + i.to_bytes(31, "big"), 52))
        )
        expected = draws / 52
        total = sum((k - expected) ** 2 / expected for k in places.values())
        missing = 52 * 52 - len(places)
        # With rows and columns fixed, the statistic has mean 51 * 51 after scaling by 51 / 52.
        assert 2380 < (total + missing * expected) * 51 / 52 < 2826


class TestRefused:
    def setup_method(self) -> None:
        self.seat = Seat("refused")
        self.before = deck(self.seat, 4)
        self.after, self.proof = mix(CONTEXT, self.seat.public, self.before, SEED, self.seat.rng)

    def check(
        self,
        after: Sequence[Mask] | None = None,
        proof: bytes | None = None,
        before: Sequence[Mask] | None = None,
        key: bytes | None = None,
        ctx: Context = CONTEXT,
    ) -> None:
        check_mix(
            ctx,
            key or self.seat.public,
            before or self.before,
            self.after if after is None else after,
            self.proof if proof is None else proof,
        )

    def test_the_unchanged_one_is_not(self) -> None:
        self.check()

    # [CTX-1] of protocol.md
    @pytest.mark.parametrize("k", range(len(OTHER_CONTEXTS)))
    def test_another_place_in_the_match(self, k: int) -> None:
        with pytest.raises(BadProof):
            self.check(ctx=OTHER_CONTEXTS[k])

    # [MIX-3] of protocol.md
    def test_another_key(self) -> None:
        with pytest.raises(BadProof):
            self.check(key=Seat("other").public)

    # [MIX-3] of protocol.md
    def test_another_deck_before(self) -> None:
        with pytest.raises(BadProof):
            self.check(before=self.before[::-1])
        with pytest.raises(BadProof):
            self.check(before=initial_deck(self.seat.public, PACK[1:5]))

    def test_another_deck_after(self) -> None:
        with pytest.raises(BadProof):
            self.check(after=self.after[::-1])

    def test_a_foreign_point(self) -> None:
        for half in (0, 1):
            pair = list(decode_mask(self.after[2]))
            pair[half] = G.sum((pair[half], G.generator()))
            foreign = encode_masks([(pair[0], pair[1])])
            with pytest.raises(BadProof):
                self.check(after=[*self.after[:2], *foreign, *self.after[3:]])

    # [MIX-3] of protocol.md
    def test_a_card_twice(self) -> None:
        """The honest prover's code on a map that is no permutation, with distinct masks."""
        psi = [0, 0, 2, 3]
        inputs = list(map(decode_mask, self.before))
        key = G.decode(self.seat.public)
        doubled = [G.shift(inputs[j], key, 100 + i) for i, j in enumerate(psi)]
        statement = statement_of(key, inputs, doubled)
        after = encode_masks(doubled)
        transcript = start_transcript(CONTEXT, self.seat.public, self.before, after)
        secret = Mixing(psi, [100, 101, 102, 103])
        proof = prove(transcript, statement, secret, SEED, self.seat.rng)
        with pytest.raises(BadProof):
            self.check(after=after, proof=proof)

    # [MIX-4] of protocol.md
    def test_two_masks_with_one_a(self) -> None:
        """A_1 = G and A_2 = 2G re-masked to 9G both: a true shuffle, and refused all the same."""
        after, proof = prove_with(self.seat, self.before, Mixing([1, 0, 2, 3], [8, 7, 5, 4]))
        assert after[0][:33] == after[1][:33]
        with pytest.raises(BadProof, match="same A"):
            self.check(after=after, proof=proof)

    # [MIX-2] of protocol.md
    @pytest.mark.parametrize("count", [0, 1, 3, 5, 1000])
    def test_another_number_of_masks(self, count: int) -> None:
        with pytest.raises(BadProof, match="size"):
            self.check(after=(list(self.after) * 250)[:count])

    def test_another_length(self) -> None:
        for proof in (b"", self.proof[:-1], self.proof + b"\0", self.proof[32:], bytes(10**6)):
            with pytest.raises(BadProof, match="size"):
                self.check(proof=proof)

    def test_a_shorter_shuffle_in_full(self) -> None:
        after, proof = mix(CONTEXT, self.seat.public, self.before[:3], SEED, self.seat.rng)
        with pytest.raises(BadProof, match="size"):
            self.check(after=after, proof=proof)

    @pytest.mark.parametrize("k", range(8))
    def test_points_of_the_proof(self, k: int) -> None:
        at = 33 * k
        for wrong in other_forms(self.proof[at : at + 33]):
            if len(wrong) == 33:
                with pytest.raises(BadPoint):
                    self.check(proof=self.proof[:at] + wrong + self.proof[at + 33 :])

    # [GROUP-2] of protocol.md
    @pytest.mark.parametrize("k", range(13))
    def test_scalars_of_the_proof(self, k: int) -> None:
        at = 33 * 8 + 32 * k
        for wrong in BAD_SCALARS:
            with pytest.raises(BadScalar):
                self.check(proof=self.proof[:at] + wrong + self.proof[at + 32 :])
        for other in (1, 2, L - 1):
            changed = self.proof[:at] + other.to_bytes(32, "big") + self.proof[at + 32 :]
            with pytest.raises(BadProof):
                self.check(proof=changed)

    def test_points_of_the_masks(self) -> None:
        for k in range(4):
            for half in (0, 33):
                mask = self.after[k]
                for wrong in other_forms(mask[half : half + 33]):
                    changed = mask[:half] + wrong + mask[half + 33 :]
                    with pytest.raises(BadPoint):
                        self.check(after=[*self.after[:k], changed, *self.after[k + 1 :]])

    def test_every_value_counts(self) -> None:
        """Each point negated, each scalar plus one."""
        size = 33 * 8
        changed = [
            self.proof[:k] + bytes([self.proof[k] ^ 1]) + self.proof[k + 1 :]
            for k in range(0, size, 33)
        ]
        for k in range(size, len(self.proof), 32):
            value = (int.from_bytes(self.proof[k : k + 32], "big") + 1) % L
            changed.append(self.proof[:k] + value.to_bytes(32, "big") + self.proof[k + 32 :])
        assert len(changed) == 8 + 13
        for proof in changed:
            with pytest.raises(BadProof):
                self.check(proof=proof)

    # [GROUP-3] of protocol.md
    def test_equations_at_infinity_are_a_bad_proof(self) -> None:
        """C_j = H_j makes the first sum infinite, Ch_N = U H_0 the second."""
        statement = statement_of(
            G.decode(self.seat.public),
            list(map(decode_mask, self.before)),
            list(map(decode_mask, self.after)),
        )
        bare = b"".join(G.encode_all(statement.bases[1:]))
        with pytest.raises(BadProof, match="infinity"):
            self.check(proof=bare + self.proof[len(bare) :])
        transcript = start_transcript(CONTEXT, self.seat.public, self.before, self.after)
        product = 1
        for u in shuffle.weigh(transcript, shuffle._points(self.proof, 0, 4)):
            product = product * u % L
        at = 7 * 33
        last = G.encode(G.mul(statement.bases[0], product))
        with pytest.raises(BadProof, match="infinity"):
            self.check(proof=self.proof[:at] + last + self.proof[at + 33 :])

    @pytest.mark.parametrize("n", [0, 109])
    def test_decks_that_cannot_be(self, n: int) -> None:
        masks = (list(deck(self.seat, 108)) * 2)[:n]
        with pytest.raises(ValueError, match="108"):
            recompute(self.seat.public, masks, SEED)

    def test_an_undecodable_input_is_a_crypto_error(self) -> None:
        with pytest.raises(CryptoError):
            recompute(self.seat.public, [bytes(66)], SEED)
