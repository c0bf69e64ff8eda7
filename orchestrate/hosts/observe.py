"""Look at AWS: which hosts of a fleet exist now."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from orchestrate.aws import groups, instances
from orchestrate.aws.groups import Group
from orchestrate.aws.session import Session
from orchestrate.fleet.models import Fleet
from orchestrate.hosts.inventory import Host, hosts, missing


@dataclass(frozen=True)
class Observed:
    """The hosts there are, and the auto scaling groups with how many each still has to launch."""

    hosts: list[Host]
    missing: Mapping[str, int]
    groups: Sequence[Group] = ()


def observe(session: Session, fleet: Fleet) -> Observed:
    """Ask every region of the fleet, all at once. Raises AwsError."""
    regions, name = [one.region for one in fleet.clusters.values()], fleet.file.name
    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(groups.describe, session, regions, name)
        found = instances.describe(session, regions, name)
        scaling = asked.result()
    known = hosts(fleet, found, scaling)
    return Observed(known, missing(known, scaling), scaling)
