"""Writes what a run does, as it does it: `.orchestrate/runs/<id>/journal.jsonl`.

One JSON object a line, only ever appended, each line in one write: whatever kills the process, all
it got to is there, and at most the last line is torn. `history` reads it.
"""

import json
import os
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from orchestrate import clock
from orchestrate.runs import processes

FILE = "journal.jsonl"


class State(StrEnum):
    """Where a stack, or in a run over hosts a host, stands within a run."""

    PLANNING = "planning"
    PLANNED = "planned"
    APPLYING = "applying"
    APPLIED = "applied"
    BAKING = "baking"
    BAKED = "baked"
    CONVERGING = "converging"
    CONVERGED = "converged"
    UNREACHABLE = "unreachable"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    SKIPPED = "skipped"


def run_id(now: datetime, tail: str) -> str:
    """A name that sorts by time: `20261129-221504-3fa1`. Pure; `tail` is 4 hex digits."""
    return f"{now:%Y%m%d-%H%M%S}-{tail}"


class Journal:
    """The journal of the run that is going on. Safe between threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plans = folder / "plans"
        self.logs = folder / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        # Plan files hold sensitive values as they are (S9).
        self.plans.mkdir(mode=0o700, exist_ok=True)
        self.logs.mkdir(exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._descriptor = os.open(folder / FILE, flags, 0o644)

    @property
    def id(self) -> str:
        return self.folder.name

    def log(self, stack: str) -> Path:
        return self.logs / f"{stack}.log"

    def plan(self, stack: str) -> Path:
        return self.plans / f"{stack}.tfplan"

    def stack(self, stack: str, state: State, **details: str | float | Sequence[str]) -> None:
        """A stack has come to `state`; `details` for people: error, because, seconds, ..."""
        self._write("stack", stack=stack, state=state, **details)

    def child(self, stack: str, pid: int | None) -> None:
        """A terraform is about to start for a stack (None), then: it has this `pid`.

        It may outlive us; who resumes must know it, or know that it isn't known.
        """
        process = None if pid is None else asdict(processes.identify(pid))
        self._write("child", stack=stack, process=process)

    def surge(self, group: str, wanted: int, extra: int) -> None:
        """A node group that is to have `wanted` hosts is, for a roll, `extra` larger; 0: no more.

        Written before the group grows, so that whoever comes after a kill can give it back.
        """
        self._write("surge", stack=group, wanted=wanted, extra=extra)

    def end(self, exit_code: int, cause: str = "") -> None:
        """The run has ended by itself; nothing is written after this.

        `cause` is the error that ended it as a whole, where it wasn't that of a stack.
        """
        self._write("ended", exit_code=exit_code, **({"cause": cause} if cause else {}))
        os.close(self._descriptor)

    def _write(self, event: str, **fields: object) -> None:
        record = {"at": clock.now().isoformat(), "event": event, **fields}
        os.write(self._descriptor, json.dumps(record).encode() + b"\n")


def begin(
    runs: Path,
    *,
    command: str,
    argv: Sequence[str],
    target: str,
    stacks: Iterable[str],
    cloud: str = "",
    partial: Iterable[str] = (),
) -> Journal:
    """Start a run's folder below `runs` (plans, logs, journal) and write who, what and where.

    `command` is `plan`, `apply`, …, `argv` the whole command line, for people. In a run over hosts
    these stand where others have stacks. `cloud` is the target's; `partial` are stacks that a
    destroy takes something from on the way: no target of it, so nothing to name when it is resumed.
    """
    journal = Journal(runs / run_id(clock.now(), secrets.token_hex(2)))
    journal._write(
        "started",
        command=command,
        argv=list(argv),
        target=target,
        cloud=cloud,
        stacks=sorted(stacks),
        partial=sorted(partial),
        owner=asdict(processes.this()),
    )
    return journal
