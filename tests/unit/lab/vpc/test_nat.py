"""Which public address is whose, and how packets find it."""

from ipaddress import IPv4Address, IPv4Network

import pytest

from orchestrate.lab.vpc import nat
from orchestrate.lab.vpc.models import NatGateway, Networks, Vpc
from tests.lab.specs import VPC, a_spec

PUBLIC = IPv4Address("198.18.0.16")
OTHER = IPv4Address("198.18.0.17")
PRIVATE = IPv4Address("10.1.0.11")
GATEWAY = NatGateway("nat-01", "subnet-01", IPv4Address("10.1.0.4"), OTHER)


def test_public_addresses_belong_to_running_hosts_only() -> None:
    specs = [
        a_spec(1, public_ip=PUBLIC),
        a_spec(2, public_ip=OTHER, state="stopped"),
        a_spec(3),
    ]

    assert nat.published(specs, Networks()) == {VPC: {PUBLIC: PRIVATE}}


def test_a_nat_gateway_is_seen_by_its_elastic_address() -> None:
    vpc = Vpc(VPC, (IPv4Network("10.1.0.0/16"),), nat_gateways=(GATEWAY,))

    found = nat.published([a_spec(1, public_ip=PUBLIC)], Networks({VPC: vpc}))

    assert found == {VPC: {OTHER: GATEWAY.private_ip, PUBLIC: PRIVATE}}


def test_the_internet_gateway_translates_one_to_one_both_ways() -> None:
    rules = nat.internet_gateway({PUBLIC: PRIVATE})

    assert "elements = { 198.18.0.16 : 10.1.0.11 }" in rules
    assert "elements = { 10.1.0.11 : 198.18.0.16 }" in rules


def test_without_public_addresses_the_maps_are_empty() -> None:
    assert "elements" not in nat.internet_gateway({})


def test_what_passes_a_nat_gateway_leaves_with_its_address() -> None:
    assert "snat to 10.1.0.4" in nat.nat_gateway(GATEWAY)


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
    assert nat.public_routes(before, after) == lines
