"""Hosts as a lab's API would ask for them, for tests."""

from ipaddress import IPv4Address, IPv4Network

from orchestrate.lab.spec import HostSpec, Wanted

VPC = "vpc-00000000000000001"
SUBNET = "subnet-00000000000000001"


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
    )
