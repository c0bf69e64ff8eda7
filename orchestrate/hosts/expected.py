"""The hosts that a fleet can have, as far as its files tell. Pure.

For what somebody typed while nobody can be asked which hosts there are: a word that fits none of
these is wrong whatever exists.
"""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from orchestrate.fleet.models import Cluster, Fleet
from orchestrate.hosts import inventory
from orchestrate.hosts.inventory import Host


def refuse_unknown(fleet: Fleet, words: Sequence[str]) -> None:
    """Raise OrchestrateError naming the words that can be no host, place, role or group.

    An instance's id, and the digits of it in a host's name, may be any.
    """
    known = [*inventory.hosts(fleet, ()), *_of_clusters(fleet)]
    left = [
        word
        for word in words
        if not word.startswith("i-") and not any(fnmatchcase(word, host.name) for host in known)
    ]
    if left:
        inventory.select(known, left)


def _of_clusters(fleet: Fleet) -> Iterator[Host]:
    """One host for each door and group of a cluster; `*` stands for the digits of its id."""
    for cluster in fleet.clusters.values():
        yield _host(cluster, "bastion", "bastion")
        if cluster.vpn:
            yield _host(cluster, "vpn", "vpn")
        for name, group in cluster.node_groups.items():
            yield _host(cluster, f"{name}-*", str(group.role), name)


def _host(cluster: Cluster, name: str, role: str, group: str = "") -> Host:
    return Host(
        name=f"{name}.{cluster.name}",
        place=cluster.name,
        role=role,
        group=group,
        zone="",
        instance_id="",
        state="",
        private_ip="",
        public_ip="",
        user="",
    )
