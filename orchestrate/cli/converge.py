"""`orchestrate converge`: bring hosts to what the cookbooks and the fleet say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from orchestrate.cli.complete import complete_hosts
from orchestrate.cli.console import console, print_json
from orchestrate.cli.context import Context, json_option, pass_context, target_option
from orchestrate.errors import OrchestrateError

if TYPE_CHECKING:
    from orchestrate.converge import Prepared
    from orchestrate.hosts.converge import How
    from orchestrate.hosts.inventory import Host
    from orchestrate.hosts.rollout import Policy
    from orchestrate.target import Target

SHARE = "N|P%"


@click.command(name="converge")
@click.argument("selection", nargs=-1, shell_complete=complete_hosts)
@click.option("--all", "everything", is_flag=True, help="Every host of the fleet.")
@click.option("--why-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option(
    "--parallel",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    metavar="N",
    help="Work on so many hosts at once.",
)
@click.option("--serial", metavar=SHARE, help="Work in batches of so many; check each batch.")
@click.option(
    "--max-fail",
    metavar=SHARE,
    help="Stop when more have failed; by default with --serial none may, else all.",
)
@click.option(
    "--connect-timeout",
    "connect_seconds",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="How long to try to get in; by default for a minute after a host's launch, else 3 s.",
)
@click.option(
    "--timeout",
    "minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=60,
    show_default=True,
    metavar="MINUTES",
    help="How long one host may take.",
)
@target_option
@json_option
@pass_context
def converge_command(context: Context, /, **given: Any) -> int:
    """Bring hosts to what the cookbooks and the fleet say.

    SELECTION is as in `orchestrate hosts`: names (cpu-*.cluster-us-west), a cluster or site, a
    role, a node group. A host that can't be reached holds up nobody. After each batch its changed
    hosts are checked: one can log in, and no service has failed. Exits with 1 if any host failed
    or was unreachable, or all hosts of a name were left out; --why-run with 2 if any would change.
    """
    from orchestrate.cli import reach
    from orchestrate.cli.before_hosts import who
    from orchestrate.hosts.converge import How
    from orchestrate.hosts.rollout import Policy, share

    if given["everything"] == bool(given["selection"]):
        raise OrchestrateError("name hosts to converge, or --all", fix="see `orchestrate hosts`")
    policy = Policy(
        given["parallel"],
        share(given["serial"]) if given["serial"] else None,
        share(given["max_fail"]) if given["max_fail"] else None,
    )
    target = reach.target_of(context, given["target"], given["selection"])
    how = How(given["why_run"], target.name == "lab", who(), given["minutes"] * 60)
    return _converge(context, target, how, policy, given)


def _converge(
    context: Context, target: Target, how: How, policy: Policy, given: Mapping[str, Any]
) -> int:
    from orchestrate import converge
    from orchestrate.cli import converge_view, host_run, left_out, reach
    from orchestrate.cli.host_progress import host_progress
    from orchestrate.hosts.inventory import left_undone, select
    from orchestrate.runs import over_hosts

    reach.require_hosts(target)
    known = {host.name: host for host in reach.look(context, target).hosts}
    hosts = select(list(known.values()), given["selection"])
    prepared = prepare(context, hosts, stand_in=how.stand_in)
    chosen = [task.host for task in prepared.tasks]
    undone = left_undone(hosts, given["selection"], prepared.skipped)
    reach.learn_keys(context, target, list(known.values()), chosen)
    # A dry run changes nothing that another run could trip over.
    places = [] if how.why_run else [host.place for host in chosen]
    with (
        host_run.alone(context, target, places),
        host_run.begin(
            context,
            target,
            known,
            "converge",
            [host.name for host in chosen],
            host_progress(len(chosen), silent=given["as_json"], why_run=how.why_run),
            connect_seconds=given["connect_seconds"],
        ) as run,
    ):
        results = converge.converge(
            run.ways,
            prepared.tasks,
            how,
            policy,
            logs=run.journal.logs,
            observer=run,
            stop=run.stop,
        )
        code = over_hosts.exit_code(results, undone, why_run=how.why_run)
        run.journal.end(code)
    if given["as_json"]:
        told = converge_view.as_json(
            results, prepared.skipped, run.journal.folder, code, why_run=how.why_run
        )
        print_json({**told, "undone": undone})
    else:
        out = console()
        for part in converge_view.whole(
            results, prepared.skipped, run.journal.folder, run.first_keys, why_run=how.why_run
        ):
            out.print(part, soft_wrap=isinstance(part, str))
        if undone:
            out.print(left_out.nothing_done(undone), soft_wrap=True)
    return code


def prepare(context: Context, hosts: Sequence[Host], *, stand_in: bool) -> Prepared:
    """What the hosts are to become; raises InvalidInput for broken cookbooks."""
    from orchestrate import converge
    from orchestrate.cli.before_hosts import check_cookbooks

    check_cookbooks(context.root)
    return converge.prepare(context.root, context.fleet, hosts, stand_in=stand_in)
