"""Packs: how many cards, which numbers, which names."""

from __future__ import annotations

from collections import Counter

import pytest

from p2pcards.cards.faces import (
    GNAV_NAMES,
    JOKER,
    MATADOR,
    ORDINARY,
    Attribute,
    Face,
    Pack,
    french,
    gnav,
    president,
)

PACKS = [
    french(),
    french(2),
    president(),
    president(2),
    president(power=True),
    president(2, power=True),
    gnav(),
]
every_pack = pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.key)


@every_pack
def test_names_and_faces_are_one_to_one(pack: Pack) -> None:
    assert set(pack.names) == set(pack.faces)
    assert len(set(pack.names.values())) == len(pack.names)
    for face, name in pack.names.items():
        assert pack.name(face) == name
        assert pack.face(name) == face
    with pytest.raises(KeyError):
        pack.face("Zz")


@every_pack
def test_attributes_are_small_and_unused_ones_are_zero(pack: Pack) -> None:
    for attribute in Attribute:
        values = pack.values(attribute)
        assert list(values) == sorted({face[attribute] for face in pack.faces})
        assert values == (0,) or min(values) >= 1
        assert max(values) <= 254


@every_pack
def test_a_pack_is_a_value(pack: Pack) -> None:
    assert hash(pack) == hash(pack.key)
    assert len({p.key for p in PACKS}) == len(PACKS)
    with pytest.raises(AttributeError):
        pack.key = "other"  # type: ignore[misc] # it must not be possible
    with pytest.raises(TypeError):
        pack.names[pack.faces[0]] = "x"  # type: ignore[index] # it must not be possible


# [CARD-1] of protocol.md
def test_the_french_pack() -> None:
    pack = french()
    assert len(pack.faces) == len(set(pack.faces)) == 52
    assert pack.face("2c") == Face(1, 2)
    assert pack.face("As") == Face(4, 14)
    assert [pack.face(r + "d").rank for r in "23456789TJQKA"] == list(range(2, 15))
    assert [pack.face("T" + s).suit for s in "cdhs"] == [1, 2, 3, 4]
    assert Counter(french(2).faces) == Counter(dict.fromkeys(pack.faces, 2))


# [CARD-1] of protocol.md
def test_the_president_pack() -> None:
    pack = president()
    assert len(pack.faces) == 54
    ranks = [pack.face(name).rank for name in ("3c", "Ac", "2c", "X")]
    assert ranks == [3, 14, 15, 16]
    assert Counter(pack.faces)[Face(JOKER, 16)] == 2
    assert Counter(president(2).faces)[Face(JOKER, 16)] == 4


# [CARD-1] of protocol.md
def test_the_second_order_of_the_president_pack() -> None:
    plain, power = president(), president(power=True)
    assert (plain.key, power.key) == ("president-1", "president-1-power")
    assert [face[:2] for face in power.faces] == [face[:2] for face in plain.faces]
    order = ["3", "4", "5", "6", "7", "8", "9", "J", "Q", "K", "A", "2", "T"]
    assert [power.face(f"{rank}h").klass for rank in order] == list(range(3, 16))
    assert power.face("X") == Face(JOKER, 16, 16)


def test_the_gnav_pack() -> None:
    pack = gnav()
    assert len(pack.faces) == 42
    assert set(Counter(pack.faces).values()) == {2}
    assert pack.face("FOOL") == Face(1, 1, ORDINARY)
    assert pack.face("XII") == Face(2, 16, ORDINARY)
    assert pack.face("HOUSE") == Face(2, 17, MATADOR)
    assert pack.face("CUCKOO") == Face(2, 21, MATADOR)
    assert [pack.face(name).rank for name in GNAV_NAMES] == list(range(1, 22))
