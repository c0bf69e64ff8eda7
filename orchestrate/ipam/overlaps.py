"""Ranges of a ledger that overlap, found in one sweep. Pure."""

from collections.abc import Iterable, Iterator

from orchestrate.findings import Finding, Place
from orchestrate.ipam.records import Allocation
from orchestrate.ipam.space import span


def overlaps(records: Iterable[Allocation], file: str) -> Iterator[Finding]:
    """Every range that overlaps another it is not inside of, and every one outside its home.

    Aligned ranges are disjoint or nested, so it is enough to look at the nearest range around
    each: it must be the home of what lies in it.
    """
    around: list[tuple[int, Allocation]] = []
    for start, end, record in sorted(map(_extent, records), key=_homes_before_what_is_inside):
        while around and around[-1][0] <= start:
            around.pop()
        nearest = around[-1][1] if around else None
        if nearest and nearest.key != record.inside:
            yield _overlap(record, nearest, file)
        elif record.inside and not nearest:
            what = f"{record.key} has {record.range}, which is not inside {record.inside}"
            fix = "delete the line, then run `orchestrate addresses --write`"
            yield Finding(Place(file, record.line), what, fix)
        around.append((end, record))


def _extent(record: Allocation) -> tuple[int, int, Allocation]:
    return (*span(record.range), record)


def _homes_before_what_is_inside(
    extent: tuple[int, int, Allocation],
) -> tuple[int, int, bool, int]:
    start, end, record = extent
    return start, -end, bool(record.inside), record.line


def _overlap(record: Allocation, other: Allocation, file: str) -> Finding:
    first, second = sorted((other, record), key=lambda one: one.line)
    return Finding(
        Place(file, second.line),
        f"{second.key} has {second.range}, which overlaps {first.range} of {first.key} "
        f"in line {first.line}",
        "delete the line of the one that is not applied yet, then run "
        "`orchestrate addresses --write`",
    )
