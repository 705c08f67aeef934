"""Brokers' URLs as people type them."""

import pytest

from p2pcards.errors import BadOption
from p2pcards.net.address import BrokerUrl


@pytest.mark.parametrize(
    "text, url",
    [
        ("mqtt://broker.example", BrokerUrl("broker.example", 1883)),
        ("mqtts://broker.example", BrokerUrl("broker.example", 8883, tls=True)),
        ("MQTT://127.0.0.1:1/", BrokerUrl("127.0.0.1", 1)),
        (" mqtt://localhost:4000 ", BrokerUrl("localhost", 4000)),
        ("192.168.1.23", BrokerUrl("192.168.1.23", 1883)),
        ("host:99", BrokerUrl("host", 99)),
        ("fe80::1%eth0", BrokerUrl("fe80::1%eth0", 1883)),
        ("mqtt://[fe80::1%25Eth0]:99", BrokerUrl("fe80::1%Eth0", 99)),
        ("mqtt://[::1]", BrokerUrl("::1", 1883)),
        ("mqtt://ann@h", BrokerUrl("h", 1883, user="ann")),
        ("mqtt://a%40b:p%3Aw@h:5", BrokerUrl("h", 5, user="a@b", password="p:w")),
        ("mqtt://ann:@h", BrokerUrl("h", 1883, user="ann", password="")),
    ],
)
def test_urls(text: str, url: BrokerUrl) -> None:
    assert BrokerUrl.parse(text) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mqtt://",
        "http://host",
        "ws://host",
        "mqtt://host:0",
        "mqtt://host:65536",
        "mqtt://host:port",
        "mqtt://host/path",
        "mqtt://host?x=1",
        "mqtt://host#x",
        "mqtt://:pw@host",
        "mqtt://ho st",
        "mqtt://ho%00st",
        "mqtt://-host",
        "mqtt://[::1",
        "mqtt://[nonsense]",
        "a:b:c",
    ],
)
def test_what_is_no_url(text: str) -> None:
    with pytest.raises(BadOption) as refusal:
        BrokerUrl.parse(text)
    assert refusal.value.code == "broker.url"


def test_the_password_is_never_shown() -> None:
    url = BrokerUrl.parse("mqtts://ann:sesame@[::1]:7")
    assert url.password == "sesame"
    assert str(url) == "mqtts://ann@[::1]:7"
    assert url.place == "[::1]:7"
    assert "sesame" not in repr(url)
