"""The wait of `orchestrate hosts --wait`: what an operator sees while hosts come up."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from orchestrate.aws.session import Session
from orchestrate.cli import reach
from orchestrate.cli.context import Context
from orchestrate.errors import OrchestrateError
from orchestrate.hosts.inventory import PHYSICAL, Host, select
from orchestrate.hosts.observe import Observed, learn_keys, observe
from orchestrate.hosts.ssh import answers
from orchestrate.hosts.wait import Seen, Waiting, until_all_answer
from orchestrate.target import Target

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

SHOWN = 6


def wait(context: Context, target: Target, selection: Sequence[str], seconds: float) -> None:
    """Wait until the selected hosts answer; without a selection, those of the cloud.

    Raises OrchestrateError naming the silent ones when the time is up.
    """
    reach.require_hosts(target)
    session, access = Session(target), reach.access(context, target)
    by_name: dict[str, Host] = {}

    def look() -> Seen:
        seen = observe(session, context.fleet)
        by_name.update({host.name: host for host in seen.hosts})
        found = _seen(seen, selection)
        learn_keys(session, context.fleet, seen.hosts, found.hosts, access)
        return found

    with watching() as tell:
        ended = until_all_answer(
            look, lambda host: answers(host, by_name, access), seconds=seconds, tell=tell
        )
    if not ended.done:
        raise OrchestrateError(f"{lacking(ended)} after {seconds:g} s", fix=next_step(target.name))


@contextmanager
def watching() -> Iterator[Callable[[Waiting], None]]:
    """What hears of each change prints it, and says on the last line who is still silent."""
    from rich.console import Console

    out = Console(stderr=True, highlight=False)
    with out.status("looking for hosts") as status:
        yield _teller(out, status)


def _seen(now: Observed, selection: Sequence[str]) -> Seen:
    coming = sum(now.missing.values())
    try:
        chosen = select(now.hosts, selection)
    except OrchestrateError:
        # A word may name what is only being launched; it is wrong once everything is there.
        if not coming:
            raise
        return Seen([], coming)
    named = bool(selection)
    return Seen([host for host in chosen if _wakes(host, named)], 0 if named else coming)


def _wakes(host: Host, named: bool) -> bool:
    """Whether to wait for it: a stopped host won't answer, and no run of ours starts a rack, so it
    must be `named` among those to wait for.
    """
    return host.state in {"running", "pending"} or (named and host.state == PHYSICAL)


def _teller(out: "Console", status: "Status") -> Callable[[Waiting], None]:
    """Print each host once, when it has answered; say below what is still lacking."""
    told: set[str] = set()

    def tell(now: Waiting) -> None:
        for host in now.answering:
            if host.name not in told:
                told.add(host.name)
                out.print(f"[green]answers[/]  {host.name}  [dim]{host.address}[/]")
        if not now.done:
            status.update(lacking(now))

    return tell


def lacking(now: Waiting) -> str:
    """Who answers and who doesn't, in one sentence."""
    whole = len(now.answering) + len(now.silent) + now.missing
    names = [host.name for host in now.silent[:SHOWN]]
    if len(now.silent) > SHOWN:
        names.append(f"{len(now.silent) - SHOWN} more")
    if now.missing:
        names.append(f"{now.missing} not launched yet")
    return f"{len(now.answering)} of {whole} hosts answer; waiting for {', '.join(names)}"


def next_step(target: str) -> str:
    """Where to look for why a host doesn't answer."""
    if target == "lab":
        return "look at them with `orchestrate lab status` and `orchestrate lab logs`"
    return "look at their console output in EC2, and at the activity of their auto scaling group"
