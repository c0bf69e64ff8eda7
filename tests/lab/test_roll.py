"""A node group rolled to a new launch template: hosts replaced, converged, left in order."""

import base64
import os
import signal
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab.cloud import newest_debian
from tests.lab.conftest import LabFolder
from tests.lab.machines import until
from tests.lab.patience import PATIENCE_S
from tests.lab.small_cluster import CLUSTER, GROUP, SmallCluster, build, chef_folder, pairs

pytestmark = pytest.mark.hosts

LABEL = f"{GROUP}.{CLUSTER}"
NAME = f"deeplab-{CLUSTER}-{GROUP}"
GREETING = "file '/srv/greeting' do\n  content 'hello'\n  mode '0644'\nend\n"
TAGS = {"fleet": "deeplab", "cluster": CLUSTER, "role": "cpu-worker", "group": GROUP}


@pytest.fixture(scope="module")
def cluster(lab: LabFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallCluster]:
    """A bastion, and a group of two hosts as Terraform's module makes one."""
    root = tmp_path_factory.mktemp("repository")
    made = build(lab, root, 0)
    try:
        chef_folder(root, {"default": GREETING}, ["bastion", "cpu-worker"])
        make_group(made, 2)
        made.orchestrate("hosts", "--wait", "180", CLUSTER)
        yield made
    finally:
        made.remove()


def make_group(cluster: SmallCluster, size: int) -> None:
    cluster.ec2.create_launch_template(
        LaunchTemplateName=NAME, LaunchTemplateData=template(cluster, "t3.small")
    )
    tags = [
        {
            **pair,
            "ResourceId": NAME,
            "ResourceType": "auto-scaling-group",
            "PropagateAtLaunch": True,
        }
        for pair in pairs(TAGS)
    ]
    cluster.account.client("autoscaling").create_auto_scaling_group(
        AutoScalingGroupName=NAME,
        MinSize=0,
        MaxSize=4,
        DesiredCapacity=size,
        VPCZoneIdentifier=cluster.private,
        MixedInstancesPolicy=from_version("1"),
        Tags=tags,
    )


def template(cluster: SmallCluster, type_: str) -> dict[str, Any]:
    return {
        "ImageId": newest_debian(cluster.ec2),
        "InstanceType": type_,
        "UserData": base64.b64encode(b"#!/bin/sh\ntouch /srv/booted\n").decode(),
        "KeyName": "k",
        "SecurityGroupIds": [cluster.security_group],
    }


def from_version(version: str) -> dict[str, Any]:
    specification = {"LaunchTemplateName": NAME, "Version": version}
    return {"LaunchTemplate": {"LaunchTemplateSpecification": specification}}


def new_version(cluster: SmallCluster) -> str:
    """What an apply does when a group's image or disk has changed."""
    made = cluster.ec2.create_launch_template_version(
        LaunchTemplateName=NAME, LaunchTemplateData=template(cluster, "t3.medium")
    )
    version = str(made["LaunchTemplateVersion"]["VersionNumber"])
    cluster.account.client("autoscaling").update_auto_scaling_group(
        AutoScalingGroupName=NAME, MixedInstancesPolicy=from_version(version)
    )
    return version


def versions(cluster: SmallCluster) -> dict[str, str]:
    """The members of the group, and what each was launched from."""
    scaling = cluster.account.client("autoscaling")
    (group,) = scaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    return {one["InstanceId"]: one["LaunchTemplate"]["Version"] for one in group["Instances"]}


def test_a_group_of_the_current_template_is_left_alone(cluster: SmallCluster) -> None:
    before = versions(cluster)
    said = cluster.orchestrate("roll", LABEL, "--yes").stdout
    assert "nothing to replace" in said
    assert versions(cluster) == before


def test_without_a_yes_nobody_is_terminated(cluster: SmallCluster) -> None:
    new_version(cluster)
    before = versions(cluster)
    refused = cluster.orchestrate("roll", LABEL, check=False)
    assert refused.code == 1
    assert "run it again with --yes" in refused.stderr
    assert versions(cluster) == before


