"""Who reaches whom in the lab: every answer is a real packet's, and AWS's."""

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from orchestrate.lab import namespaces
from tests.lab.conftest import Account, LabFolder
from tests.lab.estate import EVERYWHERE, SSH, Estate, build, everything, tcp, until

pytestmark = pytest.mark.hosts

# Who calls, who is called, and whether a connection comes to be; see `estate` for who is where.
MATRIX = {
    "the same subnet": ("public", "unaddressed", True),
    "another subnet": ("public", "private", True),
    "another subnet, the other way": ("isolated", "unaddressed", True),
    "a peered VPC": ("public", "sister", True),
    "a peered VPC, the other way": ("sister", "private", True),
    "a peered VPC in another region": ("private", "overseas", True),
    "a peered VPC in another region, the other way": ("overseas", "public", True),
    "a peered VPC without a route back": ("public", "mute", False),
    "a peered VPC without a route to it": ("mute", "public", False),
    "another VPC, by way of a peer of both": ("sister", "overseas", False),
    "another VPC, not peered": ("overseas", "mute", False),
    "in from the internet": ("internet", "public", True),
    "in from the internet, no route to its gateway": ("internet", "isolated", False),
    "in from the internet, a NAT gateway": ("internet", "nat", False),
    "out to the internet": ("public", "internet", True),
    "out to the internet, no public address": ("unaddressed", "internet", False),
    "out to the internet, by a NAT gateway": ("private", "internet", True),
    "out to the internet, no route to its gateway": ("isolated", "internet", False),
    "out to the internet, by a peer's gateways": ("sister", "internet", False),
    "a group without rules": ("public", "guarded", False),
    "from a group without rules": ("guarded", "public", True),
}


@pytest.fixture(scope="module")
def estate(lab: LabFolder) -> Iterator[Estate]:
    built = build(Account("300000000001", lab))
    yield built
    for where in (built.home, built.networks["overseas"]):
        every = where.ec2.describe_instances()["Reservations"]
        names = [one["InstanceId"] for group in every for one in group["Instances"]]
        where.ec2.terminate_instances(InstanceIds=names)


@pytest.mark.parametrize(("source", "target", "expected"), MATRIX.values(), ids=MATRIX)
def test_isolation(estate: Estate, source: str, target: str, expected: bool) -> None:
    assert estate.reaches(source, target) is expected


@pytest.mark.parametrize(("host", "seen_at"), [("public", "public"), ("private", "nat")])
def test_the_internet_sees_the_elastic_address_of_a_host_or_its_nat_gateway(
    estate: Estate, host: str, seen_at: str
) -> None:
    assert estate.seen_as(host) == estate.elastic[seen_at]


@pytest.mark.parametrize("host", ["public", "private"])
def test_no_host_calls_what_listens_on_this_machine(estate: Estate, host: str) -> None:
    """Many a program listens at every address of a machine."""
    with socket.create_server((str(estate.slot.main_address), 0)) as server:
        address, port = server.getsockname()
        assert not estate.answers(host, address, port)
        assert estate.answers("internet", address, port)
        assert estate.reaches(host, "internet")


def test_only_members_of_a_group_pass_a_rule_that_names_it(estate: Estate) -> None:
    home = estate.home
    home.group("friends")
    ssh = tcp(SSH, group=home.groups["friends"])
    home.allow("guard", ssh)

    estate.regroup("private", home.groups["open"], home.groups["friends"])
    until(lambda: estate.reaches("private", "guarded"))
    assert not estate.reaches("public", "guarded")

    estate.regroup("private", home.groups["open"])
    until(lambda: not estate.reaches("private", "guarded"))
    home.revoke("guard", ssh)


def test_a_rule_holds_from_when_it_is_added_until_it_is_revoked(estate: Estate) -> None:
    for cidr in ("10.30.0.0/24", f"{estate.address('private', 'public')}/32"):
        estate.home.allow("guard", tcp(SSH, cidr=cidr))
        until(lambda: estate.reaches("public", "guarded"))
        assert not estate.reaches("private", "guarded")
        estate.home.revoke("guard", tcp(SSH, cidr=cidr))
        until(lambda: not estate.reaches("public", "guarded"))


def test_a_rule_opens_its_ports_and_no_other(estate: Estate) -> None:
    estate.home.allow("guard", tcp(2222, cidr=EVERYWHERE))

    # Nobody listens there: a refusal is the host's own, silence would be the firewall's.
    def refused() -> bool:
        try:
            estate.dial("public", estate.address("public", "guarded"), 2222).close()
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
        return False

    until(refused)
    assert not estate.reaches("public", "guarded")
    estate.home.revoke("guard", tcp(2222, cidr=EVERYWHERE))


def test_a_rule_for_pings_lets_in_nothing_else(estate: Estate) -> None:
    ping = {"IpProtocol": "icmp", "FromPort": 8, "ToPort": -1, "IpRanges": [{"CidrIp": EVERYWHERE}]}
    assert not estate.pings("public", "guarded")

    estate.home.allow("guard", ping)

    until(lambda: estate.pings("public", "guarded"))
    assert not estate.reaches("public", "guarded")
    estate.home.revoke("guard", ping)


