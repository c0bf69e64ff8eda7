"""Hosts as a lab's API would ask for them, for tests."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network

from orchestrate.lab.spec import HostSpec, Wanted
from orchestrate.lab.vpc.models import Networks, Route, Rule, SecurityGroup, Subnet, Vpc

VPC = "vpc-00000000000000001"
SUBNET = "subnet-00000000000000001"
GROUP = "sg-00000000000000001"
EVERYWHERE = IPv4Network("0.0.0.0/0")


def a_spec(
    number: int,
    *,
    state: Wanted = "running",
    public_ip: IPv4Address | None = None,
    public_key: str = "",
    vpc_id: str = VPC,
    user: str = "admin",
    private_ip: IPv4Address | None = None,
) -> HostSpec:
    """The host `i-…NUMBER` at 10.1.0.(10 + NUMBER), in one subnet of one VPC unless told."""
    address = private_ip or IPv4Address("10.1.0.10") + number
    return HostSpec(
        instance_id=f"i-{number:017x}",
        region="us-west-2",
        vpc_id=vpc_id,
        vpc_cidr=IPv4Network("10.1.0.0/16"),
        subnet_id=vpc_id.replace("vpc", "subnet"),
        subnet_cidr=IPv4Network("10.1.0.0/24"),
        private_ip=address,
        public_ip=public_ip,
        hostname=f"ip-{str(address).replace('.', '-')}",
        user=user,
        public_key=public_key,
        state=state,
        security_groups=(GROUP,),
    )


def open_networks(specs: Iterable[HostSpec]) -> Networks:
    """Networks in which these hosts' subnets lead to the internet and their group lets all pass."""
    anything = (Rule("-1", None, None, EVERYWHERE),)
    vpcs = {}
    for spec in specs:
        to = (Route(spec.vpc_cidr, "local"), Route(EVERYWHERE, "internet"))
        vpcs[spec.vpc_id] = Vpc(
            spec.vpc_id,
            (spec.vpc_cidr,),
            (Subnet(spec.subnet_id, spec.subnet_cidr, to),),
            security_groups=(SecurityGroup(GROUP, anything, anything),),
        )
    return Networks(vpcs)
