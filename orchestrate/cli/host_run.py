"""What converge and roll share: the ways to hosts, a journal, and somebody who watches."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import click

from orchestrate.cli import reach
from orchestrate.cli.context import Context
from orchestrate.cli.host_progress import HostProgress
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.results import Result
from orchestrate.hosts.ssh import Connections
from orchestrate.runs import over_hosts
from orchestrate.runs.exclusive import Held, exclusive
from orchestrate.runs.journal import Journal, State
from orchestrate.shell import Stop
from orchestrate.target import Target

STOPPING = (
    "\nstopping: no further host is started, those at work finish what they began ...\n"
    "(Ctrl-C again to leave them: they finish by themselves, unwatched)"
)


@dataclass(frozen=True)
class HostRun:
    """One run over hosts; it observes `orchestrate.converge` and `roll`.

    `first_keys` names the hosts whose key was taken as it came.
    """

    ways: Connections
    journal: Journal
    view: HostProgress
    stop: Stop
    first_keys: list[str]

    def doing(self, host: str, what: str) -> None:
        if what == "converging":
            self.journal.stack(host, State.CONVERGING)
        self.view.doing(host, what)

    def said(self, host: str, line: str) -> None:
        self.view.said(host, line)

    def note(self, group: str, what: str) -> None:
        self.view.note(f"{group}: {what}")

    def surge(self, group: str, wanted: int, extra: int) -> None:
        self.journal.surge(group, wanted, extra)

    def group_ended(self, group: str, cause: str, *, well: bool) -> None:
        """How a group of a roll ended, for the journal."""
        left = State.FAILED if cause else State.INTERRUPTED
        self.journal.stack(group, State.CONVERGED if well else left, cause=cause)

    def ended(self, result: Result) -> None:
        over_hosts.note(self.journal, result)
        self.view.ended(result)


def alone(context: Context, target: Target, places: Iterable[str]) -> AbstractContextManager[Held]:
    """Hold the run locks of these clusters and sites. Raises RunInProgress."""
    argv = ("orchestrate", *sys.argv[1:])
    return exclusive(context.work_folder, target.name, sorted(set(places)), argv)


@contextmanager
def begin(
    context: Context,
    target: Target,
    known: Mapping[str, Host],
    command: str,
    names: Sequence[str],
    watched: AbstractContextManager[HostProgress],
    *,
    connect_seconds: float | None = None,
) -> Iterator[HostRun]:
    """A run over hosts or groups of these names; `known` are all hosts, and may grow meanwhile.

    `watched` shows how far it is.
    `connect_seconds` is how long to try to get in, None as long as a host may be booting. A first
    Ctrl-C lets the hosts at work finish, a second ends the connections to them.
    """
    first_keys: list[str] = []
    argv = ("orchestrate", *sys.argv[1:])
    stop = Stop()
    with (
        over_hosts.begin(context.work_folder / "runs", command, argv, target, names) as journal,
        Connections(
            known,
            reach.access(context, target),
            first_use=lambda host: first_keys.append(host.name),
            seconds=connect_seconds,
        ) as ways,
        watched as view,
    ):
        stop.on_request(lambda: click.echo(STOPPING, err=True))
        ways.end_on_repeat(stop)
        yield HostRun(ways, journal, view, stop, first_keys)
