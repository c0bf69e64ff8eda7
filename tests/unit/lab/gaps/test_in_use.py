"""What something else still needs is not taken away, and can be once that is gone."""

from functools import partial

import pytest
from botocore.exceptions import ClientError

from tests.unit.lab.gaps.test_twice import Cloud
from tests.unit.lab.gaps.uses import DEPENDENCY, IN_USE, Case, Delete, launching, nat, site_vpn


@pytest.fixture
def cloud(endpoint: str) -> Cloud:
    return Cloud(endpoint)


@pytest.mark.parametrize("case", IN_USE, ids=lambda case: case.__name__)
def test_what_is_in_use_stays_until_it_is_not(cloud: Cloud, case: Case) -> None:
    steps = case(cloud)
    delete, code = next(steps)

    with pytest.raises(ClientError) as refusal:
        delete()

    assert refusal.value.response["Error"]["Code"] == code
    assert not list(steps)
    delete()


def refused(code: str, call: Delete) -> None:
    with pytest.raises(ClientError) as refusal:
        call()
    assert refusal.value.response["Error"]["Code"] == code


def test_what_is_gone_is_not_found(cloud: Cloud) -> None:
    gateway, _ = nat(cloud)
    delete = partial(cloud.ec2.delete_nat_gateway, NatGatewayId=gateway)
    delete()
    refused("NatGatewayNotFound", delete)
    never = partial(cloud.ec2.delete_nat_gateway, NatGatewayId="nat-0123456789abcdef0")
    refused("NatGatewayNotFound", never)
    vpn = site_vpn(cloud)[2]
    delete = partial(cloud.ec2.delete_vpn_connection, VpnConnectionId=vpn)
    delete()
    refused("InvalidVpnConnectionID.NotFound", delete)


def test_what_came_with_a_vpc_goes_with_it_only(cloud: Cloud) -> None:
    inside = [{"Name": "vpc-id", "Values": [cloud.vpc]}]
    (default,) = cloud.ec2.describe_security_groups(Filters=inside)["SecurityGroups"]
    delete = partial(cloud.ec2.delete_security_group, GroupId=default["GroupId"])
    refused("CannotDelete", delete)
    (main,) = cloud.ec2.describe_route_tables(Filters=inside)["RouteTables"]
    refused(DEPENDENCY, partial(cloud.ec2.delete_route_table, RouteTableId=main["RouteTableId"]))
    cloud.ec2.delete_subnet(SubnetId=cloud.subnet)
    cloud.ec2.delete_vpc(VpcId=cloud.vpc)
    assert cloud.ec2.describe_security_groups(Filters=inside)["SecurityGroups"] == []


@pytest.mark.parametrize("served", ["nat", "efs"])
def test_the_interface_of_a_service_is_the_service_s(cloud: Cloud, served: str) -> None:
    if served == "nat":
        nat(cloud)
    else:
        efs = cloud._client("efs")
        system = efs.create_file_system(CreationToken="x")["FileSystemId"]
        efs.create_mount_target(FileSystemId=system, SubnetId=cloud.subnet)
    inside = [{"Name": "vpc-id", "Values": [cloud.vpc]}]
    (one,) = cloud.ec2.describe_network_interfaces(Filters=inside)["NetworkInterfaces"]
    delete = partial(
        cloud.ec2.delete_network_interface, NetworkInterfaceId=one["NetworkInterfaceId"]
    )
    refused("InvalidParameterValue", delete)


def test_a_group_that_is_forced_to_go_takes_its_instances_along_suspended_or_not(
    cloud: Cloud,
) -> None:
    launching(cloud)
    cloud.autoscaling.suspend_processes(
        AutoScalingGroupName="nodes", ScalingProcesses=["Terminate"]
    )
    cloud.autoscaling.delete_auto_scaling_group(AutoScalingGroupName="nodes", ForceDelete=True)
    found = cloud.ec2.describe_instances()["Reservations"]
    states = [one["State"]["Name"] for each in found for one in each["Instances"]]
    assert states == ["terminated"]


def routes(cloud: Cloud, table: str) -> list[str]:
    """The gateways that a route table leads to by prefix lists."""
    (found,) = cloud.ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"]
    return [one["GatewayId"] for one in found["Routes"] if "DestinationPrefixListId" in one]


@pytest.mark.parametrize("kept", ["both", "first", "second", "none"])
def test_a_gateway_endpoint_is_reached_from_the_tables_it_has_and_goes_from_all(
    cloud: Cloud, kept: str
) -> None:
    ec2 = cloud.ec2
    tables = [
        ec2.create_route_table(VpcId=cloud.vpc)["RouteTable"]["RouteTableId"] for _ in range(2)
    ]
    name = "com.amazonaws.us-west-2.s3"
    own = ec2.create_vpc_endpoint(VpcId=cloud.vpc, ServiceName=name, RouteTableIds=tables[:1])[
        "VpcEndpoint"
    ]["VpcEndpointId"]
    ec2.modify_vpc_endpoint(VpcEndpointId=own, AddRouteTableIds=tables[1:])
    assert [routes(cloud, table) for table in tables] == [[own], [own]]
    gone = {"both": [], "first": tables[1:], "second": tables[:1], "none": tables}[kept]
    if gone:
        ec2.modify_vpc_endpoint(VpcEndpointId=own, RemoveRouteTableIds=gone)
    assert [routes(cloud, table) for table in gone] == [[] for _ in gone]
    ec2.delete_vpc_endpoints(VpcEndpointIds=[own])
    assert [routes(cloud, table) for table in tables] == [[], []]
