"""Security groups as the firewall of a VPC's router. Pure, touches nothing.

Every packet from or to a host passes the router once, since no two hosts share a wire. A packet
that begins a connection must be allowed to leave by a group of its sender and to enter by a group
of its receiver; what belongs to a connection passes, also after the rule that allowed it is gone,
as on AWS:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/security-group-connection-tracking.html
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from ipaddress import IPv4Address

from orchestrate.lab.spec import HostSpec
from orchestrate.lab.topology import link_name
from orchestrate.lab.vpc.models import EVERY_PROTOCOL, Rule, SecurityGroup

_GROUP = re.compile(r"sg-[a-z0-9-]{1,40}")
# Of a protocol, as IANA counts them.
_NUMBER = re.compile(r"[0-9]{1,3}")

Members = Mapping[str, Set[IPv4Address]]


def members(specs: Iterable[HostSpec]) -> dict[str, set[IPv4Address]]:
    """Who is in a group, whatever its VPC: a rule may name a group of a peer."""
    found: dict[str, set[IPv4Address]] = {}
    for spec in _running(specs):
        for group in spec.security_groups:
            found.setdefault(group, set()).add(spec.private_ip)
    return found


def firewall(specs: Iterable[HostSpec], groups: Iterable[SecurityGroup], members: Members) -> str:
    """For `nft` in a VPC's router: the groups of its hosts `specs`, replaced as a whole.

    Hosts that are in no set yet can neither be reached nor reach anybody.
    """
    hosts = sorted(_running(specs), key=lambda spec: spec.instance_id)
    used = {name for spec in hosts for name in spec.security_groups}
    in_use = sorted((one for one in groups if one.group_id in used), key=lambda one: one.group_id)
    checked = [spec for spec in hosts if spec.source_dest_check]
    own = [f'"{_port(spec)}" . {spec.private_ip}' for spec in checked]
    named = sorted({name for one in in_use for name in _named(one)})
    parts = [
        _set("checked", "ifname", [f'"{_port(spec)}"' for spec in checked]),
        _set("own_addresses", "ifname . ipv4_addr", own),
        *(_set(f"{name}-members", "ipv4_addr", sorted(members.get(name, ()))) for name in named),
        *(part for group in in_use for part in _group(group, hosts)),
        _base_chains([group.group_id for group in in_use]),
    ]
    table = "table ip firewall"
    return "\n".join([table, f"delete {table}", f"{table} {{", *parts, "}", ""])


def allowing(rule: Rule, direction: str) -> str:
    """A rule as one of `nft`; `direction` is the field of the peer's address: saddr or daddr.

    Whoever may call the API names protocols and peers: what is none of nft's words allows nothing.
    """
    if not _is_plain(rule):
        return "# not a rule of EC2's"
    peer = f"@{rule.peer}-members" if isinstance(rule.peer, str) else str(rule.peer)
    words = [f"ip {direction} {peer}", _protocol(rule), "accept"]
    return " ".join(word for word in words if word)


def _is_plain(rule: Rule) -> bool:
    named = isinstance(rule.peer, str)
    return (not named or _GROUP.fullmatch(str(rule.peer)) is not None) and (
        rule.protocol in (EVERY_PROTOCOL, "tcp", "udp", "icmp")
        or _NUMBER.fullmatch(rule.protocol) is not None
    )


def _protocol(rule: Rule) -> str:
    first, last = rule.first, rule.last
    match rule.protocol:
        case protocol if protocol == EVERY_PROTOCOL:
            return ""
        case "tcp" | "udp" if first in (None, -1):
            return f"ip protocol {rule.protocol}"
        case "tcp" | "udp":
            return f"{rule.protocol} dport {first}-{last}"
        case "icmp" if first in (None, -1):
            return "ip protocol icmp"
        case "icmp":
            code = "" if last in (None, -1) else f" icmp code {last}"
            return f"icmp type {first}{code}"
    return f"ip protocol {rule.protocol}"


def _group(group: SecurityGroup, hosts: Sequence[HostSpec]) -> Iterator[str]:
    name = group.group_id
    ports = [f'"{_port(spec)}"' for spec in hosts if name in spec.security_groups]
    yield _set(f"{name}-ports", "ifname", ports)
    yield _chain(f"{name}-in", [allowing(rule, "saddr") for rule in group.inbound])
    yield _chain(f"{name}-out", [allowing(rule, "daddr") for rule in group.outbound])


def _base_chains(groups: Sequence[str]) -> str:
    """What is allowed to leave comes to the second chain of the same hook, and no further."""
    known = "ct state established,related accept"
    return "\n".join(
        [
            _chain(
                "source_check",
                [
                    "type filter hook prerouting priority raw; policy accept;",
                    "iifname @checked iifname . ip saddr != @own_addresses drop",
                ],
            ),
            _chain(
                "leave",
                [
                    "type filter hook forward priority filter - 1; policy accept;",
                    known,
                    *(f"iifname @{name}-ports jump {name}-out" for name in groups),
                    'iifname "i-*" drop',
                ],
            ),
            _chain(
                "enter",
                [
                    "type filter hook forward priority filter; policy accept;",
                    "oifname @checked oifname . ip daddr != @own_addresses drop",
                    known,
                    *(f"oifname @{name}-ports jump {name}-in" for name in groups),
                    'oifname "i-*" drop',
                ],
            ),
        ]
    )


def _set(name: str, kind: str, elements: Sequence[object]) -> str:
    lines = [f"type {kind};"]
    if elements:
        lines.append(f"elements = {{ {', '.join(map(str, elements))} }}")
    return _block(f"set {name}", lines)


def _chain(name: str, rules: Sequence[str]) -> str:
    return _block(f"chain {name}", rules)


def _block(head: str, lines: Sequence[str]) -> str:
    return "\n".join([f"  {head} {{", *(f"    {line}" for line in lines), "  }"])


def _named(group: SecurityGroup) -> set[str]:
    """The groups that its rules name."""
    rules = group.inbound + group.outbound
    return {rule.peer for rule in rules if isinstance(rule.peer, str) and _is_plain(rule)}


def _running(specs: Iterable[HostSpec]) -> Iterator[HostSpec]:
    return (spec for spec in specs if spec.state == "running")


def _port(spec: HostSpec) -> str:
    return link_name(spec.instance_id)
