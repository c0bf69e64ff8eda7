"""`orchestrate runs`: what past runs did, from their journals."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from orchestrate.cli.console import console, named, print_json
from orchestrate.cli.context import Context, json_option, pass_context
from orchestrate.errors import OrchestrateError
from orchestrate.plain_text import shown, visible_lines

if TYPE_CHECKING:
    from pathlib import Path

    from orchestrate.runs.history import Run

SHOWN = 20


@click.command(name="runs")
@click.argument("run", required=False)
@click.option("--log", metavar="STACK", help="Print a stack's log of the run.")
@click.option("--all", "everything", is_flag=True, help=f"Not only the last {SHOWN}.")
@json_option
@pass_context
def runs_command(
    context: Context, run: str | None, log: str | None, everything: bool, as_json: bool
) -> int:
    """List past runs, or show one with its logs.

    RUN is a run's id, or enough of its beginning or end; `last` is the last one.
    """
    from orchestrate.runs import history

    folder = context.work_folder / "runs"
    if run is None and log is None:
        past = history.past_runs(folder)
        _list(past if everything else past[-SHOWN:], as_json)
        return 0
    found = history.find(folder, _last_id(history.past_runs(folder), run))
    if log is not None:
        click.echo_via_pager(_log(folder / found.id / "logs", log))
    elif as_json:
        print_json(asdict(found))
    else:
        _show(found, folder / found.id / "logs")
    return 0


def _log(logs: Path, name: str) -> str:
    """The text of a log of a run; raises OrchestrateError naming those there are."""
    from orchestrate.fleet.wording import nearest

    files = {file.stem: file for file in sorted(logs.glob("*.log"))}
    if name not in files:
        raise OrchestrateError(
            f"this run has no log of '{shown(name)}'; {nearest(name, files)}", where=str(logs)
        )
    # What a host or Terraform printed is for reading here, not for the pager to obey.
    return visible_lines(files[name].read_text(encoding="utf-8", errors="replace"))


def _last_id(past: list[Run], asked: str | None) -> str:
    named = "last" if asked is None else asked
    return past[-1].id if past and named == "last" else named


def _list(past: list[Run], as_json: bool) -> None:
    if as_json:
        print_json([asdict(each) for each in past])
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("run", "command", "target", "ended", "stacks or hosts"):
        table.add_column(column)
    for each in past:
        told = map(escape, (each.id, each.command, each.target))
        table.add_row(*told, _end(each), escape(_on(each)))
    console().print(table if past else "no runs yet")


def _on(run: Run) -> str:
    """The stacks of a run; hosts may be hundreds."""
    return named(list(run.stacks))


def _end(run: Run) -> str:
    from orchestrate.runs import processes

    if run.exit_code is None:
        return "[cyan]going on[/]" if processes.alive(run.owner) else "[red]killed[/]"
    words = {0: "[green]clean[/]", 1: "[red]failed[/]", 2: "changes", 130: "[yellow]interrupted[/]"}
    return words.get(run.exit_code, str(run.exit_code))


def _show(run: Run, logs: Path) -> None:
    from rich.markup import escape
    from rich.table import Table

    out = console()
    times = escape(f"{run.started} to {run.ended or '?'}")
    out.print(f"[bold]{escape(run.id)}[/]  {_end(run)}  {times}")
    out.print(f"  {escape(' '.join(run.argv))}", soft_wrap=True)
    out.print(f"  [dim]logs in {escape(str(logs))}[/]\n", soft_wrap=True)
    if run.cause:
        out.print(f"[red]{escape(run.cause)}[/]\n", soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("stack", "state", "log", ""):
        table.add_column(column, overflow="fold")
    for stack, record in run.stacks.items():
        cause = str(record.details.get("cause", ""))
        state = str(record.state or "not started")
        log = f"{stack}.log"
        told = escape(log) if (logs / log).is_file() else ""
        table.add_row(escape(stack), escape(state), told, escape(cause))
    if run.stacks:
        out.print(table)
