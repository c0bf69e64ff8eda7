"""`fleet/clusters/NAME.yaml`."""

from ipaddress import IPv4Network
from typing import Literal

from pydantic import Field

from orchestrate.fleet.models.base import Capacity, Model, Role
from orchestrate.fleet.models.kubernetes import Kubernetes
from orchestrate.fleet.shapes import (
    Description,
    Labels,
    Name,
    Range,
    Region,
    Tags,
    Taint,
    Whole,
    Word,
    Zone,
)


class Network(Model):
    """A cluster's VPC."""

    prefix: Whole = Field(default=16, ge=16, le=22)
    """The VPC's length in bits."""
    nat: Literal["per-zone", "single", "none"] = "per-zone"
    """How private hosts reach the internet: a NAT gateway in each zone, one for all, or not."""


class Bastion(Model):
    """The SSH door of a cluster, behind an elastic address."""

    instance_type: Name = "t3.small"
    image: Name
    """One of the images in fleet.yaml, a vendor's or a baked one."""
    allow_ssh_from: tuple[Range, ...] = Field(min_length=1)
    """Who may reach port 22, like `[0.0.0.0/0]` for everybody."""


class Vpn(Model):
    """The laptops' VPN endpoint of a cluster."""

    instance_type: Name = "t3.medium"
    image: Name
    """One of the images in fleet.yaml, a vendor's or a baked one."""
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
    instance_types: tuple[Name, ...] = Field(min_length=1)
    """EC2 types, alike in CPUs and GPUs; the autoscaler plans with the first."""
    image: Name
    """One of the images in fleet.yaml, a vendor's or a baked one."""
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
