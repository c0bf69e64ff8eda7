"""Whose homes are on shared storage, and what hosts of which roles mount of it. Pure."""

from orchestrate.fleet import names
from orchestrate.fleet.models import Fleet

# The file system or export of people's homes, by its mount name: /home everywhere.
HOME = "home"
# The group of everybody in the fleet: node['base']['people']['gid'] of the cookbook base.
EVERYBODY_GID = 1990
# Here is work done that reads and writes the shared data.
WORK = frozenset({"ssh-node", "cpu-worker", "gpu-worker"})


def shared(fleet: Fleet) -> dict[str, int]:
    """Uids by login, of those whose homes are shared. An administrator's or verifier's is on each
    host's own disk: whoever could write to it from another host would be them wherever they log in.
    """
    users = fleet.file.users.items()
    return {
        name: user.uid for name, user in users if not (user.gone or user.admin or user.verifier)
    }


def points(fleet: Fleet, name: str) -> dict[str, str]:
    """The parts of a cluster's file system that hosts mount: paths on hosts by label, which is a
    login for one's home, and `all` for a file system that is everybody's.
    """
    if name != HOME:
        return {"all": f"/{name}"}
    return {login: f"/{HOME}/{login}" for login in shared(fleet)}


def access_point(fleet: Fleet, cluster: str, name: str, label: str) -> str:
    """`grace.home.nfs.us-west.deeplab.example.net`, whose TXT record is the access point's id."""
    return f"{label}.{names.filesystem_host(fleet, cluster, name)}"
