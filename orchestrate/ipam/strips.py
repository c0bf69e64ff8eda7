"""Ranges as strips to draw: every address of a pool or network belongs to one part. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

from orchestrate.fleet.models import Addresses, AddressPool
from orchestrate.ipam.records import Allocation, Ledger
from orchestrate.ipam.space import Span, blocks, gaps, span

Kind = Literal["given", "resting", "external", "reserved", "free"]


@dataclass(frozen=True)
class Part:
    """Addresses from `start` to before `stop`; `label` is who has them, or why nobody may."""

    start: int
    stop: int
    kind: Kind
    label: str = ""

    @property
    def size(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True)
class Strip:
    """A range and its parts, lowest first, without a gap."""

    name: str
    range: IPv4Network
    parts: tuple[Part, ...]

    def total(self, kind: Kind) -> int:
        """How many addresses are of this kind."""
        return sum(part.size for part in self.parts if part.kind == kind)

    def largest_free(self) -> int | None:
        """The prefix length of the largest free block; None if the strip is full."""
        free = [(part.start, part.stop) for part in self.parts if part.kind == "free"]
        return min((prefix for gap in free for _, prefix in blocks(gap)), default=None)


def pools(addresses: Addresses, ledger: Ledger) -> list[Strip]:
    """One strip for each pool, lowest first; its parts are labelled by cluster or site."""
    given = [one for one in ledger.given.values() if not one.inside]
    rests = [rest.was for rest in ledger.resting if not rest.inside]
    outer = [
        *(_part(one, "given", owner(one.key)) for one in given),
        *(_part(one, "resting", owner(one.key)) for one in rests),
    ]
    barred = [Part(*span(one.range), "external", one.why) for one in addresses.external]
    return [
        _strip(name, pool.range, outer, [*barred, *_reserved(pool)])
        for name, pool in sorted(addresses.pools.items(), key=lambda item: item[1].range)
    ]


def networks(ledger: Ledger, owners: Iterable[str]) -> list[Strip]:
    """One strip for each network of these clusters that has subnets, which label its parts."""
    chosen = set(owners)
    homes = (home for home in ledger.given.values() if owner(home.key) in chosen)
    strips = [_strip(home.key, home.range, _inside(home.key, ledger), []) for home in homes]
    return [strip for strip in strips if any(part.kind != "free" for part in strip.parts)]


def _inside(home: str, ledger: Ledger) -> list[Part]:
    given = [one for one in ledger.given.values() if one.inside == home]
    rests = [rest.was for rest in ledger.resting if rest.inside == home]
    return [
        *(_part(one, "given", one.key.partition("/")[2]) for one in given),
        *(_part(one, "resting", one.key.partition("/")[2]) for one in rests),
    ]


def owner(key: str) -> str:
    """The cluster or site a key belongs to."""
    return key.partition("/")[0]


def _part(record: Allocation, kind: Kind, label: str) -> Part:
    return Part(*span(record.range), kind, label)


def _reserved(pool: AddressPool) -> Iterator[Part]:
    return (Part(*span(reserved), "reserved") for reserved in pool.reserved)


def _strip(name: str, range_: IPv4Network, taken: list[Part], barred: list[Part]) -> Strip:
    """The parts within the range; what is taken hides what is barred, and the rest is free."""
    whole = span(range_)
    parts = [part for part in taken if whole[0] <= part.start < whole[1]]
    for part in [*barred, Part(*whole, "free")]:
        start, stop = max(part.start, whole[0]), min(part.stop, whole[1])
        covered: list[Span] = sorted((one.start, one.stop) for one in parts)
        if start < stop:
            parts += [Part(*gap, part.kind, part.label) for gap in gaps((start, stop), covered)]
    return Strip(name, range_, tuple(sorted(parts, key=lambda part: part.start)))
