"""`orchestrate hosts`: what exists, as a table, JSON or an OpenSSH configuration; and the wait."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click

from orchestrate.cli.complete import complete_hosts, remember_hosts
from orchestrate.cli.console import console, print_json
from orchestrate.cli.context import Context, json_option, pass_context, target_option
from orchestrate.clock import now

if TYPE_CHECKING:
    from rich.table import Table

    from orchestrate.hosts.inventory import Host
    from orchestrate.hosts.strangers import Stranger

# The state of an instance that can be no host, for what its tags say.
LEFT_OUT = "left out"
COLOURS = {"running": "green", "physical": "cyan", "pending": "yellow"}


@click.command(name="hosts")
@click.argument("selection", nargs=-1, shell_complete=complete_hosts)
@click.option(
    "--wait",
    "seconds",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Wait until every cloud host, or all of SELECTION, answers over SSH.",
)
@click.option("--ssh-config", "as_ssh_config", is_flag=True, help="Print an OpenSSH configuration.")
@target_option
@json_option
@pass_context
def hosts_command(
    context: Context,
    selection: tuple[str, ...],
    seconds: float | None,
    as_ssh_config: bool,
    target: str,
    as_json: bool,
) -> None:
    """List the hosts that exist.

    SELECTION is any of: a host's name (cpu-*.cluster-us-west), an instance id, a cluster or site,
    a role (gpu-worker), a node group, or group.cluster. Plain ssh, scp, rsync and Ansible reach the
    hosts with: orchestrate hosts --ssh-config > ~/.ssh/deeplab; ssh -F ~/.ssh/deeplab NAME
    """
    from orchestrate.cli import reach
    from orchestrate.hosts.inventory import select
    from orchestrate.hosts.observe import with_doors
    from orchestrate.hosts.ssh_config import ssh_config

    where = reach.target_of(context, target, selection)
    if seconds is not None:
        from orchestrate.cli.wait import wait

        wait(context, where, selection, seconds)
    seen = reach.look(context, where)
    known = seen.hosts
    chosen = select(known, selection)
    # Whoever names hosts gets those; a stranger has no name.
    strangers = [] if selection else list(seen.strangers)
    remember_hosts(context.work_folder, [host.name for host in known])
    if as_ssh_config:
        reach.learn_keys(context, where, known, chosen)
        text = ssh_config(with_doors(known, chosen), reach.access(context, where))
        click.echo(text, nl=False)
    elif as_json:
        print_json([*map(asdict, chosen), *map(_stranger_json, strangers)])
    elif chosen or strangers:
        console().print(_table(chosen, now(), strangers))
    else:
        console().print("no hosts yet; apply a cluster first")


def _stranger_json(stranger: "Stranger") -> dict[str, object]:
    """A record with a host's keys: who asks for running hosts doesn't stumble over it."""
    from orchestrate.hosts.inventory import Host

    record = asdict(Host(stranger.id, "", "", "", "", stranger.id, LEFT_OUT, "", "", ""))
    return {**record, "findings": [finding.as_json() for finding in stranger.findings]}


def _table(hosts: "Sequence[Host]", at: datetime, strangers: "Sequence[Stranger]" = ()) -> "Table":
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("host", "role", "group", "zone", "state", "address", "public", "up for"):
        table.add_column(column, overflow="fold")
    for host in hosts:
        table.add_row(
            host.name,
            host.role,
            host.group,
            host.zone,
            f"[{COLOURS.get(host.state, 'red')}]{host.state}[/]" + _standing(host) + _behind(host),
            host.private_ip,
            host.public_ip,
            age(at - host.launched) if host.launched else "",
        )
    for stranger in strangers:
        table.add_row(escape(stranger.id), "", "", "", f"[red]{LEFT_OUT}[/]", "", "", "")
    return table


def _standing(host: "Host") -> str:
    """Where it stands in its group, if that isn't simply in service."""
    remarkable = host.lifecycle not in ("", "InService")
    return f" [yellow]{host.lifecycle}[/]" if remarkable else ""


def _behind(host: "Host") -> str:
    """Which launch template it stems from, if its group launches from another now."""
    from rich.markup import escape

    return f" [yellow]of an older template ({escape(host.behind)})[/]" if host.behind else ""


def age(age: timedelta) -> str:
    """The two largest units: `3d 4h`, `4h 12m`, `12m`, `40s`."""
    seconds = max(int(age.total_seconds()), 0)
    days, hours, minutes = seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60
    if days:
        return f"{days}d {hours}h"
    if hours:
        return f"{hours}h {minutes}m"
    return f"{minutes}m" if minutes else f"{seconds}s"
