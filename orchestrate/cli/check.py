"""`orchestrate check`: everything wrong in the files people write, at once."""

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

import click

from orchestrate.cli.console import print_json
from orchestrate.cli.context import Context, json_option, pass_context
from orchestrate.errors import InvalidInput
from orchestrate.findings import Finding

if TYPE_CHECKING:
    from orchestrate.fleet.load import Reading

_COLOURS = {"error": "red", "warning": "yellow"}


@click.command(name="check")
@json_option
@pass_context
def check_command(context: Context, as_json: bool) -> int:
    """Check the fleet files and cookbooks; report everything wrong at once.

    Exits with 1 where there is an error; warnings alone leave it at 0.
    """
    from orchestrate.chef import check as chef
    from orchestrate.fleet import schema
    from orchestrate.fleet.load import read

    reading = read(context.fleet_folder)
    cookbooks = chef.findings(context.root, None if reading.errors else reading.fleet)
    written = schema.stale(context.fleet_folder)
    gone = _left_behind(context, reading)
    found = sorted([*reading.findings, *_ledger(context, reading), *cookbooks, *written, *gone])
    if as_json:
        print_json({**_counts(reading), "findings": [one.as_json() for one in found]})
    else:
        _print(found)
        click.echo(_summary(reading, found))
    return int(any(one.level == "error" for one in found))


def _left_behind(context: Context, reading: "Reading") -> list[Finding]:
    """What the target still has of clusters whose files are gone; asked only for a right fleet."""
    from orchestrate.cli import left_behind

    right = reading.fleet if not reading.errors else None
    return left_behind.findings(context, right) if right else []


def _ledger(context: Context, reading: "Reading") -> list[Finding]:
    """What is wrong with the addresses that the fleet was given.

    Of a fleet that is wrong itself, only the ledger's own mistakes: the rest may follow from it.
    """
    from orchestrate.clock import today
    from orchestrate.ipam import check, ledger

    path = context.fleet_folder / ledger.NAME
    if reading.fleet and not reading.errors:
        return check.findings(reading.fleet, path, today())
    try:
        ledger.read(path)
    except InvalidInput as corrupt:
        return list(corrupt.findings)
    return []


def _print(found: Iterable[Finding]) -> None:
    """One block a file, each line one that terminals and editors can jump to."""
    for _, of_file in groupby(found, key=lambda one: one.place.file):
        for one in of_file:
            level = click.style(one.level, fg=_COLOURS[one.level], bold=True)
            click.echo(f"{click.style(str(one.place), bold=True)}: {level}: {one.what}")
            if one.fix:
                click.echo(click.style("    fix: ", dim=True) + one.fix)
        click.echo()


def _counts(reading: "Reading") -> dict[str, int]:
    clusters, sites = reading.cluster_files, reading.site_files
    return {"files": 1 + clusters + sites, "clusters": clusters, "sites": sites}


def _summary(reading: "Reading", found: list[Finding]) -> str:
    levels: list[str] = [one.level for one in found]
    counted = [_count(number, level) for level in _COLOURS if (number := levels.count(level))] or [
        "no findings"
    ]
    things = [_count(number, kind[:-1]) for kind, number in _counts(reading).items()]
    return ", ".join([*things, *counted])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
