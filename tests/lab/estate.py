"""Four VPCs with hosts in them, made by calls of the EC2 API, for tests of who reaches whom.

    home      10.30/16  public     (internet gateway)  public*, unaddressed, guarded
                        private    (NAT gateway)       private
                        isolated   (main table)        isolated*
    sister    10.31/16  peered with home               sister
    overseas  10.32/16  peered with home, eu-west-1    overseas
    mute      10.33/16  peered with home, no way back  mute

Those with * have elastic addresses. All groups let all in and out, but for `guarded`'s own.
"""

import json
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from orchestrate import shell
from orchestrate.caches import cache_folder
from orchestrate.lab import namespaces, rootfs
from orchestrate.lab.topology import Slot
from tests.lab.cloud import newest_debian
from tests.lab.conftest import Account
from tests.lab.patience import PATIENCE_S

HOME, ABROAD = "us-west-2", "eu-west-1"
EVERYWHERE = "0.0.0.0/0"
SSH = 22
ANSWER_S = 1.0  # how long an answer is waited for that should not come
Permission = Mapping[str, Any]


@dataclass
class Network:
    """A VPC, and what is in it by name."""

    ec2: Any
    cidr: str
    vpc: str = ""
    tables: dict[str, str] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.vpc = self.ec2.create_vpc(CidrBlock=self.cidr)["Vpc"]["VpcId"]
        found = self.ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [self.vpc]}])
        self.tables["main"] = found["RouteTables"][0]["RouteTableId"]
        self.group("open")
        self.allow("open", everything())

    def subnet(self, number: int, table: str = "") -> str:
        """The /24 of that number, with a route table of its own where one is named."""
        cidr = self.cidr.replace(".0.0/16", f".{number}.0/24")
        made = str(self.ec2.create_subnet(VpcId=self.vpc, CidrBlock=cidr)["Subnet"]["SubnetId"])
        if table:
            new = self.ec2.create_route_table(VpcId=self.vpc)["RouteTable"]["RouteTableId"]
            self.ec2.associate_route_table(RouteTableId=new, SubnetId=made)
            self.tables[table] = new
        return made

    def route(self, table: str, to: str, **target: str) -> None:
        self.ec2.create_route(RouteTableId=self.tables[table], DestinationCidrBlock=to, **target)

    def unroute(self, table: str, to: str) -> None:
        self.ec2.delete_route(RouteTableId=self.tables[table], DestinationCidrBlock=to)

    def group(self, name: str) -> None:
        self.groups[name] = self.ec2.create_security_group(
            GroupName=name, Description=name, VpcId=self.vpc
        )["GroupId"]

    def allow(self, group: str, permission: Permission) -> None:
        self.ec2.authorize_security_group_ingress(
            GroupId=self.groups[group], IpPermissions=[permission]
        )

    def revoke(self, group: str, permission: Permission) -> None:
        self.ec2.revoke_security_group_ingress(
            GroupId=self.groups[group], IpPermissions=[permission]
        )

    def launch(self, subnet: str, group: str = "open") -> dict[str, Any]:
        return dict(
            self.ec2.run_instances(
                ImageId=newest_debian(self.ec2),
                InstanceType="t3.micro",
                SubnetId=subnet,
                SecurityGroupIds=[self.groups[group]],
                MinCount=1,
                MaxCount=1,
            )["Instances"][0]
        )

    def address(self, instance: Mapping[str, Any]) -> str:
        """A new elastic address of an instance."""
        made = self.ec2.allocate_address(Domain="vpc")
        self.ec2.associate_address(
            AllocationId=made["AllocationId"], InstanceId=instance["InstanceId"]
        )
        return str(made["PublicIp"])


def everything() -> Permission:
    return {"IpProtocol": "-1", "IpRanges": [{"CidrIp": EVERYWHERE}]}


def tcp(port: int, **peer: Any) -> Permission:
    """`group` (its id) or `cidr` may call a port."""
    if "group" in peer:
        other = {"UserIdGroupPairs": [{"GroupId": peer["group"]}]}
    else:
        other = {"IpRanges": [{"CidrIp": peer["cidr"]}]}
    return {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, **other}


