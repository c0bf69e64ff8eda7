"""The story of a converge: what each host is to become, brought to it over SSH, and checked.

Chef's files and hosts meet here. What an operator sees goes through `Observer`; nothing prints.
`apply` and `roll` tell parts of this story in theirs.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

from orchestrate.chef import archive, node
from orchestrate.chef.archive import Archive
from orchestrate.errors import OrchestrateError
from orchestrate.fleet.models import Fleet
from orchestrate.hosts import converge as one
from orchestrate.hosts import standing
from orchestrate.hosts.converge import How, Task
from orchestrate.hosts.failures import HostKeyChanged
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.results import Outcome, Result, Results
from orchestrate.hosts.rollout import Policy, Work, roll_out
from orchestrate.hosts.ssh import Connections
from orchestrate.hosts.standing import Converged
from orchestrate.shell import Stop


class Observer(Protocol):
    """Follows hosts; called from the threads that work on them."""

    def doing(self, host: str, what: str) -> None:
        """What is being done to a host now: `connecting`, `converging`, `checking` …"""

    def said(self, host: str, line: str) -> None:
        """A line of its client's log."""

    def ended(self, result: Result) -> None:
        """Comes once for every host, also for one that was never started."""


@dataclass(frozen=True)
class Prepared:
    """What is to be done. `skipped` says by host name why nothing is done to it."""

    tasks: tuple[Task, ...]
    skipped: Mapping[str, str]


@dataclass(frozen=True)
class Standing:
    """Which tasks' hosts are what they should be, which aren't, and which could not be asked."""

    current: tuple[Task, ...]
    outdated: tuple[Task, ...]
    unasked: tuple[Result, ...]


def prepare(
    root: Path,
    fleet: Fleet,
    hosts: Iterable[Host],
    *,
    stand_in: bool,
) -> Prepared:
    """What each host is to become, by the fleet and the cookbooks below `root`.

    Hosts others are reached through come last: one that is broken then cuts off nobody whose turn
    is still to come. Raises OrchestrateError for a role that has no role file.
    """
    packed: dict[str, Archive] = {}
    tasks: list[Task] = []
    skipped: dict[str, str] = {}
    hosts = list(hosts)
    doors = {host.via for host in hosts}
    for host in sorted(hosts, key=lambda host: host.name in doors):
        why_not = _unfit(fleet, host)
        if why_not:
            skipped[host.name] = why_not
            continue
        if host.role not in packed:
            packed[host.role] = archive.pack(root / "chef", host.role, stand_in=stand_in)
        tasks.append(_task(fleet, host, packed[host.role]))
    return Prepared(tuple(tasks), skipped)


def compare(ways: Connections, tasks: Sequence[Task], parallel: int) -> Standing:
    """Ask all hosts at once which of them are what they should be; one command each."""
    found = standing.ask(ways, [task.host for task in tasks], parallel)
    return Standing(
        tuple(task for task in tasks if is_current(task, found[task.host.name])),
        tuple(
            task
            for task in tasks
            if not isinstance(found[task.host.name], OrchestrateError)
            and not is_current(task, found[task.host.name])
        ),
        tuple(
            Result(name, _outcome(error), error.what, fix=error.fix)
            for name, error in found.items()
            if isinstance(error, OrchestrateError)
        ),
    )


def _outcome(error: OrchestrateError) -> Outcome:
    # It answered, so it isn't out of reach; what answered may not be the host.
    return Outcome.FAILED if isinstance(error, HostKeyChanged) else Outcome.UNREACHABLE


def is_current(task: Task, found: Converged | OrchestrateError | None) -> bool:
    """Whether the last converge of a host was to this very task. Pure."""
    wanted = (task.digest, hashlib.sha256(task.node.encode()).hexdigest())
    return isinstance(found, Converged) and (found.archive, found.node) == wanted


def converge(
    ways: Connections,
    tasks: Sequence[Task],
    how: How,
    policy: Policy,
    *,
    logs: Path,
    observer: Observer,
    stop: Stop,
) -> Results:
    """Converge the hosts of all tasks, batch by batch; each one's log goes to `logs`/HOST.log.

    Those that were changed are checked when their batch is through. After a request to stop no
    further host is started and those at work are waited for; whoever will not wait closes `ways`,
    and what has begun goes on without us.
    """
    logs.mkdir(parents=True, exist_ok=True)
    work = Work[Task](
        name=lambda task: task.host.name,
        do=partial(_converge_one, ways, how, logs, observer),
        check=partial(_check_one, ways, how, observer),
        ended=observer.ended,
    )
    return roll_out(tasks, policy, work, stop)


def bring_in_order(
    ways: Connections,
    tasks: Sequence[Task],
    how: How,
    *,
    logs: Path,
    observer: Observer,
    stop: Stop,
) -> list[Result]:
    """Converge hosts that are new, all at once, and check those as well that need no change."""
    results = converge(ways, tasks, how, Policy(), logs=logs, observer=observer, stop=stop)
    hosts = {task.host.name: task.host for task in tasks}
    return [
        one.health(ways, hosts[result.host], result)
        if result.outcome is Outcome.UNCHANGED
        else result
        for result in results.hosts
    ]


class _Log:
    """Keeps a host's log, and passes it on line by line."""

    def __init__(self, host: str, file: BinaryIO, observer: Observer) -> None:
        self._host = host
        self._file = file
        self._observer = observer
        self._rest = b""

    def doing(self, what: str) -> None:
        self._observer.doing(self._host, what)

    def output(self, chunk: bytes) -> None:
        self._file.write(chunk)
        self._file.flush()
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._observer.said(self._host, line.decode(errors="replace").strip())


def _converge_one(
    ways: Connections, how: How, logs: Path, observer: Observer, task: Task
) -> Result:
    with (logs / f"{task.host.name}.log").open("wb") as file:
        return one.converge(ways, task, how, _Log(task.host.name, file, observer))


def _check_one(
    ways: Connections, how: How, observer: Observer, task: Task, result: Result
) -> Result:
    if how.why_run:
        return result
    observer.doing(task.host.name, "checking")
    return one.health(ways, task.host, result)


def _unfit(fleet: Fleet, host: Host) -> str:
    """Why nothing is to be done to a host; "" if something is. Pure."""
    if host.leaving:
        return f"its group is taking it away ({host.lifecycle})"
    if host.state in {"shutting-down", "stopping"}:
        return f"it is {host.state}"
    place = fleet.clusters.get(host.place) or fleet.sites.get(host.place)
    if place is None:
        return f"the fleet has no {host.place} any more"
    cluster = fleet.clusters.get(host.place)
    if cluster and host.group and host.group not in cluster.node_groups:
        return f"{host.place} has no node group '{host.group}' any more"
    if cluster and host.role == "vpn" and cluster.vpn is None:
        return f"{host.place} has no VPN endpoint any more"
    return ""


def _task(fleet: Fleet, host: Host, packed: Archive) -> Task:
    place = node.Place(host.place, host.role, host.group, host.name)
    told = node.text(node.attributes(fleet, place))
    return Task(host, packed.digest, told, packed.data)
