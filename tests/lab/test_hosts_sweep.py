"""What a killed lab leaves behind, and that a sweep finds all of it and nothing else."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrate import shell
from orchestrate.lab import slots
from orchestrate.lab.hosts import Hosts, missing
from orchestrate.lab.topology import Slot
from tests.lab.hosts_lab import HostsLab
from tests.lab.specs import a_spec

pytestmark = pytest.mark.hosts
ROOT = Path(__file__).parents[2]

# A lab of two hosts that never ends by itself, in a process of its own.
LAB = """
import sys, time
from pathlib import Path
from orchestrate.lab.hosts import Hosts
from tests.lab.specs import a_spec, open_networks

specs = [a_spec(1), a_spec(2)]
hosts = Hosts(int(sys.argv[1]), Path(sys.argv[2]))
hosts.prepare(lambda step: None)
while True:
    hosts.reconcile(specs, open_networks(specs))
    if {host.state for host in hosts.states().values()} == {"running"}:
        print("both run", flush=True)
    time.sleep(0.1)
"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[HostsLab]:
    """A slot and a folder nobody uses, swept at the end whatever happens."""
    if why := missing():
        pytest.skip(f"no real hosts here: {why}")
    with slots.take() as number:
        lab = HostsLab(Slot(number), tmp_path, Hosts(number, tmp_path))
        lab.hosts.sweep()
        yield lab
        lab.hosts.sweep()


def test_a_sweep_removes_everything_a_killed_lab_left(lab: HostsLab) -> None:
    _run_and_kill(lab)
    assert lab.traces() != []
    assert len(_nspawns(lab)) == 2, "hosts outlive a lab that is killed, until they are swept"

    lab.hosts.sweep()

    assert lab.traces() == []
    assert _nspawns(lab) == []
    assert not (lab.folder / "hosts").exists()


def test_a_sweep_touches_no_other_slot(lab: HostsLab) -> None:
    _run_and_kill(lab)
    before = lab.traces()

    with slots.take() as other:
        assert other != lab.slot.number
        Hosts(other, lab.folder / "other").sweep()

    assert lab.traces() == before
    assert len(_nspawns(lab)) == 2


def test_a_sweep_of_nothing_is_no_error(lab: HostsLab) -> None:
    lab.hosts.sweep()
    lab.hosts.sweep()

    assert lab.traces() == []


def test_a_lab_starts_again_after_a_sweep(lab: HostsLab) -> None:
    _run_and_kill(lab)
    lab.hosts.sweep()

    lab.hosts.prepare(lambda _: None)
    lab.want(a_spec(1))

    assert lab.state(a_spec(1)) == "running"


def _run_and_kill(lab: HostsLab) -> None:
    """Run a lab of two hosts in a process of its own and kill that when both run."""
    output = lab.folder / "child.log"
    child = shell.start(
        [sys.executable, "-c", LAB, str(lab.slot.number), str(lab.folder)],
        output,
        stop=shell.Stop(),
        cwd=ROOT,
    )
    try:
        assert next(child.lines(), "it ended") == "both run", output.read_text()
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()


def _nspawns(lab: HostsLab) -> list[str]:
    """The names of the slot's hosts that have a running nspawn."""
    words = [
        word
        for path in Path("/proc").glob("[0-9]*/cmdline")
        for word in path.read_text().split("\0")
    ]
    return sorted(word for word in words if word.startswith(f"--machine={lab.slot.prefix}"))
