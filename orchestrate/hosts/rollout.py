"""Work on many hosts: in batches, so many at once, and no further when too many have failed.

What is done to a host is given; the decisions are pure.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Generic, TypeVar

from orchestrate.errors import OrchestrateError
from orchestrate.hosts.results import Outcome, Result, Results
from orchestrate.plain_text import shown
from orchestrate.shell import Stop

T = TypeVar("T")
# A host mostly waits, for packages or for nothing; what it costs here is its key exchange.
PARALLEL = 16
LOOK_EVERY_S = 0.2


@dataclass(frozen=True)
class Share:
    """So many, or so many of a hundred."""

    number: int
    percent: bool = False

    def of(self, total: int) -> int:
        """Rounded down: 10 % of 19 hosts is one."""
        return self.number * total // 100 if self.percent else self.number

    def __str__(self) -> str:
        return f"{self.number}%" if self.percent else str(self.number)


@dataclass(frozen=True)
class Policy:
    """`serial` is the size of a batch, all at once if None; `max_fail` how many may fail.

    Where it isn't said, none may fail of a rollout in batches: that is what batches are for.
    """

    parallel: int = PARALLEL
    serial: Share | None = None
    max_fail: Share | None = None


@dataclass(frozen=True)
class Work(Generic[T]):
    """What is done: `name` of an item, `do` it, then `check` it once its batch is through.

    `ended` hears of every item once, when nothing more will be done to it; of those that were never
    started in the order of the items, each batch's when the batch is through.
    """

    name: Callable[[T], str]
    do: Callable[[T], Result]
    check: Callable[[T, Result], Result]
    ended: Callable[[Result], None] = lambda _: None


def share(text: str) -> Share:
    """A number or a percentage. Raises OrchestrateError."""
    number = text.removesuffix("%").strip()
    if number.isdecimal():
        return Share(int(number), percent=text.endswith("%"))
    raise OrchestrateError(f"'{shown(text)}' is not a number of hosts", fix="write 5, or 20%")


def batches(items: Sequence[T], serial: Share | None) -> Iterator[Sequence[T]]:
    """The items in their order, in batches of at least one."""
    size = max(serial.of(len(items)), 1) if serial else max(len(items), 1)
    for start in range(0, len(items), size):
        yield items[start : start + size]


def refusal(results: Sequence[Result], total: int, policy: Policy) -> str:
    """Why no further host may be started, "" if any may.

    An unreachable host doesn't count: it was so before we came, and nothing was done to it.
    """
    limit = policy.max_fail or (Share(0) if policy.serial else None)
    failed = sum(one.outcome is Outcome.FAILED for one in results)
    if limit is None or failed <= limit.of(total):
        return ""
    verb = "has" if failed == 1 else "have"
    return f"{failed} of {total} hosts {verb} failed, {limit.of(total) or 'none'} may"


def roll_out(items: Sequence[T], policy: Policy, work: Work[T], stop: Stop) -> Results:
    """Work on all items, and say how each ended.

    Ctrl-C becomes a request to stop while this runs: nothing new is started, what is at work is
    waited for.
    """
    main = threading.current_thread() is threading.main_thread()
    with (
        stop.on_signals() if main else nullcontext(),
        ThreadPoolExecutor(max(policy.parallel, 1), thread_name_prefix="host") as pool,
    ):
        try:
            return _Rollout(items, policy, work, stop, pool).run()
        except BaseException:
            stop.request()
            raise


class _Rollout(Generic[T]):
    def __init__(
        self,
        items: Sequence[T],
        policy: Policy,
        work: Work[T],
        stop: Stop,
        pool: ThreadPoolExecutor,
    ) -> None:
        self._items = items
        self._policy = policy
        self._work = work
        self._stop = stop
        self._pool = pool
        self._done: dict[str, Result] = {}

    def run(self) -> Results:
        for batch in batches(self._items, self._policy.serial):
            self._each(batch, self._attempt)
            changed = [item for item in batch if self._of(item).outcome is Outcome.CHANGED]
            self._each(changed, self._check)
            self._tell_those_not_started(batch)
        results = tuple(self._of(item) for item in self._items)
        left = any(one.outcome is Outcome.NOT_STARTED for one in results)
        return Results(results, self._refusal() if left else "", self._stop.requested)

    def _each(self, items: Sequence[T], do: Callable[[T], None]) -> None:
        def one(item: T) -> None:
            try:
                do(item)
            except BaseException:
                # A bug. This thread would take the next item before the main thread hears of it.
                self._stop.request()
                raise

        for future in [self._pool.submit(one, item) for item in items]:
            future.result()

    def _attempt(self, item: T) -> None:
        name = self._work.name(item)
        if self._stop.requested or self._refusal():
            self._done[name] = Result(name, Outcome.NOT_STARTED)
            return
        result = self._work.do(item)
        self._done[name] = result
        if result.outcome is not Outcome.CHANGED:
            self._work.ended(result)

    def _check(self, item: T) -> None:
        result = self._work.check(item, self._of(item))
        self._done[self._work.name(item)] = result
        self._work.ended(result)

    def _tell_those_not_started(self, batch: Sequence[T]) -> None:
        for result in map(self._of, batch):
            if result.outcome is Outcome.NOT_STARTED:
                self._work.ended(result)

    def _of(self, item: T) -> Result:
        return self._done[self._work.name(item)]

    def _refusal(self) -> str:
        return refusal(list(self._done.values()), len(self._items), self._policy)
