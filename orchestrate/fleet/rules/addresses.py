"""No range touches another's: pools, what others use, docker's bridge, the sites' LANs."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import combinations

from orchestrate.findings import Finding, Place
from orchestrate.fleet import ranges
from orchestrate.fleet.models import Fleet
from orchestrate.fleet.places import Places

# Every host with docker routes this to its own bridge: packets to it would never leave.
DOCKER = IPv4Network("172.17.0.0/16")
_MOVE = "move it to a range that is free"
_UNUSABLE = tuple(map(IPv4Network, ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3")))
_PRIVATE = tuple(
    map(
        IPv4Network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15"),
    )
)


NOWHERE = Place("")


@dataclass(frozen=True)
class Taken:
    """A range, whose it is, and where that is written."""

    owner: str
    range: IPv4Network
    place: Place = NOWHERE

    def __str__(self) -> str:
        known = [self.owner, *([str(self.place)] if self.place != NOWHERE else [])]
        return f"{self.range} ({', '.join(known)})"


def check(fleet: Fleet, places: Places) -> Iterator[Finding]:
    """Pools, reserved parts, external ranges and fixed LANs."""
    pools = [
        Taken(f"pool '{name}'", pool.range, places.in_fleet("addresses", "pools", name, "range"))
        for name, pool in fleet.file.addresses.pools.items()
    ]
    lans = list(_lans(fleet, places))
    others = _others(fleet, places)
    for pool in pools:
        yield from _kind_of_range(pool)
    for mine in [*pools, *lans]:
        yield from (_overlap(mine, other) for other in others if mine.range.overlaps(other.range))
    for first, second in [*combinations(pools, 2), *combinations(lans, 2)]:
        if first.range.overlaps(second.range):
            yield _overlap(second, first)
    yield from _lans_in_pools(lans, pools)
    yield from _reserved(fleet, places)
    yield from _missing_pools(fleet, places)
    yield from _gateways(fleet, places, [*pools, *lans])


def _lans(fleet: Fleet, places: Places) -> Iterator[Taken]:
    for site in fleet.sites.values():
        for name, lan in site.lans.items():
            if lan.range:
                place = places.in_site(site.name, "lans", name)
                yield Taken(f"LAN '{name}' of {site.name}", lan.range, place)


def _others(fleet: Fleet, places: Places) -> list[Taken]:
    listed = [
        Taken(one.why, one.range, places.in_fleet("addresses", "external", index))
        for index, one in enumerate(fleet.file.addresses.external)
    ]
    if any(DOCKER.subnet_of(one.range) for one in listed):
        return listed
    return [*listed, Taken("docker's bridge on every host", DOCKER)]


def _overlap(mine: Taken, other: Taken) -> Finding:
    return Finding(mine.place, f"{mine.owner} {mine.range} overlaps {other}", _MOVE)


def _kind_of_range(pool: Taken) -> Iterator[Finding]:
    if any(pool.range.overlaps(unusable) for unusable in _UNUSABLE):
        what = f"{pool.owner} {pool.range} has addresses that no network can use"
        yield Finding(pool.place, what, _MOVE)
    elif not any(pool.range.subnet_of(private) for private in _PRIVATE):
        what = f"{pool.owner} {pool.range} is not private (RFC 1918): it hides part of the internet"
        yield Finding(pool.place, what, "take a part of 10.0.0.0/8", "warning")


def _lans_in_pools(lans: list[Taken], pools: list[Taken]) -> Iterator[Finding]:
    """A LAN the building has lies in the sites' pool, where the ledger sees it, or in none."""
    for lan in lans:
        for pool in pools:
            inside = pool.owner == "pool 'sites'" and lan.range.subnet_of(pool.range)
            if lan.range.overlaps(pool.range) and not inside:
                yield _overlap(lan, pool)


def _reserved(fleet: Fleet, places: Places) -> Iterator[Finding]:
    for name, pool in fleet.file.addresses.pools.items():
        for index, part in enumerate(pool.reserved):
            if not part.subnet_of(pool.range):
                place = places.in_fleet("addresses", "pools", name, "reserved", index)
                what = f"reserved {part} is not inside pool '{name}' {pool.range}"
                yield Finding(place, what, "reserve a part of the pool, or take it out")


def _missing_pools(fleet: Fleet, places: Places) -> Iterator[Finding]:
    needed: dict[str, list[str]] = defaultdict(list)
    for request in ranges.wanted(fleet):
        if request.pool and request.pool not in fleet.file.addresses.pools:
            needed[request.pool].append(request.key)
    for pool, keys in needed.items():
        who = f"{keys[0]} and {len(keys) - 1} more want" if len(keys) > 1 else f"{keys[0]} wants"
        what = f"there is no pool '{pool}', and {who} a range from it"
        place = places.in_fleet("addresses", "pools")
        yield Finding(place, what, f"add '{pool}: {{range: ...}}' to addresses.pools")


def _gateways(fleet: Fleet, places: Places, ours: list[Taken]) -> Iterator[Finding]:
    for site in fleet.sites.values():
        address = site.gateway.public_address
        inside = next((one for one in ours if address in one.range), None)
        if inside:
            place = places.in_site(site.name, "gateway", "public_address")
            what = f"public address {address} of {site.name} is inside {inside}"
            yield Finding(place, what, "write the address that the internet sees")
