"""A plan's events as changes: what the operator is shown, and what apply or refuse is decided on.

Pure.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from orchestrate.changes import Action, Change
from orchestrate.terraform.differences import Differences
from orchestrate.terraform.events import Diagnostic, Event, Planned

ACTIONS = {
    "create": Action.ADD,
    "update": Action.CHANGE,
    "replace": Action.REPLACE,
    "delete": Action.DESTROY,
}

# The stream's reason codes in the operator's words.
REASONS = {
    "tainted": "it is tainted: an earlier apply left it half made",
    "requested": "a replacement was asked for",
    "replace_triggered_by": "something it is tied to changes",
    "cannot_update": "AWS cannot change this in place",
    "delete_because_no_resource_config": "it is no longer in the fleet",
    "delete_because_wrong_repetition": "it is now counted another way",
    "delete_because_count_index": "there are now fewer of it",
    "delete_because_each_key": "its entry is no longer in the fleet",
    "delete_because_no_module": "its part is no longer in the fleet",
    "delete_because_no_move_target": "what it was moved to is not in the fleet",
}


@dataclass(frozen=True)
class StackPlan:
    """What a plan of one stack would do.

    `empty` is Terraform's own word that nothing would change; a plan with no resource changes
    may still change outputs, and then isn't empty. `differences` are there if they were asked for.
    """

    stack: str
    changes: tuple[Change, ...]
    empty: bool
    warnings: tuple[Diagnostic, ...] = ()
    differences: Differences = field(default_factory=dict)

    def with_unfinished(self, addresses: Collection[str]) -> "StackPlan":
        """The same, where the resources at these addresses were begun and never finished."""
        marked = (replace(one, unfinished=one.address in addresses) for one in self.changes)
        return replace(self, changes=tuple(marked))


def warned(diagnostics: Iterable[Diagnostic], *, targeted: bool) -> tuple[Diagnostic, ...]:
    """The warnings; that a plan of some addresses is one of some addresses is known."""
    return tuple(
        each
        for each in diagnostics
        if each.severity == "warning" and not (targeted and "targeting" in each.summary)
    )


def changes(stack: str, events: Iterable[Event]) -> tuple[Change, ...]:
    """The changes that a plan's events announce; reads, moves and no-ops are not changes."""
    return tuple(
        Change(
            stack, event.address, event.resource_type, ACTIONS[event.action], _reason(event.reason)
        )
        for event in events
        if isinstance(event, Planned) and event.action in ACTIONS
    )


def _reason(code: str) -> str:
    return REASONS.get(code, code.replace("_", " "))
