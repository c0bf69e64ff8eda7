"""Instances made real: keeps every host of a lab as the API says it should be.

`reconcile` only compares and hands out work; what takes time happens in threads, so forty hosts
boot while one that hangs is waited for. What must be done is decided in `plan`, and done in
`hypervisor`.
"""

import contextlib
import logging
import math
import os
import shutil
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address
from pathlib import Path
from typing import get_args

from orchestrate.errors import LabError, OrchestrateError
from orchestrate.lab import ailments
from orchestrate.lab.cloud import Cloud
from orchestrate.lab.container import Container
from orchestrate.lab.faults.models import HostKind
from orchestrate.lab.hypervisor import Host, Hypervisor
from orchestrate.lab.identity import Identity
from orchestrate.lab.names import Names
from orchestrate.lab.network import Network
from orchestrate.lab.plan import Step, back_off_s, plan_hosts
from orchestrate.lab.requirements import missing
from orchestrate.lab.spec import Found, HostSpec, HostState
from orchestrate.lab.sweep import end_hosts, sweep
from orchestrate.lab.topology import Slot
from orchestrate.lab.vpc.models import Networks
from orchestrate.lab.vpc_services import VpcServices

__all__ = ["Hosts", "missing"]

# A boot is half a second of processor time; more at once only makes all of them late.
BOOTS_AT_ONCE = 2 * (os.cpu_count() or 2)
# Shutting down is mostly waiting.
STOPS_AT_ONCE = 32

# For a host that is busy, or about to be there, when its disk shall be copied.
PATIENCE_S = 120.0
LOOK_EVERY_S = 0.1
RUNNING: tuple[Found, ...] = ("running",)
FOUND: tuple[Found, ...] = get_args(Found)

# A host's systemd watches six things, and Debian's limit of 128 for all of root's watchers would
# end at 21 hosts.
INOTIFY_INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")
INOTIFY_WANTED = 4096

log = logging.getLogger("lab.hosts")


