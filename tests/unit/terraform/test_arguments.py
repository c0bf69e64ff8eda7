"""What the modules are given: tags, ranges and names, as data."""

from pathlib import Path

import pytest

from orchestrate.fleet import lineage
from orchestrate.fleet.load import load
from orchestrate.fleet.models import NodeGroup
from orchestrate.terraform import arguments
from orchestrate.terraform.arguments import Ami
from orchestrate.terraform.hcl import Expression

FLEET = load(Path(__file__).parents[2] / "golden" / "example" / "fleet")
WEST = FLEET.clusters["cluster-us-west"]
AMI = Ami("ami-0", "/dev/xvda")
PREFIX = "k8s.io/cluster-autoscaler"


def worker(**fields: object) -> NodeGroup:
    given = {
        "role": "gpu-worker",
        "instance_types": ["g5.12xlarge"],
        "image": "debian-12",
        "max": 1,
    }
    return NodeGroup.model_validate({**given, **fields})


def test_the_autoscaler_finds_a_group_by_two_tags() -> None:
    tags = arguments.autoscaler_tags("cluster-us-west", worker())
    assert tags[f"{PREFIX}/enabled"] == "true"
    assert tags[f"{PREFIX}/cluster-us-west"] == "owned"


@pytest.mark.parametrize("role", ["ssh-node", "storage", "control-plane"])
def test_the_autoscaler_leaves_peoples_groups_alone(role: str) -> None:
    assert arguments.autoscaler_tags("cluster-us-west", worker(role=role)) == {}


def test_a_hosts_resources_are_known_before_there_is_one() -> None:
    tags = arguments.autoscaler_tags("c", worker(gpus=4, disk_gb=500))
    template = f"{PREFIX}/node-template/resources"
    assert tags[f"{template}/nvidia.com/gpu"] == "4"
    assert tags[f"{template}/ephemeral-storage"] == "500Gi"


def test_a_host_without_gpus_promises_none() -> None:
    assert not [key for key in arguments.autoscaler_tags("c", worker()) if "gpu" in key]


@pytest.mark.parametrize(
    ("taint", "key", "value"),
    [
        ("nvidia.com/gpu=present:NoSchedule", "nvidia.com/gpu", "present:NoSchedule"),
        ("experimental:NoExecute", "experimental", ":NoExecute"),
        ("a=:PreferNoSchedule", "a", ":PreferNoSchedule"),
    ],
)
def test_a_taint_is_told_as_value_and_effect(taint: str, key: str, value: str) -> None:
    tags = arguments.autoscaler_tags("c", worker(taints=[taint]))
    assert tags[f"{PREFIX}/node-template/taint/{key}"] == value


def test_a_label_is_told_by_its_key() -> None:
    tags = arguments.autoscaler_tags("c", worker(labels={"deeplab/card": "a10g"}))
    assert tags[f"{PREFIX}/node-template/label/deeplab/card"] == "a10g"


def test_a_clusters_tags_win_over_the_fleets_and_ours_over_both() -> None:
    tags = {"team": "vision", "cluster": "mine", "managed-by": "hand"}
    found = arguments.cluster_tags(FLEET, WEST.model_copy(update={"tags": tags}))
    assert found == {
        "cluster": "cluster-us-west",
        "cost-centre": "research",
        "fleet": "deeplab",
        "managed-by": "orchestrate",
        "stack": "cluster-us-west",
        "team": "vision",
    }


def test_a_hosts_tags_say_its_cluster_group_and_role() -> None:
    tags = arguments.node_group(FLEET, WEST, "cpu", WEST.node_groups["cpu"])["tags"]
    assert (tags["cluster"], tags["group"], tags["role"]) == (
        "cluster-us-west",
        "cpu",
        "cpu-worker",
    )


def test_hosts_trust_the_fleets_pools_but_not_the_service_range() -> None:
    pools = FLEET.file.addresses.pools
    trusted = arguments.internal_ranges(FLEET)
    assert pools["cloud"].range in trusted
    assert pools["services"].range not in trusted


def test_an_image_that_was_never_baked_is_the_vendors_behind_it() -> None:
    found = arguments.images(FLEET, WEST, {})
    assert found["ssh-node"] == Expression('local.vendors["debian-12"]')
    assert list(arguments.vendors(FLEET, WEST, {})) == ["debian-12"]


def test_a_baked_image_is_its_ami_of_the_clusters_region() -> None:
    amis = {("ssh-node", "us-west-2"): Ami("ami-1", "/dev/xvda"), ("base", "eu-west-1"): AMI}
    found = arguments.images(FLEET, WEST, amis)
    assert found["ssh-node"] == {"id": "ami-1", "root_device": "/dev/xvda"}
    assert found["base"] == Expression('local.vendors["debian-12"]')


def test_an_image_that_was_never_baked_is_its_nearest_ancestor_that_was() -> None:
    amis = {("base", "us-west-2"): Ami("ami-2", "/dev/xvda")}
    found = arguments.images(FLEET, WEST, amis)
    assert found["ssh-node"] == found["base"] == {"id": "ami-2", "root_device": "/dev/xvda"}
    assert arguments.vendors(FLEET, WEST, amis) == {}


def test_no_vendor_is_asked_where_everything_is_baked() -> None:
    amis = {(image, WEST.region): AMI for image in lineage.in_use(WEST)}
    assert arguments.vendors(FLEET, WEST, amis) == {}


def test_a_group_without_zones_may_use_all_of_its_clusters() -> None:
    cpu = arguments.node_group(FLEET, WEST, "cpu", WEST.node_groups["cpu"])
    a100 = arguments.node_group(FLEET, WEST, "gpu-a100", WEST.node_groups["gpu-a100"])
    assert (cpu["zones"], a100["zones"]) == (WEST.zones, ("us-west-2a",))
