"""`orchestrate destroy`: take stacks away, dependents first."""

import click

from orchestrate.cli import running
from orchestrate.cli.complete import forget_hosts
from orchestrate.cli.context import Context, pass_context


@click.command(name="destroy")
@pass_context
@running.run_options(changing=True)
def destroy_command(context: Context, options: running.Options) -> int:
    """Destroy stacks, dependents first.

    Only the stacks named are touched: one that others still need is refused, and file systems,
    buckets and zones go only when --destroy-data names them.
    """
    from orchestrate import apply
    from orchestrate.runs.schedule import Outcome

    operator = running.operator(options, question="Destroy all this")
    work = running.prepare(context, options, operator, keep_ranges=False)
    report = apply.apply(work, running.request(work, options, "destroy"), operator)
    destroyed = [name for name, one in report.applied.items() if one.outcome is Outcome.DONE]
    forget_hosts(context.work_folder, destroyed)
    operator.ended(report)
    return report.exit_code
