"""What an operator sees while hosts are worked on: a line for each at work, or plain lines."""

from __future__ import annotations

import sys
import threading
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, Self

from orchestrate.cli import live
from orchestrate.cli.console import named
from orchestrate.cli.timed_lines import TimedLines
from orchestrate.hosts.results import Outcome, Result

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

LINE_WIDTH = 60
COLOURS = {
    Outcome.CHANGED: "green",
    Outcome.UNCHANGED: "dim",
    Outcome.FAILED: "red",
    Outcome.UNREACHABLE: "magenta",
    Outcome.LEFT: "yellow",
    Outcome.NOT_STARTED: "dim",
}


def word(outcome: Outcome, *, why_run: bool) -> str:
    """What is said of a host that ended so; a dry run changed none."""
    return "would change" if why_run and outcome is Outcome.CHANGED else str(outcome)


class HostProgress(Protocol):
    """The observer of `orchestrate.converge`, as a block of what is on the screen."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def doing(self, host: str, what: str) -> None: ...

    def said(self, host: str, line: str) -> None: ...

    def ended(self, result: Result) -> None: ...

    def note(self, text: str) -> None:
        """A line about more than one host."""


class Silent:
    """For `--json`: nothing on the way, everything at the end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def doing(self, host: str, what: str) -> None: ...

    def said(self, host: str, line: str) -> None: ...

    def ended(self, result: Result) -> None: ...

    def note(self, text: str) -> None: ...


class PlainLines(TimedLines, Silent):
    """A line for each host that has ended, and signs of life between them."""

    def __init__(self, total: int, *given: Any, why_run: bool = False, **options: Any) -> None:
        super().__init__(*given, **options)
        self._total = total
        self._why_run = why_run
        self._done = 0
        self._at_work: dict[str, str] = {}
        self._lock = threading.Lock()

    def doing(self, host: str, what: str) -> None:
        with self._lock:
            self._at_work[host] = what

    def said(self, host: str, line: str) -> None:
        with self._lock:
            if self.silent():
                at_work = named(sorted(self._at_work), 3)
                self.say(f"{self._done} of {self._total} done; at work: {at_work}")

    def ended(self, result: Result) -> None:
        with self._lock:
            self._done += 1
            self._at_work.pop(result.host, None)
            if result.outcome is not Outcome.NOT_STARTED:
                cause = f": {result.cause.splitlines()[0]}" if result.cause else ""
                self.say(f"{result.host}: {word(result.outcome, why_run=self._why_run)}{cause}")

    def note(self, text: str) -> None:
        with self._lock:
            self.say(text)


class LiveLines:
    """All hosts as one bar, a line below for each at work; what is wrong scrolls up at once."""

    def __init__(self, total: int, console: Console | None = None) -> None:
        self._bars = live.bars(
            "[bold]{task.description}",
            "{task.fields[doing]}",
            count=False,
            last="{task.fields[line]}",
            console=console,
        )
        self._total = total
        self._all = self._bars.add_task("hosts", total=total, doing=f"0/{total}", line="")
        self._at_work: dict[str, TaskID] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def doing(self, host: str, what: str) -> None:
        with self._lock:
            if host in self._at_work:
                self._bars.update(self._at_work[host], doing=what)
            else:
                self._at_work[host] = self._bars.add_task(host, total=None, doing=what, line="")

    def said(self, host: str, line: str) -> None:
        from rich.markup import escape

        with self._lock:
            if line and host in self._at_work:
                self._bars.update(self._at_work[host], line=escape(line[:LINE_WIDTH]))

    def ended(self, result: Result) -> None:
        from rich.markup import escape

        with self._lock:
            if result.host in self._at_work:
                self._bars.remove_task(self._at_work.pop(result.host))
            self._bars.advance(self._all)
            done = int(self._bars.tasks[0].completed)
            self._bars.update(self._all, doing=f"{done}/{self._total}")
            if result.outcome in (Outcome.FAILED, Outcome.UNREACHABLE):
                said = f"[{COLOURS[result.outcome]}]{result.outcome}[/]: {escape(result.cause)}"
                self._bars.console.print(f"[bold]{result.host}[/] {said}")

    def note(self, text: str) -> None:
        from rich.markup import escape

        self._bars.console.print(escape(text))


def host_progress(
    total: int, *, silent: bool, why_run: bool = False
) -> AbstractContextManager[HostProgress]:
    """The form that fits where stderr goes, for so many hosts."""
    if silent:
        return Silent()
    return LiveLines(total) if sys.stderr.isatty() else PlainLines(total, why_run=why_run)
