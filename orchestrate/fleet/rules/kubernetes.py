"""Labels and taints that a kubelet takes and the cluster autoscaler can read from tags."""

from collections.abc import Iterable, Iterator, Mapping

from orchestrate.findings import Finding
from orchestrate.fleet import names
from orchestrate.fleet.models import Cluster, Site
from orchestrate.fleet.places import At

Steps = tuple[str | int, ...]

# A kubelet may not give its own node labels in Kubernetes' namespaces, but for these:
# kubernetes.io/docs/reference/access-authn-authz/admission-controllers (NodeRestriction)
_OPEN = ("kubelet.kubernetes.io", "node.kubernetes.io")
_CLOSED = ("kubernetes.io", "k8s.io")
_TAG_KEY = names.LIMITS["tag-key"].longest


def check_cluster(cluster: Cluster, at: At) -> Iterator[Finding]:
    """Labels and taints of all node groups."""
    for name, group in cluster.node_groups.items():
        path = ("node_groups", name)
        yield from _labels(group.labels, at, path)
        yield from _taints(group.taints, at, path)
        yield from _tags(group.labels, group.taints, at, path)


def check_site(site: Site, at: At) -> Iterator[Finding]:
    """Labels and taints of all rack hosts."""
    for rack, hosts in site.racks.items():
        for name, host in hosts.items():
            path = ("racks", rack, name)
            yield from _labels(host.labels, at, path)
            yield from _taints(host.taints, at, path)


def _labels(labels: Mapping[str, str], at: At, path: Steps) -> Iterator[Finding]:
    for key in labels:
        owner = key.rpartition("/")[0]
        if _within(owner, _CLOSED) and not _within(owner, _OPEN):
            what = f"label '{key}' is Kubernetes' own; a kubelet that sets it doesn't start"
            fix = "use a prefix of yours, like deeplab/, or node.kubernetes.io/"
            yield Finding(at(*path, "labels", key), what, fix)


def _within(owner: str, domains: Iterable[str]) -> bool:
    return any(owner == domain or owner.endswith(f".{domain}") for domain in domains)


def _taints(taints: tuple[str, ...], at: At, path: Steps) -> Iterator[Finding]:
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        pair = (_key(taint), taint.rpartition(":")[2])
        if pair in seen:
            what = f"taint '{pair[0]}' is given twice with effect {pair[1]}"
            yield Finding(at(*path, "taints", index), what, "keep one of them")
        seen.add(pair)


def _key(taint: str) -> str:
    return taint.rpartition(":")[0].partition("=")[0]


def _tags(
    labels: Mapping[str, str], taints: tuple[str, ...], at: At, path: Steps
) -> Iterator[Finding]:
    """Scaling up from zero, the autoscaler reads labels and taints from tags of the ASG."""
    written: list[tuple[str, str, Steps]] = [
        (key, names.autoscaler_label(key), ("labels", key)) for key in labels
    ]
    written += [
        (_key(taint), names.autoscaler_taint(_key(taint)), ("taints", index))
        for index, taint in enumerate(taints)
    ]
    for key, tag, where in written:
        if len(tag) > _TAG_KEY:
            excess = len(tag) - _TAG_KEY
            what = f"'{key}' makes a tag key of {len(tag)} characters, and AWS takes {_TAG_KEY}"
            yield Finding(at(*path, *where), what, f"shorten it by {excess}")
