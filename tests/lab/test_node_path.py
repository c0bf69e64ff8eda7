"""The path of a node, in the order of this file: baked, applied, converged, verified.

A cluster of a bastion and one ssh-node, applied by Terraform from images that were just baked. Its
cookbook is small; the real ones are converged and verified in test_cookbooks.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab import bakery as bakeries
from tests.lab.bakery import Bakery
from tests.lab.conftest import LabFolder
from tests.lab.machines import until

pytestmark = pytest.mark.hosts
CLUSTER = "cluster-us-west"
SMALL = f"""\
name: {CLUSTER}
region: us-west-2
zones: [us-west-2a]
network: {{nat: none}}
bastion: {{image: base, allow_ssh_from: [0.0.0.0/0]}}
node_groups:
  adhoc: {{role: ssh-node, image: ssh-node, instance_types: [c5.large], min: 1, max: 3}}
"""


@pytest.fixture(scope="module")
def repository(lab: LabFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bakery]:
    made = bakeries.build(lab, tmp_path_factory.mktemp("node-path"))
    clusters = made.root / "fleet" / "clusters"
    (clusters / "cluster-eu-west.yaml").unlink()
    (clusters / f"{CLUSTER}.yaml").write_text(SMALL)
    base = made.root / "chef" / "roles" / "base.json"
    base.with_name("bastion.json").write_text(base.read_text().replace('"base"', '"bastion"'))
    assert made.orchestrate("bootstrap").code == 0
    yield made
    remove(made)


def remove(repository: Bakery) -> None:
    """Its hosts, for the room they take in the lab; the rest goes with the lab."""
    scaling = repository.account.client("autoscaling")
    for group in scaling.describe_auto_scaling_groups()["AutoScalingGroups"]:
        name = group["AutoScalingGroupName"]
        scaling.delete_auto_scaling_group(AutoScalingGroupName=name, ForceDelete=True)
    left = [one["InstanceId"] for one in repository.instances()]
    repository.ec2().terminate_instances(InstanceIds=left)


def apply(repository: Bakery, *options: str) -> tuple[int, Any]:
    """The exit code of an apply, and what it says of the hosts."""
    done = repository.orchestrate("apply", CLUSTER, "--yes", "--json", *options)
    assert done.stdout, done.stderr
    return done.code, json.loads(done.stdout)["hosts"]


def outcomes(hosts: Any) -> set[str]:
    return {host["outcome"] for host in (hosts["converged"] or {}).values()}


def states(hosts: Any) -> set[str]:
    return {host["state"] for host in hosts["verified"]["hosts"].values()}


def recipe(repository: Bakery) -> Any:
    return repository.root / "chef" / "cookbooks" / "fixture" / "recipes" / "default.rb"


def test_images_are_baked_before_there_is_a_cluster(repository: Bakery) -> None:
    assert set(repository.bake("ssh-node")) == {"base", "ssh-node"}


def test_an_apply_ends_with_hosts_that_are_converged_and_verified(repository: Bakery) -> None:
    code, hosts = apply(repository)
    assert code == 0
    assert len(hosts["answering"]) == 2
    assert hosts["silent"] == []
    assert states(hosts) == {"passed"}


def test_hosts_start_from_what_was_baked(repository: Bakery) -> None:
    baked = {image["ImageId"]: image["Name"] for image in repository.images()}
    started = {one["ImageId"]: one["Tags"] for one in repository.instances()}
    assert set(started) == set(baked)


def test_a_second_apply_leaves_alone_what_is_as_it_should_be(repository: Bakery) -> None:
    code, hosts = apply(repository, "--no-verify")
    assert code == 0
    assert len(hosts["as_wanted"]) == 2
    assert hosts["converged"] is None
    assert hosts["verified"] is None


def test_a_cookbook_that_does_not_parse_is_refused_before_anything_is_planned(
    repository: Bakery,
) -> None:
    text = recipe(repository).read_text()
    runs = repository.orchestrate("runs", "--json").stdout
    recipe(repository).write_text(text + "file '/etc/other' do\n")
    done = repository.orchestrate("apply", CLUSTER, "--yes")
    assert done.code == 1
    assert "cookbooks/fixture/recipes/default.rb" in done.stderr
    assert repository.orchestrate("runs", "--json").stdout == runs
    recipe(repository).write_text(text)


def test_hosts_in_use_are_not_converged_without_consent(repository: Bakery) -> None:
    text = recipe(repository).read_text()
    recipe(repository).write_text(text + "log 'anything'\n")
    done = repository.orchestrate("apply", CLUSTER, "--json", "--no-verify")
    hosts = json.loads(done.stdout)["hosts"]
    assert len(hosts["left_as_they_are"]) == 2
    assert hosts["converged"] is None
    recipe(repository).write_text(text)


def test_a_fault_in_a_cookbook_is_caught_by_the_tests_of_the_hosts(repository: Bakery) -> None:
    right = recipe(repository).read_text()
    recipe(repository).write_text(right.replace("0644", "0666"))
    code, hosts = apply(repository)
    assert code == 1
    assert outcomes(hosts) == {"changed"}
    assert states(hosts) == {"failed"}
    recipe(repository).write_text(right)
    assert apply(repository)[0] == 0


def test_a_host_that_was_added_is_brought_up_alone(repository: Bakery) -> None:
    scaling = repository.account.client("autoscaling")
    (group,) = scaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    scaling.set_desired_capacity(
        AutoScalingGroupName=group["AutoScalingGroupName"], DesiredCapacity=2
    )
    until(lambda: len(repository.instances()) == 3)
    code, hosts = apply(repository)
    assert code == 0
    assert len(hosts["as_wanted"]) == 2
    assert len(hosts["converged"]) == 1
    assert states(hosts) == {"passed"}
