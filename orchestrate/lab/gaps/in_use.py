"""EC2: what something else still needs is not taken away, and what is gone is not there.

moto deletes whatever it is told to; a destroy in the wrong order, or one beside what others made,
would pass in the lab and fail on AWS. Only what callers ask for is looked at: what AWS does by
itself (an instance that ends takes its interfaces along) goes on as before. The codes are those of
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html.
"""

from collections.abc import Callable, Iterator
from typing import Any

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses.customer_gateways import CustomerGateways
from moto.ec2.responses.elastic_ip_addresses import ElasticIPAddresses
from moto.ec2.responses.elastic_network_interfaces import ElasticNetworkInterfaces
from moto.ec2.responses.internet_gateways import InternetGateways
from moto.ec2.responses.nat_gateways import NatGateways
from moto.ec2.responses.route_tables import RouteTables
from moto.ec2.responses.security_groups import SecurityGroups
from moto.ec2.responses.subnets import Subnets
from moto.ec2.responses.virtual_private_gateways import VirtualPrivateGateways
from moto.ec2.responses.vpcs import VPCs
from moto.ec2.responses.vpn_connections import VPNConnections
from moto.efs.models import efs_backends

from orchestrate.lab.gaps import amends

Asked = Callable[[str], Any]  # the value of a call's parameter, None where it isn't given
Refusal = tuple[str, str] | None  # AWS's code and message
Why = Callable[[Any, Asked], Refusal]


def refuses(owner: type, name: str) -> Callable[[Why], Why]:
    """Decorator: the function says of a call of moto's `owner` why it is refused, if it is."""

    def mark(why: Why) -> Why:
        @amends(owner, name)
        def guarded(original: Callable[..., Any], response: Any) -> Any:
            refusal = why(response.ec2_backend, response._get_param)
            if refusal:
                raise EC2ClientError(*refusal)
            return original(response)

        return why

    return mark


def _needed(kind: str, name: str) -> Refusal:
    what = f"The {kind} '{name}' has dependencies and cannot be deleted."
    return "DependencyViolation", what


@refuses(ElasticIPAddresses, "release_address")
def address_in_use(backend: Any, asked: Asked) -> Refusal:
    """An address is disassociated before it is released.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ReleaseAddress.html
    """
    for address in backend.addresses:
        named = {address.allocation_id, address.public_ip} - {None}
        if named & {asked("AllocationId"), asked("PublicIp")} and address.association_id:
            what = f"The address with allocation id [{address.allocation_id}] is in use."
            return "InvalidIPAddress.InUse", what
    return None


@refuses(Subnets, "delete_subnet")
def subnet_in_use(backend: Any, asked: Asked) -> Refusal:
    """A subnet goes when no interface is left in it: of a host, a NAT gateway, a mount target.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteSubnet.html
    """
    name = asked("SubnetId")
    inside = any(interface.subnet.id == name for interface in backend.enis.values())
    return _needed("subnet", name) if inside else None


@refuses(InternetGateways, "detach_internet_gateway")
def gateway_in_use(backend: Any, asked: Asked) -> Refusal:
    """An internet gateway stays while a public address is mapped in its VPC.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DetachInternetGateway.html
    """
    vpc = asked("VpcId")
    mapped = any(one.public_ip and one.subnet.vpc_id == vpc for one in backend.enis.values())
    what = f"Network {vpc} has some mapped public address(es). Please unmap those first."
    return ("DependencyViolation", what) if mapped else None


@refuses(NatGateways, "delete_nat_gateway")
def nat_is_gone(backend: Any, asked: Asked) -> Refusal:
    """A NAT gateway that is deleted is not found.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteNatGateway.html
    """
    name = asked("NatGatewayId")
    found = backend.nat_gateways.get(name)
    alive = found is not None and found.state != "deleted"
    return None if alive else ("NatGatewayNotFound", f"The Nat Gateway {name} was not found")


@refuses(SecurityGroups, "delete_security_group")
def group_in_use(backend: Any, asked: Asked) -> Refusal:
    """A security group goes when no interface is in it and no other group's rule names it.

    https://docs.aws.amazon.com/vpc/latest/userguide/deleting-security-groups.html
    """
    name = asked("GroupId") or asked("GroupName")
    group = backend.get_security_group_by_name_or_id(name, asked("VpcId"))
    if group is None:
        return None
    if group.name == "default":
        what = f'the specified group: "{group.id}" name: "default" cannot be deleted by a user'
        return "CannotDelete", what
    members = {one.id for each in backend.enis.values() for one in each._group_set}
    if group.id in members or group.id in _named_by_others(backend, group):
        return "DependencyViolation", f"resource {group.id} has a dependent object"
    return None


