"""The story of a run, top to bottom: plan -> confirm -> apply -> plan and apply what had to wait
-> bring up the hosts, if need be while Terraform waits for what no host waits for.

It starts where `workplace.prepare` has loaded, allocated and rendered. What an operator sees and
says comes through `Operator`; nothing here prints.
"""

from collections.abc import Collection, Iterable, Mapping, Set
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from orchestrate import early_hosts, later
from orchestrate import leaving as leavings
from orchestrate.brought_up import BroughtUp, Wanted, Watcher
from orchestrate.changes import Change, Provisional
from orchestrate.errors import NotConfirmed
from orchestrate.execution import Execution, Plan, Progress, begin, meanwhile
from orchestrate.leaving import NOBODY, Leaving
from orchestrate.run_report import Command, Report, conclude
from orchestrate.runs import choose, data_guard
from orchestrate.runs.schedule import Outcome, Result
from orchestrate.terraform.plan import StackPlan
from orchestrate.terraform.roots import MESH
from orchestrate.terraform.run import Applied
from orchestrate.workplace import Workplace

Plans = Mapping[str, Plan]


class Operator(Watcher, Protocol):
    """Who started the run: sees plans, and is asked before anything changes."""

    def progress(self) -> AbstractContextManager[Progress]: ...

    def show(self, plans: Plans) -> None: ...

    def agrees(self, plans: Plans) -> bool: ...

    def still_waiting(self, changes: Mapping[str, int]) -> None:
        """Hosts come up while Terraform waits for the last changes, so many of each stack."""

    def stopping(self) -> None:
        """Ctrl-C was heard; what is at work is being ended. May run inside a signal handler."""


@dataclass(frozen=True)
class Request:
    """What the command line asks for. `destroy_data` are names or patterns of data that may go;
    with `hosts` None the run ends with Terraform. `details` asks for what each change changes.
    """

    command: Command
    argv: tuple[str, ...]
    targets: tuple[str, ...] = ()
    everything: bool = False
    destroying: bool = False
    destroy_data: tuple[str, ...] = ()
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
        if save and not _failed(planned):
            later.keep(run, save, _values(planned))
        return conclude(run, request.command, planned, leaving=leaving)


def apply(work: Workplace, request: Request, operator: Operator) -> Report:
    """Plan, confirm once, apply exactly what was shown; then what could not be planned before;
    then converge and verify the hosts of the clusters that stand.

    Raises NotConfirmed, DataWouldBeLost and LivingDependents before anything is touched.
    """
    chosen, leaving = _chosen(work, request)
    with _begin(work, request, chosen, operator, leaving) as run:
        planned = _plan(run, chosen, operator)
        if _failed(planned):
            return conclude(run, request.command, planned, leaving=leaving)
        files = {stack: run.journal.plan(stack) for stack in chosen}
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
        operator.show(_values(planned))
        files = later.files(saved, folder)
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
    if planned:
        operator.show(_values(planned))
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
    wave = _values(planned)
    _confirm(request, wave, operator)
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
        if not able or _failed(applied):
            applied |= _left(waiting, applied)
            return applied, _bring_up(run, request, _stand(applied), operator)
        with operator.progress() as progress:
            later = run.plan(able, told.copy, progress)
        planned |= later
        wave = _values(later)
        operator.show(wave)
        if _failed(later):
            return applied, _bring_up(run, request, _stand(applied), operator)
        files = {**files, **{stack: run.journal.plan(stack) for stack in able}}
        if any(change.destructive for plan in wave.values() for change in _changes(plan)):
            _confirm(request, wave, operator)


def _apply_last(
    run: Execution,
    request: Request,
    applied: Mapping[str, Result[Applied]],
    ready: Mapping[str, StackPlan],
    files: Mapping[str, Path],
    operator: Operator,
) -> tuple[dict[str, Result[Applied]], BroughtUp | None]:
    """Apply the last wave, and bring up hosts: beside it where it comes to wait, else after it."""
    stand = _stand(applied) | ready.keys()
    last, hosts = early_hosts.apply(
        run, ready, files, operator, lambda: _bring_up(run, request, stand, operator)
    )
    done = {**applied, **last}
    return done, hosts or _bring_up(run, request, _stand(done), operator)


def _wants_hosts(run: Execution, request: Request, stacks: Iterable[str]) -> bool:
    clusters = run.work.fleet.clusters.keys() & set(stacks)
    return request.hosts is not None and not request.destroying and bool(clusters)


def _stand(applied: Mapping[str, Result[Applied]]) -> frozenset[str]:
    """The stacks that are as planned."""
    return frozenset(name for name, one in applied.items() if one.outcome is Outcome.DONE)


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


def _confirm(request: Request, plans: Plans, operator: Operator) -> None:
    """Raise unless the data at stake is named and the operator agrees to what there is to do."""
    changes = [change for plan in plans.values() for change in _changes(plan)]
    data_guard.refuse_unnamed(changes, request.destroy_data)
    if all(isinstance(plan, StackPlan) and plan.empty for plan in plans.values()):
        return
    if not operator.agrees(plans):
        raise NotConfirmed("not confirmed; nothing was changed by this plan")


def _values(planned: Mapping[str, Result[Plan]]) -> dict[str, Plan]:
    return {name: result.value for name, result in planned.items() if result.value}


def _changes(plan: Plan) -> Collection[Change]:
    return plan.changes if isinstance(plan, StackPlan) else ()


def _failed(results: Mapping[str, Result[Plan]] | Mapping[str, Result[Applied]]) -> bool:
    return any(result.outcome is not Outcome.DONE for result in results.values())


def _left(
    waiting: Collection[str], applied: Mapping[str, Result[Applied]]
) -> dict[str, Result[Applied]]:
    """Provisional stacks whose turn never came: because one they need failed, or a stop came."""
    culprits = [name for name, result in applied.items() if result.outcome is Outcome.FAILED]
    if culprits:
        return {n: Result(n, Outcome.SKIPPED, because=culprits[0]) for n in waiting}
    left = [name for name in waiting if name not in applied]
    return {name: Result(name, Outcome.NOT_STARTED) for name in left}
