"""No two things get the same name, also where names are only alike once derived."""

from collections.abc import Iterator
from dataclasses import dataclass

from orchestrate.findings import Finding
from orchestrate.fleet import names
from orchestrate.fleet.models import Cluster, Fleet
from orchestrate.fleet.places import At, Places


@dataclass(frozen=True)
class Named:
    """A derived name, what carries it, and where that stands: `at(*path)`."""

    scope: str
    name: str
    what: str
    at: At
    path: tuple[str, ...]


def check(fleet: Fleet, places: Places) -> Iterator[Finding]:
    """Derived names, stack names, and names that clusters and sites share."""
    yield from _reserved(fleet, places)
    first: dict[tuple[str, str], Named] = {}
    reported: set[tuple[object, ...]] = set()
    for one in _all(fleet, places):
        other = first.setdefault((one.scope, one.name), one)
        pair = (one.at, one.path, other.at, other.path)
        if other is not one and pair not in reported:
            reported.add(pair)
            what = f"{one.what} would be called {one.name}, as {other.what} "
            place = other.at(*other.path)
            yield Finding(one.at(*one.path), f"{what}({place}) already is", "rename one of them")


def _reserved(fleet: Fleet, places: Places) -> Iterator[Finding]:
    start = next((one for one in names.REFUSED_STARTS if f"{fleet.file.name}-".startswith(one)), "")
    if start:
        what = f"the fleet can't be called '{fleet.file.name}': AWS keeps {start} for itself"
        yield Finding(places.in_fleet("name"), what, "choose another name")
    for name in fleet.clusters:
        if name in names.SHARED_STACKS:
            what = f"a cluster can't be called '{name}': a stack of its own has that name"
            yield Finding(places.in_cluster(name, "name"), what, f"call it 'cluster-{name}'")
    for name in fleet.sites:
        if name in fleet.clusters:
            what = f"site '{name}' has the name of a cluster ({places.in_cluster(name, 'name')})"
            yield Finding(places.in_site(name, "name"), what, f"call it 'site-{name}'")


def _all(fleet: Fleet, places: Places) -> Iterator[Named]:
    state = names.state_bucket(fleet)
    yield Named("s3", state, "the bucket of Terraform's state", places.in_fleet, ("state",))
    for cluster in fleet.clusters.values():
        yield from _of_cluster(fleet, cluster, places.clusters[cluster.name].place)
    for site in fleet.sites:
        zone = names.site_zone(fleet, site)
        yield Named("dns", zone, f"the DNS zone of {site}", places.sites[site].place, ("name",))


def _of_cluster(fleet: Fleet, cluster: Cluster, at: At) -> Iterator[Named]:
    own = cluster.name
    zone = names.cluster_zone(fleet, own)
    yield Named("dns", zone, f"the DNS zone of {own}", at, ("name",))
    for purpose in names.PURPOSES:
        yield from _hosts(fleet, cluster, purpose, f"the {purpose} of {own}", at, ("name",))
    for group in cluster.node_groups:
        if group in names.PURPOSES:
            continue  # refused already
        what = f"node group '{group}' of {own}"
        yield from _hosts(fleet, cluster, group, what, at, ("node_groups", group))
    for purpose in cluster.storage.buckets:
        name = names.bucket(fleet, own, purpose)
        yield Named("s3", name, f"bucket '{purpose}'", at, ("storage", "buckets", purpose))
    for mount in cluster.storage.filesystems:
        name = names.filesystem(fleet, own, mount)
        path = ("storage", "filesystems", mount)
        yield Named(f"efs {cluster.region}", name, f"file system '{mount}'", at, path)


def _hosts(
    fleet: Fleet, cluster: Cluster, purpose: str, what: str, at: At, path: tuple[str, ...]
) -> Iterator[Named]:
    """IAM is one for the account; the rest is the region's."""
    own, region = cluster.name, cluster.region
    yield Named("iam", names.role(fleet, own, purpose), what, at, path)
    for scope, derive in (
        ("launch template", names.launch_template),
        ("security group", names.security_group),
        ("auto scaling group", names.auto_scaling_group),
    ):
        yield Named(f"{scope} {region}", derive(fleet, own, purpose), what, at, path)
