"""What an operator sees while hosts are verified: one bar, or a line a host."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Self

from orchestrate.cli import live
from orchestrate.cli.console import named
from orchestrate.cli.timed_lines import TimedLines
from orchestrate.cli.verify_view import COLOURS
from orchestrate.verify.run import Unseen
from orchestrate.verify.verdicts import Case, Outcome, State, Verdict

if TYPE_CHECKING:
    from rich.console import Console


class Silent(Unseen):
    """For `--json`: nothing on the way."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


class PlainLines(TimedLines, Silent):
    """A line for every host that is done, and a sign of life where none is for long."""

    def __init__(self, hosts: int, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._hosts = hosts
        self._done = self._tests = 0

    def tested(self, host: str, test: Case) -> None:
        self._tests += 1
        if self.silent():
            self.say(f"{self._done} of {self._hosts} hosts, {self._tests} tests; now {host}")

    def ended(self, verdict: Verdict) -> None:
        self._done += 1
        self.say(f"{verdict.host}: {said(verdict)}")


class LiveBar(Silent):
    """How many hosts are done, and which are at work; those that didn't pass scroll up."""

    def __init__(self, hosts: int, console: Console | None = None) -> None:
        self._bars = live.bars("verifying", count=True, last="{task.fields[now]}", console=console)
        self._task = self._bars.add_task("", total=hosts, now="reading the suites")
        self._running: list[str] = []
        self._tests = 0

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def started(self, host: str, tests: int) -> None:
        self._running.append(host)
        self._draw()

    def tested(self, host: str, test: Case) -> None:
        self._tests += 1
        self._draw()

    def ended(self, verdict: Verdict) -> None:
        if verdict.host in self._running:
            self._running.remove(verdict.host)
        if verdict.state is not State.PASSED:
            colour = COLOURS[verdict.state]
            self._bars.console.print(f"[{colour}]{verdict.host}[/]: ", end="")
            self._bars.console.print(said(verdict), markup=False)
        self._bars.advance(self._task)
        self._draw()

    def _draw(self) -> None:
        self._bars.update(self._task, now=f"{self._tests} tests; at {named(self._running, 3)}")


def progress(hosts: int, *, silent: bool) -> Silent:
    """The form that fits where stderr goes."""
    if silent:
        return Silent()
    return LiveBar(hosts) if sys.stderr.isatty() else PlainLines(hosts)


def said(verdict: Verdict) -> str:
    """How a host stands, in a few words."""
    if verdict.unreachable:
        return f"unreachable: {verdict.unreachable}"
    failed = len(verdict.failures)
    whole = f"{verdict.count(Outcome.PASSED)} passed" + (f", {failed} failed" if failed else "")
    return f"{verdict.state}, {whole} in {verdict.seconds:.1f} s"
