"""What auto scaling groups do by themselves, what they refuse, and what they can be kept from."""

from typing import Any

import pytest

from tests.lab.cloud import Cloud
from tests.lab.machines import until

pytestmark = pytest.mark.lab
NODES = {"AutoScalingGroupName": "nodes"}


@pytest.fixture
def nodes(cloud: Cloud) -> Cloud:
    """A group `nodes` of two, at least one."""
    cloud.group(cloud.launch_template(), minimum=1, DesiredCapacity=2)
    return cloud


def group(cloud: Cloud) -> Any:
    found = cloud.autoscaling.describe_auto_scaling_groups(AutoScalingGroupNames=["nodes"])
    return found["AutoScalingGroups"][0]


def states(cloud: Cloud, *ids: str) -> set[str]:
    return {one["State"]["Name"] for one in cloud.instances(InstanceIds=list(ids))}


def test_a_stopped_member_is_terminated_and_replaced(nodes: Cloud) -> None:
    stopped, kept = nodes.members()

    nodes.ec2.stop_instances(InstanceIds=[stopped])

    until(lambda: stopped not in nodes.members())
    assert states(nodes, stopped) == {"terminated"}
    assert kept in nodes.members()
    assert len(nodes.members()) == 2
    said = nodes.autoscaling.describe_scaling_activities(**NODES)["Activities"]
    assert any("EC2 health check" in one["Cause"] for one in said)


def test_a_member_called_unhealthy_is_replaced(nodes: Cloud) -> None:
    sick = nodes.members()[0]

    nodes.autoscaling.set_instance_health(InstanceId=sick, HealthStatus="Unhealthy")

    until(lambda: sick not in nodes.members())
    assert states(nodes, sick) == {"terminated"}
    assert len(nodes.members()) == 2


def test_an_unhealthy_member_stays_until_its_group_may_replace_it(nodes: Cloud) -> None:
    sick = nodes.members()[0]
    nodes.autoscaling.suspend_processes(**NODES, ScalingProcesses=["ReplaceUnhealthy"])
    nodes.ec2.stop_instances(InstanceIds=[sick])
    until(lambda: group(nodes)["Instances"][0]["HealthStatus"] == "Unhealthy")
    assert sick in nodes.members()

    nodes.autoscaling.resume_processes(**NODES, ScalingProcesses=["ReplaceUnhealthy"])

    until(lambda: sick not in nodes.members())
    assert len(nodes.members()) == 2


def test_a_group_kept_from_launching_grows_when_it_may_again(nodes: Cloud) -> None:
    nodes.autoscaling.suspend_processes(**NODES, ScalingProcesses=["Launch"])
    nodes.autoscaling.set_desired_capacity(**NODES, DesiredCapacity=4)
    assert len(nodes.members()) == 2

    nodes.autoscaling.resume_processes(**NODES)

    assert len(nodes.members()) == 4


def test_a_group_kept_from_terminating_shrinks_when_it_may_again(nodes: Cloud) -> None:
    nodes.autoscaling.suspend_processes(**NODES, ScalingProcesses=["Terminate"])
    nodes.autoscaling.set_desired_capacity(**NODES, DesiredCapacity=1)
    assert len(nodes.members()) == 2

    nodes.autoscaling.resume_processes(**NODES, ScalingProcesses=["Terminate"])

    assert len(nodes.members()) == 1


@pytest.mark.parametrize(("wanted", "why"), [(0, "below min value 1"), (21, "above max value 20")])
def test_a_capacity_beyond_the_groups_size_is_refused(nodes: Cloud, wanted: int, why: str) -> None:
    with pytest.raises(nodes.autoscaling.exceptions.ClientError, match=why):
        nodes.autoscaling.set_desired_capacity(**NODES, DesiredCapacity=wanted)
    assert group(nodes)["DesiredCapacity"] == 2


def terminate(cloud: Cloud, member: str, *, smaller: bool) -> None:
    cloud.autoscaling.terminate_instance_in_auto_scaling_group(
        InstanceId=member, ShouldDecrementDesiredCapacity=smaller
    )


def test_a_member_is_terminated_with_and_without_a_replacement(nodes: Cloud) -> None:
    first, second = nodes.members()

    terminate(nodes, first, smaller=False)
    assert len(nodes.members()) == 2
    assert first not in nodes.members()
    terminate(nodes, second, smaller=True)

    assert len(nodes.members()) == group(nodes)["DesiredCapacity"] == 1
    assert states(nodes, first, second) == {"terminated"}
    tags = {tag["Key"] for tag in nodes.instance(first)["Tags"]}
    assert "aws:autoscaling:groupName" in tags, "whose it was can still be seen"


def test_a_group_does_not_shrink_below_its_minimum(nodes: Cloud) -> None:
    first, second = nodes.members()
    terminate(nodes, first, smaller=True)

    with pytest.raises(nodes.autoscaling.exceptions.ClientError, match="min size constraint"):
        terminate(nodes, second, smaller=True)
    with pytest.raises(nodes.autoscaling.exceptions.ClientError, match="min size constraint"):
        standby(nodes, second, smaller=True)
    assert nodes.members() == [second]


def standby(cloud: Cloud, member: str, *, smaller: bool) -> None:
    cloud.autoscaling.enter_standby(
        **NODES, InstanceIds=[member], ShouldDecrementDesiredCapacity=smaller
    )


def test_a_member_on_standby_runs_on_unchecked_and_comes_back(nodes: Cloud) -> None:
    member = nodes.members()[0]

    standby(nodes, member, smaller=True)
    assert states(nodes, *nodes.members()) == {"running"}
    assert [one["LifecycleState"] for one in group(nodes)["Instances"]] == ["Standby", "InService"]
    nodes.autoscaling.exit_standby(**NODES, InstanceIds=[member])

    assert {one["LifecycleState"] for one in group(nodes)["Instances"]} == {"InService"}
    assert group(nodes)["DesiredCapacity"] == 2
    assert member in nodes.members()


def test_members_say_which_version_they_were_launched_from(nodes: Cloud) -> None:
    nodes.ec2.create_launch_template_version(
        LaunchTemplateName="nodes",
        SourceVersion="1",
        LaunchTemplateData={"InstanceType": "m5.large"},
    )
    template = {"LaunchTemplateName": "nodes", "Version": "2"}
    nodes.autoscaling.update_auto_scaling_group(**NODES, LaunchTemplate=template)

    nodes.autoscaling.set_desired_capacity(**NODES, DesiredCapacity=3)

    members = group(nodes)["Instances"]
    assert [one["LaunchTemplate"]["Version"] for one in members] == ["1", "1", "2"]


def test_an_instance_of_no_group_is_none_of_their_business(nodes: Cloud) -> None:
    alone = nodes.run()["InstanceId"]
    with pytest.raises(nodes.autoscaling.exceptions.ClientError, match="Instance Id not found"):
        nodes.autoscaling.set_instance_health(InstanceId=alone, HealthStatus="Unhealthy")
    with pytest.raises(nodes.autoscaling.exceptions.ClientError, match="Instance Id not found"):
        terminate(nodes, alone, smaller=False)
