"""Auto Scaling: where instances are launched, of which kind, and which go first.

The decisions are pure functions; the amended methods carry them out on moto's groups.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from moto.autoscaling.exceptions import AutoscalingClientError
from moto.autoscaling.models import (
    ASG_NAME_TAG,
    AutoScalingBackend,
    FakeAutoScalingGroup,
    InstanceState,
    autoscaling_backends,
)

from orchestrate.lab.gaps import amends, scaling_activities
from orchestrate.lab.gaps.capacity import LaunchRefused
from orchestrate.lab.gaps.scaling_processes import suspended


def spread(count: int, places: Sequence[str], present: Iterable[str]) -> list[str]:
    """Where `count` new instances go: each to the place with the fewest, first named first.

    https://docs.aws.amazon.com/autoscaling/ec2/userguide/auto-scaling-benefits.html (balance).
    """
    load = Counter(dict.fromkeys(places, 0))
    load.update(place for place in present if place in load)
    chosen = []
    for _ in range(count):
        place = min(places, key=lambda name: load[name])
        load[place] += 1
        chosen.append(place)
    return chosen


def on_demand_share(total: int, base: int, percent: int) -> int:
    """How many of `total` instances are on-demand; the rest are spot.

    The base first, then `percent` of what is above it; a fraction is an on-demand instance.
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-mixed-instances-groups.html
    """
    if total <= base:
        return total
    return base + math.ceil((total - base) * percent / 100)


def first_to_go(count: int, zones: Sequence[str]) -> list[int]:
    """Which of the instances, given by zone from oldest to newest, are terminated: their places.

    From the fullest zone, the oldest there; so the default termination policy, as far as all
    have one launch template. https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-instance-termination.html
    """
    left = dict(enumerate(zones))
    gone = []
    for _ in range(min(count, len(zones))):
        load = Counter(left.values())
        oldest = min(left, key=lambda place: (-load[left[place]], place))
        gone.append(oldest)
        del left[oldest]
    return gone


@amends(AutoScalingBackend, "create_auto_scaling_group")
def create_auto_scaling_group(
    original: Callable[..., Any], backend: Any, name: str, *more: Any, **options: Any
) -> Any:
    """A name is a group's own.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html
    (AlreadyExists). moto puts the second in place of the first, whose instances run on unseen.
    """
    if name in backend.autoscaling_groups:
        what = f"AutoScalingGroup by this name already exists - A group with the name {name}"
        raise AutoscalingClientError("AlreadyExistsFault", f"{what} already exists")
    return original(backend, name, *more, **options)


@amends(FakeAutoScalingGroup, "set_desired_capacity")
def set_desired_capacity(
    _original: Callable[..., Any], group: Any, new_capacity: int | None
) -> None:
    """Launch or terminate up to the desired capacity, at once.

    `aws_autoscaling_group.desired_capacity`, `min_size`, `wait_for_capacity_timeout`. moto's own
    loses an instance of a mixed group when a share is not whole, and terminates any.
    """
    group.desired_capacity = group.min_size if new_capacity is None else new_capacity
    missing = _instances_wanted(group) - len(group.active_instances())
    if missing > 0:
        group.replace_autoscaling_group_instances(missing, group.get_propagated_tags())
    elif missing < 0:
        _scale_in(group, -missing)
    backend = group.autoscaling_backend
    if group.name in backend.autoscaling_groups:
        backend.update_attached_elbs(group.name)
        backend.update_attached_target_groups(group.name)


def _instances_wanted(group: Any) -> int:
    weight = next((o.get("WeightedCapacity") for o in _overrides(group)), None)
    return math.ceil((group.desired_capacity or 0) / int(weight or 1))


def _overrides(group: Any) -> list[dict[str, Any]]:
    policy = group.mixed_instances_policy or {}
    overrides: list[dict[str, Any]] = policy.get("LaunchTemplate", {}).get("Overrides") or []
    return overrides


def _scale_in(group: Any, count: int) -> None:
    if "Terminate" in suspended(group):
        return
    open_to_it = [
        state
        for state in group.instance_states
        if state.lifecycle_state == "InService" and not state.protected_from_scale_in
    ]
    places = first_to_go(count, [state.availability_zone for state in open_to_it])
    gone = [open_to_it[place] for place in places]
    if not gone:
        return
    group.instance_states = [state for state in group.instance_states if state not in gone]
    group.ec2_backend.terminate_instances([state.instance.id for state in gone])
    for state in gone:
        scaling_activities.note(group, f"Terminating EC2 instance: {state.instance.id}")


@amends(FakeAutoScalingGroup, "replace_autoscaling_group_instances")
def launch(
    _original: Callable[..., Any], group: Any, count_needed: int, propagated_tags: dict[str, str]
) -> None:
    """Launch in all of the group's subnets evenly, spot and on-demand as the policy says.

    `aws_autoscaling_group.vpc_zone_identifier`, `mixed_instances_policy`, `tag` with
    `propagate_at_launch`. moto launches everything in the first subnet, from the default version
    of the launch template, of the template's type. The group's tags win over the template's:
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-tagging.html
    """
    if "Launch" in suspended(group):
        return
    tags = {**group.instance_tags, **propagated_tags, ASG_NAME_TAG: group.name}
    kinds = _kinds(group, count_needed)
    group.lab_short = False
    for subnet, spot in zip(_subnets(group, count_needed), kinds, strict=True):
        if not _launch_somewhere(group, subnet, tags, spot):
            group.lab_short = True
            return


def _launch_somewhere(group: Any, subnet: str, tags: dict[str, str], spot: bool) -> bool:
    """Launch in the subnet, else in any other of the group's; False, and noted, if none can.

    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-availability-zone-balanced.html
    """
    for place in dict.fromkeys([subnet, *_places(group)]):
        try:
            _launch_one(group, place, tags, spot)
        except LaunchRefused as refused:
            failure = f"{refused.message} Launching EC2 instance failed."
            scaling_activities.note(group, "Launching a new EC2 instance.", failure)
        else:
            launched = group.instance_states[-1].instance.id
            scaling_activities.note(group, f"Launching a new EC2 instance: {launched}")
            return True
    return False


def launch_missing() -> bool:
    """Let the groups that could not launch try again; whether any instance was launched.

    As AWS does by itself, some minutes later. Call with the API's lock held.
    """
    backends: list[tuple[str, str, Any]] = list(autoscaling_backends.iter_backends())
    short = [
        group
        for _, _, backend in backends
        for group in backend.autoscaling_groups.values()
        if getattr(group, "lab_short", False)
    ]
    before = sum(len(group.instance_states) for group in short)
    for group in short:
        group.set_desired_capacity(group.desired_capacity)
    return sum(len(group.instance_states) for group in short) > before


def _kinds(group: Any, count: int) -> list[bool]:
    """For each instance to launch, whether it is spot."""
    if not group.mixed_instances_policy:
        return [False] * count
    # An update may leave it out; the defaults are those of InstancesDistribution.
    share = group.mixed_instances_policy.get("InstancesDistribution") or {}
    states = group.active_instances()
    spot_now = sum(1 for state in states if state.instance.lifecycle == "spot")
    on_demand = on_demand_share(
        len(states) + count,
        int(share.get("OnDemandBaseCapacity") or 0),
        int(share.get("OnDemandPercentageAboveBaseCapacity", 100)),
    )
    wanted = min(count, max(0, on_demand - (len(states) - spot_now)))
    return [False] * wanted + [True] * (count - wanted)


def _subnets(group: Any, count: int) -> list[str]:
    present = (state.instance.subnet_id for state in group.instance_states)
    return spread(count, _places(group), present)


def _places(group: Any) -> list[str]:
    """The subnets a group may launch in."""
    if group.vpc_zone_identifier:
        return [name for name in group.vpc_zone_identifier.split(",") if name]
    default = group.ec2_backend.get_default_subnets()
    return [default[zone].id for zone in group.availability_zones]


def _launch_one(group: Any, subnet: str, tags: dict[str, str], spot: bool) -> None:
    config = group.launch_config
    template = group.ec2_launch_template
    source = (
        {"LaunchTemplateId": template.id, "Version": group.launch_template_version}
        if template
        else None
    )
    types = [
        override["InstanceType"] for override in _overrides(group) if "InstanceType" in override
    ]
    reservation = group.autoscaling_backend.ec2_backend.run_instances(
        group.image_id,
        1,
        group.user_data,
        group.security_groups,
        instance_type=types[0] if types else group.instance_type,
        tags={"instance": dict(tags)},
        launch_config=config,
        launch_template=source,
        is_instance_type_default=False,
        associate_public_ip=config.associate_public_ip_address if config else None,
        subnet_id=subnet,
        region_name=group.region,
        instance_market_options="spot" if spot else None,
    )
    instance = reservation.instances[0]
    instance.autoscaling_group = group
    protected = group.new_instances_protected_from_scale_in
    member: Any = InstanceState(instance, protected_from_scale_in=protected)
    member.lab_template_version = getattr(group, "launch_template_version", None)
    group.instance_states.append(member)


@amends(InstanceState, "launch_template")
def launch_template(original: Callable[..., Any], member: Any) -> dict[str, Any] | None:
    """The version that an instance was launched from, whatever the template's default is now.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_Instance.html. A roll-out tells
    old members from new ones by it.
    """
    found: dict[str, Any] | None = original(member)
    version = getattr(member, "lab_template_version", None)
    return {**found, "Version": str(version)} if found and version else found


@amends(FakeAutoScalingGroup, "update")
def update(original: Callable[..., Any], group: Any, **options: Any) -> None:
    """An update changes what it names: a mixed instances policy stays until another replaces it.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_UpdateAutoScalingGroup.html.
    `aws_autoscaling_group.mixed_instances_policy` after a change of `max_size` alone.
    """
    replaced = options.get("launch_template") or options.get("launch_config_name")
    if not options.get("mixed_instances_policy") and not replaced:
        options["mixed_instances_policy"] = _by_id(group.mixed_instances_policy)
    original(group, **options)


def _by_id(policy: dict[str, Any] | None) -> dict[str, Any] | None:
    """The policy as a caller may send it: moto keeps the template's id and name, and takes one."""
    if not policy:
        return policy
    template = dict(policy["LaunchTemplate"])
    specification = dict(template["LaunchTemplateSpecification"])
    specification.pop("LaunchTemplateName", None)
    return {**policy, "LaunchTemplate": {**template, "LaunchTemplateSpecification": specification}}
