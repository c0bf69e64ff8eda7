"""What must hold between the values of a fleet, and between it and what AWS offers.

Pure: models and places in, findings out. One module per noun; each rule gives the place, what is
wrong there and the fix. A rule never repeats what the models check.
"""

from collections.abc import Iterator, Mapping
from itertools import chain

from orchestrate.findings import Finding
from orchestrate.fleet.models import Cluster, Fleet, FleetFile, Site
from orchestrate.fleet.places import Places
from orchestrate.fleet.rules import (
    addresses,
    baked,
    kubernetes,
    machines,
    node_groups,
    sites,
    tags,
    uniqueness,
    users,
    zones,
)


def check(
    file: FleetFile | None,
    clusters: Mapping[str, Cluster],
    site_files: Mapping[str, Site],
    places: Places,
) -> list[Finding]:
    """Everything wrong, in no order. With `file` None, what can be said without it."""
    found = chain(
        *(_cluster(cluster, file, places) for cluster in clusters.values()),
        *(_site(site, places) for site in site_files.values()),
        sites.check_unique(site_files, places),
        _fleet(Fleet(file=file, clusters=clusters, sites=site_files), places) if file else (),
    )
    return list(found)


def _cluster(cluster: Cluster, file: FleetFile | None, places: Places) -> Iterator[Finding]:
    at = places.clusters[cluster.name].place
    yield from zones.check(cluster, at)
    yield from machines.check(cluster, file, at)
    yield from node_groups.check(cluster, file, at)
    yield from kubernetes.check_cluster(cluster, at)
    yield from tags.check(cluster, file.tags if file else {}, at)


def _site(site: Site, places: Places) -> Iterator[Finding]:
    at = places.sites[site.name].place
    yield from sites.check(site, at)
    yield from kubernetes.check_site(site, at)


def _fleet(fleet: Fleet, places: Places) -> Iterator[Finding]:
    yield from zones.check_region(fleet.file.state.region, places.in_fleet, "state", "region")
    yield from addresses.check(fleet, places)
    yield from uniqueness.check(fleet, places)
    yield from baked.check(fleet.file, places)
    yield from users.check(fleet, places)
