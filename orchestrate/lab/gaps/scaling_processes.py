"""Auto Scaling groups keep themselves healthy and within their size, unless told not to.

Health is checked from time to time (`replace_unhealthy`), as on AWS; what a caller asks for
beyond a group's size is refused at once.
"""

from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from moto.autoscaling.exceptions import AutoscalingClientError, ValidationError
from moto.autoscaling.models import AutoScalingBackend, autoscaling_backends
from moto.autoscaling.responses import AutoScalingResponse

from orchestrate.lab.gaps import amends, scaling_activities
from orchestrate.lab.gaps.hosts import keeper

Look = dict[str, bool]  # instance id -> whether its host was down at the last look


def unhealthy(state: str, *, down: bool, suspended: Collection[str]) -> bool:
    """Whether EC2's health check of a member fails: it doesn't run, or what it runs on is down.

    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-health-checks.html. Pure.
    """
    return "HealthCheck" not in suspended and (state != "running" or down)


def beyond(wanted: int, least: int, most: int) -> str:
    """Which bound of a group's size a capacity is beyond, in AWS's words; "" for none. Pure."""
    if wanted < least:
        return f"below min value {least}"
    return f"above max value {most}" if wanted > most else ""


def suspended(group: Any) -> set[str]:
    """The processes that a group was told not to run."""
    return {one["ProcessName"] for one in group.suspended_processes}


def replace_unhealthy(last: Look, now: datetime) -> tuple[Look, bool]:
    """Check every member's health and replace who fails; what was seen, and whether any was.

    A host counts as down when it was so at the `last` look too: one that reboots is for a moment.
    Call with the API's lock held.
    """
    backends: list[tuple[str, str, Any]] = list(autoscaling_backends.iter_backends())
    groups = [group for _, _, one in backends for group in one.autoscaling_groups.values()]
    seen: Look = {}
    replaced = False
    for group in groups:
        seen.update(_check(group, last, now))
        replaced = _replace(group) or replaced
    return seen, replaced


def _check(group: Any, last: Look, now: datetime) -> Look:
    hosts, off, seen = keeper(), suspended(group), {}
    for member in _in_service(group):
        instance = member.instance
        host = hosts.state(instance.id) if hosts else None
        seen[instance.id] = host is not None and host.state == "failed"
        down = (
            seen[instance.id] and last.get(instance.id, False) and not _graced(group, member, now)
        )
        if unhealthy(instance.state, down=down, suspended=off):
            member.health_status = "Unhealthy"
    return seen


def _in_service(group: Any) -> list[Any]:
    return [one for one in group.instance_states if one.lifecycle_state == "InService"]


def _graced(group: Any, member: Any, now: datetime) -> bool:
    """A new instance may be impaired for some time; one that was stopped has no such grace."""
    launched = member.instance.launch_time.replace(tzinfo=UTC)
    return bool(now - launched < timedelta(seconds=int(group.health_check_period or 0)))


def _replace(group: Any) -> bool:
    """Terminate the unhealthy and launch others, as far as both processes run."""
    gone = [one for one in _in_service(group) if one.health_status == "Unhealthy"]
    if not gone or suspended(group) & {"ReplaceUnhealthy", "Terminate"}:
        return False
    group.instance_states = [one for one in group.instance_states if one not in gone]
    for one in gone:
        one.instance.terminate()
        why = "was taken out of service in response to an EC2 health check."
        scaling_activities.note(group, f"Terminating EC2 instance: {one.instance.id}", why=why)
    group.set_desired_capacity(group.desired_capacity)
    return True


@amends(AutoScalingBackend, "resume_processes")
def resume_processes(
    original: Callable[..., Any], backend: Any, group_name: str, processes: Iterable[str]
) -> None:
    """A group whose processes go on does at once what it was kept from.

    https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html
    """
    original(backend, group_name, processes)
    group = backend.autoscaling_groups[group_name]
    group.set_desired_capacity(group.desired_capacity)


