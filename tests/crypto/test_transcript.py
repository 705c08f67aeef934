"""`transcript`: the documented bytes, rebuilt here by hand, and what every part depends on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha512

import pytest

from p2pcards.crypto.group import L
from p2pcards.crypto.transcript import Context, Nonces, Transcript

CTX = Context(b"t" * 32, 258, b"p" * 32, 3, 4)


def item(kind: int, label: bytes, data: bytes) -> bytes:
    return bytes([kind, len(label)]) + label + len(data).to_bytes(4, "big") + data


def constant(byte: bytes) -> Callable[[int], bytes]:
    return lambda n: byte * n


class TestContext:
    # [CTX-1] of protocol.md
    def test_bytes(self) -> None:
        assert CTX.pack("shuffle") == (
            b"\1" + b"shuffle" + bytes(9) + b"t" * 32 + bytes([0, 0, 0, 0, 0, 0, 1, 2])
            + b"p" * 32 + bytes([0, 3]) + bytes([0, 0, 0, 4])
        )  # fmt: skip

    def test_every_field_matters(self) -> None:
        others = [
            replace(CTX, table=b"u" * 32),
            replace(CTX, step=259),
            replace(CTX, prev=b"q" * 32),
            replace(CTX, seat=4),
            replace(CTX, index=5),
        ]
        packed = {CTX.pack("a"), CTX.pack("ab"), *(other.pack("a") for other in others)}
        assert len(packed) == 7
        assert {len(data) for data in packed} == {95}

    @pytest.mark.parametrize("name", ["", "seventeen letters"])
    def test_names_have_1_to_16_letters(self, name: str) -> None:
        with pytest.raises(ValueError, match="length"):
            CTX.pack(name)

    @pytest.mark.parametrize("field", ["table", "prev"])
    def test_hashes_have_32_bytes(self, field: str) -> None:
        for size in (31, 33):
            hashes = {"table": bytes(32), "prev": bytes(32), field: bytes(size)}
            wrong = Context(hashes["table"], 0, hashes["prev"], 0)
            with pytest.raises(ValueError, match="length"):
                wrong.pack("x")


class TestTranscript:
    # [CTX-2] of protocol.md
    def test_bytes(self) -> None:
        transcript = Transcript.start("demo")
        transcript.put("one", b"\0\xff")
        transcript.put_all("many", [b"ab", b"cd", b"ef"])
        state = (
            item(0, b"P2PCARDS-V1", b"demo")
            + item(1, b"one", b"\0\xff")
            + item(2, b"many", bytes([0, 0, 0, 3, 0, 0, 0, 2]) + b"abcdef")
            + item(3, b"c", b"")
        )
        digest = sha512(state).digest()
        assert transcript.scalar("c") == int.from_bytes(digest, "big") % L
        state += item(5, b"c", digest) + item(4, b"u", bytes([0, 0, 0, 3]))
        digest = sha512(state).digest()
        assert transcript.vector("u", 3) == [
            int.from_bytes(sha512(digest + bytes([0, 0, 0, i])).digest(), "big") % L
            for i in range(3)
        ]
        state += item(5, b"u", digest)
        fork = state + item(6, b"nonce", b"secret") + item(7, b"nonce", b"r" * 32)
        seed = sha512(fork).digest()
        expected = [
            int.from_bytes(sha512(seed + i.to_bytes(8, "big")).digest(), "big") % L
            for i in range(4)
        ]
        assert transcript.fork_rng(b"secret", constant(b"r")).scalars(4) == expected
        state += item(3, b"d", b"")
        assert transcript.scalar("d") == int.from_bytes(sha512(state).digest(), "big") % L

    def test_no_two_histories_give_one_challenge(self) -> None:
        def run(*steps: Callable[[Transcript], object]) -> int:
            transcript = Transcript.start("demo")
            for step in steps:
                step(transcript)
            return transcript.scalar("c")

        answers = {
            Transcript.start("other").scalar("c"),
            Transcript.start("demo").scalar("d"),
            run(),
            run(lambda t: t.put("a", b"")),
            run(lambda t: t.put("", b"a")),
            run(lambda t: t.put("a", b"b"), lambda t: t.put("c", b"d")),
            run(lambda t: t.put("c", b"d"), lambda t: t.put("a", b"b")),
            run(lambda t: t.put("a", b"bcd")),
            run(lambda t: t.put_all("a", [])),
            run(lambda t: t.put_all("a", [b"", b""])),
            run(lambda t: t.put_all("a", [b"ab"])),
            run(lambda t: t.put_all("a", [b"a", b"b"])),
            run(lambda t: t.scalar("x")),
            run(lambda t: t.vector("x", 1)),
            run(lambda t: t.vector("x", 2)),
        }
        assert len(answers) == 15

    def test_a_challenge_is_absorbed(self) -> None:
        transcript = Transcript.start("demo")
        assert transcript.scalar("c") != transcript.scalar("c")
        assert transcript.vector("u", 2) != transcript.vector("u", 2)

    def test_lists_have_one_width(self) -> None:
        with pytest.raises(ValueError, match="lengths"):
            Transcript.start("demo").put_all("a", [b"ab", b"c", b"def"])


class TestNonces:
    # [CTX-3] of protocol.md
    def test_they_depend_on_history_secret_and_chance(self) -> None:
        def draw(history: bytes, secret: bytes, fresh: bytes) -> int:
            transcript = Transcript.start("demo")
            transcript.put("statement", history)
            return transcript.fork_rng(secret, constant(fresh)).scalar()

        drawn = [
            draw(b"a", b"s", b"r"),
            draw(b"b", b"s", b"r"),
            draw(b"a", b"t", b"r"),
            draw(b"a", b"s", b"q"),
        ]
        assert len(set(drawn)) == 4
        assert draw(b"a", b"s", b"r") == drawn[0]

    def test_forking_changes_nothing(self) -> None:
        one, two = Transcript.start("demo"), Transcript.start("demo")
        one.fork_rng(b"s", constant(b"r")).scalars(3)
        assert one.scalar("c") == two.scalar("c")

    def test_a_stream_never_repeats(self) -> None:
        assert len(set(Nonces(b"s" * 64).scalars(200))) == 200

    def test_it_is_not_shown(self) -> None:
        nonces = Nonces(b"s" * 64)
        assert "s" * 8 not in repr(nonces)
        assert repr(nonces) == "Nonces(<secret>)"

    def test_a_short_generator_is_noticed(self) -> None:
        with pytest.raises(ValueError, match="number of bytes"):
            Transcript.start("demo").fork_rng(b"s", lambda n: bytes(n - 1))
