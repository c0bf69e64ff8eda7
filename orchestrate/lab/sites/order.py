"""A fleet's sites, as the lab is asked for them. Pure."""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network

from orchestrate.fleet import models as fleet
from orchestrate.lab.sites.models import Lan, Rack, Site


def sites(
    those: Mapping[str, fleet.Site], ranges: Mapping[tuple[str, str], IPv4Network]
) -> list[Site]:
    """The sites with their hosts. `ranges` has each LAN's, by the names of site and LAN.

    A site without any host, which the fleet may have, is none to the lab.
    """
    return [_site(site, ranges) for site in those.values() if site.racks]


def _site(site: fleet.Site, ranges: Mapping[tuple[str, str], IPv4Network]) -> Site:
    machines = {name: host for rack in site.racks.values() for name, host in rack.items()}
    used = {host.lan for host in machines.values()}
    gateway = machines[site.gateway.host]
    taken = {host.address for host in machines.values()}
    lans = []
    for name in sorted(used):
        cidr = ranges[site.name, name]
        own = gateway.address if name == gateway.lan else _first_free(cidr, taken)
        lans.append(Lan(name, cidr, own))
    return Site(
        name=site.name,
        login=site.login,
        public=site.gateway.public_address,
        gateway=site.gateway.host,
        lans=tuple(lans),
        racks=tuple(Rack(name, host.lan, host.address) for name, host in machines.items()),
    )


def _first_free(cidr: IPv4Network, taken: set[IPv4Address]) -> IPv4Address:
    """Where a gateway stands on a LAN for which the fleet doesn't say."""
    return next(address for address in cidr.hosts() if address not in taken)
