"""What `orchestrate check` says about addresses: the ledger on its own, and beside the fleet.

Reads the ledger file and writes nothing.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from orchestrate.errors import InvalidInput
from orchestrate.findings import Finding, Place
from orchestrate.fleet.models import Addresses, Fleet
from orchestrate.fleet.ranges import wanted
from orchestrate.ipam.allocate import allocate
from orchestrate.ipam.explain import LEDGER, some
from orchestrate.ipam.ledger import read
from orchestrate.ipam.records import Ledger
from orchestrate.ipam.space import Span, span


def findings(fleet: Fleet, ledger_path: Path, today: date) -> list[Finding]:
    """Everything wrong with the ledger, or in the way of the ranges the fleet still wants.

    Errors: a corrupt file; ranges over external, reserved or other pools' addresses; sizes that
    changed; full pools. A warning: ranges that are wanted and not in the ledger yet.
    """
    requests = wanted(fleet)
    fixed = {request.key for request in requests if request.fixed}
    try:
        ledger = read(ledger_path)
    except InvalidInput as corrupt:
        return list(corrupt.findings)
    found = list(collisions(fleet.file.addresses, ledger, fixed))
    try:
        allocate(fleet.file.addresses, ledger, requests, today)
    except InvalidInput as refused:
        return sorted([*found, *refused.findings])
    missing = [request.key for request in requests if request.key not in ledger.given]
    return sorted([*found, *_not_written(missing)])


def collisions(addresses: Addresses, ledger: Ledger, fixed: Collection[str]) -> Iterator[Finding]:
    """Given ranges on addresses that the fleet has put to another use since. Pure.

    The keys in `fixed` may lie in reserved addresses: often those are reserved for them.
    """
    others = list(_put_to_use(addresses))
    for given in ledger.given.values():
        if given.inside:
            continue  # what is inside a range collides with nothing that the range does not
        start, stop = span(given.range)
        for other in others:
            (begin, end), mine = other.span, other.pool == given.pool
            allowed = (given.key in fixed) if other.reserved else mine
            if start < end and begin < stop and not allowed:
                what = f"{given.key} has {given.range}, which overlaps {other.name}"
                rename = f"give what has {given.range} a new name, so that it gets another range"
                yield Finding(Place(LEDGER, given.line), what, f"{other.fix}, or {rename}")


@dataclass(frozen=True)
class _Use:
    """Addresses in use for something else, unless it is the range's own pool."""

    name: str
    span: Span
    fix: str
    pool: str = ""
    reserved: bool = False


def _put_to_use(addresses: Addresses) -> Iterator[_Use]:
    for one in addresses.external:
        yield _Use(f"{one.range} ({one.why})", span(one.range), "correct addresses.external")
    for name, pool in addresses.pools.items():
        yield _Use(f"pool '{name}' ({pool.range})", span(pool.range), "move the pool", name)
        for part in pool.reserved:
            label = f"the reserved {part} of pool '{name}'"
            yield _Use(label, span(part), "reserve less", name, reserved=True)


def _not_written(missing: list[str]) -> Iterator[Finding]:
    if missing:
        what = f"no range yet for {some(missing)}"
        fix = "run `orchestrate addresses --write` and commit the ledger; an apply does it too"
        yield Finding(Place(LEDGER), what, fix, "warning")