class Hosts:
    """The hosts of one slot, their files in `folder`. See `spec.HostKeeper`.

    Without a cloud they are hosts only: nobody tells them what they are on AWS.
    """

    def __init__(self, slot: int, folder: Path) -> None:
        self._slot = Slot(slot)
        self._folder = folder
        self._cloud: Cloud | None = None
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._network = Network(self._slot)
        self._services = VpcServices(self._slot, self._identify, self._names)
        self._closing = threading.Event()
        self._hypervisor = Hypervisor(
            self._slot, self._folder, self._network, self._services, self._closing
        )
        self._hosts: dict[str, Host] = {}
        self._lock = threading.Lock()
        self._boots = ThreadPoolExecutor(BOOTS_AT_ONCE, "boot")
        self._stops = ThreadPoolExecutor(STOPS_AT_ONCE, "stop")

    def attach(self, cloud: Cloud) -> None:
        """Belong to a cloud from now on; before the first `reconcile`."""
        self._cloud = cloud

    def prepare(self, progress: Callable[[str], None]) -> None:
        """Have the root file system and the internet. Raises LabError."""
        try:
            self._hypervisor.prepare(progress)
            progress("opening the lab's internet")
            self._network.open()
        except (OrchestrateError, OSError) as failure:
            raise LabError(f"no real hosts: {failure}") from failure
        if int(INOTIFY_INSTANCES.read_text()) < INOTIFY_WANTED:
            INOTIFY_INSTANCES.write_text(str(INOTIFY_WANTED))

    def reconcile(self, specs: Sequence[HostSpec], networks: Networks) -> None:
        """Start what brings the hosts to `specs`, and don't wait for it; `networks` are at once."""
        with self._lock:
            powered_off = self._notice_ends()
            known = {name: host.known() for name, host in self._hosts.items()}
            steps = plan_hosts(specs, known, time.monotonic())
            for spec in specs:
                if spec.instance_id in steps or spec.instance_id in self._hosts:
                    self._hosts.setdefault(spec.instance_id, Host(spec)).spec = spec
            for instance_id, step in steps.items():
                # What is wanted of these the cloud has yet to hear, and say.
                if instance_id not in powered_off:
                    self._begin(self._hosts[instance_id], step)
            in_use = {host.spec.vpc_id for host in self._hosts.values()}
        self._tell(powered_off)
        self._services.retain(in_use)
        try:
            self._network.retain(in_use)
            self._network.keep(specs, networks)
        except OrchestrateError as failure:
            log.warning("networks: %s", failure)

    def states(self) -> Mapping[str, HostState]:
        """What every host is now; safe from any thread."""
        with self._lock:
            return {name: HostState(host.state, host.detail) for name, host in self._hosts.items()}

    def state(self, instance_id: str) -> HostState | None:
        """What one host is now; safe from any thread."""
        with self._lock:
            host = self._hosts.get(instance_id)
            return HostState(host.state, host.detail) if host else None

    def console(self, instance_id: str) -> str:
        """What a host printed since it last booted; "" for none."""
        try:
            return self._hypervisor.disk(instance_id).console.read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def reboot(self, instance_id: str) -> None:
        """Shut a running host down in order and boot it again; another is left alone."""

        def again(host: Host) -> None:
            host.state = "starting"
            self._hypervisor.shut_down(host)
            self._boot(host)

        self._take(instance_id, "boot", again)

    def fail(self, instance_id: str, why: str) -> None:
        """Cut a running host's power as if its machine broke: it stays so until it is stopped."""

        def broken(host: Host) -> None:
            self._hypervisor.cut_power(host)
            with self._lock:
                self._failed(host, "boot", why)
                host.retry_at = math.inf

        self._take(instance_id, "boot", broken)

    def snapshot(self, instance_id: str, layer: str, *, reboot: bool) -> None:
        """Begin to copy a host's disk into a layer; see `layer_state`.

        A running host is shut down for it and booted again, unless `reboot` is off.
        """

        def copy(host: Host) -> None:
            if host.state == "running" and reboot:
                self._hypervisor.shut_down(host)
                self._copy(host, layer)
                self._boot(host)
            else:
                self._copy(host, layer)
                self._became(host, host.state)

        self._stops.submit(self._take_when_idle, instance_id, layer, copy)

    def layer_state(self, layer: str) -> str:
        """ "copying", "whole", or why it could not be copied."""
        return self._hypervisor.layers.state(layer)

    def prune(self) -> None:
        """Remove, some time soon, the layers that no image, snapshot or host needs any more."""
        self._stops.submit(self._prune)

    def afflict(self, instance_id: str, kind: HostKind) -> None:
        """See `spec.HostKeeper`. A host that boots anew is healthy again."""
        ailments.afflict(self._running(instance_id), kind)

    def relieve(self, instance_id: str, kind: HostKind) -> None:
        """See `spec.HostKeeper`."""
        with contextlib.suppress(LabError):
            ailments.relieve(self._running(instance_id), kind)

    def _running(self, instance_id: str) -> Container:
        with self._lock:
            host = self._hosts.get(instance_id)
            if host is None or host.busy or host.container is None or host.state != "running":
                raise LabError(f"{instance_id} has no running host")
            return host.container

    def sweep(self) -> None:
        """Remove everything of this slot, disks included. Raises LabError, CommandFailed."""
        self._closing.set()
        end_hosts(self._slot)
        for pool in (self._boots, self._stops):
            pool.shutdown(cancel_futures=True)
        self._services.retain(set())
        sweep(self._slot)
        for folder in (self._hypervisor.folder, self._hypervisor.layers.folder):
            if folder.exists():
                shutil.rmtree(folder)
        self._begin_anew()

    def _identify(self, vpc_id: str, address: IPv4Address) -> Identity | None:
        with self._lock:
            specs = [host.spec for host in self._hosts.values()]
        found = (one for one in specs if (one.vpc_id, one.private_ip) == (vpc_id, address))
        spec = next(found, None)
        if spec is None or self._cloud is None:
            return None
        return self._cloud.identity(spec.region, spec.instance_id)

    def _names(self, vpc_id: str) -> Names:
        return self._cloud.names(vpc_id) if self._cloud else Names()

    def _notice_ends(self) -> dict[str, HostSpec]:
        """Take note of hosts that ended by themselves; those a cloud must hear of."""
        powered_off = {}
        for instance_id, host in self._hosts.items():
            if host.state != "running" or host.busy or not host.container:
                continue
            if host.container.asks_for_reboot:
                host.state, host.detail = "failed", "rebooting"
            elif how := host.container.ended:
                self._failed(host, "boot", f"ended by itself: {how}")
                if host.container.powered_off and self._cloud and host.spec.state == "running":
                    powered_off[instance_id] = host.spec
        return powered_off

    def _tell(self, powered_off: Mapping[str, HostSpec]) -> None:
        for instance_id, spec in powered_off.items():
            if self._cloud:
                self._cloud.powered_off(spec.region, instance_id)

    def _begin(self, host: Host, step: Step) -> None:
        work = {"boot": self._boot, "power off": self._power_off, "terminate": self._terminate}
        if step == "boot":
            host.state = "starting"
        self._hand_out(host, step, work[step])

    def _take(
        self,
        instance_id: str,
        step: Step,
        work: Callable[[Host], None],
        states: Collection[Found] = RUNNING,
    ) -> bool:
        """Have a host in one of these states worked on out of turn; whether it could be."""
        with self._lock:
            host = self._hosts.get(instance_id)
            if host is None or host.busy or host.state not in states:
                return False
            self._hand_out(host, step, work)
            return True

    def _hand_out(self, host: Host, step: Step, work: Callable[[Host], None]) -> None:
        host.busy, host.detail = True, ""
        pool = self._boots if step == "boot" else self._stops
        pool.submit(self._do, host, step, work)

    def _do(self, host: Host, step: Step, work: Callable[[Host], None]) -> None:
        try:
            work(host)
        except Exception as failure:  # whatever it is, it is this host's alone
            log.warning("%s: %s: %s", host.spec.instance_id, step, failure)
            with self._lock:
                self._failed(host, step, f"{step}: {failure}")

    def _failed(self, host: Host, step: Step, why: str) -> None:
        host.busy, host.state, host.detail = False, "failed", why
        host.failed, host.failures = step, host.failures + 1
        host.retry_at = time.monotonic() + back_off_s(host.failures)

    def _became(self, host: Host, state: Found) -> None:
        with self._lock:
            host.busy, host.state, host.failed, host.failures = False, state, None, 0

    def _boot(self, host: Host) -> None:
        self._hypervisor.boot(host)
        self._became(host, "running")

    def _power_off(self, host: Host) -> None:
        self._hypervisor.shut_down(host)
        self._became(host, "stopped")

    def _terminate(self, host: Host) -> None:
        self._hypervisor.delete(host)
        with self._lock:
            del self._hosts[host.spec.instance_id]
        if host.spec.layers:
            self._prune()

    def _take_when_idle(self, instance_id: str, layer: str, work: Callable[[Host], None]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not self._take(instance_id, "boot", work, FOUND):
            if self._closing.is_set() or time.monotonic() > deadline:
                self._hypervisor.layers.fail(layer, "there is no host, or it is busy")
                return
            time.sleep(LOOK_EVERY_S)

    def _copy(self, host: Host, layer: str) -> None:
        instance_id = host.spec.instance_id
        try:
            self._hypervisor.layers.copy(self._hypervisor.disk(instance_id), layer)
        except (OrchestrateError, OSError) as failure:
            log.warning("%s: image: %s", instance_id, failure)
            self._hypervisor.layers.fail(layer, str(failure))

    def _prune(self) -> None:
        if self._cloud is None:
            return
        with self._lock:
            used = {layer for host in self._hosts.values() for layer in host.spec.layers}
        self._hypervisor.layers.prune(used | self._cloud.layers())
