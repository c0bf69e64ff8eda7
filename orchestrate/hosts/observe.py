"""Look at AWS: which hosts of a fleet exist now."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from orchestrate.aws import groups, instances
from orchestrate.aws.groups import Group
from orchestrate.aws.session import Session
from orchestrate.errors import AwsError
from orchestrate.fleet.models import Fleet
from orchestrate.hosts import host_keys
from orchestrate.hosts.inventory import Host, hosts, missing
from orchestrate.hosts.ssh_config import Access
from orchestrate.hosts.strangers import Stranger, parted, parted_groups


@dataclass(frozen=True)
class Observed:
    """The hosts there are, and the auto scaling groups with how many each still has to launch;
    `strangers` are the instances that would be hosts, were it not for what AWS says of them.
    """

    hosts: list[Host]
    missing: Mapping[str, int]
    groups: Sequence[Group] = ()
    strangers: Sequence[Stranger] = ()


def observe(session: Session, fleet: Fleet) -> Observed:
    """Ask every region of the fleet, all at once. Raises AwsError."""
    regions, name = [one.region for one in fleet.clusters.values()], fleet.file.name
    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(groups.describe, session, regions, name)
        found = instances.describe(session, regions, name)
        scaling, odd = parted_groups(asked.result())
    known = hosts(fleet, found, scaling, session.target.moved)
    _, strange = parted(fleet, found)
    return Observed(known, missing(known, scaling), scaling, (*strange, *odd))


def with_doors(known: Sequence[Host], chosen: Iterable[Host]) -> list[Host]:
    """The chosen hosts and those they are reached through, in inventory order."""
    by_name = {host.name: host for host in known}
    names: set[str] = set()
    for host in chosen:
        at: Host | None = host
        while at is not None and at.name not in names:
            names.add(at.name)
            at = by_name.get(at.via) if at.via else None
    return [host for host in known if host.name in names]


def learn_keys(
    session: Session, fleet: Fleet, known: Sequence[Host], chosen: Iterable[Host], access: Access
) -> frozenset[str]:
    """Learn the keys of hosts, and of those on the way to them, from their consoles.

    Answers with the names of those whose key is still unknown. `known` are all hosts there are:
    keys of other instances are forgotten.
    """
    regions = {name: cluster.region for name, cluster in fleet.clusters.items()}

    def console(host: Host) -> str:
        try:
            return instances.console(session, regions[host.place], host.instance_id)
        # A cluster that left the fleet, or a role that may not read consoles: the first key is
        # then taken as it comes, and that is said.
        except (KeyError, AwsError):
            return ""

    host_keys.forget(access.known_hosts, {host.instance_id for host in known})
    return host_keys.learn(access.known_hosts, with_doors(known, chosen), console)
