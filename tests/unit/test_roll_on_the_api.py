"""A roll by the very calls it makes, on the lab's Auto Scaling: all but the hosts behind it."""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import requests

from orchestrate.aws.groups import Group
from orchestrate.aws.session import Session
from orchestrate.fleet.load import load
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.observe import Observed, observe
from orchestrate.hosts.results import Outcome, Result
from orchestrate.hosts.rollout import Share
from orchestrate.roll import Hands, Rolled, roll
from orchestrate.roll_plan import Pace, plan
from orchestrate.shell import Stop
from tests.unit.conftest import SECRET

FLEET = load(Path(__file__).parents[1] / "golden" / "example" / "fleet")
REGION, NAME, LABEL = "us-west-2", "deeplab-cpu", "cpu.cluster-us-west"
TAGS = {"fleet": "deeplab", "cluster": "cluster-us-west", "role": "cpu-worker", "group": "cpu"}


@dataclass
class Rolling:
    """A group of two in a region, and who watches it being rolled. Time passes by sleeping."""

    session: Session
    time: float = 0.0
    surges: list[tuple[int, int]] = field(default_factory=list)

    def note(self, group: str, what: str) -> None:
        """Nobody reads it."""

    def surge(self, _group: str, wanted: int, extra: int) -> None:
        self.surges.append((wanted, extra))

    def look(self) -> Observed:
        return observe(self.session, FLEET)

    @property
    def group(self) -> Group:
        (found,) = self.look().groups
        return found

    def gate(self, hosts: Sequence[Host]) -> list[Result]:
        return [Result(each.name, Outcome.CHANGED) for each in hosts]

    def sleep(self, seconds: float) -> None:
        self.time += seconds

    def rolled(self, pace: Pace, surged: int = 0) -> Rolled:
        (one,) = plan(self.session, [self.group], {LABEL: surged})
        hands = Hands(
            self.session,
            self.look,
            self.gate,
            lambda _: True,
            clock=lambda: self.time,
            sleep=self.sleep,
        )
        return roll(one, pace, hands, self, Stop())


def template(image: str, disk_gb: int) -> Any:
    user_data = base64.b64encode(f"#!/bin/sh\necho {disk_gb}\n".encode()).decode()
    return {"ImageId": image, "InstanceType": "c5.large", "UserData": user_data}


@pytest.fixture
def group(session: Session) -> Rolling:
    """Two hosts of a template's first version; the group launches from its second by now."""
    ec2, scaling = session.ec2(REGION), session.autoscaling(REGION)
    image = ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"]
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    ec2.create_launch_template(LaunchTemplateName=NAME, LaunchTemplateData=template(image, 200))
    scaling.create_auto_scaling_group(
        AutoScalingGroupName=NAME,
        MinSize=0,
        MaxSize=4,
        DesiredCapacity=2,
        VPCZoneIdentifier=subnet,
        MixedInstancesPolicy=_from("1"),
        Tags=[{"Key": k, "Value": v, "PropagateAtLaunch": True} for k, v in TAGS.items()],
    )
    ec2.create_launch_template_version(
        LaunchTemplateName=NAME, LaunchTemplateData=template(image, 250)
    )
    scaling.update_auto_scaling_group(AutoScalingGroupName=NAME, MixedInstancesPolicy=_from("2"))
    return Rolling(session)


def _from(version: str) -> Any:
    specification = {"LaunchTemplateName": NAME, "Version": version}
    return {"LaunchTemplate": {"LaunchTemplateSpecification": specification}}


def test_hosts_of_the_template_before_are_told_from_those_of_the_one_now(group: Rolling) -> None:
    behind = [host.behind for host in group.look().hosts if host.group == "cpu"]
    assert behind == ["version 1, now 2"] * 2


def test_a_surge_replaces_every_host_and_gives_the_size_back(group: Rolling) -> None:
    before = set(group.group.instances)
    ended = group.rolled(Pace(Share(0), surge=1))
    assert ended.well, ended
    now = group.group
    assert (now.desired, len(now.instances)) == (2, 2)
    assert not before & set(now.instances)
    assert {one.template for one in now.members} == {now.template}
    assert group.surges[0] == (2, 1)
    assert group.surges[-1] == (2, 0)


def test_a_surge_that_a_killed_roll_left_is_given_back(group: Rolling) -> None:
    group.session.autoscaling(REGION).set_desired_capacity(
        AutoScalingGroupName=NAME, DesiredCapacity=3
    )
    assert group.rolled(Pace(Share(0), surge=1), surged=1).well
    assert (group.group.desired, len(group.group.instances)) == (2, 2)


@pytest.fixture
def no_capacity(group: Rolling, endpoint: str) -> Iterator[None]:
    """EC2 has no instance to sell any more."""
    assert len(group.group.instances) == 2
    faults = f"{endpoint}/_lab/faults"
    order = {"kind": "no-capacity", "instance_type": "*", "place": "*"}
    assert requests.post(faults, json=order, headers=SECRET.authorization, timeout=10).ok
    yield
    requests.delete(faults, json={"names": []}, headers=SECRET.authorization, timeout=10)


@pytest.mark.usefixtures("no_capacity")
@pytest.mark.parametrize("pace", [Pace(), Pace(Share(0), surge=1)], ids=["in place", "surge"])
def test_a_host_that_nobody_launches_ends_the_roll_with_the_reason(
    group: Rolling, pace: Pace
) -> None:
    ended = group.rolled(pace)
    assert "capacity" in ended.cause
    assert group.time < 120
    assert (ended.larger, group.group.desired) == (0, 2)


def test_a_group_whose_launches_are_suspended_says_so(group: Rolling) -> None:
    group.session.autoscaling(REGION).suspend_processes(
        AutoScalingGroupName=NAME, ScalingProcesses=["Launch"]
    )
    assert group.group.suspended == ("Launch",)
