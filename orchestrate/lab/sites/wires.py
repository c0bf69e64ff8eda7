"""A site's network as text: what `ip` and `nft` are told. Pure, touches nothing.

A namespace is the site's switch, with a bridge per LAN; hosts hang on it by a veth pair each, the
gateway by one per LAN. The gateway's other link leads to the lab's internet, and what goes out by
it, and what comes in, is the gateway host's own business, as it is in a server room.

    sf-cpu1 | eth0 ══ r-… | site-sf, bridge b-… | r-… ══ eth0 | sf-gw1 | wan ══ u-… | internet
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from ipaddress import IPv4Address

from orchestrate.lab.sites.models import Lan, Uplink
from orchestrate.lab.spec import RackSpec
from orchestrate.lab.topology import (
    ID_DIGITS,
    INTERNET_END,
    ROUTER_SYSCTLS,
    WIRED,
    Slot,
    named,
)

GATEWAY_SYSCTLS = ROUTER_SYSCTLS


def link_name(kind: str, *names: str) -> str:
    """A link's name, at most 15 characters, for what has names too long for it."""
    return f"{kind}-{sha256('/'.join(names).encode()).hexdigest()[:ID_DIGITS]}"


def bridge(lan: str) -> str:
    return link_name("b", lan)


def port(spec: RackSpec, lan: str) -> str:
    """The switch's end of a host's wire on a LAN."""
    return link_name("r", spec.instance_id, lan)


def uplink_port(site: str) -> str:
    """The internet's end of a gateway's wire."""
    return link_name("u", site)


def switch(namespace: str) -> list[str]:
    """For `ip` in the main namespace."""
    return [f"netns add {namespace}"]


def lan_inside(lan: Lan) -> list[str]:
    """For `ip` in the switch's namespace: it carries packets and has no address itself."""
    return [
        f"link add {bridge(lan.name)} type bridge",
        f"link set {bridge(lan.name)} addrgenmode none up",
    ]


def wires(slot: Slot, spec: RackSpec, leader: int) -> list[str]:
    """For `ip` in the main namespace: that of a host's first process, and all its wires."""
    inside, site = slot.namespace(spec.instance_id), slot.namespace(spec.site)
    lines = [named(inside, leader)]
    for number, lan in enumerate(_lans(spec)):
        lines.append(
            f"link add {port(spec, lan.name)} netns {site}"
            f" type veth peer name eth{number} netns {inside}"
        )
    if spec.uplink:
        lines.append(
            f"link add {uplink_port(spec.site)} netns {slot.internet}"
            f" type veth peer name wan netns {inside}"
        )
    return lines


def switch_ports(spec: RackSpec) -> list[str]:
    """For `ip` in the switch's namespace."""
    return [
        f"link set {port(spec, lan.name)} addrgenmode none master {bridge(lan.name)} up"
        for lan in _lans(spec)
    ]


def inside(spec: RackSpec) -> list[str]:
    """For `ip` in the host's own namespace."""
    lines = ["link set lo up"]
    for number, lan in enumerate(_lans(spec)):
        address = spec.private_ip if number == 0 else lan.gateway
        lines += [
            f"address add {address}/{lan.cidr.prefixlen} dev eth{number}",
            f"link set eth{number} up",
        ]
    if spec.uplink is None:
        return [*lines, f"route add default via {spec.lan.gateway}", WIRED]
    public = spec.uplink.public
    return [
        *lines,
        f"address add {public}/32 dev wan",
        "link set wan up",
        f"route add default via {INTERNET_END} dev wan onlink src {public}",
        WIRED,
    ]


def gateway_rules(uplink: Uplink) -> str:
    """For `nft` in a gateway's namespace: the LANs get out by its address, nobody gets in."""
    lans = ", ".join(str(lan.cidr) for lan in uplink.lans)
    return f"""\
table ip uplink {{
  chain forward {{
    type filter hook forward priority filter; policy accept;
    iifname "wan" ct state established,related accept
    iifname "wan" drop
  }}
  chain postrouting {{
    type nat hook postrouting priority srcnat; policy accept;
    oifname "wan" ip saddr {{ {lans} }} snat to {uplink.public}
  }}
}}
"""


def internet_port(spec: RackSpec, uplink: Uplink) -> list[str]:
    """For `ip` in the internet's namespace: the way to a gateway."""
    link = uplink_port(spec.site)
    return [
        f"address add {INTERNET_END}/32 dev {link}",
        f"link set {link} up",
        f"route replace {uplink.public}/32 dev {link}",
    ]


def aliases(uplinks: Sequence[Uplink]) -> Mapping[IPv4Address, IPv4Address]:
    """How this machine's packets to gateways are readdressed on the lab's internet."""
    return {uplink.alias: uplink.public for uplink in uplinks}


def _lans(spec: RackSpec) -> list[Lan]:
    """A host's own LAN first."""
    others = spec.uplink.lans if spec.uplink else ()
    return [spec.lan, *(lan for lan in others if lan != spec.lan)]
