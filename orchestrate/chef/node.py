"""What a host is told about itself and the fleet: Chef's node JSON. Pure.

It holds no secret: whoever may log in to a host may read it. What differs from host to host of a
group is the hostname alone, so that an image and its hosts agree in all the rest.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from orchestrate.fleet import lineage, names, ranges
from orchestrate.fleet.models import Cluster, Fleet, Site, User

# docs.aws.amazon.com/AWSEC2/latest/UserGuide/configure-ec2-ntp.html
AMAZON_TIME_SYNC = "169.254.169.123"
# docs.aws.amazon.com/efs/latest/ug/mounting-fs-mount-cmd-general.html
NFS_OPTIONS = "nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport"
# Where the site's storage host keeps what it exports.
EXPORTED = "/srv"

# Pools of addresses that hosts have.
HOSTS = ("cloud", "sites")
# People who aren't operators log in here: to hop, and to work.
PEOPLE = frozenset({"bastion", "ssh-node"})
# Here is work done that reads and writes the shared data.
WORK = frozenset({"ssh-node", "cpu-worker", "gpu-worker"})

Json = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """Which host it is: `place` its cluster or site, `group` its node group or rack."""

    place: str
    role: str
    group: str
    hostname: str


def attributes(fleet: Fleet, given: Mapping[str, IPv4Network], host: Place) -> Json:
    """The node JSON of one host.

    `given` are the ledger's ranges by the keys of `fleet.ranges`. Raises KeyError for a place that
    the fleet doesn't have.
    """
    site = fleet.sites.get(host.place)
    own = _of_site(site, given, host) if site else _of_cluster(fleet, host)
    zone = names.site_zone if site else names.cluster_zone
    return _node(
        fleet,
        host.role,
        {
            "place": host.place,
            "group": host.group or None,
            "hostname": host.hostname,
            "domain": zone(fleet, host.place),
            **own,
        },
    )


def baking(fleet: Fleet, image: str) -> Json:
    """The node JSON while an image is baked: what all hosts that will start from it share."""
    login = lineage.source(fleet.file, image).user
    own = {
        "place": None,
        "group": None,
        "hostname": None,
        "domain": None,
        "login": login,
        "gpus": 0,
    }
    shared = {"mounts": {}, "exports": {}, "time_servers": [AMAZON_TIME_SYNC]}
    return _node(fleet, lineage.role(fleet.file, image), {**own, **shared})


def text(node: Json) -> str:
    """The file's text: the same bytes for the same content."""
    return json.dumps(node, indent=2, sort_keys=True) + "\n"


def _node(fleet: Fleet, role: str, own: Json) -> Json:
    users = fleet.file.users
    here = {name: _user(user) for name, user in users.items() if _belongs(user, role)}
    everywhere = {
        "fleet": fleet.file.name,
        "role": role,
        "users": here,
        "gone_users": sorted(users.keys() - here.keys()),
        "networks": _networks(fleet),
    }
    return {"run_list": [f"role[{role}]"], "orchestrate": {**everywhere, **own}}


def _networks(fleet: Fleet) -> list[str]:
    """Where hosts are or may come to be: the pools of clusters and sites, and what lies outside of
    them because the world gave it. A cluster more changes nothing on the hosts of the others.
    """
    pools = fleet.file.addresses.pools
    found = {pools[kind].range for kind in HOSTS if kind in pools}
    fixed = {one.fixed for one in ranges.wanted(fleet) if one.fixed and one.pool in HOSTS}
    outside = {one for one in fixed if not any(one.subnet_of(pool) for pool in found)}
    return [str(one) for one in sorted(found | outside)]


def _belongs(user: User, role: str) -> bool:
    return not user.gone and (user.admin or role in PEOPLE)


def _user(user: User) -> Json:
    return {"uid": user.uid, "keys": list(user.keys), "admin": user.admin}


def _of_cluster(fleet: Fleet, host: Place) -> Json:
    cluster = fleet.clusters[host.place]
    group = cluster.node_groups.get(host.group)
    image = group.image if group else _door_image(cluster, host.role)
    return {
        "login": lineage.source(fleet.file, image).user,
        "gpus": group.gpus if group else 0,
        "mounts": _efs(fleet, cluster) if host.role in WORK else {},
        "exports": {},
        "time_servers": [AMAZON_TIME_SYNC],
    }


def _door_image(cluster: Cluster, role: str) -> str:
    door = cluster.vpn if role == "vpn" else cluster.bastion
    if door is None:
        raise KeyError(f"{cluster.name} has no {role}")
    return door.image


def _efs(fleet: Fleet, cluster: Cluster) -> Json:
    return {
        f"/{name}": _mount(f"{names.filesystem_host(fleet, cluster.name, name)}:/")
        for name in sorted(cluster.storage.filesystems)
    }


def _of_site(site: Site, given: Mapping[str, IPv4Network], host: Place) -> Json:
    rack = site.racks[host.group]
    storage = site.storage
    machine = rack[host.hostname.partition(".")[0]]
    mounts: Json = {}
    exports: Json = {}
    if storage and host.role in WORK:
        server = next(one[storage.host] for one in site.racks.values() if storage.host in one)
        mounts = {
            f"/{name}": _mount(f"{server.address}:{EXPORTED}/{name}") for name in storage.exports
        }
    if storage and host.hostname.partition(".")[0] == storage.host:
        clients = sorted(str(given[ranges.lan(site.name, lan)]) for lan in site.lans)
        exports = {f"{EXPORTED}/{name}": clients for name in storage.exports}
    return {
        "login": site.login,
        "gpus": machine.gpus,
        "mounts": mounts,
        "exports": exports,
        "time_servers": [],
    }


def _mount(source: str) -> Json:
    return {"source": source, "type": "nfs4", "options": NFS_OPTIONS}
