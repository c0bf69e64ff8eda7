"""What `ip` and `nft` are told, and that it keeps to the slot."""

import re
from ipaddress import IPv4Address

import pytest

from orchestrate.lab import topology
from orchestrate.lab.spec import SLOTS
from orchestrate.lab.topology import Slot
from tests.lab.specs import a_spec

PUBLIC = IPv4Address("198.18.0.16")
OTHER = IPv4Address("198.18.0.17")
PRIVATE = IPv4Address("10.1.0.11")


@pytest.mark.parametrize("number", [0, 7, SLOTS - 1])
def test_the_main_namespace_gets_one_link_and_a_route_to_the_slot_only(number: int) -> None:
    slot = Slot(number)
    lines = topology.internet_links(slot)

    assert [line for line in lines if line.startswith("link add")] == [
        f"link add {slot.link} type veth peer name main netns {slot.internet}"
    ]
    routes = [line for line in lines if line.startswith("route")]
    assert routes == [f"route add {slot.public} via {slot.internet_address} dev {slot.link}"]
    assert slot.main_address in slot.public


@pytest.mark.parametrize("resource", ["vpc", "subnet", "i"])
def test_links_have_names_linux_takes(resource: str) -> None:
    name = topology.link_name(f"{resource}-0123456789abcdef0")

    assert re.fullmatch(r"[vsi]-[0-9a-f]{12}", name)
    assert len(name) < 16


def test_links_of_a_router_have_different_names() -> None:
    names = {topology.link_name(f"{kind}-0123456789abcdef0") for kind in ("vpc", "subnet", "i")}

    assert len(names) == 3


def test_a_host_gets_its_private_address_and_its_subnets_router() -> None:
    assert topology.host_inside(a_spec(1)) == [
        "link set lo up",
        "address add 10.1.0.11/24 dev eth0",
        "link set eth0 up",
        "route add default via 10.1.0.1",
    ]


def test_what_a_vpc_has_no_subnet_for_does_not_go_to_the_internet() -> None:
    assert "route add unreachable 10.1.0.0/16" in topology.vpc_inside(a_spec(1).vpc_cidr)


def test_public_addresses_belong_to_running_hosts_only() -> None:
    specs = [
        a_spec(1, public_ip=PUBLIC),
        a_spec(2, public_ip=OTHER, state="stopped"),
        a_spec(3),
        a_spec(4, vpc_id="vpc-00000000000000002"),
    ]

    assert topology.published(specs) == {
        "vpc-00000000000000001": {PUBLIC: PRIVATE},
        "vpc-00000000000000002": {},
    }


def test_nat_is_one_to_one_both_ways() -> None:
    rules = topology.vpc_nat({PUBLIC: PRIVATE})

    assert "elements = { 198.18.0.16 : 10.1.0.11 }" in rules
    assert "elements = { 10.1.0.11 : 198.18.0.16 }" in rules


def test_without_public_addresses_the_maps_are_empty() -> None:
    assert "elements" not in topology.vpc_nat({})


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ({}, {}, []),
        ({PUBLIC: "vpc-01"}, {PUBLIC: "vpc-01"}, []),
        ({}, {PUBLIC: "vpc-01"}, ["route replace 198.18.0.16/32 via 169.254.0.2 dev v-01 onlink"]),
        ({PUBLIC: "vpc-01"}, {}, ["route flush exact 198.18.0.16/32 dev v-01"]),
        (
            {PUBLIC: "vpc-01"},
            {PUBLIC: "vpc-02"},
            [
                "route flush exact 198.18.0.16/32 dev v-01",
                "route replace 198.18.0.16/32 via 169.254.0.2 dev v-02 onlink",
            ],
        ),
    ],
    ids=["nothing", "unchanged", "new", "gone", "moved to another VPC"],
)
def test_only_routes_that_changed_are_touched_and_old_ones_first(
    before: dict[IPv4Address, str], after: dict[IPv4Address, str], lines: list[str]
) -> None:
    assert topology.public_routes(before, after) == lines
