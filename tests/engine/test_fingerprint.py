"""Words for keys: the documented ones, and different for different keys."""

from hashlib import sha256

from p2pcards.engine.fingerprint import fingerprint, tag, words

KEY = bytes(range(32))
PACKED = b"\x92\xabfingerprint\xc4\x20" + KEY
"""The array ("fingerprint", KEY) in msgpack."""


# [SIGN-4] of protocol.md
def test_words_are_the_documented_ones() -> None:
    """Six words of consonant, vowel, consonant, vowel, consonant, straight from the bits."""
    bits = f"{int.from_bytes(sha256(PACKED).digest()[:12], 'big'):096b}"
    expected = []
    for word in range(6):
        letters = ""
        place = 16 * word
        for width, alphabet in ((4, "bdfghjklmnprstvz"), (2, "aiou")) * 2 + (
            (4, "bdfghjklmnprstvz"),
        ):
            letters += alphabet[int(bits[place : place + width], 2)]
            place += width
        expected.append(letters)
    assert fingerprint(KEY) == " ".join(expected)


def test_the_example_of_proquints() -> None:
    """127.0.0.1 is lusab-babad in arXiv 0901.4016."""
    assert words(bytes((127, 0, 0, 1)) + bytes(8)).startswith("lusab babad babab")


def test_a_tag_has_128_bits_and_its_words_are_the_keys() -> None:
    assert tag(KEY) == sha256(PACKED).digest()[:16]
    assert words(tag(KEY)) == fingerprint(KEY)


def test_keys_differ() -> None:
    assert fingerprint(KEY) != fingerprint(KEY[::-1])
