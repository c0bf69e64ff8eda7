"""EC2's networks: what can be made or taken away once is refused the second time."""

from collections.abc import Callable
from typing import Any

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.internet_gateways import InternetGatewayBackend
from moto.ec2.models.route_tables import RouteBackend
from moto.ec2.models.vpc_peering_connections import VPCPeeringConnectionBackend
from moto.ec2.models.vpcs import VPCBackend

from orchestrate.lab.gaps import amends

LIVING = ("initiating-request", "pending-acceptance", "provisioning", "active")


@amends(InternetGatewayBackend, "attach_internet_gateway")
def attach_internet_gateway(
    original: Callable[..., Any], backend: Any, internet_gateway_id: str, vpc_id: str
) -> Any:
    """A VPC has one internet gateway.

    https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html (gateways).
    An `aws_internet_gateway` that was made twice.
    """
    others = (one for one in backend.internet_gateways.values() if one.id != internet_gateway_id)
    if any(one.vpc and one.vpc.id == vpc_id for one in others):
        what = f"Network {vpc_id} already has an internet gateway attached"
        raise EC2ClientError("InvalidParameterValue", what)
    return original(backend, internet_gateway_id, vpc_id)


@amends(RouteBackend, "associate_route_table")
def associate_route_table(
    original: Callable[..., Any],
    backend: Any,
    route_table_id: str,
    gateway_id: str | None = None,
    subnet_id: str | None = None,
) -> Any:
    """A subnet has one route table: another is refused, the same one is its own again.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    (Resource.AlreadyAssociated). moto answers with the other table's association, and
    `aws_route_table_association` would have a table that it has not.
    """
    for table in backend.route_tables.values():
        if subnet_id and subnet_id in table._associations.values() and table.id != route_table_id:
            what = (
                f"the specified association for route table {route_table_id} conflicts with an "
                "existing association"
            )
            raise EC2ClientError("Resource.AlreadyAssociated", what)
    return original(backend, route_table_id, gateway_id, subnet_id)


@amends(VPCPeeringConnectionBackend, "create_vpc_peering_connection")
def create_vpc_peering_connection(
    original: Callable[..., Any], backend: Any, vpc: Any, peer_vpc: Any, *more: Any, **tags: Any
) -> Any:
    """Two VPCs have one peering connection, whoever asked for it.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    (VpcPeeringConnectionAlreadyExists). An `aws_vpc_peering_connection` that was made twice.
    """
    ends = {vpc.id, peer_vpc.id}
    for one in backend.vpc_pcxs.values():
        if {one.vpc.id, one.peer_vpc.id} == ends and one._status.code in LIVING:
            what = f"A VPC peering connection between {vpc.id} and {peer_vpc.id} already exists."
            raise EC2ClientError("VpcPeeringConnectionAlreadyExists", what)
    return original(backend, vpc, peer_vpc, *more, **tags)


@amends(VPCPeeringConnectionBackend, "delete_vpc_peering_connection")
def delete_vpc_peering_connection(
    original: Callable[..., Any], backend: Any, vpc_pcx_id: str
) -> Any:
    """What is deleted is not deleted again.

    https://docs.aws.amazon.com/vpc/latest/peering/vpc-peering-basics.html (life cycle).
    """
    state = backend.get_vpc_peering_connection(vpc_pcx_id)._status.code
    if state not in LIVING:
        what = f"Invalid state transition for {vpc_pcx_id}, from {state} to deleting"
        raise EC2ClientError("InvalidStateTransition", what)
    return original(backend, vpc_pcx_id)


@amends(VPCBackend, "create_vpc_endpoint")
def create_vpc_endpoint(original: Callable[..., Any], backend: Any, **asked: Any) -> Any:
    """A route table leads to a service through one gateway endpoint.

    https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html#gateway-endpoint-routing.
    An `aws_vpc_endpoint` that was made twice. One of which no type is said is a gateway endpoint;
    moto fails at its end.
    """
    asked["endpoint_type"] = asked.get("endpoint_type") or "Gateway"
    tables = set(asked.get("route_table_ids") or ())
    for one in backend.vpc_end_points.values():
        if one.service_name == asked["service_name"] and one.state != "deleted":
            for table in sorted(tables.intersection(one.route_table_ids or ())):
                what = f"route table {table} already has a route to {one.service_name}"
                raise EC2ClientError("RouteAlreadyExists", what)
    return original(backend, **asked)


@amends(VPCBackend, "modify_vpc_endpoint")
def modify_vpc_endpoint(original: Callable[..., Any], backend: Any, **asked: Any) -> None:
    """A route table that a gateway endpoint gets leads to the service, one that it loses doesn't.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyVpcEndpoint.html
    (AddRouteTableId.N). moto writes the names down and makes no route, which it then misses when
    the `aws_vpc_endpoint` of a cluster that was given another zone is destroyed.
    """
    (endpoint,) = backend.describe_vpc_endpoints(vpc_end_point_ids=[asked["vpc_id"]])
    before = set(endpoint.route_table_ids or ())
    original(backend, **asked)
    after, service = set(endpoint.route_table_ids or ()), endpoint.destination_prefix_list_id
    if not service:
        return
    for table in sorted(after - before):
        backend.create_route(
            table, None, gateway_id=endpoint.id, destination_prefix_list_id=service
        )
    for table in sorted((before - after) & set(backend.route_tables)):
        backend.delete_route(table, service)
