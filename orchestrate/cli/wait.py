"""The wait of `orchestrate hosts --wait`."""

from collections.abc import Sequence

from orchestrate.aws.session import Session
from orchestrate.cli import reach
from orchestrate.cli.context import Context
from orchestrate.cli.waiting import lacking, next_step, watching
from orchestrate.errors import OrchestrateError
from orchestrate.hosts.inventory import PHYSICAL, Host, select
from orchestrate.hosts.observe import Observed, learn_keys, observe
from orchestrate.hosts.ssh import answers
from orchestrate.hosts.wait import Seen, until_all_answer
from orchestrate.target import Target


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
    asleep = [host for host in chosen if named and not _wakes(host, named)]
    if asleep:
        states = ", ".join(f"{host.name} is {host.state}" for host in asleep)
        raise OrchestrateError(
            f"some of what is to be waited for won't answer: {states}",
            fix="start it, or name only hosts that run",
        )
    return Seen([host for host in chosen if _wakes(host, named)], 0 if named else coming)


def _wakes(host: Host, named: bool) -> bool:
    """Whether to wait for it: a stopped host won't answer, and no run of ours starts a rack, so it
    must be `named` among those to wait for.
    """
    return host.state in {"running", "pending"} or (named and host.state == PHYSICAL)
