"""What a host is told about itself and the fleet."""

import json
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import pytest

from orchestrate.chef import node
from orchestrate.chef.node import Place
from orchestrate.errors import OrchestrateError
from orchestrate.fleet.load import load
from orchestrate.fleet.models import Fleet, User
from tests.hostile import HOSTILE

CLUSTER = "cluster-us-west"


@pytest.fixture(scope="module")
def fleet() -> Fleet:
    found = load(Path(__file__).parents[2] / "golden" / "example" / "fleet")
    users = {
        "ada": User(uid=2001, admin=True, keys=("ssh-ed25519 AAAA1 ada",)),
        "bob": User(uid=2002, keys=("ssh-ed25519 AAAA2 bob",)),
        "eve": User(uid=2003, admin=True, keys=("ssh-ed25519 AAAA3 eve",), gone=True),
    }
    return found.model_copy(update={"file": found.file.model_copy(update={"users": users})})


def told(fleet: Fleet, place: str, role: str, group: str, name: str) -> dict[str, Any]:
    host = Place(place, role, group, f"{name}.{place}")
    told: dict[str, Any] = node.attributes(fleet, host)["orchestrate"]
    return told


def test_operators_have_a_login_everywhere_others_where_people_work(fleet: Fleet) -> None:
    worker = told(fleet, CLUSTER, "cpu-worker", "cpu", "cpu-1")
    assert sorted(worker["users"]) == ["ada"]
    assert worker["gone_users"] == ["bob", "eve"]
    for role, group in (("ssh-node", "adhoc"), ("bastion", "")):
        people = told(fleet, CLUSTER, role, group, role)
        assert sorted(people["users"]) == ["ada", "bob"]
        assert people["gone_users"] == ["eve"]
    assert worker["users"]["ada"] == {
        "uid": 2001,
        "keys": ["ssh-ed25519 AAAA1 ada"],
        "admin": True,
    }


def test_a_verifier_has_a_login_everywhere_and_is_named_as_such(fleet: Fleet) -> None:
    ci = {"ci": User(uid=2009, verifier=True, keys=("ssh-ed25519 AAAA9 ci",))}
    more = fleet.model_copy(update={"file": fleet.file.model_copy(update={"users": ci})})
    for role, group in (("cpu-worker", "cpu"), ("ssh-node", "adhoc"), ("bastion", "")):
        assert told(more, CLUSTER, role, group, role)["users"] == {
            "ci": {"uid": 2009, "keys": ["ssh-ed25519 AAAA9 ci"], "admin": False, "verifier": True}
        }


def test_hosts_know_where_others_of_the_fleet_are(fleet: Fleet) -> None:
    assert told(fleet, CLUSTER, "bastion", "", "bastion")["networks"] == [
        "10.0.0.0/10",
        "10.64.0.0/12",
    ]
    assert node.baking(fleet, "bastion")["orchestrate"]["networks"][0] == "10.0.0.0/10"


def test_a_network_that_the_world_gave_is_among_them(fleet: Fleet) -> None:
    site = fleet.sites["site-sf"]
    name = next(iter(site.lans))
    lan = site.lans[name].model_copy(update={"range": IPv4Network("172.20.0.0/22")})
    moved = site.model_copy(update={"lans": {**site.lans, name: lan}})
    elsewhere = fleet.model_copy(update={"sites": {"site-sf": moved}})
    networks = told(elsewhere, CLUSTER, "bastion", "", "bastion")["networks"]
    assert networks == ["10.0.0.0/10", "10.64.0.0/12", "172.20.0.0/22"]


def test_a_cluster_mounts_homes_one_by_one_and_an_administrators_never(fleet: Fleet) -> None:
    worker = told(fleet, CLUSTER, "gpu-worker", "gpu-a100", "gpu-1")
    assert list(worker["mounts"]) == ["/home/bob"]
    home = worker["mounts"]["/home/bob"]
    assert home["source"] == "home.nfs.us-west.deeplab.example.net:/"
    assert home["type"] == "access-point"
    options = set(home["options"].split(","))
    assert {"tls", "iam", "point=bob.home.nfs.us-west.deeplab.example.net"} <= options
    assert told(fleet, CLUSTER, "bastion", "", "bastion")["mounts"] == {}
    assert worker["gpus"] == 8


