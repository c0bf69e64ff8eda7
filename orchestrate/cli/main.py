"""The `orchestrate` command. A command's module is imported when it is called, not for --help."""

import gc
import importlib
import io
import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from orchestrate import __version__
from orchestrate.cli import streams
from orchestrate.errors import Interrupted, OrchestrateError
from orchestrate.plain_text import visible_lines

# name -> (module, one line for --help). The line stands here so that --help imports no command;
# a test holds it against the command's own help.
COMMANDS = {
    "addresses": ("addresses", "Show who has which addresses, and which are free."),
    "apply": ("apply", "Bring stacks to what the fleet says."),
    "bake": ("bake", "Bake images, test them, and start new hosts from them."),
    "bootstrap": ("bootstrap", "Create the bucket that keeps Terraform's state."),
    "check": ("check", "Check the fleet files and cookbooks; report everything wrong at once."),
    "completion": ("completion", "Print a completion script for bash, zsh or fish."),
    "converge": ("converge", "Bring hosts to what the cookbooks and the fleet say."),
    "destroy": ("destroy", "Destroy stacks, dependents first."),
    "graph": ("graph", "Draw the fleet: networks, gateways, groups, links."),
    "hosts": ("hosts", "List the hosts that exist."),
    "images": ("images", "See the baked images, choose which is in use, remove old ones."),
    "import": ("bring_in", "Take a resource that AWS has already into a stack's state."),
    "init": ("init", "Write a small fleet to start from."),
    "lab": ("lab", "Run the rehearsal cloud on this machine."),
    "output": ("output", "Print the outputs of applied stacks."),
    "plan": ("plan", "Show what an apply would change."),
    "render": ("render", "Write the Terraform roots without running Terraform."),
    "roll": ("roll", "Replace hosts that were launched from an older launch template."),
    "runs": ("runs", "List past runs, or show one with its logs."),
    "schema": ("schema", "Write the JSON schema of the fleet files, for editors."),
    "ssh": ("ssh", "Log in to a host, through its cluster's bastion where needed."),
    "status": (
        "status",
        "Show each stack: applied or not, who holds its lock, which hosts are old.",
    ),
    "unlock": ("unlock", "Release the lock of a stack's state."),
    "verify": ("verify", "Test hosts against what their roles say they must be."),
}

# What a command makes lives to its end, and its end comes soon: looking for garbage as often as a
# server must took a third of the time of a check of 1,000 clusters.
COLLECT_RARELY = (100_000, 50, 100)


class LazyGroup(click.Group):
    """A group that imports `orchestrate.cli.<module>` when a command is asked for by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"orchestrate.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{COMMANDS[cmd_name][0]}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            ctx.fail(_unknown(args[0]))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # click takes each for standard output's, and ends the program without a word.
            if streams.reader_is_gone():
                raise
            raise OrchestrateError(
                "what was talked to (a host, the lab, a program) has hung up", fix="run this again"
            ) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in sorted(COMMANDS)])


def _unknown(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(sorted(COMMANDS))}"
    return f"no command '{name}'; {hint}"


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="orchestrate")
@click.option(
    "--root",
    type=click.Path(file_okay=False),
    envvar="ORCHESTRATE_ROOT",
    help="The repository to act on; otherwise found upward from here.",
)
@click.pass_context
def cli(ctx: click.Context, root: str | None) -> None:
    """Infrastructure as code for a deep-learning lab.

    Start with `orchestrate lab up`, `orchestrate bootstrap`, `orchestrate apply CLUSTER`.
    """
    ctx.obj = root


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code; errors go to stderr, never as a traceback."""
    gc.set_threshold(*COLLECT_RARELY)
    streams.settle()
    code = _code(arguments)
    try:
        streams.flush()
    except OSError as error:
        # Nothing of it reached anybody, whatever came before.
        code = _lost_output(error)
    sys.exit(code)


def _code(arguments: Sequence[str] | None) -> int:
    """The exit code of the command, after complaining about what went wrong."""
    try:
        return _run(arguments)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as wrong:
        return _misused(wrong)
    except (KeyboardInterrupt, click.Abort, Interrupted) as stopped:
        return _complain(str(stopped) or "interrupted", Interrupted.exit_code)
    except SystemExit as ended:
        # click and rich end a program so whose output nobody reads; rich says it in the context.
        if streams.reader_is_gone() or isinstance(ended.__context__, BrokenPipeError):
            streams.give_up_output()
            return streams.READER_GONE
        raise
    except Exception as error:
        return _failed(error)


def _misused(wrong: click.ClickException) -> int:
    """Say what click says of a command line, which may quote anything."""
    said = io.StringIO()
    wrong.show(file=said)
    with suppress(OSError):
        click.echo(visible_lines(said.getvalue()), err=True, nl=False)
    return OrchestrateError.exit_code


def _failed(error: Exception) -> int:
    if isinstance(error, OSError):
        return _lost_output(error)
    told = error if isinstance(error, OrchestrateError) else _unforeseen(error)
    return _complain(str(told), told.exit_code)


def _run(arguments: Sequence[str] | None) -> int:
    result = cli.main(arguments, prog_name="orchestrate", standalone_mode=False)
    return result if isinstance(result, int) else 0


def _lost_output(error: OSError) -> int:
    """Complain about a file, a disk or a stream; in silence where `| head` has seen enough."""
    from orchestrate.cli import complaints

    gone = isinstance(error, BrokenPipeError) and streams.reader_is_gone()
    streams.give_up_output()
    if gone:
        return streams.READER_GONE
    return _complain(str(complaints.of_system(error)), OrchestrateError.exit_code)


def _unforeseen(error: Exception) -> OrchestrateError:
    from orchestrate.cli import complaints

    if isinstance(error, UnicodeError):
        return complaints.of_text(error)
    return complaints.of_bug(error)


def _complain(text: str, code: int) -> int:
    # Where even this cannot be said, the code still says it.
    with suppress(OSError):
        click.echo(f"orchestrate: {visible_lines(text)}", err=True)
    return code
