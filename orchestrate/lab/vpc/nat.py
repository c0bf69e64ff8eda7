"""Network address translation: a VPC's internet gateway, and its NAT gateways. Pure.

The internet gateway is a pair of maps in the VPC's router. A NAT gateway is a namespace plugged
into its subnet as a host is: its packets take the routes of its own subnet, so one in a subnet
without a way to the internet has none.
"""

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address

from orchestrate.lab.spec import HostSpec
from orchestrate.lab.topology import VPC_END, link_name
from orchestrate.lab.vpc.models import NatGateway, Networks

# It forwards what it is sent through the one link it has.
NAT_GATEWAY_SYSCTLS = ("net.ipv4.ip_forward=1", "net.ipv4.conf.all.send_redirects=0")

Published = Mapping[str, Mapping[IPv4Address, IPv4Address]]


def published(specs: Iterable[HostSpec], networks: Networks) -> Published:
    """The public addresses in use: VPC id -> public address -> private address."""
    found: dict[str, dict[IPv4Address, IPv4Address]] = {
        vpc.vpc_id: {
            gateway.public_ip: gateway.private_ip
            for gateway in vpc.nat_gateways
            if gateway.public_ip is not None
        }
        for vpc in networks.vpcs.values()
    }
    for spec in specs:
        if spec.public_ip is not None and spec.state == "running":
            found.setdefault(spec.vpc_id, {})[spec.public_ip] = spec.private_ip
    return found


def internet_gateway(addresses: Mapping[IPv4Address, IPv4Address]) -> str:
    """For `nft` in a VPC's router: the internet gateway's one-to-one NAT, replaced as a whole.

    Hosts see who really calls them; a host without a public address reaches nobody outside.
    """
    inbound = ", ".join(f"{public} : {private}" for public, private in sorted(addresses.items()))
    outbound = ", ".join(f"{private} : {public}" for public, private in sorted(addresses.items()))
    return f"""\
table ip internet_gateway
delete table ip internet_gateway
table ip internet_gateway {{
  map inbound {{
    type ipv4_addr : ipv4_addr
    {f"elements = {{ {inbound} }}" if inbound else ""}
  }}
  map outbound {{
    type ipv4_addr : ipv4_addr
    {f"elements = {{ {outbound} }}" if outbound else ""}
  }}
  chain prerouting {{
    type nat hook prerouting priority dstnat; policy accept;
    iifname "internet" dnat to ip daddr map @inbound
  }}
  chain postrouting {{
    type nat hook postrouting priority srcnat; policy accept;
    oifname "internet" snat to ip saddr map @outbound
  }}
}}
"""


def public_routes(before: Mapping[IPv4Address, str], after: Mapping[IPv4Address, str]) -> list[str]:
    """For `ip` in the internet's namespace: what turns the routes `before` into those `after`.

    Both say which VPC (id) a public address belongs to. Every line may be said twice.
    """
    gone = [
        f"route flush exact {address}/32 dev {link_name(vpc_id)}"
        for address, vpc_id in sorted(before.items())
        if after.get(address) != vpc_id
    ]
    come = [
        f"route replace {address}/32 via {VPC_END} dev {link_name(vpc_id)} onlink"
        for address, vpc_id in sorted(after.items())
        if before.get(address) != vpc_id
    ]
    return gone + come


def nat_gateway(gateway: NatGateway) -> str:
    """For `nft` in a NAT gateway's namespace: all that passes leaves with the gateway's address.

    Nobody can call it, and what is no part of a connection that went out doesn't come in.
    """
    return f"""\
table ip nat_gateway {{
  chain input {{
    type filter hook input priority filter; policy drop;
  }}
  chain forward {{
    type filter hook forward priority filter; policy accept;
    ct state invalid drop
  }}
  chain postrouting {{
    type nat hook postrouting priority srcnat; policy accept;
    snat to {gateway.private_ip}
  }}
}}
"""