def test_ctrl_c_leaves_the_group_at_its_size_and_says_what_is_left(cluster: SmallCluster) -> None:
    before = versions(cluster)
    process = subprocess.Popen(
        cluster.argv("roll", LABEL, "--yes"),
        env=cluster.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        until(lambda: set(versions(cluster)) != set(before))
    finally:
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert f"{LABEL}: 1 replaced, 1 left" in out
    assert f"to go on: orchestrate roll {LABEL}" in out
    until(lambda: len(versions(cluster)) == 2)
    assert len(set(before) & set(versions(cluster))) == 1


def test_a_roll_goes_on_where_it_was_left_and_ends_with_hosts_in_order(
    cluster: SmallCluster,
) -> None:
    told = cluster.json("roll", LABEL, "--yes")
    assert told["exit_code"] == 0, told
    group = told["groups"][LABEL]
    assert (len(group["replaced"]), group["left"], group["unchecked"]) == (1, [], [])
    assert set(versions(cluster).values()) == {group["version"]}
    hosts = cluster.json("hosts", LABEL)
    assert {host["instance_id"] for host in hosts} == set(versions(cluster))
    assert [cluster.says(host["name"], "cat /srv/greeting") for host in hosts] == ["hello"] * 2


def group(cluster: SmallCluster) -> dict[str, Any]:
    scaling = cluster.account.client("autoscaling")
    (found,) = scaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    return dict(found)


def test_with_a_surge_every_host_is_replaced_and_none_is_missed(cluster: SmallCluster) -> None:
    before = versions(cluster)
    version = new_version(cluster)
    behind = {host["name"] for host in cluster.json("hosts", LABEL) if host["behind"]}
    assert len(behind) == 2
    told = cluster.json("roll", LABEL, "--surge", "1", "--max-unavailable", "0", "--yes")
    assert told["exit_code"] == 0, told
    rolled = told["groups"][LABEL]
    assert (set(rolled["replaced"]), rolled["left"], rolled["larger"]) == (set(before), [], 0)
    assert set(versions(cluster).values()) == {version}
    assert (group(cluster)["DesiredCapacity"], len(versions(cluster))) == (2, 2)
    assert not [host for host in cluster.json("hosts", LABEL) if host["behind"]]


def test_after_a_kill_the_next_roll_says_so_goes_on_and_gives_the_size_back(
    cluster: SmallCluster,
) -> None:
    version = new_version(cluster)
    process = subprocess.Popen(
        cluster.argv("roll", LABEL, "--surge", "1", "--max-unavailable", "0", "--yes"),
        env=cluster.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until(lambda: group(cluster)["DesiredCapacity"] == 3)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    done = cluster.orchestrate("roll", LABEL, "--yes", check=False)
    assert done.code == 0, done.stdout + done.stderr
    assert "was killed; this one goes on with it" in done.stderr
    assert set(versions(cluster).values()) == {version}
    assert (group(cluster)["DesiredCapacity"], len(versions(cluster))) == (2, 2)


def test_a_host_that_nobody_launches_ends_the_roll_with_aws_s_reason(
    cluster: SmallCluster,
) -> None:
    new_version(cluster)
    order = ("no-capacity", "--type", "t3.medium")
    added = cluster.account.lab.orchestrate("fault", "add", *order)
    assert added.code == 0, added.stderr
    try:
        told = cluster.json("roll", LABEL, "--yes")
    finally:
        cluster.account.lab.orchestrate("fault", "clear")
    assert told["exit_code"] == 1
    rolled = told["groups"][LABEL]
    assert "capacity" in rolled["cause"]
    assert (len(rolled["replaced"]), len(rolled["left"])) == (1, 1)
    last = cluster.json("runs", "last")
    assert "capacity" in last["stacks"][LABEL]["details"]["cause"]
