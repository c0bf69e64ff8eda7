"""VPCs as the EC2 API has them: plain data, compared by value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from typing import Literal

# What a route leads to: this VPC, its internet gateway, a NAT gateway, an active peering
# connection, an instance's interface; or nothing that is there (`state: blackhole`).
Target = Literal["local", "internet", "nat", "peering", "instance", "nothing"]

EVERY_PROTOCOL = "-1"


@dataclass(frozen=True)
class Route:
    """`via` is the id of the NAT gateway, peering connection or instance, "" for the others."""

    destination: IPv4Network
    target: Target
    via: str = ""


@dataclass(frozen=True)
class Subnet:
    """A subnet with the routes of its table: the one associated with it, or the VPC's main one."""

    subnet_id: str
    cidr: IPv4Network
    routes: tuple[Route, ...] = ()


@dataclass(frozen=True)
class NatGateway:
    """An available NAT gateway; without a public address (a private one) it only translates."""

    gateway_id: str
    subnet_id: str
    private_ip: IPv4Address
    public_ip: IPv4Address | None


@dataclass(frozen=True)
class Rule:
    """What a security group allows. `peer` is a range, or the id of a group.

    `protocol` is `tcp`, `udp`, `icmp`, a number, or EVERY_PROTOCOL. `first` and `last` are ports,
    of ICMP the type and the code; None and -1 mean all.
    """

    protocol: str
    first: int | None
    last: int | None
    peer: IPv4Network | str


@dataclass(frozen=True)
class SecurityGroup:
    group_id: str
    inbound: tuple[Rule, ...] = ()
    outbound: tuple[Rule, ...] = ()


@dataclass(frozen=True)
class Vpc:
    """A VPC with its ranges, the first of them its primary one."""

    vpc_id: str
    cidrs: tuple[IPv4Network, ...]
    subnets: tuple[Subnet, ...] = ()
    nat_gateways: tuple[NatGateway, ...] = ()
    security_groups: tuple[SecurityGroup, ...] = ()


@dataclass(frozen=True)
class Peering:
    """An active peering connection between two VPCs, of whatever regions and accounts."""

    peering_id: str
    requester: str
    accepter: str


@dataclass(frozen=True)
class Networks:
    """All VPCs that have instances, by id, and the connections between them."""

    vpcs: Mapping[str, Vpc] = field(default_factory=dict)
    peerings: tuple[Peering, ...] = ()
