"""Site-to-site VPN connections: what was asked for is what the next plan finds."""

from typing import Any
from xml.etree import ElementTree

import pytest

from tests.lab.conftest import Account

pytestmark = pytest.mark.lab
ASKED = {
    "StaticRoutesOnly": True,
    "LocalIpv4NetworkCidr": "192.168.10.0/24",
    "TunnelOptions": [
        {
            "TunnelInsideCidr": "169.254.44.40/30",
            "PreSharedKey": "first_tunnel_key",
            "IKEVersions": [{"Value": "ikev2"}],
            "Phase1LifetimeSeconds": 3600,
            "DPDTimeoutAction": "restart",
        },
        {"TunnelInsideCidr": "169.254.44.44/30"},
    ],
}


def connect(account: Account, **options: Any) -> str:
    ec2 = account.client("ec2")
    customer = ec2.create_customer_gateway(Type="ipsec.1", BgpAsn=65000, IpAddress="198.18.0.99")
    gateway = ec2.create_vpn_gateway(Type="ipsec.1")["VpnGateway"]["VpnGatewayId"]
    made = ec2.create_vpn_connection(
        Type="ipsec.1",
        CustomerGatewayId=customer["CustomerGateway"]["CustomerGatewayId"],
        VpnGatewayId=gateway,
        **options,
    )
    return str(made["VpnConnection"]["VpnConnectionId"])


def described(account: Account, connection: str) -> Any:
    ec2 = account.client("ec2")
    return ec2.describe_vpn_connections(VpnConnectionIds=[connection])["VpnConnections"][0]


def test_a_connection_keeps_its_options(account: Account) -> None:
    found = described(account, connect(account, Options=ASKED))["Options"]

    assert found["StaticRoutesOnly"] is True
    assert found["LocalIpv4NetworkCidr"] == "192.168.10.0/24"
    assert found["RemoteIpv4NetworkCidr"] == "0.0.0.0/0"
    first, second = found["TunnelOptions"]
    assert first["TunnelInsideCidr"] == "169.254.44.40/30"
    assert first["PreSharedKey"] == "first_tunnel_key"
    assert first["IkeVersions"] == [{"Value": "ikev2"}]
    assert first["Phase1LifetimeSeconds"] == 3600
    assert first["DpdTimeoutAction"] == "restart"
    assert second["TunnelInsideCidr"] == "169.254.44.44/30"
    assert second["PreSharedKey"] not in ("", first["PreSharedKey"])


def test_the_customers_document_tells_of_the_same_tunnels(account: Account) -> None:
    found = described(account, connect(account, Options=ASKED))
    document = ElementTree.fromstring(found["CustomerGatewayConfiguration"])

    told = [
        (
            one.findtext("vpn_gateway/tunnel_outside_address/ip_address"),
            one.findtext("ike/pre_shared_key"),
        )
        for one in document.iter("ipsec_tunnel")
    ]

    tunnels = found["Options"]["TunnelOptions"]
    assert told == [(one["OutsideIpAddress"], one["PreSharedKey"]) for one in tunnels]
    assert document.findtext("ipsec_tunnel/vpn_gateway/tunnel_inside_address/ip_address") == (
        "169.254.44.41"
    )
    assert document.find("ipsec_tunnel/vpn_gateway/bgp") is None, "routes are static"


def test_a_connection_of_no_options_has_two_tunnels_and_speaks_bgp(account: Account) -> None:
    one, other = (described(account, connect(account)) for _ in range(2))

    inside = {
        tunnel["TunnelInsideCidr"]
        for found in (one, other)
        for tunnel in found["Options"]["TunnelOptions"]
    }
    assert len(inside) == 4
    assert one["Options"]["StaticRoutesOnly"] is False
    assert "<asn>" in one["CustomerGatewayConfiguration"]
    assert [tunnel["Status"] for tunnel in one["VgwTelemetry"]] == ["DOWN", "DOWN"]


def test_static_routes_come_and_go(account: Account) -> None:
    ec2, connection = account.client("ec2"), connect(account, Options=ASKED)
    to = {"VpnConnectionId": connection, "DestinationCidrBlock": "192.168.10.0/24"}

    ec2.create_vpn_connection_route(**to)
    ec2.create_vpn_connection_route(**to)
    routes = described(account, connection)["Routes"]
    by_route = [
        {"Name": "vpn-connection-id", "Values": [connection]},
        {"Name": "route.destination-cidr-block", "Values": ["192.168.10.0/24"]},
    ]
    assert len(ec2.describe_vpn_connections(Filters=by_route)["VpnConnections"]) == 1
    ec2.delete_vpn_connection_route(**to)

    assert [(one["DestinationCidrBlock"], one["State"]) for one in routes] == [
        ("192.168.10.0/24", "available")
    ]
    assert described(account, connection).get("Routes", []) == []
    assert ec2.describe_vpn_connections(Filters=by_route)["VpnConnections"] == []


def test_a_tunnel_s_key_is_changed_in_place(account: Account) -> None:
    ec2, connection = account.client("ec2"), connect(account, Options=ASKED)
    address = described(account, connection)["Options"]["TunnelOptions"][1]["OutsideIpAddress"]

    ec2.modify_vpn_tunnel_options(
        VpnConnectionId=connection,
        VpnTunnelOutsideIpAddress=address,
        TunnelOptions={"PreSharedKey": "another_key"},
    )

    first, second = described(account, connection)["Options"]["TunnelOptions"]
    assert (first["PreSharedKey"], second["PreSharedKey"]) == ("first_tunnel_key", "another_key")
    assert second["TunnelInsideCidr"] == "169.254.44.44/30"
