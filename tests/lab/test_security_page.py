"""docs/security.md names all of a lab that listens, and each of its files with its mode."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrate import shell
from orchestrate.lab import namespaces
from orchestrate.lab.topology import Slot
from tests.lab.conftest import LabFolder
from tests.lab.machines import Machine, Site, remove_instances, site, until

pytestmark = pytest.mark.hosts
PAGE = Path(__file__).parents[2] / "docs" / "security.md"


def table(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    rows = re.search(r"(?:^\|.*\n)+", rest, re.MULTILINE)
    assert rows, f"docs/security.md has no table below '{heading}'"
    return [
        [cell.strip() for cell in line.strip("| \n").split(" | ")]
        for line in rows[0].splitlines()[2:]
    ]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def listening(namespace: str = "", pid: int | None = None) -> set[str]:
    """What listens in a network namespace: `tcp 127.0.0.1:80`; of one process if it is named."""
    ask = ["ss", "-H", "-l", "-n", "-t", "-u", "-p"]
    within = ["ip", "netns", "exec", namespace, *ask] if namespace else ask
    lines = (line.split() for line in shell.run(within).stdout.splitlines())
    return {
        f"{words[0]} {words[4]}"
        for words in lines
        if pid is None or f"pid={pid}," in " ".join(words)
    }


@pytest.fixture(scope="module")
def here(lab: LabFolder) -> Iterator[Site]:
    made = site(lab, "200000000073")
    yield made
    remove_instances(made)


@pytest.fixture(scope="module")
def host(here: Site) -> Machine:
    machine = here.launch()
    until(lambda: machine.run("true").code == 0)
    return machine


def fits(found: str, said: str) -> bool:
    """Whether what was found is what is said, where `*` is any text."""
    return re.fullmatch(re.escape(said).replace(r"\*", ".*"), found) is not None


def documented(where: str) -> set[str]:
    return {what for row in table("What listens") if row[0] == where for what in quoted(row[1])}


def test_what_listens_is_on_the_page_and_nothing_else_does(lab: LabFolder, host: Machine) -> None:
    slot = Slot(lab.record.slot)
    routers = [name for name in namespaces.named(slot.prefix) if "-vpc-" in name]
    vpcs = {one for name in routers for one in listening(name)}
    found = {
        "the machine": listening(pid=lab.record.pid),
        "namespace `olN-net`": listening(slot.internet),
        "a VPC's router": vpcs,
        "a host": listening(slot.namespace(host.id)),
    }
    for where, open_ in found.items():
        said = {one for one in documented(where) if not one.startswith("unix")}
        assert {one for one in open_ if not any(fits(one, each) for each in said)} == set()
        assert {each for each in said if not any(fits(one, each) for one in open_)} == set()


def test_no_other_namespace_of_a_lab_listens(lab: LabFolder, host: Machine) -> None:
    slot = Slot(lab.record.slot)
    known = (slot.internet, f"{slot.prefix}i-", f"{slot.prefix}vpc-")
    others = [name for name in namespaces.named(slot.prefix) if not name.startswith(known)]
    # A site's racks are hosts as well.
    open_ = {name: listening(name) - documented("a host") for name in others}
    assert open_ == {name: set() for name in others}


def test_nobody_enters_the_disk_of_a_host(lab: LabFolder, host: Machine) -> None:
    disks = {
        path.name: path.stat().st_mode & 0o077 for path in (lab.files.folder / "hosts").iterdir()
    }
    assert disks.pop(host.id) == 0
    assert set(disks.values()) <= {0}


def test_a_labs_files_have_the_modes_of_the_page(lab: LabFolder, host: Machine) -> None:
    modes = {
        name: row[1] for row in table("Secrets, and where they are") for name in quoted(row[0])
    }
    assert stat.S_IMODE(lab.files.folder.stat().st_mode) == 0o700
    found = {
        each.name: f"0{stat.S_IMODE(each.stat().st_mode):o}" for each in lab.files.folder.iterdir()
    }
    assert found.items() <= modes.items()
    assert {"secret", "id_ed25519", "cloud.saved", "lab.log", "hosts"} <= found.keys()
