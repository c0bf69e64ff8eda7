"""Who is root in a host acts on the host, and on nothing of the machine it runs on."""

import base64
import json
import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrate import shell
from orchestrate.lab.enter_host import MOST_FILES
from orchestrate.lab.inside import init_of
from orchestrate.lab.topology import Slot
from orchestrate.lab.user_ranges import FIRST
from tests.lab import escapes
from tests.lab.conftest import LabFolder
from tests.lab.machines import Machine, Site, remove_instances, site

pytestmark = pytest.mark.hosts
REFUSED = {"EPERM", "EACCES", "EROFS"}
# Not there at all, or nobody of that number.
ABSENT = {"ENOENT", "ESRCH", "ENOSYS"}
# Files of the machine's kernel that root in a host shall not change.
KERNEL = ("core_pattern", "modprobe", "hostname", "panic")


@pytest.fixture(scope="module")
def here(lab: LabFolder) -> Iterator[Site]:
    made = site(lab, "200000000097")
    yield made
    remove_instances(made)


@pytest.fixture(scope="module")
def machine(here: Site) -> Machine:
    return here.launch()


@pytest.fixture(scope="module")
def answers(machine: Machine) -> dict[str, str]:
    """What became of each attempt of a host's root."""
    program = base64.b64encode(Path(escapes.__file__).read_bytes()).decode()
    machine.says(f"echo {program} | base64 -d > escapes.py")
    before = _kernel()
    told: dict[str, str] = json.loads(machine.says(f"sudo python3 escapes.py {os.getpid()}"))
    assert _kernel() == before
    return told


def _kernel() -> list[str]:
    files = [Path("/proc/sys/kernel", name) for name in KERNEL]
    return [file.read_text() for file in files if file.exists()]


@pytest.mark.parametrize("attempt", escapes.ATTEMPTS)
def test_root_in_a_host_does_nothing_to_the_machine(answers: dict[str, str], attempt: str) -> None:
    assert answers[attempt] in REFUSED | ABSENT


def test_a_host_s_root_is_nobody_on_the_machine(machine: Machine) -> None:
    lab = machine.account.lab.record
    init = init_of(Slot(lab.slot), machine.id)

    status = Path(f"/proc/{init}/status").read_text()

    users = {int(word) for word in status.partition("Uid:")[2].splitlines()[0].split()}
    assert min(users) >= FIRST
    assert machine.says("sudo cat /proc/self/uid_map").split()[1:] == [str(min(users)), "65536"]


def test_files_of_a_host_belong_to_its_own_users_on_disk_as_well(machine: Machine) -> None:
    machine.says("echo mine > file; sudo sh -c 'echo root > /root/file'")
    disk = machine.account.lab.files.folder / "hosts" / machine.id / "disk"

    assert (disk / "home/admin/file").stat().st_uid == 1000
    assert (disk / "root/file").stat().st_uid == 0


def test_a_host_sees_no_process_and_no_root_but_its_own(machine: Machine) -> None:
    own = machine.says("cat /etc/machine-id")

    assert machine.says("sudo cat /proc/1/root/etc/machine-id") == own
    assert machine.says("sudo cat /proc/1/comm") == "systemd"
    assert machine.run(f"sudo ls -d /proc/{os.getpid()}/environ").code != 0


def test_a_host_s_rules_and_parameters_are_of_its_own_network(machine: Machine) -> None:
    before = Path("/proc/sys/net/ipv4/ip_forward").read_text()

    machine.says("sudo nft add table ip escaped && sudo sysctl -qw net.ipv4.ip_forward=1")
    machine.says("sudo sysctl -qw net.ipv4.ip_forward=0")

    assert "escaped" not in shell.run(["nft", "list", "tables"]).stdout
    assert Path("/proc/sys/net/ipv4/ip_forward").read_text() == before


def test_a_host_has_the_devices_it_needs_and_no_others(machine: Machine) -> None:
    # Asked one by one: a folder calls a file what another is mounted on.
    every = "find /dev ! -type d ! -type l ! -path '/dev/pts/*'"
    kinds = machine.says(
        f"for f in $({every}); do [ -c $f -o -b $f ] && echo $f; done; true"
    ).split()
    devices = {"full", "kmsg", "null", "random", "tty", "urandom", "zero", "net/tun"}
    assert set(kinds) - {"/dev/ptmx"} == {f"/dev/{name}" for name in devices}
    # The kernel's log is the bottomless null, whatever it is called.
    assert machine.says("stat -c %t:%T /dev/kmsg") == "1:3"


def test_a_host_is_given_the_open_files_that_the_machine_may_give(machine: Machine) -> None:
    may_raise = int(Path("/proc/self/status").read_text().split("CapEff:")[1].split()[0], 16) >> 24
    own = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert machine.says("sudo sh -c 'ulimit -Hn'") == str(MOST_FILES if may_raise & 1 else own)


def test_a_host_reaches_no_socket_of_the_lab_s_daemon(machine: Machine) -> None:
    sockets = machine.says("cat /proc/net/unix")
    assert "@ol" not in sockets
    assert "@orchestrate-lab" not in sockets
    found = machine.says("sudo find / -xdev -type s 2>/dev/null; true")
    assert [name for name in found.split() if "lab" in name] == []
