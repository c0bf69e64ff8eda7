"""What `ip` and `nft` are told, and that it keeps to the slot."""

import re
from ipaddress import IPv4Network

import pytest

from orchestrate.lab import topology
from orchestrate.lab.spec import SLOTS
from orchestrate.lab.topology import Slot

RANGE = IPv4Network("10.1.0.0/16")


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


@pytest.mark.parametrize("resource", ["vpc", "i", "nat", "pcx"])
def test_links_have_names_linux_takes(resource: str) -> None:
    name = topology.link_name(f"{resource}-0123456789abcdef0")

    assert re.fullmatch(r"[vinp]-[0-9a-f]{12}", name)
    assert len(name) < 16


def test_links_of_a_router_have_different_names() -> None:
    names = {topology.link_name(f"{kind}-0123456789abcdef0") for kind in ("vpc", "i", "nat", "pcx")}

    assert len(names) == 4


def test_a_router_leads_nowhere_by_itself() -> None:
    assert [line for line in topology.vpc_inside(RANGE) if line.startswith("route")] == []


def test_a_router_is_the_first_address_of_every_subnet() -> None:
    assert topology.subnet_inside(IPv4Network("10.1.64.0/20")) == [
        "address add 10.1.64.1/32 dev lo"
    ]


def test_no_host_begins_a_connection_to_this_machine() -> None:
    lines = [line.strip() for line in topology.internet_filter(Slot(0), {}).splitlines()]

    assert 'oifname "main" ct state new drop' in lines
