"""The hosts there are, what each is, and the threads that work on them, one at a time on each."""

import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor

from orchestrate.errors import LabError
from orchestrate.lab.container import Container
from orchestrate.lab.hypervisor import Host
from orchestrate.lab.plan import Step, back_off_s
from orchestrate.lab.spec import AnySpec, Found, HostState

# A boot is half a second of processor time; more at once only makes all of them late.
BOOTS_AT_ONCE = 2 * (os.cpu_count() or 2)
# Shutting down is mostly waiting.
STOPS_AT_ONCE = 32
RUNNING: tuple[Found, ...] = ("running",)

Work = Callable[[Host], None]

log = logging.getLogger("lab.hosts")


class Roster:
    """Hold `lock` to look at `hosts` (by instance id) or to hand out work for one of them.

    Work ends with `became`, or raises: then its host has failed, and nobody else's has.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.hosts: dict[str, Host] = {}
        self.stops = ThreadPoolExecutor(STOPS_AT_ONCE, "stop")
        self._boots = ThreadPoolExecutor(BOOTS_AT_ONCE, "boot")

    def close(self) -> None:
        """Wait for work that is being done, forget what isn't begun."""
        for pool in (self._boots, self.stops):
            pool.shutdown(cancel_futures=True)

    def states(self) -> Mapping[str, HostState]:
        with self.lock:
            return {name: HostState(host.state, host.detail) for name, host in self.hosts.items()}

    def state(self, instance_id: str) -> HostState | None:
        with self.lock:
            host = self.hosts.get(instance_id)
            return HostState(host.state, host.detail) if host else None

    def specs(self) -> list[AnySpec]:
        with self.lock:
            return [host.spec for host in self.hosts.values()]

    def running(self, instance_id: str) -> tuple[AnySpec, Container]:
        """A host that runs and is left in peace. Raises LabError for another."""
        with self.lock:
            host = self.hosts.get(instance_id)
            if host is None or host.busy or host.container is None or host.state != "running":
                raise LabError(f"{instance_id} has no running host")
            return host.spec, host.container

    def hand_out(self, host: Host, step: Step, work: Work) -> None:
        """Have a thread work on a host, which is busy until then; with `lock` held."""
        host.busy, host.detail = True, ""
        pool = self._boots if step == "boot" else self.stops
        pool.submit(self._do, host, step, work)

    def take(self, instance_id: str, work: Work, states: Collection[Found] = RUNNING) -> bool:
        """Have a host in one of these states worked on out of turn; whether it could be."""
        with self.lock:
            host = self.hosts.get(instance_id)
            if host is None or host.busy or host.state not in states:
                return False
            self.hand_out(host, "boot", work)
            return True

    def became(self, host: Host, state: Found) -> None:
        """The end of work that went well."""
        with self.lock:
            host.busy, host.state, host.failed, host.failures = False, state, None, 0

    def failed(self, host: Host, step: Step, why: str) -> None:
        """The end of a step that did not; it may be tried again later. With `lock` held."""
        host.busy, host.state, host.detail = False, "failed", why
        host.failed, host.failures = step, host.failures + 1
        host.retry_at = time.monotonic() + back_off_s(host.failures)

    def remove(self, host: Host) -> None:
        with self.lock:
            del self.hosts[host.spec.instance_id]

    def _do(self, host: Host, step: Step, work: Work) -> None:
        try:
            work(host)
        except Exception as failure:  # whatever it is, it is this host's alone
            log.warning("%s: %s: %s", host.spec.instance_id, step, failure)
            with self.lock:
                self.failed(host, step, f"{step}: {failure}")
