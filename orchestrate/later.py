"""Plans made now and applied later: kept whole, and refused once the world has moved on (S3)."""

from collections.abc import Mapping
from pathlib import Path

from orchestrate.errors import StalePlan
from orchestrate.execution import Execution, Plan
from orchestrate.runs import saved_plan
from orchestrate.runs.saved_plan import SavedPlan, SavedStack
from orchestrate.runs.schedule import Outcome, Result
from orchestrate.terraform import digest, state
from orchestrate.terraform.plan import StackPlan
from orchestrate.workplace import Workplace


def keep(run: Execution, folder: Path, plans: Mapping[str, Plan]) -> None:
    """Keep what can be applied later; a provisional stack's plan cannot exist yet."""
    whole = {name: plan for name, plan in plans.items() if isinstance(plan, StackPlan)}
    stacks = {
        name: SavedStack(
            digest.of_folder(run.root(name).folder),
            plan.empty,
            plan.changes,
            partial=name in run.partial,
        )
        for name, plan in whole.items()
    }
    account = run.work.fleet.file.account
    command = "destroy" if run.destroy else "apply"
    saved = SavedPlan(command, run.work.target.name, account, run.journal.id, stacks)
    saved_plan.save(folder, saved, {name: run.journal.plan(name) for name in whole})


def load(work: Workplace, folder: Path) -> SavedPlan:
    """Read a kept plan; raises StalePlan when it was made for another target or account."""
    saved = saved_plan.load(folder)
    _refuse_other_place(work, saved, folder)
    return saved


def take(run: Execution, saved: SavedPlan, folder: Path) -> dict[str, Result[Plan]]:
    """The plans as if just made; raises StalePlan, naming every stack that has moved on (S3)."""
    _refuse_stale(run, saved, folder)
    return {name: _taken(run, name, stack, folder) for name, stack in saved.stacks.items()}


def files(saved: SavedPlan, folder: Path) -> dict[str, Path]:
    """Terraform's plan file of each stack."""
    return {stack: saved_plan.plan_file(folder, stack) for stack in saved.stacks}


def _refuse_other_place(work: Workplace, saved: SavedPlan, folder: Path) -> None:
    here = (work.target.name, work.fleet.file.account)
    if (saved.target, saved.account) != here:
        raise StalePlan(
            f"the plan was made for {saved.target}, account {saved.account}, "
            f"not for {here[0]}, account {here[1]}",
            where=str(folder),
            fix=f"apply it with --target {saved.target}",
        )


def _refuse_stale(run: Execution, saved: SavedPlan, folder: Path) -> None:
    reasons = {name: _why_stale(run, name, stack, folder) for name, stack in saved.stacks.items()}
    stale = [f"{name}: {reason}" for name, reason in reasons.items() if reason]
    if stale:
        raise StalePlan(
            "the plan has gone stale, nothing was touched\n  " + "\n  ".join(stale),
            where=str(folder),
            fix="make a new plan",
        )


def _why_stale(run: Execution, name: str, stack: SavedStack, folder: Path) -> str:
    planned = state.planned_position(saved_plan.plan_file(folder, name))
    moved = state.why_stale(planned, state.position(run.work.state_of(name)))
    if moved:
        return moved
    run.terraform.init(run.root(name))
    now = digest.of_folder(run.root(name).folder)
    return "" if now == stack.digest else "the fleet or a module has changed since"


def _taken(run: Execution, name: str, stack: SavedStack, folder: Path) -> Result[Plan]:
    plan = StackPlan(name, stack.changes, stack.empty)
    if run.details:
        plan = run.terraform.detailed(run.root(name), saved_plan.plan_file(folder, name), plan)
    return Result(name, Outcome.DONE, plan)
