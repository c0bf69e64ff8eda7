"""Plans and applies stacks in parallel, and writes down what it does as it does it."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial as bound
from pathlib import Path
from typing import Protocol, TypeVar

from orchestrate import environment, state_locks
from orchestrate.caches import cache_folder
from orchestrate.changes import Provisional
from orchestrate.counted import Counted
from orchestrate.errors import Interrupted, OrchestrateError
from orchestrate.runs import capacity, choose, history, resume
from orchestrate.runs import journal as journals
from orchestrate.runs.exclusive import Held, exclusive
from orchestrate.runs.journal import Journal, State
from orchestrate.runs.schedule import After, Ahead, Outcome, Result, execute
from orchestrate.shell import Stop
from orchestrate.terraform import half_made, provider_lock
from orchestrate.terraform.binary import find_engine
from orchestrate.terraform.events import Event
from orchestrate.terraform.plan import StackPlan
from orchestrate.terraform.providers import cli_config
from orchestrate.terraform.remaining import OF_NO_STACK, Remaining
from orchestrate.terraform.root import Applied, Root
from orchestrate.terraform.roots import MESH
from orchestrate.terraform.run import Terraform
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
    """One run's hands; not for two threads. `held` are the stacks that no other run may touch,
    `cut_off` what earlier runs were making in each stack when they were interrupted, `partial`
    the stacks that a destroy leaves standing, with the addresses that it takes there.
    """

    work: Workplace
    terraform: Terraform
    journal: Journal
    stop: Stop
    slots: int
    command: str
    destroy: bool
    held: Held
    cut_off: Mapping[str, frozenset[str]]
    partial: Mapping[str, Collection[str]]
    details: bool = False
    counted: dict[str, Counted] = field(default_factory=dict)

    def root(self, stack: str) -> Root:
        roots = self.work.leaving if self.destroy else self.work.build
        known = self.work.known if self.destroy else self.work.stacks
        region = "" if stack == MESH else known[stack].region
        return Root(stack, roots / stack, self.journal.log(stack), region)

    def plan(
        self, stacks: Collection[str], readable: Callable[[], Collection[str]], progress: Progress
    ) -> dict[str, Result[Plan]]:
        """Plan all `stacks`, those that read a stack that isn't `readable` as provisional.

        What is readable is asked for a stack that reads only, while others are planned.
        """

        def plan_one(stack: str) -> Plan:
            # What leaves reads nobody.
            reads = frozenset[str]() if self.destroy else self.work.stacks[stack].reads
            missing = reads - set(readable()) if reads else reads
            if missing:
                return Provisional(stack, frozenset(missing))
            progress.started(stack, "planning", None)
            self.journal.stack(stack, State.PLANNING)
            self._lift_taints(stack, progress)
            plan = self.terraform.plan(
                self.root(stack),
                self.journal.plan(stack),
                self._following(stack, progress),
                destroy=self.destroy and stack not in self.partial,
                only=tuple(self.partial.get(stack, ())),
                details=self.details,
            )
            at_stake = any(change.destroys_data for change in plan.changes)
            return plan.with_unfinished(self._never_made(stack)) if at_stake else plan

        independent: dict[str, frozenset[str]] = dict.fromkeys(sorted(stacks), frozenset())
        return self._execute(independent, plan_one, State.PLANNED, progress, Ahead())

    def _never_made(self, stack: str) -> frozenset[str]:
        """What runs began to make in a stack, and its state still has as not finished."""
        before = history.newest_first(self.work.runs, self.work.target, "apply", "destroy")
        broken = resume.half_made(before, stack, "broken")
        return broken & half_made.tainted(self.work.state_of(stack)) if broken else broken

    def _lift_taints(self, stack: str, progress: Progress) -> None:
        """Keep what an interrupted run was making; see `terraform.half_made`."""
        if self.command != "apply" or not self.cut_off.get(stack):
            return
        taints = self.cut_off[stack] & half_made.tainted(self.work.state_of(stack))
        if taints:
            self.terraform.untaint(
                self.root(stack), sorted(taints), self._following(stack, progress)
            )

    def _following(self, stack: str, progress: Progress) -> Callable[[Event], None]:
        return state_locks.telling(self.work, stack, lambda event: progress.event(stack, event))

    def apply(
        self, plans: Mapping[str, StackPlan], files: Mapping[str, Path], progress: Progress
    ) -> dict[str, Result[Applied]]:
        """Apply the saved plan `files` of all `plans`, each stack after those it needs."""
        ahead, read = Ahead(), {name for one in plans for name in self.work.known[one].reads}

        def apply_one(stack: str) -> Applied:
            if plans[stack].empty:
                return Applied(stack, 0, 0, 0, {})
            doing = "destroying" if self.destroy else "applying"
            progress.started(stack, doing, len(plans[stack].changes))
            changes = len(plans[stack].changes)
            self.journal.stack(stack, State.APPLYING, changes=changes)
            self.counted[stack] = Counted(changes)

            tell, left = self._following(stack, progress), Remaining(plans[stack], OF_NO_STACK)

            def follow(event: Event) -> None:
                self.counted[stack].hear(event)
                tell(event)
                if left.heard(event) and stack not in read and not self.destroy:
                    ahead.far_enough(stack)

            return self.terraform.apply(self.root(stack), files[stack], follow)

        return self._execute(self._order(plans), apply_one, State.APPLIED, progress, ahead)

    def _order(self, stacks: Collection[str]) -> After:
        known = self.work.known if self.destroy else self.work.stacks
        order = choose.inside(frozenset(stacks), {n: each.after for n, each in known.items()})
        return choose.reversed_order(order) if self.destroy else order

    def _execute(
        self, after: After, work: Callable[[str], T], done: State, progress: Progress, ahead: Ahead
    ) -> dict[str, Result[T]]:
        def ended(result: Result[T]) -> None:
            self._note(result, done)
            whole = self.destroy and result.stack not in self.partial
            destroyed = whole and done is State.APPLIED
            progress.ended(result.stack, _said(result, "destroyed" if destroyed else done))
            self._let_go(result, done)

        results = execute(after, work, slots=self.slots, stop=self.stop, ended=ended, ahead=ahead)
        known = self.work.known if self.destroy else self.work.stacks
        return {name: results[name] for name in known if name in results}

    def _let_go(self, result: Result[T], done: State) -> None:
        """Let other runs have a stack that is as planned; a cluster's hosts are still to come."""
        applied = done is State.APPLIED and result.outcome is Outcome.DONE
        if applied and result.stack not in self.work.fleet.clusters:
            self.held.release([result.stack])

    def _note(self, result: Result[T], done: State) -> None:
        if result.outcome is Outcome.DONE:
            self.journal.stack(result.stack, done, seconds=round(result.seconds, 1))
        elif result.outcome in ENDED:
            details: dict[str, str | int | Sequence[str]] = {
                "cause": str(result.error or result.because)
            }
            if isinstance(result.error, Interrupted) and result.error.half_made:
                details["half_made"] = result.error.half_made
            if result.stack in self.counted:
                details |= self.counted[result.stack].told(bound(self.work.state_of, result.stack))
            self.journal.stack(result.stack, ENDED[result.outcome], **details)


