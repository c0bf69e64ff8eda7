"""What `orchestrate lab status` shows of the daemon's status document."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from rich.console import Console
from rich.table import Table

COLUMNS = ("instance", "name", "region", "private", "public", "state", "host")


def show(status: Mapping[str, Any]) -> None:
    """Print the status as a few lines and, when there are instances, a table of them."""
    console = Console()
    hosts = "real" if status["real_hosts"] else f"none: {status['why_no_hosts']}"
    console.print(f"API      {status['endpoint']}", highlight=False)
    console.print(
        f"daemon   pid {status['pid']}, slot {status['slot']}, {status['stage']},"
        f" up {timedelta(seconds=status['uptime_s'])}",
        highlight=False,
    )
    console.print(f"hosts    {hosts}", highlight=False)
    for service, kinds in status["counts"].items():
        told = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        console.print(f"{service:<12} {told}", highlight=False)
    if not status["counts"]:
        console.print("nothing is in the API yet", highlight=False)
    if status["instances"]:
        console.print(_table(status["instances"]))


def _table(instances: list[Mapping[str, str]]) -> Table:
    table = Table(*COLUMNS, box=None, header_style="bold", pad_edge=False)
    for one in instances:
        host = ": ".join(filter(None, (one["host"], one["detail"]))) or "-"
        table.add_row(
            one["instance_id"],
            one["name"],
            one["region"],
            one["private_ip"],
            one["public_ip"],
            one["state"],
            host,
        )
    return table
