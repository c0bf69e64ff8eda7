"""The shell scripts that are run on hosts, and the command lines that run them.

They are sent along with the command, so nothing has to be there before the first converge.
"""

import shlex
from functools import cache
from pathlib import Path

from orchestrate.hosts.inventory import Host


def as_root(host: Host, script: str, *arguments: str) -> str:
    """The command line that runs `NAME.sh` of this folder as root, without asking anything."""
    words = ["sh", "-c", _text(script), script, *arguments]
    return shlex.join(words if host.user == "root" else ["sudo", "-n", *words])


def as_login(script: str, *arguments: str) -> str:
    """The command line that runs `NAME.sh` of this folder as whoever logs in."""
    return shlex.join(["sh", "-c", _text(script), script, *arguments])


@cache
def _text(name: str) -> str:
    return Path(__file__).with_name(f"{name}.sh").read_text(encoding="utf-8")