def test_a_connection_outlives_the_rule_that_allowed_it(estate: Estate) -> None:
    estate.home.allow("guard", tcp(SSH, cidr=EVERYWHERE))
    until(lambda: estate.reaches("public", "guarded"))
    with closing(estate.dial("public", estate.address("public", "guarded"))) as connection:
        assert connection.recv(64).startswith(b"SSH-2.0")
        estate.home.revoke("guard", tcp(SSH, cidr=EVERYWHERE))
        until(lambda: not estate.reaches("public", "guarded"))

        connection.sendall(b"no ssh\r\n")

        assert b"Invalid SSH identification string" in connection.recv(64)


def test_a_group_without_rules_outward_keeps_its_members_in(estate: Estate) -> None:
    home = estate.home
    guard = home.groups["guard"]
    home.ec2.revoke_security_group_egress(GroupId=guard, IpPermissions=[everything()])
    until(lambda: not estate.reaches("guarded", "public"))

    private = tcp(SSH, cidr="10.30.1.0/24")
    home.ec2.authorize_security_group_egress(GroupId=guard, IpPermissions=[private])
    until(lambda: estate.reaches("guarded", "private"))
    assert not estate.reaches("guarded", "public")

    home.ec2.revoke_security_group_egress(GroupId=guard, IpPermissions=[private])
    home.ec2.authorize_security_group_egress(GroupId=guard, IpPermissions=[everything()])


def test_the_default_group_lets_its_members_reach_each_other_only(estate: Estate) -> None:
    home = estate.home
    filters = [
        {"Name": "vpc-id", "Values": [home.vpc]},
        {"Name": "group-name", "Values": ["default"]},
    ]
    (default,) = home.ec2.describe_security_groups(Filters=filters)["SecurityGroups"]
    for host in ("guarded", "unaddressed"):
        estate.regroup(host, default["GroupId"])

    until(lambda: estate.reaches("unaddressed", "guarded"))
    until(lambda: not estate.reaches("public", "unaddressed"))
    assert not estate.reaches("public", "guarded")

    estate.regroup("guarded", home.groups["guard"])
    estate.regroup("unaddressed", home.groups["open"])
    until(lambda: estate.reaches("public", "unaddressed"))


def test_a_host_handles_foreign_addresses_only_without_the_source_check(estate: Estate) -> None:
    home, clients, foreign = estate.home, "10.99.0.0/16", "10.99.0.1"
    namespaces.ip([f"address add {foreign}/32 dev lo"], estate.namespace("unaddressed"))
    home.route("private", clients, InstanceId=estate.instance("unaddressed"))
    assert not estate.answers("private", foreign)

    instance = estate.instance("unaddressed")
    home.ec2.modify_instance_attribute(InstanceId=instance, SourceDestCheck={"Value": False})
    until(lambda: estate.answers("private", foreign))
    assert not estate.answers("public", foreign), "its table has no such route"

    home.ec2.modify_instance_attribute(InstanceId=instance, SourceDestCheck={"Value": True})
    until(lambda: not estate.answers("private", foreign))
    home.unroute("private", clients)


def test_a_route_that_is_gone_leads_nowhere_also_for_a_nat_gateway(estate: Estate) -> None:
    home = estate.home
    gateway = home.ec2.describe_internet_gateways()["InternetGateways"]
    attached = next(each for each in gateway if each["Attachments"][0]["VpcId"] == home.vpc)
    home.unroute("public", EVERYWHERE)
    until(lambda: not estate.reaches("internet", "public"))
    assert not estate.reaches("public", "internet")
    assert not estate.reaches("private", "internet")

    home.route("public", EVERYWHERE, GatewayId=attached["InternetGatewayId"])
    until(lambda: estate.reaches("internet", "public"))
    until(lambda: estate.reaches("private", "internet"))


def test_a_subnet_follows_the_table_that_it_is_associated_with(estate: Estate) -> None:
    home = estate.home
    subnet = estate.hosts["isolated"]["SubnetId"]
    tied = home.ec2.associate_route_table(RouteTableId=home.tables["public"], SubnetId=subnet)
    until(lambda: estate.reaches("internet", "isolated"))

    home.ec2.disassociate_route_table(AssociationId=tied["AssociationId"])
    until(lambda: not estate.reaches("internet", "isolated"))


def test_a_deleted_peering_carries_nothing_though_routes_are_left(estate: Estate) -> None:
    mute, peering = estate.networks["mute"], estate.peerings["mute"]
    mute.route("main", estate.home.cidr, VpcPeeringConnectionId=peering)
    until(lambda: estate.reaches("public", "mute"))

    mute.ec2.delete_vpc_peering_connection(VpcPeeringConnectionId=peering)

    until(lambda: not estate.reaches("public", "mute"))
