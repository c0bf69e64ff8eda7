"""The shape of the fleet files. Pure: no file, clock or network.

Every model refuses unknown keys. What one value can say wrong on its own is checked here; what
needs two values, two files or the facts of AWS is checked in `rules`. The strings below fields
become the descriptions in the JSON schema for editors.
"""

from pydantic import Field

from orchestrate.fleet.models.addresses import Addresses, AddressPool, ExternalRange
from orchestrate.fleet.models.base import Architecture, Capacity, Model, Role
from orchestrate.fleet.models.cluster import (
    Bastion,
    Bucket,
    Cluster,
    FileSystem,
    Network,
    NodeGroup,
    Storage,
    Vpn,
)
from orchestrate.fleet.models.fleet_file import FleetFile, State, User
from orchestrate.fleet.models.images import BakedImage, InstanceType, SourceImage
from orchestrate.fleet.models.kubernetes import Kubernetes
from orchestrate.fleet.models.site import Gateway, Lan, RackHost, Site, SiteStorage

__all__ = [
    "AddressPool",
    "Addresses",
    "Architecture",
    "BakedImage",
    "Bastion",
    "Bucket",
    "Capacity",
    "Cluster",
    "ExternalRange",
    "FileSystem",
    "Fleet",
    "FleetFile",
    "Gateway",
    "InstanceType",
    "Kubernetes",
    "Lan",
    "Model",
    "Network",
    "NodeGroup",
    "RackHost",
    "Role",
    "Site",
    "SiteStorage",
    "SourceImage",
    "State",
    "Storage",
    "User",
    "Vpn",
]


class Fleet(Model):
    """Everything that should exist: `fleet.yaml`, its clusters and its sites, sorted by name."""

    file: FleetFile
    clusters: dict[str, Cluster] = Field(default_factory=dict)
    sites: dict[str, Site] = Field(default_factory=dict)
