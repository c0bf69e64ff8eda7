"""The racks a lab should have: remembered, and changed one step after the other."""

import stat
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest

from orchestrate.lab.sites.models import Lan, Rack, Site
from orchestrate.lab.sites.register import Register, numbered, seed, settle
from orchestrate.lab.spec import HostState, RackSpec
from orchestrate.lab.topology import Slot

LAN = Lan("servers", IPv4Network("10.64.0.0/20"), IPv4Address("10.64.0.2"))
SITE = Site(
    "site-sf",
    "admin",
    IPv4Address("203.0.113.7"),
    "sf-gw1",
    (LAN,),
    (
        Rack("sf-gw1", "servers", IPv4Address("10.64.0.2")),
        Rack("sf-cpu1", "servers", IPv4Address("10.64.1.1")),
    ),
)
CPU = "sf-cpu1.site-sf"


def register(folder: Path, slot: int = 0) -> Register:
    return Register(folder / "sites.json", Slot(slot), "ssh-ed25519 AAAA operator", b"seed")


def specs(of: Register, *having: str) -> dict[str, RackSpec]:
    return {spec.instance_id: spec for spec in of.specs(having)}


def test_racks_are_hosts_behind_a_gateway_at_an_address_of_the_lab(tmp_path: Path) -> None:
    lab = register(tmp_path, slot=1)
    lab.order([SITE])

    found = specs(lab)
    assert found[CPU].uplink is None
    uplink = found["sf-gw1.site-sf"].uplink
    assert uplink is not None
    assert uplink.public == IPv4Address("203.0.113.7")
    assert lab.moved() == {"203.0.113.7": "198.18.31.254"}
    assert found[CPU].host_key != found["sf-gw1.site-sf"].host_key


def test_the_next_daemon_has_the_same_racks(tmp_path: Path) -> None:
    first = register(tmp_path)
    first.order([SITE])

    assert specs(register(tmp_path)) == specs(first)


def test_what_another_version_wrote_is_no_site(tmp_path: Path) -> None:
    (tmp_path / "sites.json").write_text('{"sites": [{"name": 1}]}')

    assert register(tmp_path).specs(()) == []


def test_a_rack_that_changed_goes_before_it_comes_again(tmp_path: Path) -> None:
    lab = register(tmp_path)
    lab.order([SITE])
    before = specs(lab)[CPU]
    moved = replace(SITE.racks[1], address=IPv4Address("10.64.1.9"))
    lab.order([replace(SITE, racks=(SITE.racks[0], moved))])

    assert specs(lab, CPU)[CPU] == replace(before, state="terminated")
    assert specs(lab)[CPU].private_ip == IPv4Address("10.64.1.9")
    assert specs(lab, CPU)[CPU].state == "running"


def test_a_rack_that_is_gone_from_the_fleet_goes_and_no_other(tmp_path: Path) -> None:
    lab = register(tmp_path)
    lab.order([SITE])
    specs(lab)
    lab.order([replace(SITE, racks=SITE.racks[:1])])

    found = specs(lab, CPU, "sf-gw1.site-sf")
    assert {name: spec.state for name, spec in found.items()} == {
        CPU: "terminated",
        "sf-gw1.site-sf": "running",
    }
    assert CPU not in specs(lab, "sf-gw1.site-sf")


def test_a_rack_changed_back_before_it_went_stays(tmp_path: Path) -> None:
    lab = register(tmp_path)
    lab.order([SITE])
    spec = specs(lab)[CPU]
    wanted = {CPU: replace(spec, hostname="other")}

    asked, installed = settle({CPU: spec}, wanted, {CPU})
    assert asked == [replace(spec, state="terminated")]
    assert settle(installed, {CPU: spec}, {CPU}) == ([spec], {CPU: spec})


@pytest.mark.parametrize(
    ("names", "before", "numbers"),
    [
        (["a", "b"], {}, {"a": 0, "b": 1}),
        (["b"], {"a": 0, "b": 1}, {"b": 1}),
        (["a", "b", "c"], {"b": 0, "c": 2}, {"b": 0, "c": 2, "a": 1}),
    ],
)
def test_a_site_keeps_its_number(
    names: list[str], before: dict[str, int], numbers: dict[str, int]
) -> None:
    assert numbered(names, before) == numbers


def test_the_listing_says_where_the_gateway_is_reached(tmp_path: Path) -> None:
    lab = register(tmp_path)
    lab.order([SITE])

    gateway, cpu = lab.listing({CPU: HostState("failed", "boot: no")})
    assert (gateway["public_ip"], gateway["reached_at"]) == ("203.0.113.7", "198.18.15.254")
    assert (cpu["name"], cpu["host"], cpu["detail"]) == (CPU, "failed", "boot: no")


def test_the_seed_of_host_keys_is_made_once_and_ours_alone(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "seed"

    assert seed(file) == seed(file)
    assert len(seed(file)) == 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["seed"]
