"""What an operator sees while stacks are planned and applied: live bars, or plain lines.

On a terminal each running stack has one line: bar, what is being done now, elapsed time. Elsewhere
(CI, a pipe) each step is one line with its time, and a sign of life every half minute.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from orchestrate.terraform.events import (
    Event,
    Refreshed,
    ResourceDone,
    ResourceFailed,
    ResourceProgress,
    ResourceStarted,
)

if TYPE_CHECKING:
    from rich.progress import TaskID

    from orchestrate.execution import Progress

SIGN_OF_LIFE_S = 30.0

DOING = {
    "create": "creating",
    "update": "changing",
    "delete": "destroying",
    "replace": "replacing",
    "read": "reading",
}


class Silent:
    """For `--json`: nothing on the way, everything at the end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def started(self, stack: str, doing: str, total: int | None) -> None: ...

    def event(self, stack: str, event: Event) -> None: ...

    def ended(self, stack: str, outcome: str) -> None: ...


class PlainLines(Silent):
    """One line a step on stderr, with the time since the run began."""

    def __init__(
        self,
        write: Callable[[str], object] = sys.stderr.write,
        clock: Callable[[], float] = time.monotonic,
        begun: float | None = None,
    ) -> None:
        self._write = write
        self._clock = clock
        self._begun = clock() if begun is None else begun
        self._total: dict[str, int | None] = {}
        self._done: dict[str, int] = {}
        self._spoken: dict[str, float] = {}

    def started(self, stack: str, doing: str, total: int | None) -> None:
        self._total[stack], self._done[stack] = total, 0
        self._say(stack, doing + (f" {total} changes" if total else ""))

    def event(self, stack: str, event: Event) -> None:
        self._done[stack] += isinstance(event, ResourceDone)
        if isinstance(event, ResourceFailed):
            self._say(stack, f"failed: {event.address}")
        elif isinstance(event, ResourceProgress) and self._silent_for(stack) >= SIGN_OF_LIFE_S:
            done = f"{self._done[stack]}/{self._total[stack] or '?'} done"
            doing = DOING.get(event.action, event.action)
            self._say(stack, f"{done}, still {doing} {event.address} ({event.elapsed_s} s)")

    def ended(self, stack: str, outcome: str) -> None:
        self._say(stack, outcome)

    def _silent_for(self, stack: str) -> float:
        return self._clock() - self._spoken[stack]

    def _say(self, stack: str, what: str) -> None:
        now = self._clock()
        self._spoken[stack] = now
        self._write(f"[{now - self._begun:6.1f}s] {stack}: {what}\n")


class LiveBars:
    """A bar for every running stack, redrawn in place; ended stacks scroll up as plain lines."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        self._bars: RichProgress = RichProgress(
            TextColumn("[bold]{task.description}"),
            TextColumn("{task.fields[doing]}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[current]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def started(self, stack: str, doing: str, total: int | None) -> None:
        self._tasks[stack] = self._bars.add_task(stack, total=total, doing=doing, current="")

    def event(self, stack: str, event: Event) -> None:
        task = self._tasks[stack]
        if isinstance(event, ResourceStarted | ResourceProgress):
            doing = DOING.get(event.action, event.action)
            self._bars.update(task, current=f"{doing} {event.address}")
        elif isinstance(event, ResourceDone | Refreshed):
            self._bars.update(task, advance=1)

    def ended(self, stack: str, outcome: str) -> None:
        took = ""
        if stack in self._tasks:
            task = self._tasks.pop(stack)
            elapsed = next(each.elapsed for each in self._bars.tasks if each.id == task) or 0.0
            took = f" [dim]({elapsed:.0f} s)[/]"
            self._bars.remove_task(task)
        self._bars.console.print(f"[bold]{stack}[/]: {outcome}{took}")


def progress(begun: float) -> AbstractContextManager[Progress]:
    """The form that fits where stderr goes; `begun` (monotonic, s) is when the run began."""
    return LiveBars() if sys.stderr.isatty() else PlainLines(begun=begun)
