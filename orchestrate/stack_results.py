"""What the stacks of a run came to, taken together. Pure."""

from collections.abc import Collection, Mapping

from orchestrate.changes import Change
from orchestrate.execution import Plan
from orchestrate.runs.schedule import Outcome, Result
from orchestrate.terraform.plan import StackPlan
from orchestrate.terraform.run import Applied


def values(planned: Mapping[str, Result[Plan]]) -> dict[str, Plan]:
    """The plans there are, of those that were made."""
    return {name: result.value for name, result in planned.items() if result.value}


def changes_of(plan: Plan) -> Collection[Change]:
    """A plan's changes; of a provisional one none is known."""
    return plan.changes if isinstance(plan, StackPlan) else ()


def failed(results: Mapping[str, Result[Plan]] | Mapping[str, Result[Applied]]) -> bool:
    """Whether any stack didn't come to its end."""
    return any(result.outcome is not Outcome.DONE for result in results.values())


def left_over(
    waiting: Collection[str], applied: Mapping[str, Result[Applied]]
) -> dict[str, Result[Applied]]:
    """Provisional stacks whose turn never came: because one they need failed, or a stop came."""
    culprits = [name for name, result in applied.items() if result.outcome is Outcome.FAILED]
    if culprits:
        return {n: Result(n, Outcome.SKIPPED, because=culprits[0]) for n in waiting}
    left = [name for name in waiting if name not in applied]
    return {name: Result(name, Outcome.NOT_STARTED) for name in left}


def standing(applied: Mapping[str, Result[Applied]]) -> frozenset[str]:
    """The stacks that are as planned."""
    return frozenset(name for name, one in applied.items() if one.outcome is Outcome.DONE)
