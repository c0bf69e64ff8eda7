"""`orchestrate output`: what applied stacks tell the outside, straight from their state."""

import json
import sys
from collections.abc import Mapping, Sequence

import click

from orchestrate.cli.complete import SHARED_STACKS, complete_stacks
from orchestrate.cli.console import console, echo, print_json
from orchestrate.cli.context import Context, json_option, pass_context, target_option
from orchestrate.errors import LabError, OrchestrateError
from orchestrate.terraform.outputs import Output, from_state
from orchestrate.terraform.state import Unreadable

Outputs = Mapping[str, Mapping[str, Output]]

MOST_AT_ONCE = 16
NOTHING = "no stack has been applied yet; start with `orchestrate apply`"
HIDDEN = "(sensitive; show it with --show-sensitive)"


@click.command(name="output")
@click.argument("stacks", nargs=-1, metavar="[STACK...] [NAME]", shell_complete=complete_stacks)
@click.option("--show-sensitive", is_flag=True, help="Print sensitive values as well.")
@target_option
@json_option
@pass_context
def output_command(
    context: Context, stacks: tuple[str, ...], show_sensitive: bool, target: str, as_json: bool
) -> None:
    """Print the outputs of applied stacks.

    Without STACK, of all that are applied. A last word that is no stack is the NAME of one output;
    its value alone is printed, for scripts: $(orchestrate output cluster-us-west bastion_address)
    """
    ours = [*SHARED_STACKS, *context.fleet.clusters]
    try:
        found = _read(context, target)
    except LabError:
        _split(stacks, ours)
        raise
    names, wanted = _split(stacks, list(dict.fromkeys([*ours, *found])))
    chosen: Outputs = {stack: found.get(stack, {}) for stack in names or found}
    if wanted:
        chosen = _only(chosen, wanted)
    shown = {stack: _shown(outputs, show_sensitive) for stack, outputs in chosen.items()}
    if wanted and len(shown) == 1:
        (alone,) = shown.values()
        _print_alone(alone[wanted], as_json)
    elif as_json:
        print_json(shown)
    else:
        _print(shown)


def _read(context: Context, target: str) -> dict[str, dict[str, Output]]:
    """The outputs of every stack that has a state, all read at once."""
    from concurrent.futures import ThreadPoolExecutor

    from orchestrate.aws import state_bucket
    from orchestrate.aws.session import Session
    from orchestrate.workplace import bucket_of

    session, bucket = Session(context.target(target)), bucket_of(context.fleet)
    names = state_bucket.stacks(session, bucket)
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        texts = pool.map(lambda stack: state_bucket.read_state(session, bucket, stack), names)
        told = {stack: _told(stack, text) for stack, text in zip(names, texts, strict=True)}
    return {stack: outputs for stack, outputs in told.items() if outputs is not None}


def _told(stack: str, text: bytes | None) -> dict[str, Output] | None:
    """A stack's outputs; None, and a note, where its state cannot be read."""
    try:
        return from_state(text or b"")
    except Unreadable as error:
        echo(f"note: {stack}: {error}", err=True)
        return None


def _split(words: Sequence[str], known: Sequence[str]) -> tuple[list[str], str]:
    """The stacks, and the name of an output if the last word is no stack."""
    from orchestrate.fleet.wording import nearest

    *stacks, last = [*words, ""] if not words or words[-1] in known else words
    strange = [word for word in stacks if word not in known]
    if strange:
        lines = [f"no stack '{word}'; {nearest(word, known)}" for word in strange]
        raise OrchestrateError("\n".join(lines))
    return stacks, last


def _only(chosen: Outputs, name: str) -> Outputs:
    """The outputs of that name, of the stacks that have one."""
    from orchestrate.fleet.wording import nearest

    having = {stack: outputs for stack, outputs in chosen.items() if name in outputs}
    if not chosen:
        raise OrchestrateError(NOTHING)
    if not having:
        known = {*chosen, *(each for outputs in chosen.values() for each in outputs)}
        raise OrchestrateError(f"no stack or output '{name}'; {nearest(name, known)}")
    return {stack: {name: outputs[name]} for stack, outputs in having.items()}


def _shown(outputs: Mapping[str, Output], show_sensitive: bool) -> dict[str, object]:
    return {
        name: HIDDEN if output.sensitive and not show_sensitive else output.value
        for name, output in outputs.items()
    }


def _text(value: object) -> str:
    """A string as it is, so that scripts can use it; anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _print_alone(value: object, as_json: bool) -> None:
    text = json.dumps(value) if as_json else _text(value)
    # A script gets it byte for byte, a terminal what it can show.
    (echo if sys.stdout.isatty() else click.echo)(text)


def _print(shown: Mapping[str, Mapping[str, object]]) -> None:
    from rich.markup import escape
    from rich.table import Table

    out = console()
    if not shown:
        out.print(NOTHING)
    for stack, outputs in shown.items():
        out.print(
            f"[bold]{escape(stack)}[/]"
            + ("" if outputs else "  [dim]not applied, or no outputs[/]")
        )
        table = Table.grid(padding=(0, 2))
        for name, value in outputs.items():
            table.add_row(f"  {escape(name)}", f"[cyan]{escape(_text(value))}[/]")
        if outputs:
            out.print(table)