def _named_by_others(backend: Any, group: Any) -> Iterator[str]:
    """The groups that rules of the VPC's other groups name."""
    for other in backend.groups[group.vpc_id].values():
        if other is not group:
            for rule in (*other.ingress_rules, *other.egress_rules):
                yield (rule.source_group or {}).get("GroupId", "")


@refuses(VPCs, "delete_vpc")
def vpc_in_use(backend: Any, asked: Asked) -> Refusal:
    """A VPC goes when nothing is left in it but what came with it. moto sees to most kinds.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteVpc.html
    """
    name = asked("VpcId")
    groups = backend.groups[name].values() if name in backend.groups else ()
    own = any(group.name != "default" for group in groups)
    endpoints = any(
        one.vpc_id == name and one.state != "deleted" for one in backend.vpc_end_points.values()
    )
    lists = any(
        one.vpc_id == name and str(one.default).lower() != "true"
        for one in backend.network_acls.values()
    )
    return _needed("vpc", name) if own or endpoints or lists else None


@refuses(RouteTables, "delete_route_table")
def main_table(backend: Any, asked: Asked) -> Refusal:
    """A VPC's main route table goes with it only.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteRouteTable.html
    """
    table = backend.route_tables.get(asked("RouteTableId"))
    return _needed("routeTable", table.id) if table and table.main_association_id else None


@refuses(ElasticNetworkInterfaces, "delete_network_interface")
def interface_in_use(backend: Any, asked: Asked) -> Refusal:
    """An interface is detached before it is deleted; those that AWS made belong to what they serve.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteNetworkInterface.html
    """
    name = asked("NetworkInterfaceId")
    interface = backend.enis.get(name)
    attached = interface is not None and bool(interface.instance or interface.attachment_id)
    if not attached and name not in _of_services(backend):
        return None
    return "InvalidParameterValue", f"Network interface '{name}' is currently in use."


def _of_services(backend: Any) -> Iterator[str]:
    """The interfaces that NAT gateways, endpoints and file systems have."""
    yield from (g._eni.id for g in backend.nat_gateways.values() if g.state != "deleted")
    for endpoint in backend.vpc_end_points.values():
        yield from endpoint.network_interface_ids or () if endpoint.state != "deleted" else ()
    systems = efs_backends[backend.account_id][backend.region_name]
    yield from (str(one.network_interface_id) for one in systems.mount_targets_by_id.values())


@refuses(CustomerGateways, "delete_customer_gateway")
def customer_gateway_in_use(backend: Any, asked: Asked) -> Refusal:
    """A VPN connection is deleted before its customer gateway.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteCustomerGateway.html
    """
    used = any(one.customer_gateway_id == asked("CustomerGatewayId") for one in _vpns(backend))
    return ("IncorrectState", "The customer gateway is in use.") if used else None


@refuses(VirtualPrivateGateways, "delete_vpn_gateway")
def vpn_gateway_in_use(backend: Any, asked: Asked) -> Refusal:
    """A VPN gateway is detached, and its VPN connections deleted, before it goes.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteVpnGateway.html
    """
    name = asked("VpnGatewayId")
    gateway = backend.vpn_gateways.get(name)
    attached = gateway is not None and any(
        one.state == "attached" for one in gateway.attachments.values()
    )
    used = attached or any(one.vpn_gateway_id == name for one in _vpns(backend))
    return ("IncorrectState", f"The vpnGateway ID '{name}' is in use.") if used else None


@refuses(VPNConnections, "delete_vpn_connection")
def vpn_is_gone(backend: Any, asked: Asked) -> Refusal:
    """A VPN connection that is deleted is not found.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteVpnConnection.html
    """
    name = asked("VpnConnectionId")
    if any(one.id == name for one in _vpns(backend)):
        return None
    what = f"The vpnConnection ID '{name}' does not exist"
    return "InvalidVpnConnectionID.NotFound", what


def _vpns(backend: Any) -> Iterator[Any]:
    """The VPN connections that aren't deleted."""
    yield from (one for one in backend.vpn_connections.values() if one.state != "deleted")
