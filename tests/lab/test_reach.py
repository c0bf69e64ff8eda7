"""Hosts found, waited for and logged in to by their names, with real instances behind a bastion."""

import itertools
import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrate import shell
from orchestrate.lab.paths import FOLDER_VARIABLE
from tests.lab.cloud import newest_debian
from tests.lab.conftest import ROOT, Account, LabFolder

pytestmark = pytest.mark.hosts
BASTION = "bastion.cluster-us-west"
_numbers = itertools.count(200_000_000_001)


@dataclass(frozen=True)
class Reached:
    """A repository whose cluster-us-west has a bastion and a worker in a private subnet."""

    root: Path
    lab: LabFolder
    worker: str

    @property
    def name(self) -> str:
        return f"cpu-{self.worker[-6:]}.cluster-us-west"

    def orchestrate(self, *words: str, check: bool = True) -> shell.Finished:
        return shell.run(
            [sys.executable, "-m", "orchestrate", "--root", str(self.root), *words],
            cwd=ROOT,
            env={**os.environ, FOLDER_VARIABLE: str(self.lab.files.folder)},
            timeout_s=300,
            check=check,
        )


@pytest.fixture(scope="module")
def reached(lab: LabFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reached]:
    root = tmp_path_factory.mktemp("repository")
    account = Account(str(next(_numbers)), lab)
    shutil.copytree(ROOT / "fleet", root / "fleet")
    file = root / "fleet" / "fleet.yaml"
    file.write_text(file.read_text().replace("123456789012", account.number))
    ec2 = account.client("ec2")
    worker = launch(ec2, lab)
    found = Reached(root, lab, worker)
    waited = found.orchestrate("hosts", "--wait", "180", "cluster-us-west")
    assert f"answers  {BASTION}" in waited.stderr
    assert f"answers  {found.name}" in waited.stderr
    yield found
    every = [one["InstanceId"] for group in described(ec2) for one in group["Instances"]]
    ec2.terminate_instances(InstanceIds=every)


def described(ec2: Any) -> list[Any]:
    return list(ec2.describe_instances()["Reservations"])


def launch(ec2: Any, lab: LabFolder) -> str:
    """A network as the module `network` makes it, one bastion and one worker; the worker's id."""
    vpc = ec2.create_vpc(CidrBlock="10.3.0.0/16")["Vpc"]["VpcId"]
    public, private = (
        ec2.create_subnet(VpcId=vpc, CidrBlock=net, AvailabilityZone="us-west-2a")["Subnet"][
            "SubnetId"
        ]
        for net in ("10.3.96.0/24", "10.3.0.0/19")
    )
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    ec2.associate_route_table(RouteTableId=table, SubnetId=public)
    group = ec2.create_security_group(GroupName="ssh", Description="ssh", VpcId=vpc)["GroupId"]
    ec2.authorize_security_group_ingress(
        GroupId=group, IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="0.0.0.0/0"
    )
    ec2.import_key_pair(KeyName="k", PublicKeyMaterial=lab.files.public_key.read_bytes())
    made = {}
    for role, subnet, tags in (("bastion", public, {}), ("cpu-worker", private, {"group": "cpu"})):
        every = {"fleet": "deeplab", "cluster": "cluster-us-west", "role": role, **tags}
        pairs = [{"Key": key, "Value": value} for key, value in every.items()]
        made[role] = ec2.run_instances(
            ImageId=newest_debian(ec2),
            InstanceType="t3.small",
            SubnetId=subnet,
            SecurityGroupIds=[group],
            KeyName="k",
            MinCount=1,
            MaxCount=1,
            TagSpecifications=[{"ResourceType": "instance", "Tags": pairs}],
        )["Instances"][0]["InstanceId"]
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    ec2.associate_address(AllocationId=address, InstanceId=made["bastion"])
    return str(made["cpu-worker"])


def test_a_private_host_is_logged_in_to_through_the_bastion(reached: Reached) -> None:
    told = reached.orchestrate(
        "ssh", "cpu.cluster-us-west", "echo $SSH_CONNECTION; exit 3", check=False
    )
    assert told.code == 3
    assert told.stdout.split()[0].startswith("10.3.96."), told.stderr
    (host,) = json.loads(reached.orchestrate("hosts", reached.worker, "--json").stdout)
    assert told.stdout.split()[2] == host["private_ip"]


def test_keys_are_known_by_instance_and_a_changed_one_is_refused(reached: Reached) -> None:
    known = reached.root / ".orchestrate" / "ssh" / "lab" / "known_hosts"
    kept = known.read_text()
    aliases = {line.split()[0] for line in kept.splitlines()}
    assert reached.worker in aliases
    assert not any(alias[0].isdigit() for alias in aliases)
    # Both get the key of the first line: one of them is now another's.
    key = kept.splitlines()[0].split(" ", 1)[1]
    known.write_text("".join(f"{alias} {key}\n" for alias in sorted(aliases)))
    try:
        waited = reached.orchestrate("hosts", "--wait", "0", "cluster-us-west", check=False)
        assert "shows another key" in waited.stderr
        logged_in = reached.orchestrate("ssh", reached.worker, "true", check=False)
        assert logged_in.code == 255
    finally:
        known.write_text(kept)


def test_plain_scp_works_with_the_printed_configuration(reached: Reached, tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(reached.orchestrate("hosts", "cpu", "--ssh-config").stdout)
    (tmp_path / "file").write_text("carried")
    shell.run(
        ["scp", "-F", str(config), str(tmp_path / "file"), f"{reached.name}:carried"], timeout_s=60
    )
    assert reached.orchestrate("ssh", reached.name, "cat carried").stdout == "carried"
