"""What auto scaling groups did and why they could not: DescribeScalingActivities."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from moto.autoscaling.responses import AutoScalingResponse
from moto.core.responses import ActionResult

from orchestrate.lab.gaps import amends

KEPT = 100  # per group; AWS keeps six weeks' and answers a hundred at a time


def note(group: Any, description: str, failure: str = "", why: str = "") -> None:
    """Write down one activity of a group, over by now; `failure` says why it came to nothing.

    `why` is the rest of the sentence about what caused it, where that wasn't the group's size.
    """
    now = datetime.now(UTC)
    activity = {
        "ActivityId": str(uuid.uuid4()),
        "AutoScalingGroupName": group.name,
        "AutoScalingGroupARN": group.arn,
        "Description": description,
        "Cause": f"At {now:%Y-%m-%dT%H:%M:%SZ} "
        + (
            f"an instance {why}"
            if why
            else f"the group was to have {group.desired_capacity} instances."
        ),
        "StartTime": now,
        "EndTime": now,
        "StatusCode": "Failed" if failure else "Successful",
        "StatusMessage": failure,
        "Progress": 100,
    }
    group.lab_activities = [activity, *of(group)][:KEPT]


def of(group: Any) -> list[dict[str, Any]]:
    """A group's activities, the newest first."""
    found: list[dict[str, Any]] = getattr(group, "lab_activities", [])
    return found


@amends(AutoScalingResponse, "describe_scaling_activities")
def describe_scaling_activities(_original: Callable[..., Any], response: Any) -> ActionResult:
    """The activities of one group or all. moto answers with none.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeScalingActivities.html.
    `aws_autoscaling_group` reads them to say why a group does not reach its capacity.
    """
    name = response._get_param("AutoScalingGroupName")
    groups = response.autoscaling_backend.autoscaling_groups
    asked = [groups[name]] if name in groups else [] if name else list(groups.values())
    found = [activity for group in asked for activity in of(group)]
    found.sort(key=lambda activity: activity["StartTime"], reverse=True)
    return ActionResult({"Activities": found[:KEPT]})
