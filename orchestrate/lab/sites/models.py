"""A site as the lab builds it: plain data, and its form as a document. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from orchestrate.plain_text import is_word, shown


@dataclass(frozen=True)
class Lan:
    """A network of a site; `gateway` is the address that the site's gateway has on it."""

    name: str
    cidr: IPv4Network
    gateway: IPv4Address


@dataclass(frozen=True)
class Rack:
    """A host in a rack: `name` without its site's, `sf-cpu1`."""

    name: str
    lan: str
    address: IPv4Address


@dataclass(frozen=True)
class Site:
    """A site, with those of its LANs that have hosts. `gateway` names one of `racks`.

    `public` is the gateway's address to the world, `login` the one that racks were installed with.
    """

    name: str
    login: str
    public: IPv4Address
    gateway: str
    lans: tuple[Lan, ...]
    racks: tuple[Rack, ...]


@dataclass(frozen=True)
class Uplink:
    """What a gateway has beside its own LAN: the way out, and the site's other LANs.

    The lab's internet knows it as `public`; to this machine it is `alias`, of the lab's own range,
    because the fleet may name any address and somebody else may have it.
    """

    public: IPv4Address
    alias: IPv4Address
    lans: tuple[Lan, ...]


def document(site: Site) -> dict[str, Any]:
    """The site as JSON has it."""
    return {
        "name": site.name,
        "login": site.login,
        "public": str(site.public),
        "gateway": site.gateway,
        "lans": [
            {"name": lan.name, "cidr": str(lan.cidr), "gateway": str(lan.gateway)}
            for lan in site.lans
        ],
        "racks": [
            {"name": rack.name, "lan": rack.lan, "address": str(rack.address)}
            for rack in site.racks
        ],
    }


def site_of(found: Mapping[str, Any]) -> Site:
    """The site of a document. Raises KeyError, TypeError, ValueError for what is none: names become
    folders, namespaces and lines of files.
    """
    return Site(
        name=_word(found["name"]),
        login=_word(found["login"]),
        public=IPv4Address(found["public"]),
        gateway=_word(found["gateway"]),
        lans=tuple(
            Lan(_word(lan["name"]), IPv4Network(lan["cidr"]), IPv4Address(lan["gateway"]))
            for lan in found["lans"]
        ),
        racks=tuple(
            Rack(_word(rack["name"]), _word(rack["lan"]), IPv4Address(rack["address"]))
            for rack in found["racks"]
        ),
    )


def _word(text: Any) -> str:
    if not (isinstance(text, str) and is_word(text)):
        raise ValueError(f"'{shown(text)}' is no plain word")
    return text
