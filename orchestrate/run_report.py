"""How a run over stacks ended, as data: what is shown at its end, and printed as JSON."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from orchestrate.brought_up import BroughtUp
from orchestrate.execution import Execution, Plan
from orchestrate.leaving import NOBODY, Leaving
from orchestrate.runs.exit_code import exit_code
from orchestrate.runs.obstacles import Obstacle
from orchestrate.runs.schedule import Outcome, Result
from orchestrate.terraform.plan import StackPlan
from orchestrate.terraform.root import Applied
from orchestrate.terraform.roots import MESH

Command = Literal["plan", "apply", "destroy"]


@dataclass(frozen=True)
class Report:
    """How a run ended. `applied` is empty where it ended with the plans, `hosts` None where it
    ended with Terraform. `absent` were to be destroyed and have nothing; `left_behind` still have
    something, are not in the fleet any more, and no part of this run; of `partial` stacks a destroy
    took something and left them standing. A mere plan has `notes`, and what would be
    `in_the_way` of applying it.
    """

    run: str
    folder: Path
    destroying: bool
    planned: Mapping[str, Result[Plan]]
    applied: Mapping[str, Result[Applied]] = field(default_factory=dict)
    hosts: BroughtUp | None = None
    exit_code: int = 0
    command: Command = "apply"
    absent: Collection[str] = ()
    left_behind: Collection[str] = ()
    partial: Collection[str] = ()
    notes: Sequence[str] = ()
    in_the_way: Sequence[Obstacle] = ()

    @property
    def results(self) -> dict[str, Result[Plan] | Result[Applied]]:
        """The last that is known of each stack."""
        return {**self.planned, **self.applied}

    @property
    def final(self) -> dict[str, Result[Plan] | Result[Applied]]:
        """What became of every stack that was asked for; in a mere plan, of those without one."""
        planned = {
            name: Result[Plan](name, Outcome.NOT_STARTED)
            if result.outcome is Outcome.DONE
            else result
            for name, result in self.planned.items()
            if name not in self.applied
            if result.outcome is not Outcome.DONE or self.command != "plan"
        }
        absent = {name: Result[Plan](name, Outcome.NOTHING) for name in self.absent}
        return {**self.applied, **planned, **absent}


def conclude(
    run: Execution,
    command: Command,
    planned: Mapping[str, Result[Plan]],
    applied: Mapping[str, Result[Applied]] | None = None,
    hosts: BroughtUp | None = None,
    leaving: Leaving = NOBODY,
) -> Report:
    """End the journal with the run's exit code (S5); a mere plan with changes exits with 2."""
    applied = applied or {}
    outcomes = [each.outcome for each in planned.values()]
    outcomes += [each.outcome for each in applied.values()]
    plans = [each.value for each in planned.values() if each.value]
    pending = not applied and not all(isinstance(plan, StackPlan) and plan.empty for plan in plans)
    if hosts:
        outcomes.append(_outcome(hosts))
    code = exit_code(outcomes, changes=pending)
    run.journal.end(code)
    return Report(
        run.journal.id,
        run.journal.folder,
        run.destroy,
        planned,
        applied,
        hosts,
        code,
        command,
        leaving.absent,
        _left_behind(run, planned, leaving),
        tuple(leaving.partial),
    )


def _left_behind(
    run: Execution, planned: Mapping[str, Result[Plan]], leaving: Leaving
) -> list[str]:
    """Asked only where all stacks were looked at anyway: a destroy, or a plan with mesh in it."""
    if not (run.destroy or MESH in planned):
        return []
    return sorted(set(run.work.left_behind) - leaving.touched)


def _outcome(hosts: BroughtUp) -> Outcome:
    if hosts.interrupted:
        return Outcome.INTERRUPTED
    return Outcome.DONE if hosts.well else Outcome.FAILED
