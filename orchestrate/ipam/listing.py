"""Who has what, as rows to print: ranges given, wanted and resting, by cluster and site. Pure."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from ipaddress import IPv4Network
from typing import Literal

from orchestrate.ipam.records import Allocation, Ledger
from orchestrate.ipam.space import span
from orchestrate.ipam.strips import Strip, owner

State = Literal["given", "not written", "resting"]


@dataclass(frozen=True)
class Row:
    """One range. `until` is the first day on which anybody may have it, if it rests."""

    key: str
    range: IPv4Network
    pool: str
    inside: str
    state: State
    until: date | None = None

    def as_json(self) -> dict[str, object]:
        return {
            "key": self.key,
            "range": str(self.range),
            "addresses": self.range.num_addresses,
            "pool": self.pool or None,
            "inside": self.inside or None,
            "state": self.state,
            "until": self.until and self.until.isoformat(),
        }


def rows(
    ledger: Ledger, missing: Collection[str], quarantine_days: int, owners: Collection[str] = ()
) -> list[Row]:
    """The ranges of these clusters and sites, or of all; a network before what is inside it.

    `missing` are the keys that the ledger file has no range for yet.
    """
    found = [*_given(ledger.given.values(), missing), *_resting(ledger, quarantine_days)]
    return sorted(
        (row for row in found if not owners or owner(row.key) in owners), key=_networks_first
    )


def owners(ledger: Ledger) -> set[str]:
    """Every cluster and site that has, or had, a range."""
    had = (rest.was.key for rest in ledger.resting)
    return {owner(key) for key in (*ledger.given, *had)}


def pool_as_json(pool: Strip) -> dict[str, object]:
    """A pool's addresses by what they are used for, and its largest free block."""
    free = pool.largest_free()
    return {
        "pool": pool.name,
        "range": str(pool.range),
        "given": pool.total("given"),
        "resting": pool.total("resting"),
        "reserved": pool.total("reserved"),
        "external": pool.total("external"),
        "free": pool.total("free"),
        "largest_free_prefix": free,
    }


def _given(allocations: Iterable[Allocation], missing: Collection[str]) -> Iterator[Row]:
    for one in allocations:
        state: State = "not written" if one.key in missing else "given"
        yield Row(one.key, one.range, one.pool, one.inside, state)


def _resting(ledger: Ledger, quarantine_days: int) -> Iterator[Row]:
    for rest in ledger.resting:
        was, until = rest.was, rest.until(quarantine_days)
        yield Row(was.key, was.range, was.pool, was.inside, "resting", until)


def _networks_first(row: Row) -> tuple[str, int, int]:
    start, stop = span(row.range)
    return owner(row.key), start, -stop
