"""The lab's hosts: from RunInstances until SSH answers, forty at once, and the memory of each.

One lab, with an instance of the public subnet alone and then a group of forty. Memory is told in
three ways. What the machine has less to give than before, which decides how many hosts fit: it
counts the hosts' processes, what the kernel keeps for them, their networks and what the daemon
holds. All that the hosts' control groups count: their processes' own pages, the kernel's memory for
them, and the cached pages of files that they were the first to read or write: of their own disks,
and each its share of the root file system, whose pages all hosts use. And of that what is not
cached: such pages go when others need the room.
"""

import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import boto3

from benchmarks.measure import Measurement
from orchestrate.lab import cgroups, control, secret
from orchestrate.lab.client import status
from orchestrate.lab.hosts import missing
from orchestrate.lab.paths import LabFiles
from orchestrate.lab.record import LabRecord
from orchestrate.lab.spec import prefix

MANY = 40
REGION = "us-west-2"
LOOK_EVERY_S = 0.02
# SSH answers before a host has come to rest.
SETTLE_S = 10.0
PATIENCE_S = 600.0


def measure(rounds: int = 3) -> Iterator[Measurement]:
    """Seconds and MiB. Raises RuntimeError where there can be no hosts, or they don't come up."""
    if why := missing():
        raise RuntimeError(f"no real hosts here: {why}")
    with _lab() as lab:
        network = Network(lab)
        alone = sorted(_one(network) for _ in range(rounds))[rounds // 2]
        yield Measurement("RunInstances until SSH answers, one host", alone, "s", 3.0)
        before = _available_mib()
        took = _many(network)
        time.sleep(SETTLE_S)
        less = (before - _available_mib()) / MANY
        yield Measurement(f"RunInstances until SSH answers, {MANY} at once", took, "s", 120.0)
        yield Measurement("hosts a second", MANY / took, "/s")
        yield Measurement("memory of a host, of what the machine can give", less, "MiB", 60.0)
        counted, own = (of_lab(lab.slot) / MANY for of_lab in (_counted_mib, _own_mib))
        yield Measurement("memory of a host, all of its control group", counted, "MiB")
        yield Measurement("memory of a host, of that what is not cached", own, "MiB")
        begun = time.perf_counter()
        network.remove_all()
        _until(lambda: not _hosts(lab))
        yield Measurement(f"until {MANY} hosts are gone", time.perf_counter() - begun, "s", 60.0)


class Network:
    """The default VPC of an account: what is launched there has a public address."""

    def __init__(self, lab: LabRecord) -> None:
        self.ec2: Any = boto3.client(
            "ec2",
            region_name=REGION,
            endpoint_url=lab.endpoint,
            aws_access_key_id="100000000001",
            aws_secret_access_key=secret.read(lab.files).access_key("100000000001"),
        )
        group = self.ec2.create_security_group(GroupName="ssh", Description="ssh")["GroupId"]
        self.ec2.authorize_security_group_ingress(
            GroupId=group, IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="0.0.0.0/0"
        )
        newest = self.ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"]
        self._launch = {
            "ImageId": newest,
            "InstanceType": "t3.small",
            "SecurityGroupIds": [group],
        }

    def launch(self, count: int) -> list[str]:
        """The public addresses of so many new instances."""
        made = self.ec2.run_instances(**self._launch, MinCount=count, MaxCount=count)
        ids = [one["InstanceId"] for one in made["Instances"]]
        found = self.ec2.describe_instances(InstanceIds=ids)["Reservations"]
        return [one["PublicIpAddress"] for each in found for one in each["Instances"]]

    def remove_all(self) -> None:
        """Terminate everything."""
        found = self.ec2.describe_instances()["Reservations"]
        ids = [one["InstanceId"] for each in found for one in each["Instances"]]
        self.ec2.terminate_instances(InstanceIds=ids)


def _one(network: Network) -> float:
    took = _until_ssh(network, 1)
    network.remove_all()
    return took


def _many(network: Network) -> float:
    return _until_ssh(network, MANY)


def _until_ssh(network: Network, count: int) -> float:
    begun = time.perf_counter()
    silent = network.launch(count)

    def all_answer() -> bool:
        silent[:] = [address for address in silent if not _answers(address)]
        return not silent

    _until(all_answer)
    return time.perf_counter() - begun


def _answers(address: str) -> bool:
    try:
        with closing(socket.create_connection((address, 22), timeout=0.5)) as door:
            return door.recv(8) == b"SSH-2.0-"
    except OSError:
        return False


def _hosts(lab: LabRecord) -> list[str]:
    return [one["instance_id"] for one in status(lab)["instances"] if one["host"]]


def _counted_mib(slot: int) -> float:
    """All that the control groups of a lab's hosts count, as version 1 or 2 of them says it."""
    return sum(
        int(file.read_text())
        for group in _memory_groups(slot)
        for name in ("memory.usage_in_bytes", "memory.current")
        if (file := group / name).exists()
    ) / (1 << 20)


def _own_mib(slot: int) -> float:
    """What they hold without files' pages, which go when needed."""
    return sum(map(_own_bytes, _memory_groups(slot))) / (1 << 20)


def _memory_groups(slot: int) -> list[Path]:
    found = (group.glob("i-*/memory.stat") for group in cgroups.of_lab(prefix(slot)))
    return [file.parent for each in found for file in each]


def _own_bytes(group: Path) -> int:
    """cgroup v1 counts with `total_` what groups below hold, and the kernel's memory elsewhere."""
    counted = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
    if "total_rss" not in counted:
        return sum(int(counted.get(kind, 0)) for kind in ("anon", "shmem", "kernel"))
    kernel = group / "memory.kmem.usage_in_bytes"
    own = int(counted["total_rss"]) + int(counted.get("total_shmem", 0))
    return own + (int(kernel.read_text()) if kernel.exists() else 0)


def _available_mib() -> float:
    """What programs could still be given without swapping: the kernel's own estimate."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    told = dict(line.split(":", 1) for line in lines)
    return int(told["MemAvailable"].split()[0]) / 1024


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"not within {PATIENCE_S:g} s")
        time.sleep(LOOK_EVERY_S)


@contextmanager
def _lab() -> Iterator[LabRecord]:
    with tempfile.TemporaryDirectory() as folder:
        files = LabFiles(Path(folder))
        record, _ = control.up(files, hosts=True, progress=lambda _stage: None)
        try:
            yield record
        finally:
            control.down(files, progress=lambda _stage: None)
