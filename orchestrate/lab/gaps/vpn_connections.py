"""EC2 site-to-site VPN connections: their options, tunnels and static routes.

Entries in the API: nothing listens at a tunnel's address, which is of a documentation range.
https://docs.aws.amazon.com/vpn/latest/s2svpn/VPNTunnels.html
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from ipaddress import IPv4Network
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.vpn_connections import VPNConnection
from moto.ec2.responses.vpn_connections import VPNConnections

from orchestrate.lab.gaps import adds, amends

TUNNELS = 2
OUTSIDE = IPv4Network("203.0.113.0/24")
INSIDE = IPv4Network("169.254.32.0/19")  # none of the link-local ones that EC2 itself uses
AMAZON_ASN, HOLD_TIME_S = "64512", "30"
DEFAULTS = {
    "EnableAcceleration": False,
    "StaticRoutesOnly": False,
    "LocalIpv4NetworkCidr": "0.0.0.0/0",
    "RemoteIpv4NetworkCidr": "0.0.0.0/0",
    "OutsideIpAddressType": "PublicIpv4",
    "TunnelInsideIpVersion": "ipv4",
}
# What requests and answers spell differently.
ANSWERED_AS = {
    "IKEVersions": "IkeVersions",
    "DPDTimeoutAction": "DpdTimeoutAction",
    "DPDTimeoutSeconds": "DpdTimeoutSeconds",
}


def options_of(connection_id: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """A connection's options: those given, AWS's defaults, and two tunnels. Pure."""
    asked = [*given.get("TunnelOptions", []), *([{}] * TUNNELS)][:TUNNELS]
    tunnels = [tunnel(connection_id, number, one) for number, one in enumerate(asked)]
    return {**DEFAULTS, **given, "TunnelOptions": tunnels}


def tunnel(connection_id: str, number: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """One tunnel: what was given of it, and what AWS chooses: addresses and a key. Pure."""
    chosen = int.from_bytes(hashlib.sha256(connection_id.encode()).digest()[:8], "big")
    pair = TUNNELS * (chosen % (INSIDE.num_addresses // 4 // TUNNELS))
    key = hashlib.sha256(f"{connection_id} {number}".encode()).hexdigest()
    return {
        "OutsideIpAddress": str(OUTSIDE[TUNNELS * (1 + chosen % 126) + number]),
        "TunnelInsideCidr": f"{INSIDE[4 * (pair + number)]}/30",
        "PreSharedKey": f"lab_{key[:28]}",
        **{ANSWERED_AS.get(name, name): value for name, value in given.items()},
    }


def customer_configuration(connection: Any) -> str:
    """The document that the other side's device is set up from; tools read the tunnels from it."""
    top = Element("vpn_connection", id=connection.id)
    SubElement(top, "customer_gateway_id").text = connection.customer_gateway_id
    SubElement(top, "vpn_gateway_id").text = connection.vpn_gateway_id or ""
    SubElement(top, "vpn_connection_type").text = connection.type
    for one in connection.options["TunnelOptions"]:
        _write(SubElement(top, "ipsec_tunnel"), _tunnel_document(one, connection.options))
    return tostring(top, encoding="unicode")


