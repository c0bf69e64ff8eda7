"""`orchestrate status`: each stack at a glance, from the state bucket and the clusters' groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from orchestrate.cli.console import console, echo, named, print_json
from orchestrate.cli.context import Context, json_option, pass_context, target_option

if TYPE_CHECKING:
    from orchestrate.stack_status import StackStatus

COLOURS = {
    "applied": "green",
    "incomplete": "yellow",
    "not applied": "dim",
    "no longer in the fleet": "red",
    "unreadable": "red",
}


@click.command(name="status")
@target_option
@json_option
@pass_context
def status_command(context: Context, target: str, as_json: bool) -> int:
    """Show each stack: applied or not, who holds its lock, which hosts are old."""
    from orchestrate.stack_status import statuses, strange_states

    where = context.target(target)
    found = statuses(context.fleet, where, context.work_folder / "runs")
    for strange in strange_states(context.fleet, where):
        echo(str(strange), err=True)
    if as_json:
        print_json([each.as_json() for each in found])
    else:
        _print(found)
    return 0


def _print(found: list[StackStatus]) -> None:
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    from orchestrate.cli import reach

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("stack", "region", "state", "resources", "version", "lock"):
        table.add_column(column, justify="right" if column in ("resources", "version") else "left")
    for each in found:
        colour = COLOURS[each.standing]
        held = f"{each.lock.who} since {each.lock.since}" if each.lock else ""
        numbers = (str(each.resources), str(each.serial)) if each.serial else ("", "")
        standing = f"[{colour}]{each.standing}[/]"
        table.add_row(each.stack, each.region, standing, *numbers, Text(held, "yellow"))
    out = console()
    out.print(table)
    reach.tell_strangers(stranger for each in found for stranger in each.strangers)
    for each in found:
        if each.problem:
            name = f"[{COLOURS[each.standing]}]{each.stack}[/]"
            out.print(f"\n{name}: {escape(each.problem)}", soft_wrap=True)
        for group, hosts in each.old_hosts.items():
            what = f"{len(hosts)} of an older launch template: {named(hosts)}"
            step = f"orchestrate roll {group}.{each.stack}"
            out.print(f"\n{group}.{each.stack}: {what}\n  replace with: {step}", soft_wrap=True)
