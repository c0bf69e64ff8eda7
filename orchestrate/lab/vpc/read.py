"""Networks read from moto's EC2. Changes nothing.

Call with the API's lock held: the models are moto's own, live.
"""

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from moto.ec2.models import ec2_backends

from orchestrate.lab.spec import HostSpec
from orchestrate.lab.vpc.models import (
    NatGateway,
    Networks,
    Peering,
    Route,
    Rule,
    SecurityGroup,
    Subnet,
    Vpc,
)

NOTHING_LEFT = {"deleted", "deleting", "failed"}


def desired_networks(specs: Iterable[HostSpec]) -> Networks:
    """The networks that these instances live in, of every account and region."""
    wanted = {spec.vpc_id for spec in specs}
    vpcs: dict[str, Vpc] = {}
    peerings: dict[str, Peering] = {}
    backends: list[Any] = [backend for _, _, backend in ec2_backends.iter_backends()]
    for backend in backends:
        vpcs.update({name: _vpc(backend, name) for name in wanted & set(backend.vpcs)})
        # A connection between regions is listed in both.
        peerings.update({peering.peering_id: peering for peering in _peerings(backend)})
    between = (one for one in peerings.values() if {one.requester, one.accepter} <= wanted)
    return Networks(vpcs, tuple(sorted(between, key=lambda one: one.peering_id)))


def _vpc(backend: Any, vpc_id: str) -> Vpc:
    vpc = backend.vpcs[vpc_id]
    ranges = (each["cidr_block"] for each in vpc.get_cidr_block_association_set(ipv6=False))
    subnets = [
        subnet
        for by_zone in backend.subnets.values()
        for subnet in by_zone.values()
        if subnet.vpc_id == vpc_id
    ]
    names = {subnet.id for subnet in subnets}
    return Vpc(
        vpc_id,
        tuple(map(IPv4Network, dict.fromkeys([vpc.cidr_block, *ranges]))),
        tuple(_subnet(backend, subnet) for subnet in subnets),
        tuple(_nat_gateways(backend, names)),
        tuple(_security_group(group) for group in backend.groups[vpc_id].values()),
    )


def _subnet(backend: Any, subnet: Any) -> Subnet:
    tables = [table for table in backend.route_tables.values() if table.vpc_id == subnet.vpc_id]
    own = [table for table in tables if subnet.id in table._associations.values()]
    main = [table for table in tables if table.main_association_id is not None]
    return Subnet(
        subnet.id,
        IPv4Network(subnet.cidr_block),
        tuple(
            _route(backend, subnet.vpc_id, route)
            for table in (own or main)[:1]
            for route in table._routes.values()
            if route.destination_cidr_block
        ),
    )


def _route(backend: Any, vpc_id: str, route: Any) -> Route:
    to = IPv4Network(route.destination_cidr_block)
    gateway, instance = route.gateway, route.instance
    if route.interface is not None:
        instance = route.interface.instance
    if route.local:
        return Route(to, "local")
    if instance is not None:
        return Route(to, "instance", instance.id)
    if route.nat_gateway is not None:
        return Route(to, "nat", route.nat_gateway.id)
    if route.vpc_pcx is not None:
        return Route(to, "peering", route.vpc_pcx.id)
    # One that was detached or deleted while a route led to it is a black hole.
    attached = gateway is not None and gateway.id in backend.internet_gateways
    if attached and gateway.vpc is not None and gateway.vpc.id == vpc_id:
        return Route(to, "internet")
    return Route(to, "nothing")


def _nat_gateways(backend: Any, subnets: set[str]) -> Iterator[NatGateway]:
    for gateway in backend.nat_gateways.values():
        if gateway.subnet_id in subnets and gateway.state not in NOTHING_LEFT:
            interface = gateway._eni
            yield NatGateway(
                gateway.id,
                gateway.subnet_id,
                IPv4Address(interface.private_ip_address),
                IPv4Address(interface.public_ip) if interface.public_ip else None,
            )


def _peerings(backend: Any) -> Iterator[Peering]:
    for peering in backend.vpc_pcxs.values():
        if peering._status.code == "active":
            yield Peering(peering.id, peering.vpc.id, peering.peer_vpc.id)


def _security_group(group: Any) -> SecurityGroup:
    return SecurityGroup(
        group.id,
        tuple(_rules(group.ingress_rules)),
        tuple(_rules(group.egress_rules)),
    )


def _rules(rules: Iterable[Any]) -> Iterator[Rule]:
    """Those about IPv4 ranges and groups; a prefix list is AWS's own services, not here."""
    for rule in rules:
        peer = rule.source_group.get("GroupId")
        if rule.ip_range.get("CidrIp"):
            peer = IPv4Network(rule.ip_range["CidrIp"], strict=False)
        if peer:
            yield Rule(rule.ip_protocol, _number(rule.from_port), _number(rule.to_port), peer)


def _number(port: Any) -> int | None:
    return None if port is None else int(port)
