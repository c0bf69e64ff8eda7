"""Regions and availability zones exist, and belong together."""

from collections.abc import Iterator

from orchestrate.findings import Finding
from orchestrate.fleet.facts import zones
from orchestrate.fleet.models import Cluster
from orchestrate.fleet.places import At
from orchestrate.fleet.wording import nearest


def check(cluster: Cluster, at: At) -> Iterator[Finding]:
    """The cluster's region, its zones, and the zones of its node groups."""
    yield from check_region(cluster.region, at, "region")
    yield from _twice(cluster.zones, at, "zones")
    yield from _of_region(cluster, at)
    for name, group in cluster.node_groups.items():
        yield from _twice(group.zones, at, "node_groups", name, "zones")
        for index, zone in enumerate(group.zones):
            if zone not in cluster.zones:
                place = at("node_groups", name, "zones", index)
                yield Finding(place, *_foreign(name, zone, cluster))


def _foreign(name: str, zone: str, cluster: Cluster) -> tuple[str, str]:
    """What is wrong with a group's zone that the cluster doesn't use, and what to write instead.

    A cluster that was copied to another region brings zones along that can't be added there.
    """
    own = ", ".join(cluster.zones)
    if zone[:-1] != cluster.region:
        what = f"node group '{name}' wants zone {zone}, which is not in {cluster.region}"
        return what, f"use {own}, or take the line out for all of these"
    what = f"node group '{name}' wants zone {zone}, which the cluster doesn't use"
    return what, f"add {zone} to the cluster's zones, or use {own}"


def check_region(region: str, at: At, *path: str) -> Iterator[Finding]:
    """AWS has this region."""
    if region not in zones.known():
        yield Finding(at(*path), f"AWS has no region '{region}'", nearest(region, zones.known()))


def _of_region(cluster: Cluster, at: At) -> Iterator[Finding]:
    region = cluster.region
    known = zones.known().get(region)
    if known is None:
        return  # the region is the mistake, not its zones
    for index, zone in enumerate(cluster.zones):
        if zone[:-1] != region:
            what = f"zone {zone} is not in {region}"
            yield Finding(at("zones", index), what, f"its zones are {', '.join(known)}")
        elif zone not in known:
            what = f"zone {zone} is not among those that accounts usually have in {region}"
            fix = f"usual are {', '.join(known)}; yours: aws ec2 describe-availability-zones"
            yield Finding(at("zones", index), what, fix, "warning")


def _twice(listed: tuple[str, ...], at: At, *path: str) -> Iterator[Finding]:
    for index, zone in enumerate(listed):
        if zone in listed[:index]:
            yield Finding(at(*path, index), f"zone {zone} is listed twice", "take one out")