@contextmanager
def begin(
    work: Workplace,
    command: str,
    argv: Collection[str],
    stacks: Collection[str],
    *,
    destroy: bool,
    partial: Mapping[str, Collection[str]],
    details: bool = False,
    stopping: Callable[[], None],
) -> Iterator[Execution]:
    """A run of `stacks`: holds their run locks, and keeps the journal.

    `partial` are those that a destroy leaves standing, with the addresses that it takes there.
    `stopping` is called when Ctrl-C comes while stacks are at work. An error that ends the run is
    written down with its exit code, then raised.
    """
    with exclusive(work.work_folder, work.target.name, stacks, tuple(argv)) as held:
        before = list(history.newest_first(work.runs, work.target, "apply", "destroy"))
        journal = journals.begin(
            work.runs,
            command=command,
            argv=tuple(argv),
            target=work.target.name,
            stacks=stacks,
            cloud=work.target.cloud,
            partial=partial,
        )
        try:
            cut_off = {stack: resume.half_made(before, stack) for stack in stacks}
            memory = capacity.available_bytes()
            slots = capacity.slots(capacity.cores(), memory)
            stop = Stop()
            terraform = _terraform(work, stop, memory // slots, journal.child)
            stop.on_request(stopping)
            hands = (work, terraform, journal, stop, slots)
            yield Execution(*hands, command, destroy, held, cut_off, partial, details)
        except OrchestrateError as error:
            journal.end(error.exit_code, str(error))
            raise
        except KeyboardInterrupt:
            journal.end(Interrupted.exit_code, "interrupted")
            raise
        except Exception as error:
            # A full disk, a reader of our output that left, a bug: the run has ended all the same.
            with suppress(OSError):
                journal.end(OrchestrateError.exit_code, f"{type(error).__name__}: {error}")
            raise


def _terraform(
    work: Workplace, stop: Stop, bytes_each: int, on_start: Callable[[str, int | None], None]
) -> Terraform:
    engine = find_engine(os.environ)
    config = cli_config(engine, os.environ, cache_folder())
    checksums = provider_lock.before_init(engine.registry, cache_folder())
    variables = environment.terraform(
        os.environ, work.target, cli_config=config, bytes_each=bytes_each
    )
    return Terraform(engine, variables, stop, on_start=on_start, checksums=checksums)


def bring_in(work: Workplace, argv: Collection[str], stack: str, address: str, id_: str) -> Path:
    """Take a resource that AWS has into a stack's state; the log of it. No run: what an
    interrupted apply left to resume stays so.
    """
    root = Root(stack, work.build / stack, work.work_folder / "imports" / f"{stack}.log")
    root.log.parent.mkdir(parents=True, exist_ok=True)
    with exclusive(work.work_folder, work.target.name, [stack], tuple(argv)):
        memory = capacity.available_bytes()
        _terraform(work, Stop(), memory, lambda _stack, _pid: None).bring_in(root, address, id_)
    return root.log


def _said(result: Result[T], done: str) -> str:
    """How it went with a stack, in one line; causes in full are for the end of the run."""
    if result.outcome is Outcome.SKIPPED:
        return f"skipped, because {result.because} failed"
    if result.outcome is not Outcome.DONE:
        return str(result.outcome)
    if isinstance(result.value, Provisional):
        return f"provisional, waits for {', '.join(sorted(result.value.waits_for))}"
    return done
