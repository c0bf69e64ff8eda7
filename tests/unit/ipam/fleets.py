"""Small fleets for tests: clusters and sites by name, in the pools of the example fleet."""

from typing import Any

from orchestrate.fleet.models import Fleet

POOLS = {
    "cloud": {"range": "10.0.0.0/10", "reserved": ["10.0.0.0/16"]},
    "sites": {"range": "10.64.0.0/12"},
    "vpn": {"range": "10.80.0.0/14"},
    "services": {"range": "10.96.0.0/12"},
    "pods": {"range": "10.128.0.0/9"},
}
DOCKER = {"range": "172.17.0.0/16", "why": "Docker"}
ZONES = ["us-west-2a", "us-west-2b"]


def fleet_of(
    *clusters: str, sites: tuple[str, ...] = (), lans: Any = None, **addresses: Any
) -> Fleet:
    """A fleet with these clusters and sites; `addresses` replaces parts of the pools' section."""
    return Fleet.model_validate(
        {
            "file": {
                "name": "lab",
                "account": "123456789012",
                "domain": "lab.example.net",
                "state": {"region": "us-west-2"},
                "addresses": {"pools": POOLS, "external": [DOCKER], **addresses},
                "images": {"debian-12": {"owner": "136693071363", "name": "d", "user": "admin"}},
            },
            "clusters": {name: _cluster(name) for name in clusters},
            "sites": {name: _site(name, lans or {"servers": {"prefix": 22}}) for name in sites},
        }
    )


def _cluster(name: str) -> dict[str, Any]:
    bastion = {"image": "debian-12", "allow_ssh_from": ["0.0.0.0/0"]}
    return {
        "name": name,
        "region": "us-west-2",
        "zones": ZONES,
        "bastion": bastion,
        "vpn": {"image": "debian-12"},
    }


def _site(name: str, lans: Any) -> dict[str, Any]:
    gateway = {"host": "gw1", "public_address": "198.18.255.1"}
    return {"name": name, "lans": lans, "gateway": gateway}
