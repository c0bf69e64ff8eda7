"""`orchestrate apply`: bring stacks to what the fleet says."""

from pathlib import Path

import click

from orchestrate.cli import running
from orchestrate.cli.context import Context, pass_context
from orchestrate.errors import OrchestrateError


@click.command(name="apply")
@pass_context
@running.run_options(changing=True, hosts=True)
@click.option(
    "--plan",
    "saved",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Apply exactly this plan, saved by `orchestrate plan --save`.",
)
def apply_command(context: Context, options: running.Options, *, saved: Path | None) -> int:
    """Bring stacks to what the fleet says.

    STACKS are `global`, clusters and `mesh`; what they need is applied along with them, stacks
    that need them are not. Plans, shows a summary, asks once, and applies exactly what was shown.
    Then waits for the clusters' hosts, converges those that differ from the cookbooks, and verifies
    them all.
    """
    from orchestrate import apply

    ways = (bool(options.stacks or options.everything), saved is not None, options.resume)
    if sum(ways) > 1:
        raise OrchestrateError(
            "name stacks, or a saved plan, or --resume, not several of them", fix="choose one"
        )
    running.refuse_unknown(context, options.stacks, everything=options.everything)
    operator = running.operator(options)
    work = running.prepare(context, options, operator, keep_ranges=True)
    request = running.request(work, options, "apply")
    if saved:
        report = apply.apply_saved(work, request, saved, operator)
    else:
        report = apply.apply(work, request, operator)
    operator.ended(report)
    return report.exit_code
