"""Strangers who publish to a table's topics while a match goes on: counted, and nothing else."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import aiomqtt
import pytest

from p2pcards.crypto.kernel import RealKernel
from p2pcards.crypto.signing import Identity
from p2pcards.engine.audit import audit
from p2pcards.engine.chain import pack_envelope, read_contribution
from p2pcards.engine.frames import read_frame, read_record, sign_record, write_frame
from p2pcards.errors import Malformed
from p2pcards.net.address import BrokerUrl
from p2pcards.net.broker import EmbeddedBroker
from p2pcards.net.driver import Notices
from p2pcards.shells import script
from p2pcards.shells.bots import strategy
from p2pcards.shells.script import Peer, Result, Table
from p2pcards.wire.codec import decode, encode
from p2pcards.wire.messages import (
    DOMAIN_CONTRIBUTION,
    Alive,
    Bye,
    ChunkFrame,
    Envelope,
    FaultReport,
    Kick,
    RecordFrame,
    Want,
    WholeFrame,
)
from tests.e2e.brokers import mosquitto
from tests.net.raw import until
from tests.programs import WITHIN

HANDS = 2


class Stranger:
    """Somebody at the same broker without a seat: hears everything, says anything."""

    def __init__(self, url: BrokerUrl, seed: int) -> None:
        self._url = url
        self._rng = random.Random(seed)
        self.identity = Identity.new(os.urandom)
        self.heard: list[tuple[str, bytes]] = []
        self.said = 0

    @asynccontextmanager
    async def client(self) -> AsyncIterator[aiomqtt.Client]:
        """A connection of its own."""
        client = aiomqtt.Client(
            self._url.host, self._url.port, protocol=aiomqtt.ProtocolVersion.V311, timeout=5
        )
        try:
            async with client:
                yield client
        finally:
            if client._disconnected.done():
                client._disconnected.exception()  # looked at, or asyncio complains

    async def listen(self) -> None:
        """Keeps what it hears."""
        async with self.client() as client:
            await client.subscribe("p2pcards/1/#")
            async for message in client.messages:
                assert isinstance(message.payload, bytes)
                self.heard.append((str(message.topic), message.payload))

    async def shout(self, root: str, seats: int) -> None:
        """Publishes until it is cancelled, each thing to every topic of the table."""
        places = [f"seat/{seat}" for seat in range(seats)]
        places += [f"alive/{seat}" for seat in range(seats)]
        places += ["want", "fault", "lobby"]
        while True:
            # A broker hangs up on whoever goes too far; then it comes again.
            with suppress(aiomqtt.MqttError):
                async with self.client() as client:
                    for payload in self.noise():
                        place = self._rng.choice(places)
                        retain = self._rng.random() < 0.2
                        await client.publish(f"{root}/{place}", payload, qos=0, retain=retain)
                        self.said += 1
                        await asyncio.sleep(0.004)
            await asyncio.sleep(0.01)

    def noise(self) -> Iterator[bytes]:
        """Some of everything."""
        rng = self._rng
        yield rng.randbytes(rng.randrange(1, 400))
        yield b""
        yield b"\x91" * rng.randrange(100, 16_000) + b"\xc0"
        yield b"\x81\xa1k" * 4_000 + b"\xc0"
        yield b"\xdd\xff\xff\xff\xff" + bytes(40)
        yield b"\xc6\x7f\xff\xff\xff" + bytes(40)
        yield write_frame(ChunkFrame(rng.randrange(3), rng.randrange(60), rng.randbytes(500)))
        for _, payload in rng.sample(self.heard, min(8, len(self.heard))):
            yield payload  # replayed as it was
            flipped = bytearray(payload or b"\0")
            flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
            yield bytes(flipped)
            yield from self.signed_again(payload)
        yield rng.randbytes(16 * 1024 + 1)
        yield rng.randbytes(300_000)

    def signed_again(self, payload: bytes) -> Iterator[bytes]:
        """What a seat said, as if it were ours, or as if we were it."""
        with suppress(Malformed):
            frame = read_frame(payload)
            if isinstance(frame, WholeFrame):
                contribution = read_contribution(encode(frame.envelope))
                for step in (contribution.step, contribution.step + 1):
                    packed = encode(replace(contribution.payload, step=step))
                    envelope = pack_envelope(
                        packed, self.identity.sign(DOMAIN_CONTRIBUTION, packed)
                    )
                    yield write_frame(WholeFrame(decode(Envelope, envelope)))
            elif isinstance(frame, RecordFrame):
                place = read_record(frame).place
                yield sign_record(self.identity, read_record(frame))
                yield write_frame(replace(frame, signature=self.identity.sign(b"x", frame.record)))
                yield write_frame(replace(frame, key=self.identity.public))
                yield sign_record(self.identity, Bye(place, False))
                yield sign_record(self.identity, Kick(place, frame.key, "lobby.full"))
                yield sign_record(self.identity, Want(place, 0, tuple(range(20)), 255))
                yield sign_record(self.identity, Alive(place, 10_000, bytes(32)))
                yield sign_record(self.identity, FaultReport(place, 1, 0, "chain.equivocation"))


async def play(table: Table) -> tuple[Result, Mapping[str, int]]:
    """A match, and what was dropped in it."""
    result = await table.play(strategy("simple", random.Random(0)))
    return result, table.dropped


@asynccontextmanager
async def shouting(url: BrokerUrl, root: str, seats: int) -> AsyncIterator[list[Stranger]]:
    """Two strangers at work."""
    strangers = [Stranger(url, seed) for seed in range(2)]
    tasks = [asyncio.create_task(stranger.listen()) for stranger in strangers]
    tasks += [asyncio.create_task(stranger.shout(root, seats)) for stranger in strangers]
    try:
        yield strangers
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def match_in_noise(broker: str | None) -> tuple[list[Result], Counter[str], int]:
    """A host with a bot and two guests; the results of three, what they dropped, what was said."""
    places: list[str] = []
    async with AsyncExitStack() as stack:
        host, *guests = [
            await stack.enter_async_context(Peer(name, broker=broker, interface="127.0.0.1"))
            for name in ("Ada", "Bob", "Cyd")
        ]
        host._notices = Notices(opened=places.extend)
        begun = asyncio.create_task(host.host("oh-hell", seats=4, bots=1, hands=HANDS))
        if broker is None:
            await until(lambda: places or begun.done(), WITHIN)
        url = BrokerUrl.parse(broker or places[0])
        joining = [
            asyncio.create_task(guest.join(places[0] if places else None)) for guest in guests
        ]
        tables = await asyncio.gather(begun, *joining)
        root = f"p2pcards/1/{tables[0].agreement.draft.place.hex()}"
        async with shouting(url, root, 4) as strangers:
            played = await asyncio.gather(*map(play, tables))
        dropped = sum((Counter(each) for _, each in played), Counter[str]())
        return [result for result, _ in played], dropped, sum(s.said for s in strangers)


def check_unharmed(results: list[Result], said: int) -> None:
    """One log, honest, and there was something to be heard above."""
    assert len({result.log for result in results}) == 1
    assert audit(results[0].log, RealKernel()).verdict == "honest"
    assert len(results[0].sheet) == HANDS
    assert said > 100


def test_noise_at_the_embedded_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate keeps it out, and counts it."""
    monkeypatch.setattr(script, "PORT", 0)
    counts: list[dict[str, int]] = []
    stop = EmbeddedBroker.stop

    async def count(broker: EmbeddedBroker) -> None:
        counts.append(await broker.dropped())
        await stop(broker)

    monkeypatch.setattr(EmbeddedBroker, "stop", count)

    async def scenario() -> tuple[list[Result], Counter[str], int]:
        async with asyncio.timeout(WITHIN):
            return await match_in_noise(None)

    results, dropped, said = asyncio.run(scenario())
    check_unharmed(results, said)
    assert counts[0]["publish.refused"] > said / 4
    assert counts[0]["mqtt.too_long"] > 0
    # What a stranger signs in its own name reaches the lobby; that is all.
    assert set(dropped) <= {"malformed.stranger", "malformed.place", "malformed.chunk"}


@pytest.mark.mosquitto
def test_noise_at_a_broker_that_lets_everything_through(tmp_path: Path) -> None:
    async def scenario(url: str) -> tuple[list[Result], Counter[str], int]:
        async with asyncio.timeout(WITHIN):
            return await match_in_noise(url)

    with mosquitto(tmp_path) as url:
        results, dropped, said = asyncio.run(scenario(url))
    check_unharmed(results, said)
    for code in ("malformed.msgpack", "malformed.signature", "malformed.stranger"):
        assert dropped[code] > 0, dropped
    assert all(code.startswith("malformed.") for code in dropped), dropped
