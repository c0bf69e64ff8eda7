"""From what hosts are to become to what they are verified against."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrate.chef import roles
from orchestrate.hosts.inventory import Host
from orchestrate.verify.checks import Check

if TYPE_CHECKING:
    from orchestrate.hosts.converge import Task


def of_tasks(root: Path, tasks: "Iterable[Task]", known: Sequence[Host]) -> list[Check]:
    """A check for every host that a converge was prepared for.

    Its suites are the cookbooks that its role's run list names. `root` is the repository, `known`
    are all hosts there are. Raises OrchestrateError as `roles.load` does.
    """
    by_name = {host.name: host for host in known}
    suites: dict[str, tuple[str, ...]] = {}
    checks = []
    for task in tasks:
        role = task.host.role
        if role not in suites:
            suites[role] = roles.load(root / "chef", role).cookbooks
        doors = tuple(_doors(task.host, by_name))
        checks.append(Check(task.host, suites[role], json.loads(task.node), doors))
    return checks


def _doors(host: Host, by_name: Mapping[str, Host]) -> Iterator[Host]:
    """The hosts on the way, the nearest first; no circle can be in it, for each is named once."""
    seen = {host.name}
    while host.via and host.via not in seen and host.via in by_name:
        host = by_name[host.via]
        seen.add(host.name)
        yield host