@dataclass
class Estate:
    """The hosts by name; `internet` calls hosts from this machine, and is called at an address of
    the internet's own: this machine takes no calls.
    """

    account: Account
    networks: dict[str, Network] = field(default_factory=dict)
    hosts: dict[str, dict[str, Any]] = field(default_factory=dict)
    elastic: dict[str, str] = field(default_factory=dict)
    peerings: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Network:
        return self.networks["home"]

    @property
    def slot(self) -> Slot:
        return Slot(self.account.lab.record.slot)

    def instance(self, name: str) -> str:
        return str(self.hosts[name]["InstanceId"])

    def address(self, source: str, target: str) -> str:
        """Where `source` finds `target`: from outside at the elastic address."""
        if source == "internet":
            return self.elastic[target]
        return str(self.hosts[target]["PrivateIpAddress"])

    def namespace(self, name: str) -> str:
        return self.slot.namespace(self.instance(name))

    def dial(self, source: str, address: str, port: int = SSH) -> socket.socket:
        """A connection from a host, or from this machine. Raises OSError."""
        dial = partial(socket.create_connection, (address, port), timeout=ANSWER_S)
        return dial() if source == "internet" else namespaces.within(self.namespace(source), dial)

    def reaches(self, source: str, target: str) -> bool:
        """Whether a TCP connection comes to be: to a host's sshd, or to a server out there."""
        if target == "internet":
            return self.seen_as(source) != ""
        return self.answers(source, self.address(source, target))

    def answers(self, source: str, address: str, port: int = SSH) -> bool:
        try:
            self.dial(source, address, port).close()
        except OSError:
            return False
        return True

    def pings(self, source: str, target: str) -> bool:
        """Whether one echo request is answered; `ping` is the hosts' own."""
        system = str(rootfs.ensure(cache_folder(), lambda _: None))
        ping = ["chroot", system, "ping", "-c1", "-W1", self.address(source, target)]
        done = shell.run(["ip", "netns", "exec", self.namespace(source), *ping], check=False)
        return done.code == 0

    def seen_as(self, source: str) -> str:
        """The address that a host calls the internet from; "" when it can't."""
        listen = partial(socket.create_server, (str(self.slot.internet_address), 0))
        with namespaces.within(self.slot.internet, listen) as server:
            try:
                with closing(self.dial(source, *server.getsockname())):
                    caller, (address, _) = server.accept()
                    caller.close()
                    return str(address)
            except OSError:
                return ""

    def regroup(self, host: str, *groups: str) -> None:
        self.home.ec2.modify_instance_attribute(InstanceId=self.instance(host), Groups=list(groups))


def build(account: Account) -> Estate:
    """All of it, its hosts booted."""
    estate = Estate(account)
    ec2, abroad = account.client("ec2", HOME), account.client("ec2", ABROAD)
    for name, where, number in (("home", ec2, 30), ("sister", ec2, 31), ("mute", ec2, 33)):
        estate.networks[name] = Network(where, f"10.{number}.0.0/16")
    estate.networks["overseas"] = Network(abroad, "10.32.0.0/16")
    _home(estate)
    for name in ("sister", "overseas", "mute"):
        network = estate.networks[name]
        estate.hosts[name] = network.launch(network.subnet(0))
        _peer(estate, network, name)
    until(lambda: all_run(estate))
    return estate


def _home(estate: Estate) -> None:
    home = estate.home
    gateway = home.ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    home.ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=home.vpc)
    public, private = home.subnet(0, "public"), home.subnet(1, "private")
    isolated = home.subnet(2)
    home.route("public", EVERYWHERE, GatewayId=gateway)
    elastic = home.ec2.allocate_address(Domain="vpc")
    estate.elastic["nat"] = elastic["PublicIp"]
    nat = home.ec2.create_nat_gateway(SubnetId=public, AllocationId=elastic["AllocationId"])
    home.route("private", EVERYWHERE, NatGatewayId=nat["NatGateway"]["NatGatewayId"])
    home.group("guard")
    estate.hosts["public"] = home.launch(public)
    estate.hosts["unaddressed"] = home.launch(public)
    estate.hosts["guarded"] = home.launch(public, "guard")
    estate.hosts["private"] = home.launch(private)
    estate.hosts["isolated"] = home.launch(isolated)
    for name in ("public", "isolated"):
        estate.elastic[name] = home.address(estate.hosts[name])


def _peer(estate: Estate, other: Network, name: str) -> None:
    """Peer with home; only `mute` has no route there."""
    home = estate.home
    region = ABROAD if name == "overseas" else HOME
    made = home.ec2.create_vpc_peering_connection(
        VpcId=home.vpc, PeerVpcId=other.vpc, PeerRegion=region
    )
    peering = made["VpcPeeringConnection"]["VpcPeeringConnectionId"]
    other.ec2.accept_vpc_peering_connection(VpcPeeringConnectionId=peering)
    for table in home.tables:
        home.route(table, other.cidr, VpcPeeringConnectionId=peering)
    if name != "mute":
        other.route("main", home.cidr, VpcPeeringConnectionId=peering)
    estate.peerings[name] = peering


def all_run(estate: Estate) -> bool:
    told = json.loads(estate.account.lab.orchestrate("status", "--json").stdout)
    found = {one["instance_id"]: one["host"] for one in told["instances"]}
    return all(found[estate.instance(name)] == "running" for name in estate.hosts)


def until(condition: Callable[[], object]) -> None:
    """Wait until something holds; a test that waits for ever would hide that it never does."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.05)
