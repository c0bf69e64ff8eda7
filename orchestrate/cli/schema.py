"""`orchestrate schema`: what editors need to complete and check the fleet files."""

import json
from pathlib import Path

import click

from orchestrate.cli.console import print_json
from orchestrate.cli.context import Context, json_option, pass_context


@click.command(name="schema")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write to; fleet/schema otherwise.",
)
@json_option
@pass_context
def schema_command(context: Context, out: Path | None, as_json: bool) -> None:
    """Write the JSON schema of the fleet files, for editors.

    With --json it is printed instead, and nothing is written.
    """
    from orchestrate.fleet.schema import schemas

    if as_json:
        print_json({name: json.loads(text) for name, text in schemas().items()})
        return
    folder = out or context.fleet_folder / "schema"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in schemas().items():
        (folder / name).write_text(text, encoding="utf-8")
        click.echo(f"wrote {folder / name}")
