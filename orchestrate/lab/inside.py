"""Looking into a lab from the machine it runs on: a host as by its serial console, its packets.

Which host is meant is decided from the daemon's status document; nothing here asks a host.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from orchestrate.errors import LabError
from orchestrate.lab import cgroups
from orchestrate.lab.faults.models import HostKind
from orchestrate.lab.topology import Slot

# Not the network namespace's name but the process: a host may have no way to its network left.
ENTER = ("--user", "--mount", "--uts", "--ipc", "--net", "--pid")
SHELL = ("/bin/bash", "--login")
ADDRESSES = ("private_ip", "public_ip", "reached_at")


def host_names(status: Mapping[str, Any], *, booted: bool = True) -> dict[str, set[str]]:
    """Every host of a status document by its id, with all that it may be called. Pure.

    Unless they must have `booted`, those too that are about to.
    """
    hosts = [{"id": one["instance_id"], **one} for one in status["instances"]]
    racks = [
        {"id": one["name"], "names": [one["name"].partition(".")[0]], **one}
        for one in status.get("racks", [])
    ]
    return {
        one["id"]: {
            *(one["id"], one["name"], *one.get("names", ())),
            *(one.get(key, "") for key in ADDRESSES),
        }
        - {""}
        for one in [*hosts, *racks]
        if one["host"] or not booted
    }


def find_host(status: Mapping[str, Any], name: str, *, booted: bool = True) -> str:
    """The id of the host of this id, name or address. Pure. Raises LabError."""
    known = host_names(status, booted=booted)
    found = sorted(host for host, names in known.items() if name in names)
    if len(found) == 1:
        return found[0]
    if found:
        raise LabError(f"{len(found)} hosts are called {name}", fix=f"one of {', '.join(found)}")
    everything = sorted({each for names in known.values() for each in names})
    near = difflib.get_close_matches(name, everything, 3, 0.4) or sorted(known)[:3]
    raise LabError(
        f"the lab has no host {name}",
        fix=f"such as {', '.join(near)}" if near else "`orchestrate lab status`: no host runs",
    )


def find_for_fault(status: Mapping[str, Any], name: str, kind: HostKind) -> str:
    """The id of the host that a fault is to befall, be it still to boot. Pure. Raises LabError."""
    found = find_host(status, name, booted=False)
    if kind == "interrupt" and any(rack["name"] == found for rack in status.get("racks", ())):
        raise LabError(
            f"{found} is a rack, and only spot instances are interrupted",
            fix="what befalls a rack is hang, network, reboot or fail",
        )
    return found


def find_vpc(slot: Slot, namespaces: Iterable[str], vpc_id: str) -> str:
    """The namespace of a VPC's router. Pure. Raises LabError, naming those there are."""
    wanted = slot.namespace(vpc_id)
    routers = sorted(name for name in namespaces if name.startswith(slot.namespace("vpc-")))
    if wanted in routers:
        return wanted
    ids = ", ".join(name.removeprefix(slot.prefix) for name in routers)
    raise LabError(
        f"no host of the lab is in a network {vpc_id}", fix=f"one of {ids}" if ids else "no VPC has"
    )


def init_of(slot: Slot, host: str) -> int:
    """The process that is a host's own first one. Raises LabError when the host does not run."""
    for group in cgroups.of_lab(slot.prefix):
        for pid in _members(group / host):
            if is_init(Path(f"/proc/{pid}/status")):
                return pid
    raise LabError(f"{host} does not run", fix="see `orchestrate lab status`")


def is_init(status: Path) -> bool:
    """Whether a process is the first in a process namespace just below the machine's."""
    try:
        text = status.read_text()
    except OSError:  # it ended meanwhile
        return False
    numbers = next(
        (line.split()[1:] for line in text.splitlines() if line.startswith("NSpid:")), []
    )
    # A container in the host is a namespace further down: three numbers.
    return len(numbers) == 2 and numbers[1] == "1"


def _members(group: Path) -> Iterator[int]:
    for procs in group.rglob("cgroup.procs") if group.is_dir() else ():
        yield from map(int, procs.read_text().split())


def shell_words(init: int, command: Sequence[str]) -> list[str]:
    """The command that runs `command`, or a login shell, inside of a host. Pure."""
    told = ["env", "--ignore-environment", "TERM=xterm-256color", "HOME=/root", "LANG=C.UTF-8"]
    path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return ["nsenter", f"--target={init}", *ENTER, "--", *told, path, *(command or SHELL)]


def capture_words(namespace: str, arguments: Sequence[str]) -> list[str]:
    """The command that shows the packets of a namespace, names unresolved. Pure."""
    chosen = [] if {"-i", "--interface"} & {*arguments} else ["-i", "any"]
    return ["ip", "netns", "exec", namespace, "tcpdump", "-n", *chosen, *arguments]
