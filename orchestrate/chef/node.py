"""What a host is told about itself and the fleet: Chef's node JSON. Pure.

It holds no secret: whoever may log in to a host may read it. What differs from host to host of a
group is the hostname alone, so that an image and its hosts agree in all the rest.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from orchestrate.errors import OrchestrateError
from orchestrate.fleet import homes, lineage, names, ranges
from orchestrate.fleet.models import Cluster, Fleet, Site, User
from orchestrate.plain_text import shown

# docs.aws.amazon.com/AWSEC2/latest/UserGuide/configure-ec2-ntp.html
AMAZON_TIME_SYNC = "169.254.169.123"
# Nothing on a share is a device, or runs as whom it belongs to.
SAFE = "nosuid,nodev"
# Mounted by the cookbook storage_client's own helper, which asks for the id and runs mount.efs.
ACCESS_POINT = "access-point"
# Of mount.efs(8), which adds NFS's own. Encrypted, and as the role of the host; the access point
# says as whom, and which part.
EFS_OPTIONS = f"tls,iam,{SAFE}"
# nfs(5). From a port that only root gets (resvport, as by itself): a server that exports with
# `secure` asks for one, so that nobody on a host speaks to it as whom they like.
SITE_OPTIONS = f"nfsvers=4.1,hard,timeo=600,retrans=2,{SAFE}"
# Where the site's storage host keeps what it exports, and people's homes among it.
EXPORTED = "/srv"
HOMES = f"{EXPORTED}/{homes.HOME}"

# Pools of addresses that hosts have.
HOSTS = ("cloud", "sites")
# People who aren't operators log in here: to hop, and to work.
PEOPLE = frozenset({"bastion", "ssh-node"})

Json = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """Which host it is: `place` its cluster or site, `group` its node group or rack."""

    place: str
    role: str
    group: str
    hostname: str


def attributes(fleet: Fleet, host: Place) -> Json:
    """The node JSON of one host. Raises KeyError for a place that the fleet doesn't have."""
    site = fleet.sites.get(host.place)
    own = _of_site(fleet, site, host) if site else _of_cluster(fleet, host)
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
    shared = {"mounts": {}, "exports": {}, "homes": {}, "time_servers": [AMAZON_TIME_SYNC]}
    return _node(fleet, lineage.role(fleet.file, image), {**own, **shared})


def text(node: Json) -> str:
    """The file's text: the same bytes for the same content.

    Cookbooks write what is in it into sudoers, exports, units and rules, a line each. Raises
    OrchestrateError for a text that could be more than a line of plain ASCII.
    """
    if strange := next((said for said in _texts(node) if not _is_line(said)), None):
        raise OrchestrateError(
            f"no host can be told '{shown(strange)}'",
            fix="correct it in the fleet files: `orchestrate check`",
        )
    return json.dumps(node, indent=2, sort_keys=True) + "\n"


def _texts(data: object) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        yield from (text for pair in data.items() for one in pair for text in _texts(one))
    elif isinstance(data, list):
        yield from (text for one in data for text in _texts(one))


def _is_line(text: str) -> bool:
    return text.isascii() and text.isprintable()


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
    return not user.gone and (user.admin or user.verifier or role in PEOPLE)


def _user(user: User) -> Json:
    shown = {"uid": user.uid, "keys": list(user.keys), "admin": user.admin}
    return {**shown, "verifier": True} if user.verifier else shown


def _of_cluster(fleet: Fleet, host: Place) -> Json:
    cluster = fleet.clusters[host.place]
    group = cluster.node_groups.get(host.group)
    image = group.image if group else _door_image(cluster, host.role)
    return {
        "login": lineage.source(fleet.file, image).user,
        "gpus": group.gpus if group else 0,
        "mounts": _efs(fleet, cluster) if host.role in homes.WORK else {},
        "exports": {},
        "homes": {},
        "time_servers": [AMAZON_TIME_SYNC],
    }


def _door_image(cluster: Cluster, role: str) -> str:
    door = cluster.vpn if role == "vpn" else cluster.bastion
    if door is None:
        raise KeyError(f"{cluster.name} has no {role}")
    return door.image


def _efs(fleet: Fleet, cluster: Cluster) -> Json:
    """A mount for each access point, with the name under which its id is to be found."""
    found: Json = {}
    for name in sorted(cluster.storage.filesystems):
        source = f"{names.filesystem_host(fleet, cluster.name, name)}:/"
        for label, path in sorted(homes.points(fleet, name).items()):
            point = homes.access_point(fleet, cluster.name, name, label)
            options = f"{EFS_OPTIONS},point={point}"
            found[path] = {"source": source, "type": ACCESS_POINT, "options": options}
    return found


def _of_site(fleet: Fleet, site: Site, host: Place) -> Json:
    rack = site.racks[host.group]
    name = host.hostname.partition(".")[0]
    storage = site.storage
    mounts: Json = {}
    exports: Json = {}
    if storage and host.role in homes.WORK:
        server = next(one[storage.host] for one in site.racks.values() if storage.host in one)
        mounts = {
            f"/{name}": {
                "source": f"{server.address}:{EXPORTED}/{name}",
                "type": "nfs4",
                "options": SITE_OPTIONS,
            }
            for name in storage.exports
        }
    if storage and name == storage.host:
        exports = {f"{EXPORTED}/{name}": _clients(site) for name in storage.exports}
    return {
        "login": site.login,
        "gpus": rack[name].gpus,
        "mounts": mounts,
        "exports": exports,
        "homes": homes.shared(fleet) if HOMES in exports else {},
        "time_servers": [],
    }


def _clients(site: Site) -> list[str]:
    """The addresses of the hosts that mount a site's exports: no others of its networks may."""
    hosts = [host for rack in site.racks.values() for host in rack.values()]
    return [str(one) for one in sorted(host.address for host in hosts if host.role in homes.WORK)]
