"""`orchestrate lab`: run the rehearsal cloud on this machine."""

import json
import os
import time
from typing import TYPE_CHECKING, Any

import click

from orchestrate.cli.context import json_option
from orchestrate.cli.lab_fault import fault_command
from orchestrate.cli.lab_inside import capture_command, shell_command
from orchestrate.plain_text import visible_lines

if TYPE_CHECKING:
    from orchestrate.lab.paths import LabFiles
    from orchestrate.lab.record import LabRecord

DEFAULT_ACCOUNT = "123456789012"
# The bucket comes first: without it an apply is refused, and in a lab that was kept it is there.
NEXT = "orchestrate bootstrap, then orchestrate apply CLUSTER"


@click.group(name="lab")
def lab_command() -> None:
    """Run the rehearsal cloud on this machine.

    An AWS API on loopback, and behind it each EC2 instance as a real Linux host.
    """


lab_command.add_command(fault_command)
lab_command.add_command(shell_command)
lab_command.add_command(capture_command)


@lab_command.command()
@click.option("--no-hosts", is_flag=True, help="Serve the API alone; instances stay entries in it.")
@click.option(
    "--max-hosts",
    type=click.IntRange(0),
    default=40,
    show_default=True,
    help="Real hosts at most; further instances stay entries in the API.",
)
@click.option("--no-sites", is_flag=True, help="Leave the racks of the fleet's sites as they are.")
@json_option
def up(no_hosts: bool, max_hosts: int, no_sites: bool, as_json: bool) -> None:
    """Start the lab, unless it runs, and wait until it is ready.

    In a repository the racks of its sites become hosts as well: those of the fleet as it is now,
    whenever this is run.
    """
    from orchestrate.cli.lab_sites import have_racks
    from orchestrate.lab.control import up as start

    begun = time.monotonic()
    lab, started = start(_files(), not no_hosts, _progress(as_json), max_hosts)
    racks = "" if no_sites or not lab.hosts else have_racks(lab)
    if as_json:
        _print_json({**_status(lab), "started": started})
        return
    took = f"up in {time.monotonic() - begun:.1f} s" if started else "already running"
    click.echo(f"lab {took}: {lab.endpoint} (pid {lab.pid}, slot {lab.slot})")
    click.echo(f"  hosts  {_hosts_line(lab)}")
    if racks:
        click.echo(f"  racks  {racks}")
    click.echo(f"  next   {NEXT}")


@lab_command.command()
@click.option("--keep", is_flag=True, help="Let the next `up` find everything as it is now.")
@json_option
def down(keep: bool, as_json: bool) -> None:
    """Stop the lab and remove everything it made but its log."""
    from orchestrate.lab.control import down as stop

    stopped = stop(_files(), _progress(as_json), keep)
    if as_json:
        _print_json({"stopped": stopped})
    else:
        click.echo("lab down" if stopped else "the lab is not running")


@lab_command.command()
@json_option
def reset(as_json: bool) -> None:
    """Empty the running lab: every account, its hosts, and all faults."""
    from orchestrate.lab.client import reset as empty
    from orchestrate.lab.client import running

    empty(running(_files()))
    if as_json:
        _print_json({"reset": True})
    else:
        click.echo("the lab is empty")


@lab_command.command()
@json_option
def status(as_json: bool) -> None:
    """Show the lab's endpoint, what its API holds, and its hosts."""
    from orchestrate.lab.client import running

    found = _status(running(_files()))
    if as_json:
        _print_json(found)
        return
    from orchestrate.cli.lab_status import show

    show(found)


@lab_command.command()
@click.option("-f", "--follow", is_flag=True, help="Go on until Ctrl-C.")
@click.option("-n", "--lines", default=100, show_default=True, help="How many of the last lines.")
def logs(follow: bool, lines: int) -> None:
    """Print the lab's log: every API call, every change to a host."""
    from orchestrate.errors import LabError

    files = _files()
    try:
        log = files.log.open(errors="replace")
    except FileNotFoundError as missing:
        raise LabError("there is no log yet", where=str(files.log), fix="orchestrate lab up") from (
            missing
        )
    with log:
        click.echo(visible_lines("".join(log.readlines()[-lines:] if lines else [])), nl=False)
        while follow:
            click.echo(visible_lines(log.read()), nl=False)
            time.sleep(0.2)


@lab_command.command()
@click.option("--account", help="The account to be; otherwise the fleet's.")
def env(account: str | None) -> None:
    """Print exports for the AWS command line and SDKs: eval "$(orchestrate lab env)"."""
    import shlex

    from orchestrate.lab.client import LOOPBACK, PROXY_VARIABLES, target

    fleet_account, region = _fleet_place()
    variables = {
        **target(account or fleet_account).environment,
        "AWS_DEFAULT_REGION": region,
    }
    excepted = os.environ.get("NO_PROXY") or os.environ.get("no_proxy")
    local = ",".join(filter(None, [excepted, LOOPBACK]))
    variables |= {"NO_PROXY": local, "no_proxy": local}
    # A shell does more than talk to the lab: its other HTTP must not end up there.
    for name in sorted(set(variables) - set(PROXY_VARIABLES)):
        click.echo(f"export {name}={shlex.quote(variables[name])}")


def _fleet_place() -> tuple[str, str]:
    """The account and state region of the fleet one is in; moto's own account outside of any."""
    from orchestrate.cli.context import Context, find_root
    from orchestrate.errors import OrchestrateError

    try:
        root = find_root(click.get_current_context().find_root().obj)
    except OrchestrateError:
        return DEFAULT_ACCOUNT, "us-west-2"
    fleet = Context(root).fleet.file
    return fleet.account, fleet.state.region


def _files() -> "LabFiles":
    from orchestrate.lab import own_folder
    from orchestrate.lab.paths import lab_files

    files = lab_files()
    own_folder.check(files)
    return files


def _status(lab: "LabRecord") -> dict[str, Any]:
    from orchestrate.lab.client import status as ask

    return ask(lab)


def _progress(as_json: bool) -> Any:
    """Stages go to stderr, so that what is printed on stdout stays the result."""
    return (lambda _stage: None) if as_json else (lambda stage: click.echo(f"  {stage}", err=True))


def _hosts_line(lab: "LabRecord") -> str:
    if lab.hosts:
        from orchestrate.lab.spec import public_range

        return f"up to {lab.max_hosts} real Linux hosts, public addresses {public_range(lab.slot)}"
    return f"none, the API alone: {lab.why_no_hosts}"


def _print_json(document: object) -> None:
    click.echo(json.dumps(document, indent=2))
