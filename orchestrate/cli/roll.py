"""`orchestrate roll`: replace hosts of node groups that stem from an older launch template."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from orchestrate.cli.complete import complete_groups
from orchestrate.cli.console import console, echo, print_json
from orchestrate.cli.context import Context, json_option, pass_context, target_option
from orchestrate.errors import Interrupted, NotConfirmed

if TYPE_CHECKING:
    from orchestrate.aws.groups import Group
    from orchestrate.hosts.inventory import Host
    from orchestrate.roll import Rolled
    from orchestrate.roll_plan import Pace, Plan
    from orchestrate.runs.half_rolled import HalfRolled
    from orchestrate.target import Target


@click.command(name="roll")
@click.argument("groups", nargs=-1, required=True, shell_complete=complete_groups)
@click.option(
    "--max-unavailable",
    metavar="N|P%",
    default="1",
    show_default=True,
    help="How many hosts of a group may be without service at once.",
)
@click.option(
    "--surge",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Launch so many more first; with it --max-unavailable may be 0.",
)
@click.option("--no-converge", is_flag=True, help="Take new hosts as their image made them.")
@click.option(
    "--timeout",
    "minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=15,
    show_default=True,
    metavar="MINUTES",
    help="Give up when nothing has happened for so long.",
)
@click.option("--yes", "-y", "assume_yes", is_flag=True, help="Don't ask for confirmation.")
@target_option
@json_option
@pass_context
def roll_command(context: Context, /, **given: Any) -> int:
    """Replace hosts that were launched from an older launch template.

    GROUPS are node groups, `cpu` in all clusters or `cpu.cluster-us-west` in one. A batch is
    terminated, the group launches others in its place, and the next batch waits until these are in
    service, converged and healthy. Ctrl-C terminates no further host and leaves the group at its
    size.
    """
    from orchestrate.cli import host_run, reach
    from orchestrate.hosts import rolling
    from orchestrate.hosts.rollout import share
    from orchestrate.roll_plan import Pace

    target = reach.target_of(context, given["target"], given["groups"])
    reach.require_hosts(target)
    seen = reach.look(context, target)
    pace = Pace(share(given["max_unavailable"]), given["surge"], given["minutes"] * 60)
    named = rolling.choose(seen.groups, given["groups"])
    with host_run.alone(context, target, [rolling.place(group) for group in named]):
        return _plan_and_roll(context, target, named, pace, given)


def _plan_and_roll(
    context: Context, target: Target, named: Sequence[Group], pace: Pace, given: dict[str, Any]
) -> int:
    from orchestrate import roll_plan
    from orchestrate.aws.session import Session
    from orchestrate.cli import roll_view
    from orchestrate.hosts import rolling

    by_label = {rolling.label(group): group for group in named}
    before = _half_rolled(context, target, list(by_label))
    surged = {
        half.group: rolling.to_give_back(by_label[half.group].desired, half.wanted, half.extra)
        for half in before
    }
    plans = roll_plan.plan(Session(target), named, surged)
    roll_plan.refuse_impossible(plans, pace)
    to_do = [one for one in plans if one.to_do]
    for half in before if to_do else []:
        echo(f"note: {half}", err=True)
    if not given["as_json"]:
        console().print(roll_view.plan_table(plans, pace))
    if not to_do:
        if given["as_json"]:
            print_json(roll_view.as_json(plans, [], "", 0))
        else:
            click.echo("\nall hosts are of their group's current template; nothing to replace")
        return 0
    _confirm(to_do, target, assume_yes=given["assume_yes"], as_json=given["as_json"])
    return _roll(context, target, plans, pace, given)


def _half_rolled(context: Context, target: Target, labels: Sequence[str]) -> list[HalfRolled]:
    """What earlier rolls of these groups, from this checkout, left half done."""
    from orchestrate.runs import history, processes
    from orchestrate.runs.half_rolled import half_rolled

    found = []
    for label in labels:
        last = history.last_roll(context.work_folder / "runs", target, label)
        half = half_rolled(last, label, processes.alive) if last else None
        found += [half] if half else []
    return found


def _confirm(plans: Sequence[Plan], target: Target, *, assume_yes: bool, as_json: bool) -> None:
    if assume_yes:
        return
    if as_json or not sys.stdin.isatty():
        raise NotConfirmed(
            "there is nobody to ask", fix="look at what it would do, then run it again with --yes"
        )
    count = sum(len(one.old) for one in plans)
    if not count:  # what an earlier roll left is a matter of size alone
        return
    question = f"\nTerminate {count} host{'s' if count > 1 else ''} on target {target.name}?"
    try:
        agreed = click.confirm(question, default=False)
    except click.Abort as gone:
        raise Interrupted("interrupted; nothing was terminated") from gone
    if not agreed:
        raise NotConfirmed("not confirmed; nothing was terminated")


def _roll(
    context: Context, target: Target, plans: Sequence[Plan], pace: Pace, given: dict[str, Any]
) -> int:
    from orchestrate import roll
    from orchestrate.cli import host_run, roll_hands, roll_view
    from orchestrate.cli.host_progress import host_progress

    known: dict[str, Host] = {}
    to_do = [one for one in plans if one.to_do]
    labels = [one.label for one in to_do]
    ended: list[Rolled] = []
    total = sum(len(one.old) for one in to_do)
    watched = host_progress(total, silent=given["as_json"])
    with host_run.begin(context, target, known, "roll", labels, watched) as run:
        converges = not given["no_converge"]
        hands = roll_hands.hands(context, target, known, run, converges=converges)
        with run.stop.on_signals():
            for one in to_do:
                ended.append(roll.roll(one, pace, hands, run, run.stop))
                run.group_ended(one.label, ended[-1].cause, well=ended[-1].well)
                if not ended[-1].well:
                    break
        code = _exit_code(ended)
        run.journal.end(code)
    if given["as_json"]:
        print_json(roll_view.as_json(plans, ended, run.journal.id, code))
        return code
    names = {host.instance_id: host.name for host in known.values()}
    out = console()
    for line in roll_view.last_words(plans, ended, names):
        out.print(line, soft_wrap=True)
    out.print(f"[dim]run {run.journal.id}; journal and logs in {run.journal.folder}[/]")
    return code


def _exit_code(ended: Sequence[Rolled]) -> int:
    if any(one.interrupted for one in ended):
        return Interrupted.exit_code
    return 0 if all(one.well for one in ended) else 1
