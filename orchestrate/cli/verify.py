"""`orchestrate verify`: hold hosts against what their roles say they must be."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrate.cli.complete import complete_hosts, remember_hosts
from orchestrate.cli.context import Context, json_option, pass_context, target_option

if TYPE_CHECKING:
    from orchestrate.hosts.inventory import Host
    from orchestrate.target import Target
    from orchestrate.verify.checks import Check
    from orchestrate.verify.run import Observer
    from orchestrate.verify.verdicts import Verdicts


@click.command(name="verify")
@click.argument("selection", nargs=-1, shell_complete=complete_hosts)
@click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the results as JUnit XML, for CI.",
)
@click.option(
    "-k", "only", default="", metavar="EXPRESSION", help="Only tests that fit, as pytest."
)
@click.option(
    "--parallel",
    type=click.IntRange(min=1),
    default=32,
    show_default=True,
    help="How many hosts at a time.",
)
@target_option
@json_option
@pass_context
def verify_command(
    context: Context,
    selection: tuple[str, ...],
    junit: Path | None,
    only: str,
    parallel: int,
    target: str,
    as_json: bool,
) -> int:
    """Test hosts against what their roles say they must be.

    Runs the suites in tests/infra of each host's cookbooks over SSH and changes nothing. SELECTION
    is as in `orchestrate hosts`; without it, every host. Exits with 1 if a test failed, a host
    could not be reached, or no host of a name was tested.
    """
    from orchestrate.cli import reach, verify_view
    from orchestrate.cli.verify_progress import progress
    from orchestrate.hosts.inventory import left_undone
    from orchestrate.verify import junit as junit_file

    where = reach.target_of(context, target, selection)
    checks, skipped, chosen = _checks(context, where, selection)
    with progress(len(checks), silent=as_json) as seen:
        verdicts = _run(context, where, checks, only=only, at_once=parallel, seen=seen)
    verdicts = verdicts.without(skipped)
    undone = left_undone(chosen, selection, verdicts.never_tested)
    if junit:
        junit.parent.mkdir(parents=True, exist_ok=True)
        junit.write_text(junit_file.text(verdicts), encoding="utf-8")
    verify_view.show(verdicts, undone, as_json=as_json)
    return int(not verdicts.ok or bool(undone))


def _checks(
    context: Context, where: "Target", selection: tuple[str, ...]
) -> "tuple[list[Check], Mapping[str, str], list[Host]]":
    """The checks of the selected hosts, why some are left out, and all that are selected."""
    from orchestrate import converge
    from orchestrate.cli import reach
    from orchestrate.hosts.inventory import select
    from orchestrate.verify.selection import of_tasks

    reach.require_hosts(where)
    known = reach.look(context, where).hosts
    remember_hosts(context.work_folder, [host.name for host in known])
    chosen = select(known, selection)
    prepared = converge.prepare(context.root, context.fleet, chosen, stand_in=False)
    reach.learn_keys(context, where, known, [task.host for task in prepared.tasks])
    return of_tasks(context.root, prepared.tasks, known), prepared.skipped, chosen


def _run(
    context: Context,
    where: "Target",
    checks: "list[Check]",
    *,
    only: str,
    at_once: int,
    seen: "Observer",
) -> "Verdicts":
    from orchestrate import clock
    from orchestrate.cli import reach
    from orchestrate.runs.journal import run_id
    from orchestrate.shell import Stop
    from orchestrate.verify import run

    stop = Stop()
    logs = context.work_folder / "verify" / where.name / run_id(clock.now(), secrets.token_hex(2))
    with stop.on_signals():
        return run.run(
            checks,
            access=reach.access(context, where),
            root=context.root,
            logs=logs,
            only=only,
            at_once=at_once,
            observer=seen,
            stop=stop,
        )
