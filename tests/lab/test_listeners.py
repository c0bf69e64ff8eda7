"""All of a lab that listens, and the modes of what it keeps: what is new must be named here."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrate import shell
from orchestrate.lab import namespaces
from orchestrate.lab.topology import Slot
from tests.lab.conftest import LabFolder
from tests.lab.machines import Machine, remove_instances, site

pytestmark = pytest.mark.hosts
METADATA, RESOLVER, CLOCK = "169.254.169.254", "169.254.169.253", "169.254.169.123"
OF_A_VPC = {
    *(f"tcp {METADATA}:80", f"udp {CLOCK}:123"),
    *(f"{kind} {address}:53" for kind in ("tcp", "udp") for address in (RESOLVER, "10.30.0.2")),
}
OF_THE_INTERNET = {"tcp {}:80", "tcp {}:443", "tcp {}:53", "udp {}:53", "udp {}:123"}
# Others may read these, were they to get past the folder's own mode.
PUBLIC = {"daemon.lock", "id_ed25519.pub"}


@pytest.fixture(scope="module")
def machine(lab: LabFolder) -> Iterator[Machine]:
    here = site(lab, "200000000060")
    yield here.launch()
    remove_instances(here)


def listening(namespace: str) -> set[str]:
    """`tcp ADDRESS:PORT` of every socket that waits for somebody."""
    words = ["ip", "netns", "exec", namespace, "ss", "-H", "-lntu"]
    lines = [line.split() for line in shell.run(words).stdout.splitlines()]
    return {f"{line[0]} {line[4].replace('%lo', '')}" for line in lines}


def test_the_internet_has_these_services(machine: Machine) -> None:
    slot = Slot(machine.account.lab.record.slot)
    found = {one.format(slot.services_address) for one in OF_THE_INTERNET}
    assert listening(slot.internet) == found


def test_the_router_of_a_vpc_has_these(machine: Machine) -> None:
    slot = Slot(machine.account.lab.record.slot)
    assert listening(slot.namespace(machine.instance["VpcId"])) == OF_A_VPC


def test_a_host_has_its_sshd_and_no_more_that_others_reach(machine: Machine) -> None:
    slot = Slot(machine.account.lab.record.slot)
    found = listening(slot.namespace(machine.id))
    assert {one for one in found if "127.0.0." not in one and "[::1]" not in one} == {
        "tcp 0.0.0.0:22",
        "tcp [::]:22",
    }


def test_no_other_namespace_of_a_lab_listens(machine: Machine) -> None:
    slot = Slot(machine.account.lab.record.slot)
    known = {slot.internet, slot.namespace(machine.instance["VpcId"])}
    others = [
        name
        for name in namespaces.named(slot.prefix)
        if name not in known and not name.startswith((f"{slot.prefix}i-", f"{slot.prefix}vpc-"))
    ]
    assert {name: listening(name) for name in others} == {name: set() for name in others}


def test_what_a_lab_keeps_is_the_owners(machine: Machine) -> None:
    folder = machine.account.lab.files.folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = [path for path in folder.iterdir() if path.is_file() and path.name not in PUBLIC]
    assert {path.name for path in files} >= {"secret", "id_ed25519", "lab.log", "lab.json"}
    assert {path.name: _others(path) for path in files} == {path.name: 0 for path in files}
    disks = {path.name: _others(path) for path in (folder / "hosts").iterdir()}
    assert machine.id in disks
    assert not any(disks.values()), disks


def _others(path: Path) -> int:
    """What those who don't own it may do with it."""
    return path.stat().st_mode & 0o077
