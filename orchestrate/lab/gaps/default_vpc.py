"""EC2's default VPC, which every account has in every region."""

from collections.abc import Callable
from typing import Any

from moto.ec2.models.vpcs import VPCBackend

from orchestrate.lab.gaps import amends


@amends(VPCBackend, "create_default_vpc")
def create_default_vpc(original: Callable[..., Any], backend: Any) -> Any:
    """Its subnets are public: it has an internet gateway, and its main route table leads there.

    https://docs.aws.amazon.com/vpc/latest/userguide/default-vpc.html. Packer builds where nobody
    names a subnet; hosts are real, and moto's default VPC leads nowhere.
    """
    vpc = original(backend)
    gateway = backend.create_internet_gateway()
    backend.attach_internet_gateway(gateway.id, vpc.id)
    tables = backend.describe_route_tables(filters={"vpc-id": [vpc.id]})
    backend.create_route(tables[0].id, "0.0.0.0/0", gateway_id=gateway.id)
    return vpc
