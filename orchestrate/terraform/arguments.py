"""What a cluster's root gives its modules: from the fleet and the ledger, as plain data. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from orchestrate.fleet import homes, lineage, names, ranges
from orchestrate.fleet.models import Cluster, Fleet, NodeGroup
from orchestrate.terraform import hcl
from orchestrate.terraform.hcl import Expression

Ranges = Mapping[str, IPv4Network]


@dataclass(frozen=True)
class Ami:
    """A baked image in one region, and the name of its root device."""

    id: str
    root_device: str


Amis = Mapping[tuple[str, str], Ami]
"""The AMIs to start hosts from, by the fleet's name of the image and the region."""

# Roles whose hosts are Kubernetes nodes and come and go with the pods; the others are people's.
AUTOSCALED = frozenset({"cpu-worker", "gpu-worker"})


def stack_tags(fleet: Fleet, stack: str) -> dict[str, str]:
    """Tags of everything a stack makes. Ours win over the user's: inventory and bills read them."""
    return _sorted({**fleet.file.tags, **_ours(fleet, stack)})


def cluster_tags(fleet: Fleet, cluster: Cluster) -> dict[str, str]:
    """Tags of everything in a cluster; its own win over the fleet's."""
    both = {**fleet.file.tags, **cluster.tags}
    return _sorted({**both, **_ours(fleet, cluster.name), "cluster": cluster.name})


def _ours(fleet: Fleet, stack: str) -> dict[str, str]:
    return {"fleet": fleet.file.name, "stack": stack, "managed-by": "orchestrate"}


def internal_ranges(fleet: Fleet) -> list[IPv4Network]:
    """Where the fleet's own hosts, pods and VPN clients live: the pools, less the service range.

    Whole pools, not what is allocated now: a new cluster changes no other cluster's rules, and a
    security group's 60 rules are enough for any fleet.
    """
    pools = fleet.file.addresses.pools
    return sorted(pool.range for name, pool in pools.items() if name != "services")


def network(fleet: Fleet, cluster: Cluster, given: Ranges) -> dict[str, Any]:
    """Arguments of the module `network`; `zones` in the order the user wrote them."""
    own = cluster.name
    return {
        "names": {
            "vpc": names.vpc(fleet, own),
            "internet_gateway": names.internet_gateway(fleet, own),
            "public_route_table": names.route_table(fleet, own, "public"),
            "s3_endpoint": names.s3_endpoint(fleet, own),
        },
        "range": given[ranges.vpc(own)],
        "zones": [_zone(fleet, own, zone, given) for zone in cluster.zones],
    }


def _zone(fleet: Fleet, own: str, zone: str, given: Ranges) -> dict[str, Any]:
    return {
        "zone": zone,
        "nat_name": names.nat_gateway(fleet, own, zone),
        "table_name": names.route_table(fleet, own, "private", zone),
        "public_name": names.subnet(fleet, own, "public", zone),
        "public": given[ranges.subnet(own, "public", zone)],
        "private_name": names.subnet(fleet, own, "private", zone),
        "private": given[ranges.subnet(own, "private", zone)],
    }


def doors(fleet: Fleet, cluster: Cluster, given: Ranges) -> dict[str, dict[str, Any]]:
    """Arguments of the module `access`, by role."""
    bastion, vpn = cluster.bastion, cluster.vpn
    ssh = {"protocol": "tcp", "port": 22, "from": sorted(set(bastion.allow_ssh_from))}
    found = {"bastion": _door(fleet, cluster, "bastion", bastion.instance_type, bastion.image, ssh)}
    if vpn:
        open_to = sorted(set(vpn.allow_from))
        service = {"protocol": vpn.protocol, "port": vpn.port, "from": open_to}
        found["vpn"] = _door(fleet, cluster, "vpn", vpn.instance_type, vpn.image, service)
        found["vpn"]["clients"] = given[ranges.vpn_clients(cluster.name)]
    return found


def _door(
    fleet: Fleet, cluster: Cluster, role: str, instance_type: str, image: str, service: Any
) -> dict[str, Any]:
    return {
        "name": names.instance(fleet, cluster.name, role),
        "security_group": names.security_group(fleet, cluster.name, role),
        "role": names.role(fleet, cluster.name, role),
        "instance_type": instance_type,
        "image": image,
        "open": service,
        "clients": None,
    }


def node_group(fleet: Fleet, cluster: Cluster, name: str, group: NodeGroup) -> dict[str, Any]:
    """Arguments of the module `node_group`, and `image` and `zones` to look up."""
    own = cluster.name
    return {
        "names": {
            "group": names.auto_scaling_group(fleet, own, name),
            "launch_template": names.launch_template(fleet, own, name),
            "role": names.role(fleet, own, name),
            "security_group": names.security_group(fleet, own, name),
            "host": names.instance(fleet, own, name),
        },
        "description": group.description,
        "image": group.image,
        "zones": group.zones or cluster.zones,
        "instance_types": group.instance_types,
        "capacity": group.capacity,
        "on_demand_base": group.on_demand_base,
        "size": {"min": group.min, "max": group.max},
        "disk_gb": group.disk_gb,
        "tags": _sorted({**cluster_tags(fleet, cluster), "group": name, "role": group.role}),
        "autoscaler_tags": autoscaler_tags(own, group),
    }


