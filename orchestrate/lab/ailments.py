"""What can befall a running host from outside, and how it is undone."""

from orchestrate.lab import cgroups, namespaces
from orchestrate.lab.container import Container
from orchestrate.lab.faults.models import HostKind

TABLE = "inet lab_fault"
# Dropping everything looks the same from everywhere as a pulled cable, and unlike a link that is
# down it forgets no route.
PULLED = f"""\
table {TABLE} {{
  chain in {{ type filter hook prerouting priority raw; policy drop; iif lo accept; }}
  chain out {{ type filter hook postrouting priority 300; policy drop; oif lo accept; }}
}}
"""
PLUGGED = f"table {TABLE} {{ }}\ndelete table {TABLE}\n"


def afflict(host: Container, kind: HostKind) -> None:
    """Freeze all processes of a host, cut its power, or pull its cable. Raises CommandFailed."""
    if kind == "hang":
        cgroups.freeze(host.groups, frozen=True)
    elif kind == "network":
        namespaces.nft(PULLED, host.name)
    else:
        cgroups.kill(host.groups)


def relieve(host: Container, kind: HostKind) -> None:
    """Undo `afflict`, and nothing where there is nothing to undo. Raises CommandFailed."""
    if kind == "hang":
        cgroups.freeze(host.groups, frozen=False)
    elif kind == "network":
        namespaces.nft(PLUGGED, host.name)
