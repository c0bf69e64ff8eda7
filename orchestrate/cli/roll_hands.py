"""What `orchestrate roll` works with: AWS, the connections to hosts, the cookbooks."""

from collections.abc import Sequence
from functools import partial

from orchestrate import converge
from orchestrate.aws.session import Session
from orchestrate.cli import reach
from orchestrate.cli.before_hosts import who
from orchestrate.cli.context import Context
from orchestrate.cli.converge import prepare
from orchestrate.cli.host_run import HostRun
from orchestrate.errors import OrchestrateError
from orchestrate.hosts.converge import How, health
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.observe import Observed, observe
from orchestrate.hosts.results import Outcome, Result
from orchestrate.roll import Hands
from orchestrate.target import Target


class _Quiet:
    """Passes on what happens to a new host, but not that it can't be reached yet."""

    def __init__(self, run: HostRun) -> None:
        self._run = run

    def doing(self, host: str, what: str) -> None:
        self._run.doing(host, what)

    def said(self, host: str, line: str) -> None:
        self._run.said(host, line)

    def ended(self, result: Result) -> None:
        if result.outcome not in (Outcome.UNREACHABLE, Outcome.NOT_STARTED):
            self._run.ended(result)


def hands(
    context: Context, target: Target, known: dict[str, Host], run: HostRun, *, converges: bool
) -> Hands:
    """`known` is kept up to date: it is what the run's connections find their way by."""
    session = Session(target)

    def look() -> Observed:
        seen = observe(session, context.fleet)
        known.update({host.name: host for host in seen.hosts})
        return seen

    def gate(new: Sequence[Host]) -> Sequence[Result]:
        reach.learn_keys(context, target, list(known.values()), new)
        if converges:
            return _converge(context, target, run, new)
        return [_as_it_is(run, host) for host in new]

    return Hands(session, look, gate, partial(_answers, run))


def _converge(
    context: Context, target: Target, run: HostRun, new: Sequence[Host]
) -> Sequence[Result]:
    how = How(stand_in=target.name == "lab", who=who())
    tasks = prepare(context, new, stand_in=how.stand_in).tasks
    return converge.bring_in_order(
        run.ways, tasks, how, logs=run.journal.logs, observer=_Quiet(run), stop=run.stop
    )


def _as_it_is(run: HostRun, host: Host) -> Result:
    if not _answers(run, host):
        return Result(host.name, Outcome.UNREACHABLE)
    result = health(run.ways, host, Result(host.name, Outcome.UNCHANGED))
    run.ended(result)
    return result


def _answers(run: HostRun, host: Host) -> bool:
    try:
        return run.ways.run(host, "true").code == 0
    except OrchestrateError:
        return False