def autoscaler_tags(cluster: str, group: NodeGroup) -> dict[str, str]:
    """By what Kubernetes' cluster autoscaler finds a group and knows its hosts before there is one.

    Empty for groups that are not its to scale. Source: kubernetes/autoscaler,
    cluster-autoscaler/cloudprovider/aws/README.md, "Auto-Discovery Setup" and "Scaling from 0".
    """
    if group.role not in AUTOSCALED:
        return {}
    tags = {names.AUTOSCALER_ENABLED: "true", names.autoscaler_owner(cluster): "owned"}
    tags[names.autoscaler_resource("ephemeral-storage")] = f"{group.disk_gb}Gi"
    if group.gpus:
        tags[names.autoscaler_resource("nvidia.com/gpu")] = str(group.gpus)
    for key, value in group.labels.items():
        tags[names.autoscaler_label(key)] = value
    for taint in group.taints:
        key_and_value, effect = taint.rsplit(":", 1)
        key, _, value = key_and_value.partition("=")
        tags[names.autoscaler_taint(key)] = f"{value}:{effect}"
    return _sorted(tags)


def storage(fleet: Fleet, cluster: Cluster) -> dict[str, Any]:
    """Arguments of the module `storage`."""
    own = cluster.name
    return {
        "filesystems": {
            name: {
                "name": names.filesystem(fleet, own, name),
                "throughput": filesystem.throughput,
                "archive_after_days": filesystem.archive_after_days,
            }
            for name, filesystem in sorted(cluster.storage.filesystems.items())
        },
        "access_points": {
            homes.access_point(fleet, own, name, label): _access_point(fleet, name, label)
            for name in sorted(cluster.storage.filesystems)
            for label in sorted(homes.points(fleet, name))
        },
        "buckets": {
            purpose: {
                "name": names.bucket(fleet, own, purpose),
                "keep_versions_days": bucket.keep_versions_days,
            }
            for purpose, bucket in sorted(cluster.storage.buckets.items())
        },
    }


def _access_point(fleet: Fleet, name: str, label: str) -> dict[str, Any]:
    """Somebody's home, in which all is done as them; or a folder of everybody's group."""
    if name != homes.HOME:
        owner = {"uid": 0, "gid": homes.EVERYBODY_GID}
        return {"filesystem": name, "path": "/all", "owner": owner, "mode": "2775", "as": False}
    uid = homes.shared(fleet)[label]
    owner = {"uid": uid, "gid": uid}
    return {"filesystem": name, "path": f"/{label}", "owner": owner, "mode": "0700", "as": True}


def clients(cluster: Cluster) -> list[Expression]:
    """The roles of the hosts that mount the file systems."""
    groups = sorted(cluster.node_groups.items())
    return [
        Expression(f"module.node_group_{name}.role_arn")
        for name, group in groups
        if group.role in homes.WORK
    ]


def dns(fleet: Fleet, cluster: Cluster) -> dict[str, Any]:
    """Arguments of the module `dns`: host names, and where the root finds their addresses."""
    own = cluster.name
    roles = ["bastion", *(["vpn"] if cluster.vpn else [])]
    hosts = {role: names.cluster_host(fleet, own, role) for role in roles}
    return {
        "zone": names.cluster_zone(fleet, own),
        "public_addresses": {
            host: Expression(f'module.access.addresses["{role}"]') for role, host in hosts.items()
        },
        "private_addresses": {
            host: Expression(f'module.access.private_addresses["{role}"]')
            for role, host in hosts.items()
        },
        "private_aliases": {
            names.filesystem_host(fleet, own, name): Expression(
                f'module.storage.filesystem_hosts["{name}"]'
            )
            for name in sorted(cluster.storage.filesystems)
        },
        "private_texts": {
            point: Expression(f'module.storage.access_point_ids["{point}"]')
            for point in storage(fleet, cluster)["access_points"]
        },
    }


def images(fleet: Fleet, cluster: Cluster, amis: Amis) -> dict[str, Any]:
    """What each image of a cluster's hosts is: an AMI of ours, or else a vendor's to look up."""
    return {name: _ami(fleet, cluster, name, amis) for name in sorted(lineage.in_use(cluster))}


def vendors(fleet: Fleet, cluster: Cluster, amis: Amis) -> dict[str, dict[str, str]]:
    """The vendors' images to look up: those of hosts for which nothing was ever baked."""
    standing = {name: nearest_baked(fleet, cluster, name, amis) for name in lineage.in_use(cluster)}
    found = {name for name in standing.values() if name in fleet.file.images}
    keys = ("owner", "name", "architecture")
    return {
        name: {key: getattr(fleet.file.images[name], key) for key in keys} for name in sorted(found)
    }


def nearest_baked(fleet: Fleet, cluster: Cluster, image: str, amis: Amis) -> str:
    """What a cluster's hosts really start from: the image, or the nearest of its ancestors that is
    baked in the region, at last the vendor's. The converge makes up for what is missing.
    """
    chain = lineage.chain(fleet.file, image)
    return next((name for name in chain if (name, cluster.region) in amis), chain[-1])


def _ami(fleet: Fleet, cluster: Cluster, image: str, amis: Amis) -> Any:
    name = nearest_baked(fleet, cluster, image, amis)
    if name in fleet.file.images:
        return Expression(f"local.vendors[{hcl.literal(name)}]")
    ami = amis[name, cluster.region]
    return {"id": ami.id, "root_device": ami.root_device}


def _sorted(tags: Mapping[str, str]) -> dict[str, str]:
    return dict(sorted(tags.items()))
