"""The exit code of a run (S5). Pure."""

from collections.abc import Iterable

from orchestrate.errors import Interrupted
from orchestrate.runs.schedule import Outcome

CLEAN, ERROR, CHANGES = 0, 1, 2


def exit_code(outcomes: Iterable[Outcome], *, changes: bool = False) -> int:
    """An interrupt (130) beats an error (1), that beats changes (2), they beat clean (0).

    `changes` is whether a plan found any. It depends on the set of outcomes only, not on their
    order or number.
    """
    seen = set(outcomes)
    if seen & {Outcome.INTERRUPTED, Outcome.NOT_STARTED}:
        return Interrupted.exit_code
    if seen & {Outcome.FAILED, Outcome.SKIPPED}:
        return ERROR
    return CHANGES if changes else CLEAN
