"""Auto scaling groups, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrate.aws.regions import in_each
from orchestrate.aws.session import Session

if TYPE_CHECKING:
    from mypy_boto3_autoscaling.type_defs import AutoScalingGroupTypeDef


@dataclass(frozen=True)
class Group:
    """One auto scaling group: its bounds, how many hosts it wants, and the ids of those it has."""

    name: str
    region: str
    min: int
    max: int
    desired: int
    instances: tuple[str, ...]
    tags: Mapping[str, str]


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


def _group(region: str, found: AutoScalingGroupTypeDef) -> Group:
    return Group(
        name=found["AutoScalingGroupName"],
        region=region,
        min=found["MinSize"],
        max=found["MaxSize"],
        desired=found["DesiredCapacity"],
        instances=tuple(one["InstanceId"] for one in found.get("Instances", [])),
        tags={tag["Key"]: tag.get("Value", "") for tag in found.get("Tags", [])},
    )
