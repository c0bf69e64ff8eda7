"""Instances of the EC2 API are real: what a call says happens to a host."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrate import shell
from orchestrate.lab.gaps.images import VENDOR_IMAGES, image_id
from orchestrate.lab.spec import prefix
from tests.lab.conftest import Account, LabFolder
from tests.lab.hosts_lab import SSH
from tests.lab.patience import PATIENCE_S

pytestmark = pytest.mark.hosts
REGION = "us-west-2"


@pytest.fixture
def ec2(lab: LabFolder) -> Any:
    return Account("200000000001", lab).client("ec2", REGION)


@pytest.fixture
def subnet(ec2: Any, lab: LabFolder) -> str:
    """A public subnet of a VPC of its own, whose default group lets SSH in.

    The operator's key pair is known as `operator`.
    """
    if not ec2.describe_key_pairs()["KeyPairs"]:
        key = lab.files.public_key.read_bytes()
        ec2.import_key_pair(KeyName="operator", PublicKeyMaterial=key)
    vpc = ec2.create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
    made = ec2.create_subnet(VpcId=vpc, CidrBlock="10.20.1.0/24", AvailabilityZone=f"{REGION}a")
    mine = [{"Name": "vpc-id", "Values": [vpc]}]
    (table,) = ec2.describe_route_tables(Filters=mine)["RouteTables"]
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    ec2.create_route(
        RouteTableId=table["RouteTableId"], DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway
    )
    (group,) = ec2.describe_security_groups(Filters=mine)["SecurityGroups"]
    ec2.authorize_security_group_ingress(
        GroupId=group["GroupId"], IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="0.0.0.0/0"
    )
    return str(made["Subnet"]["SubnetId"])


def test_an_instance_is_a_host_through_its_whole_life(
    ec2: Any, lab: LabFolder, subnet: str
) -> None:
    launched = ec2.run_instances(
        ImageId=_debian(),
        InstanceType="t3.micro",
        KeyName="operator",
        SubnetId=subnet,
        MinCount=1,
        MaxCount=1,
    )["Instances"][0]
    instance = launched["InstanceId"]
    elastic = ec2.allocate_address(Domain="vpc")
    ec2.associate_address(AllocationId=elastic["AllocationId"], InstanceId=instance)
    address = elastic["PublicIp"]

    _until(lambda: _ssh(lab, address, "echo kept > file; hostname").code == 0)
    name = _ssh(lab, address, "hostname").stdout.strip()
    assert name == launched["PrivateDnsName"].partition(".")[0]

    ec2.stop_instances(InstanceIds=[instance])
    _until(lambda: instance not in _hosts(lab))
    ec2.start_instances(InstanceIds=[instance])
    _until(lambda: _ssh(lab, address, "cat file").stdout.strip() == "kept")

    ec2.terminate_instances(InstanceIds=[instance])
    _until(lambda: instance not in _hosts(lab))
    _until(lambda: not (lab.files.folder / "hosts" / instance).exists())


def test_hosts_follow_the_size_of_a_group_and_one_that_powers_off_is_replaced(
    ec2: Any, lab: LabFolder, subnet: str
) -> None:
    group = Account("200000000001", lab).client("autoscaling", REGION)
    group.create_launch_configuration(
        LaunchConfigurationName="cpu", ImageId=_debian(), InstanceType="t3.micro"
    )
    group.create_auto_scaling_group(
        AutoScalingGroupName="cpu",
        LaunchConfigurationName="cpu",
        MinSize=0,
        MaxSize=3,
        DesiredCapacity=2,
        VPCZoneIdentifier=subnet,
    )

    def members() -> set[str]:
        found = group.describe_auto_scaling_groups(AutoScalingGroupNames=["cpu"])
        return {each["InstanceId"] for each in found["AutoScalingGroups"][0]["Instances"]}

    _until(lambda: len(members()) == 2 and members() <= _hosts(lab))
    lost = min(members())
    _until(lambda: lab.orchestrate("shell", lost, "systemctl", "is-active", "ssh").code == 0)
    lab.orchestrate("shell", lost, "systemctl", "poweroff")
    _until(lambda: lost not in members() | _hosts(lab))
    _until(lambda: len(members()) == 2 and members() <= _hosts(lab))
    before = members()
    group.set_desired_capacity(AutoScalingGroupName="cpu", DesiredCapacity=0)
    _until(lambda: not before & _hosts(lab))


def _debian() -> str:
    return image_id(REGION, VENDOR_IMAGES[0][1])


def _hosts(lab: LabFolder) -> set[str]:
    """The instances that have a running host: its network namespace exists."""
    mine = prefix(lab.record.slot)
    return {path.name.removeprefix(mine) for path in Path("/run/netns").glob(f"{mine}i-*")}


def _ssh(lab: LabFolder, address: str, command: str) -> shell.Finished:
    argv = [*SSH, "-i", str(lab.files.identity), f"admin@{address}", command]
    return shell.run(argv, check=False, timeout_s=PATIENCE_S)


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.1)
