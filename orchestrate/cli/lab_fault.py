"""`orchestrate lab fault`: what AWS does to you on a bad day, on demand."""

import json
from typing import TYPE_CHECKING, Any

import click

from orchestrate.cli.context import json_option
from orchestrate.cli.lab_inside import complete_lab_hosts

if TYPE_CHECKING:
    from orchestrate.lab.record import LabRecord

# As people say it: as requests are signed.
SIGNED_AS = {"efs": "elasticfilesystem", "elb": "elasticloadbalancing"}
SERVICES = ("autoscaling", "ec2", "efs", "elb", "iam", "kms", "route53", "s3", "ssm", "sts")
RATE = click.FloatRange(0, 1, min_open=True)
POSITIVE = click.FloatRange(0, min_open=True)


@click.group(name="fault")
def fault_command() -> None:
    """Make things go wrong in the lab, on demand.

    \b
    A minute in which half of all calls fail:
      orchestrate lab fault add unavailable --rate 0.5 --for 60
    EC2 throttles the next ten Describe calls:
      orchestrate lab fault add throttle --service ec2 --action 'Describe*' --count 10
    No H100s in one zone:
      orchestrate lab fault add no-capacity --type 'p5.*' --in us-west-2a
    A host that hangs, until it is told otherwise, or a rack without network:
      orchestrate lab fault add hang bastion.cluster-us-west
      orchestrate lab fault add network sf-cpu1.site-sf
      orchestrate lab fault clear
    """


@fault_command.group()
def add() -> None:
    """Add a fault: of API calls, of launches, or of one host."""


def _lasting(function: Any) -> Any:
    """Options of how often and how long, which all faults but those of hosts have."""
    for option in (
        json_option,
        click.option("--seed", default=0, help="Which ones are struck; the same seed, the same."),
        click.option("--rate", type=RATE, default=1.0, show_default=True, help="Share struck."),
        click.option("--count", type=click.IntRange(1), help="End after so many strikes."),
        click.option("--for", "for_s", type=POSITIVE, help="End after so many seconds."),
    ):
        function = option(function)
    return function


def _on_calls(kind: str, what: str, example: str) -> Any:
    """The command that adds a fault of API calls."""

    @click.option("--service", type=click.Choice(SERVICES), help="Of this service only.")
    @click.option(
        "--action", default="*", metavar="PATTERN", help="Such as 'Describe*' or 'PUT /bucket/*'."
    )
    @click.option("--region", default="*", metavar="PATTERN", help="Such as us-west-2 or 'eu-*'.")
    @_lasting
    def command(service: str | None, as_json: bool, **options: Any) -> None:
        signed = SIGNED_AS.get(service, service) if service else "*"
        _add({"kind": kind, "service": signed, **options}, as_json)

    command.__doc__ = f"{what}\n\n    \b\n    Example:\n      orchestrate lab fault add {example}"
    return command


add.command(name="throttle")(
    _on_calls(
        "throttle",
        "Calls are throttled, in the service's own words.",
        "throttle --service ec2 --action RunInstances --for 30",
    )
)
add.command(name="unavailable")(
    _on_calls("unavailable", "Calls get a 503.", "unavailable --service s3 --rate 0.5 --for 60")
)
add.command(name="deny")(
    _on_calls(
        "deny",
        "Calls are refused: the caller may not do that. Nobody tries again.",
        "deny --service ec2 --action CopyImage --region eu-west-1",
    )
)
add.command(name="drop")(
    _on_calls("drop", "Connections are closed without an answer.", "drop --rate 0.2 --count 20")
)
add.command(name="lose")(
    _on_calls(
        "lose",
        "Calls that write are done, and their first answer is lost: an SDK sends them again.",
        "lose --service ec2 --action 'Create*' --count 5",
    )
)
add.command(name="slow")(
    click.option(
        "--by",
        "delay_s",
        type=POSITIVE,
        default=5.0,
        show_default=True,
        help="Seconds until the answer.",
    )(_on_calls("slow", "Calls are answered late.", "slow --service iam --by 10"))
)


@add.command(name="no-capacity")
@click.option(
    "--type", "instance_type", default="*", metavar="PATTERN", help="Such as 'p5.*'; else any."
)
@click.option("--in", "place", default="*", metavar="PATTERN", help="A zone or a region; else all.")
@_lasting
def no_capacity(as_json: bool, **options: Any) -> None:
    """Instances are not launched for want of capacity.

    RunInstances is refused (InsufficientInstanceCapacity); a group launches in its other zones,
    else stays as it is, says why in its scaling activities, and tries again.

    \b
    Example:
      orchestrate lab fault add no-capacity --type 'g6.*' --in us-east-1
    """
    _add({"kind": "no-capacity", **options}, as_json)


