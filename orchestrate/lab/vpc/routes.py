"""A subnet's routes as a routing table of its VPC's router. Pure, touches nothing.

Every host's port looks in the table of its subnet first, then in the router's main table, which
has the hosts of the VPC and nothing else. So what a route table lacks is lacking, and what comes
in from the internet or a peer reaches this VPC's hosts only, as on AWS.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network

from orchestrate.lab.topology import INTERNET_END, link_name
from orchestrate.lab.vpc.models import Route, Subnet
from orchestrate.lab.vpc.peering import PEER

# Before the router's main table, whose rule is number 32766.
PRIORITY = 1000

# (table, destination) -> how `ip route` is told to get there.
Routes = Mapping[tuple[int, IPv4Network], str]

# Stands for a route that may be there or not, after `ip` failed half way.
UNKNOWN = ""


@dataclass(frozen=True)
class Reach:
    """What a router can send packets to now: ids of what is plugged in, with its address."""

    nat_gateways: Mapping[str, IPv4Address] = field(default_factory=dict)
    instances: Mapping[str, IPv4Address] = field(default_factory=dict)
    peerings: Set[str] = frozenset()


def table_number(subnet_id: str) -> int:
    """The number of a subnet's table: past those the kernel and people use (RT_TABLE_MAX is 32
    bits), and the same in every run."""
    return 0x10000000 | int(subnet_id[-7:], 16)


def port_rule(port: str, subnet_id: str) -> str:
    """For `ip` in the router: what comes in at a port is routed by its subnet's table."""
    return f"rule add iif {port} lookup {table_number(subnet_id)} priority {PRIORITY}"


def routes(subnets: Iterable[Subnet], reach: Reach) -> dict[tuple[int, IPv4Network], str]:
    """Every subnet's table, for what the router can reach now."""
    return {
        (table_number(subnet.subnet_id), route.destination): way(route, reach)
        for subnet in subnets
        for route in subnet.routes
    }


def way(route: Route, reach: Reach) -> str:
    """A route as `ip route` words: who takes the packets, or `throw` (ask the main table), or
    `unreachable` where AWS would have a black hole."""
    via, link = route.via, link_name(route.via) if route.via else ""
    match route.target:
        case "local":
            return "throw"
        case "internet":
            return f"via {INTERNET_END} dev internet onlink"
        case "nat" if via in reach.nat_gateways:
            return f"via {reach.nat_gateways[via]} dev {link} onlink"
        case "instance" if via in reach.instances:
            return f"via {reach.instances[via]} dev {link} onlink"
        case "peering" if via in reach.peerings:
            return f"via {PEER} dev {link} onlink"
    return "unreachable"


def changes(before: Routes, after: Routes) -> list[str]:
    """For `ip` in the router: what turns the routes `before` into those `after`.

    Every line may be said twice, so that a batch that failed half way can be told again.
    """
    gone = [
        f"route flush exact {to} table {table}" for table, to in sorted(set(before) - set(after))
    ]
    return gone + [
        _replace(table, to, how)
        for (table, to), how in sorted(after.items())
        if before.get((table, to)) != how
    ]


def _replace(table: int, to: IPv4Network, how: str) -> str:
    kind, target = (how, "") if how in ("throw", "unreachable") else ("unicast", f" {how}")
    return f"route replace {kind} {to}{target} table {table}"
