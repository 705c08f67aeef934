"""Words that people compare to know that a key is the one they think it is.

Six words of sixteen bits each, after Daniel Shawcross Wilkerson's proquints (arXiv 0901.4016):
96 bits of a hash of the key. protocol.md section 2.6.
"""

from __future__ import annotations

from p2pcards.wire.codec import digest

CONSONANTS, VOWELS = "bdfghjklmnprstvz", "aiou"
WORDS = 6


def tag(key: bytes) -> bytes:
    """128 bits that stand for an identity key (32 bytes) where the key has no room."""
    return digest("fingerprint", key)[:16]


def words(short: bytes) -> str:
    """Six pronounceable words: the first 96 bits of a tag."""
    numbers = (int.from_bytes(short[2 * i : 2 * i + 2], "big") for i in range(WORDS))
    return " ".join(_word(number) for number in numbers)


def fingerprint(key: bytes) -> str:
    """The words of an identity key."""
    return words(tag(key))


def _word(number: int) -> str:
    """Sixteen bits as consonant, vowel, consonant, vowel, consonant: 4, 2, 4, 2 and 4 bits."""
    return "".join(
        (
            CONSONANTS[number >> 12 & 15],
            VOWELS[number >> 10 & 3],
            CONSONANTS[number >> 6 & 15],
            VOWELS[number >> 4 & 3],
            CONSONANTS[number & 15],
        )
    )
