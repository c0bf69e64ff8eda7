"""Who uses which AMI: launch templates, auto scaling groups, instances. Read only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrate.aws.instances import ALIVE
from orchestrate.aws.regions import in_each
from orchestrate.aws.session import Session


@dataclass(frozen=True, order=True)
class Use:
    """An AMI and what would miss it, in words: `launch template cluster-us-west-cpu, version 3`."""

    ami: str
    region: str
    by: str


def describe(session: Session, regions: Iterable[str]) -> list[Use]:
    """All uses in these regions, whoever's they are: an AMI may be used beside a fleet as well.

    Of a launch template count the default and the latest version, and those that groups name.
    """

    def ask(region: str) -> list[Use]:
        with session.calling(f"find out which images are used in {region}"):
            groups = list(_groups(session, region))
            return sorted(
                {
                    *_templates(session, region, groups),
                    *_configurations(session, region),
                    *_instances(session, region),
                }
            )

    return in_each(regions, ask)


def _groups(session: Session, region: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Groups' names with each launch template specification they name."""
    pages: Any = session.autoscaling(region).get_paginator("describe_auto_scaling_groups")
    for page in pages.paginate():
        for group in page["AutoScalingGroups"]:
            mixed = group.get("MixedInstancesPolicy", {}).get("LaunchTemplate", {})
            specified = [
                group.get("LaunchTemplate"),
                mixed.get("LaunchTemplateSpecification"),
                *(each.get("LaunchTemplateSpecification") for each in mixed.get("Overrides", [])),
            ]
            yield from ((group["AutoScalingGroupName"], one) for one in specified if one)


def _templates(
    session: Session, region: str, groups: Iterable[tuple[str, Mapping[str, Any]]]
) -> Iterator[Use]:
    ec2 = session.ec2(region)
    by_template: dict[str, dict[str, str]] = {}
    for group, one in groups:
        versions = by_template.setdefault(one["LaunchTemplateId"], {})
        versions[str(one.get("Version") or "$Default")] = group
    pages: Any = ec2.get_paginator("describe_launch_templates")
    for page in pages.paginate():
        for template in page["LaunchTemplates"]:
            named = by_template.get(template["LaunchTemplateId"], {})
            yield from _versions(ec2, region, template, named)


def _versions(
    ec2: Any, region: str, template: Mapping[str, Any], groups: Mapping[str, str]
) -> Iterator[Use]:
    """`groups` are the names of those that name a version, by that version."""
    found = ec2.describe_launch_template_versions(
        LaunchTemplateId=template["LaunchTemplateId"],
        Versions=sorted({"$Default", "$Latest", *groups}),
    )
    numbers = {
        "$Default": str(template["DefaultVersionNumber"]),
        "$Latest": str(template["LatestVersionNumber"]),
    }
    launching = {numbers.get(version, version): group for version, group in groups.items()}
    for version in found["LaunchTemplateVersions"]:
        ami, number = version["LaunchTemplateData"].get("ImageId"), str(version["VersionNumber"])
        if ami:
            by = f"launch template {template['LaunchTemplateName']}, version {number}"
            yield Use(ami, region, by)
            if number in launching:
                yield Use(ami, region, f"group {launching[number]}")


def _configurations(session: Session, region: str) -> Iterator[Use]:
    """Launch configurations are what groups had before launch templates; some still do."""
    pages: Any = session.autoscaling(region).get_paginator("describe_launch_configurations")
    for page in pages.paginate():
        for one in page["LaunchConfigurations"]:
            name = one["LaunchConfigurationName"]
            yield Use(one["ImageId"], region, f"launch configuration {name}")


def _instances(session: Session, region: str) -> Iterator[Use]:
    pages: Any = session.ec2(region).get_paginator("describe_instances")
    for page in pages.paginate(Filters=[{"Name": "instance-state-name", "Values": ALIVE}]):
        for reservation in page["Reservations"]:
            for one in reservation.get("Instances", []):
                yield Use(one["ImageId"], region, f"instance {one['InstanceId']}")
