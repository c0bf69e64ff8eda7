"""The shape of the fleet files. Pure: no file, clock or network.

Every model refuses unknown keys. What one value can say wrong on its own is checked here; what
needs two values, two files or the facts of AWS is checked in `rules`. The strings below fields
become the descriptions in the JSON schema for editors.
"""

from ipaddress import IPv4Network
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from orchestrate.fleet.shapes import (
    Account,
    Address,
    Description,
    Domain,
    Labels,
    PublicKey,
    Range,
    Region,
    Tags,
    Taint,
    Text,
    Whole,
    Word,
    Zone,
)

Architecture = Literal["x86_64", "arm64"]
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
    """A range to allocate from."""

    range: Range
    reserved: tuple[Range, ...] = ()
    """Parts of the range that are never given out."""


class ExternalRange(Model):
    """A range somebody else uses (an office, Docker's bridge); nothing of ours may touch it."""

    range: Range
    why: Text
    """Who uses it."""


class Addresses(Model):
    """Where ranges come from."""

    pools: dict[Literal["cloud", "sites", "vpn", "pods", "services"], AddressPool]
    """What to allocate from: VPCs, site LANs, VPN clients, pods and services."""
    external: tuple[ExternalRange, ...] = ()
    """Ranges that others use."""
    quarantine_days: Whole = Field(default=30, ge=0, le=3650)
    """How many days a released range rests before it is reused."""


class SourceImage(Model):
    """A vendor's AMI that hosts start from: the newest of `owner` whose name matches `name`."""

    owner: Account
    """The vendor's AWS account."""
    name: Text
    """A pattern, like `debian-12-amd64-*`."""
    user: Word
    """The login that the image's cloud-init creates."""
    architecture: Architecture = "x86_64"
    """What its instance types must run."""


class InstanceType(Model):
    """What one EC2 instance type has."""

    cpus: Whole = Field(ge=1)
    """vCPUs."""
    memory_mib: Whole = Field(ge=128)
    """Memory in MiB."""
    gpus: Whole = Field(default=0, ge=0, le=16)
    """NVIDIA GPUs, as Kubernetes would count them."""
    card: str = ""
    """The GPU's name, like `A100`."""
    architecture: Architecture = "x86_64"
    regions: frozenset[Region] = frozenset()
    """Where AWS offers it; empty where that is not known."""


class State(Model):
    """Where Terraform's state is kept."""

    region: Region
    """The region of the state bucket."""


class FleetFile(Model):
    """`fleet/fleet.yaml`: what all clusters and sites share."""

    name: Word
    """The first part of every name AWS sees."""
    account: Account
    """The only AWS account that a run may touch: twelve digits, in quotes."""
    domain: Domain
    """The parent of every cluster's and site's DNS zone."""
    description: Description = ""
    state: State
    ssh_public_key: PublicKey = ""
    """The operators' public key, which becomes each cluster's EC2 key pair on AWS."""
    addresses: Addresses
    images: dict[str, SourceImage] = Field(min_length=1)
    """The images that hosts may start from, by the name used here."""
    instance_types: dict[str, InstanceType] = Field(default_factory=dict)
    """Instance types that AWS offers and `orchestrate` does not know yet."""
    tags: Tags = Field(default_factory=dict)
    """Tags on every AWS resource."""


class Network(Model):
    """A cluster's VPC."""

    prefix: Whole = Field(default=16, ge=16, le=22)
    """The VPC's length in bits."""
    nat: Literal["per-zone", "single", "none"] = "per-zone"
    """How private hosts reach the internet: a NAT gateway in each zone, one for all, or not."""


class Bastion(Model):
    """The SSH door of a cluster, behind an elastic address."""

    instance_type: str = "t3.small"
    image: str
    """One of the images in fleet.yaml."""
    allow_ssh_from: tuple[Range, ...] = Field(min_length=1)
    """Who may reach port 22, like `[0.0.0.0/0]` for everybody."""


class Vpn(Model):
    """The laptops' VPN endpoint of a cluster."""

    instance_type: str = "t3.medium"
    image: str
    """One of the images in fleet.yaml."""
    clients_prefix: Whole = Field(default=20, ge=16, le=27)
    """The length in bits of the range that laptops get their addresses from."""
    port: Whole = Field(default=1194, ge=1, le=65535)
    protocol: Literal["udp", "tcp"] = "udp"
    allow_from: tuple[Range, ...] = Field(default=(IPv4Network("0.0.0.0/0"),), min_length=1)
    """Who may reach the port."""


