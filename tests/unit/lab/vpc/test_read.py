"""Networks as moto has them, read into plain data."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Network
from typing import Any

import boto3
import pytest
from moto import mock_aws

from orchestrate.lab.vpc.models import Networks, Peering, Route, Rule, Vpc
from orchestrate.lab.vpc.read import desired_networks
from tests.lab.specs import a_spec

EVERYWHERE = "0.0.0.0/0"
LOCAL = Route(IPv4Network("10.1.0.0/16"), "local")


@dataclass
class Made:
    """A VPC with one subnet, which has no table of its own, and an internet gateway."""

    ec2: Any
    vpc: str
    subnet: str
    table: str
    gateway: str

    def route(self, to: str = EVERYWHERE, **target: str) -> None:
        self.ec2.create_route(RouteTableId=self.table, DestinationCidrBlock=to, **target)

    def read(self) -> Vpc:
        return desired_networks([replace(a_spec(1), vpc_id=self.vpc)]).vpcs[self.vpc]

    def routes(self) -> set[Route]:
        (subnet,) = self.read().subnets
        return set(subnet.routes) - {LOCAL}


@pytest.fixture(scope="module")
def clients() -> Iterator[dict[str, Any]]:
    """EC2 in two regions of one moto: to start it takes longer than all tests."""
    with mock_aws():
        yield {region: boto3.client("ec2", region) for region in ("us-west-2", "eu-west-1")}


@pytest.fixture
def made(clients: dict[str, Any]) -> Made:
    return make(clients["us-west-2"])


def make(ec2: Any) -> Made:
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.0.0/24")["Subnet"]["SubnetId"]
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    tables = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc]}])
    return Made(ec2, vpc, subnet, tables["RouteTables"][0]["RouteTableId"], gateway)


def test_a_subnet_without_a_table_of_its_own_has_the_main_one(made: Made) -> None:
    made.route(GatewayId=made.gateway)

    assert made.routes() == {Route(IPv4Network(EVERYWHERE), "internet")}


def test_a_subnets_own_table_hides_the_main_one(made: Made) -> None:
    made.route(GatewayId=made.gateway)
    own = made.ec2.create_route_table(VpcId=made.vpc)["RouteTable"]["RouteTableId"]
    made.ec2.associate_route_table(RouteTableId=own, SubnetId=made.subnet)

    assert made.routes() == set()
    assert LOCAL in made.read().subnets[0].routes


def test_a_route_to_a_detached_gateway_is_a_black_hole(made: Made) -> None:
    made.route(GatewayId=made.gateway)
    made.ec2.detach_internet_gateway(InternetGatewayId=made.gateway, VpcId=made.vpc)

    assert made.routes() == {Route(IPv4Network(EVERYWHERE), "nothing")}


def test_a_deleted_nat_gateway_is_none_though_a_route_names_it(made: Made) -> None:
    address = made.ec2.allocate_address(Domain="vpc")["AllocationId"]
    nat = made.ec2.create_nat_gateway(SubnetId=made.subnet, AllocationId=address)
    name = nat["NatGateway"]["NatGatewayId"]
    made.route(NatGatewayId=name)
    assert [gateway.gateway_id for gateway in made.read().nat_gateways] == [name]

    made.ec2.delete_nat_gateway(NatGatewayId=name)

    assert made.read().nat_gateways == ()
    assert made.routes() == {Route(IPv4Network(EVERYWHERE), "nat", name)}


@pytest.mark.parametrize("region", ["us-west-2", "eu-west-1"])
def test_a_peering_counts_once_from_its_acceptance_to_its_end(
    made: Made, clients: dict[str, Any], region: str
) -> None:
    other = make(clients[region])
    both = [replace(a_spec(1), vpc_id=made.vpc), replace(a_spec(2), vpc_id=other.vpc)]
    asked = made.ec2.create_vpc_peering_connection(
        VpcId=made.vpc, PeerVpcId=other.vpc, PeerRegion=region
    )
    name = asked["VpcPeeringConnection"]["VpcPeeringConnectionId"]
    assert desired_networks(both).peerings == ()

    other.ec2.accept_vpc_peering_connection(VpcPeeringConnectionId=name)
    assert desired_networks(both).peerings == (Peering(name, made.vpc, other.vpc),)
    assert desired_networks(both[:1]).peerings == (), "the other one has no hosts"

    made.ec2.delete_vpc_peering_connection(VpcPeeringConnectionId=name)
    assert desired_networks(both).peerings == ()


def test_a_groups_rules_name_ranges_and_groups(made: Made) -> None:
    group = made.ec2.create_security_group(GroupName="g", Description="g", VpcId=made.vpc)
    name = group["GroupId"]
    ssh = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22}
    made.ec2.authorize_security_group_ingress(
        GroupId=name,
        IpPermissions=[
            {**ssh, "IpRanges": [{"CidrIp": "10.0.0.0/8"}], "Ipv6Ranges": [{"CidrIpv6": "::/0"}]},
            {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": name}]},
        ],
    )

    read = {one.group_id: one for one in made.read().security_groups}[name]

    assert set(read.inbound) == {
        Rule("tcp", 22, 22, IPv4Network("10.0.0.0/8")),
        Rule("-1", None, None, name),
    }
    assert read.outbound == (Rule("-1", None, None, IPv4Network(EVERYWHERE)),)


def test_nobody_s_networks_are_not_read(made: Made) -> None:
    assert desired_networks([]) == Networks()
