"""Reads the journals of past runs."""

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from orchestrate.errors import OrchestrateError
from orchestrate.runs.journal import FILE, State
from orchestrate.runs.processes import Process
from orchestrate.target import Target


@dataclass(frozen=True)
class StackRecord:
    """The last that a journal says of a stack. `state` is None until its turn came.

    `details` are what `Journal.stack` was given; `child` is its last terraform, started at
    `child_since` (RFC 3339); None if we were killed before its number was written down. For the
    group of a roll, `extra` is how much larger it was made than the `wanted` hosts, and still is.
    `applying` is whether the run came so far as to change it.
    """

    state: State | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    child: Process | None = None
    child_since: str = ""
    wanted: int = 0
    extra: int = 0
    applying: bool = False


@dataclass(frozen=True)
class Run:
    """A past run, or one that is going on. `exit_code` is None unless it ended by itself; `cause`
    is the error that ended all of it, "" where each stack has its own; `cloud` is the target's.
    """

    id: str
    command: str
    argv: tuple[str, ...]
    target: str
    owner: Process
    started: str
    stacks: Mapping[str, StackRecord]
    partial: frozenset[str] = frozenset()
    ended: str = ""
    exit_code: int | None = None
    cause: str = ""
    cloud: str = ""

    @property
    def refused(self) -> bool:
        """Whether it ended as a whole, by an error or an answer, before it touched anything."""
        return bool(self.cause) and not any(one.applying for one in self.stacks.values())

    def among(self, *states: State | None) -> tuple[str, ...]:
        """The stacks that are in one of `states`, sorted."""
        return tuple(
            sorted(stack for stack, record in self.stacks.items() if record.state in states)
        )


def parse(run_id: str, lines: Iterable[str]) -> Run | None:
    """A journal's lines as a run; None when not even its first line is whole. Pure.

    A torn line (the last, after a kill or a full disk) and an unknown event are passed over.
    """
    run = None
    for line in lines:
        try:
            told = json.loads(line)
            run = _follow(run, told) if run else _begin(run_id, told)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    return run


def past_runs(runs: Path) -> list[Run]:
    """All runs below the folder `runs`, the oldest first."""
    found = (_read(folder) for folder in sorted(runs.glob("*/")))
    return [run for run in found if run]


def newest_first(runs: Path, target: Target, *commands: str) -> Iterator[Run]:
    """The runs of these commands on a target as it is now: not those on a lab that went away."""
    for folder in sorted(runs.glob("*/"), reverse=True):
        run = _read(folder)
        here = run and (run.target, run.cloud) == (target.name, target.cloud)
        if run and here and run.command in commands:
            yield run


def last_run(runs: Path, target: Target) -> Run | None:
    """The last apply or destroy on a target that wasn't refused before it touched anything."""
    changing = newest_first(runs, target, "apply", "destroy")
    return next((run for run in changing if not run.refused), None)


def last_roll(runs: Path, target: Target, group: str) -> Run | None:
    """The last roll of a node group on a target."""
    rolls = newest_first(runs, target, "roll")
    return next((run for run in rolls if group in run.stacks), None)


def find(runs: Path, name: str) -> Run:
    """The run with this id, or whose id alone begins or ends so; raises with the nearest ids."""
    names = [folder.name for folder in sorted(runs.glob("*/"))]
    fits = [each for each in names if name and (each.startswith(name) or each.endswith(name))]
    run = _read(runs / fits[0]) if len(fits) == 1 else None
    if run:
        return run
    near = fits or difflib.get_close_matches(name, names, cutoff=0.4) or names[-3:]
    step = f"there are: {', '.join(near)}" if near else "there are no runs yet"
    raise OrchestrateError(f"no run '{name}'", where=str(runs), fix=step)


def _read(folder: Path) -> Run | None:
    try:
        with (folder / FILE).open(encoding="utf-8", errors="replace") as lines:
            return parse(folder.name, lines)
    except OSError:
        # Of a journal that cannot be read as of one that is not there: other runs go on.
        return None


def _begin(run_id: str, told: Mapping[str, Any]) -> Run | None:
    if told["event"] != "started":
        return None
    return Run(
        id=run_id,
        command=told["command"],
        argv=tuple(told["argv"]),
        target=told["target"],
        owner=Process(**told["owner"]),
        started=told["at"],
        cloud=str(told.get("cloud", "")),
        stacks=dict.fromkeys(told["stacks"], StackRecord()),
        partial=frozenset(told.get("partial", ())),
    )


def _follow(run: Run, told: Mapping[str, Any]) -> Run:
    match told["event"]:
        case "stack":
            details = {k: v for k, v in told.items() if k not in ("at", "event", "stack", "state")}
            state, before = State(told["state"]), run.stacks.get(told["stack"], StackRecord())
            applying = before.applying or state is State.APPLYING
            return _with(run, told["stack"], state=state, details=details, applying=applying)
        case "child":
            child = Process(**told["process"]) if told["process"] else None
            return _with(run, told["stack"], child=child, child_since=told["at"])
        case "surge":
            return _with(run, told["stack"], wanted=int(told["wanted"]), extra=int(told["extra"]))
        case "ended":
            code, cause = int(told["exit_code"]), str(told.get("cause", ""))
            return replace(run, ended=told["at"], exit_code=code, cause=cause)
    return run


def _with(run: Run, stack: str, **fields: Any) -> Run:
    record = replace(run.stacks.get(stack, StackRecord()), **fields)
    return replace(run, stacks={**run.stacks, stack: record})
