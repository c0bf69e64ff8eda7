"""Instances and fleets for the tests of hosts."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from orchestrate.aws.instances import Instance
from orchestrate.fleet.models import Fleet

START = datetime(2026, 11, 29, 12, tzinfo=UTC)
POOLS = {
    "cloud": {"range": "10.0.0.0/10"},
    "sites": {"range": "10.64.0.0/12"},
    "vpn": {"range": "10.80.0.0/14"},
    "services": {"range": "10.96.0.0/12"},
    "pods": {"range": "10.128.0.0/9"},
}


def cluster(name: str, region: str) -> dict[str, Any]:
    return {
        "name": name,
        "region": region,
        "zones": [f"{region}a"],
        "bastion": {"image": "debian-12", "allow_ssh_from": ["0.0.0.0/0"]},
        "vpn": {"image": "debian-12"},
        "node_groups": {
            "cpu": {
                "role": "cpu-worker",
                "image": "ubuntu-22.04",
                "instance_types": ["c5.9xlarge"],
                "max": 10,
            }
        },
    }


@pytest.fixture
def fleet() -> Fleet:
    """Two clusters and a site with a gateway and one worker."""
    return Fleet.model_validate(
        {
            "file": {
                "name": "deeplab",
                "account": "123456789012",
                "domain": "deeplab.example.net",
                "state": {"region": "us-west-2"},
                "addresses": {"pools": POOLS},
                "images": {
                    "debian-12": {"owner": "136693071363", "name": "debian-*", "user": "admin"},
                    "ubuntu-22.04": {"owner": "099720109477", "name": "jammy-*", "user": "ubuntu"},
                },
            },
            "clusters": {
                "cluster-us-west": cluster("cluster-us-west", "us-west-2"),
                "cluster-eu-west": cluster("cluster-eu-west", "eu-west-1"),
            },
            "sites": {
                "site-sf": {
                    "name": "site-sf",
                    "lans": {"servers": {"range": "10.64.0.0/20"}},
                    "gateway": {"host": "sf-gw1", "public_address": "198.18.255.1"},
                    "racks": {
                        "r1": {
                            "sf-gw1": {
                                "role": "site-gateway",
                                "lan": "servers",
                                "address": "10.64.0.2",
                            },
                            "sf-gpu1": {
                                "role": "gpu-worker",
                                "lan": "servers",
                                "address": "10.64.2.1",
                                "gpus": 8,
                            },
                        }
                    },
                }
            },
        }
    )


@pytest.fixture
def instance() -> Callable[..., Instance]:
    """Make an instance; what is not said is that of a CPU worker in cluster-us-west."""

    def make(
        id_: str,
        *,
        role: str = "cpu-worker",
        group: str = "cpu",
        cluster: str = "cluster-us-west",
        state: str = "running",
        public: str = "",
        minutes: int = 0,
    ) -> Instance:
        tags = {"fleet": "deeplab", "cluster": cluster, "role": role, "group": group}
        return Instance(
            id=id_,
            region="us-west-2",
            zone="us-west-2a",
            type="c5.9xlarge",
            image="ami-1",
            state=state,
            private_ip=f"10.1.0.{int(id_[-2:], 16)}",
            public_ip=public,
            launched=START + timedelta(minutes=minutes),
            tags={key: value for key, value in tags.items() if value},
        )

    return make


@pytest.fixture
def bastion(instance: Callable[..., Instance]) -> Instance:
    return instance("i-0000000000000ba01", role="bastion", group="", public="198.18.0.10")
