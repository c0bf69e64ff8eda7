"""Whether this machine can have real hosts, and if not, why: by trying, not by guessing."""

import os
import shutil
import tempfile
from pathlib import Path

from orchestrate import shell
from orchestrate.caches import cache_folder
from orchestrate.errors import CommandFailed
from orchestrate.lab import beneath, cgroups, container, own_folder
from orchestrate.lab.disk import Disk
from orchestrate.lab.paths import lab_files
from orchestrate.lab.user_ranges import FIRST

# Program -> the Debian package that brings it.
PROGRAMS = {
    "ip": "iproute2",
    "mmdebstrap": "mmdebstrap",
    "mount": "mount",
    "nft": "nftables",
    "sysctl": "procps",
    "systemd-nspawn": "systemd-container",
    "unshare": "util-linux",
}

# All that a network and a disk of the lab need from the kernel, in namespaces that are gone with
# the shell that made them.
PROBE = """\
mkdir lower upper work root
mount -t overlay probe -o lowerdir=lower,upperdir=upper,workdir=work root
ip link add probe type bridge
ip link add probe0 type veth peer name probe1
nft 'table ip probe { chain nat { type nat hook prerouting priority dstnat; }; }'
"""


def missing() -> str | None:
    """Why real hosts can't run here, in one line for the operator; None when they can."""
    if os.geteuid() != 0:
        return "real hosts need root"
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if absent:
        packages = " ".join(sorted({PROGRAMS[name] for name in absent}))
        return f"{', '.join(absent)} not installed: apt-get install {packages}"
    return (
        beneath.missing()
        or _kernel_refuses()
        or _user_namespaces_refuse()
        or _control_groups_refuse()
    )


def _kernel_refuses() -> str | None:
    files = lab_files()
    own_folder.make(files)
    with tempfile.TemporaryDirectory(dir=files.folder, prefix="probe-") as folder:
        argv = ["unshare", "--mount", "--net", "--pid", "--fork", "sh", "-ec", PROBE]
        try:
            shell.run(argv, cwd=Path(folder))
        except CommandFailed as failure:
            reason = failure.last_lines.splitlines()[-1:] or [failure.what]
            return f"no namespaces, overlayfs, veth, bridge or nftables here: {reason[0]}"
    return None


def _user_namespaces_refuse() -> str | None:
    """Whether a host's disk can be mounted with its owners moved, where disks and what they stand
    on will be.
    """
    cache_folder().mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=lab_files().folder, prefix="probe-") as name,
        tempfile.TemporaryDirectory(dir=cache_folder(), prefix="probe-") as lower,
    ):
        disk = Disk(Path(name))
        for folder in (disk.upper, disk.work, disk.root):
            folder.mkdir()
        try:
            shell.run([*container.enter(disk, [Path(lower)], [], FIRST), "true"])
        except CommandFailed as failure:
            return failure.last_lines.splitlines()[-1]
    return None


def _control_groups_refuse() -> str | None:
    parents = cgroups.parents(Path("/proc/self/cgroup").read_text())
    if not parents:
        return f"no control groups under {cgroups.MOUNT}"
    refused = [str(parent) for parent in parents if not os.access(parent, os.W_OK)]
    return f"control groups are read-only: {', '.join(refused)}" if refused else None