@amends(AutoScalingResponse, "set_desired_capacity")
def set_desired_capacity(original: Callable[..., Any], response: Any) -> Any:
    """A group is never asked to be larger or smaller than it may be.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_SetDesiredCapacity.html. An
    autoscaler that asks for more must hear of it.
    """
    group = _group(response.autoscaling_backend, response._get_param("AutoScalingGroupName"))
    wanted = response._get_int_param("DesiredCapacity")
    if bound := beyond(wanted, group.min_size, group.max_size):
        raise ValidationError(
            f"New SetDesiredCapacity value {wanted} is {bound} for the AutoScalingGroup."
        )
    return original(response)


@amends(AutoScalingBackend, "terminate_instance")
def terminate_instance(
    original: Callable[..., Any], backend: Any, instance_id: str, should_decrement: bool
) -> Any:
    """With a smaller capacity only as far as the minimum; the instance keeps its tags.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_TerminateInstanceInAutoScalingGroup.html
    """
    group = _of_member(backend, instance_id)
    if should_decrement:
        _may_shrink(group, 1, "Terminating instance without replacement")
    tags = dict(group.ec2_backend.tags.get(instance_id, {}))
    activity = original(backend, instance_id, should_decrement)
    group.ec2_backend.create_tags([instance_id], tags)
    return activity


@amends(AutoScalingBackend, "enter_standby_instances")
def enter_standby_instances(
    original: Callable[..., Any],
    backend: Any,
    group_name: str,
    instance_ids: list[str],
    should_decrement: bool,
) -> Any:
    """With a smaller capacity only as far as the minimum.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_EnterStandby.html
    """
    if should_decrement:
        what = "Moving instances to standby without replacement"
        _may_shrink(_group(backend, group_name), len(instance_ids), what)
    return original(backend, group_name, instance_ids, should_decrement)


@amends(AutoScalingResponse, "delete_auto_scaling_group")
def delete_auto_scaling_group(original: Callable[..., Any], response: Any) -> Any:
    """A group goes when its instances have, or takes them along where that is forced, suspended or
    not.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DeleteAutoScalingGroup.html. An
    `aws_autoscaling_group` whose hosts cannot be terminated.
    """
    group = _group(response.autoscaling_backend, response._get_param("AutoScalingGroupName"))
    members = [one.instance.id for one in group.instance_states]
    if members and not response._get_bool_param("ForceDelete"):
        what = "You cannot delete an AutoScalingGroup while there are instances or pending Spot"
        raise AutoscalingClientError("ResourceInUse", f"{what} instance request(s) still in it.")
    group.instance_states = []
    if members:
        group.ec2_backend.terminate_instances(members)
    return original(response)


@amends(AutoScalingBackend, "delete_launch_configuration")
def delete_launch_configuration(
    original: Callable[..., Any], backend: Any, launch_configuration_name: str
) -> None:
    """A launch configuration stays while a group launches from it.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DeleteLaunchConfiguration.html
    """
    for group in backend.autoscaling_groups.values():
        if getattr(group, "launch_configuration_name", "") == launch_configuration_name:
            what = f"Cannot delete launch configuration {launch_configuration_name} because it is"
            raise AutoscalingClientError("ResourceInUse", f"{what} attached to {group.name}")
    original(backend, launch_configuration_name)


@amends(AutoScalingBackend, "set_instance_health")
def set_instance_health(
    original: Callable[..., Any], backend: Any, instance_id: str, health_status: str
) -> None:
    """A member called unhealthy is replaced at the next check; others are refused.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_SetInstanceHealth.html
    """
    _of_member(backend, instance_id)
    original(backend, instance_id, health_status)


def _group(backend: Any, name: str) -> Any:
    if name not in backend.autoscaling_groups:
        raise ValidationError(f"AutoScalingGroup name not found - no such group: {name}")
    return backend.autoscaling_groups[name]


def _of_member(backend: Any, instance_id: str) -> Any:
    for group in backend.autoscaling_groups.values():
        if any(one.instance.id == instance_id for one in group.instance_states):
            return group
    raise ValidationError(
        f"Instance Id not found - No managed instance found for instance ID: {instance_id}"
    )


def _may_shrink(group: Any, by: int, what: str) -> None:
    if group.desired_capacity - by < group.min_size:
        raise ValidationError(
            f"Currently, desiredSize equals {group.desired_capacity} and minSize {group.min_size}. "
            f"{what} will violate group's min size constraint. Please either set shouldDecrement "
            "to false or lower group's min size."
        )
