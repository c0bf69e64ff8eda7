"""The journal of a run whose work is on hosts: converge, roll."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from orchestrate.errors import Interrupted, OrchestrateError
from orchestrate.hosts.results import Outcome, Result, Results
from orchestrate.runs import journal as journals
from orchestrate.runs.journal import Journal, State
from orchestrate.target import Target

STATES = {
    Outcome.CHANGED: State.CONVERGED,
    Outcome.UNCHANGED: State.CONVERGED,
    Outcome.FAILED: State.FAILED,
    Outcome.UNREACHABLE: State.UNREACHABLE,
    Outcome.LEFT: State.INTERRUPTED,
}


@contextmanager
def begin(
    runs: Path, command: str, argv: Sequence[str], target: Target, hosts: Iterable[str]
) -> Iterator[Journal]:
    """A run over these hosts. An error that ends it is written down with its exit code; whoever
    comes to the end of the block calls `Journal.end` with his.
    """
    journal = journals.begin(
        runs, command=command, argv=argv, target=target.name, stacks=hosts, cloud=target.cloud
    )
    try:
        yield journal
    except OrchestrateError as error:
        journal.end(error.exit_code, str(error))
        raise
    except KeyboardInterrupt:
        journal.end(Interrupted.exit_code, "interrupted")
        raise
    except Exception as error:
        with suppress(OSError):
            journal.end(OrchestrateError.exit_code, f"{type(error).__name__}: {error}")
        raise


def note(journal: Journal, result: Result) -> None:
    """Write down how a host ended; nothing for one whose turn never came."""
    if result.outcome is Outcome.NOT_STARTED:
        return
    journal.stack(
        result.host,
        STATES[result.outcome],
        outcome=str(result.outcome),
        cause=result.cause,
        seconds=round(result.seconds, 1),
    )


def exit_code(results: Results, undone: Collection[str] = (), *, why_run: bool = False) -> int:
    """130 after Ctrl-C, 1 unless all hosts went well and nothing that was named is `undone`; 2
    where why-run shows changes (S5). Pure.
    """
    if results.interrupted:
        return Interrupted.exit_code
    if not results.well or undone:
        return 1
    return 2 if why_run and results.among(Outcome.CHANGED) else 0
