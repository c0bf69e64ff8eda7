"""Where commands print: stdout for results, stderr for progress. Pipes get unwrapped text."""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from orchestrate.plain_text import visible_lines

if TYPE_CHECKING:
    from rich.console import Console

# Wide enough for a Terraform address in a table; a terminal's own width counts where there is one.
PIPE_WIDTH = 160


def console() -> "Console":
    """A rich console on stdout."""
    from orchestrate.cli.terminal import Terminal

    return Terminal(width=None if sys.stdout.isatty() else PIPE_WIDTH)


def echo(text: str, *, err: bool = False) -> None:
    """Print lines that hold what others wrote, with what can't be seen spelled out."""
    click.echo(visible_lines(text), err=err)


def named(names: Sequence[str], most: int = 6) -> str:
    """Some of them by name, the others by number."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def print_json(value: object) -> None:
    """One JSON document on stdout, for programs."""
    click.echo(json.dumps(value, indent=2, default=str))