@add.command(name="launch-failure")
@click.argument("group")
@_lasting
def launch_failure(as_json: bool, **options: Any) -> None:
    """Auto scaling GROUP (a pattern) fails its launches.

    \b
    Example:
      orchestrate lab fault add launch-failure 'cluster-us-west-gpu*' --count 3
    """
    _add({"kind": "launch-failure", **options}, as_json)


def _on_host(kind: str, what: str) -> Any:
    """The command that adds a fault of one host."""

    @click.argument("host", shell_complete=complete_lab_hosts)
    @click.option("--for", "for_s", type=POSITIVE, help="End after so many seconds.")
    @json_option
    def command(host: str, for_s: float | None, as_json: bool) -> None:
        _add({"kind": kind, "instance_id": host, "for_s": for_s}, as_json)

    command.__doc__ = (
        f"{what}\n\n    HOST is an instance id, a rack, or a name of `orchestrate hosts`."
    )
    return command


add.command(name="hang")(_on_host("hang", "A host freezes: it keeps its address, answers nothing."))
add.command(name="network")(_on_host("network", "A host's network link goes down."))
add.command(name="fail")(
    _on_host("fail", "A host's machine breaks: status checks fail until it is stopped and started.")
)


@add.command(name="interrupt")
@click.argument("host", shell_complete=complete_lab_hosts)
@json_option
def interrupt(host: str, as_json: bool) -> None:
    """A spot instance gets its notice, and is terminated two minutes later.

    HOST is an instance id, or a name of `orchestrate hosts`.
    """
    _add({"kind": "interrupt", "instance_id": host, "count": 1}, as_json)


@add.command(name="reboot")
@click.argument("host", shell_complete=complete_lab_hosts)
@json_option
def reboot(host: str, as_json: bool) -> None:
    """A host loses power, once, and boots again.

    HOST is an instance id, a rack, or a name of `orchestrate hosts`.
    """
    _add({"kind": "reboot", "instance_id": host, "count": 1}, as_json)


@fault_command.command(name="list")
@json_option
def listing(as_json: bool) -> None:
    """Show the faults in force, and how often each has struck."""
    from orchestrate.lab.client import faults

    found = faults(_lab())
    if as_json:
        click.echo(json.dumps(found, indent=2))
    elif not found:
        click.echo("no faults")
    else:
        _show(found)


def _show(found: list[dict[str, Any]]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from orchestrate.cli.console import console

    table = Table("name", "kind", "of", "rate", "struck", "left", box=None, header_style="bold")
    for one in found:
        left = "until cleared" if one["left_s"] is None else f"{one['left_s']:g} s"
        if one["count"]:
            left = f"{one['count'] - one['struck']} strikes, {left}"
        struck = f"{one['struck']} of {one['seen']}"
        told = (escape(str(one[key])) for key in ("name", "kind", "scope"))
        table.add_row(*told, f"{one['rate']:g}", struck, left)
    console().print(table)


def _complete_faults(_ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    from orchestrate.errors import OrchestrateError
    from orchestrate.lab.client import faults

    try:
        return [one["name"] for one in faults(_lab()) if one["name"].startswith(start)]
    except OrchestrateError:
        return []


@fault_command.command(name="clear")
@click.argument("names", nargs=-1, shell_complete=_complete_faults)
@json_option
def clear(names: tuple[str, ...], as_json: bool) -> None:
    """End faults by NAME, or all of them: what can recover does, at once."""
    from orchestrate.lab.client import clear_faults

    cleared = clear_faults(_lab(), names)
    if as_json:
        click.echo(json.dumps({"cleared": cleared}, indent=2))
    else:
        click.echo(f"cleared {', '.join(cleared)}" if cleared else "no faults")


def _add(order: dict[str, Any], as_json: bool) -> None:
    from orchestrate.lab.client import add_fault

    given = {key: value for key, value in order.items() if value is not None}
    added = add_fault(_lab(), given)
    if as_json:
        click.echo(json.dumps(added, indent=2))
    else:
        click.echo(
            f"{added['name']} is in force; to end it: orchestrate lab fault clear {added['name']}"
        )


def _lab() -> "LabRecord":
    from orchestrate.lab.client import running
    from orchestrate.lab.paths import lab_files

    return running(lab_files())
