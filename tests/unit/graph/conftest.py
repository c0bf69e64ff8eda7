"""Fleets to draw: a common one, and one that is awkward in every way."""

from collections.abc import Callable, Mapping
from datetime import date
from ipaddress import IPv4Network
from typing import Any

import pytest

from orchestrate.fleet.models import Fleet
from orchestrate.fleet.ranges import wanted
from orchestrate.graph.topology import Topology, topology
from orchestrate.ipam.allocate import allocate
from orchestrate.ipam.records import Ledger

POOLS = {
    "cloud": {"range": "10.0.0.0/10"},
    "sites": {"range": "10.64.0.0/12"},
    "vpn": {"range": "10.80.0.0/14"},
    "services": {"range": "10.96.0.0/12"},
    "pods": {"range": "10.128.0.0/9"},
}
GPU = {
    "role": "gpu-worker",
    "image": "debian-12",
    "instance_types": ["p4d.24xlarge"],
    "gpus": 8,
    "max": 96,
}
CPU = {"role": "cpu-worker", "image": "debian-12", "instance_types": ["c5.9xlarge"], "max": 100}


def cluster(name: str, region: str, zones: str = "ab", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "region": region,
        "zones": [f"{region}{letter}" for letter in zones],
        "bastion": {"image": "debian-12", "allow_ssh_from": ["0.0.0.0/0"]},
        "vpn": {"image": "debian-12"},
        "node_groups": {"cpu": CPU, "gpu-a100": {**GPU, "zones": [f"{region}a"]}},
        "storage": {"filesystems": {"home": {}}, "buckets": {"datasets": {}, "results": {}}},
        **more,
    }


def site(name: str, number: int = 64, racks: int = 2, **more: Any) -> dict[str, Any]:
    """A site with its gateway in the first rack and a GPU host in each of the others."""
    gateway = {"role": "site-gateway", "lan": "servers", "address": f"10.{number}.0.2"}
    worker = {"role": "gpu-worker", "lan": "servers", "address": f"10.{number}.2.1", "gpus": 8}
    return {
        "name": name,
        "lans": {"servers": {"range": f"10.{number}.0.0/20"}, "office": {"prefix": 22}},
        "gateway": {"host": f"gw-{number}", "public_address": "198.18.255.1"},
        "racks": {
            "r1": {f"gw-{number}": gateway},
            **{f"r{rack}": {f"gpu-{number}-{rack}": worker} for rack in range(2, racks + 1)},
        },
        **more,
    }


def fleet_of(clusters: list[dict[str, Any]], sites: list[dict[str, Any]]) -> Fleet:
    return Fleet.model_validate(
        {
            "file": {
                "name": "deeplab",
                "account": "123456789012",
                "domain": "deeplab.example.net",
                "description": "Research computing & more",
                "state": {"region": "us-west-2"},
                "addresses": {"pools": POOLS},
                "images": {"debian-12": {"owner": "136693071363", "name": "d*", "user": "admin"}},
            },
            "clusters": {one["name"]: one for one in clusters},
            "sites": {one["name"]: one for one in sites},
        }
    )


def drawn(fleet: Fleet) -> Topology:
    return topology(fleet, ranges_of(fleet))


def ranges_of(fleet: Fleet) -> Mapping[str, IPv4Network]:
    ledger = allocate(fleet.file.addresses, Ledger(), wanted(fleet), date(2026, 1, 1))
    return ledger.allocations


@pytest.fixture
def fleet() -> Fleet:
    """Three regions, one of them with spot, mixed and ad-hoc groups, and a site."""
    spot = {**CPU, "capacity": "spot", "instance_types": ["c5.9xlarge", "c5d.9xlarge"]}
    adhoc = {**CPU, "role": "ssh-node", "min": 1, "max": 8}
    mixed = {**GPU, "capacity": "mixed", "instance_types": ["g5.12xlarge"], "gpus": 4, "max": 64}
    west = cluster(
        "cluster-us-west",
        "us-west-2",
        "abc",
        node_groups={"adhoc": adhoc, "cpu-spot": spot, "gpu-a100": GPU, "gpu-a10g": mixed},
    )
    return fleet_of(
        [
            cluster("cluster-eu-west", "eu-west-1", network={"nat": "single"}),
            cluster("cluster-us-east", "us-east-1", network={"nat": "none"}, vpn=None),
            west,
        ],
        [site("site-sf", description="San Francisco, second floor")],
    )


@pytest.fixture
def ledger(fleet: Fleet) -> Mapping[str, IPv4Network]:
    return ranges_of(fleet)


def _many() -> Fleet:
    letters = "abcdefghij"
    clusters = [cluster(f"cluster-{letter}", "us-west-2") for letter in letters]
    return fleet_of(clusters, [site("site-a"), site("site-b", 65)])


def _awkward() -> Fleet:
    long = "an-extraordinarily-long-name-that-nobody-ever-chooses"
    groups = {f"g{number}-{long}": GPU for number in range(12)}
    names = [f"cluster-{long}", "cluster-b", "cluster-c", "cluster-d", "cluster-e"]
    regions = ["ap-southeast-2", "ca-central-1", "eu-west-1", "us-east-1", "us-gov-west-1"]
    buckets: dict[str, Any] = {f"bucket-{number}-with-words": {} for number in range(9)}
    return fleet_of(
        [
            cluster(
                name,
                region,
                "abcdef",
                description="many words " * 15,
                node_groups=groups if name == names[0] else {},
                storage={"buckets": buckets if name == names[0] else {}},
            )
            for name, region in zip(names, regions, strict=True)
        ],
        [
            site(f"site-{long}", 64, racks=5, description="many words " * 15),
            site("site-b", 65, racks=1),
        ],
    )


PICTURES: dict[str, Callable[[], Fleet]] = {
    "nothing": lambda: fleet_of([], []),
    "one cluster": lambda: fleet_of([cluster("cluster-a", "us-west-2")], []),
    "one site": lambda: fleet_of([], [site("site-sf")]),
    "two of each": lambda: fleet_of(
        [cluster("cluster-a", "us-west-2"), cluster("cluster-b", "us-east-1", "a")],
        [site("site-a"), site("site-b", 65)],
    ),
    "awkward": _awkward,
    "more clusters than links can be drawn apart": _many,
}


@pytest.fixture(params=PICTURES, scope="module")
def picture(request: pytest.FixtureRequest) -> Topology:
    """Every fleet above, to be drawn."""
    return drawn(PICTURES[request.param]())
