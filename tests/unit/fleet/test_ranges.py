"""What ranges a fleet wants, and the keys they are kept under."""

from typing import Any

import pytest

from orchestrate.fleet import ranges
from orchestrate.fleet.models import Cluster, Fleet, FleetFile, Site
from orchestrate.fleet.ranges import RangeRequest, wanted

FILE = FleetFile.model_validate(
    {
        "name": "lab",
        "account": "123456789012",
        "domain": "lab.example.net",
        "state": {"region": "us-west-2"},
        "addresses": {"pools": {}},
        "images": {"debian-12": {"owner": "136693071363", "name": "d", "user": "admin"}},
    }
)
GATEWAY = {"host": "gw1", "public_address": "198.18.255.1"}


def cluster(name: str = "c", **more: Any) -> Cluster:
    bastion = {"image": "debian-12", "allow_ssh_from": ["0.0.0.0/0"]}
    zones = {"region": "us-west-2", "zones": ["us-west-2a", "us-west-2b"]}
    return Cluster.model_validate({"name": name, **zones, "bastion": bastion, **more})


def site(name: str, **lans: Any) -> Site:
    return Site.model_validate({"name": name, "lans": lans, "gateway": GATEWAY})


def of(*parts: Cluster | Site) -> dict[str, RangeRequest]:
    fleet = Fleet(
        file=FILE,
        clusters={part.name: part for part in parts if isinstance(part, Cluster)},
        sites={part.name: part for part in parts if isinstance(part, Site)},
    )
    return {request.key: request for request in wanted(fleet)}


def test_keys_never_change_because_they_are_committed() -> None:
    assert list(of(cluster(vpn={"image": "debian-12"}), site("s", office={"prefix": 22}))) == [
        "c/vpc",
        "c/private/us-west-2a",
        "c/private/us-west-2b",
        "c/public/us-west-2a",
        "c/public/us-west-2b",
        "c/pods",
        "c/services",
        "c/vpn-clients",
        "s/lan/office",
        "s/pods",
        "s/services",
    ]


def test_key_functions_name_the_keys_that_are_wanted() -> None:
    found = of(cluster(vpn={"image": "debian-12"}), site("s", office={"prefix": 22}))
    assert {
        ranges.vpc("c"),
        ranges.subnet("c", "private", "us-west-2a"),
        ranges.subnet("c", "public", "us-west-2b"),
        ranges.pods("c"),
        ranges.services("c"),
        ranges.vpn_clients("c"),
        ranges.lan("s", "office"),
        ranges.pods("s"),
        ranges.services("s"),
    } <= set(found)


def test_a_cluster_without_vpn_wants_no_client_pool() -> None:
    assert ranges.vpn_clients("c") not in of(cluster())


@pytest.mark.parametrize("prefix", range(16, 23))
def test_six_zones_always_fit_in_their_network(prefix: int) -> None:
    zones = [f"us-west-2{letter}" for letter in "abcdef"]
    found = of(cluster(network={"prefix": prefix}, zones=zones)).values()
    inside = [request for request in found if request.inside]
    assert len(inside) == 12
    assert sum(2**-request.prefix for request in inside) <= 2**-prefix
    assert all(request.prefix <= 28 for request in inside)  # the smallest subnet EC2 has


def test_a_fixed_lan_is_recorded_and_another_is_sized() -> None:
    found = of(site("s", old={"range": "10.64.0.0/20"}, office={"prefix": 22}))
    old, office = found["s/lan/old"], found["s/lan/office"]
    assert (str(old.fixed), old.prefix, old.pool) == ("10.64.0.0/20", 20, "sites")
    assert (office.fixed, office.prefix, office.pool) == (None, 22, "sites")
