"""What `hosts` and `ssh` share: the way to one target's hosts."""

import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from orchestrate.aws.session import Session
from orchestrate.cli.context import Context
from orchestrate.errors import LabError
from orchestrate.hosts import expected, observe, ssh_config
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.observe import Observed
from orchestrate.hosts.ssh_config import Access
from orchestrate.hosts.strangers import Stranger
from orchestrate.target import Target


def look(context: Context, target: Target) -> Observed:
    """What exists now; instances that are left out are told of on stderr. Raises AwsError."""
    seen = observe.observe(Session(target), context.fleet)
    tell_strangers(seen.strangers)
    return seen


def tell_strangers(strangers: Iterable[Stranger]) -> None:
    """Say on stderr which instances are no hosts, and why."""
    for stranger in strangers:
        for finding in stranger.findings:
            click.echo(str(finding), err=True)


def target_of(context: Context, name: str, words: Sequence[str]) -> Target:
    """The named target, to find the hosts on that these words name.

    Where the lab is not running, a word that no host of the fleet could have is told first.
    """
    try:
        return context.target(name)
    except LabError:
        expected.refuse_unknown(context.fleet, words)
        raise


def access(context: Context, target: Target) -> Access:
    """How one gets into a target's hosts."""
    return ssh_config.access(context.work_folder, target)


def require_hosts(target: Target) -> None:
    """Raise LabError where instances exist in the API only."""
    if not target.real_hosts:
        raise LabError(
            "this lab has an AWS API but no hosts behind it, so there is nothing to log in to",
            fix="as root: `orchestrate lab down`, then `orchestrate lab up` without --no-hosts",
        )


def learn_keys(
    context: Context, target: Target, known: Sequence[Host], chosen: Iterable[Host]
) -> None:
    """Let the consoles of the chosen hosts say what their keys are, where we don't know yet."""
    observe.learn_keys(Session(target), context.fleet, known, chosen, access(context, target))


def write_ssh_config(context: Context, target: Target, known: Sequence[Host]) -> Path:
    """Write the configuration for OpenSSH and return its path."""
    text = ssh_config.whole_config(known, access(context, target))
    folder = ssh_config.folder(context.work_folder, target)
    folder.mkdir(parents=True, exist_ok=True)
    # Two at once write the same file: each its own first, so that ssh never reads half of one.
    path, fresh = folder / "config", folder / f"config.{threading.get_native_id()}"
    fresh.write_text(text)
    return fresh.replace(path)
