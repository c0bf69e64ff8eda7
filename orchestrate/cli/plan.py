"""`orchestrate plan`: what an apply would change; changes nothing."""

from dataclasses import replace
from pathlib import Path

import click

from orchestrate.cli import running
from orchestrate.cli.context import Context, pass_context


@click.command(name="plan")
@pass_context
@running.run_options(changing=False)
@click.option("--destroy", "destroying", is_flag=True, help="Plan destroying the stacks.")
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Keep the plan in a new folder; `orchestrate apply --plan FOLDER` applies exactly it.",
)
def plan_command(
    context: Context, options: running.Options, *, destroying: bool, save: Path | None
) -> int:
    """Show what an apply would change.

    STACKS are `global`, clusters and `mesh`; what they need is planned along with them.
    Exits with 0 when nothing would change, 2 when something would, 1 on an error.
    """
    from orchestrate import apply

    only = frozenset[str]()
    if not destroying:
        only = running.refuse_unknown(context, options.stacks, everything=options.everything)
    operator = running.operator(options)
    # A saved plan is a promise to use its ranges; a mere look at the plan is not.
    kept = save is not None
    work = running.prepare(context, options, operator, keep_ranges=kept, changing=kept, only=only)
    request = replace(running.request(work, options, "plan"), destroying=destroying)
    report = apply.plan(work, request, operator, save)
    operator.ended(report)
    if save and report.exit_code != 1:
        click.echo(f"saved; apply it with: orchestrate apply --plan {save}", err=True)
    return report.exit_code
