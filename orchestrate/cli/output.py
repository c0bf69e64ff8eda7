"""`orchestrate output`: what applied stacks tell the outside, straight from their state."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

import click

from orchestrate.cli.complete import SHARED_STACKS, complete_stacks
from orchestrate.cli.console import console, print_json
from orchestrate.cli.context import Context, json_option, pass_context, target_option
from orchestrate.errors import OrchestrateError
from orchestrate.terraform.outputs import Output, from_state

Outputs = Mapping[str, Mapping[str, Output]]


MOST_AT_ONCE = 16
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
    found = _read(context, target)
    names, wanted = _split(stacks, [*SHARED_STACKS, *context.fleet.clusters, *found])
    chosen: Outputs = {stack: found.get(stack, {}) for stack in names or found}
    if wanted is not None:
        chosen = _only(chosen, wanted)
    shown = {stack: _shown(outputs, show_sensitive) for stack, outputs in chosen.items()}
    alone = [outputs for outputs in shown.values() if outputs] if wanted is not None else []
    if len(alone) == 1 and wanted is not None:
        value = alone[0][wanted]
        print_json(value) if as_json else click.echo(_text(value))
    elif as_json:
        print_json(shown)
    else:
        _print(shown)


def _read(context: Context, target: str) -> dict[str, dict[str, Output]]:
    """The outputs of every stack that has a state, all read at once."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    from orchestrate.aws import state_bucket  # noqa: PLC0415
    from orchestrate.aws.session import Session  # noqa: PLC0415

    session, bucket = Session(context.target(target)), context.state_bucket
    names = state_bucket.stacks(session, bucket)
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        texts = pool.map(lambda stack: state_bucket.read_state(session, bucket, stack), names)
        return {stack: from_state(text or b"") for stack, text in zip(names, texts, strict=True)}


def _split(words: Sequence[str], known: Sequence[str]) -> tuple[list[str], str | None]:
    """The stacks, and the name of an output if the last word is no stack."""
    stacks, name = list(words), None
    if stacks and stacks[-1] not in known:
        name = stacks.pop()
    strange = [word for word in stacks if word not in known]
    if strange:
        raise OrchestrateError("\n".join(_unknown("stack", word, known) for word in strange))
    return stacks, name


def _only(chosen: Outputs, name: str) -> Outputs:
    if not any(name in outputs for outputs in chosen.values()):
        known = sorted({each for outputs in chosen.values() for each in outputs})
        where = ", ".join(chosen) or "any stack"
        raise OrchestrateError(_unknown("output", name, known), where=where)
    return {stack: {name: outputs[name]} for stack, outputs in chosen.items() if name in outputs}


def _unknown(kind: str, word: str, known: Sequence[str]) -> str:
    near = get_close_matches(word, known, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(known) or '–'}"
    return f"no {kind} '{word}'; {hint}"


def _shown(outputs: Mapping[str, Output], show_sensitive: bool) -> dict[str, object]:
    return {
        name: HIDDEN if output.sensitive and not show_sensitive else output.value
        for name, output in outputs.items()
    }


def _text(value: object) -> str:
    """A string as it is, so that scripts can use it; anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _print(shown: Mapping[str, Mapping[str, object]]) -> None:
    from rich.markup import escape  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    out = console()
    if not shown:
        out.print("no stack has been applied yet; start with `orchestrate apply`")
    for stack, outputs in shown.items():
        out.print(f"[bold]{stack}[/]" + ("" if outputs else "  [dim]not applied, or no outputs[/]"))
        table = Table.grid(padding=(0, 2))
        for name, value in outputs.items():
            table.add_row(f"  {name}", f"[cyan]{escape(_text(value))}[/]")
        if outputs:
            out.print(table)
