"""Tags as AWS counts and compares them, over what fleet and cluster give together."""

from collections.abc import Iterator, Mapping

from orchestrate.findings import Finding
from orchestrate.fleet.models import Cluster
from orchestrate.fleet.places import At

# AWS takes 50 tags on a resource; an ASG carries its labels and taints as tags, and ours.
MOST = 50
OURS = 12


def check(cluster: Cluster, shared: Mapping[str, str], at: At) -> Iterator[Finding]:
    """The cluster's tags beside those that the whole fleet `shared`."""
    yield from _cases(cluster, shared, at)
    yield from _count(cluster, shared, at)


def _cases(cluster: Cluster, shared: Mapping[str, str], at: At) -> Iterator[Finding]:
    """IAM takes `Team` and `team` for the same key, and refuses both at once."""
    seen = {key.lower(): key for key in shared}
    for key in cluster.tags:
        other = seen.setdefault(key.lower(), key)
        if other != key:
            what = f"tag '{key}' differs from tag '{other}' in upper and lower case only"
            yield Finding(at("tags", key), what, f"write '{other}'")


def _count(cluster: Cluster, shared: Mapping[str, str], at: At) -> Iterator[Finding]:
    common = len({**shared, **cluster.tags}) + OURS
    for name, group in cluster.node_groups.items():
        total = common + len(group.labels) + len(group.taints)
        if total > MOST:
            what = f"'{name}' would need {total} tags on its ASG, and AWS takes {MOST}"
            fix = f"take out {total - MOST} of its labels, taints or the tags above it"
            yield Finding(at("node_groups", name), what, fix)
