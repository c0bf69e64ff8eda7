"""What `orchestrate check` says about addresses: the ledger on its own, and beside the fleet.

Reads the ledger file and writes nothing.
"""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from orchestrate.errors import InvalidInput
from orchestrate.findings import Finding, Place
from orchestrate.fleet.models import Addresses, Fleet
from orchestrate.fleet.ranges import wanted
from orchestrate.ipam.explain import LEDGER, some
from orchestrate.ipam.ledger import preview, read
from orchestrate.ipam.records import Allocation, Ledger


def findings(fleet: Fleet, ledger_path: Path, today: date) -> list[Finding]:
    """Everything wrong with the ledger, or in the way of the ranges the fleet still wants.

    Errors: a corrupt file; ranges over external, reserved or other pools' addresses; sizes that
    changed; full pools. A warning: ranges that are wanted and not in the ledger yet.
    """
    try:
        ledger = read(ledger_path)
    except InvalidInput as corrupt:
        return list(corrupt.findings)
    found = list(collisions(fleet, ledger))
    try:
        missing = preview(ledger_path, fleet, today).added
    except InvalidInput as refused:
        return sorted([*found, *refused.findings])
    return sorted([*found, *_not_written(list(missing))])


def collisions(fleet: Fleet, ledger: Ledger) -> Iterator[Finding]:
    """Given ranges on addresses that the fleet has put to another use since. Pure."""
    fixed = {request.key for request in wanted(fleet) if request.fixed}
    for given in ledger.given.values():
        if given.inside:
            continue  # what is inside a range collides with nothing that the range does not
        for other, fix in _over(fleet.file.addresses, given, given.key in fixed):
            what = f"{given.key} has {given.range}, which overlaps {other}"
            yield Finding(Place(LEDGER, given.line), what, fix)


def _over(addresses: Addresses, given: Allocation, fixed: bool) -> Iterator[tuple[str, str]]:
    rename = f"or give what has {given.range} a new name, so that it gets another range"
    for external in addresses.external:
        if given.range.overlaps(external.range):
            yield f"{external.range} ({external.why})", f"correct addresses.external, {rename}"
    for name, pool in addresses.pools.items():
        if name != given.pool and given.range.overlaps(pool.range):
            yield f"pool '{name}' ({pool.range})", f"move the pool, {rename}"
        for reserved in pool.reserved:
            if not fixed and given.range.overlaps(reserved):
                yield f"the reserved {reserved} of pool '{name}'", f"reserve less, {rename}"


def _not_written(missing: list[str]) -> Iterator[Finding]:
    if missing:
        what = f"no range yet for {some(missing)}"
        fix = "run `orchestrate addresses --write` and commit the ledger; an apply does it too"
        yield Finding(Place(LEDGER), what, fix, "warning")
