"""What an apply does once Terraform is through: wait for the hosts, converge, verify.

Hosts that already are what the cookbooks and the fleet say are left alone; so a host launched from
an image of today costs one question. What an operator sees goes through `Watcher`.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from orchestrate import converge
from orchestrate.brought_up import BroughtUp, Wanted, Watcher
from orchestrate.converge import Prepared
from orchestrate.errors import Interrupted
from orchestrate.hosts.converge import How, Task
from orchestrate.hosts.failures import HostKeyChanged
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.observe import Observed, learn_keys, observe
from orchestrate.hosts.results import Result, Results
from orchestrate.hosts.rollout import PARALLEL, Policy
from orchestrate.hosts.ssh import Connections, answers
from orchestrate.hosts.ssh_config import access
from orchestrate.hosts.strangers import Stranger
from orchestrate.hosts.wait import Seen, Waiting, until_all_answer
from orchestrate.shell import Stop
from orchestrate.verify import run as verify
from orchestrate.verify.selection import of_tasks
from orchestrate.verify.verdicts import Verdicts
from orchestrate.workplace import Workplace

# EC2 launches an instance within seconds, or has none to sell for hours.
LAUNCH_SECONDS = 90.0
WAKING = {"running", "pending"}


def bring_up(
    work: Workplace,
    places: frozenset[str],
    wanted: Wanted,
    watcher: Watcher,
    *,
    logs: Path,
    stop: Stop,
) -> BroughtUp:
    """Wait for the hosts of these clusters, converge those that differ, verify those that are well.

    A request to stop ends the wait at once; hosts at work are waited for. Raises OrchestrateError
    for a role that nobody wrote.
    """
    return _BringUp(work, places, wanted, watcher, logs, stop).run()


def differing(
    work: Workplace, places: frozenset[str], wanted: Wanted, watcher: Watcher, stop: Stop
) -> list[str]:
    """The hosts of these clusters that are in use, answer, and aren't what they should be: what a
    run would converge beside those that it makes. Asks each once, and waits for none.
    """
    return _BringUp(work, places, wanted, watcher, work.runs, stop).differing()


class _BringUp:
    def __init__(
        self,
        work: Workplace,
        places: frozenset[str],
        wanted: Wanted,
        watcher: Watcher,
        logs: Path,
        stop: Stop,
    ) -> None:
        self._work = work
        self._places = places
        self._wanted = wanted
        self._watcher = watcher
        self._logs = logs
        self._stop = stop
        self._stand_in = work.target.name == "lab"
        self._access = access(work.work_folder, work.target)
        self._known: dict[str, Host] = {}
        self._strangers: Sequence[Stranger] = ()

    def run(self) -> BroughtUp:
        return replace(self._run(), strangers=self._strangers)

    def _run(self) -> BroughtUp:
        with self._stop.on_signals():
            waited = self._wait()
            if self._stop.requested:
                return BroughtUp(waited, interrupted=True)
            prepared = self._prepare(waited.answering)
            done = replace(self._converge(waited, prepared), skipped=prepared.skipped)
            if self._stop.requested:
                return replace(done, interrupted=True)
            try:
                return replace(done, verified=self._verify(_sound(prepared.tasks, done.converged)))
            except Interrupted:
                return replace(done, interrupted=True)

    def differing(self) -> list[str]:
        hosts = self._look(launching=False).hosts
        with Connections(self._known, self._access, seconds=0) as ways:
            standing = converge.compare(ways, self._prepare(hosts).tasks, PARALLEL)
        used = [one.host for one in standing.outdated if _in_use(one.host, self._wanted.since)]
        return sorted(host.name for host in used)

    def _wait(self) -> Waiting:
        until = time.monotonic() + LAUNCH_SECONDS
        with self._watcher.waiting() as tell:
            return until_all_answer(
                lambda: self._look(launching=time.monotonic() < until),
                self._answers,
                seconds=self._wanted.seconds,
                tell=tell,
                clock=lambda: math.inf if self._stop.requested else time.monotonic(),
            )

    def _look(self, *, launching: bool) -> Seen:
        """The hosts to wait for; those that AWS has yet to launch only for a while."""
        now = observe(self._work.session, self._work.fleet)
        self._known.update({host.name: host for host in now.hosts})
        self._strangers = now.strangers
        mine = [host for host in now.hosts if host.place in self._places and _wakes(host)]
        learn_keys(self._work.session, self._work.fleet, now.hosts, mine, self._access)
        return Seen(mine, _to_launch(now, self._places) if launching else 0)

    def _answers(self, host: Host) -> bool:
        """Whether it answers, be it with another key than before: its converge then fails alone."""
        try:
            return answers(host, self._known, self._access)
        except HostKeyChanged:
            return True

    def _prepare(self, hosts: Sequence[Host]) -> Prepared:
        return converge.prepare(self._work.root, self._work.fleet, hosts, stand_in=self._stand_in)

    def _converge(self, waited: Waiting, prepared: Prepared) -> BroughtUp:
        if not self._wanted.converge:
            return BroughtUp(waited)
        first_keys: list[str] = []
        with Connections(
            self._known, self._access, first_use=lambda host: first_keys.append(host.name)
        ) as ways:
            ways.end_on_repeat(self._stop)
            standing = converge.compare(ways, prepared.tasks, PARALLEL)
            left = not_agreed(standing.outdated, self._wanted)
            tasks = [task for task in standing.outdated if task.host.name not in left]
            return BroughtUp(
                waited,
                current=[task.host.name for task in standing.current],
                declined=left,
                converged=self._roll_out(ways, tasks, standing.unasked),
                first_keys=first_keys,
            )

    def _roll_out(
        self, ways: Connections, tasks: Sequence[Task], unasked: Sequence[Result]
    ) -> Results | None:
        """Converge, and count in those that could not be asked what they are."""
        if not tasks and not unasked:
            return None
        how = How(stand_in=self._stand_in, who=self._wanted.who)
        with self._watcher.converging(len(tasks)) as observer:
            results = converge.converge(
                ways, tasks, how, Policy(), logs=self._logs, observer=observer, stop=self._stop
            )
        return replace(results, hosts=(*results.hosts, *unasked))

    def _verify(self, tasks: Sequence[Task]) -> Verdicts | None:
        if not tasks or not self._wanted.verify:
            return None
        checks = of_tasks(self._work.root, tasks, list(self._known.values()))
        with self._watcher.verifying(len(checks)) as observer:
            return verify.run(
                checks,
                access=self._access,
                root=self._work.root,
                logs=self._logs / "verify",
                observer=observer,
                stop=self._stop,
            )


def _sound(tasks: Sequence[Task], converged: Results | None) -> list[Task]:
    """The tasks whose hosts didn't fail: a half-converged one fails tests that say little."""
    failed = {one.host for one in converged.hosts if not one.well} if converged else set()
    return [task for task in tasks if task.host.name not in failed]


def _wakes(host: Host) -> bool:
    """Whether to wait for it: not if it is stopped, or on its way out."""
    return host.state in WAKING and not host.leaving


def _to_launch(now: Observed, places: frozenset[str]) -> int:
    """How many instances the groups of these places still have to launch."""
    return sum(
        now.missing.get(group.name, 0)
        for group in now.groups
        if group.tags.get("cluster") in places
    )


def not_agreed(outdated: Sequence[Task], wanted: Wanted) -> list[str]:
    """The hosts in use that differ and are left as they are: the one question wasn't about them."""
    if wanted.agreed is None:
        return []
    used = [task.host.name for task in outdated if _in_use(task.host, wanted.since)]
    return [name for name in used if name not in wanted.agreed]


def _in_use(host: Host, began: datetime) -> bool:
    """Whether somebody may have been working on it before the run began."""
    return host.launched is None or host.launched < began
