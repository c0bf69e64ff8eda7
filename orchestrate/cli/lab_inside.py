"""`orchestrate lab shell` and `orchestrate lab capture`: look into the lab from its machine."""

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

from orchestrate.errors import LabError, MissingTool, OrchestrateError

if TYPE_CHECKING:
    from orchestrate.lab.record import LabRecord

PASSED_ON = {"allow_interspersed_args": False, "ignore_unknown_options": True}


def complete_lab_hosts(_ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """What the lab's hosts are called; nothing when it does not run."""
    from orchestrate.lab.client import status
    from orchestrate.lab.inside import host_names

    try:
        known = host_names(status(_running()))
    except OrchestrateError:
        return []
    names = sorted({name for each in known.values() for name in each})
    return [name for name in names if name.startswith(start)]


def complete_vpcs(_ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """The VPCs in which the lab has hosts."""
    from orchestrate.lab import namespaces
    from orchestrate.lab.topology import Slot

    try:
        slot = Slot(_running().slot)
    except OrchestrateError:
        return []
    found = [name.removeprefix(slot.prefix) for name in namespaces.named(slot.namespace("vpc-"))]
    return [name for name in found if name.startswith(start)]


@click.command(name="shell", context_settings=PASSED_ON)
@click.argument("host", shell_complete=complete_lab_hosts)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def shell_command(host: str, command: tuple[str, ...]) -> None:
    """Enter a host of the lab as root, as by its serial console.

    Works without sshd, without a network and while the host hangs. HOST is an instance id, a name
    of `orchestrate hosts`, a name or an address of `orchestrate lab status`, or a rack. With
    COMMAND, run that and exit with its code.
    """
    from orchestrate.lab.client import status
    from orchestrate.lab.inside import find_host, init_of, shell_words
    from orchestrate.lab.topology import Slot

    lab = _with_hosts()
    init = init_of(Slot(lab.slot), find_host(status(lab), host))
    _become(shell_words(init, _after_dashes(command)), "util-linux")


@click.command(name="capture", context_settings=PASSED_ON)
@click.option("--vpc", metavar="VPC", shell_complete=complete_vpcs, help="All packets of a VPC.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[HOST] [-- TCPDUMP_ARGUMENTS]")
def capture_command(vpc: str | None, words: tuple[str, ...]) -> None:
    """Show the packets of a host, or of everything in a VPC, with tcpdump.

    \b
    Examples:
      orchestrate lab capture cluster-us-west-bastion -- port 22
      orchestrate lab capture --vpc vpc-0123456789abcdef0 -- -c 10 icmp
      orchestrate lab capture i-0123456789abcdef0 -- -w packets.pcap
    """
    from orchestrate.lab import namespaces
    from orchestrate.lab.client import status
    from orchestrate.lab.inside import capture_words, find_host, find_vpc
    from orchestrate.lab.topology import Slot

    lab = _with_hosts()
    slot = Slot(lab.slot)
    if vpc:
        where, arguments = find_vpc(slot, namespaces.named(slot.prefix), vpc), words
    elif words:
        where, arguments = slot.namespace(find_host(status(lab), words[0])), words[1:]
    else:
        raise click.UsageError("name a HOST, or a network with --vpc")
    if not shutil.which("tcpdump"):
        raise MissingTool("tcpdump is not installed", fix="apt-get install tcpdump")
    _become(capture_words(where, _after_dashes(arguments)), "iproute2")


def _after_dashes(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[1:] if words[:1] == ("--",) else words


def _running() -> "LabRecord":
    from orchestrate.lab.client import running
    from orchestrate.lab.paths import lab_files

    return running(lab_files())


def _with_hosts() -> "LabRecord":
    lab = _running()
    if not lab.hosts:
        raise LabError(
            f"the lab has no hosts: {lab.why_no_hosts}",
            fix="orchestrate lab down && orchestrate lab up",
        )
    if os.geteuid() != 0:
        raise LabError("only root can look into hosts", fix="use sudo")
    return lab


def _become(words: list[str], package: str) -> None:
    """Let a program take this process's place: terminal, signals and exit code are its own."""
    sys.stdout.flush()
    try:
        os.execvp(words[0], words)  # noqa: S606
    except FileNotFoundError:
        raise MissingTool(
            f"{words[0]} is not installed", fix=f"apt-get install {package}"
        ) from None
