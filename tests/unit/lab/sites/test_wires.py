"""A site's network as `ip` and `nft` are told it."""

from ipaddress import IPv4Address, IPv4Network

import pytest

from orchestrate.lab.sites import wires
from orchestrate.lab.sites.models import Lan, Uplink
from orchestrate.lab.spec import RackSpec
from orchestrate.lab.topology import WIRED, Slot, internet_filter

SERVERS = Lan("servers", IPv4Network("10.64.0.0/20"), IPv4Address("10.64.0.2"))
OFFICE = Lan("office", IPv4Network("10.64.16.0/22"), IPv4Address("10.64.16.1"))
UPLINK = Uplink(IPv4Address("203.0.113.7"), IPv4Address("198.18.15.254"), (OFFICE, SERVERS))


def rack(name: str, address: str, uplink: Uplink | None = None) -> RackSpec:
    return RackSpec(
        instance_id=f"{name}.site-sf",
        site="site-sf",
        hostname=name,
        private_ip=IPv4Address(address),
        lan=SERVERS,
        resolver=IPv4Address("198.18.0.3"),
        user="admin",
        public_key="",
        host_key=b"",
        uplink=uplink,
    )


CPU = rack("sf-cpu1", "10.64.1.1")
GATEWAY = rack("sf-gw1", "10.64.0.2", UPLINK)


def test_a_rack_has_its_lan_and_its_gateway() -> None:
    assert wires.inside(CPU) == [
        "link set lo up",
        "address add 10.64.1.1/20 dev eth0",
        "link set eth0 up",
        "route add default via 10.64.0.2",
        "link set eth0 alias wired",
    ]


def test_a_gateway_has_every_lan_its_own_first_and_the_way_out() -> None:
    told = wires.inside(GATEWAY)
    assert "address add 10.64.0.2/20 dev eth0" in told
    assert "address add 10.64.16.1/22 dev eth1" in told
    assert told[-2] == "route add default via 169.254.0.1 dev wan onlink src 203.0.113.7"


@pytest.mark.parametrize("spec", [CPU, GATEWAY])
def test_a_rack_is_told_last_that_its_network_is_whole(spec: RackSpec) -> None:
    assert wires.inside(spec)[-1] == WIRED
    assert wires.wires(Slot(0), spec, 4711)[0].endswith(f"{spec.instance_id} 4711")


def test_only_what_a_lan_asked_for_comes_in() -> None:
    rules = wires.gateway_rules(UPLINK)
    assert rules.index("established,related accept") < rules.index('iifname "wan" drop')
    assert "ip saddr { 10.64.16.0/22, 10.64.0.0/20 } snat to 203.0.113.7" in rules


@pytest.mark.parametrize(
    "name",
    [wires.port(CPU, "servers"), wires.uplink_port("site-sf"), wires.bridge("a" * 60)],
)
def test_links_have_names_that_linux_takes(name: str) -> None:
    assert len(name) <= 15


def test_every_wire_has_a_name_of_its_own() -> None:
    ports = {wires.port(spec, lan) for spec in (CPU, GATEWAY) for lan in ("servers", "office")}
    assert len(ports) == 4


def test_the_internet_carries_a_site_s_address_but_not_to_this_machine() -> None:
    rules = internet_filter(Slot(0), wires.aliases([UPLINK]))
    assert "198.18.15.254 : 203.0.113.7" in rules
    assert 'ip saddr @sites oifname != "main" accept' in rules
    assert rules.index("@sites oifname") < rules.index("ip saddr != 198.18.0.0/20 drop")


def test_without_sites_nothing_is_readdressed() -> None:
    assert "elements" not in internet_filter(Slot(0), {})
    assert Slot(0).namespace("site-sf") in wires.switch(Slot(0).namespace("site-sf"))[0]
