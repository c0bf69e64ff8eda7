"""The lab's networks, kept: the internet, a router per VPC, a wire per host.

`topology` says what each consists of; this does it and remembers what stands. It starts from
nothing, so whatever a killed lab left must have been swept before.
"""

import threading
from collections.abc import Mapping
from ipaddress import IPv4Address

from orchestrate.lab import namespaces, topology
from orchestrate.lab.spec import HostSpec
from orchestrate.lab.topology import Slot


class Network:
    """The networks of one slot. Safe between threads; what concerns one host is one thread's."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self._subnets: dict[str, set[str]] = {}
        self._nat: dict[str, Mapping[IPv4Address, IPv4Address]] = {}
        self._routes: dict[IPv4Address, str] = {}
        self._lock = threading.Lock()

    def open(self) -> None:
        """Make the internet and the one link to it. Raises CommandFailed."""
        internet = self.slot.internet
        namespaces.ip(topology.internet_links(self.slot))
        namespaces.ip(topology.internet_inside(self.slot), internet)
        namespaces.sysctl(topology.ROUTER_SYSCTLS, internet)
        namespaces.nft(topology.internet_filter(self.slot), internet)

    def ensure(self, spec: HostSpec) -> None:
        """Make the router and the subnet that a host lives in. Raises CommandFailed."""
        with self._lock:
            if spec.vpc_id not in self._subnets:
                self._add_vpc(spec)
            if spec.subnet_id not in self._subnets[spec.vpc_id]:
                self._add_subnet(spec)

    def retain(self, vpcs: set[str]) -> None:
        """Remove the routers of all other VPCs; nothing may be plugged into them any more."""
        with self._lock:
            for vpc_id in sorted(set(self._subnets) - vpcs):
                self._remove_vpc(vpc_id)
                # The routes over its link are gone with the link.
                self._routes = {to: vpc for to, vpc in self._routes.items() if vpc != vpc_id}
                self._nat.pop(vpc_id, None)
                del self._subnets[vpc_id]

    def publish(self, wanted: Mapping[str, Mapping[IPv4Address, IPv4Address]]) -> None:
        """Let public addresses lead to hosts: VPC id -> public -> private, all there are.

        Does nothing when nothing changed. Raises CommandFailed.
        """
        with self._lock:
            stand = {vpc: addresses for vpc, addresses in wanted.items() if vpc in self._subnets}
            for vpc_id, addresses in stand.items():
                if self._nat.get(vpc_id) != addresses:
                    namespaces.nft(topology.vpc_nat(addresses), self.slot.namespace(vpc_id))
                    self._nat[vpc_id] = dict(addresses)
            routes = {public: vpc for vpc, addresses in stand.items() for public in addresses}
            if routes != self._routes:
                namespaces.ip(topology.public_routes(self._routes, routes), self.slot.internet)
                self._routes = routes

    def plug(self, spec: HostSpec) -> str:
        """Wire a host into its subnet; answers with its namespace. Raises CommandFailed."""
        host, router = self.slot.namespace(spec.instance_id), self.slot.namespace(spec.vpc_id)
        self.unplug(spec)
        namespaces.ip(topology.host_links(self.slot, spec))
        namespaces.ip(topology.host_port(spec), router)
        namespaces.ip(topology.host_inside(spec), host)
        return host

    def unplug(self, spec: HostSpec) -> None:
        """Remove a host's wire and namespace. Fine when there is none, or no router any more."""
        host, router = self.slot.namespace(spec.instance_id), self.slot.namespace(spec.vpc_id)
        # First the wire, by name: a namespace dies some time after its last process, and only
        # then would the router's end go.
        namespaces.remove_link(topology.link_name(spec.instance_id), router)
        namespaces.remove([host])

    def _add_vpc(self, spec: HostSpec) -> None:
        router = self.slot.namespace(spec.vpc_id)
        self._remove_vpc(spec.vpc_id)
        namespaces.ip(topology.vpc_links(self.slot, spec.vpc_id))
        namespaces.ip(topology.vpc_port(spec.vpc_id), self.slot.internet)
        namespaces.sysctl(topology.ROUTER_SYSCTLS, router)
        namespaces.ip(topology.vpc_inside(spec.vpc_cidr), router)
        self._subnets[spec.vpc_id] = set()

    def _remove_vpc(self, vpc_id: str) -> None:
        namespaces.remove_link(topology.link_name(vpc_id), self.slot.internet)
        namespaces.remove([self.slot.namespace(vpc_id)])

    def _add_subnet(self, spec: HostSpec) -> None:
        router = self.slot.namespace(spec.vpc_id)
        namespaces.remove_link(topology.link_name(spec.subnet_id), router)
        namespaces.ip(topology.subnet_inside(spec.subnet_id, spec.subnet_cidr), router)
        self._subnets[spec.vpc_id].add(spec.subnet_id)
