"""What the ledger holds: ranges given out, and ranges that rest after their release. Pure data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from ipaddress import IPv4Network


@dataclass(frozen=True)
class Allocation:
    """One range and who has it. Its home is a pool, or another allocation (`inside` its key).

    `line` is where the ledger file says so, counted from 1; 0 for one not written yet.
    """

    key: str
    range: IPv4Network
    pool: str = ""
    inside: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Resting:
    """A range that `was` has released. Nobody gets it until its quarantine is over, but `was`."""

    was: Allocation
    released: date

    @property
    def range(self) -> IPv4Network:
        return self.was.range

    @property
    def inside(self) -> str:
        return self.was.inside

    def until(self, quarantine_days: int) -> date:
        """The first day on which anybody may have the range."""
        return self.released + timedelta(days=quarantine_days)


@dataclass(frozen=True)
class Ledger:
    """Who has which range. `given` is sorted by key, `resting` by key and range."""

    given: Mapping[str, Allocation] = field(default_factory=dict)
    resting: tuple[Resting, ...] = ()

    @cached_property
    def allocations(self) -> Mapping[str, IPv4Network]:
        """Ranges by key, the keys being those of `fleet.ranges`."""
        return {key: allocation.range for key, allocation in self.given.items()}


@dataclass(frozen=True)
class Home:
    """Where ranges are placed: a pool, or an allocation by its key."""

    name: str
    range: IPv4Network


def ledger_of(given: Mapping[str, Allocation], resting: Iterable[Resting]) -> Ledger:
    """A ledger in its one order, so that equal ledgers are equal files."""
    order = sorted(resting, key=lambda rest: (rest.was.key, rest.was.range, rest.released))
    return Ledger({key: given[key] for key in sorted(given)}, tuple(order))
