"""Instances, images and addresses as AWS has them and plain moto does not."""

from ipaddress import IPv4Address

import pytest

from orchestrate.lab.spec import public_range
from tests.lab.cloud import Cloud, newest_debian
from tests.lab.conftest import Account

pytestmark = pytest.mark.lab


@pytest.mark.parametrize("region", ["us-west-2", "us-east-1", "eu-west-1"])
def test_every_region_has_the_vendors_images(account: Account, region: str) -> None:
    ec2 = account.client("ec2", region)
    jammy = "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-*"

    found = ec2.describe_images(
        Owners=["099720109477"], Filters=[{"Name": "name", "Values": [jammy]}]
    )["Images"]

    assert newest_debian(ec2)
    assert len({image["CreationDate"] for image in found}) == 2


def test_an_unknown_image_is_refused(cloud: Cloud) -> None:
    with pytest.raises(cloud.ec2.exceptions.ClientError, match="InvalidAMIID"):
        cloud.run(ImageId="ami-00000000000000000")


def test_instances_run_at_once_with_addresses_of_their_subnet(cloud: Cloud) -> None:
    addresses = [cloud.run()["PrivateIpAddress"] for _ in range(3)]

    assert addresses == ["10.1.0.4", "10.1.0.5", "10.1.0.6"]
    assert {one["State"]["Name"] for one in cloud.instances()} == {"running"}


def test_no_two_interfaces_of_a_subnet_share_an_address(cloud: Cloud) -> None:
    ec2, subnet = cloud.ec2, cloud.subnets[0]
    cloud.run()
    elastic = ec2.allocate_address(Domain="vpc")["AllocationId"]
    ec2.create_nat_gateway(SubnetId=subnet, AllocationId=elastic)
    ec2.create_network_interface(SubnetId=subnet)
    ec2.create_network_interface(SubnetId=subnet, PrivateIpAddress="10.1.0.7")
    cloud.run()

    interfaces = ec2.describe_network_interfaces()["NetworkInterfaces"]

    assert sorted(one["PrivateIpAddress"] for one in interfaces) == [
        f"10.1.0.{last}" for last in range(4, 9)
    ]


def test_a_full_subnet_refuses_another_instance_and_reuses_what_is_released(cloud: Cloud) -> None:
    small = cloud.ec2.create_subnet(VpcId=cloud.vpc, CidrBlock="10.1.9.0/28")["Subnet"]["SubnetId"]
    full = cloud.run(SubnetId=small, MinCount=11, MaxCount=11)
    with pytest.raises(cloud.ec2.exceptions.ClientError, match="InsufficientFreeAddresses"):
        cloud.run(SubnetId=small)

    cloud.ec2.terminate_instances(InstanceIds=[full["InstanceId"]])

    assert cloud.run(SubnetId=small)["PrivateIpAddress"] == full["PrivateIpAddress"]


def test_elastic_addresses_are_the_labs_and_distinct_across_regions(account: Account) -> None:
    given = [
        account.client("ec2", region).allocate_address(Domain="vpc")["PublicIp"]
        for region in ("us-west-2", "us-east-1", "us-west-2")
    ]

    assert len(set(given)) == 3
    lab = public_range(account.lab.record.slot)
    assert all(IPv4Address(address) in lab for address in given)


def test_an_elastic_address_survives_stop_and_start(cloud: Cloud) -> None:
    cloud.ec2.modify_subnet_attribute(
        SubnetId=cloud.subnets[0], MapPublicIpOnLaunch={"Value": True}
    )
    instance = cloud.run()["InstanceId"]
    address = _associate(cloud, instance)

    cloud.ec2.stop_instances(InstanceIds=[instance])
    cloud.ec2.start_instances(InstanceIds=[instance])

    assert cloud.instance(instance)["PublicIpAddress"] == address


def test_an_elastic_address_moves_to_the_instance_it_is_reassociated_with(cloud: Cloud) -> None:
    old, new = cloud.run()["InstanceId"], cloud.run()["InstanceId"]
    address = _associate(cloud, old)
    allocation = cloud.ec2.describe_addresses(PublicIps=[address])["Addresses"][0]["AllocationId"]

    cloud.ec2.associate_address(AllocationId=allocation, InstanceId=new, AllowReassociation=True)

    assert cloud.instance(new)["PublicIpAddress"] == address
    assert "PublicIpAddress" not in cloud.instance(old)


def test_a_terminated_instance_leaves_nothing_but_its_elastic_address(cloud: Cloud) -> None:
    instance = cloud.run()["InstanceId"]
    _associate(cloud, instance)

    cloud.ec2.terminate_instances(InstanceIds=[instance])

    assert cloud.ec2.describe_network_interfaces()["NetworkInterfaces"] == []
    assert cloud.ec2.describe_volumes()["Volumes"] == []
    (address,) = cloud.ec2.describe_addresses()["Addresses"]
    assert "AssociationId" not in address


def test_an_instance_may_be_terminated_twice(cloud: Cloud) -> None:
    instance = cloud.run()["InstanceId"]
    cloud.ec2.terminate_instances(InstanceIds=[instance])

    (again,) = cloud.ec2.terminate_instances(InstanceIds=[instance])["TerminatingInstances"]

    assert again["PreviousState"]["Name"] == "terminated"
    assert cloud.instance(instance)["State"]["Name"] == "terminated"


def test_a_deleted_nat_gateway_frees_its_address_and_interface(cloud: Cloud) -> None:
    ec2 = cloud.ec2
    elastic = ec2.allocate_address(Domain="vpc")["AllocationId"]
    nat = ec2.create_nat_gateway(SubnetId=cloud.subnets[0], AllocationId=elastic)["NatGateway"]

    ec2.delete_nat_gateway(NatGatewayId=nat["NatGatewayId"])

    assert "AssociationId" not in ec2.describe_addresses()["Addresses"][0]
    assert ec2.describe_network_interfaces()["NetworkInterfaces"] == []


def test_detailed_monitoring_is_switched_on_and_off(cloud: Cloud) -> None:
    instance = cloud.run()["InstanceId"]

    cloud.ec2.monitor_instances(InstanceIds=[instance])
    assert cloud.instance(instance)["Monitoring"]["State"] == "enabled"

    cloud.ec2.unmonitor_instances(InstanceIds=[instance])
    assert cloud.instance(instance)["Monitoring"]["State"] == "disabled"


def _associate(cloud: Cloud, instance: str) -> str:
    given = cloud.ec2.allocate_address(Domain="vpc")
    cloud.ec2.associate_address(AllocationId=given["AllocationId"], InstanceId=instance)
    return str(given["PublicIp"])
