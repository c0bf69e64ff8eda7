"""Packages on real hosts: installed from Debian's archive where a route leads there."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from orchestrate import shell
from tests.lab.conftest import LabFolder
from tests.lab.hosts_lab import SSH
from tests.lab.machines import REGION, Machine, Site, remove_instances, site, until
from tests.lab.patience import PATIENCE_S

pytestmark = pytest.mark.hosts


@dataclass(frozen=True)
class Private:
    """A host in a private subnet, reached through a host in the public one."""

    door: Machine
    address: str
    route_table: str

    def run(self, command: str) -> shell.Finished:
        argv = [*SSH, "-i", str(self.door.account.lab.files.identity)]
        hop = " ".join(f"'{word}'" for word in [*argv, "-W", "%h:%p", f"admin@{self.door.address}"])
        whole = [*argv, "-o", f"ProxyCommand={hop}", f"admin@{self.address}", command]
        return shell.run(whole, check=False, timeout_s=PATIENCE_S)


@pytest.fixture(scope="module")
def here(lab: LabFolder) -> Iterator[Site]:
    made = site(lab, "200000000091")
    yield made
    remove_instances(made)


@pytest.fixture(scope="module")
def private(here: Site) -> Private:
    """Its subnet has a route table of its own, with no way out yet."""
    door, ec2 = here.launch(), here.ec2
    vpc = ec2.describe_subnets(SubnetIds=[here.subnet])["Subnets"][0]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.30.2.0/24", AvailabilityZone=f"{REGION}a")
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=table, SubnetId=subnet["Subnet"]["SubnetId"])
    instance = ec2.run_instances(
        ImageId=door.instance["ImageId"],
        InstanceType="t3.small",
        SubnetId=subnet["Subnet"]["SubnetId"],
        SecurityGroupIds=[here.security_group],
        KeyName="operator",
        MinCount=1,
        MaxCount=1,
    )["Instances"][0]
    made = Private(door, str(instance["PrivateIpAddress"]), str(table))
    until(lambda: made.run("true").code == 0)
    return made


def open_nat(here: Site, private: Private) -> None:
    ec2: Any = here.ec2
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    gateway = ec2.create_nat_gateway(SubnetId=here.subnet, AllocationId=address)
    ec2.create_route(
        RouteTableId=private.route_table,
        DestinationCidrBlock="0.0.0.0/0",
        NatGatewayId=gateway["NatGateway"]["NatGatewayId"],
    )


def test_a_private_host_has_packages_once_a_nat_gateway_leads_out(
    here: Site, private: Private
) -> None:
    index = "http://archive.lab.internal/debian/dists/bookworm/InRelease"
    asked = f"curl -sS -m 3 -o /dev/null -w '%{{http_code}}' {index}"
    cut_off = private.run(asked)
    assert cut_off.stdout == "000", cut_off
    assert "Failed to connect" in cut_off.stderr  # so the name is known: it is the route that lacks
    open_nat(here, private)
    until(lambda: private.run(asked).stdout == "200")

    install = "sudo apt-get -qq update && sudo DEBIAN_FRONTEND=noninteractive apt-get -qq install"
    installed = private.run(f"{install} -y hello && hello")
    assert installed.code == 0, installed
    assert installed.stdout.splitlines()[-1] == "Hello, world!"


def test_the_internet_has_debians_archives_and_nothing_else(private: Private) -> None:
    asked = "curl -sS -m 5 -o /dev/null -w '%{http_code}' -H 'Host: index.example'"
    assert private.door.says(f"{asked} http://archive.lab.internal/simple") == "404"
    assert private.door.run("getent hosts index.example").code == 2


def test_a_time_service_keeps_hosts_synchronised(private: Private) -> None:
    door = private.door
    door.says("sudo systemctl start chrony")
    door.says(
        "echo 'server 169.254.169.123 iburst' | sudo tee /etc/chrony/sources.d/aws.sources"
        " && sudo chronyc reload sources && sudo chronyc waitsync 20 1"
    )
    assert "169.254.169.123" in door.says("chronyc -n tracking")
    assert door.says("systemctl is-active chrony") == "active"
