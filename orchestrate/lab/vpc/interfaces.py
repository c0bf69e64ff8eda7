"""What is plugged into a VPC's router: hosts and NAT gateways. Pure, touches nothing.

Each has a namespace of its own and a wire of its own to the router, which routes between all of
them: what the kernel would bridge, it would not ask the security groups about.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from orchestrate.lab.spec import HostSpec
from orchestrate.lab.topology import WIRED, Slot, gateway, link_name, named
from orchestrate.lab.vpc.models import NatGateway, Subnet
from orchestrate.lab.vpc.routes import port_rule


@dataclass(frozen=True)
class Interface:
    """The one interface of `resource_id`, an instance or a NAT gateway; with `mac` "" any."""

    resource_id: str
    vpc_id: str
    subnet_id: str
    subnet_cidr: IPv4Network
    address: IPv4Address
    mac: str = ""

    @property
    def port(self) -> str:
        """The router's end of its wire; the other is `eth0`."""
        return link_name(self.resource_id)


def of_host(spec: HostSpec) -> Interface:
    return Interface(
        spec.instance_id,
        spec.vpc_id,
        spec.subnet_id,
        spec.subnet_cidr,
        spec.private_ip,
        spec.mac,
    )


def of_nat_gateway(gateway: NatGateway, vpc_id: str, subnet: Subnet) -> Interface:
    return Interface(gateway.gateway_id, vpc_id, subnet.subnet_id, subnet.cidr, gateway.private_ip)


def wire(slot: Slot, interface: Interface, leader: int | None = None) -> list[str]:
    """For `ip` in the main namespace: a namespace (see `named`) and its wire to the router."""
    inside, router = slot.namespace(interface.resource_id), slot.namespace(interface.vpc_id)
    mac = f" address {interface.mac}" if interface.mac else ""
    return [
        named(inside, leader),
        f"link add {interface.port} netns {router} type veth peer name eth0{mac} netns {inside}",
    ]


def router_end(interface: Interface) -> list[str]:
    """For `ip` in the VPC's router."""
    return [
        f"link set {interface.port} up",
        # The kernel answers for others after up to 0.8 s, to let them answer first.
        f"ntable change name arp_cache dev {interface.port} proxy_delay 0",
        port_rule(interface.port, interface.subnet_id),
        f"route add {interface.address}/32 dev {interface.port}",
    ]


def inside(interface: Interface) -> list[str]:
    """For `ip` in the interface's own namespace."""
    return [
        "link set lo up",
        f"address add {interface.address}/{interface.subnet_cidr.prefixlen} dev eth0",
        "link set eth0 up",
        f"route add default via {gateway(interface.subnet_cidr)}",
        WIRED,
    ]
