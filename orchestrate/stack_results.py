"""What the stacks of a run came to, taken together. Pure."""

from collections.abc import Collection, Iterator, Mapping, Set

from orchestrate.changes import Action, Change
from orchestrate.execution import Plan
from orchestrate.runs.schedule import Outcome, Result
from orchestrate.terraform.plan import StackPlan
from orchestrate.terraform.root import Applied


def values(planned: Mapping[str, Result[Plan]]) -> dict[str, Plan]:
    """The plans there are, of those that were made."""
    return {name: result.value for name, result in planned.items() if result.value}


def changes_of(plan: Plan) -> Collection[Change]:
    """A plan's changes; of a provisional one none is known."""
    return plan.changes if isinstance(plan, StackPlan) else ()


def kept(plans: Mapping[str, Plan], cut_off: Mapping[str, Set[str]]) -> Iterator[str]:
    """A line for each stack of whose replacements an apply would keep some.

    `cut_off` has the addresses that interrupted runs were making. An apply takes their mark of
    being half made off before it plans; a mere plan changes no state, and so replaces them.
    """
    for stack, plan in plans.items():
        replaced = {one.address for one in changes_of(plan) if one.action is Action.REPLACE}
        if number := len(replaced & cut_off.get(stack, frozenset())):
            yield (
                f"{stack}: an interrupted run was still making {number} of what this plan"
                f" replaces; `orchestrate apply {stack}` keeps and completes them: nothing is lost"
            )


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
