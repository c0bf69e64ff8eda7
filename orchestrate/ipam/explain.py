"""Why a request cannot have its range, in words: where, what, and the next step. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from ipaddress import IPv4Network
from itertools import pairwise

from orchestrate.findings import Finding, Place
from orchestrate.fleet.models import Addresses
from orchestrate.fleet.ranges import RangeRequest
from orchestrate.ipam.records import Allocation, Home, Resting

FLEET = "fleet/fleet.yaml"
LEDGER = "fleet/addresses.lock.yaml"
SHOWN = 5  # of a long list, so many are named


def unusable(addresses: Addresses, requests: Sequence[RangeRequest]) -> Iterator[Finding]:
    """Pools that overlap; requests made twice, or for a home that does not exist."""
    pools = sorted(addresses.pools.items(), key=lambda item: item[1].range)
    for (low, one), (high, other) in pairwise(pools):
        if one.range.overlaps(other.range):
            what = f"pools '{low}' ({one.range}) and '{high}' ({other.range}) overlap"
            yield Finding(Place(FLEET), what, "give each pool addresses of its own")
    keys = {request.key for request in requests}
    seen: set[str] = set()
    for request in requests:
        if request.key in seen:
            yield Finding(
                Place(FLEET),
                f"two ranges are wanted under one name, {request.key}",
                "rename one of the two",
            )
        seen.add(request.key)
        if request.inside and request.fixed:
            what = f"{request.key} is fixed, and inside {request.inside}"
            yield Finding(Place(FLEET), what, "only whole networks can be fixed: name its pool")
        if request.inside and request.inside not in keys:
            what = f"{request.key} is to lie inside {request.inside}, which nothing asks for"
            yield Finding(Place(FLEET), what, f"ask for {request.inside} too")
        if not request.inside and request.pool not in addresses.pools:
            names = ", ".join(sorted(addresses.pools))
            what = f"{request.key} wants a range of pool '{request.pool}', and there is none"
            yield Finding(Place(FLEET), what, f"add it to addresses.pools; there are: {names}")


def changed(
    given: Mapping[str, Allocation], wanted: Mapping[str, RangeRequest]
) -> Iterator[Finding]:
    """Keys whose request no longer fits what they were given: never renumbered silently.

    What lies inside such a range is not named too; it changed for the same reason.
    """
    differ = {key for key, allocation in given.items() if _differs(allocation, wanted[key])}
    for key in sorted(key for key in differ if wanted[key].inside not in differ):
        allocation, request = given[key], wanted[key]
        has, want = str(allocation.range), str(request.fixed)
        again = has
        if not request.fixed:
            want, again = f"a /{request.prefix}", f"/{allocation.range.prefixlen}"
        yield Finding(
            Place(LEDGER, allocation.line),
            f"{key} has {has}, and the fleet now asks for {want}; a range once given never moves",
            f"write {again} in the fleet again, or choose a new name for what is to have the "
            "other range",
        )


def _differs(allocation: Allocation, request: RangeRequest) -> bool:
    if request.fixed:
        return request.fixed != allocation.range
    return request.prefix != allocation.range.prefixlen


def clashes(
    addresses: Addresses,
    request: RangeRequest,
    fixed: IPv4Network,
    owners: Iterable[Allocation | Resting],
) -> list[Finding]:
    """Everything a fixed range overlaps that it may not."""
    return [
        Finding(Place(LEDGER), f"{request.key} is fixed at {fixed}, which overlaps {other}", fix)
        for other, fix in _in_the_way(addresses, request, fixed, owners)
    ]


def _in_the_way(
    addresses: Addresses,
    request: RangeRequest,
    fixed: IPv4Network,
    owners: Iterable[Allocation | Resting],
) -> Iterator[tuple[str, str]]:
    for owner in owners:
        if isinstance(owner, Allocation):
            yield f"{owner.range} of {owner.key}", "correct the range in the fleet"
        else:
            free = owner.until(addresses.quarantine_days)
            yield (
                f"{owner.range}, which rests because {owner.was.key} had it",
                f"wait until {free}, or delete its line in {LEDGER} if nothing uses it any more",
            )
    for external in addresses.external:
        if fixed.overlaps(external.range):
            yield f"{external.range} ({external.why})", "correct one of the two in the fleet"
    for name, pool in addresses.pools.items():
        if not request.inside and name != request.pool and fixed.overlaps(pool.range):
            yield f"pool '{name}' ({pool.range})", "correct the range, or move the pool"


def full(
    home: Home,
    short: Sequence[RangeRequest],
    left: Mapping[int, int],
    resting: Iterable[Resting],
    quarantine_days: int,
) -> Finding:
    """A full home: what did not fit, the sizes left, what rests and until when."""
    rests = sorted(
        (rest.until(quarantine_days), rest.range, rest.was.key)
        for rest in resting
        if rest.range.subnet_of(home.range) and rest.range != home.range
    )
    asked = some([f"{request.key} (/{request.prefix})" for request in short])
    blocks = some([f"{count} × /{prefix}" for prefix, count in left.items()])
    sleeping = some([f"{range_} of {key} until {day}" for day, range_, key in rests])
    what = (
        f"{home.name} ({home.range}) has no room for {asked}; "
        f"free blocks: {blocks or 'none'}; resting: {sleeping or 'none'}"
    )
    return Finding(Place(FLEET), what, _way_out(short, left, rests))


def _way_out(
    short: Sequence[RangeRequest],
    left: Mapping[int, int],
    rests: Sequence[tuple[date, IPv4Network, str]],
) -> str:
    ways = ["widen it or free some of it" if short[0].inside else "widen the pool in the fleet"]
    if left:
        ways.append(f"ask for a /{min(left)} or smaller")
    if rests:
        ways.append(f"wait until {rests[0][0]}, when {rests[0][1]} has rested")
    return ", or ".join(ways)


def some(words: Sequence[str]) -> str:
    """The first few words of a list, and how many more there are."""
    more = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    return ", ".join(words[:SHOWN]) + more
