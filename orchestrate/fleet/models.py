"""The shape of the fleet files. Pure: no file, clock or network.

Every model refuses unknown keys. What one file can say wrong on its own is checked here; what
needs two files, or a catalogue, is checked in `rules`.
"""

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

# A word that may stand inside AWS names, DNS labels (RFC 1123) and Kubernetes labels alike.
Word = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=63)]
Zone = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}(-[a-z]+)+-\d[a-z]$")]
Region = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")]
Domain = Annotated[str, StringConstraints(pattern=r"^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$")]
# EC2 accepts only this set in descriptions; a plan would pass and the apply would not.
Text = Annotated[str, StringConstraints(pattern=r"^[ -~]*$", max_length=200)]
Taint = Annotated[
    str,
    StringConstraints(
        pattern=r"^[a-z0-9A-Z./_-]+(=[a-z0-9A-Z._-]*)?:(NoSchedule|PreferNoSchedule|NoExecute)$"
    ),
]
Role = Literal[
    "bastion",
    "vpn",
    "ssh-node",
    "cpu-worker",
    "gpu-worker",
    "control-plane",
    "storage",
    "site-gateway",
]
Capacity = Literal["on-demand", "spot", "mixed"]


class Model(BaseModel):
    """What all fleet models share: immutable, and no key passes unnoticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AddressPool(Model):
    """A range to allocate from. `reserved` parts of it are never given out."""

    range: IPv4Network
    reserved: tuple[IPv4Network, ...] = ()


class ExternalRange(Model):
    """A range somebody else uses (an office, Docker's bridge); nothing of ours may touch it."""

    range: IPv4Network
    why: Text


class Addresses(Model):
    """Where ranges come from. A released range rests `quarantine_days` before it is reused."""

    pools: dict[Literal["cloud", "sites", "vpn", "pods", "services"], AddressPool]
    external: tuple[ExternalRange, ...] = ()
    quarantine_days: int = Field(default=30, ge=0, le=3650)


class SourceImage(Model):
    """A vendor's AMI that hosts start from: newest of `owner` whose name matches `name`.

    `user` is the login that the image's cloud-init creates.
    """

    owner: Annotated[str, StringConstraints(pattern=r"^\d{12}$")]
    name: Text
    user: Word


class State(Model):
    """Where Terraform's state is kept: one bucket in this region."""

    region: Region


class FleetFile(Model):
    """`fleet/fleet.yaml`: what all clusters and sites share."""

    name: Word
    account: Annotated[str, StringConstraints(pattern=r"^\d{12}$")]
    domain: Domain
    description: Text = ""
    state: State
    ssh_public_key: str = ""
    addresses: Addresses
    images: dict[str, SourceImage] = Field(min_length=1)
    tags: dict[str, Text] = Field(default_factory=dict)


class Network(Model):
    """A cluster's VPC: `prefix` is its length in bits (AWS allows /16 to /28)."""

    prefix: int = Field(default=16, ge=16, le=22)
    nat: Literal["per-zone", "single", "none"] = "per-zone"


class Bastion(Model):
    """The SSH door of a cluster, behind an elastic address."""

    instance_type: str = "t3.small"
    image: str
    allow_ssh_from: tuple[IPv4Network, ...] = Field(min_length=1)


class Vpn(Model):
    """The laptops' VPN endpoint of a cluster; `clients_prefix` sizes its address pool."""

    instance_type: str = "t3.medium"
    image: str
    clients_prefix: int = Field(default=20, ge=16, le=27)
    port: int = Field(default=1194, ge=1, le=65535)
    protocol: Literal["udp", "tcp"] = "udp"
    allow_from: tuple[IPv4Network, ...] = Field(default=(IPv4Network("0.0.0.0/0"),), min_length=1)


class NodeGroup(Model):
    """One auto scaling group. `gpus` is per host and must be what the instance type has.

    More than one instance type makes a mixed-instances group; all of them must be alike in CPUs,
    memory and GPUs, because the cluster autoscaler plans with the first.
    """

    role: Role
    instance_types: tuple[str, ...] = Field(min_length=1)
    image: str
    capacity: Capacity = "on-demand"
    on_demand_base: int = Field(default=0, ge=0)
    min: int = Field(default=0, ge=0, le=5000)
    max: int = Field(ge=0, le=5000)
    zones: tuple[Zone, ...] = ()
    gpus: int = Field(default=0, ge=0, le=16)
    disk_gb: int = Field(default=100, ge=8, le=16384)
    labels: dict[str, str] = Field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    description: Text = ""


class FileSystem(Model):
    """An EFS file system with a mount target in every zone."""

    throughput: Literal["bursting", "elastic"] = "elastic"
    archive_after_days: Literal[0, 7, 14, 30, 60, 90] = 30


class Bucket(Model):
    """An S3 bucket: encrypted, versioned, private. Old versions go after `keep_versions_days`."""

    keep_versions_days: int = Field(default=30, ge=1)


class Storage(Model):
    """A cluster's data: file systems by mount name, buckets by purpose."""

    filesystems: dict[Word, FileSystem] = Field(default_factory=dict)
    buckets: dict[Word, Bucket] = Field(default_factory=dict)


class Kubernetes(Model):
    """Lengths in bits of the pod and service ranges of a cluster or site."""

    pods_prefix: int = Field(default=16, ge=12, le=20)
    services_prefix: int = Field(default=20, ge=16, le=24)


class Cluster(Model):
    """`fleet/clusters/NAME.yaml`: one AWS region's network and node groups."""

    name: Word
    region: Region
    zones: tuple[Zone, ...] = Field(min_length=1, max_length=6)
    description: Text = ""
    network: Network = Network()
    kubernetes: Kubernetes = Kubernetes()
    bastion: Bastion
    vpn: Vpn | None = None
    node_groups: dict[Word, NodeGroup] = Field(default_factory=dict)
    storage: Storage = Storage()
    tags: dict[str, Text] = Field(default_factory=dict)


class Lan(Model):
    """A site's network: a fixed `range` the building has, or a `prefix` to be allocated."""

    range: IPv4Network | None = None
    prefix: int | None = Field(default=None, ge=16, le=28)


class RackHost(Model):
    """A physical host, with a static address on its site's LAN."""

    role: Role
    lan: Word
    address: IPv4Address
    gpus: int = Field(default=0, ge=0, le=16)
    labels: dict[str, str] = Field(default_factory=dict)
    taints: tuple[Taint, ...] = ()


class Gateway(Model):
    """The site's way out: the host that ends its VPNs, and the address the world sees."""

    host: Word
    public_address: IPv4Address


class Site(Model):
    """`fleet/sites/NAME.yaml`: a physical location with racks."""

    name: Word
    description: Text = ""
    lans: dict[Word, Lan] = Field(min_length=1)
    gateway: Gateway
    kubernetes: Kubernetes = Kubernetes()
    racks: dict[Word, dict[Word, RackHost]] = Field(default_factory=dict)
    tags: dict[str, Text] = Field(default_factory=dict)


class Fleet(Model):
    """Everything that should exist: `fleet.yaml`, its clusters and its sites, sorted by name."""

    file: FleetFile
    clusters: dict[str, Cluster] = Field(default_factory=dict)
    sites: dict[str, Site] = Field(default_factory=dict)
