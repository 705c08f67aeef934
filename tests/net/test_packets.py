"""The guard's reading of MQTT packets: what it takes, what it refuses, and that it never breaks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pcards.errors import Malformed
from p2pcards.net import packets
from tests.net import raw


def body(packet: bytes) -> bytes:
    """The body of a packet shorter than 128 bytes."""
    return packet[2:]


@pytest.mark.parametrize(
    "topic",
    ["p2pcards/1/00aa/seat/3", "p2pcards/1/00aa/want", "p2pcards/1/lobby-2"],
)
def test_our_topics(topic: str) -> None:
    assert packets.is_topic(topic)
    assert packets.is_filter(topic)


@pytest.mark.parametrize(
    "topic",
    [
        "",
        "p2pcards/1",
        "p2pcards/1/",
        "p2pcards/2/00aa/want",
        "/p2pcards/1/00aa",
        "p2pcards/1//want",
        "p2pcards/1/00aa/want\n",
        "p2pcards/1/00AA",
        "p2pcards/1/a b",
        "$SYS/broker",
        "p2pcards/1/" + "a" * 65,
        "p2pcards/1/a/b/c/d/e/f/g",
    ],
)
def test_other_topics(topic: str) -> None:
    assert not packets.is_topic(topic)
    assert not packets.is_filter(topic)


@pytest.mark.parametrize(
    "filter_", ["p2pcards/1/#", "p2pcards/1/+/lobby", "p2pcards/1/00aa/seat/#"]
)
def test_our_filters(filter_: str) -> None:
    assert packets.is_filter(filter_)
    assert not packets.is_topic(filter_)


@pytest.mark.parametrize(
    "filter_", ["#", "+/1/00aa", "p2pcards/#", "p2pcards/1#", "p2pcards/1/a#", "p2pcards/1/#/a"]
)
def test_other_filters(filter_: str) -> None:
    assert not packets.is_filter(filter_)


def test_connect_is_read_and_written_anew() -> None:
    asked = packets.parse_connect(body(raw.connect("peer-1", keepalive=7)))
    assert asked == packets.Connect("peer-1", 7)
    written = packets.connect("peer-1")
    assert written[0] == 0x10
    assert packets.parse_connect(body(written)) == packets.Connect("peer-1", 0)


@pytest.mark.parametrize(
    "packet, answer",
    [
        (raw.connect(level=5), packets.BAD_PROTOCOL),
        (raw.connect(level=3), packets.BAD_PROTOCOL),
        (raw.connect(flags=0x06), packets.NOT_AUTHORIZED),
        (raw.connect("with space"), packets.BAD_IDENTIFIER),
        (raw.connect("x" * 65), packets.BAD_IDENTIFIER),
        (raw.connect("", flags=0), packets.BAD_IDENTIFIER),
    ],
)
def test_connects_that_are_answered_with_a_refusal(packet: bytes, answer: int) -> None:
    with pytest.raises(packets.Unwelcome) as refusal:
        packets.parse_connect(body(packet))
    assert refusal.value.answer == answer


@pytest.mark.parametrize(
    "packet",
    [
        raw.connect(flags=0x03),
        raw.connect(flags=0x42),
        raw.connect() + b"x",
        raw.connect()[:-1],
        b"\x10\x04" + raw.text("HI"),
    ],
)
def test_malformed_connects(packet: bytes) -> None:
    with pytest.raises(Malformed) as refusal:
        packets.parse_connect(body(packet))
    assert not isinstance(refusal.value, packets.Unwelcome)


def test_publish_is_read_and_written_at_qos_0() -> None:
    message = packets.parse_publish(0b0011, body(raw.publish(b"hi", packet_id=9)))
    assert message == packets.Publish(raw.TOPIC, b"hi", 9, retain=True)
    written = packets.publish(message)
    assert written[0] == 0x31
    assert packets.parse_publish(1, body(written)) == packets.Publish(
        raw.TOPIC, b"hi", 0, retain=True
    )


@pytest.mark.parametrize(
    "flags, content",
    [
        (0b0100, raw.text(raw.TOPIC) + b"\0\1"),  # QoS 2
        (0b0110, raw.text(raw.TOPIC) + b"\0\1"),  # QoS 3
        (0b0010, raw.text(raw.TOPIC) + b"\0\0"),  # packet identifier 0
        (0b0010, raw.text(raw.TOPIC) + b"\0"),
        (0, raw.text("")),
        (0, raw.text("p2pcards/1/+/want")),
        (0, raw.text("p2pcards/1/#")),
        (0, raw.text("p2pcards/1/\0")),
        (0, raw.text("$SYS/x")),
        (0, b"\0\2\xff\xfe"),
        (0, b"\xff\xffabc"),
        (0, b""),
    ],
)
def test_malformed_publishes(flags: int, content: bytes) -> None:
    with pytest.raises(Malformed):
        packets.parse_publish(flags, content)


def test_subscribe_and_unsubscribe_are_read_and_written() -> None:
    request = packets.parse_subscribe(2, body(raw.subscribe("p2pcards/1/#", 5)))
    assert request == packets.Subscribe(5, ("p2pcards/1/#",))
    written = packets.subscribe(request)
    assert written[-1] == 0
    assert packets.parse_subscribe(2, body(written)) == request
    assert packets.parse_unsubscribe(2, body(packets.unsubscribe(request))) == request


@pytest.mark.parametrize(
    "flags, content",
    [
        (0, b"\0\1" + raw.text("a") + b"\0"),
        (2, b"\0\0" + raw.text("a") + b"\0"),
        (2, b"\0\1" + raw.text("a") + b"\3"),
        (2, b"\0\1" + raw.text("a")),
        (2, b"\0\1" + raw.text("") + b"\0"),
        (2, b"\0\1"),
        (2, b"\0\1" + (raw.text("a") + b"\0") * (packets.FILTERS_LIMIT + 1)),
    ],
)
def test_malformed_subscribes(flags: int, content: bytes) -> None:
    with pytest.raises(Malformed):
        packets.parse_subscribe(flags, content)


@given(flags=st.integers(0, 15), content=st.binary(max_size=64))
def test_any_bytes_are_read_or_malformed(flags: int, content: bytes) -> None:
    def read_connect(_: int, connect: bytes) -> object:
        return packets.parse_connect(connect)

    for parse in (
        read_connect,
        packets.parse_publish,
        packets.parse_subscribe,
        packets.parse_unsubscribe,
        packets.check_puback,
        packets.check_bare,
    ):
        try:
            parse(flags, content)
        except Malformed:
            continue


def test_long_packets_have_long_lengths() -> None:
    message = packets.Publish(raw.TOPIC, bytes(20_000), 0, retain=False)
    written = packets.publish(message)
    length = len(raw.text(raw.TOPIC)) + 20_000
    assert written[1:4] == bytes([length % 128 | 128, length // 128 % 128 | 128, length // 16384])
    assert len(written) == 4 + length
