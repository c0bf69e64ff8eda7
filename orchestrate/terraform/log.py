"""A stack's log file: what Terraform's events say, as text for people."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from orchestrate import clock
from orchestrate.terraform.events import (
    Diagnostic,
    Drifted,
    Event,
    Locking,
    Outputs,
    Planned,
    Refreshed,
    ResourceDone,
    ResourceFailed,
    ResourceProgress,
    ResourceStarted,
    Summary,
    Text,
)


def human(event: Event) -> str:  # noqa: PLR0911, PLR0912 - one line for each kind of event
    """One event as text for people; errors and warnings take several lines. Pure."""
    match event:
        case Text(text):
            return text
        case Locking(who):
            return "waits for the lock of the state" + (f", held by {who}" if who else "")
        case Planned(address, _, action, reason):
            return f"{address}: will {action}" + (f" ({reason})" if reason else "")
        case Drifted(address, action):
            return f"{address}: changed outside of Terraform ({action})"
        case Refreshed(address):
            return f"{address}: read"
        case ResourceStarted(address, _, action):
            return f"{address}: {action} ..."
        case ResourceProgress(address, action, elapsed_s):
            return f"{address}: {action} ... {elapsed_s} s"
        case ResourceDone(address, action, elapsed_s, name):
            return f"{address}: {action} done after {elapsed_s} s" + (f" [{name}]" if name else "")
        case ResourceFailed(address, action, elapsed_s, given_up):
            how = "given up" if given_up else "FAILED"
            return f"{address}: {action} {how} after {elapsed_s} s"
        case Diagnostic():
            return _diagnostic(event)
        case Summary("plan", add, change, remove):
            return f"plan: {add} to add, {change} to change, {remove} to remove"
        case Summary(operation, add, change, remove):
            return f"{operation}: {add} added, {change} changed, {remove} removed"
        case Outputs(names, _):
            return f"outputs: {', '.join(names) or 'none'}"


def _diagnostic(told: Diagnostic) -> str:
    place = f" [{told.place}]" if told.place else ""
    return f"{told.severity}: {told.summary}{place}\n{told.detail}".strip()


class Log:
    """Appends to a log file; every line starts with the time (UTC).

    What differs from the last apply is counted in one line: after every apply AWS has filled in
    details of half the resources, which nobody touched. `plan --details` marks what matters.
    """

    def __init__(self, file: Path) -> None:
        self._file = file.open("ab", buffering=0)
        self._drifted = 0

    def close(self) -> None:
        self._file.close()

    def begin(self, argv: Sequence[str]) -> None:
        self._line(f"$ {shlex.join(argv)}")

    def write(self, event: Event) -> None:
        if isinstance(event, Drifted):
            self._drifted += 1
            return
        if self._drifted:
            many = f"{self._drifted} resource{'s' if self._drifted > 1 else ''}"
            self._line(f"{many} differ in details from what the last apply knew")
            self._drifted = 0
        self._line(human(event))

    def end(self, problem: str) -> None:
        if problem:
            self._line(f"terraform {problem}")

    def _line(self, text: str) -> None:
        more_lines_below = text.replace("\n", "\n             ")
        self._file.write(f"{clock.now():%H:%M:%S} {more_lines_below}\n".encode(errors="replace"))
