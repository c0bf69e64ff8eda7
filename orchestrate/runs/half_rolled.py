"""What the last roll of a node group left half done. Pure.

Whether processes still run is an argument: `alive`.
"""

from dataclasses import dataclass

from orchestrate.runs.history import Run
from orchestrate.runs.journal import State
from orchestrate.runs.resume import Alive


@dataclass(frozen=True)
class HalfRolled:
    """A roll that didn't come to its end, and why. Its group was to have `wanted` hosts; it was
    made `extra` larger, which nobody has taken back.
    """

    run: str
    group: str
    why: str
    wanted: int = 0
    extra: int = 0

    def __str__(self) -> str:
        return (
            f"the last roll of {self.group} (run {self.run}) {self.why}; this one goes on with it"
        )


def half_rolled(run: Run, group: str, alive: Alive) -> HalfRolled | None:
    """What `run`, the last roll of a group, left; None where it came to its end or is going on."""
    record = run.stacks[group]
    going_on = run.exit_code is None and alive(run.owner)
    never_begun = run.exit_code is not None and record.state is None and not record.extra
    if record.state is State.CONVERGED or going_on or never_begun:
        return None
    cause = str(record.details.get("cause", "")) or run.cause
    if run.exit_code is None:
        why = "was killed"
    elif record.state is State.INTERRUPTED or run.exit_code == 130:
        why = "was interrupted"
    else:
        why = f"ended early: {cause}" if cause else "ended early"
    return HalfRolled(run.id, group, why, record.wanted, record.extra)
