"""One running host: a systemd of its own in systemd-nspawn, started, awaited, powered off.

The overlay is mounted in nspawn's own mount namespace (`enter_host`), so it vanishes with the host
however that ends and never shows in the machine's mount table. Who is root in a host is a user like
any other to the machine: its processes live in a user namespace, with a network that is theirs.
"""

import os
import shutil
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from orchestrate import shell
from orchestrate.errors import CommandFailed, LabError
from orchestrate.lab import cgroups
from orchestrate.lab.disk import CONTAINERD, Disk
from orchestrate.lab.enter_host import IDS, MOST_FILES

PACKAGES = "apt-get install systemd-container"
BOOT_TIMEOUT_S = 120.0
POWER_OFF_TIMEOUT_S = 20.0
LOOK_EVERY_S = 0.2
# nspawn's exit code under --keep-unit for "boot it again" (RestartForceExitStatus= of its unit).
REBOOT = 133
TUN = Path("/dev/net/tun")
# How nspawn tells the first process of what it started (sd_notify).
LEADER = b"X_NSPAWN_LEADER_PID="
CREDENTIALS = struct.Struct("3i")
PROPAGATE = Path("/run/systemd/nspawn/propagate")

ENTER = Path(__file__).with_name("enter_host.py")
# What the hosts' systemd starts with, and may give to services.
LIMITS = {
    "NOFILE": f"1024:{MOST_FILES}",
    "MEMLOCK": "8388608:infinity",
    "NPROC": "infinity",
    "SIGPENDING": "infinity",
}


def nspawn(name: str, hostname: str, first_user: int, disk: Disk) -> list[str]:
    """The command that boots a host. What is more than usual is for containers in the host:

    the keyring calls and the kernel log runc and kubelet ask for, /dev/net/tun for tunnels, and a
    containerd folder that overlayfs can stand on.
    """
    return [
        "systemd-nspawn",
        "--quiet",
        "--register=no",
        "--keep-unit",
        f"--machine={name}",
        f"--hostname={hostname}",
        f"--directory={disk.root}",
        f"--private-users={first_user}:{IDS}",
        "--private-users-ownership=off",  # the owners are moved already, by `enter_host`
        "--private-network",
        "--capability=CAP_NET_ADMIN,CAP_NET_RAW",
        "--system-call-filter=@keyring",
        "--bind=/dev/null:/dev/kmsg",
        *(["--bind=/dev/net/tun"] if TUN.exists() else []),
        f"--bind={disk.containerd}:/{CONTAINERD}:idmap",
        *(f"--rlimit={name}={limit}" for name, limit in LIMITS.items()),
        "--link-journal=no",
        "--resolv-conf=off",
        "--timezone=off",
        "--console=read-only",
        "--notify-ready=yes",
        "--boot",
        "systemd.show_status=1",
    ]


def enter(disk: Disk, lower: Sequence[Path], groups: Sequence[Path], first_user: int) -> list[str]:
    """The words before that command: make the host's root, and enter its control groups."""
    program = [sys.executable, "-I", "-S", str(ENTER)]
    layers = [str(first_user), *map(str, (disk.root, disk.folder, *lower))]
    return [*program, *layers, "--", *map(str, groups), "--"]


class Container:
    """A started host. `name` is the machine's name for it, e.g. `ol0-i-0123456789abcdef0`."""

    def __init__(self, name: str, groups: Sequence[Path], process: shell.Running) -> None:
        self.name = name
        self.groups = list(groups)
        self._process = process

    @property
    def ended(self) -> str:
        """How it ended, in words; "" while it runs."""
        code = self._process.poll()
        if code is None:
            return ""
        return "powered off" if code == 0 else f"systemd-nspawn {shell.ended(code)}"

    @property
    def powered_off(self) -> bool:
        """It ended in order, because somebody shut it down from inside."""
        return self._process.poll() == 0

    @property
    def asks_for_reboot(self) -> bool:
        """It ended because somebody rebooted it from inside."""
        return self._process.poll() == REBOOT

    def power_off(self) -> None:
        """Shut down in order, as by the power button; by force after 20 s. Raises LabError."""
        self._process.interrupt()
        deadline = time.monotonic() + POWER_OFF_TIMEOUT_S
        while not self.ended and time.monotonic() < deadline:
            time.sleep(LOOK_EVERY_S / 4)
        self.cut_power()

    def cut_power(self) -> None:
        """End it at once, and tidy up after it. Fine when it has ended. Raises LabError."""
        cgroups.kill(self.groups)
        self._process.wait()
        cgroups.remove(self.groups)
        shutil.rmtree(PROPAGATE / self.name, ignore_errors=True)


