"""`orchestrate ssh`: OpenSSH itself, told the way."""

import os
import sys

import click

from orchestrate.cli.complete import complete_hosts
from orchestrate.cli.context import Context, pass_context, target_option
from orchestrate.errors import MissingTool, OrchestrateError


@click.command(name="ssh", context_settings={"allow_interspersed_args": False})
@click.argument("host", shell_complete=complete_hosts)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@target_option
@pass_context
def ssh_command(context: Context, host: str, command: tuple[str, ...], target: str) -> None:
    """Log in to a host, through its cluster's bastion where needed.

    HOST is a name of `orchestrate hosts`, an instance id, or a group that has one host. With
    COMMAND, run that and exit with its code. Options (--target) go before HOST.
    """
    from orchestrate.cli import reach
    from orchestrate.hosts.inventory import one
    from orchestrate.hosts.ssh_config import openssh

    where = reach.target_of(context, target, [host])
    reach.require_hosts(where)
    known = reach.look(context, where).hosts
    chosen = one(known, host)
    if not chosen.up:
        raise OrchestrateError(
            f"the host is {chosen.state}, not running",
            where=chosen.name,
            fix="see `orchestrate hosts`",
        )
    if not chosen.address:
        raise OrchestrateError("the host has no address", where=chosen.name)
    reach.learn_keys(context, where, known, [chosen])
    words = openssh(reach.write_ssh_config(context, where, known), chosen, command)
    sys.stdout.flush()
    try:
        # OpenSSH takes this process's place: terminal, signals and exit code are its own.
        os.execvp(words[0], words)  # noqa: S606
    except FileNotFoundError:
        raise MissingTool("OpenSSH's client is not installed", fix="apt install ssh") from None
