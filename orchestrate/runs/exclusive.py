"""One run at a time on a checkout and target; a second refuses and names the first."""

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from orchestrate.errors import OrchestrateError


class RunInProgress(OrchestrateError):
    """Another run is going on in this checkout, on the same target."""


@contextmanager
def exclusive(work_folder: Path, target: str, argv: Sequence[str]) -> Iterator[None]:
    """Hold the run lock of a target for this block; raises RunInProgress when another holds it.

    The kernel releases it when this process ends, however it ends. Children don't inherit it.
    """
    work_folder.mkdir(parents=True, exist_ok=True)
    file = work_folder / f"{target}.lock"
    # Not truncated on opening: while it is held, it says by whom.
    with os.fdopen(os.open(file, os.O_RDWR | os.O_CREAT, 0o644), "r+", encoding="utf-8") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _refusal(file, held.read()) from None
        held.truncate()
        json.dump({"pid": os.getpid(), "argv": list(argv)}, held)
        held.flush()
        yield


def _refusal(file: Path, owner: str) -> RunInProgress:
    try:
        told = json.loads(owner)
        who = f"process {told['pid']}: {' '.join(told['argv'])}"
    except (ValueError, KeyError, TypeError):
        who = "it has not yet said which"
    return RunInProgress(
        f"another run is going on here ({who})",
        where=str(file),
        fix="wait for it, or stop it with Ctrl-C where it runs",
    )
