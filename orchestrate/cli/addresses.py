"""`orchestrate addresses`: who has which range, what is free, and giving out what is missing."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from orchestrate.cli.complete import complete_places
from orchestrate.cli.console import print_json
from orchestrate.cli.context import Context, json_option, pass_context
from orchestrate.clock import today
from orchestrate.errors import InvalidInput, OrchestrateError

if TYPE_CHECKING:
    from orchestrate.fleet.models import Fleet
    from orchestrate.ipam.records import Ledger


class Seen(NamedTuple):
    """The ledger with what the fleet wants besides; as it is where that is `refused`."""

    ledger: "Ledger"
    missing: Collection[str] = ()
    refused: InvalidInput | None = None


@click.command(name="addresses")
@click.argument("names", metavar="[CLUSTER|SITE]...", nargs=-1, shell_complete=complete_places)
@click.option("--write", is_flag=True, help="Give out what is missing and write the ledger.")
@click.option(
    "--map/--no-map",
    "with_map",
    default=None,
    help="Draw the ranges to scale.  [default: on a terminal]",
)
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw them as a picture into FILE instead.",
)
@json_option
@pass_context
def addresses_command(
    context: Context,
    names: tuple[str, ...],
    write: bool,
    with_map: bool | None,
    svg: Path | None,
    as_json: bool,
) -> None:
    """Show who has which addresses, and which are free.

    Names narrow it to some clusters and sites, and draw the subnets of their networks.
    """
    from orchestrate.cli import addresses_view as view
    from orchestrate.ipam import ledger, listing, picture, strips

    fleet, path = context.fleet, context.fleet_folder / ledger.NAME
    if write and names:
        raise click.UsageError("--write gives out what is missing to all: name none with it")
    if write:
        view.show_written(ledger.write(path, fleet, today()), as_json)
        return
    seen = look(fleet, path)
    check_names(names, {*fleet.clusters, *fleet.sites, *listing.owners(seen.ledger)})
    pools = strips.pools(fleet.file.addresses, seen.ledger)
    networks = strips.networks(seen.ledger, names)
    days = fleet.file.addresses.quarantine_days
    rows = listing.rows(seen.ledger, seen.missing, days, names)
    if svg:
        save_picture(svg, picture.draw([*pools, *networks]))
    elif as_json:
        print_json(view.as_json(rows, pools))
    else:
        view.show(rows, pools, networks, with_map)
    if seen.refused:
        raise seen.refused


def look(fleet: "Fleet", path: Path) -> Seen:
    """Read the ledger; what it lacks is shown as it would be given."""
    from orchestrate.ipam import ledger

    try:
        difference = ledger.preview(path, fleet, today())
    except InvalidInput as refused:
        return Seen(ledger.read(path), refused=refused)
    return Seen(difference.after, difference.added)


def check_names(names: Iterable[str], known: Collection[str]) -> None:
    """Raises OrchestrateError that names all that are unknown, and the nearest there are."""
    from orchestrate.fleet.wording import nearest

    if unknown := [name for name in names if name not in known]:
        fixes = "; ".join(dict.fromkeys(nearest(name, sorted(known)) for name in unknown))
        raise OrchestrateError(f"no cluster or site {' or '.join(map(repr, unknown))}", fix=fixes)


def save_picture(file: Path, text: str) -> None:
    """Write it and say so; raises OrchestrateError where that is not possible."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OrchestrateError(
            f"cannot write the picture: {error.strerror}", where=str(file)
        ) from error
    click.echo(f"drew {file}")
