"""`orchestrate completion`: the script that makes a shell complete this command."""

import sys

import click
from click.shell_completion import get_completion_class

INSTALL = {
    "bash": "orchestrate completion bash > ~/.local/share/bash-completion/completions/orchestrate",
    "zsh": "orchestrate completion zsh > ~/.zfunc/_orchestrate  (with ~/.zfunc in fpath)",
    "fish": "orchestrate completion fish > ~/.config/fish/completions/orchestrate.fish",
}


@click.command(name="completion")
@click.argument("shell", type=click.Choice(sorted(INSTALL)))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print a completion script for bash, zsh or fish.

    \b
    Once, for good:
      bash  orchestrate completion bash > ~/.local/share/bash-completion/completions/orchestrate
      zsh   orchestrate completion zsh > ~/.zfunc/_orchestrate   (with ~/.zfunc in fpath)
      fish  orchestrate completion fish > ~/.config/fish/completions/orchestrate.fish
    For this shell only:
      source <(orchestrate completion bash)
    """
    script = get_completion_class(shell)
    assert script is not None
    root = ctx.find_root()
    click.echo(script(root.command, {}, "orchestrate", "_ORCHESTRATE_COMPLETE").source())
    if sys.stdout.isatty():
        click.echo(f"To install it: {INSTALL[shell]}", err=True)
