"""`orchestrate render`: the Terraform roots as files, to read, review or run by hand."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

import click

from orchestrate import clock
from orchestrate.cli.complete import complete_stacks
from orchestrate.cli.console import print_json
from orchestrate.cli.context import Context, json_option, pass_context, target_option
from orchestrate.errors import OrchestrateError

Files = Mapping[str, str]


@click.command(name="render")
@click.argument("stacks", nargs=-1, metavar="[STACK...]", shell_complete=complete_stacks)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Where to write, a folder a stack; by default where runs do, in .orchestrate/build/.",
)
@target_option
@json_option
@pass_context
def render_command(
    context: Context, stacks: tuple[str, ...], out: Path | None, target: str, as_json: bool
) -> None:
    """Write the Terraform roots without running Terraform.

    Without STACK, of all stacks. Ranges that the ledger has not given yet are shown as the next
    apply would give them; the ledger stays as it is. The roots of both targets are the same.
    """
    from orchestrate.terraform import write

    folder = (out or context.work_folder / "build" / target).resolve()
    chosen = _chosen(_rendered(context, folder), stacks)
    for stack, files in chosen.items():
        write.write(folder / stack, files)
    if as_json:
        print_json({"folder": str(folder), "stacks": {name: list(chosen[name]) for name in chosen}})
        return
    for stack, files in chosen.items():
        click.echo(f"{_short(folder / stack)}: {', '.join(files)}")


def _rendered(context: Context, folder: Path) -> Mapping[str, Files]:
    from orchestrate.ipam import ledger
    from orchestrate.terraform import roots, write

    after = ledger.preview(context.fleet_folder / ledger.NAME, context.fleet, clock.today()).after
    return roots.render(context.fleet, after.allocations, write.modules_from(folder))


def _chosen(rendered: Mapping[str, Files], stacks: tuple[str, ...]) -> Mapping[str, Files]:
    strange = [name for name in stacks if name not in rendered]
    if strange:
        raise OrchestrateError(
            "\n".join(_unknown(name, list(rendered)) for name in strange),
            fix="name one of these, or none for all",
        )
    return {name: rendered[name] for name in stacks or rendered}


def _unknown(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
    return f"no stack '{name}'; {hint}"


def _short(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
