"""Does what faults do to hosts, and lets groups replace what is broken and try again to launch."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator

from orchestrate.errors import OrchestrateError
from orchestrate.lab.faults.book import FaultBook, book
from orchestrate.lab.faults.models import HostFault, HostKind
from orchestrate.lab.spec import HostKeeper

LOOK_EVERY_S = 0.3
# AWS takes minutes for both; nobody rehearses to wait.
RETRY_EVERY_S = 10.0
CHECK_EVERY_S = 2.0

Act = Callable[[], None]

log = logging.getLogger("lab.faults")


class Watch:
    """Compares the faults that stand on hosts with those of a book, again and again."""

    def __init__(
        self,
        book: FaultBook,
        keeper: Callable[[], HostKeeper | None],
        launch_missing: Act,
        replace_unhealthy: Act,
    ) -> None:
        self._book = book
        self._keeper = keeper
        self._launch_missing = launch_missing
        self._replace_unhealthy = replace_unhealthy
        self._standing: dict[str, HostFault] = {}
        self._retry_at = self._check_at = 0.0

    def look(self, changed: bool, now: float) -> None:
        """One look; `changed` says that a fault came or went, `now` counts seconds."""
        if keeper := self._keeper():
            self._visit(keeper)
        if changed or now >= self._retry_at:
            self._retry_at = now + RETRY_EVERY_S
            self._launch_missing()
        if now >= self._check_at:
            self._check_at = now + CHECK_EVERY_S
            self._replace_unhealthy()

    def _visit(self, keeper: HostKeeper) -> None:
        wanted = {fault.name: fault for fault in self._book.on_hosts()}
        for name in sorted(set(self._standing) - set(wanted)):
            gone = self._standing.pop(name)
            _attempt(keeper.relieve, gone, f"end of {name}")
        for name in sorted(set(wanted) - set(self._standing)):
            new = wanted[name]
            # A host that is not up yet gets it at a later look.
            if _attempt(keeper.afflict, new, name):
                self._standing[name] = new
                self._book.done(new)


def _attempt(act: Callable[[str, HostKind], None], fault: HostFault, what: str) -> bool:
    try:
        act(fault.instance_id, fault.kind)
    except OrchestrateError as failure:
        log.info("%s: %s", what, failure)
        return False
    log.info("%s: done", what)
    return True


@contextlib.contextmanager
def watching(
    keeper: Callable[[], HostKeeper | None], launch_missing: Act, replace_unhealthy: Act
) -> Iterator[None]:
    """Keep looking while inside."""
    watch = Watch(book, keeper, launch_missing, replace_unhealthy)
    stop = threading.Event()

    def keep() -> None:
        while not stop.is_set():
            changed = book.changed.wait(LOOK_EVERY_S)
            book.changed.clear()
            try:
                watch.look(changed, time.monotonic())
            except Exception:  # the loop outlives whatever goes wrong with one look
                log.exception("faults")

    thread = threading.Thread(target=keep, name="faults", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
