"""Works on stacks in parallel, each after those it needs.

A failure skips what needs the failed stack and lets the rest finish. A request to stop starts no
new stack and waits for those at work. What the work is, this module doesn't know.
"""

import heapq
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from graphlib import TopologicalSorter
from queue import SimpleQueue
from typing import Generic, TypeVar

from orchestrate.errors import Interrupted, OrchestrateError
from orchestrate.shell import Stop

T = TypeVar("T")
After = Mapping[str, Collection[str]]


class Outcome(StrEnum):
    """How it went with a stack. SKIPPED: one that it needs failed. NOT_STARTED: a stop came.
    NOTHING: it was named and there is nothing of it.
    """

    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    SKIPPED = "skipped"
    NOT_STARTED = "not started"
    NOTHING = "nothing to do"


@dataclass(frozen=True)
class Result(Generic[T]):
    """What came of one stack. `value` is what its work returned, if DONE; `error` why it FAILED
    or was INTERRUPTED; `because` the failed stack that had it SKIPPED.
    """

    stack: str
    outcome: Outcome
    value: T | None = None
    error: OrchestrateError | None = None
    because: str = ""
    seconds: float = 0.0


class Ahead:
    """Lets what needs a stack begin before that has ended, because it has what they need."""

    def __init__(self) -> None:
        self._tell: Callable[[str], None] = lambda _stack: None

    def listen(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def far_enough(self, stack: str) -> None:
        """Called by the work on a stack."""
        self._tell(stack)


def execute(
    after: After,
    work: Callable[[str], T],
    *,
    slots: int,
    stop: Stop,
    started: Callable[[str], None] = lambda _stack: None,
    ended: Callable[[Result[T]], None] = lambda _result: None,
    ahead: Ahead | None = None,
) -> dict[str, Result[T]]:
    """Call `work` for every stack of `after`, at most `slots` at once, each in a thread.

    `after` names each stack's needs, all of them stacks too; raises graphlib.CycleError when they
    go in a circle. `started` and `ended` are called on this thread, `ended` for every stack.
    Ctrl-C becomes a request to stop while this runs. An error that isn't an OrchestrateError is a
    bug: it stops the others and is raised when they have ended.
    """
    main = threading.current_thread() is threading.main_thread()
    with (
        stop.on_signals() if main else nullcontext(),
        ThreadPoolExecutor(slots, thread_name_prefix="stack") as pool,
    ):
        try:
            return _Execution(after, work, stop, started, ended, ahead).run(pool, slots)
        except BaseException:
            stop.request()
            raise


@contextmanager
def meanwhile(question: Callable[[], None], stop: Stop) -> Iterator[None]:
    """Ask a question while the block works.

    An error that it raises stops what is at work, and is raised when the block has ended.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="question") as pool:
        asked = pool.submit(question)
        asked.add_done_callback(lambda done: stop.request() if done.exception() else None)
        try:
            yield
        finally:
            asked.result()


def heights(after: After) -> dict[str, int]:
    """How long the longest chain of stacks is that waits for each one. Pure."""
    height = dict.fromkeys(after, 0)
    for stack in reversed(tuple(TopologicalSorter(after).static_order())):
        for need in after[stack]:
            height[need] = max(height[need], height[stack] + 1)
    return height


class _Execution(Generic[T]):
    def __init__(
        self,
        after: After,
        work: Callable[[str], T],
        stop: Stop,
        started: Callable[[str], None],
        ended: Callable[[Result[T]], None],
        ahead: Ahead | None,
    ) -> None:
        self._after = after
        self._work = work
        self._stop = stop
        self._started = started
        self._ended = ended
        self._sorter = TopologicalSorter(after)
        self._results: dict[str, Result[T]] = {}
        # A stack's name says that it is far enough for others to begin.
        self._arrived: SimpleQueue[Result[T] | Exception | str] = SimpleQueue()
        self._let_on: set[str] = set()
        if ahead:
            ahead.listen(self._arrived.put)

    def run(self, pool: ThreadPoolExecutor, slots: int) -> dict[str, Result[T]]:
        height = heights(self._after)
        ready: list[tuple[int, str]] = []
        at_work = 0
        self._sorter.prepare()
        while self._sorter.is_active() or at_work:
            # Where the longest chain hangs on comes first: it decides when all is done.
            for stack in self._sorter.get_ready():
                heapq.heappush(ready, (-height[stack], stack))
            while ready and at_work < slots:
                at_work += self._start(heapq.heappop(ready)[1], pool)
            if at_work:
                at_work -= self._hear()
        return self._results

    def _start(self, stack: str, pool: ThreadPoolExecutor) -> bool:
        """Start a stack, unless it is to be passed over; whether it was started."""
        passed_over = self._passed_over(stack)
        if passed_over:
            self._end(passed_over)
            return False
        self._started(stack)
        pool.submit(self._attempt, stack)
        return True

    def _passed_over(self, stack: str) -> Result[T] | None:
        for need in sorted(self._after[stack]):
            result = self._results.get(need)  # none of one that is at work, and far enough
            if result and result.outcome in (Outcome.FAILED, Outcome.SKIPPED):
                return Result(stack, Outcome.SKIPPED, because=result.because or need)
        if self._stop.requested:
            return Result(stack, Outcome.NOT_STARTED)
        return None

    def _attempt(self, stack: str) -> None:
        """In a thread of the pool: do the work, and report how it went."""
        begin = time.monotonic()

        def result(outcome: Outcome, error: OrchestrateError) -> Result[T]:
            return Result(stack, outcome, error=error, seconds=time.monotonic() - begin)

        try:
            value = self._work(stack)
            self._arrived.put(Result(stack, Outcome.DONE, value, seconds=time.monotonic() - begin))
        except Interrupted as error:
            self._arrived.put(result(Outcome.INTERRUPTED, error))
        except OrchestrateError as error:
            self._arrived.put(result(Outcome.FAILED, error))
        except Exception as bug:  # raised again by the main thread
            self._arrived.put(bug)

    def _hear(self) -> bool:
        """Wait for news of a stack; whether it has ended."""
        arrived = self._arrived.get()
        if isinstance(arrived, Exception):
            raise arrived
        if isinstance(arrived, str):
            self._open(arrived)
            return False
        self._end(arrived)
        return True

    def _open(self, stack: str) -> None:
        if stack not in self._let_on:
            self._let_on.add(stack)
            self._sorter.done(stack)

    def _end(self, result: Result[T]) -> None:
        self._results[result.stack] = result
        self._open(result.stack)
        self._ended(result)
