"""The story of a run, top to bottom: plan -> confirm -> apply -> plan and apply what had to wait
-> bring up the hosts, if need be while Terraform waits for what no host waits for.

It starts where `workplace.prepare` has loaded, allocated and rendered. What an operator sees and
says comes through `Operator`; nothing here prints.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

from orchestrate import clearing, early_hosts, later
from orchestrate import leaving as leavings
from orchestrate.brought_up import BroughtUp, Wanted, Watcher
from orchestrate.changes import Provisional
from orchestrate.errors import NotConfirmed
from orchestrate.execution import Execution, Plan, Progress, begin
from orchestrate.images import launch_guard
from orchestrate.leaving import NOBODY, Leaving
from orchestrate.run_report import Command, Report, conclude
from orchestrate.runs import choose, data_guard, obstacles
from orchestrate.runs.schedule import Outcome, Result, meanwhile
from orchestrate.stack_results import changes_of, failed, kept, left_over, standing, values
from orchestrate.terraform.plan import StackPlan
from orchestrate.terraform.root import Applied
from orchestrate.terraform.roots import MESH
from orchestrate.workplace import Workplace

HostsInUse = Literal["ask", "all", "none"]
Plans = Mapping[str, Plan]


class Operator(Watcher, Protocol):
    """Who started the run: sees plans, and is asked before anything changes."""

    def progress(self) -> AbstractContextManager[Progress]: ...

    def show(self, plans: Plans) -> None: ...

    @property
    def on_hosts_in_use(self) -> HostsInUse:
        """Whether he is asked about hosts in use that differ, or all are converged, or none."""

    def agrees(self, plans: Plans, hosts: Sequence[str]) -> bool:
        """The one question: about the plans, and the hosts in use that would be converged."""

    def still_waiting(self, changes: Mapping[str, int]) -> None:
        """Hosts come up while Terraform waits for the last changes, so many of each stack."""

    def tell(self, line: str) -> None:
        """Something to know: what is in the way of a destroy, how taking it away goes on."""

    def stopping(self) -> None:
        """Ctrl-C was heard; what is at work is being ended. Called on a thread of its own."""


@dataclass(frozen=True)
class Request:
    """What the command line asks for. `destroy_data` are names or patterns of data that may go,
    `force` of what others made that is in the way of a destroy;
    with `hosts` None the run ends with Terraform. `details` asks for what each change changes.
    """

    command: Command
    argv: tuple[str, ...]
    targets: tuple[str, ...] = ()
    everything: bool = False
    destroying: bool = False
    destroy_data: tuple[str, ...] = ()
    force: tuple[str, ...] = ()
    hosts: Wanted | None = None
    details: bool = False


def plan(work: Workplace, request: Request, operator: Operator, save: Path | None = None) -> Report:
    """Plan the stacks asked for, show what an apply would do, and change nothing.

    `save` is a new folder to keep the plans in, to be applied later exactly as they are.
    """
    chosen, leaving = _chosen(work, request)
    with _begin(work, request, chosen, operator, leaving) as run:
        # Terraform takes seconds before it says anything: the account is asked for meanwhile.
        planned = _plan(run, chosen, operator, meanwhile(work.check_account, run.stop))
        notes = list(kept(values(planned), run.cut_off))
        found = [] if failed(planned) else clearing.foresee(work, values(planned))
        for line in (*notes, *(obstacles.beforehand(one) for one in found)):
            operator.tell(line)
        if save and not failed(planned):
            later.keep(run, save, values(planned))
        report = conclude(run, request.command, planned, leaving=leaving)
        return replace(report, notes=notes, in_the_way=found)


def apply(work: Workplace, request: Request, operator: Operator) -> Report:
    """Plan, confirm once, apply exactly what was shown; then what could not be planned before;
    then converge and verify the hosts of the clusters that stand.

    Raises NotConfirmed, DataWouldBeLost and LivingDependents before anything is touched.
    """
    chosen, leaving = _chosen(work, request)
    with _begin(work, request, chosen, operator, leaving) as run:
        planned = _plan(run, chosen, operator)
        if failed(planned):
            return conclude(run, request.command, planned, leaving=leaving)
        files = {stack: run.journal.plan(stack) for stack in chosen}
        request = _with_hosts_in_use(run, request, operator, chosen)
        applied, hosts = _apply_in_waves(run, request, planned, files, operator)
        return conclude(run, request.command, planned, applied, hosts, leaving)


def apply_saved(work: Workplace, request: Request, folder: Path, operator: Operator) -> Report:
    """Apply a plan saved earlier; refused for all stacks when any of it has gone stale (S3)."""
    saved = later.load(work, folder)
    command: Command = "destroy" if saved.command == "destroy" else "apply"
    request = replace(request, command=command, destroying=command == "destroy")
    leaving = leavings.of_saved(work, saved) if request.destroying else NOBODY
    with _begin(work, request, frozenset(saved.stacks), operator, leaving) as run:
        planned = later.take(run, saved, folder)
        operator.show(values(planned))
        files = later.files(saved, folder)
        request = _with_hosts_in_use(run, request, operator, saved.stacks.keys())
        applied, hosts = _apply_in_waves(run, request, planned, files, operator)
        return conclude(run, request.command, planned, applied, hosts, leaving)


def _chosen(work: Workplace, request: Request) -> tuple[frozenset[str], Leaving]:
    """The stacks of a run: for an apply with what they need, for a destroy only those alive, and
    mesh where it is to lose links.
    """
    if request.destroying:
        leaving = leavings.chosen(work, request.targets, everything=request.everything)
        return leaving.touched, leaving
    named = choose.named(request.targets, request.everything, work.after)
    return choose.with_needed(named, work.after), NOBODY


def _begin(
    work: Workplace,
    request: Request,
    stacks: frozenset[str],
    operator: Operator,
    leaving: Leaving,
) -> AbstractContextManager[Execution]:
    if request.destroying:
        leavings.render(work, leaving)
    elif MESH in stacks:
        leavings.keep_providers(work)
    return begin(
        work,
        request.command,
        request.argv,
        stacks,
        destroy=request.destroying,
        partial=leaving.partial,
        details=request.details,
        stopping=operator.stopping,
    )


def _plan(
    run: Execution,
    stacks: Collection[str],
    operator: Operator,
    beside: AbstractContextManager[None] | None = None,
) -> dict[str, Result[Plan]]:
    with operator.progress() as progress, beside or nullcontext():
        planned = run.plan(stacks, lambda: _readable(run), progress)
    if values(planned):
        operator.show(values(planned))
    return planned


def _readable(run: Execution) -> frozenset[str]:
    """What stacks can be planned against; when they are destroyed, whatever there still is."""
    return run.work.alive if run.destroy else run.work.readable


def _apply_in_waves(
    run: Execution,
    request: Request,
    planned: dict[str, Result[Plan]],
    files: Mapping[str, Path],
    operator: Operator,
) -> tuple[dict[str, Result[Applied]], BroughtUp | None]:
    """Apply what is planned, plan and apply what waited for it while there is any, bring up hosts.

    The one confirmation covers a provisional stack whose later plan only adds and changes;
    a plan that takes something away is asked about again.
    """
    applied: dict[str, Result[Applied]] = {}
    wave = values(planned)
    agreed = sorted((request.hosts and request.hosts.agreed) or ())
    _make_way(run, request, wave, operator, agreed)
    while True:
        ready = {name: plan for name, plan in wave.items() if isinstance(plan, StackPlan)}
        waiting = [
            name for name, result in planned.items() if isinstance(result.value, Provisional)
        ]
        if not waiting and _wants_hosts(run, request, ready) and early_hosts.worth_while(ready):
            return _apply_last(run, request, applied, ready, files, operator)
        with operator.progress() as progress:
            applied |= run.apply(ready, files, progress)
        told = _readable(run) | {n for n, r in applied.items() if r.outcome is Outcome.DONE}
        able = [name for name in waiting if run.work.stacks[name].reads <= told]
        if not able or failed(applied):
            applied |= left_over(waiting, applied)
            return applied, _bring_up(run, request, standing(applied), operator)
        with operator.progress() as progress:
            later = run.plan(able, told.copy, progress)
        planned |= later
        wave = values(later)
        operator.show(wave)
        if failed(later):
            return applied, _bring_up(run, request, standing(applied), operator)
        files = {**files, **{stack: run.journal.plan(stack) for stack in able}}
        if any(change.destructive for plan in wave.values() for change in changes_of(plan)):
            _make_way(run, request, wave, operator)


def _apply_last(
    run: Execution,
    request: Request,
    applied: Mapping[str, Result[Applied]],
    ready: Mapping[str, StackPlan],
    files: Mapping[str, Path],
    operator: Operator,
) -> tuple[dict[str, Result[Applied]], BroughtUp | None]:
    """Apply the last wave, and bring up hosts: beside it where it comes to wait, else after it."""
    stand = standing(applied) | ready.keys()
    last, hosts = early_hosts.apply(
        run, ready, files, operator, lambda: _bring_up(run, request, stand, operator)
    )
    done = {**applied, **last}
    return done, hosts or _bring_up(run, request, standing(done), operator)


def _wants_hosts(run: Execution, request: Request, stacks: Iterable[str]) -> bool:
    clusters = run.work.fleet.clusters.keys() & set(stacks)
    return request.hosts is not None and not request.destroying and bool(clusters)


def _bring_up(
    run: Execution, request: Request, stand: Set[str], operator: Operator
) -> BroughtUp | None:
    """Bring up the hosts of those clusters whose stacks are as planned."""
    if request.hosts is None or run.stop.requested or not _wants_hosts(run, request, stand):
        return None
    places = frozenset(stand & run.work.fleet.clusters.keys())
    # What it brings along takes longer to import than the other commands run.
    from orchestrate.bring_up import bring_up

    return bring_up(run.work, places, request.hosts, operator, logs=run.journal.logs, stop=run.stop)


def _with_hosts_in_use(
    run: Execution, request: Request, operator: Operator, stacks: Set[str]
) -> Request:
    """The request with the hosts in use that differ, for the one question to be about them too."""
    wanted, how = request.hosts, operator.on_hosts_in_use
    if not (wanted and wanted.converge and _wants_hosts(run, request, stacks)) or how == "all":
        return request
    names: list[str] = []
    if how == "ask":
        from orchestrate.bring_up import differing

        places = frozenset(stacks & run.work.fleet.clusters.keys())
        names = differing(run.work, places, wanted, operator, run.stop)
    return replace(request, hosts=replace(wanted, agreed=frozenset(names)))


def _make_way(
    run: Execution, request: Request, plans: Plans, operator: Operator, hosts: Sequence[str] = ()
) -> None:
    """Look for what would make the plans fail midway, confirm, and take it away.

    Raises DataWouldBeLost, InTheWay with all that nobody said may be taken away, OrchestrateError
    where images of new hosts are gone, and NotConfirmed.
    """
    changes = [change for plan in plans.values() for change in changes_of(plan)]
    data_guard.refuse_unnamed(changes, request.destroy_data)
    found = clearing.look(run.work, changes)
    obstacles.refuse_unforced([one.obstacle for one in found], request.force)
    idle = clearing.idle(request.destroy_data, request.force, changes, found)
    for line in (*(idle if request.destroying else ()), *(str(one.obstacle) for one in found)):
        operator.tell(line)
    launch_guard.refuse_launches(changes, run.work.lost)
    empty = all(isinstance(plan, StackPlan) and plan.empty for plan in plans.values())
    if not (empty and not hosts) and not operator.agrees(plans, hosts):
        raise NotConfirmed("not confirmed; nothing was changed by this plan")
    clearing.clear(found, operator.tell)
