"""Verifying 20 lab hosts behind a bastion, beside plain pytest-testinfra with xdist.

The same 30 tests on the same hosts, in turns. Plain testinfra is given what its experts give it: an
OpenSSH configuration whose connections are shared and stay open, sudo, and the better of two
numbers of workers. Both sides begin without any connection; starting pytest is part of both. The
target is half the time.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

from benchmarks.measure import Measurement, Side, in_turns, program
from orchestrate import shell
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh_config import Access
from orchestrate.lab.paths import LabFiles
from orchestrate.verify import way
from orchestrate.verify.checks import Check
from orchestrate.verify.run import run
from tests.lab import small_cluster
from tests.lab.conftest import LabFolder
from tests.lab.small_cluster import BASTION, CLUSTER, SmallCluster

HOSTS, ROUNDS, TARGET = 20, 2, 0.5
WORKERS = (2, 8)
SUITE = """
import pytest

FILES = ["/etc/passwd", "/etc/group", "/etc/hosts", "/etc/fstab", "/etc/profile", "/etc/ssh"]


@pytest.mark.parametrize("path", FILES)
def test_owner(host, path):
    assert host.file(path).user == "root"


@pytest.mark.parametrize("path", FILES)
def test_mode(host, path):
    assert not host.file(path).mode & 0o022


@pytest.mark.parametrize("name", ["openssh-server", "sudo", "systemd", "bash", "apt", "dpkg"])
def test_package(host, name):
    assert host.package(name).is_installed


@pytest.mark.parametrize("name", ["root", "daemon", "sync", "nobody", "sshd", "mail"])
def test_user(host, name):
    assert host.user(name).exists


@pytest.mark.parametrize("number", range(6))
def test_command(host, number):
    assert host.check_output("id -u") == "0"
"""


@contextmanager
def twenty_hosts() -> Iterator[tuple[SmallCluster, list[Host]]]:
    """A lab of its own with the hosts, and a repository with the suite; all hosts answer."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        lab = LabFolder(LabFiles(Path(name) / "lab"))
        try:
            lab.up()
            cluster = small_cluster.build(lab, Path(name) / "repository", workers=HOSTS)
            suite = cluster.root / "tests" / "infra" / "bench" / "test_bench.py"
            suite.parent.mkdir(parents=True)
            suite.write_text(SUITE)
            cluster.orchestrate("hosts", "--wait", "300", CLUSTER)
            yield cluster, _hosts(cluster)
        finally:
            lab.orchestrate("down")


def _hosts(cluster: SmallCluster) -> list[Host]:
    """What the command lists, less what it says of hosts beside."""
    known = {each.name for each in fields(Host)}
    listed = cluster.json("hosts", CLUSTER)
    return [Host(**{key: one[key] for key in one if key in known}) for one in listed]


def plain_config(cluster: SmallCluster, hosts: list[Host], access: Access) -> Path:
    """What an operator with testinfra writes: one connection a host, shared and kept."""
    path = cluster.root / "ssh_config"
    shared = ["ControlMaster auto", "ControlPersist 60", f"ControlPath {cluster.root}/%C"]
    path.write_text(way.config(hosts, access) + "\n    ".join(["Host *", *shared]) + "\n")
    return path


def measure() -> Iterator[Measurement]:
    """Seconds of each side, and the ratio of ours to the better of theirs."""
    with twenty_hosts() as (cluster, hosts):
        (bastion,) = (host for host in hosts if host.name == BASTION)
        workers = [host for host in hosts if host.name != BASTION]
        access = Access(cluster.root / "known_hosts", cluster.account.lab.files.identity)
        checks = [Check(host, ("bench",), {}, (bastion,)) for host in workers]
        config = plain_config(cluster, hosts, access)

        def ours() -> None:
            verdicts = run(checks, access=access, root=cluster.root, logs=cluster.root / "logs")
            assert verdicts.ok, verdicts

        def hang_up() -> None:
            for host in hosts:
                shell.run(["ssh", "-F", str(config), "-O", "exit", host.name], check=False)

        names = ",".join(f"ssh://{host.name}" for host in workers)
        suite = cluster.root / "tests" / "infra" / "bench"
        pytest = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", suite)
        sides = {"orchestrate verify": Side(ours)}
        for count in WORKERS:
            argv = (*pytest, f"--hosts={names}", "--ssh-config", config, "--sudo", "-n", count)
            sides[f"testinfra, xdist -n {count}"] = Side(program(*argv), before=hang_up)
        taken = in_turns(ROUNDS, sides, warm_up=False)
        best = min(seconds for name, seconds in taken.items() if name.startswith("testinfra"))
        for name, seconds in taken.items():
            yield Measurement(f"{HOSTS} hosts, 30 tests each: {name}", seconds, "s")
        ratio = taken["orchestrate verify"] / best
        yield Measurement("verify beside the better testinfra", ratio, "x", TARGET)
