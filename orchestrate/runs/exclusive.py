"""One run at a time on a stack: a second one on it refuses, and names the first.

A run holds what it works on, not the checkout: one cluster may be planned while another converges.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from orchestrate.errors import OrchestrateError


class RunInProgress(OrchestrateError):
    """Another run is going on in this checkout, on the same stacks of the same target."""


class Held:
    """The run locks of some stacks, clusters or sites."""

    def __init__(self, files: Mapping[str, IO[str]]) -> None:
        self._files = dict(files)

    def release(self, names: Iterable[str]) -> None:
        """Let others have these, which this run is through with."""
        for name in names:
            file = self._files.pop(name, None)
            if file:
                file.close()


@contextmanager
def exclusive(
    work_folder: Path, target: str, names: Iterable[str], argv: Sequence[str]
) -> Iterator[Held]:
    """Hold the run locks of stacks (or clusters, sites, "images") of a target for this block.

    Raises RunInProgress with every one that another run holds, and takes none then. The kernel
    releases them when this process ends, however it ends. Children don't inherit them.
    """
    folder = work_folder / "locks" / target
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as opened:
        # Not truncated on opening: while one is held, it says by whom.
        files = {name: opened.enter_context(_open(folder / f"{name}.lock")) for name in names}
        others = {name: file.read() for name, file in files.items() if not _lock(file)}
        if others:
            raise _refusal(folder, others)
        for file in files.values():
            file.truncate(0)
            json.dump({"pid": os.getpid(), "argv": list(argv)}, file)
            file.flush()
        yield Held(files)


def _open(file: Path) -> IO[str]:
    return os.fdopen(os.open(file, os.O_RDWR | os.O_CREAT, 0o644), "r+", encoding="utf-8")


def _lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _refusal(folder: Path, others: Mapping[str, str]) -> RunInProgress:
    """`others` is what the locks say of who holds them, by name."""
    by_owner: dict[str, list[str]] = {}
    for name, said in sorted(others.items()):
        by_owner.setdefault(_owner(said), []).append(name)
    lines = [f"{', '.join(names)}: {owner}" for owner, names in by_owner.items()]
    return RunInProgress(
        "another run is at work on\n  " + "\n  ".join(lines),
        where=str(folder),
        fix="wait for it, or stop it with Ctrl-C where it runs; other stacks are free",
    )


def _owner(said: str) -> str:
    try:
        told = json.loads(said)
        return f"process {told['pid']}: {' '.join(told['argv'])}"
    except (ValueError, KeyError, TypeError):
        return "it has not yet said which"
