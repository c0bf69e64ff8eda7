"""What `orchestrate addresses` prints: tables of ranges and pools, the map, what was written."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from orchestrate.cli.console import console, print_json
from orchestrate.ipam import textmap
from orchestrate.ipam.ledger import Difference
from orchestrate.ipam.listing import Row, pool_as_json
from orchestrate.ipam.strips import Strip

if TYPE_CHECKING:
    from rich.table import Table

# Bright enough on dark and on light terminals; owners take them in turn.
SIGNS = (("+", "green"), ("-", "red"), (" ", "yellow"))
COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "red")


def show(
    rows: Sequence[Row], pools: Sequence[Strip], networks: Sequence[Strip], with_map: bool | None
) -> None:
    """Tables of ranges and pools; then the map, if asked for or on a terminal."""
    out = console()
    out.print(range_table(rows))
    out.print()
    out.print(pool_table(pools))
    if with_map or (with_map is None and sys.stdout.isatty()):
        for group in (pools, *([network] for network in networks)):
            click.echo("\n" + textmap.draw(group, painter(group)))


def as_json(rows: Sequence[Row], pools: Sequence[Strip]) -> dict[str, object]:
    return {
        "ranges": [row.as_json() for row in rows],
        "pools": [pool_as_json(pool) for pool in pools],
    }


def range_table(rows: Sequence[Row]) -> "Table":
    """One row a range; what is inside a network stands below it, indented."""
    table = _table("key", "range", ("addresses", "right"), "from", "")
    for row in rows:
        indent = "  " if row.inside else ""
        style = {"given": "", "not written": "green", "resting": "dim"}[row.state]
        size = f"{row.range.num_addresses:,}"
        home = row.pool or row.inside.partition("/")[2]
        table.add_row(indent + row.key, str(row.range), size, home, _remark(row), style=style)
    return table


def _remark(row: Row) -> str:
    if row.state == "resting":
        return f"rests until {row.until}"
    return "not in the ledger yet: --write" if row.state == "not written" else ""


def pool_table(pools: Sequence[Strip]) -> "Table":
    """One row a pool: how much of it is used for what, and the largest block left."""
    numbers = [(kind, "right") for kind in ("given", "resting", "reserved", "free")]
    table = _table("pool", "range", *numbers, "largest free")
    for pool in pools:
        reserved = pool.total("reserved") + pool.total("external")
        counts = [pool.total("given"), pool.total("resting"), reserved, pool.total("free")]
        free = pool.largest_free()
        left = "[red]full[/]" if free is None else f"/{free}"
        table.add_row(pool.name, str(pool.range), *(f"{n:,}" if n else "·" for n in counts), left)
    return table


def _table(*columns: str | tuple[str, str]) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        name, justify = (column, "left") if isinstance(column, str) else column
        table.add_column(name, justify="right" if justify == "right" else "left", no_wrap=True)
    return table


def painter(group: Sequence[Strip]) -> textmap.Paint:
    """Gives each owner of the group a colour; addresses that nobody has are dim."""
    labels = sorted({p.label for strip in group for p in strip.parts if p.kind == "given"})
    colours = {label: COLOURS[n % len(COLOURS)] for n, label in enumerate(labels)}

    def paint(symbols: str, label: str) -> str:
        colour = colours.get(label)
        return click.style(symbols, fg=colour, dim=colour is None)

    return paint


def show_written(difference: Difference, as_json: bool) -> None:
    """What a write added, what it released, and what has rested long enough."""
    changes = {
        "added": difference.added,
        "released": difference.released,
        "rested": difference.rested,
    }
    if as_json:
        texts = {w: {key: str(r) for key, r in some.items()} for w, some in changes.items()}
        print_json(texts)
        return
    for (word, some), (sign, colour) in zip(changes.items(), SIGNS, strict=True):
        for key, range_ in some.items():
            click.echo(click.style(f"{sign} {key}  {range_}  {word}", fg=colour))
    if difference.before == difference.after:
        click.echo("the ledger has every range already")
    else:
        click.echo("the ledger changed: commit it with the fleet")