class NodeGroup(Model):
    """One auto scaling group of like hosts."""

    role: Role
    """What its hosts do."""
    instance_types: tuple[str, ...] = Field(min_length=1)
    """EC2 types, alike in CPUs and GPUs; the autoscaler plans with the first."""
    image: str
    """One of the images in fleet.yaml."""
    capacity: Capacity = "on-demand"
    """How AWS sells it: on-demand, spot, or mixed (spot beyond `on_demand_base`)."""
    on_demand_base: Whole = Field(default=0, ge=0)
    """With capacity mixed: how many hosts are on-demand before spot begins."""
    min: Whole = Field(default=0, ge=0, le=5000)
    """The autoscaler keeps at least so many hosts."""
    max: Whole = Field(ge=0, le=5000)
    """The autoscaler buys at most so many hosts."""
    zones: tuple[Zone, ...] = ()
    """Some of the cluster's zones; all of them where this is left out."""
    gpus: Whole = Field(default=0, ge=0, le=16)
    """GPUs per host; must be what the instance types have."""
    disk_gb: Whole = Field(default=100, ge=8, le=16384)
    """The root disk's size in GiB."""
    labels: Labels = Field(default_factory=dict)
    """Kubernetes labels of its nodes."""
    taints: tuple[Taint, ...] = ()
    """Kubernetes taints of its nodes, like `nvidia.com/gpu=present:NoSchedule`."""
    description: Description = ""


class FileSystem(Model):
    """An EFS file system with a mount target in every zone."""

    throughput: Literal["bursting", "elastic"] = "elastic"
    archive_after_days: Literal[0, 7, 14, 30, 60, 90] = 30
    """When files that nobody reads move to cheaper storage; 0 is never."""


class Bucket(Model):
    """An S3 bucket: encrypted, versioned, private."""

    keep_versions_days: Whole = Field(default=30, ge=1)
    """How many days an overwritten or deleted object can be got back."""


class Storage(Model):
    """A cluster's data."""

    filesystems: dict[Word, FileSystem] = Field(default_factory=dict)
    """EFS file systems, by mount name."""
    buckets: dict[Word, Bucket] = Field(default_factory=dict)
    """S3 buckets, by purpose."""


class Kubernetes(Model):
    """How large the pod and service ranges of a cluster or site are."""

    pods_prefix: Whole = Field(default=16, ge=12, le=20)
    """The pod range's length in bits."""
    services_prefix: Whole = Field(default=20, ge=16, le=24)
    """The service range's length in bits."""


class Cluster(Model):
    """`fleet/clusters/NAME.yaml`: one AWS region's network and node groups."""

    name: Word
    """Also the file's name, and the stack's."""
    region: Region
    zones: tuple[Zone, ...] = Field(min_length=1, max_length=6)
    """The availability zones it uses."""
    description: Description = ""
    network: Network = Network()
    kubernetes: Kubernetes = Kubernetes()
    bastion: Bastion
    vpn: Vpn | None = None
    node_groups: dict[Word, NodeGroup] = Field(default_factory=dict)
    storage: Storage = Storage()
    tags: Tags = Field(default_factory=dict)
    """Tags on this cluster's AWS resources, beside the fleet's."""


class Lan(Model):
    """A site's network: a fixed `range` the building has, or a `prefix` to be allocated."""

    range: Range | None = None
    """What the building already has."""
    prefix: Whole | None = Field(default=None, ge=16, le=28)
    """The length in bits of a range to be allocated."""


class RackHost(Model):
    """A physical host, with a static address on its site's LAN."""

    role: Role
    lan: Word
    """One of the site's LANs."""
    address: Address
    gpus: Whole = Field(default=0, ge=0, le=16)
    labels: Labels = Field(default_factory=dict)
    """Kubernetes labels of the node."""
    taints: tuple[Taint, ...] = ()
    """Kubernetes taints of the node."""


class Gateway(Model):
    """The site's way out: the host that ends its VPNs, and the address the world sees."""

    host: Word
    """One of the site's rack hosts."""
    public_address: Address


class Site(Model):
    """`fleet/sites/NAME.yaml`: a physical location with racks."""

    name: Word
    """Also the file's name."""
    description: Description = ""
    lans: dict[Word, Lan] = Field(min_length=1)
    gateway: Gateway
    kubernetes: Kubernetes = Kubernetes()
    racks: dict[Word, dict[Word, RackHost]] = Field(default_factory=dict)
    """Hosts by rack and name."""
    tags: Tags = Field(default_factory=dict)


class Fleet(Model):
    """Everything that should exist: `fleet.yaml`, its clusters and its sites, sorted by name."""

    file: FleetFile
    clusters: dict[str, Cluster] = Field(default_factory=dict)
    sites: dict[str, Site] = Field(default_factory=dict)
