"""Which addresses are offered, in which order, on made-up machines."""

from pathlib import Path

import ifaddr
import pytest

from p2pcards.errors import BadOption
from p2pcards.net import interfaces


def adapter(name: str, *ips: tuple[str, int]) -> ifaddr.Adapter:
    """An interface with these addresses and prefix lengths."""
    found = [ifaddr.IP((text, 0, 7) if ":" in text else text, length, name) for text, length in ips]
    return ifaddr.Adapter(name, name, found)


MACHINE = [
    adapter("lo", ("127.0.0.1", 8), ("::1", 128)),
    adapter("docker0", ("172.17.0.1", 16)),
    adapter("br-12ab", ("172.18.0.1", 16)),
    adapter("virbr0", ("192.168.122.1", 24)),
    adapter("vEthernet (WSL)", ("172.29.0.1", 20)),
    adapter("usb0", ("169.254.3.4", 16)),
    adapter("ppp0", ("93.184.216.34", 24)),
    adapter("wlan0", ("192.168.1.5", 24), ("fe80::5", 64), ("fd00::5", 64), ("2600::5", 64)),
    adapter("off0", ("10.9.9.9", 24)),
]


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_text(path: Path, _encoding: str) -> str:
        if path.parts[:4] != ("/", "sys", "class", "net"):
            raise AssertionError(path)
        if path.parts[4] == "off0":
            return "down\n"
        raise FileNotFoundError(path)

    monkeypatch.setattr(ifaddr, "get_adapters", lambda: MACHINE)
    monkeypatch.setattr(Path, "read_text", read_text)


def found(interface: str | None = None) -> list[str]:
    """The addresses as text."""
    return [local.address for local in interfaces.addresses(interface)]


def test_the_private_network_comes_first_and_the_unreachable_not_at_all() -> None:
    assert found() == ["192.168.1.5", "fd00::5", "fe80::5%7", "169.254.3.4", "93.184.216.34"]


def test_no_network_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: MACHINE[:3])
    assert found() == []


@pytest.mark.parametrize(
    "chosen, there",
    [
        ("192.168.1.5", ["192.168.1.5"]),
        ("172.17.0.1", ["172.17.0.1"]),
        ("2600::5", ["2600::5"]),
        ("fe80::5", ["fe80::5%7"]),
        ("fe80::5%7", ["fe80::5%7"]),
        ("localhost", ["127.0.0.1"]),
        ("lo", ["127.0.0.1", "::1"]),
        ("wlan0", ["192.168.1.5", "2600::5", "fd00::5", "fe80::5%7"]),
        ("off0", ["10.9.9.9"]),
    ],
)
def test_a_chosen_interface_is_taken_whatever_it_is(chosen: str, there: list[str]) -> None:
    assert found(chosen) == there


@pytest.mark.parametrize("chosen", ["192.168.1.6", "eth9", "fe80::5%8", "", "2600::6"])
def test_an_unknown_interface_is_refused_with_what_there_is(chosen: str) -> None:
    with pytest.raises(BadOption) as refusal:
        interfaces.addresses(chosen)
    assert refusal.value.code == "interface.unknown"
    assert "192.168.1.5 (wlan0)" in refusal.value.detail


def test_loopback_is_known_as_such() -> None:
    (local,) = interfaces.addresses("127.0.0.1")
    assert local.is_loopback
    assert local.is_ipv4
    assert interfaces.loopback().is_loopback
    assert not interfaces.addresses()[0].is_loopback


def test_addresses_of_others_nearest_first_and_never_our_own_bridges() -> None:
    claimed = ["8.8.8.8", "172.17.0.1", "10.0.0.3", "fe80::9%2", "junk", "127.0.0.1", "192.168.1.9"]
    assert interfaces.preferred(claimed) == ["192.168.1.9", "10.0.0.3", "fe80::9%2", "8.8.8.8"]
    assert interfaces.preferred(["127.0.0.1", "172.17.0.1"]) == ["127.0.0.1"]
    assert interfaces.preferred([]) == []
