"""What an operator sees of a bake: what is to be done, how it goes, how it ended."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Self

import click

from orchestrate.cli.console import console, echo, print_json
from orchestrate.cli.timed_lines import TimedLines
from orchestrate.images.needs import Bake, Finish, Reuse, Step
from orchestrate.runs.schedule import Outcome

if TYPE_CHECKING:
    from rich.progress import TaskID

    from orchestrate.bake import Progress, Report
    from orchestrate.baking.leftovers import Cleared


class Silent:
    """For `--json`: nothing on the way, everything at the end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def started(self, image: str) -> None: ...

    def doing(self, image: str, what: str) -> None: ...

    def detail(self, image: str, line: str) -> None: ...

    def ended(self, image: str, outcome: str) -> None: ...


class PlainLines(TimedLines, Silent):
    """One line a step of each image."""

    def started(self, image: str) -> None:
        self.say("begun", image)

    def doing(self, image: str, what: str) -> None:
        self.say(what, image)

    def detail(self, image: str, line: str) -> None:
        """A sign of life where nothing else was said for a while."""
        if self.silent(image):
            self.say(f"  {line}", image)

    def ended(self, image: str, outcome: str) -> None:
        self.say(outcome, image)


class LiveLines:
    """A line for every image at work, redrawn in place; ended images scroll up."""

    def __init__(self) -> None:
        from rich.progress import Progress as RichProgress
        from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

        from orchestrate.cli.terminal import Terminal as TerminalConsole

        self._lines: RichProgress = RichProgress(
            SpinnerColumn(),
            TextColumn("[bold]{task.description}"),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[doing]}", markup=True),
            console=TerminalConsole(stderr=True),
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._lines.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.stop()

    def started(self, image: str) -> None:
        with self._lock:
            self._tasks[image] = self._lines.add_task(image, total=None, doing="")

    def doing(self, image: str, what: str) -> None:
        from rich.markup import escape

        self._lines.update(self._tasks[image], doing=escape(what))

    def detail(self, image: str, line: str) -> None:
        self.doing(image, line)

    def ended(self, image: str, outcome: str) -> None:
        with self._lock:
            task = self._tasks.pop(image, None)
        took = ""
        if task is not None:
            elapsed = next(each.elapsed for each in self._lines.tasks if each.id == task) or 0.0
            took = f" [dim]({elapsed:.0f} s)[/]"
            self._lines.remove_task(task)
        self._lines.console.print(f"[bold]{image}[/]: {outcome}{took}")


class Terminal:
    """Talks to a person."""

    def __init__(self, target: str) -> None:
        self._target = target

    def cleared(self, what: Cleared) -> None:
        removed = ", ".join(what.what) or "nothing was left of it"
        echo(f"note: the bake {what.run} was killed; removed: {removed}", err=True)

    def planned(self, steps: Mapping[str, Step]) -> None:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("image", "to do", "because"):
            table.add_column(column, overflow="fold")
        for image, step in steps.items():
            table.add_row(image, *planned_row(step))
        console().print(table)

    def progress(self) -> AbstractContextManager[Progress]:
        return LiveLines() if sys.stderr.isatty() else PlainLines()

    def stopping(self) -> None:
        click.echo("\nstopping: instances at work are terminated ...", err=True)

    def ended(self, report: Report) -> None:
        """The last words: why images failed, and the next commands."""
        out = console()
        for result in report.results.values():
            if result.error:
                out.print(f"\n[red]{result.stack}[/]", soft_wrap=True)
                out.print(str(result.error), markup=False, soft_wrap=True)
        if report.folder and report.exit_code:
            out.print(f"\nlogs: {report.folder / 'logs'}", soft_wrap=True)
        elif report.results:
            commit = "commit fleet/images.lock.yaml; then " if self._target == "aws" else ""
            out.print(f"\nnext: {commit}`orchestrate plan --all` shows what hosts will start from")
        else:
            out.print("\nnothing to do")


class Program:
    """Reads JSON: one document at the end."""

    def cleared(self, what: Cleared) -> None: ...

    def planned(self, steps: Mapping[str, Step]) -> None: ...

    def progress(self) -> AbstractContextManager[Progress]:
        return Silent()

    def stopping(self) -> None: ...

    def ended(self, report: Report) -> None:
        print_json(report_json(report))


def operator(target: str, *, as_json: bool) -> Terminal | Program:
    return Program() if as_json else Terminal(target)


def planned_row(step: Step) -> tuple[str, str]:
    """What is to be done for an image, and why."""
    if isinstance(step, Bake):
        return "bake", step.why
    if isinstance(step, Reuse):
        return (
            f"test and publish {step.build.id}",
            f"{step.why}, but an earlier bake of the very same is there",
        )
    if isinstance(step, Finish):
        copied = f"copy {step.build.id} to {', '.join(step.regions)}" if step.regions else ""
        promote = "" if step.held_back else f"promote {step.build.id}"
        return " and ".join(filter(None, [copied, promote])), "it was not finished"
    return "[dim]nothing[/]", f"[dim]{step.why}[/]"


def report_json(report: Report) -> dict[str, Any]:
    """How every image ended, as plain data."""
    return {
        "exit_code": report.exit_code,
        "folder": str(report.folder) if report.folder else None,
        "images": {
            image: _image_json(report, image, *planned_row(step))
            for image, step in report.steps.items()
        },
    }


def _image_json(report: Report, image: str, to_do: str, because: str) -> dict[str, Any]:
    from rich.text import Text

    result = report.results.get(image)
    return {
        "to_do": Text.from_markup(to_do).plain,
        "because": Text.from_markup(because).plain,
        "outcome": str(result.outcome if result else Outcome.DONE),
        "build": asdict(result.value) if result and result.value else None,
        "error": str(result.error) if result and result.error else None,
        "seconds": round(result.seconds, 1) if result else 0.0,
    }
