"""What a past run left undone, how to go on, and whether a lock it left is nobody's (S2, S6). Pure.

Whether processes still run is an argument: `alive`.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from orchestrate.runs.history import Run, StackRecord
from orchestrate.runs.journal import State
from orchestrate.runs.processes import Process

Alive = Callable[[Process], bool]

# A terraform takes its lock soon after it starts, or when it has waited for another's.
LOCK_TAKEN_WITHIN = timedelta(seconds=90)


@dataclass(frozen=True)
class Unfinished:
    """What a run has left. `orphans` are terraforms that outlived it: their stacks must wait."""

    run: Run
    left: tuple[str, ...]
    orphans: Mapping[str, Process]
    message: str

    @property
    def command(self) -> str:
        """The command line that does what is left."""
        return resume_command(self.run.command, self.left, self.run.target)


def resume_command(command: str, stacks: tuple[str, ...], target: str) -> str:
    """E.g. `orchestrate apply cluster-us-west mesh --target aws`."""
    return f"orchestrate {shlex.join([command, *stacks])} --target {shlex.quote(target)}"


def unfinished(run: Run, alive: Alive) -> Unfinished | None:
    """What is left of a past apply or destroy; None when nothing is, or it is still going on."""
    through = {*run.among(State.APPLIED), *run.partial}
    left = tuple(stack for stack in sorted(run.stacks) if stack not in through)
    going_on = run.exit_code is None and alive(run.owner)
    if run.command not in ("apply", "destroy") or not left or going_on:
        return None
    orphans = {
        stack: record.child
        for stack, record in sorted(run.stacks.items())
        if run.exit_code is None and record.child and alive(record.child)
    }
    return Unfinished(run, left, orphans, _message(run, left, orphans))


def half_made(runs: Iterable[Run], stack: str, how: str = "half_made") -> frozenset[str]:
    """What the interrupted runs among `runs`, newest first, were making in a stack since it was
    last applied to its end; with `how` "broken", all that they failed to make.
    """
    found: set[str] = set()
    for run in runs:
        record = run.stacks.get(stack)
        if record and record.state is State.APPLIED:
            break
        found.update(record.details.get(how, ()) if record else ())
    return frozenset(found)


def left_halfway(runs: Iterable[Run], stack: str, serial: int, alive: Alive) -> str:
    """How the last run that changed a stack left it halfway; "" if it didn't.

    `serial` is that of the state now: where it is later than when the run ended, somebody else has
    been at work since.
    """
    for run in runs:
        record = run.stacks.get(stack)
        if record is None or (not record.applying and record.state is not State.APPLIED):
            continue
        if record.state is State.APPLIED or record.details.get("serial", serial) != serial:
            return ""
        return f"run {run.id} {_how_far(run, record, alive)}"
    return ""


def _how_far(run: Run, record: StackRecord, alive: Alive) -> str:
    done, changes = record.details.get("done", "?"), record.details.get("changes", "?")
    if record.state is State.APPLYING:
        if run.exit_code is None and alive(run.owner):
            return f"is at work on {changes} changes"
        return f"was killed at work on {changes} changes"
    how = "was interrupted" if record.state is State.INTERRUPTED else "failed"
    return f"{how}: {done} of {changes} changes done" if "done" in record.details else how


def lock_is_orphaned(run: Run, stack: str, who: str, created: str, alive: Alive) -> bool:
    """Whether a lock can only be one that a terraform of this run took and nobody will release.

    `who` is the lock's user@host, `created` its time in UTC as Terraform writes it. True only when
    that terraform ran on the lock's host, was at work when its run died, took the lock right
    after it started, and is gone. In any doubt False.
    """
    record = run.stacks.get(stack)
    if record is None or record.child is None:
        return False
    if record.state not in (State.PLANNING, State.APPLYING) or alive(record.child):
        return False
    if who.rpartition("@")[2] != record.child.host:
        return False
    since = datetime.fromisoformat(record.child_since)
    taken = moment(created)
    return taken is not None and since <= taken <= since + LOCK_TAKEN_WITHIN


def moment(text: str) -> datetime | None:
    """The time that a lock says it was taken at, in UTC; None where it says none."""
    # Terraform writes a lock's time as RFC 3339 into the lock file and Go's way into its errors;
    # both are in UTC, and finer than `fromisoformat` reads.
    found = re.match(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})", text)
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2]}+00:00") if found else None
    except ValueError:  # a 31st of February
        return None


def _message(run: Run, left: tuple[str, ...], orphans: Mapping[str, Process]) -> str:
    at_work = run.among(State.PLANNING, State.APPLYING)
    if run.exit_code is None:
        how = f"was killed while at work on {', '.join(at_work)}" if at_work else "was killed"
    elif run.exit_code == 130:
        how = "was interrupted"
    else:
        failed = run.among(State.FAILED)
        how = f"failed at {', '.join(failed)}" if failed else "did not come to its end"
    done = ", ".join(run.among(State.APPLIED)) or "nothing"
    text = (
        f"run {run.id} ({run.command}, {run.target}) {how}; done: {done}; left: {', '.join(left)}"
    )
    for stack, child in orphans.items():
        text += f"\n  its terraform for {stack} still runs (process {child}): let it end first"
    return text