def _tunnel_document(one: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    amazon, customer = (str(IPv4Network(one["TunnelInsideCidr"])[number]) for number in (1, 2))
    bgp = {"bgp": {"asn": AMAZON_ASN, "hold_time": HOLD_TIME_S}}
    return {
        "customer_gateway": {"tunnel_inside_address": {"ip_address": customer}},
        "vpn_gateway": {
            "tunnel_outside_address": {"ip_address": one["OutsideIpAddress"]},
            "tunnel_inside_address": {"ip_address": amazon},
            **({} if options["StaticRoutesOnly"] else bgp),
        },
        "ike": {"pre_shared_key": one["PreSharedKey"]},
    }


def _write(element: Element, content: Mapping[str, Any]) -> None:
    for name, value in content.items():
        child = SubElement(element, name)
        if isinstance(value, str):
            child.text = value
        else:
            _write(child, value)


def telemetry(tunnels: Sequence[Mapping[str, Any]], since: datetime) -> list[dict[str, Any]]:
    """Both tunnels are down: nobody is on the other side. Pure."""
    return [
        {"OutsideIpAddress": one["OutsideIpAddress"], "Status": "DOWN", "LastStatusChange": since}
        for one in tunnels
    ]


@amends(VPNConnections, "create_vpn_connection")
def create_vpn_connection(original: Callable[..., Any], response: Any) -> ActionResult:
    """A connection keeps its options; each of its two tunnels has addresses and a key.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpnConnection.html.
    `aws_vpn_connection.static_routes_only`, `tunnel1_inside_cidr`, `tunnel1_preshared_key` and
    all other `tunnel1_…` and `tunnel2_…`.
    """
    result: ActionResult = original(response)
    made: Any = result.result
    connection = made["VpnConnection"]
    connection.options = options_of(connection.id, response._get_param("Options", {}))
    connection.routes = []
    connection.vgw_telemetry = telemetry(connection.options["TunnelOptions"], datetime.now(UTC))
    return result


@amends(VPNConnection, "customer_gateway_configuration")
def customer_gateway_configuration(_original: Callable[..., Any], connection: Any) -> str:
    """Written from the connection's own options.

    `aws_vpn_connection` reads `tunnel1_address`, `tunnel1_preshared_key` and more from it; moto's
    is the same for all.
    """
    return customer_configuration(connection) if connection.options else ""


@amends(VPNConnection, "get_filter_value")
def get_filter_value(
    original: Callable[..., Any], connection: Any, filter_name: str, method: str | None = None
) -> Any:
    """Connections are found by their routes, which `aws_vpn_connection_route` does.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeVpnConnections.html
    """
    if filter_name == "route.destination-cidr-block":
        return [one["DestinationCidrBlock"] for one in connection.routes]
    if filter_name == "vpn-connection-id":
        return connection.id
    return original(connection, filter_name, method)


@adds(VPNConnections, "create_vpn_connection_route")
def create_vpn_connection_route(response: Any) -> ActionResult:
    """A static route over the connection. `aws_vpn_connection_route`; moto has none.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpnConnectionRoute.html
    """
    connection, to = _connection(response), response._get_param("DestinationCidrBlock")
    others = [one for one in connection.routes if one["DestinationCidrBlock"] != to]
    new = {"DestinationCidrBlock": to, "Source": "Static", "State": "available"}
    connection.routes = [*others, new]
    return ActionResult({})


@adds(VPNConnections, "delete_vpn_connection_route")
def delete_vpn_connection_route(response: Any) -> ActionResult:
    """Take a static route away; see `create_vpn_connection_route`."""
    connection, to = _connection(response), response._get_param("DestinationCidrBlock")
    connection.routes = [one for one in connection.routes if one["DestinationCidrBlock"] != to]
    return ActionResult({})


@adds(VPNConnections, "modify_vpn_tunnel_options")
def modify_vpn_tunnel_options(response: Any) -> ActionResult:
    """One tunnel, named by its address, gets other options; a changed `tunnel1_preshared_key`.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyVpnTunnelOptions.html
    """
    connection, address = _connection(response), response._get_param("VpnTunnelOutsideIpAddress")
    tunnels = connection.options["TunnelOptions"]
    number = next((n for n, one in enumerate(tunnels) if one["OutsideIpAddress"] == address), None)
    if number is None:
        raise EC2ClientError("InvalidParameterValue", f"{connection.id} has no tunnel {address}.")
    given = {**tunnels[number], **(response._get_param("TunnelOptions") or {})}
    tunnels[number] = tunnel(connection.id, number, given)
    return ActionResult({"VpnConnection": connection})


def _connection(response: Any) -> Any:
    named = response._get_param("VpnConnectionId")
    return response.ec2_backend.describe_vpn_connections(vpn_connection_ids=[named])[0]
