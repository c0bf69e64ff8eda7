"""Instances made real: keeps every host of a lab as the API says it should be.

`reconcile` only compares and hands out work; what takes time happens in threads, so forty hosts
boot while one that hangs is waited for. What must be done is decided in `plan`, and done in
`hypervisor`.
"""

import contextlib
import logging
import math
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import get_args

from orchestrate.caches import cache_folder
from orchestrate.errors import LabError, OrchestrateError
from orchestrate.lab import ailments
from orchestrate.lab.cloud import Cloud
from orchestrate.lab.faults.models import HostKind
from orchestrate.lab.hypervisor import Host, Hypervisor
from orchestrate.lab.internet_services import InternetServices
from orchestrate.lab.kept_images import KeptImage
from orchestrate.lab.network import Network
from orchestrate.lab.plan import Step, plan_hosts
from orchestrate.lab.requirements import missing
from orchestrate.lab.roster import Roster
from orchestrate.lab.sites.network import SiteNetworks
from orchestrate.lab.spec import AnySpec, Found, HostSpec, HostState, RackSpec
from orchestrate.lab.sweep import end_hosts, sweep
from orchestrate.lab.topology import Slot
from orchestrate.lab.vpc.models import Networks
from orchestrate.lab.vpc_services import VpcServices

__all__ = ["Hosts", "missing"]

