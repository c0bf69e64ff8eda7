"""What there is to draw: networks with their ranges, gateways, groups, sites and links. Pure.

Everything a picture of the fleet says is decided here, once, and then drawn as text, SVG or JSON.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from math import comb

from orchestrate.fleet import names, ranges
from orchestrate.fleet.models import Cluster, Fleet, NodeGroup, RackHost, Site

Ranges = Mapping[str, IPv4Network]
# What stands for a range the ledger has not given yet.
UNKNOWN = "not allocated"
# More clusters than this are linked by one line: ten have 45 peerings.
FEW = 8


@dataclass(frozen=True)
class ZoneView:
    """One availability zone: its subnets, and whether a NAT gateway stands in the public one."""

    name: str
    public: str
    private: str
    nat: bool


@dataclass(frozen=True)
class DoorView:
    """A host with an elastic address: `detail` is what it serves, `clients` its VPN's pool."""

    name: str
    instance_type: str
    detail: str
    clients: str = ""


@dataclass(frozen=True)
class GroupView:
    """One node group. `gpus` is per host; `zones` is empty where all of the cluster's will do."""

    name: str
    role: str
    instance_types: tuple[str, ...]
    capacity: str
    min: int
    max: int
    gpus: int
    zones: tuple[str, ...]

    @property
    def most_gpus(self) -> int:
        return self.gpus * self.max


@dataclass(frozen=True)
class ClusterView:
    """A cluster: its region, VPC, doors, groups and storage."""

    name: str
    region: str
    domain: str
    description: str
    vpc: str
    zones: tuple[ZoneView, ...]
    doors: tuple[DoorView, ...]
    groups: tuple[GroupView, ...]
    filesystems: tuple[str, ...]
    buckets: tuple[str, ...]
    pods: str
    services: str

    @property
    def most_gpus(self) -> int:
        return sum(group.most_gpus for group in self.groups)


@dataclass(frozen=True)
class MachineView:
    """A physical host in a rack."""

    name: str
    role: str
    address: str
    gpus: int


@dataclass(frozen=True)
class SiteView:
    """A site: LANs by name with their ranges, racks by name with their machines, its gateway."""

    name: str
    domain: str
    description: str
    lans: Mapping[str, str]
    racks: Mapping[str, tuple[MachineView, ...]]
    gateway: str
    public_address: str
    pods: str
    services: str

    @property
    def gpus(self) -> int:
        return sum(machine.gpus for machines in self.racks.values() for machine in machines)


@dataclass(frozen=True)
class Topology:
    """The fleet, or the part of it that was asked for.

    `mesh` names the clusters, each of which is peered with each other: said so and not pair by
    pair, as 1,000 clusters have 499,500. Every site is to have a VPN between its gateway and each
    of the clusters; `site_links` are these (site, cluster), planned.
    """

    fleet: str
    description: str
    clusters: tuple[ClusterView, ...]
    sites: tuple[SiteView, ...]
    mesh: tuple[str, ...]
    site_links: tuple[tuple[str, str], ...]

    @property
    def peerings(self) -> int:
        """How many connections the mesh has: one for each pair of its clusters."""
        return comb(len(self.mesh), 2)

    @property
    def drawn_apart(self) -> bool:
        """Whether so few clusters are linked that each link can be followed with the eye."""
        return len(self.clusters) <= FEW

    @property
    def most_gpus(self) -> int:
        cloud = sum(cluster.most_gpus for cluster in self.clusters)
        return cloud + sum(site.gpus for site in self.sites)


def topology(fleet: Fleet, given: Ranges, only: Collection[str] = ()) -> Topology:
    """The picture's content. `only` names clusters and sites; all if it is empty."""
    clusters = [one for one in fleet.clusters.values() if not only or one.name in only]
    sites = [one for one in fleet.sites.values() if not only or one.name in only]
    return Topology(
        fleet=fleet.file.name,
        description=fleet.file.description,
        clusters=tuple(_cluster(fleet, given, cluster) for cluster in clusters),
        sites=tuple(_site(fleet, given, site) for site in sites),
        mesh=tuple(cluster.name for cluster in clusters) if len(clusters) > 1 else (),
        site_links=tuple((site.name, cluster.name) for site in sites for cluster in clusters),
    )


def _cluster(fleet: Fleet, given: Ranges, cluster: Cluster) -> ClusterView:
    name = cluster.name
    return ClusterView(
        name=name,
        region=cluster.region,
        domain=names.cluster_zone(fleet, name),
        description=cluster.description,
        vpc=_range(given, ranges.vpc(name)),
        zones=tuple(_zone(given, cluster, zone) for zone in cluster.zones),
        doors=tuple(_doors(given, cluster)),
        groups=tuple(_group(group, one) for group, one in sorted(cluster.node_groups.items())),
        filesystems=tuple(sorted(cluster.storage.filesystems)),
        buckets=tuple(sorted(cluster.storage.buckets)),
        pods=_range(given, ranges.pods(name)),
        services=_range(given, ranges.services(name)),
    )


def _zone(given: Ranges, cluster: Cluster, zone: str) -> ZoneView:
    nat = cluster.network.nat
    return ZoneView(
        name=zone,
        public=_range(given, ranges.subnet(cluster.name, "public", zone)),
        private=_range(given, ranges.subnet(cluster.name, "private", zone)),
        nat=nat == "per-zone" or (nat == "single" and zone == cluster.zones[0]),
    )


def _doors(given: Ranges, cluster: Cluster) -> list[DoorView]:
    doors = [DoorView("bastion", cluster.bastion.instance_type, "SSH")]
    if cluster.vpn:
        vpn = cluster.vpn
        pool = _range(given, ranges.vpn_clients(cluster.name))
        doors.append(DoorView("vpn", vpn.instance_type, f"{vpn.protocol} {vpn.port}", pool))
    return doors


def _group(name: str, group: NodeGroup) -> GroupView:
    return GroupView(
        name=name,
        role=group.role,
        instance_types=group.instance_types,
        capacity=group.capacity,
        min=group.min,
        max=group.max,
        gpus=group.gpus,
        zones=group.zones,
    )


def _site(fleet: Fleet, given: Ranges, site: Site) -> SiteView:
    return SiteView(
        name=site.name,
        domain=names.site_zone(fleet, site.name),
        description=site.description,
        lans={lan: _range(given, ranges.lan(site.name, lan)) for lan in sorted(site.lans)},
        racks={rack: _machines(hosts) for rack, hosts in site.racks.items()},
        gateway=site.gateway.host,
        public_address=str(site.gateway.public_address),
        pods=_range(given, ranges.pods(site.name)),
        services=_range(given, ranges.services(site.name)),
    )


def _machines(hosts: Mapping[str, RackHost]) -> tuple[MachineView, ...]:
    return tuple(
        MachineView(name, host.role, str(host.address), host.gpus) for name, host in hosts.items()
    )


def _range(given: Ranges, key: str) -> str:
    return str(given[key]) if key in given else UNKNOWN
