"""What plan, apply and destroy share on the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce, wraps
from typing import TYPE_CHECKING, Any

import click

from orchestrate.cli.complete import complete_stacks
from orchestrate.cli.context import Context, json_option, target_option
from orchestrate.errors import LabError, OrchestrateError

if TYPE_CHECKING:
    from orchestrate.apply import Request
    from orchestrate.brought_up import Wanted
    from orchestrate.cli.operator import Program, Terminal
    from orchestrate.run_report import Command
    from orchestrate.target import Target
    from orchestrate.workplace import Workplace


@dataclass(frozen=True)
class Options:
    """The options of one run; those that a command doesn't take keep their defaults."""

    stacks: tuple[str, ...]
    everything: bool
    target: str
    details: bool
    as_json: bool
    assume_yes: bool = False
    destroy_data: tuple[str, ...] = ()
    force: tuple[str, ...] = ()
    resume: bool = False
    no_converge: bool = False
    no_verify: bool = False
    wait: float = 600.0


COMMON = (
    click.argument("stacks", nargs=-1, shell_complete=complete_stacks),
    click.option("--all", "everything", is_flag=True, help="Every stack of the fleet."),
    target_option,
    click.option("--details", is_flag=True, help="List every change, from what to what."),
    json_option,
)
CHANGING = (
    click.option(
        "--yes", "-y", "assume_yes", is_flag=True, help="Don't ask for confirmation (for CI)."
    ),
    click.option(
        "--destroy-data",
        multiple=True,
        metavar="STACK/KIND/NAME",
        help="Data that may be destroyed, for instance cluster-us-west/bucket/results, or a "
        "pattern with the stack spelled out: 'cluster-us-west/*'. May be given several times.",
    ),
    click.option(
        "--force",
        multiple=True,
        metavar="STACK/KIND/NAME",
        help="What others made that may be taken out of a destroy's way, as a refusal names it. "
        "May be given several times, or be a pattern.",
    ),
    click.option("--resume", is_flag=True, help="Do what the last run on this target left undone."),
)

HOSTS = (
    click.option("--no-converge", is_flag=True, help="Leave the hosts' configuration as it is."),
    click.option("--no-verify", is_flag=True, help="Don't test the hosts."),
    click.option(
        "--wait",
        type=click.FloatRange(min=0),
        default=600,
        show_default=True,
        metavar="SECONDS",
        help="How long to wait for hosts to boot.",
    ),
)


def run_options(*, changing: bool, hosts: bool = False) -> Callable[[Any], Any]:
    """Decorator: give a command the Context and its Options; others stay keyword arguments."""

    def decorate(function: Any) -> Any:
        @wraps(function)
        def command(context: Context, /, **given: Any) -> object:
            own = {
                each.name: given.pop(each.name) for each in fields(Options) if each.name in given
            }
            return function(context, Options(**own), **given)

        decorators = (*COMMON, *(CHANGING if changing else ()), *(HOSTS if hosts else ()))
        return reduce(lambda wrapped, option: option(wrapped), reversed(decorators), command)

    return decorate


def operator(options: Options, question: str = "") -> Terminal | Program:
    """Who is talked to: a person at a terminal, or a program that reads JSON."""
    from orchestrate.cli.operator import Program, Terminal

    if options.as_json:
        return Program(assume_yes=options.assume_yes)
    return Terminal(
        options.target,
        assume_yes=options.assume_yes,
        details=options.details,
        question=question,
    )


def prepare(
    context: Context,
    options: Options,
    operator: Terminal | Program,
    *,
    keep_ranges: bool,
    changing: bool = True,
    only: Collection[str] = (),
) -> Workplace:
    """Load, allocate, render (`only` some stacks, or all); and say what the last run left undone,
    if it did.
    """
    from orchestrate import workplace

    target = reach(context, options.target, options.stacks)
    work = workplace.prepare(
        context.root,
        context.fleet,
        target,
        keep_ranges=keep_ranges,
        changing=changing,
        only=only,
    )
    operator.prepared(work, keep_ranges=keep_ranges)
    return work


def reach(context: Context, target: str, stacks: Sequence[str]) -> Target:
    """The target. Where no lab runs, names that the fleet doesn't know are told of first: a lab may
    hold a stack that left the fleet, but a misspelt one is no reason to start it.
    """
    try:
        return context.target(target)
    except LabError:
        refuse_unknown(context, stacks)
        raise


def refuse_unknown(
    context: Context, stacks: Sequence[str], *, everything: bool = False
) -> frozenset[str]:
    """The stacks of these names with what they need. Raises UnknownStack for names that the fleet
    doesn't know, before anything is asked.
    """
    from orchestrate.runs import choose
    from orchestrate.terraform import roots

    if not stacks and not everything:
        return frozenset()
    after = {name: stack.after for name, stack in roots.stacks(context.fleet).items()}
    return choose.with_needed(choose.named(stacks, everything, after), after)


def request(work: Workplace, options: Options, command: Command) -> Request:
    """What is asked for; with --resume, the stacks that the last run left undone.

    Raises OrchestrateError when nothing was left, or the last run was another command.
    """
    from orchestrate.apply import Request
    from orchestrate.runs import history, processes, resume

    asked = Request(
        command,
        ("orchestrate", *sys.argv[1:]),
        options.stacks,
        options.everything,
        destroying=command == "destroy",
        destroy_data=options.destroy_data,
        force=options.force,
        hosts=_wanted(work, options) if command == "apply" else None,
        details=options.details or (options.as_json and command == "plan"),
    )
    if not options.resume:
        return asked
    last = history.last_run(work.runs, work.target)
    left = resume.unfinished(last, processes.alive) if last else None
    if left is None:
        raise OrchestrateError("there is nothing to resume", fix="see `orchestrate runs`")
    if left.run.command != command:
        raise OrchestrateError(left.message, fix=f"resume it with: {left.command}")
    return replace(asked, targets=left.left, everything=False)


def _wanted(work: Workplace, options: Options) -> Wanted | None:
    """What is to be done with hosts; None where there are none, or nothing is."""
    from orchestrate import clock
    from orchestrate.brought_up import Wanted
    from orchestrate.cli.before_hosts import check_cookbooks, who

    if options.no_converge and options.no_verify:
        return None
    lacking = _lacking(work)
    if lacking:
        click.echo(f"note: hosts are neither converged nor verified: {lacking}", err=True)
        return None
    if not options.no_converge:
        check_cookbooks(work.root)
    return Wanted(clock.now(), not options.no_converge, not options.no_verify, options.wait, who())


def _lacking(work: Workplace) -> str:
    """What there is not that hosts need to be converged and verified; "" if all is there."""
    if not work.target.real_hosts:
        return "this lab has an AWS API alone"
    return "" if (work.root / "chef").is_dir() else "this repository has no chef/"
