"""One running host: a systemd of its own in systemd-nspawn, started, awaited, powered off.

The overlay is mounted in nspawn's own mount namespace, so it vanishes with the host however that
ends and never shows in the machine's mount table.
"""

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from orchestrate import shell
from orchestrate.errors import LabError
from orchestrate.lab import cgroups
from orchestrate.lab.disk import Disk

PACKAGES = "apt-get install systemd-container"
BOOT_TIMEOUT_S = 120.0
POWER_OFF_TIMEOUT_S = 20.0
LOOK_EVERY_S = 0.2
# nspawn's exit code under --keep-unit for "boot it again" (RestartForceExitStatus= of its unit).
REBOOT = 133
TUN = Path("/dev/net/tun")
PROPAGATE = Path("/run/systemd/nspawn/propagate")

# In: the mount's name, its options, where to; the control groups to enter; `--`; the command.
ENTER = """\
mount -t overlay "$1" -o "$2" "$3" || exit
shift 3
while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit; shift; done
shift
exec "$@"
"""


def nspawn(name: str, hostname: str, namespace: str, disk: Disk) -> list[str]:
    """The command that boots a host. What is more than usual is for containers in the host:

    capabilities for their networks, the keyring calls and the kernel log runc and kubelet ask
    for, /dev/net/tun for tunnels, and a containerd folder that overlayfs can stand on.
    """
    return [
        "systemd-nspawn",
        "--quiet",
        "--register=no",
        "--keep-unit",
        f"--machine={name}",
        f"--hostname={hostname}",
        f"--directory={disk.root}",
        f"--network-namespace-path=/run/netns/{namespace}",
        "--capability=CAP_NET_ADMIN,CAP_NET_RAW",
        "--system-call-filter=@keyring",
        "--bind=/dev/null:/dev/kmsg",
        *(["--bind=/dev/net/tun"] if TUN.exists() else []),
        f"--bind={disk.containerd}:/var/lib/containerd",
        "--resolv-conf=off",
        "--timezone=off",
        "--console=read-only",
        "--notify-ready=yes",
        "--boot",
        "systemd.show_status=1",
    ]


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
    namespace: str,
    disk: Disk,
    *,
    lower: Sequence[Path],
    groups: Sequence[Path],
    give_up: threading.Event,
) -> Container:
    """Start a host and wait until its systemd says that all is up, sshd among it.

    Its disk stands on `lower`, the top first, the root file system last.
    Raises LabError when it ends before, takes longer than two minutes, or `give_up` is set;
    nothing of it runs then.
    """
    # slave: what the machine unmounts later goes from here too, or the host would keep dead
    # network namespaces alive; what is mounted here stays here.
    enter = ["unshare", "--mount", "--propagation=slave", "sh", "-c", ENTER, "enter"]
    options = f"lowerdir={':'.join(map(str, lower))},upperdir={disk.upper},workdir={disk.work}"
    with _notifications(name) as (address, heard):
        argv = [*enter, name, options, str(disk.root), *map(str, groups), "--"]
        environment = {
            **os.environ,
            "NOTIFY_SOCKET": address,
            "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "network",
            "SYSTEMD_NSPAWN_LOCK": "0",
        }
        process = shell.start(
            [*argv, *nspawn(name, hostname, namespace, disk)],
            disk.console,
            stop=shell.Stop(),
            env=environment,
            get_it=PACKAGES,
        )
        container = Container(name, groups, process)
        try:
            _await_ready(container, heard, give_up)
        except LabError as failure:
            container.cut_power()
            last_lines = shell.tail(disk.console.read_text(errors="replace"))
            raise LabError(f"{failure.what}\n{last_lines}", where=str(disk.console)) from None
    return container


def _await_ready(
    container: Container, heard: Callable[[], bytes], give_up: threading.Event
) -> None:
    deadline = time.monotonic() + BOOT_TIMEOUT_S
    while b"READY=1" not in heard().splitlines():
        if container.ended:
            raise LabError(f"the host ended while it booted: {container.ended}")
        if give_up.is_set():
            raise LabError("the lab is going down")
        if time.monotonic() > deadline:
            raise LabError(f"the host did not come up within {BOOT_TIMEOUT_S:g} s")


@contextmanager
def _notifications(name: str) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """A socket for sd_notify: its address, and a function that waits briefly for a message.

    In the abstract namespace: a path of ours could be longer than the 108 bytes of an address.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as server:
        server.bind(f"\0{name}")
        server.settimeout(LOOK_EVERY_S)

        def heard() -> bytes:
            try:
                return server.recv(4096)
            except TimeoutError:
                return b""

        yield f"@{name}", heard
