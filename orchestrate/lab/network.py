"""The lab's networks, kept: the internet, a router per VPC, the wires between and to hosts.

It starts from nothing, so whatever a killed lab left must have been swept before.
"""

import contextlib
import threading
from collections.abc import Sequence
from ipaddress import IPv4Address

from orchestrate.errors import CommandFailed
from orchestrate.lab import namespaces, router, topology
from orchestrate.lab.router import Router
from orchestrate.lab.spec import HostSpec
from orchestrate.lab.topology import Slot
from orchestrate.lab.vpc import interfaces, nat, peering, security_groups
from orchestrate.lab.vpc.models import Networks, Peering


class Network:
    """The networks of one slot. Safe between threads; what concerns one host is one thread's."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self._routers: dict[str, Router] = {}
        self._peerings: dict[str, Peering] = {}
        self._public: dict[IPv4Address, str] = {}
        self._specs: Sequence[HostSpec] = ()
        self._networks = Networks()
        self._stale = True
        self._lock = threading.Lock()

    def open(self) -> None:
        """Make the internet and the one link to it. Raises CommandFailed."""
        internet = self.slot.internet
        namespaces.ip(topology.internet_links(self.slot))
        namespaces.ip(topology.internet_inside(self.slot), internet)
        namespaces.sysctl(topology.ROUTER_SYSCTLS, internet)
        namespaces.nft(topology.internet_filter(self.slot, {}), internet)

    def ensure(self, spec: HostSpec) -> None:
        """Make the router and the subnet that a host lives in. Raises CommandFailed."""
        with self._lock:
            if spec.vpc_id not in self._routers:
                made = Router(self.slot, spec.vpc_id)
                made.open(spec.vpc_cidr)
                self._routers[spec.vpc_id] = made
                self._stale = True
            self._routers[spec.vpc_id].add_subnet(spec.subnet_id, spec.subnet_cidr)
            # What fails here may be another VPC's; `keep` tries it again, and says so.
            with contextlib.suppress(CommandFailed):
                self._keep()

    def retain(self, vpcs: set[str]) -> None:
        """Remove the routers of all other VPCs; nothing may be plugged into them any more."""
        with self._lock:
            for vpc_id in sorted(set(self._routers) - vpcs):
                for one in [*self._peerings.values()]:
                    if vpc_id in (one.requester, one.accepter):
                        self._part(self._peerings.pop(one.peering_id))
                self._routers.pop(vpc_id).close()
                # The routes over its link are gone with the link.
                self._public = {to: vpc for to, vpc in self._public.items() if vpc != vpc_id}
                self._stale = True

    def keep(self, specs: Sequence[HostSpec], networks: Networks) -> None:
        """Let packets go where the API says, and nowhere else. Raises CommandFailed.

        Does nothing when nothing changed.
        """
        with self._lock:
            if specs is not self._specs or networks is not self._networks:
                self._specs, self._networks, self._stale = specs, networks, True
            self._keep()

    def plug(self, spec: HostSpec, leader: int) -> None:
        """Wire a host, whose first process this is, into its subnet. Raises CommandFailed."""
        interface = interfaces.of_host(spec)
        router.plug(self.slot, interface, leader)
        with self._lock:
            self._routers[spec.vpc_id].plugged(interface)
            self._stale = True

    def unplug(self, spec: HostSpec) -> None:
        """Remove a host's wire and namespace. Fine when there is none, or no router any more."""
        interface = interfaces.of_host(spec)
        # First the wire, by name: a namespace dies some time after its last process, and only
        # then would the router's end go.
        router.unplug(self.slot.namespace(spec.vpc_id), interface.port)
        namespaces.remove([self.slot.namespace(spec.instance_id)])
        with self._lock:
            if spec.vpc_id in self._routers:
                self._routers[spec.vpc_id].unplugged(interface)
                self._stale = True

    def _keep(self) -> None:
        """Bring everything to what is wanted; one VPC that fails hinders no other."""
        if not self._stale:
            return
        failures = [*self._keep_peerings(), *self._keep_routers()]
        self._stale = bool(failures)
        if failures:
            raise failures[0]

    def _keep_peerings(self) -> list[CommandFailed]:
        wanted = {
            one.peering_id: one
            for one in self._networks.peerings
            if {one.requester, one.accepter} <= set(self._routers)
        }
        for peering_id in sorted(set(self._peerings) - set(wanted)):
            self._part(self._peerings.pop(peering_id))
        failures = []
        for peering_id in sorted(set(wanted) - set(self._peerings)):
            try:
                self._join(wanted[peering_id])
                self._peerings[peering_id] = wanted[peering_id]
            except CommandFailed as failure:
                failures.append(failure)
        return failures

    def _join(self, one: Peering) -> None:
        self._part(one)
        namespaces.ip(peering.wire(self.slot, one))
        for vpc_id in (one.requester, one.accepter):
            self._routers[vpc_id].join(one)

    def _part(self, one: Peering) -> None:
        link = topology.link_name(one.peering_id)
        for vpc_id in (one.requester, one.accepter):
            if vpc_id in self._routers:
                namespaces.remove_link(link, self.slot.namespace(vpc_id))
                self._routers[vpc_id].part(one.peering_id)

    def _keep_routers(self) -> list[CommandFailed]:
        published = nat.published(self._specs, self._networks)
        members = security_groups.members(self._specs)
        failures = []
        for vpc_id, one in sorted(self._routers.items()):
            vpc = self._networks.vpcs.get(vpc_id)
            hosts = [spec for spec in self._specs if spec.vpc_id == vpc_id]
            if vpc is not None:
                try:
                    one.keep(vpc, hosts, published.get(vpc_id, {}), members)
                except CommandFailed as failure:
                    failures.append(failure)
        routes = {public: vpc for vpc in self._routers for public in published.get(vpc, {})}
        try:
            namespaces.ip(nat.public_routes(self._public, routes), self.slot.internet)
            self._public = routes
        except CommandFailed as failure:
            failures.append(failure)
        return failures
