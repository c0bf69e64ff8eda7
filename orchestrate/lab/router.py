"""One VPC's router, kept: its namespace, what is plugged in, its routes, its firewall.

`vpc` says what each consists of; this does it and remembers what stands. `network` holds its lock
around every call.
"""

from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network

from orchestrate.errors import CommandFailed
from orchestrate.lab import namespaces, topology
from orchestrate.lab.spec import HostSpec
from orchestrate.lab.topology import Slot
from orchestrate.lab.vpc import interfaces, nat, peering, routes, security_groups
from orchestrate.lab.vpc.interfaces import Interface
from orchestrate.lab.vpc.models import NatGateway, Peering, Vpc
from orchestrate.lab.vpc.routes import UNKNOWN, Reach, Routes
from orchestrate.lab.vpc.security_groups import Members


class Router:
    """The router of `vpc_id`. Every method raises CommandFailed."""

    def __init__(self, slot: Slot, vpc_id: str) -> None:
        self.slot = slot
        self.vpc_id = vpc_id
        self.namespace = slot.namespace(vpc_id)
        self.subnets: set[str] = set()
        self._instances: dict[str, IPv4Address] = {}
        self._nat_gateways: dict[str, NatGateway] = {}
        self._peerings: set[str] = set()
        self._routes: Routes = {}
        self._rules: dict[str, str] = {}

    def open(self, vpc_cidr: IPv4Network) -> None:
        """Make it: on the internet, without routes, open to nobody."""
        self.close()
        namespaces.ip(topology.vpc_links(self.slot, self.vpc_id))
        namespaces.ip(topology.vpc_port(self.vpc_id), self.slot.internet)
        namespaces.sysctl(topology.VPC_SYSCTLS, self.namespace)
        namespaces.ip(topology.vpc_inside(vpc_cidr), self.namespace)
        self._load("firewall", security_groups.firewall((), (), {}))

    def close(self) -> None:
        """Remove it, its NAT gateways and its ends of peerings; no host may be plugged in."""
        for gateway_id in self._nat_gateways:
            namespaces.remove([self.slot.namespace(gateway_id)])
        namespaces.remove_link(topology.link_name(self.vpc_id), self.slot.internet)
        namespaces.remove([self.namespace])

    def add_subnet(self, subnet_id: str, cidr: IPv4Network) -> None:
        if subnet_id not in self.subnets:
            namespaces.ip(topology.subnet_inside(cidr), self.namespace)
            self.subnets.add(subnet_id)

    def plugged(self, interface: Interface) -> None:
        """Route to a host that is plugged in now."""
        self._instances[interface.resource_id] = interface.address

    def unplugged(self, interface: Interface) -> None:
        """Route to a host no more. What led to its port the kernel removes with the port."""
        self._instances.pop(interface.resource_id, None)
        self._forget(interface.port)

    def join(self, connection: Peering) -> None:
        """Have one's end of a peering's wire, which must be there."""
        namespaces.ip(peering.wire_end(connection, self.vpc_id), self.namespace)
        self._peerings.add(connection.peering_id)

    def part(self, peering_id: str) -> None:
        """Have it no more; the wire is gone."""
        self._peerings.discard(peering_id)
        self._forget(topology.link_name(peering_id))

    def keep(
        self,
        vpc: Vpc,
        hosts: Sequence[HostSpec],
        public: Mapping[IPv4Address, IPv4Address],
        members: Members,
    ) -> None:
        """Be as the API says, `hosts` being those of this VPC. Tells the kernel only changes.

        First who may pass, then where to, so that nobody passes who may not.
        """
        self._load("firewall", security_groups.firewall(hosts, vpc.security_groups, members))
        self._load("internet gateway", nat.internet_gateway(public))
        self._keep_nat_gateways(vpc)
        self._keep_routes(vpc)

    def _load(self, name: str, rules: str) -> None:
        if self._rules.get(name) != rules:
            namespaces.nft(rules, self.namespace)
            self._rules[name] = rules

    def _keep_nat_gateways(self, vpc: Vpc) -> None:
        subnets = {subnet.subnet_id: subnet for subnet in vpc.subnets}
        wanted = {gateway.gateway_id: gateway for gateway in vpc.nat_gateways}
        for gateway_id in sorted(set(self._nat_gateways) - set(wanted)):
            namespaces.remove([self.slot.namespace(gateway_id)])
            unplug(self.namespace, topology.link_name(gateway_id))
            self._forget(topology.link_name(gateway_id))
            del self._nat_gateways[gateway_id]
        for gateway_id in sorted(set(wanted) - set(self._nat_gateways)):
            gateway = wanted[gateway_id]
            subnet = subnets[gateway.subnet_id]
            self.add_subnet(subnet.subnet_id, subnet.cidr)
            inside = plug(self.slot, interfaces.of_nat_gateway(gateway, self.vpc_id, subnet))
            namespaces.sysctl(nat.NAT_GATEWAY_SYSCTLS, inside)
            namespaces.nft(nat.nat_gateway(gateway), inside)
            self._nat_gateways[gateway_id] = gateway

    def _keep_routes(self, vpc: Vpc) -> None:
        addresses = {name: gateway.private_ip for name, gateway in self._nat_gateways.items()}
        reach = Reach(addresses, self._instances, self._peerings)
        wanted = routes.routes(vpc.subnets, reach)
        try:
            namespaces.ip(routes.changes(self._routes, wanted), self.namespace)
        except CommandFailed:
            self._routes = dict.fromkeys({*self._routes, *wanted}, UNKNOWN)
            raise
        self._routes = wanted

    def _forget(self, link: str) -> None:
        """Take for unknown what led to a link: the kernel drops such routes with the link."""
        self._routes = {
            key: UNKNOWN if f" dev {link} " in how else how for key, how in self._routes.items()
        }


def plug(slot: Slot, interface: Interface, leader: int | None = None) -> str:
    """Wire something into its router; answers with its namespace. Raises CommandFailed.

    The namespace is that of the process `leader`, or a new one.
    """
    unplug(slot.namespace(interface.vpc_id), interface.port)
    inside = slot.namespace(interface.resource_id)
    namespaces.remove([inside])
    namespaces.ip(interfaces.wire(slot, interface, leader))
    namespaces.ip(interfaces.router_end(interface), slot.namespace(interface.vpc_id))
    namespaces.ip(interfaces.inside(interface), inside)
    return inside


def unplug(router: str, port: str) -> None:
    """Remove a wire and the rule of its port. Fine when there is none, or no router any more."""
    namespaces.remove_link(port, router)
    namespaces.remove_rule(f"iif {port}", router)
