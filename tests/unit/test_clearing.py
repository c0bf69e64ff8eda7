"""A destroy takes away what held a group, where that was forced by name; and nothing before."""

import json
from collections.abc import Iterator

import pytest

from orchestrate.aws import remains
from orchestrate.errors import NotConfirmed
from orchestrate.runs.obstacles import InTheWay
from tests.unit.stories import Person, Story

REGION = "us-west-2"
GROUP = "west/group/cpu"


@pytest.fixture
def held(story: Story) -> Iterator[Story]:
    """West has a group `west-cpu` of one protected instance, whose Terminate is suspended."""
    ec2, scaling = story.work.session.ec2(REGION), story.work.session.autoscaling(REGION)
    image = ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"]
    scaling.create_launch_configuration(
        LaunchConfigurationName="west-cpu", ImageId=image, InstanceType="c5.large"
    )
    scaling.create_auto_scaling_group(
        AutoScalingGroupName="west-cpu",
        LaunchConfigurationName="west-cpu",
        MinSize=1,
        MaxSize=1,
        VPCZoneIdentifier=ec2.describe_subnets()["Subnets"][0]["SubnetId"],
        NewInstancesProtectedFromScaleIn=True,
    )
    scaling.suspend_processes(AutoScalingGroupName="west-cpu", ScalingProcesses=["Terminate"])
    resource = {
        "mode": "managed",
        "module": "module.node_group_cpu",
        "type": "aws_autoscaling_group",
        "name": "this",
        "instances": [{"attributes": {"name": "west-cpu"}}],
    }
    story.work.session.s3(REGION).put_object(
        Bucket=story.work.bucket.name,
        Key="west.tfstate",
        Body=json.dumps({"resources": [resource]}).encode(),
    )
    story.writes("west", ("delete", "module.node_group_cpu.aws_autoscaling_group.this"))
    yield story
    scaling.delete_auto_scaling_group(AutoScalingGroupName="west-cpu", ForceDelete=True)
    scaling.delete_launch_configuration(LaunchConfigurationName="west-cpu")


def holds(story: Story) -> tuple[int, int]:
    """How many processes of the group are suspended, and how many instances protected."""
    seen = remains.group(story.work.session, REGION, "west-cpu")
    return len(seen.suspended), len(seen.protected)


@pytest.mark.parametrize("force", [(), ("west/group/gpu",), ("east/*",)])
def test_a_held_group_is_refused_and_stays_as_it_is(held: Story, force: tuple[str, ...]) -> None:
    with pytest.raises(InTheWay, match=GROUP):
        held.run(Person(), "west", destroying=True, force=force)
    assert holds(held) == (1, 1)
    assert "apply" not in held.asked("west")


def test_one_that_is_forced_stays_too_until_the_operator_agrees(held: Story) -> None:
    with pytest.raises(NotConfirmed):
        held.run(Person(answer=False), "west", destroying=True, force=(GROUP,))
    assert holds(held) == (1, 1)


@pytest.mark.parametrize("force", [GROUP, "west/*"])
def test_then_both_are_lifted_and_it_is_said(held: Story, force: str) -> None:
    person = Person()
    report = held.run(person, "west", destroying=True, force=(force,))
    assert (report.exit_code, holds(held)) == (0, (0, 0))
    assert person.told[-1] == "letting group west-cpu terminate its hosts"


def test_what_was_to_be_forced_or_given_up_and_is_not_there_is_told(held: Story) -> None:
    person = Person()
    more = {"force": (GROUP, "west/group/gpu"), "destroy_data": ("west/bucket/x", "wset/*")}
    held.run(person, "west", destroying=True, **more)
    notes = [line for line in person.told if line.startswith("note: ")]
    assert notes == [
        "note: --destroy-data west/bucket/x names nothing that this run takes away",
        "note: --destroy-data wset/* names nothing that this run takes away",
        "note: --force west/group/gpu names nothing that this run takes away",
    ]
