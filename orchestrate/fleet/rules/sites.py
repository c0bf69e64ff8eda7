"""A site's LANs, racks and gateway fit together, and no host exists twice."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address

from orchestrate.findings import Finding
from orchestrate.fleet.models import RackHost, Site
from orchestrate.fleet.places import At, Places
from orchestrate.fleet.wording import nearest

Steps = tuple[str, ...]


def check(site: Site, at: At) -> Iterator[Finding]:
    """What one site's file says about itself."""
    yield from _lans(site, at)
    yield from _gateway(site, at)
    yield from _storage(site, at)
    for rack, name, host in _hosts(site):
        yield from _address(name, host, site, at, ("racks", rack, name))


def check_unique(sites: Mapping[str, Site], places: Places) -> Iterator[Finding]:
    """Host names, addresses and host keys are unique in all sites together."""
    seen_names: dict[str, tuple[At, Steps]] = {}
    seen_addresses: dict[IPv4Address, tuple[At, Steps]] = {}
    seen_keys: dict[str, tuple[At, Steps]] = {}
    for site in sites.values():
        at = places.sites[site.name].place
        for rack, name, host in _hosts(site):
            here = (at, ("racks", rack, name))
            other, path = seen_names.setdefault(name, here)
            if (other, path) != here:
                what = f"host '{name}' is already at {other(*path)}"
                yield Finding(at(*here[1]), what, "host names are unique in the fleet; rename one")
            there = (at, ("racks", rack, name, "address"))
            other, path = seen_addresses.setdefault(host.address, there)
            if (other, path) != there:
                what = f"address {host.address} of '{name}' is already given at {other(*path)}"
                yield Finding(at(*there[1]), what, "give it another one")
            if host.host_key:
                mine = (at, ("racks", rack, name, "host_key"))
                other, path = seen_keys.setdefault(host.host_key.split(" ")[1], mine)
                if (other, path) != mine:
                    what = f"the host key of '{name}' is already given at {other(*path)}"
                    yield Finding(
                        at(*mine[1]), what, "a cloned disk? `ssh-keygen -A` makes new ones"
                    )


def _hosts(site: Site) -> Iterator[tuple[str, str, RackHost]]:
    for rack, hosts in site.racks.items():
        for name, host in hosts.items():
            yield rack, name, host


def _lans(site: Site, at: At) -> Iterator[Finding]:
    for name, lan in site.lans.items():
        if lan.range and lan.prefix:
            what = f"LAN '{name}' has a range and a prefix"
            fix = "keep range where the building has one; prefix asks for a new one"
            yield Finding(at("lans", name), what, fix)
        if not lan.range and not lan.prefix:
            what = f"LAN '{name}' has neither a range nor a prefix"
            fix = "write {range: 10.64.0.0/24} for what is there, {prefix: 24} for a new one"
            yield Finding(at("lans", name), what, fix)


def _gateway(site: Site, at: At) -> Iterator[Finding]:
    hosts = {name: host for _, name, host in _hosts(site)}
    name = site.gateway.host
    place = at("gateway", "host")
    if name not in hosts:
        yield Finding(place, f"gateway host '{name}' is in no rack", nearest(name, hosts))
    elif hosts[name].role != "site-gateway":
        what = f"gateway host '{name}' has the role {hosts[name].role}"
        yield Finding(place, what, "give it role: site-gateway in its rack")


def _storage(site: Site, at: At) -> Iterator[Finding]:
    if site.storage is None:
        return
    hosts = {name: host for _, name, host in _hosts(site)}
    name = site.storage.host
    place = at("storage", "host")
    if name not in hosts:
        yield Finding(place, f"storage host '{name}' is in no rack", nearest(name, hosts))
    elif hosts[name].role != "storage":
        what = f"storage host '{name}' has the role {hosts[name].role}"
        yield Finding(place, what, "give it role: storage in its rack")


def _address(name: str, host: RackHost, site: Site, at: At, path: Steps) -> Iterator[Finding]:
    lan = site.lans.get(host.lan)
    if lan is None:
        what = f"'{name}' is on LAN '{host.lan}', which the site doesn't have"
        yield Finding(at(*path, "lan"), what, nearest(host.lan, site.lans))
    elif lan.range is None:
        what = f"'{name}' has a static address on LAN '{host.lan}', whose range isn't fixed"
        yield Finding(at(*path, "address"), what, f"give LAN '{host.lan}' a range, not a prefix")
    elif host.address not in lan.range:
        what = f"{host.address} of '{name}' is not in LAN '{host.lan}' ({lan.range})"
        yield Finding(at(*path, "address"), what, "choose an address of that range")
    elif host.address in (lan.range.network_address, lan.range.broadcast_address):
        what = f"{host.address} of '{name}' is the network or broadcast address of {lan.range}"
        yield Finding(at(*path, "address"), what, "choose one between the two")
