"""The ledger file: read whole, written whole, by one writer at a time.

The decisions are in `allocate`, the text in `grammar`; here are only the file and its lock.
"""

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from ipaddress import IPv4Network
from pathlib import Path

from orchestrate import record_file
from orchestrate.fleet.models import Fleet
from orchestrate.fleet.ranges import wanted
from orchestrate.ipam import grammar
from orchestrate.ipam.allocate import allocate
from orchestrate.ipam.records import Ledger

NAME = "addresses.lock.yaml"


@dataclass(frozen=True)
class Difference:
    """What the ledger says, and what it would say once everything wanted has its range."""

    before: Ledger
    after: Ledger

    @cached_property
    def added(self) -> dict[str, IPv4Network]:
        """Ranges the ledger lacks: wanted, and not given yet."""
        given = self.before.given
        return {key: r for key, r in self.after.allocations.items() if key not in given}

    @cached_property
    def released(self) -> dict[str, IPv4Network]:
        """Ranges nobody wants any more."""
        given = self.after.given
        return {key: r for key, r in self.before.allocations.items() if key not in given}

    @cached_property
    def rested(self) -> dict[str, IPv4Network]:
        """Ranges whose quarantine is over: nobody has them, anybody may."""
        still = {rest.range for rest in self.after.resting} | set(self.after.allocations.values())
        rests = ((rest.was.key, rest.range) for rest in self.before.resting)
        return {key: range_ for key, range_ in rests if range_ not in still}


def read(path: Path) -> Ledger:
    """The ledger as it stands; an empty one where there is no file yet.

    Raises InvalidInput with every finding of a corrupt file.
    """
    text = record_file.read(path)
    return Ledger() if text is None else grammar.parse(text, record_file.called(path))


def preview(path: Path, fleet: Fleet, today: date) -> Difference:
    """What `write` would do; writes nothing. For plan, render and check.

    Raises InvalidInput for a corrupt file, or a fleet that cannot get what it wants.
    """
    before = read(path)
    return Difference(before, allocate(fleet.file.addresses, before, wanted(fleet), today))


def write(path: Path, fleet: Fleet, today: date) -> Difference:
    """Give the fleet the ranges it lacks, and write the ledger if that changes it.

    Safe beside other writers: from reading to writing the lock is held. Raises as `preview`
    does, and OrchestrateError where the file cannot be written or another writer keeps the lock.
    """
    seen = preview(path, fleet, today)
    if seen.after == seen.before and path.exists():
        # Nothing to write: a read-only checkout is no trouble.
        return seen
    with record_file.writing(path, "ledger"):
        difference = preview(path, fleet, today)
        if difference.after != difference.before or not path.exists():
            record_file.replace(path, grammar.write(difference.after))
        return difference
