"""`orchestrate addresses`: who has which range, what is free, and giving out what is missing."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from orchestrate import clock
from orchestrate.cli import addresses_view as view
from orchestrate.cli.console import print_json
from orchestrate.cli.context import Context, json_option, pass_context
from orchestrate.errors import InvalidInput, OrchestrateError
from orchestrate.fleet.models import Fleet
from orchestrate.fleet.wording import nearest
from orchestrate.ipam import ledger as ledger_file
from orchestrate.ipam import listing, picture, strips
from orchestrate.ipam.records import Ledger


@dataclass(frozen=True)
class Seen:
    """The ledger with what the fleet wants besides; as it is where that is `refused`."""

    ledger: Ledger
    missing: Collection[str] = ()
    refused: InvalidInput | None = None


@click.command(name="addresses")
@click.argument("names", metavar="[CLUSTER|SITE]...", nargs=-1)
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
    fleet, path = context.fleet, context.fleet_folder / ledger_file.NAME
    if write:
        view.show_written(ledger_file.write(path, fleet, clock.today()), as_json)
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


def look(fleet: Fleet, path: Path) -> Seen:
    """Read the ledger; what it lacks is shown as it would be given."""
    try:
        difference = ledger_file.preview(path, fleet, clock.today())
    except InvalidInput as refused:
        return Seen(ledger_file.read(path), refused=refused)
    return Seen(difference.after, difference.added)


def check_names(names: Iterable[str], known: Collection[str]) -> None:
    """Raises OrchestrateError that names what is unknown, and what there is."""
    unknown = [name for name in names if name not in known]
    if unknown:
        raise OrchestrateError(
            f"no cluster or site '{unknown[0]}'", fix=nearest(unknown[0], sorted(known))
        )


def save_picture(file: Path, text: str) -> None:
    """Write it and say so; raises OrchestrateError where that is not possible."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OrchestrateError(
            f"cannot write the picture: {error.strerror}", where=str(file)
        ) from error
    click.echo(f"drew {file}")
