"""`elgamal`: the linear encoding, the public deck, dictionaries, stripping and re-masking."""

from __future__ import annotations

import pytest

from p2pcards.crypto.elgamal import (
    MASK_SIZE,
    Attributes,
    card_point,
    decode_mask,
    dictionary,
    encode_masks,
    initial_deck,
    plaintext,
    remask,
    strip,
)
from p2pcards.crypto.group import SECP256K1, L, P
from p2pcards.errors import BadPoint, BadScalar

G = SECP256K1
FACES = tuple((suit, rank, 0) for suit in range(1, 5) for rank in range(2, 15))
SECRETS = (3**90, 5**80, 7**70)
X = sum(SECRETS)
KEY = G.encode(G.base(X))


def share(mask: bytes, x: int) -> bytes:
    return G.encode(G.mul(decode_mask(mask)[0], x))


class TestCards:
    # [CARD-2] of protocol.md
    def test_a_card_is_the_sum_of_its_attributes(self) -> None:
        expected = G.sum([G.mul(P(1), 3), G.mul(P(2), 14), G.mul(P(3), 2), P(4)])
        assert G.encode(card_point((3, 14, 2, 1))) == G.encode(expected)

    def test_zero_attributes_contribute_nothing(self) -> None:
        assert G.encode(card_point((0, 5, 0))) == G.encode(G.mul(P(2), 5))
        assert G.encode(card_point((1, 2, 0))) == G.encode(card_point((1, 2)))

    @pytest.mark.parametrize("face", [(), (0, 0), (1, -1), (1, 2, 3, 4, 5)])
    def test_what_is_no_card(self, face: Attributes) -> None:
        with pytest.raises(ValueError, match="attributes"):
            card_point(face)

    def test_dictionary(self) -> None:
        entries = dictionary(FACES + FACES[:3])
        assert len(entries) == len(FACES)
        assert all(entries[G.encode(card_point(face))] == face for face in FACES)
        assert dictionary(FACES) is dictionary(tuple(FACES))


class TestDeck:
    # [CARD-2] of protocol.md
    def test_each_entry_is_the_documented_one(self) -> None:
        for i, (mask, face) in enumerate(zip(initial_deck(KEY, FACES), FACES, strict=True), 1):
            a, b = decode_mask(mask)
            assert G.encode(a) == G.encode(G.base(i))
            assert G.encode(b) == G.encode(G.sum((card_point(face), G.base(i * X % L))))

    def test_equal_faces_have_different_masks(self) -> None:
        deck = initial_deck(KEY, [(1, 2)] * 108)
        assert len({mask[:33] for mask in deck}) == len({mask[33:] for mask in deck}) == 108

    def test_a_bad_key_is_refused(self) -> None:
        with pytest.raises(BadPoint):
            initial_deck(b"\4" + KEY[1:], FACES)


class TestMasks:
    def test_round_trip(self) -> None:
        deck = initial_deck(KEY, FACES)
        assert encode_masks(map(decode_mask, deck)) == deck
        assert {len(mask) for mask in deck} == {MASK_SIZE}

    @pytest.mark.parametrize("size", [0, 33, 65, 67, 99])
    def test_other_sizes(self, size: int) -> None:
        with pytest.raises(BadPoint):
            decode_mask((KEY * 3)[:size])

    @pytest.mark.parametrize("half", [0, 1])
    def test_either_half_must_be_a_point(self, half: int) -> None:
        halves = [KEY, KEY]
        halves[half] = bytes(33)
        with pytest.raises(BadPoint):
            decode_mask(b"".join(halves))

    # [CARD-2] of protocol.md
    def test_stripping_every_layer_shows_the_card(self) -> None:
        for mask, face in zip(initial_deck(KEY, FACES[:5]), FACES, strict=False):
            held = strip(mask, [share(mask, x) for x in SECRETS[1:]])
            assert held[:33] == mask[:33]
            assert dictionary(FACES)[plaintext(held, share(held, SECRETS[0]))] == face

    def test_a_missing_layer_hides_the_card(self) -> None:
        mask = initial_deck(KEY, FACES)[0]
        half = strip(mask, [share(mask, SECRETS[1])])
        assert plaintext(half, share(half, SECRETS[0])) not in dictionary(FACES)
        assert strip(mask, []) == mask

    def test_infinity_is_refused(self) -> None:
        mask = initial_deck(KEY, FACES)[0]
        with pytest.raises(BadPoint):
            strip(mask, [mask[33:]])
        with pytest.raises(BadPoint):
            plaintext(mask, mask[33:])
        opposite = G.encode(G.negate(decode_mask(mask)[1]))
        with pytest.raises(BadPoint):
            strip(mask, [mask[33:], opposite])

    def test_remasking_keeps_the_card_and_changes_both_halves(self) -> None:
        mask = initial_deck(KEY, FACES)[7]
        (other,) = encode_masks([remask(G.decode(KEY), decode_mask(mask), 12345)])
        assert other[:33] != mask[:33]
        assert other[33:] != mask[33:]
        assert plaintext(other, share(other, X)) == plaintext(mask, share(mask, X))
        with pytest.raises(BadScalar):
            remask(G.decode(KEY), decode_mask(mask), 0)
