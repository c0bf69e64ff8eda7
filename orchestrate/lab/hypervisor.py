"""What boots hosts, ends them and copies their disks: one host at a time, on this machine.

`hosts` decides when, in whose thread, and what becomes of failures; here things only happen.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrate.caches import cache_folder
from orchestrate.errors import OrchestrateError
from orchestrate.lab import certificates, cgroups, container, disk, kept_images, layers, rootfs
from orchestrate.lab.container import Container
from orchestrate.lab.disk import Disk
from orchestrate.lab.kept_images import KeptImage, KeptImages
from orchestrate.lab.layers import Layers
from orchestrate.lab.network import Network
from orchestrate.lab.plan import Known, Step
from orchestrate.lab.sites.network import SiteNetworks
from orchestrate.lab.spec import AnySpec, Found, HostSpec, RackSpec
from orchestrate.lab.topology import Slot
from orchestrate.lab.user_ranges import UserRanges
from orchestrate.lab.vpc_services import VpcServices

log = logging.getLogger("lab.hosts")


@dataclass
class Host:
    """One host as this process knows it; `container` is its busy thread's, the rest the lock's."""

    spec: AnySpec
    state: Found = "stopped"
    detail: str = ""
    busy: bool = False
    failed: Step | None = None
    failures: int = 0
    retry_at: float = 0.0
    container: Container | None = None

    def known(self) -> Known:
        return Known(self.state, self.busy, self.failed, self.retry_at)


class Hypervisor:
    """Every method raises LabError, CommandFailed or OSError; `closing` makes boots give up."""

    def __init__(
        self,
        slot: Slot,
        folder: Path,
        network: Network,
        sites: SiteNetworks,
        services: VpcServices,
        closing: threading.Event,
    ) -> None:
        self.folder = folder / "hosts"
        self.layers = Layers(folder / "layers")
        self.kept: KeptImages | None = None
        self._slot = slot
        self._network = network
        self._sites = sites
        self._services = services
        self._closing = closing
        self._users = UserRanges(slot)
        self._rootfs = Path()
        self._authority = ""

    def prepare(self, progress: Callable[[str], None]) -> None:
        """Have the root file system and the folders."""
        self._rootfs = rootfs.ensure(cache_folder(), progress)
        self._authority = certificates.authority(cache_folder() / certificates.AUTHORITY)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.layers.folder.mkdir(exist_ok=True)
        if where := kept_images.folder():
            self.kept = KeptImages(where, rootfs.identity(self._rootfs))

    def keep(self, image: KeptImage) -> None:
        """Keep an image beyond this lab, which goes on without if that fails."""
        if self.kept:
            with _noting(f"{image.name} is not kept"):
                self.kept.keep(image, *self.layers.folders([image.layer]))

    def forget(self, layer: str) -> None:
        """Keep an image no longer; this lab goes on if that fails."""
        if self.kept:
            with _noting(f"{layer} is still kept"):
                self.kept.forget(layer)

    def take_kept(self) -> list[KeptImage]:
        """Have the layers of images that earlier labs kept; those whose layers are here then."""
        here: list[KeptImage] = []
        if kept := self.kept:
            with _noting("images of earlier labs are left out"):
                for image in kept.whole():
                    kept.give(image.layer, self.layers.folder / image.layer)
                    here.append(image)
        return here

    def disk(self, instance_id: str) -> Disk:
        return Disk(self.folder / instance_id)

    def boot(self, host: Host) -> None:
        """Boot it from its disk, a new one if it has none, and wait until sshd runs."""
        spec = host.spec
        self.cut_power(host)
        place, below = self.disk(spec.instance_id), self.layers.folders(spec.layers)
        lower = [*(layers.upper(layer) for layer in below), self._rootfs]
        disk.create(place, spec, lower, self._authority)
        if below:
            layers.copy_containerd(below[0], place)
        disk.mount_points(place)
        self._prepare_network(spec)
        first_user = self._users.take(spec.instance_id)
        host.container = container.boot(
            self._slot.namespace(spec.instance_id),
            spec.hostname,
            place,
            lower=lower,
            groups=cgroups.create(self._slot.prefix, spec.instance_id, first_user),
            first_user=first_user,
            plug=lambda leader: self._plug(spec, leader),
            give_up=self._closing,
        )
        # By now the host may have another key, or none that can be read: that is its own affair.
        with _noting(f"{spec.instance_id}: no SSH host key for its console"):
            keys = disk.host_keys(place.host_key)
            with place.console.open("a") as console:
                console.write(keys)

    def _prepare_network(self, spec: AnySpec) -> None:
        """Have where a host lives, which is made if need be."""
        if isinstance(spec, HostSpec):
            self._network.ensure(spec)
            self._services.ensure(spec.vpc_id, spec.vpc_cidr)

    def _plug(self, spec: AnySpec, leader: int) -> None:
        """Wire a host, whose first process this is, into where it lives."""
        if isinstance(spec, HostSpec):
            self._network.plug(spec, leader)
        else:
            self._sites.plug(spec, leader)

    def shut_down(self, host: Host) -> None:
        """As by the power button: in order, then for good."""
        if host.container:
            host.container.power_off()
        self.cut_power(host)

    def cut_power(self, host: Host) -> None:
        """At once; fine when it does not run."""
        if host.container:
            host.container.cut_power()
            host.container = None
        if isinstance(host.spec, RackSpec):
            self._sites.unplug(host.spec)
        else:
            self._network.unplug(host.spec)

    def copy(self, host: Host, layer: str) -> None:
        """Make a layer of its disk as it is at one moment. What runs on it stands still meanwhile:
        who exchanged a folder for a link just then would have the machine's own files copied.
        """
        with cgroups.frozen(host.container.groups if host.container else []):
            self.layers.copy(self.disk(host.spec.instance_id), layer)

    def delete(self, host: Host) -> None:
        """Shut it down and remove its disk."""
        self.shut_down(host)
        disk.delete(self.disk(host.spec.instance_id))
        self._users.give_back(host.spec.instance_id)


@contextmanager
def _noting(what: str) -> Iterator[None]:
    """Log what goes wrong with what no host depends on, such as images beyond this lab."""
    try:
        yield
    except (OrchestrateError, OSError) as failure:
        log.warning("%s: %s", what, failure)
