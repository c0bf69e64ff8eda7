"""`orchestrate graph`: the fleet's topology as an outline, a picture, or JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrate.cli.complete import complete_places
from orchestrate.cli.console import print_json
from orchestrate.cli.context import Context, json_option, pass_context
from orchestrate.errors import OrchestrateError

if TYPE_CHECKING:
    from orchestrate.fleet.models import Fleet
    from orchestrate.graph.outline import Item
    from orchestrate.graph.topology import Topology


@click.command(name="graph")
@click.argument("names", metavar="[CLUSTER|SITE]...", nargs=-1, shell_complete=complete_places)
@click.option("--text", "as_text", is_flag=True, help="Print an outline.  [default]")
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Draw a picture into FILE; - is stdout.",
)
@click.option("--open", "show", is_flag=True, help="Draw a picture and open it.")
@json_option
@pass_context
def graph_command(
    context: Context,
    names: tuple[str, ...],
    as_text: bool,
    svg: Path | None,
    show: bool,
    as_json: bool,
) -> None:
    """Draw the fleet: networks, gateways, groups, links.

    What the fleet files say, with the ranges of the ledger; AWS is not asked. Names narrow it to
    some clusters and sites.
    """
    from orchestrate.graph.topology import topology
    from orchestrate.ipam import ledger

    if sum([as_text, svg is not None, show, as_json]) > 1:
        raise click.UsageError("--text, --svg, --open and --json exclude each other")
    fleet = context.fleet
    _check(names, fleet)
    given = ledger.read(context.fleet_folder / ledger.NAME).allocations
    shown = topology(fleet, given, names)
    if as_json:
        print_json(asdict(shown))
    elif svg or show:
        _draw(svg or context.work_folder / "graph.svg", shown, show)
    else:
        from orchestrate.graph.outline import outline

        click.echo("\n".join(_lines(outline(shown))))


def _check(names: Sequence[str], fleet: "Fleet") -> None:
    from orchestrate.fleet.wording import nearest

    known = [*fleet.clusters, *fleet.sites]
    strange = [name for name in names if name not in known]
    if strange:
        raise OrchestrateError(
            "\n".join(f"no cluster or site '{name}'; {nearest(name, known)}" for name in strange)
        )


def _draw(path: Path, shown: "Topology", show: bool) -> None:
    from orchestrate.graph.svg import svg

    text = svg(shown)
    if str(path) == "-":
        click.echo(text, nl=False)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OrchestrateError(f"cannot write: {error.strerror}", where=str(path)) from error
    click.echo(f"drawn into {path}")
    if show and click.launch(str(path)):
        raise OrchestrateError("no program here opens pictures", fix=f"open {path} in a browser")


def _lines(item: "Item") -> Iterator[str]:
    """An outline with guides. Written here, as rich takes ten seconds for 1,000 clusters."""
    yield _said(item)
    for number, each in enumerate(item.below, start=1):
        last = number == len(item.below)
        first, *more = _lines(each)
        yield _dim("└── " if last else "├── ") + first
        yield from (_dim("    " if last else "│   ") + line for line in more)


def _said(item: "Item") -> str:
    name = click.style(item.name, bold=True) if item.below else click.style(item.name, fg="cyan")
    return f"{name}  {item.detail}".rstrip()


def _dim(guide: str) -> str:
    return click.style(guide, dim=True)
