"""Plans and applies stacks in parallel, and writes down what it does as it does it."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from orchestrate import environment
from orchestrate.caches import cache_folder
from orchestrate.changes import Provisional
from orchestrate.errors import Interrupted, OrchestrateError
from orchestrate.runs import capacity, choose
from orchestrate.runs import journal as journals
from orchestrate.runs.exclusive import Held, exclusive
from orchestrate.runs.journal import Journal, State
from orchestrate.runs.schedule import After, Outcome, Result, execute
from orchestrate.shell import Stop
from orchestrate.terraform.binary import find_engine
from orchestrate.terraform.events import Event
from orchestrate.terraform.plan import StackPlan
from orchestrate.terraform.providers import cli_config
from orchestrate.terraform.run import Applied, Root, Terraform
from orchestrate.workplace import Workplace

T = TypeVar("T")
Plan = StackPlan | Provisional

ENDED = {
    Outcome.FAILED: State.FAILED,
    Outcome.INTERRUPTED: State.INTERRUPTED,
    Outcome.SKIPPED: State.SKIPPED,
}


class Progress(Protocol):
    """Follows stacks; `started` and `event` are called from the threads that run them.

    `ended` comes for every stack, also for one that had nothing to do and was never started.
    """

    def started(self, stack: str, doing: str, total: int | None) -> None:
        """`total` is how many resources there are to do, None where that isn't known."""

    def event(self, stack: str, event: Event) -> None: ...

    def ended(self, stack: str, outcome: str) -> None: ...


@dataclass(frozen=True)
class Execution:
    """One run's hands; not for two threads. `held` are the stacks that no other run may touch."""

    work: Workplace
    terraform: Terraform
    journal: Journal
    stop: Stop
    slots: int
    destroy: bool
    held: Held

    def root(self, stack: str) -> Root:
        return Root(stack, self.work.build / stack, self.journal.log(stack))

    def plan(
        self, stacks: Collection[str], readable: Collection[str], progress: Progress
    ) -> dict[str, Result[Plan]]:
        """Plan all `stacks`, those that read a stack that isn't `readable` as provisional."""

        def plan_one(stack: str) -> Plan:
            missing = self.work.stacks[stack].reads - set(readable)
            if missing:
                return Provisional(stack, frozenset(missing))
            progress.started(stack, "planning", None)
            self.journal.stack(stack, State.PLANNING)
            return self.terraform.plan(
                self.root(stack),
                self.journal.plan(stack),
                lambda event: progress.event(stack, event),
                destroy=self.destroy,
            )

        independent: dict[str, frozenset[str]] = dict.fromkeys(sorted(stacks), frozenset())
        return self._execute(independent, plan_one, State.PLANNED, progress)

    def apply(
        self, plans: Mapping[str, StackPlan], files: Mapping[str, Path], progress: Progress
    ) -> dict[str, Result[Applied]]:
        """Apply the saved plan `files` of all `plans`, each stack after those it needs."""

        def apply_one(stack: str) -> Applied:
            if plans[stack].empty:
                return Applied(stack, 0, 0, 0, {})
            doing = "destroying" if self.destroy else "applying"
            progress.started(stack, doing, len(plans[stack].changes))
            self.journal.stack(stack, State.APPLYING)
            return self.terraform.apply(
                self.root(stack), files[stack], lambda event: progress.event(stack, event)
            )

        return self._execute(self._order(plans), apply_one, State.APPLIED, progress)

    def _order(self, stacks: Collection[str]) -> After:
        order = choose.inside(frozenset(stacks), self.work.after)
        return choose.reversed_order(order) if self.destroy else order

    def _execute(
        self, after: After, work: Callable[[str], T], done: State, progress: Progress
    ) -> dict[str, Result[T]]:
        def ended(result: Result[T]) -> None:
            self._note(result, done)
            destroyed = self.destroy and done is State.APPLIED
            progress.ended(result.stack, _said(result, "destroyed" if destroyed else done))
            self._let_go(result, done)

        results = execute(after, work, slots=self.slots, stop=self.stop, ended=ended)
        return {name: results[name] for name in self.work.stacks if name in results}

    def _let_go(self, result: Result[T], done: State) -> None:
        """Let other runs have a stack that is as planned; a cluster's hosts are still to come."""
        applied = done is State.APPLIED and result.outcome is Outcome.DONE
        if applied and result.stack not in self.work.fleet.clusters:
            self.held.release([result.stack])

    def _note(self, result: Result[T], done: State) -> None:
        if result.outcome is Outcome.DONE:
            self.journal.stack(result.stack, done, seconds=round(result.seconds, 1))
        elif result.outcome in ENDED:
            cause = str(result.error or result.because)
            self.journal.stack(result.stack, ENDED[result.outcome], cause=cause)


@contextmanager
def begin(
    work: Workplace,
    command: str,
    argv: Collection[str],
    stacks: Collection[str],
    *,
    destroy: bool,
    stopping: Callable[[], None],
) -> Iterator[Execution]:
    """A run of `stacks`: holds their run locks, and keeps the journal.

    `stopping` is called when Ctrl-C comes while stacks are at work. An error that ends the run is
    written down with its exit code, then raised.
    """
    with exclusive(work.work_folder, work.target.name, stacks, tuple(argv)) as held:
        journal = journals.begin(
            work.runs, command=command, argv=tuple(argv), target=work.target.name, stacks=stacks
        )
        try:
            execution = _execution(work, journal, held, destroy=destroy)
            execution.stop.on_request(stopping)
            yield execution
        except OrchestrateError as error:
            journal.end(error.exit_code, str(error))
            raise
        except KeyboardInterrupt:
            journal.end(Interrupted.exit_code, "interrupted")
            raise
        except Exception:
            # A full disk, a reader of our output that left, a bug: the run has ended all the same.
            with suppress(OSError):
                journal.end(OrchestrateError.exit_code)
            raise


def _execution(work: Workplace, journal: Journal, held: Held, *, destroy: bool) -> Execution:
    memory = capacity.available_bytes()
    slots = capacity.slots(capacity.cores(), memory)
    engine = find_engine(os.environ)
    config = cli_config(engine, os.environ, cache_folder())
    variables = environment.terraform(
        os.environ, work.target, cli_config=config, bytes_each=memory // slots
    )
    stop = Stop()
    terraform = Terraform(engine, variables, stop, on_start=journal.child)
    return Execution(work, terraform, journal, stop, slots, destroy, held)


def _said(result: Result[T], done: str) -> str:
    """How it went with a stack, in one line; causes in full are for the end of the run."""
    if result.outcome is Outcome.SKIPPED:
        return f"skipped, because {result.because} failed"
    if result.outcome is not Outcome.DONE:
        return str(result.outcome)
    if isinstance(result.value, Provisional):
        return f"provisional, waits for {', '.join(sorted(result.value.waits_for))}"
    return done
