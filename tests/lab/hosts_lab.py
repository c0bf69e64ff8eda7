"""A lab's hosts without its API: real ones, on a free slot, asked for by the tests themselves."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path

from orchestrate import shell
from orchestrate.lab import cgroups, slots
from orchestrate.lab.hosts import Hosts
from orchestrate.lab.spec import ROUTER_ADDRESSES, Found, HostSpec
from orchestrate.lab.topology import Slot
from tests.lab.patience import PATIENCE_S
from tests.lab.specs import open_networks

SSH = [
    "ssh",
    "-o BatchMode=yes",
    "-o ConnectTimeout=10",
    # A host that went away under an open connection is noticed, not waited for.
    "-o ServerAliveInterval=15",
    "-o ServerAliveCountMax=8",
    "-o StrictHostKeyChecking=no",
    "-o UserKnownHostsFile=/dev/null",
    "-o LogLevel=ERROR",
]


@dataclass
class HostsLab:
    """Hosts on a slot of their own, and how a test reaches them."""

    slot: Slot
    folder: Path
    hosts: Hosts
    wanted: dict[str, HostSpec] = field(default_factory=dict)

    @property
    def key(self) -> Path:
        return self.folder / "key"

    @property
    def public_key(self) -> str:
        return self.key.with_suffix(".pub").read_text()

    def public(self, number: int) -> IPv4Address:
        """An elastic address of this slot."""
        return self.slot.public[ROUTER_ADDRESSES + number]

    def want(self, *specs: HostSpec) -> None:
        """Add or replace these hosts and wait until nothing is left to do about any."""
        self.wanted.update({spec.instance_id: spec for spec in specs})
        self.settle()

    def settle(self) -> None:
        """Wait until every host is what is wanted of it, or failed."""
        self.until(lambda: all(self._settled(spec) for spec in self.wanted.values()))
        self.look()

    def until(self, condition: Callable[[], bool]) -> None:
        """Keep the hosts as a daemon does until a condition holds."""
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, self.hosts.states()
            self.look()
            time.sleep(0.05)

    def _settled(self, spec: HostSpec) -> bool:
        found = self.state(spec)
        return found is None if spec.state == "terminated" else found in (spec.state, "failed")

    def look(self) -> None:
        specs = list(self.wanted.values())
        self.hosts.reconcile(specs, open_networks(specs))

    def state(self, spec: HostSpec) -> Found | None:
        found = self.hosts.states().get(spec.instance_id)
        return found.state if found else None

    def ssh(
        self,
        spec: HostSpec,
        command: str,
        *,
        through: HostSpec | None = None,
        key: Path | None = None,
    ) -> shell.Finished:
        """Run a command on a host as its user, from this machine or through a bastion."""
        argv = [*SSH, "-i", str(key or self.key)]
        address = spec.public_ip
        if through is not None:
            hop = [*argv, "-W", "%h:%p", f"{through.user}@{through.public_ip}"]
            argv += ["-o", f"ProxyCommand={' '.join(_quoted(hop))}"]
            address = spec.private_ip
        return shell.run(
            [*argv, f"{spec.user}@{address}", command], check=False, timeout_s=PATIENCE_S
        )

    def says(self, spec: HostSpec, command: str, *, through: HostSpec | None = None) -> str:
        """What a command prints there; it must succeed."""
        done = self.ssh(spec, command, through=through)
        assert done.code == 0, done
        return done.stdout.strip()

    def traces(self) -> list[str]:
        """Everything of this slot that can be found on the machine."""
        return traces(self.slot, self.folder)


def traces(slot: Slot, folder: Path) -> list[str]:
    """What can be found on the machine of a lab with this slot and this folder."""
    return sorted(
        [
            *_namespaces(slot),
            *_links(slot),
            *_groups(slot),
            *_mounts(slot, folder),
            *_processes(slot),
        ]
    )


@contextmanager
def hosts_lab(folder: Path) -> Iterator[HostsLab]:
    """A prepared lab; whatever became of it, nothing of it is left afterwards."""
    shell.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key")])
    with slots.take() as number:
        lab = HostsLab(Slot(number), folder, Hosts(number, folder))
        lab.hosts.sweep()
        try:
            lab.hosts.prepare(lambda _: None)
            yield lab
        finally:
            lab.hosts.sweep()
            assert lab.traces() == []


def _quoted(words: Sequence[str]) -> list[str]:
    return [f"'{word}'" if " " in word else word for word in words]


def _namespaces(slot: Slot) -> list[str]:
    names = shell.run(["ip", "netns", "list"]).stdout.splitlines()
    return [name for name in names if name.startswith(slot.prefix)]


def _links(slot: Slot) -> list[str]:
    lines = shell.run(["ip", "-brief", "link"]).stdout.splitlines()
    routes = shell.run(["ip", "route"]).stdout.splitlines()
    return [line for line in [*lines, *routes] if slot.prefix in line]


def _groups(slot: Slot) -> list[str]:
    found = cgroups.of_lab(slot.prefix)
    for group in tuple(found):
        with suppress(OSError):  # it went meanwhile
            found += [child for child in group.iterdir() if child.is_dir()]
    return [str(group) for group in found]


def _mounts(slot: Slot, folder: Path) -> list[str]:
    lines = Path("/proc/mounts").read_text().splitlines()
    return [line for line in lines if slot.prefix in line or str(folder) in line]


def _processes(slot: Slot) -> list[str]:
    """Those that run hosts: the machine's name is among their arguments."""
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it ended meanwhile
            commands.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return [command for command in commands if f"--machine={slot.prefix}" in command]
