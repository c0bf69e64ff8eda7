"""What an operator sees while stacks are planned and applied: live bars, or plain lines.

On a terminal each running stack has one line: bar, what is being done now, elapsed time. Elsewhere
(CI, a pipe) each step is one line with its time, and a sign of life every half minute.
"""

from __future__ import annotations

import re
import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Self

from orchestrate.cli import live
from orchestrate.cli.timed_lines import TimedLines
from orchestrate.terraform.events import (
    Event,
    Locking,
    Refreshed,
    ResourceDone,
    ResourceFailed,
    ResourceProgress,
    ResourceStarted,
)
from orchestrate.terraform.log import human

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

    from orchestrate.execution import Progress

_MODULES = re.compile(r"module\.[^.\[]+(\[[^]]*\])?\.")
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


class PlainLines(TimedLines, Silent):
    """One line a step of each stack."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._total: dict[str, int | None] = {}
        self._done: dict[str, int] = {}

    def started(self, stack: str, doing: str, total: int | None) -> None:
        self._total[stack], self._done[stack] = total, 0
        self.say(doing + (f" {total} changes" if total else ""), stack)

    def event(self, stack: str, event: Event) -> None:
        self._done[stack] += isinstance(event, ResourceDone)
        if isinstance(event, ResourceFailed):
            how = "given up" if event.given_up else "failed"
            self.say(f"{how}: {event.address}", stack)
        elif isinstance(event, Locking):
            self.say(human(event), stack)
        elif isinstance(event, ResourceProgress) and self.silent(stack):
            done = f"{self._done[stack]}/{self._total[stack] or '?'} done"
            doing = DOING.get(event.action, event.action)
            self.say(f"{done}, still {doing} {event.address} ({event.elapsed_s} s)", stack)

    def ended(self, stack: str, outcome: str) -> None:
        self.say(outcome, stack)


class LiveBars:
    """A bar for every running stack, redrawn in place; ended stacks scroll up as plain lines."""

    def __init__(self, console: Console | None = None) -> None:
        self._bars = live.bars(
            "[bold]{task.description}",
            "{task.fields[doing]}",
            count=True,
            last="{task.fields[current]}",
            console=console,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def started(self, stack: str, doing: str, total: int | None) -> None:
        self._tasks[stack] = self._bars.add_task(stack, total=total, doing=doing, current="")

    def event(self, stack: str, event: Event) -> None:
        from rich.markup import escape

        task = self._tasks[stack]
        if isinstance(event, ResourceStarted | ResourceProgress):
            doing = DOING.get(event.action, event.action)
            self._bars.update(task, current=escape(f"{doing} {_brief(event.address)}"))
        elif isinstance(event, ResourceDone | Refreshed):
            self._bars.update(task, advance=1)
        elif isinstance(event, Locking):
            self._bars.console.print(f"[bold]{stack}[/]: {escape(human(event) or '')}")

    def ended(self, stack: str, outcome: str) -> None:
        took = ""
        if stack in self._tasks:
            task = self._tasks.pop(stack)
            elapsed = next(each.elapsed for each in self._bars.tasks if each.id == task) or 0.0
            took = f" [dim]({elapsed:.0f} s)[/]"
            self._bars.remove_task(task)
        self._bars.console.print(f"[bold]{stack}[/]: {outcome}{took}")


def _brief(address: str) -> str:
    """A resource without the modules it is in: what fits beside a bar."""
    return _MODULES.sub("", address)


def progress(begun: float) -> AbstractContextManager[Progress]:
    """The form that fits where stderr goes; `begun` (monotonic, s) is when the run began."""
    return LiveBars() if sys.stderr.isatty() else PlainLines(begun=begun)