# For a host that is busy, or about to be there, when its disk shall be copied.
PATIENCE_S = 120.0
LOOK_EVERY_S = 0.1
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
        self._roster = Roster()
        self._network = Network(self._slot)
        self._sites = SiteNetworks(self._slot)
        self._listed: Sequence[AnySpec] = ()
        self._instances: Sequence[HostSpec] = ()
        self._internet = InternetServices(self._slot, cache_folder(), lambda: self._cloud)
        self._services = VpcServices(self._slot, self._roster.specs, lambda: self._cloud)
        self._closing = threading.Event()
        self._hypervisor = Hypervisor(
            self._slot, self._folder, self._network, self._sites, self._services, self._closing
        )

    def attach(self, cloud: Cloud) -> None:
        """Belong to a cloud from now on; before the first `reconcile`."""
        self._cloud = cloud

    def prepare(self, progress: Callable[[str], None]) -> None:
        """Have the root file system and the internet. Raises LabError."""
        try:
            self._hypervisor.prepare(progress)
            progress("opening the lab's internet")
            self._network.open()
            self._internet.open()
        except (OrchestrateError, OSError) as failure:
            raise LabError(f"no real hosts: {failure}") from failure
        if int(INOTIFY_INSTANCES.read_text()) < INOTIFY_WANTED:
            INOTIFY_INSTANCES.write_text(str(INOTIFY_WANTED))

    def reconcile(self, specs: Sequence[AnySpec], networks: Networks) -> None:
        """Start what brings the hosts to `specs`, and don't wait for it; `networks` are at once."""
        with self._roster.lock:
            powered_off = self._notice_ends()
            known = {name: host.known() for name, host in self._roster.hosts.items()}
            steps = plan_hosts(specs, known, time.monotonic())
            for spec in specs:
                if spec.instance_id in steps or spec.instance_id in self._roster.hosts:
                    self._roster.hosts.setdefault(spec.instance_id, Host(spec)).spec = spec
            for instance_id, step in steps.items():
                # What is wanted of these the cloud has yet to hear, and say.
                if instance_id not in powered_off:
                    self._begin(self._roster.hosts[instance_id], step)
            present = [host.spec for host in self._roster.hosts.values()]
        self._tell(powered_off)
        vpcs = {spec.vpc_id for spec in present if isinstance(spec, HostSpec)}
        self._services.retain(vpcs)
        if specs is not self._listed:
            # The network knows by the list itself that nothing changed.
            self._instances = [spec for spec in specs if isinstance(spec, HostSpec)]
            self._listed = specs
        try:
            self._sites.retain({spec.site for spec in present if isinstance(spec, RackSpec)})
            self._network.retain(vpcs)
            self._network.keep(self._instances, networks)
        except OrchestrateError as failure:
            log.warning("networks: %s", failure)

    def states(self) -> Mapping[str, HostState]:
        """See `spec.HostKeeper`."""
        return self._roster.states()

    def state(self, instance_id: str) -> HostState | None:
        """See `spec.HostKeeper`."""
        return self._roster.state(instance_id)

    def console(self, instance_id: str) -> str:
        """See `spec.HostKeeper`."""
        try:
            return self._hypervisor.disk(instance_id).console.read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def reboot(self, instance_id: str) -> None:
        """See `spec.HostKeeper`."""

        def again(host: Host) -> None:
            host.state = "starting"
            self._hypervisor.shut_down(host)
            self._boot(host)

        self._roster.take(instance_id, again)

    def fail(self, instance_id: str, why: str) -> None:
        """See `spec.HostKeeper`."""

        def broken(host: Host) -> None:
            self._hypervisor.cut_power(host)
            with self._roster.lock:
                self._roster.failed(host, "boot", why)
                host.retry_at = math.inf

        self._roster.take(instance_id, broken)

    def snapshot(self, instance_id: str, layer: str, *, reboot: bool) -> None:
        """See `spec.HostKeeper`."""

        def copy(host: Host) -> None:
            if host.state == "running" and reboot:
                self._hypervisor.shut_down(host)
                self._copy(host, layer)
                self._boot(host)
            else:
                self._copy(host, layer)
                self._roster.became(host, host.state)

        self._roster.stops.submit(self._take_when_idle, instance_id, layer, copy)

    def layer_state(self, layer: str) -> str:
        """See `spec.HostKeeper`."""
        return self._hypervisor.layers.state(layer)

    def prune(self) -> None:
        """See `spec.HostKeeper`."""
        self._roster.stops.submit(self._prune)

    def keep_image(self, image: KeptImage) -> None:
        """See `spec.HostKeeper`."""
        self._roster.stops.submit(self._hypervisor.keep, image)

    def forget_image(self, layer: str) -> None:
        """See `spec.HostKeeper`."""
        self._roster.stops.submit(self._hypervisor.forget, layer)

    def kept_images(self) -> Sequence[KeptImage]:
        """See `spec.HostKeeper`."""
        return self._hypervisor.take_kept()

    def afflict(self, instance_id: str, kind: HostKind) -> None:
        """See `spec.HostKeeper`. A host that boots anew is healthy again."""
        spec, running = self._roster.running(instance_id)
        if kind == "fail":
            self.fail(instance_id, "failed on demand")
        elif kind != "interrupt":
            ailments.afflict(running, kind)
        elif isinstance(spec, RackSpec):
            raise LabError(f"{instance_id} is a rack, not a spot instance")
        elif self._cloud:
            self._cloud.interrupt(spec.region, instance_id)

    def relieve(self, instance_id: str, kind: HostKind) -> None:
        """See `spec.HostKeeper`. A machine that failed is tried again at once."""
        if kind == "fail":
            with self._roster.lock:
                if host := self._roster.hosts.get(instance_id):
                    host.retry_at = 0.0
            return
        with contextlib.suppress(LabError):
            ailments.relieve(self._roster.running(instance_id)[1], kind)

    def sweep(self, *, keep_disks: bool = False) -> None:
        """Remove everything of this slot, and the disks. Raises LabError, CommandFailed."""
        self._closing.set()
        end_hosts(self._slot)
        self._roster.close()
        self._services.retain(set())
        self._internet.close()
        sweep(self._slot)
        for folder in (self._hypervisor.folder, self._hypervisor.layers.folder):
            if folder.exists() and not keep_disks:
                shutil.rmtree(folder)
        self._begin_anew()

    def _notice_ends(self) -> dict[str, HostSpec]:
        """Take note of hosts that ended by themselves; those a cloud must hear of."""
        powered_off = {}
        for instance_id, host in self._roster.hosts.items():
            if host.state != "running" or host.busy or not host.container:
                continue
            if host.container.asks_for_reboot:
                host.state, host.detail = "failed", "rebooting"
            elif how := host.container.ended:
                self._roster.failed(host, "boot", f"ended by itself: {how}")
                spec = host.spec
                # A rack has no cloud to hear of it: somebody presses its power button again.
                instance = spec if isinstance(spec, HostSpec) and self._cloud else None
                if host.container.powered_off and instance and spec.state == "running":
                    powered_off[instance_id] = instance
        return powered_off

    def _tell(self, powered_off: Mapping[str, HostSpec]) -> None:
        for instance_id, spec in powered_off.items():
            if self._cloud:
                self._cloud.powered_off(spec.region, instance_id)

    def _begin(self, host: Host, step: Step) -> None:
        work = {"boot": self._boot, "power off": self._power_off, "terminate": self._terminate}
        if step == "boot":
            host.state = "starting"
        self._roster.hand_out(host, step, work[step])

    def _boot(self, host: Host) -> None:
        self._hypervisor.boot(host)
        self._roster.became(host, "running")

    def _power_off(self, host: Host) -> None:
        self._hypervisor.shut_down(host)
        self._roster.became(host, "stopped")

    def _terminate(self, host: Host) -> None:
        self._hypervisor.delete(host)
        self._roster.remove(host)
        if host.spec.layers:
            self._prune()

    def _take_when_idle(self, instance_id: str, layer: str, work: Callable[[Host], None]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not self._roster.take(instance_id, work, FOUND):
            if self._closing.is_set() or time.monotonic() > deadline:
                self._hypervisor.layers.fail(layer, "there is no host, or it is busy")
                return
            time.sleep(LOOK_EVERY_S)

    def _copy(self, host: Host, layer: str) -> None:
        instance_id = host.spec.instance_id
        try:
            self._hypervisor.copy(host, layer)
        except (OrchestrateError, OSError) as failure:
            log.warning("%s: image: %s", instance_id, failure)
            self._hypervisor.layers.fail(layer, str(failure))

    def _prune(self) -> None:
        if self._cloud is None:
            return
        used = {layer for spec in self._roster.specs() for layer in spec.layers}
        self._hypervisor.layers.prune(used | self._cloud.layers())
