"""A topology as an outline: lines below lines, for a terminal. Pure; colours are the caller's."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations

from orchestrate.graph.topology import (
    ClusterView,
    DoorView,
    GroupView,
    MachineView,
    SiteView,
    Topology,
    ZoneView,
)


@dataclass(frozen=True)
class Item:
    """One line: what it is called, what is said of it, and the lines below it."""

    name: str
    detail: str = ""
    below: tuple["Item", ...] = field(default_factory=tuple)


def outline(shown: Topology) -> Item:
    """The whole picture as one tree."""
    below = [*map(_cluster, shown.clusters), *map(_site, shown.sites)]
    if shown.mesh:
        below.append(Item("peering", _count(shown.peerings, "connection"), _peers(shown)))
    if shown.site_links:
        below.append(Item("site VPN", "planned", _site_links(shown)))
    return Item(shown.fleet, totals(shown), tuple(below))


def _peers(shown: Topology) -> tuple[Item, ...]:
    """Each pair where they are few; else what they are in one line."""
    if not shown.drawn_apart:
        return (Item(f"each of the {len(shown.mesh):,} clusters ↔ each other"),)
    return tuple(Item(f"{one} ↔ {other}") for one, other in combinations(shown.mesh, 2))


def _site_links(shown: Topology) -> tuple[Item, ...]:
    if not shown.drawn_apart:
        every = f"each of the {len(shown.clusters):,} clusters"
        return tuple(Item(f"{site.name} ⇢ {every}") for site in shown.sites)
    return tuple(Item(f"{site} ⇢ {cluster}") for site, cluster in shown.site_links)


def totals(shown: Topology) -> str:
    """`3 clusters, 1 site, at most 2,832 GPUs`."""
    parts = [_count(len(shown.clusters), "cluster"), _count(len(shown.sites), "site")]
    parts = [part for part in parts if not part.startswith("0 ")]
    if shown.most_gpus:
        parts.append(f"at most {shown.most_gpus:,} GPUs")
    return ", ".join(parts)


def group_size(group: GroupView) -> str:
    """`0–96 hosts`."""
    return f"{group.min}–{group.max} host{'s' if group.max != 1 else ''}"


def group_detail(group: GroupView) -> str:
    """What its hosts are, and where, if not in every zone: `p4d.24xlarge · zone a`."""
    types = " or ".join(group.instance_types)
    # The region is said once, above: a zone's letter is enough here.
    zones = ", ".join(zone[-1] for zone in group.zones)
    return f"{types} · zone{'s' if len(group.zones) > 1 else ''} {zones}" if zones else types


def _cluster(cluster: ClusterView) -> Item:
    gateways = sum(zone.nat for zone in cluster.zones)
    network = [
        Item("internet gateway"),
        *(_zone(zone) for zone in cluster.zones),
        *(_door(door) for door in cluster.doors),
    ]
    below = [
        Item("vpc", f"{cluster.vpc} · {_count(gateways, 'NAT gateway')}", tuple(network)),
        Item("node groups", "", tuple(_group(group) for group in cluster.groups)),
        Item("storage", "", tuple(_storage(cluster))),
        Item("kubernetes", f"pods {cluster.pods} · services {cluster.services}"),
    ]
    detail = f"{cluster.region} · {cluster.domain}"
    return Item(cluster.name, detail, tuple(_filled(below)))


def _zone(zone: ZoneView) -> Item:
    nat = " · NAT gateway" if zone.nat else ""
    return Item(zone.name, f"public {zone.public} · private {zone.private}{nat}")


def _door(door: DoorView) -> Item:
    clients = f" · clients {door.clients}" if door.clients else ""
    return Item(door.name, f"{door.instance_type} · {door.detail}{clients}")


def _group(group: GroupView) -> Item:
    parts = [group_size(group), group_detail(group)]
    if group.capacity != "on-demand":
        parts.append(group.capacity)
    if group.gpus:
        parts.append(f"{group.gpus} GPUs each, at most {group.most_gpus:,}")
    return Item(group.name, " · ".join(parts))


def _storage(cluster: ClusterView) -> list[Item]:
    found = [("EFS", cluster.filesystems), ("S3", cluster.buckets)]
    return [Item(kind, ", ".join(names)) for kind, names in found if names]


def _site(site: SiteView) -> Item:
    below = [
        Item("gateway", f"{site.gateway} · {site.public_address}"),
        Item("lans", "", tuple(Item(name, net) for name, net in site.lans.items())),
        *(
            Item(f"rack {name}", "", tuple(map(_machine, machines)))
            for name, machines in site.racks.items()
        ),
        Item("kubernetes", f"pods {site.pods} · services {site.services}"),
    ]
    return Item(site.name, site.domain, tuple(_filled(below)))


def _machine(machine: MachineView) -> Item:
    gpus = f" · {_count(machine.gpus, 'GPU')}" if machine.gpus else ""
    return Item(machine.name, f"{machine.role} · {machine.address}{gpus}")


def _filled(items: Iterable[Item]) -> list[Item]:
    """Without headings that have nothing below them."""
    return [item for item in items if item.detail or item.below]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' if number != 1 else ''}"
