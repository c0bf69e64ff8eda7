"""What can go on while Terraform only waits (ADR 13).

The AWS provider believes an S3 bucket's lifecycle rules once it has read them ten times over, five
seconds apart after ten at first: 55 s, whatever S3 answers. No host depends on them, so hosts
come up as soon as nothing else of a run's stacks is left to do.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from orchestrate.execution import Execution, Progress
from orchestrate.runs.journal import State
from orchestrate.runs.schedule import Result
from orchestrate.terraform.events import Event, ResourceDone
from orchestrate.terraform.plan import StackPlan
from orchestrate.terraform.remaining import OF_NO_HOST, Remaining
from orchestrate.terraform.root import Applied

T = TypeVar("T")


def worth_while(plans: Mapping[str, StackPlan]) -> bool:
    """Whether an apply of these plans comes to wait for something that no host waits for. Pure."""
    return any(one.resource_type in OF_NO_HOST for plan in plans.values() for one in plan.changes)


class Operator(Protocol):
    """Who sees how it goes."""

    def progress(self) -> AbstractContextManager[Progress]: ...

    def still_waiting(self, changes: Mapping[str, int]) -> None:
        """Hosts come up while Terraform waits for the last changes, so many of each stack."""


def apply(
    run: Execution,
    plans: Mapping[str, StackPlan],
    files: Mapping[str, Path],
    operator: Operator,
    bring_up: Callable[[], T | None],
) -> tuple[dict[str, Result[Applied]], T | None]:
    """Apply the saved plan `files` of all `plans`; call `bring_up` once nothing is left that hosts
    depend on. What that returned is None where all was done, or something had failed, before.

    Terraform is followed in a thread: signals, and questions, are for the main thread.
    """
    relay, hosts = Relay(plans), None
    with run.stop.on_signals(), ThreadPoolExecutor(1, "apply") as pool:
        applying = pool.submit(run.apply, plans, files, relay)
        applying.add_done_callback(lambda _: relay.moved.set())
        with operator.progress() as progress, relay.shown(progress):
            relay.moved.wait()
        if relay.hosts_may_come():
            operator.still_waiting(relay.waits_for())
            hosts = bring_up()
        with operator.progress() as progress, relay.shown(progress):
            return applying.result(), hosts


@dataclass
class _Stack:
    """What hosts still have to wait for of a stack, and what was heard of it."""

    left: Remaining
    pending: set[str]
    doing: str = ""
    ended: str = ""


@dataclass
class Relay:
    """Hears how stacks are applied in another thread, and tells whoever shows it at the moment."""

    plans: Mapping[str, StackPlan]
    # Set when `hosts_may_come` is to be asked: it became so, or all stacks have ended.
    moved: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._stacks = {
            name: _Stack(Remaining(plan, OF_NO_HOST), {one.address for one in plan.changes})
            for name, plan in self.plans.items()
        }
        self._shown: Progress | None = None
        self._untold: list[str] = []
        self._lock = threading.RLock()

    def hosts_may_come(self) -> bool:
        """Whether some stack is at work, and only on what no host waits for; all others are well
        and done.
        """
        with self._lock:
            stacks = self._stacks.values()
            well = all(one.ended in ("", State.APPLIED) for one in stacks)
            through = all(one.ended or (one.doing and not one.left) for one in stacks)
            return well and through and not all(one.ended for one in stacks)

    def waits_for(self) -> dict[str, int]:
        """How many changes each stack at work has yet to make."""
        with self._lock:
            return {
                name: len(one.pending)
                for name, one in self._stacks.items()
                if one.doing and not one.ended
            }

    @contextmanager
    def shown(self, progress: Progress) -> Iterator[None]:
        """Tell `progress` what goes on, and first what it missed."""
        with self._lock:
            self._shown = progress
            for name, left in self.waits_for().items():
                progress.started(name, self._stacks[name].doing, left)
            for name in self._untold:
                progress.ended(name, self._stacks[name].ended)
            self._untold = []
        try:
            yield
        finally:
            with self._lock:
                self._shown = None

    def started(self, stack: str, doing: str, total: int | None) -> None:
        """See `execution.Progress`."""
        with self._lock:
            self._stacks[stack].doing = doing
            if self._shown:
                self._shown.started(stack, doing, total)

    def event(self, stack: str, event: Event) -> None:
        """See `execution.Progress`."""
        with self._lock:
            one = self._stacks[stack]
            if isinstance(event, ResourceDone):  # of data that is read too
                one.pending.discard(event.address)
            one.left.heard(event)
            if self._shown:
                self._shown.event(stack, event)
            self._look()

    def ended(self, stack: str, outcome: str) -> None:
        """See `execution.Progress`."""
        with self._lock:
            self._stacks[stack].ended = outcome
            if self._shown:
                self._shown.ended(stack, outcome)
            else:
                self._untold.append(stack)
            self._look()

    def _look(self) -> None:
        if self.hosts_may_come() or all(one.ended for one in self._stacks.values()):
            self.moved.set()
