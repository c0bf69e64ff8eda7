"""The person (or pipeline) who started a run: sees plans and results, and is asked once."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import click

from orchestrate.cli import hosts_summary, summary, verify_progress, waiting
from orchestrate.cli.console import console, echo, named, print_json
from orchestrate.cli.host_progress import HostProgress, host_progress
from orchestrate.cli.progress import Silent, progress
from orchestrate.errors import Interrupted, NotConfirmed
from orchestrate.images import launch_guard
from orchestrate.runs import history, processes, resume
from orchestrate.terraform.plan import StackPlan

if TYPE_CHECKING:
    from orchestrate.apply import HostsInUse, Plans
    from orchestrate.brought_up import Waits
    from orchestrate.execution import Progress
    from orchestrate.run_report import Report
    from orchestrate.verify.run import Observer as VerifyObserver
    from orchestrate.workplace import Workplace


STOPPING = "\nstopping: nothing new is started, waiting for what is at work ..."
AGAIN = "(Ctrl-C again leaves the hosts at work: they finish by themselves, unwatched)"


class Terminal:
    """Talks through tables and one question. `assume_yes` answers it for CI."""

    def __init__(
        self, target: str, *, assume_yes: bool = False, details: bool = False, question: str = ""
    ) -> None:
        self._target = target
        self._assume_yes = assume_yes
        self._details = details
        self._question = question or "Apply these changes"
        self._begun = time.monotonic()
        self._hosts_at_work = False

    def prepared(self, work: Workplace, *, keep_ranges: bool) -> None:
        """Say what happened before: new address ranges, and what the last run left undone."""
        if work.new_ranges:
            verb = "given to" if keep_ranges else "would be given to"
            click.echo(f"{work.new_ranges} new address ranges {verb} the fleet", err=True)
        lost = sorted({one for gone in work.lost.values() for one in gone})
        if lost:
            echo(
                "note: images that new hosts start from are gone; an apply that launches from "
                f"them is refused{launch_guard.named(lost)}\n  next: {launch_guard.way(lost)}",
                err=True,
            )
        if work.forgotten:
            gone = ", ".join(work.forgotten)
            echo(f"note: images that went with an earlier lab are forgotten: {gone}", err=True)
        last = history.last_run(work.runs, work.target)
        left = resume.unfinished(last, processes.alive) if last else None
        if left:
            echo(f"note: {left.message}\n  resume with: {left.command}", err=True)

    def progress(self) -> AbstractContextManager[Progress]:
        return progress(self._begun)

    def show(self, plans: Plans) -> None:
        out = console()
        out.print()
        out.print(summary.plan_table(plans))
        for heading, lines in summary.details(plans, everything=self._details):
            out.print(f"\n{heading}")
            for line in lines:
                out.print(line, soft_wrap=True)
        out.print()

    @property
    def on_hosts_in_use(self) -> HostsInUse:
        if self._assume_yes:
            return "all"
        return "ask" if sys.stdin.isatty() else "none"

    def agrees(self, plans: Plans, hosts: Sequence[str]) -> bool:
        if hosts:
            click.echo(f"{len(hosts)} hosts in use differ from the cookbooks: {named(hosts)}")
        if self._assume_yes:
            return True
        if not sys.stdin.isatty():
            raise NotConfirmed(
                "there is nobody to ask: standard input is not a terminal",
                fix="look at the plan, then run it again with --yes",
            )
        try:
            return click.confirm(f"{self._asked(plans, hosts)} on target {self._target}?")
        except click.Abort as gone:
            raise Interrupted("interrupted; nothing was changed by this plan") from gone

    def still_waiting(self, changes: Mapping[str, int]) -> None:
        for stack, count in changes.items():
            click.echo(
                f"{stack}: all is made; Terraform still waits for S3 to confirm {count} "
                "settings, hosts come up meanwhile",
                err=True,
            )

    def tell(self, line: str) -> None:
        echo(line, err=True)

    def stopping(self) -> None:
        click.echo(f"{STOPPING}\n{AGAIN}" if self._hosts_at_work else STOPPING, err=True)

    def waiting(self) -> AbstractContextManager[Waits]:
        click.echo("\nbringing up the hosts", err=True)
        return waiting.watching()

    def converging(self, hosts: int) -> AbstractContextManager[HostProgress]:
        self._hosts_at_work = True
        return host_progress(hosts, silent=False)

    def verifying(self, hosts: int) -> AbstractContextManager[VerifyObserver]:
        return verify_progress.progress(hosts, silent=False)

    def _asked(self, plans: Plans, hosts: Sequence[str]) -> str:
        """The one question, about stacks, hosts, or both."""
        if not hosts:
            return self._question
        empty = all(isinstance(plan, StackPlan) and plan.empty for plan in plans.values())
        return "Converge these hosts" if empty else f"{self._question} and converge these hosts"

    def ended(self, report: Report) -> None:
        """The last words of a run: how each stack ended, and the next commands."""
        out = console()
        if report.final:
            out.print()
            out.print(summary.results_table(report))
        for line in summary.causes(report):
            out.print(line, soft_wrap=True)
        if report.hosts:
            out.print()
            for part in hosts_summary.whole(report.hosts, report.folder / "logs", self._target):
                out.print(part, soft_wrap=isinstance(part, str))
        for line in summary.left_behind(report, self._target):
            out.print(line, soft_wrap=True)
        for line in summary.next_steps(report, self._target):
            out.print(line, soft_wrap=True)


class Program:
    """Reads JSON: no questions (without --yes nothing is applied), one document at the end."""

    def __init__(self, *, assume_yes: bool) -> None:
        self._assume_yes = assume_yes

    def prepared(self, work: Workplace, *, keep_ranges: bool) -> None:
        """A program reads the journal of the last run with `orchestrate runs --json`."""

    def progress(self) -> AbstractContextManager[Progress]:
        return Silent()

    def show(self, plans: Plans) -> None:
        """The plans are part of the document at the end."""

    @property
    def on_hosts_in_use(self) -> HostsInUse:
        return "all" if self._assume_yes else "none"

    def agrees(self, plans: Plans, hosts: Sequence[str]) -> bool:
        if not self._assume_yes:
            raise NotConfirmed("--json asks no questions", fix="run it with --yes, or `plan` first")
        return True

    def still_waiting(self, changes: Mapping[str, int]) -> None: ...

    def tell(self, line: str) -> None:
        """Nobody listens on the way."""

    def stopping(self) -> None:
        """The document at the end says so."""

    def waiting(self) -> AbstractContextManager[Waits]:
        return nullcontext(lambda _: None)

    def converging(self, hosts: int) -> AbstractContextManager[HostProgress]:
        return host_progress(hosts, silent=True)

    def verifying(self, hosts: int) -> AbstractContextManager[VerifyObserver]:
        return verify_progress.progress(hosts, silent=True)

    def ended(self, report: Report) -> None:
        print_json(summary.report_json(report))
