"""Instances made real: keeps every host of a lab as the API says it should be.

`reconcile` only compares and hands out work; what takes time happens in threads, so forty hosts
boot while one that hangs is waited for. What must be done is decided in `plan`.
"""

import contextlib
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from orchestrate.caches import cache_folder
from orchestrate.errors import LabError, OrchestrateError
from orchestrate.lab import ailments, cgroups, container, disk, rootfs
from orchestrate.lab.cloud import Cloud
from orchestrate.lab.container import Container
from orchestrate.lab.disk import Disk
from orchestrate.lab.faults.models import HostKind
from orchestrate.lab.identity import Identity
from orchestrate.lab.network import Network
from orchestrate.lab.plan import Known, Step, back_off_s, plan_hosts
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

# A host's systemd watches six things, and Debian's limit of 128 for all of root's watchers would
# end at 21 hosts.
INOTIFY_INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")
INOTIFY_WANTED = 4096

log = logging.getLogger("lab.hosts")


@dataclass
class Host:
    """One host as this process knows it; `container` is its busy thread's, the rest the lock's."""

    spec: HostSpec
    state: Found = "stopped"
    detail: str = ""
    busy: bool = False
    failed: Step | None = None
    failures: int = 0
    retry_at: float = 0.0
    container: Container | None = None

    def known(self) -> Known:
        return Known(self.state, self.busy, self.failed, self.retry_at)


class Hosts:
    """The hosts of one slot, their files in `folder`/hosts. See `spec.HostKeeper`.

    Without a `cloud` they are hosts only: nobody tells them what they are on AWS.
    """

    def __init__(self, slot: int, folder: Path) -> None:
        self._slot = Slot(slot)
        self._cloud: Cloud | None = None
        self._folder = folder / "hosts"
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._network = Network(self._slot)
        self._services = VpcServices(self._slot, self._identify)
        self._hosts: dict[str, Host] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._boots = ThreadPoolExecutor(BOOTS_AT_ONCE, "boot")
        self._stops = ThreadPoolExecutor(STOPS_AT_ONCE, "stop")
        self._rootfs = Path()

    def attach(self, cloud: Cloud) -> None:
        """Belong to a cloud from now on; before the first `reconcile`."""
        self._cloud = cloud

    def prepare(self, progress: Callable[[str], None]) -> None:
        """Have the root file system and the internet. Raises LabError."""
        try:
            self._rootfs = rootfs.ensure(cache_folder(), progress)
            self._folder.mkdir(parents=True, exist_ok=True)
            progress("opening the lab's internet")
            self._network.open()
        except (OrchestrateError, OSError) as failure:
            raise LabError(f"no real hosts: {failure}") from failure
        if int(INOTIFY_INSTANCES.read_text()) < INOTIFY_WANTED:
            INOTIFY_INSTANCES.write_text(str(INOTIFY_WANTED))

    def reconcile(self, specs: Sequence[HostSpec], networks: Networks) -> None:
        """Start what brings the hosts to `specs`, and don't wait for it; `networks` are at once."""
        with self._lock:
            self._notice_ends()
            known = {name: host.known() for name, host in self._hosts.items()}
            steps = plan_hosts(specs, known, time.monotonic())
            for spec in specs:
                if spec.instance_id in steps or spec.instance_id in self._hosts:
                    self._hosts.setdefault(spec.instance_id, Host(spec)).spec = spec
            for instance_id, step in steps.items():
                self._begin(self._hosts[instance_id], step)
            in_use = {host.spec.vpc_id for host in self._hosts.values()}
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
        if self._folder.exists():
            shutil.rmtree(self._folder)
        self._begin_anew()

    def _identify(self, vpc_id: str, address: IPv4Address) -> Identity | None:
        with self._lock:
            specs = [host.spec for host in self._hosts.values()]
        found = (one for one in specs if (one.vpc_id, one.private_ip) == (vpc_id, address))
        spec = next(found, None)
        if spec is None or self._cloud is None:
            return None
        return self._cloud.identity(spec.region, spec.instance_id)

    def _notice_ends(self) -> None:
        for host in self._hosts.values():
            if host.state == "running" and not host.busy and host.container:
                if host.container.asks_for_reboot:
                    host.state, host.detail = "failed", "rebooting"
                elif how := host.container.ended:
                    self._failed(host, "boot", f"ended by itself: {how}")

    def _begin(self, host: Host, step: Step) -> None:
        host.busy, host.detail = True, ""
        if step == "boot":
            host.state = "starting"
        pool = self._boots if step == "boot" else self._stops
        pool.submit(self._do, host, step)

    def _do(self, host: Host, step: Step) -> None:
        what = {"boot": self._boot, "power off": self._power_off, "terminate": self._terminate}
        try:
            what[step](host)
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
        spec = host.spec
        self._end(host)
        place = Disk(self._folder / spec.instance_id)
        disk.create(place, spec, self._rootfs)
        self._network.ensure(spec)
        self._services.ensure(spec.vpc_id)
        host.container = container.boot(
            self._slot.namespace(spec.instance_id),
            spec.hostname,
            self._network.plug(spec),
            place,
            rootfs=self._rootfs,
            groups=cgroups.create(self._slot.prefix, spec.instance_id),
            give_up=self._closing,
        )
        self._became(host, "running")

    def _power_off(self, host: Host) -> None:
        self._shut_down(host)
        self._became(host, "stopped")

    def _terminate(self, host: Host) -> None:
        self._shut_down(host)
        disk.delete(Disk(self._folder / host.spec.instance_id))
        with self._lock:
            del self._hosts[host.spec.instance_id]

    def _shut_down(self, host: Host) -> None:
        if host.container:
            host.container.power_off()
        self._end(host)

    def _end(self, host: Host) -> None:
        if host.container:
            host.container.cut_power()
            host.container = None
        self._network.unplug(host.spec)