def test_a_site_mounts_what_its_storage_host_exports_at_the_same_paths(fleet: Fleet) -> None:
    worker = told(fleet, "site-sf", "cpu-worker", "r1", "sf-cpu1")
    assert worker["mounts"]["/home"]["source"] == "10.64.0.10:/srv/home"
    assert list(worker["mounts"]) == ["/home", "/datasets", "/results"]
    assert worker["exports"] == {}
    assert worker["time_servers"] == []


def test_the_storage_host_exports_to_those_alone_who_mount_and_mounts_nothing(fleet: Fleet) -> None:
    storage = told(fleet, "site-sf", "storage", "r1", "sf-nfs1")
    assert storage["mounts"] == {}
    racks = fleet.sites["site-sf"].racks.values()
    work = [str(one.address) for rack in racks for one in rack.values() if "worker" in one.role]
    assert work
    assert {path: sorted(hosts) for path, hosts in storage["exports"].items()} == {
        f"/srv/{name}": sorted(work) for name in ("home", "datasets", "results")
    }


def test_the_storage_host_makes_the_homes_of_all_who_may_no_more_than_others(
    fleet: Fleet,
) -> None:
    users = {**fleet.file.users, "ci": User(uid=2009, verifier=True)}
    file = fleet.file.model_copy(update={"users": users})
    fleet = fleet.model_copy(update={"file": file})
    assert told(fleet, "site-sf", "storage", "r1", "sf-nfs1")["homes"] == {"bob": 2002}
    assert told(fleet, "site-sf", "cpu-worker", "r1", "sf-cpu1")["homes"] == {}
    assert told(fleet, CLUSTER, "ssh-node", "adhoc", "adhoc-1")["homes"] == {}


def test_a_share_grants_nothing_and_a_site_asks_for_a_port_that_only_root_gets(
    fleet: Fleet,
) -> None:
    rack = told(fleet, "site-sf", "cpu-worker", "r1", "sf-cpu1")["mounts"].values()
    cloud = told(fleet, CLUSTER, "gpu-worker", "gpu-a100", "gpu-1")["mounts"].values()
    options = [how["options"].split(",") for how in [*rack, *cloud]]
    assert [one for one in options if not {"nosuid", "nodev"} <= set(one)] == []
    assert [how for how in rack if "noresvport" in how["options"]] == []


def test_the_login_is_that_of_the_image_or_of_the_sites_installer(fleet: Fleet) -> None:
    assert told(fleet, CLUSTER, "ssh-node", "adhoc", "adhoc-1")["login"] == "admin"
    assert told(fleet, "site-sf", "storage", "r1", "sf-nfs1")["login"] == "admin"


def test_an_image_is_told_nothing_of_any_place(fleet: Fleet) -> None:
    baked = node.baking(fleet, "ssh-node")
    assert baked["run_list"] == ["role[ssh-node]"]
    own = baked["orchestrate"]
    assert {own[key] for key in ("place", "group", "hostname", "domain")} == {None}
    assert (own["mounts"], own["exports"]) == ({}, {})
    assert sorted(own["users"]) == ["ada", "bob"]


def test_an_image_and_its_hosts_are_told_of_the_same_things(fleet: Fleet) -> None:
    host = told(fleet, CLUSTER, "ssh-node", "adhoc", "adhoc-1")
    assert host.keys() == node.baking(fleet, "ssh-node")["orchestrate"].keys()
    rack = told(fleet, "site-sf", "storage", "r1", "sf-nfs1")
    assert rack.keys() == host.keys()


def test_the_same_content_is_the_same_text(fleet: Fleet) -> None:
    baked = node.baking(fleet, "base")
    again = json.loads(node.text(baked))
    assert node.text(dict(reversed(again.items()))) == node.text(baked)


@pytest.mark.parametrize("said", HOSTILE.values(), ids=HOSTILE)
def test_a_host_is_told_lines_of_plain_text_or_nothing(said: str) -> None:
    for told in ({"run_list": [said]}, {said: 1}, {"a": {"b": [{"c": said}]}}):
        try:
            written = node.text(told)
        except OrchestrateError as refused:
            assert "no host can be told" in refused.what
            assert refused.what.isprintable()
        else:
            assert said.isascii()
            assert said.isprintable()
            assert json.loads(written) == told
