"""What makes a node group one that AWS can start and the autoscaler can plan with."""

from collections.abc import Iterator

from orchestrate.findings import Finding
from orchestrate.fleet import names
from orchestrate.fleet.models import Cluster, FleetFile, InstanceType, NodeGroup
from orchestrate.fleet.places import At
from orchestrate.fleet.rules.machines import kind

ELSEWHERE = {
    "bastion": "the cluster's own 'bastion:'",
    "vpn": "the cluster's own 'vpn:'",
    "site-gateway": "a site's rack host",
}


def check(cluster: Cluster, file: FleetFile | None, at: At) -> Iterator[Finding]:
    """All rules on all node groups of the cluster."""
    for name, group in cluster.node_groups.items():
        yield from _name(name, at)
        yield from _role(name, group, at)
        yield from _size(name, group, at)
        yield from _capacity(name, group, at)
        yield from _types(name, group, file, at)
        yield from _gpus(name, group, file, at)


def _name(name: str, at: At) -> Iterator[Finding]:
    if name in names.PURPOSES:
        what = f"a node group can't be called '{name}': the cluster has AWS names ending so"
        yield Finding(at("node_groups", name), what, f"call it '{name}-nodes', for example")


def _role(name: str, group: NodeGroup, at: At) -> Iterator[Finding]:
    if group.role in ELSEWHERE:
        what = f"role {group.role} of '{name}' is not one for a node group"
        yield Finding(
            at("node_groups", name, "role"), what, f"its place is {ELSEWHERE[group.role]}"
        )


def _size(name: str, group: NodeGroup, at: At) -> Iterator[Finding]:
    if group.min > group.max:
        what = f"'{name}' has min {group.min} above max {group.max}"
        yield Finding(at("node_groups", name, "min"), what, "raise max or lower min")


def _capacity(name: str, group: NodeGroup, at: At) -> Iterator[Finding]:
    if group.on_demand_base and group.capacity != "mixed":
        what = f"'{name}' has on_demand_base, which only capacity: mixed uses"
        fix = "write capacity: mixed, or take on_demand_base out"
        yield Finding(at("node_groups", name, "on_demand_base"), what, fix)
    if group.on_demand_base > group.max:
        what = f"'{name}' has on_demand_base {group.on_demand_base} above max {group.max}"
        fix = "lower on_demand_base or raise max"
        yield Finding(at("node_groups", name, "on_demand_base"), what, fix)
    if len(group.instance_types) > 1 and group.capacity == "on-demand":
        what = f"'{name}' has several instance types, but capacity on-demand takes the first only"
        fix = "write capacity: spot or mixed, or keep one type"
        yield Finding(at("node_groups", name, "instance_types"), what, fix)


def _types(name: str, group: NodeGroup, file: FleetFile | None, at: At) -> Iterator[Finding]:
    first_name = group.instance_types[0]
    first = kind(first_name, file)
    for index, other_name in enumerate(group.instance_types[1:], start=1):
        path = ("node_groups", name, "instance_types", index)
        if other_name in group.instance_types[:index]:
            yield Finding(at(*path), f"'{name}' lists {other_name} twice", "take one out")
        other = kind(other_name, file)
        unlike = _unlike(first, other) if first and other else ""
        if unlike:
            what = f"'{name}' mixes {first_name} with {other_name}, which has {unlike}"
            fix = "the autoscaler plans with the first type; give the other a group of its own"
            yield Finding(at(*path), what, fix)


def _unlike(first: InstanceType, other: InstanceType) -> str:
    """In what the other type would break a plan made for the first; empty where in nothing."""
    if other.gpus != first.gpus:
        return f"{other.gpus} GPUs, not {first.gpus}"
    if other.card != first.card:
        return f"the card {other.card}, not {first.card}"
    if other.cpus != first.cpus:
        return f"{other.cpus} vCPUs, not {first.cpus}"
    if other.memory_mib < first.memory_mib:
        return f"{_gib(other)} GiB of memory, less than {_gib(first)}"
    return ""


def _gib(found: InstanceType) -> str:
    return f"{found.memory_mib / 1024:g}"


def _gpus(name: str, group: NodeGroup, file: FleetFile | None, at: At) -> Iterator[Finding]:
    first = group.instance_types[0]
    found = kind(first, file)
    if found is None:
        return
    if group.gpus != found.gpus:
        has = f"{found.gpus} ({found.card})" if found.gpus else "none"
        said = f"gpus: {group.gpus}" if group.gpus else "no GPUs"
        what = f"'{name}' says {said}, but a {first} has {has}"
        fix = f"write gpus: {found.gpus}" if found.gpus else "take gpus out, or choose a GPU type"
        yield Finding(at("node_groups", name, "gpus"), what, fix)
    elif group.role == "gpu-worker" and not found.gpus:
        what = f"'{name}' is a gpu-worker, but a {first} has no GPU"
        yield Finding(at("node_groups", name, "role"), what, "choose a GPU type, or cpu-worker")
    elif group.role == "cpu-worker" and found.gpus:
        what = f"'{name}' is a cpu-worker, and would leave {found.gpus} GPUs of a {first} idle"
        yield Finding(at("node_groups", name, "role"), what, "write role: gpu-worker", "warning")
