"""Where the lab's API and its hosts meet: what a host should be, and what it is. Pure data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from typing import ClassVar, Literal, Protocol

from orchestrate.lab.cloud import Cloud
from orchestrate.lab.faults.models import HostKind
from orchestrate.lab.kept_images import KeptImage
from orchestrate.lab.sites.models import Lan, Uplink
from orchestrate.lab.vpc.models import Networks

Wanted = Literal["running", "stopped", "terminated"]
Found = Literal["starting", "running", "stopped", "failed"]

SLOTS = 32
PUBLIC_POOL = IPv4Network("198.18.0.0/15")  # RFC 2544 benchmarking: routed nowhere on the internet

# How many addresses at the start of a public range are the lab's own routers', never elastic.
ROUTER_ADDRESSES = 10


def public_range(slot: int) -> IPv4Network:
    """The /20 of a lab's elastic addresses; `slot` counts from 0 to SLOTS - 1."""
    return list(PUBLIC_POOL.subnets(new_prefix=20))[slot]


def prefix(slot: int) -> str:
    """What the names of a lab's namespaces and links begin with."""
    return f"ol{slot}-"


@dataclass(frozen=True)
class HostSpec:
    """An instance as a host should be, read from the EC2 API.

    `public_ip` is the associated elastic address, or the automatic one of a public subnet.
    `hostname` is the private DNS name's first label (`ip-10-0-0-5`). `user` is the image's login
    (`admin`, `ubuntu`), `public_key` one OpenSSH line, "" when launched without a key pair. With
    `mac` "" the network interface gets any. `layers` are the image's own, from the top down;
    none for a vendor's image.
    A terminated instance is listed while the API still shows it, then no more: either means gone.
    """

    instance_id: str
    region: str
    vpc_id: str
    vpc_cidr: IPv4Network
    subnet_id: str
    subnet_cidr: IPv4Network
    private_ip: IPv4Address
    public_ip: IPv4Address | None
    hostname: str
    user: str
    public_key: str
    state: Wanted
    mac: str = ""
    has_user_data: bool = False
    layers: tuple[str, ...] = ()
    source_dest_check: bool = True
    security_groups: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RackSpec:
    """A site's rack as a host should be; see HostSpec for what they share.

    `instance_id` is its name, `sf-cpu1.site-sf`; `resolver` is whom it asks for names. From the 32
    bytes of `host_key` its SSH host key is made. The site's gateway has an `uplink`.
    """

    instance_id: str
    site: str
    hostname: str
    private_ip: IPv4Address
    lan: Lan
    resolver: IPv4Address
    user: str
    public_key: str
    host_key: bytes = field(repr=False)
    uplink: Uplink | None = None
    state: Wanted = "running"
    has_user_data: ClassVar[bool] = False
    layers: ClassVar[tuple[str, ...]] = ()


AnySpec = HostSpec | RackSpec


@dataclass(frozen=True)
class HostState:
    """What became of a host. `detail` says why one failed, in words for an operator."""

    state: Found
    detail: str = ""


class HostKeeper(Protocol):
    """What the daemon asks of `hosts.Hosts(slot, state_folder)`.

    `prepare`, `reconcile` and `sweep` are called from one thread only; all else from any, at any
    time, and returns at once.
    """

    def attach(self, cloud: Cloud) -> None:
        """Belong to a cloud, which answers what hosts ask about themselves; before `prepare`."""

    def prepare(self, progress: Callable[[str], None]) -> None:
        """Make ready what all hosts share (root file system, networks); slow only the first time.

        `progress` takes one short line per step. Raises LabError.
        """

    def reconcile(self, specs: Sequence[AnySpec], networks: Networks) -> None:
        """Bring the hosts to `specs`, the whole list of them, and what is between them to
        `networks`. Quick when nothing changed.

        One host that cannot be had makes its state `failed`, never an exception.
        """

    def states(self) -> Mapping[str, HostState]:
        """What every host is now, by instance id."""

    def state(self, instance_id: str) -> HostState | None:
        """What one host is now; None when there is none."""

    def console(self, instance_id: str) -> str:
        """What a host printed since it last booted; "" for none."""

    def reboot(self, instance_id: str) -> None:
        """Shut a running host down in order and boot it again; another is left alone."""

    def fail(self, instance_id: str, why: str) -> None:
        """Cut a running host's power as if its machine broke: it stays so until it is stopped."""

    def snapshot(self, instance_id: str, layer: str, *, reboot: bool) -> None:
        """Begin to copy a host's disk into a layer, of a name that none has yet.

        A running host is shut down for it and booted again, unless `reboot` is off.
        """

    def layer_state(self, layer: str) -> str:
        """`copying`, `whole`, or why it could not be copied."""

    def prune(self) -> None:
        """Remove, some time soon, the layers that no image, snapshot or host needs any more."""

    def keep_image(self, image: KeptImage) -> None:
        """Have an image and its layer, which is whole, outlive this lab; some time soon."""

    def forget_image(self, layer: str) -> None:
        """Undo `keep_image`, some time soon."""

    def kept_images(self) -> Sequence[KeptImage]:
        """Images of earlier labs whose layers this one has now, oldest first; after `prepare`."""

    def afflict(self, instance_id: str, kind: HostKind) -> None:
        """Let a running host hang, reboot or lose its network. Raises LabError where none runs."""

    def relieve(self, instance_id: str, kind: HostKind) -> None:
        """Undo `afflict`; nothing where it ended with the host. Raises LabError."""

    def sweep(self, *, keep_disks: bool = False) -> None:
        """Remove every process, mount, namespace, link and route of this slot, and the disks.

        Works on what a killed daemon left behind, and with nothing there.
        """
