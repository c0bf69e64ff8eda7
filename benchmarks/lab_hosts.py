"""The lab's hosts: from RunInstances until SSH answers, forty at once, and the memory of each.

One lab, with an instance of the public subnet alone and then a group of forty. Memory is what the
hosts' own control groups count without page cache, so what all share is nobody's.
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
from orchestrate.lab import cgroups, control
from orchestrate.lab.client import status
from orchestrate.lab.hosts import missing
from orchestrate.lab.paths import LabFiles
from orchestrate.lab.record import LabRecord
from orchestrate.lab.spec import prefix

MANY = 40
REGION = "us-west-2"
LOOK_EVERY_S = 0.02
PATIENCE_S = 600.0


def measure(rounds: int = 3) -> Iterator[Measurement]:
    """Seconds and MiB. Raises RuntimeError where there can be no hosts, or they don't come up."""
    if why := missing():
        raise RuntimeError(f"no real hosts here: {why}")
    with _lab() as lab:
        network = Network(lab)
        alone = sorted(_one(network) for _ in range(rounds))[rounds // 2]
        yield Measurement("RunInstances until SSH answers, one host", alone, "s", 3.0)
        took = _many(network)
        yield Measurement(f"RunInstances until SSH answers, {MANY} at once", took, "s", 120.0)
        yield Measurement("hosts a second", MANY / took, "/s")
        memory = _memory_mib(lab.slot) / MANY
        note = "its own pages; those of programs are shared by all"
        yield Measurement("memory of a host", memory, "MiB", 60.0, note)
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
            aws_secret_access_key="lab",
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


def _memory_mib(slot: int) -> float:
    """What the control groups of a lab's hosts hold, without page cache."""
    total = 0
    for group in cgroups.of_lab(prefix(slot)):
        for file in group.glob("i-*/memory.stat"):
            counted = dict(line.split() for line in file.read_text().splitlines())
            total += int(counted.get("total_rss", counted.get("anon", 0)))
    return total / 2**20


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
