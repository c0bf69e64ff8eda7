"""The sites' networks, kept: a switch per site, its hosts' wires, its gateway's way out.

It starts from nothing, so whatever a killed lab left must have been swept before.
"""

import threading

from orchestrate.lab import namespaces, topology
from orchestrate.lab.sites import wires
from orchestrate.lab.sites.models import Uplink
from orchestrate.lab.spec import RackSpec
from orchestrate.lab.topology import Slot


class SiteNetworks:
    """The site networks of one slot. Safe between threads; one host is one thread's.

    Every method raises CommandFailed.
    """

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._bridges: dict[str, set[str]] = {}
        self._uplinks: dict[str, Uplink] = {}
        self._lock = threading.Lock()

    def plug(self, spec: RackSpec, leader: int) -> None:
        """Wire a host, whose first process this is, into its site."""
        self.unplug(spec)
        inside = self._slot.namespace(spec.instance_id)
        with self._lock:
            self._ensure(spec)
        namespaces.ip(wires.wires(self._slot, spec, leader))
        namespaces.ip(wires.switch_ports(spec), self._slot.namespace(spec.site))
        if spec.uplink:
            self._connect(spec, spec.uplink, inside)
        namespaces.ip(wires.inside(spec), inside)

    def unplug(self, spec: RackSpec) -> None:
        """Remove a host's wires and namespace. Fine when there are none, or no switch."""
        site = self._slot.namespace(spec.site)
        # By name: a namespace dies some time after its last process, and only then its wires.
        for lan in [spec.lan, *(spec.uplink.lans if spec.uplink else ())]:
            namespaces.remove_link(wires.port(spec, lan.name), site)
        if spec.uplink:
            namespaces.remove_link(wires.uplink_port(spec.site), self._slot.internet)
            with self._lock:
                if self._uplinks.pop(spec.site, None):
                    self._publish()
        namespaces.remove([self._slot.namespace(spec.instance_id)])

    def retain(self, sites: set[str]) -> None:
        """Remove the switches of all other sites; nothing may be plugged into them any more."""
        with self._lock:
            for site in sorted(set(self._bridges) - sites):
                namespaces.remove([self._slot.namespace(site)])
                del self._bridges[site]

    def _ensure(self, spec: RackSpec) -> None:
        """Have the switch, and on it the LANs that a host is on."""
        namespace = self._slot.namespace(spec.site)
        if spec.site not in self._bridges:
            namespaces.ip(wires.switch(namespace))
            self._bridges[spec.site] = set()
        for lan in [spec.lan, *(spec.uplink.lans if spec.uplink else ())]:
            if lan.name not in self._bridges[spec.site]:
                namespaces.ip(wires.lan_inside(lan), namespace)
                self._bridges[spec.site].add(lan.name)

    def _connect(self, spec: RackSpec, uplink: Uplink, inside: str) -> None:
        namespaces.sysctl(wires.GATEWAY_SYSCTLS, inside)
        namespaces.nft(wires.gateway_rules(uplink), inside)
        namespaces.ip(wires.internet_port(spec, uplink), self._slot.internet)
        with self._lock:
            self._uplinks[spec.site] = uplink
            self._publish()

    def _publish(self) -> None:
        found = wires.aliases([*self._uplinks.values()])
        namespaces.nft(topology.internet_filter(self._slot, found), self._slot.internet)
