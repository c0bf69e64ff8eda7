"""What `orchestrate lab status` shows of the daemon's status document."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from rich.markup import escape
from rich.table import Table

from orchestrate.cli.console import console
from orchestrate.errors import LabError

COLUMNS = ("instance", "name", "region", "private", "public", "state", "host")


STYLE: Mapping[str, Any] = {"box": None, "header_style": "bold", "pad_edge": False}


def show(status: Mapping[str, Any]) -> None:
    """Print the status as a few lines and, when there are instances, a table of them.

    Raises LabError where the daemon doesn't tell all: it goes on in the version that started it.
    """
    try:
        _show(status)
    except KeyError as untold:
        raise LabError(
            f"the lab doesn't tell its {untold}: another version of orchestrate started it",
            fix="start it anew: `orchestrate lab down --keep`, then `orchestrate lab up`",
        ) from untold


def _show(status: Mapping[str, Any]) -> None:
    out = console()
    hosts = _hosts(status) if status["real_hosts"] else f"none: {escape(status['why_no_hosts'])}"
    out.print(f"API      {status['endpoint']}")
    out.print(
        f"daemon   pid {status['pid']}, slot {status['slot']}, {status['stage']},"
        f" up {timedelta(seconds=status['uptime_s'])}",
    )
    out.print(f"hosts    {hosts}")
    for service, kinds in status["counts"].items():
        told = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        out.print(f"{service:<12} {told}")
    if not status["counts"]:
        out.print("nothing is in the API yet")
    api = status["api"]
    out.print(f"calls    {api['calls']:,}, {api['came_twice']} came twice")
    for one in api["incidents"]:
        out.print(f"         {escape(_incident(one))}", style="red")
    if api["incidents"]:
        out.print("         that is a fault of the lab: see `orchestrate lab logs`")
    if status["instances"]:
        out.print(_table(status["instances"]))
    if status["racks"]:
        out.print(_racks(status["racks"]))


def _incident(one: Mapping[str, Any]) -> str:
    times = f" ({one['count']} times)" if one["count"] > 1 else ""
    if one["kind"] == "twice":
        return f"came twice: {one['what']}{times}"
    return f"failed: {one['what']}: {one['error']} at {one['place']}{times}"


def _hosts(status: Mapping[str, Any]) -> str:
    without = sum(one["state"] == "running" and not one["host"] for one in status["instances"])
    beyond = f"; {without} more in the API only" if without else ""
    return f"real, at most {status['max_hosts']}{beyond}"


def _table(instances: list[Mapping[str, str]]) -> Table:
    table = Table(*COLUMNS, **STYLE)
    for one in instances:
        host = ": ".join(filter(None, (one["host"], one["detail"]))) or "-"
        told = ("instance_id", "name", "region", "private_ip", "public_ip", "state")
        table.add_row(*(escape(one[key]) for key in told), escape(host))
    return table


def _racks(racks: list[Mapping[str, str]]) -> Table:
    table = Table("rack", "address", "public", "reached at", "host", **STYLE)
    for one in racks:
        host = ": ".join(filter(None, (one["host"], one["detail"]))) or "-"
        told = ("name", "private_ip", "public_ip", "reached_at")
        table.add_row(*(escape(one[key]) for key in told), escape(host))
    return table
