"""Which of this machine's addresses a table is offered on.

Leaves out what other laptops cannot reach (loopback, interfaces that are down, bridges of
containers and virtual machines) and puts the private network first. `--interface` picks one.
Reads the list of interfaces, opens no connection. protocol.md section 10.5.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import ifaddr

from p2pcards.errors import BadOption

_VIRTUAL = (
    "docker",
    "br-",
    "veth",
    "virbr",
    "vbox",
    "vmnet",
    "vethernet",
    "lxc",
    "lxd",
    "cni",
    "podman",
    "flannel",
    "cali",
)
"""How names of interfaces begin (in lower case) that lead to containers and virtual machines."""

_IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
_IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class LocalAddress:
    """One address of ours: as text (IPv6 link-local with its zone), with its network."""

    address: str
    network: _IpNetwork
    interface: str

    @property
    def is_loopback(self) -> bool:
        """True of addresses that no other machine can reach."""
        return self.network.is_loopback

    @property
    def is_ipv4(self) -> bool:
        """True of IPv4, false of IPv6."""
        return self.network.version == 4


def addresses(interface: str | None = None) -> list[LocalAddress]:
    """The addresses to listen on and to advertise, best first; may be empty.

    `interface`: one address of ours, or an interface's name; then exactly those, loopback and
    virtual ones too. Raises `BadOption("interface.unknown")`, naming what there is.
    """
    everything = list(_addresses())
    if interface is not None:
        return _chosen(interface, everything)
    useful = [local for local in everything if _is_useful(local)]
    return sorted(useful, key=_preference)


def loopback() -> LocalAddress:
    """The address for a table whose seats are all on this machine."""
    return LocalAddress("127.0.0.1", ipaddress.IPv4Network("127.0.0.0/8"), "lo")


def preferred(candidates: Iterable[str]) -> list[str]:
    """The addresses of another peer, those most likely to lead there first.

    Addresses on our own bridges are left out: a 172.17.0.1 that somebody else advertises is our
    own docker0. Loopback ones are left out too, unless there are no others.
    """
    ours = list(_addresses())
    bridges = [local for local in ours if _is_virtual(local.interface)]
    near = [local.network for local in ours if local not in bridges]
    scored: list[tuple[int, str]] = []
    for text in dict.fromkeys(candidates):
        with suppress(ValueError):
            address = ipaddress.ip_address(text)
            if not any(address in local.network for local in bridges):
                scored.append((_distance(address, near), text))
    reachable = [pair for pair in scored if pair[0] < _LOOPBACK]
    return [text for _, text in sorted(reachable or scored, key=lambda pair: pair[0])]


_LOOPBACK = 9


def _distance(
    address: _IpAddress, near: list[ipaddress.IPv4Network | ipaddress.IPv6Network]
) -> int:
    if address.is_loopback:
        return _LOOPBACK
    if address.is_link_local:
        return 2
    if any(address in network for network in near):
        return 0
    return 1 if address.is_private else 3


def _addresses() -> Iterable[LocalAddress]:
    for adapter in ifaddr.get_adapters():
        for ip in adapter.ips:
            name = ip.nice_name or adapter.nice_name
            if isinstance(ip.ip, tuple):
                text, _, scope = ip.ip
                zone = f"%{scope}" if scope and ipaddress.ip_address(text).is_link_local else ""
            else:
                text, zone = ip.ip, ""
            network = ipaddress.ip_network(f"{text}/{ip.network_prefix}", strict=False)
            yield LocalAddress(text + zone, network, name)


def _chosen(interface: str, everything: list[LocalAddress]) -> list[LocalAddress]:
    wanted = "127.0.0.1" if interface == "localhost" else interface
    try:
        address = ipaddress.ip_address(wanted)
    except ValueError:
        found = [local for local in everything if local.interface == wanted]
        if found:
            return sorted(found, key=_preference)
    else:
        for local in everything:
            if _same(address, ipaddress.ip_address(local.address)):
                return [local]
        # On Linux all of 127.0.0.0/8 is this machine, though only one address is listed.
        if address.is_loopback and is_bindable(wanted):
            return [LocalAddress(wanted, ipaddress.ip_network(wanted), "loopback")]
    known = ", ".join(f"{local.address} ({local.interface})" for local in everything)
    raise BadOption("interface.unknown", f"{interface} is not one of ours: {known or 'none'}")


def _same(a: _IpAddress, b: _IpAddress) -> bool:
    """Equal, where a zone that is not given counts as any."""
    if isinstance(a, ipaddress.IPv6Address) and a.scope_id is None:
        return a.packed == b.packed
    return a == b


def is_bindable(address: str) -> bool:
    """Whether one may listen on an address of ours now. IPv6 addresses are listed, but cannot be
    used, for a second or two after the interface has come up (RFC 4862 section 5.4)."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as sock:
            sock.bind((address, 0))
    except OSError:
        return False
    return True


def _is_useful(local: LocalAddress) -> bool:
    address = ipaddress.ip_address(local.address)
    if local.is_loopback or address.is_unspecified or _is_virtual(local.interface):
        return False
    # A global IPv6 address is reachable from the whole internet, which nobody asked for.
    if not local.is_ipv4 and address.is_global:
        return False
    return _is_up(local.interface)


def _is_virtual(name: str) -> bool:
    return name.lower().startswith(_VIRTUAL)


def _is_up(name: str) -> bool:
    """False where Linux says that the cable is out or the interface is off; else True."""
    try:
        state = (Path("/sys/class/net") / name.partition(":")[0] / "operstate").read_text("ascii")
    except (OSError, ValueError):
        return True
    return state.strip() not in ("down", "lowerlayerdown", "notpresent")


def _preference(local: LocalAddress) -> tuple[int, str]:
    address = ipaddress.ip_address(local.address)
    if local.is_ipv4:
        # 169.254/16 is what an interface gives itself when no DHCP server answered.
        rank = 3 if address.is_link_local else 0 if address.is_private else 4
    else:
        rank = 2 if address.is_link_local else 1
    return rank, local.address
