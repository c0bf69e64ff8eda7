"""How hosts and NAT gateways are plugged into a router, and routers into each other."""

from ipaddress import IPv4Address, IPv4Network

from orchestrate.lab.topology import Slot
from orchestrate.lab.vpc import interfaces, peering
from orchestrate.lab.vpc.models import NatGateway, Peering, Subnet
from tests.lab.specs import VPC, a_spec

SLOT = Slot(3)
PEERING = Peering("pcx-0000000000000000c", "vpc-0a", "vpc-0b")


def test_a_host_gets_its_private_address_and_its_subnets_router() -> None:
    assert interfaces.inside(interfaces.of_host(a_spec(1))) == [
        "link set lo up",
        "address add 10.1.0.11/24 dev eth0",
        "link set eth0 up",
        "route add default via 10.1.0.1",
        "link set eth0 alias wired",
    ]


def test_every_host_has_a_wire_of_its_own_and_no_bridge() -> None:
    host = interfaces.of_host(a_spec(1))

    lines = interfaces.wire(SLOT, host) + interfaces.router_end(host)

    assert "route add 10.1.0.11/32 dev i-000000000001" in lines
    assert not [line for line in lines if "bridge" in line or "master" in line]


def test_a_host_s_network_is_that_of_its_first_process_and_a_nat_gateway_s_is_new() -> None:
    host = interfaces.of_host(a_spec(1))

    assert interfaces.wire(SLOT, host, 4711)[0] == f"netns attach ol3-{host.resource_id} 4711"
    assert interfaces.wire(SLOT, host)[0] == f"netns add ol3-{host.resource_id}"


def test_a_nat_gateway_is_plugged_in_like_a_host_of_its_subnet() -> None:
    gateway = NatGateway("nat-0d", "subnet-0e", IPv4Address("10.1.2.4"), None)
    subnet = Subnet("subnet-0e", IPv4Network("10.1.2.0/24"))

    plugged = interfaces.of_nat_gateway(gateway, VPC, subnet)

    assert plugged.port == "n-0d"
    assert "address add 10.1.2.4/24 dev eth0" in interfaces.inside(plugged)
    assert "route add default via 10.1.2.1" in interfaces.inside(plugged)


def test_either_end_of_a_peering_knows_the_others_hardware_address() -> None:
    (wire,) = peering.wire(SLOT, PEERING)
    mine, its = wire.split(" peer ")

    assert "netns ol3-vpc-0a" in mine
    assert "netns ol3-vpc-0b" in its
    for vpc_id, other in (("vpc-0a", its), ("vpc-0b", mine)):
        known = peering.wire_end(PEERING, vpc_id)[1].split()
        assert known[known.index("lladdr") + 1] in other
