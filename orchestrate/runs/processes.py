"""Whether a process that a journal names is still the one that runs."""

import os
import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrate import shell

PROC = Path("/proc")


@dataclass(frozen=True)
class Process:
    """A process, told apart from a later one with the same number by when it was `born`."""

    host: str
    pid: int
    born: str

    def __str__(self) -> str:
        return f"{self.pid} on {self.host}"


def this() -> Process:
    return identify(os.getpid())


def identify(pid: int) -> Process:
    """A process of this machine; its `born` is "" if it is already gone."""
    return Process(socket.gethostname(), pid, _born(pid))


def alive(process: Process) -> bool:
    """Whether it still runs. True as well when that can't be told: it is on another host."""
    if process.host != socket.gethostname():
        return True
    return bool(process.born) and _born(process.pid) == process.born


def _born(pid: int) -> str:
    if not PROC.is_dir():
        return shell.run(["ps", "-o", "lstart=", "-p", str(pid)], check=False).stdout.strip()
    try:
        # The name, in brackets, may hold blanks and brackets; state and start time come after it.
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    state, ticks_since_boot = fields[0], fields[19]
    return "" if state in "ZX" else f"{_boot()}:{ticks_since_boot}"


@cache
def _boot() -> str:
    return (PROC / "sys/kernel/random/boot_id").read_text().strip()
