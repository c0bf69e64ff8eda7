"""Auto scaling groups, as plain data; and the few things done to them beside Terraform."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orchestrate.aws.regions import in_each
from orchestrate.aws.session import Session
from orchestrate.plain_text import shown

if TYPE_CHECKING:
    from mypy_boto3_autoscaling.type_defs import AutoScalingGroupTypeDef, InstanceTypeDef

IN_SERVICE = "InService"
# How an activity of a group has ended; with any other status it is still going on.
ENDED = ("Successful", "Failed", "Cancelled")
LONGEST_CAUSE = 500
LEAVING = ("Terminating", "Terminated", "Detaching", "Detached")


@dataclass(frozen=True)
class Template:
    """A version of a launch template: `id`, and its number as a string as AWS has it.

    A group may name `$Latest` or `$Default`; `resolved` makes a number of it.
    """

    id: str
    version: str


@dataclass(frozen=True)
class Member:
    """One instance as its group sees it. `lifecycle` is AWS's word: `InService`, `Standby`,
    `Terminating:Wait`; `template` what it was launched from, None where that is gone.
    """

    id: str
    lifecycle: str = IN_SERVICE
    healthy: bool = True
    template: Template | None = None

    @property
    def leaving(self) -> bool:
        return self.lifecycle.startswith(LEAVING)

    @property
    def aside(self) -> bool:
        """Whether somebody has put it on standby: it is in the group, but no part of its size."""
        return self.lifecycle in ("EnteringStandby", "Standby")


@dataclass(frozen=True)
class Group:
    """One auto scaling group: its bounds, how many hosts it wants, those it has.

    `template` is what it launches from now, None where that isn't a launch template; `suspended`
    are the processes that somebody has stopped: `Launch`, `Terminate`, `AZRebalance` …
    """

    name: str
    region: str
    min: int
    max: int
    desired: int
    members: tuple[Member, ...]
    tags: Mapping[str, str]
    template: Template | None = None
    suspended: tuple[str, ...] = ()

    @property
    def instances(self) -> tuple[str, ...]:
        return tuple(member.id for member in self.members)


def describe(session: Session, regions: Iterable[str], fleet: str) -> list[Group]:
    """The groups of a fleet (their tag `fleet`) in these regions."""

    def ask(region: str) -> list[Group]:
        pages = session.autoscaling(region).get_paginator("describe_auto_scaling_groups")
        with session.calling(f"list the auto scaling groups in {region}"):
            return [
                _group(region, found)
                for page in pages.paginate(Filters=[{"Name": "tag:fleet", "Values": [fleet]}])
                for found in page["AutoScalingGroups"]
            ]

    return in_each(regions, ask)


def resolved(session: Session, region: str, template: Template) -> Template:
    """The template with the number that `$Latest` or `$Default` means now."""
    if template.version.isdigit():
        return template
    with session.calling(f"look up launch template {template.id}"):
        found = session.ec2(region).describe_launch_templates(LaunchTemplateIds=[template.id])
    (one,) = found["LaunchTemplates"]
    latest = template.version == "$Latest"
    number = one["LatestVersionNumber"] if latest else one["DefaultVersionNumber"]
    return Template(template.id, str(number))


def terminate(session: Session, group: Group, instance: str, *, shrink: bool) -> None:
    """Terminate an instance of a group, which launches another in its place unless it shrinks."""
    with session.calling(f"terminate {instance} of {group.name}"):
        session.autoscaling(group.region).terminate_instance_in_auto_scaling_group(
            InstanceId=instance, ShouldDecrementDesiredCapacity=shrink
        )


def resize(session: Session, group: Group, desired: int) -> None:
    """Set how many instances a group wants; it launches or terminates by itself."""
    with session.calling(f"set the size of {group.name} to {desired}"):
        session.autoscaling(group.region).set_desired_capacity(
            AutoScalingGroupName=group.name, DesiredCapacity=desired, HonorCooldown=False
        )


def why_not_launching(session: Session, group: Group) -> str:
    """Why a group that wants more hosts launches none; "" while a launch of it is going on.

    By its scaling activities, of which AWS lists the newest first:
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-verify-scaling-activity.html
    """
    with session.calling(f"list the activities of {group.name}"):
        found = session.autoscaling(group.region).describe_scaling_activities(
            AutoScalingGroupName=group.name, MaxRecords=20
        )
    launches = [one for one in found["Activities"] if one["Description"].startswith("Launching")]
    if any(one["StatusCode"] not in ENDED for one in launches):
        return ""
    if launches and launches[0]["StatusCode"] == "Failed":
        return shown(launches[0].get("StatusMessage") or "its last launch failed", LONGEST_CAUSE)
    return "its group has begun no launch"


def _group(region: str, found: AutoScalingGroupTypeDef) -> Group:
    mixed = found.get("MixedInstancesPolicy", {}).get("LaunchTemplate", {})
    return Group(
        name=found["AutoScalingGroupName"],
        region=region,
        min=found["MinSize"],
        max=found["MaxSize"],
        desired=found["DesiredCapacity"],
        members=tuple(_member(one) for one in found.get("Instances", [])),
        tags={tag["Key"]: tag.get("Value", "") for tag in found.get("Tags", [])},
        template=_template(
            mixed.get("LaunchTemplateSpecification") or found.get("LaunchTemplate") or {}
        ),
        suspended=tuple(one["ProcessName"] for one in found.get("SuspendedProcesses", [])),
    )


def _member(found: InstanceTypeDef) -> Member:
    return Member(
        id=found["InstanceId"],
        lifecycle=found["LifecycleState"],
        healthy=found["HealthStatus"] == "Healthy",
        template=_template(found.get("LaunchTemplate") or {}),
    )


def _template(found: Mapping[str, Any]) -> Template | None:
    """A launch template specification; one without a version means the default."""
    if "LaunchTemplateId" not in found:
        return None
    return Template(found["LaunchTemplateId"], str(found.get("Version") or "$Default"))
