"""Instance types and images of everything that AWS runs for a cluster."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from orchestrate.findings import Finding
from orchestrate.fleet.facts import instance_types, zones
from orchestrate.fleet.models import Cluster, FleetFile, InstanceType
from orchestrate.fleet.places import At
from orchestrate.fleet.rules import baked
from orchestrate.fleet.wording import nearest

Steps = tuple[str | int, ...]


@dataclass(frozen=True)
class Machine:
    """One kind of instance in a cluster; `types` are instance types and where each stands."""

    path: Steps
    image: str
    types: tuple[tuple[str, Steps], ...]


def kind(name: str, file: FleetFile | None) -> InstanceType | None:
    """What is known of an instance type: what the fleet adds goes before what AWS said."""
    added = file.instance_types.get(name) if file else None
    return added or instance_types.find(name)


def check(cluster: Cluster, file: FleetFile | None, at: At) -> Iterator[Finding]:
    """Every instance type exists and is sold in the region; every image exists and fits."""
    if file is None:  # it names the images, and may add instance types
        return
    for machine in _machines(cluster):
        yield from _image(machine, file, at)
        for name, path in machine.types:
            found = kind(name, file)
            if found is None:
                yield _unknown(name, file, at, path)
            else:
                yield from _offered(name, found, cluster.region, at, path)
                yield from _architecture(name, found, machine, file, at, path)


def _machines(cluster: Cluster) -> Iterator[Machine]:
    doors = {"bastion": cluster.bastion, "vpn": cluster.vpn}
    for name, door in doors.items():
        if door:
            yield Machine((name,), door.image, ((door.instance_type, (name, "instance_type")),))
    for name, group in cluster.node_groups.items():
        path = ("node_groups", name)
        types = enumerate(group.instance_types)
        listed = tuple((kind, (*path, "instance_types", index)) for index, kind in types)
        yield Machine(path, group.image, listed)


def _image(machine: Machine, file: FleetFile, at: At) -> Iterator[Finding]:
    known = {**file.images, **file.baked}
    if machine.image not in known:
        what = f"no image '{machine.image}' in fleet.yaml"
        yield Finding(at(*machine.path, "image"), what, nearest(machine.image, known))


def _unknown(name: str, file: FleetFile, at: At, path: Steps) -> Finding:
    known = (*instance_types.names(), *file.instance_types)
    family = [other for other in known if other.startswith(f"{name.partition('.')[0]}.")]
    alike = [other for other in known if other[:1] == name[:1]]
    near = family or difflib.get_close_matches(name, alike, n=1, cutoff=0.5)
    fix = f"{nearest(name, near)} " if near else ""
    fix += "(a type newer than this list goes into fleet.yaml under instance_types)"
    return Finding(at(*path), f"no instance type '{name}' is known", fix)


def _offered(name: str, found: InstanceType, region: str, at: At, path: Steps) -> Iterator[Finding]:
    if found.regions and region not in found.regions and region in zones.known():
        what = f"AWS doesn't offer {name} in {region}, as far as is known"
        yield Finding(at(*path), what, _instead(found, region), "warning")


def _instead(found: InstanceType, region: str) -> str:
    """What a region sells that is most like a type that it doesn't sell."""
    sold = [
        (name, other)
        for name in instance_types.names()
        if (other := instance_types.find(name))
        and region in other.regions
        and (other.card, other.architecture) == (found.card, found.architecture)
    ]
    if not sold:
        regions = ", ".join(sorted(found.regions))
        return f"none there has the card {found.card}: choose another, or one of {regions}"

    def unlike(one: tuple[str, InstanceType]) -> tuple[float, ...]:
        other = one[1]
        return (
            abs(other.gpus - found.gpus),
            abs(other.cpus - found.cpus),
            abs(other.memory_mib - found.memory_mib),
        )

    near = ", ".join(name for name, _ in sorted(sold, key=unlike)[:3])
    return f"most like it there: {near}"


def _architecture(
    name: str, found: InstanceType, machine: Machine, file: FleetFile, at: At, path: Steps
) -> Iterator[Finding]:
    image = baked.source(file, machine.image)
    if image and image.architecture != found.architecture:
        what = f"{name} runs {found.architecture}, image '{machine.image}' is {image.architecture}"
        yield Finding(at(*path), what, f"choose a type or an image for {found.architecture}")
