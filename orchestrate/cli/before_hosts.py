"""What is said and checked before anything is done to hosts; brings no SSH along."""

import getpass
import os
import socket
from pathlib import Path

import click

from orchestrate.chef.check import refuse_broken


def check_cookbooks(root: Path) -> None:
    """Raise InvalidInput for what is wrong in chef/, before anything is started; say what could not
    be checked here.
    """
    for warning in refuse_broken(root):
        click.echo(f"note: {warning.what}; hosts will ({warning.fix})", err=True)


def who() -> str:
    """Whose run this is, for somebody on a host who finds it busy."""
    return f"{getpass.getuser()} on {socket.gethostname()}, process {os.getpid()}"