def boot(
    name: str,
    hostname: str,
    disk: Disk,
    *,
    lower: Sequence[Path],
    groups: Sequence[Path],
    first_user: int,
    plug: Callable[[int], object],
    give_up: threading.Event,
) -> Container:
    """Start a host and wait until its systemd says that all is up, sshd among it.

    Its disk stands on `lower`, the top first, the root file system last. `plug` is given its first
    process as soon as there is one, and wires its network namespace.
    Raises LabError when it ends before, takes longer than two minutes, or `give_up` is set, and
    what `plug` raises; nothing of it runs then.
    """
    with _notifications(name) as (address, heard):
        argv = enter(disk, lower, groups, first_user)
        environment = {
            **os.environ,
            "NOTIFY_SOCKET": address,
            "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "network",
            "SYSTEMD_NSPAWN_LOCK": "0",
        }
        process = shell.start(
            [*argv, *nspawn(name, hostname, first_user, disk)],
            disk.console,
            stop=shell.Stop(),
            env=environment,
            get_it=PACKAGES,
        )
        container = Container(name, groups, process)
        try:
            _await_ready(container, heard, plug, give_up)
        except CommandFailed:
            container.cut_power()
            raise
        except LabError as failure:
            container.cut_power()
            last_lines = shell.tail(disk.console.read_text(errors="replace"))
            raise LabError(f"{failure.what}\n{last_lines}", where=str(disk.console)) from None
    return container


def _await_ready(
    container: Container,
    heard: Callable[[], list[bytes]],
    plug: Callable[[int], object],
    give_up: threading.Event,
) -> None:
    deadline = time.monotonic() + BOOT_TIMEOUT_S
    plugged, ready = False, False
    while not (plugged and ready):
        for line in heard():
            ready |= line == b"READY=1"
            if line.startswith(LEADER) and not plugged:
                plug(int(line.removeprefix(LEADER)))
                plugged = True
        if container.ended:
            raise LabError(f"the host ended while it booted: {container.ended}")
        if give_up.is_set():
            raise LabError("the lab is going down")
        if time.monotonic() > deadline:
            raise LabError(f"the host did not come up within {BOOT_TIMEOUT_S:g} s")


@contextmanager
def _notifications(name: str) -> Iterator[tuple[str, Callable[[], list[bytes]]]]:
    """A socket for sd_notify: its address, and a function that waits briefly for a message's lines.

    In the abstract namespace: a path of ours could be longer than the 108 bytes of an address.
    Every user of the machine can send to it, so the kernel is asked who did.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        server.bind(f"\0{name}")
        server.settimeout(LOOK_EVERY_S)

        def heard() -> list[bytes]:
            try:
                said, told, *_ = server.recvmsg(4096, socket.CMSG_SPACE(CREDENTIALS.size))
            except TimeoutError:
                return []
            return said.splitlines() if _sender(told) == os.geteuid() else []

        yield f"@{name}", heard


def _sender(told: Sequence[tuple[int, int, bytes]]) -> int | None:
    """The user who sent a message, as the kernel attests it: `struct ucred` of unix(7)."""
    for level, kind, data in told:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
            return int(CREDENTIALS.unpack(data[: CREDENTIALS.size])[1])
    return None
