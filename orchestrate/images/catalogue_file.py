"""The catalogue on disk: read whole, changed by one writer at a time.

What is baked for AWS is committed. The AMIs of a lab are one machine's, and so is their catalogue.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

from filelock import FileLock, Timeout

from orchestrate.errors import OrchestrateError
from orchestrate.images import grammar
from orchestrate.images.catalogue import Catalogue

NAME = "images.lock.yaml"
PATIENCE_S = 60.0  # a writer holds the lock for well under a second


def path_of(root: Path, target: str) -> Path:
    """Where a repository keeps the catalogue of a target, `lab` or `aws`."""
    return root / ("fleet" if target == "aws" else f".orchestrate/{target}") / NAME


def read(path: Path) -> Catalogue:
    """The catalogue as it stands; an empty one where there is no file yet.

    Raises InvalidInput with every finding of a corrupt file.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return Catalogue()
    return grammar.parse(text, f"{path.parent.name}/{path.name}")


def update(path: Path, change: Callable[[Catalogue], Catalogue]) -> Catalogue:
    """Change the catalogue, and write it if that makes a difference; returns what it is now.

    From reading to writing the lock is held, so `change` must be quick. Raises as `read` and
    `change` do, and OrchestrateError where the file cannot be written.
    """
    try:
        with _alone(path):
            before = read(path)
            after = change(before)
            if after != before:
                _replace(path, grammar.write(after))
            return after
    except OSError as error:
        raise OrchestrateError(
            f"cannot write the catalogue: {error.strerror}",
            where=str(error.filename or path),
            fix="the catalogue is as it was; make room or give access, and run this again",
        ) from error


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the writers' lock. Its file stays in `.orchestrate/`, which git ignores."""
    folder = path.resolve().parents[1]
    folder = folder if folder.name == ".orchestrate" else folder / ".orchestrate"
    folder.mkdir(exist_ok=True)
    try:
        with FileLock(folder / f"{path.parent.name}-{path.name}.lock", timeout=PATIENCE_S):
            yield
    except Timeout as held:
        raise OrchestrateError(
            f"another orchestrate has been writing it for {PATIENCE_S:.0f} seconds",
            where=str(path),
            fix="wait for it to end; the lock goes with its process",
        ) from held


def _replace(path: Path, text: str) -> None:
    """Write so that a reader, or a crash, sees the old file or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as new:
        half = Path(new.name)
        try:
            new.write(text)
            new.flush()
            os.fsync(new.fileno())
            half.chmod(0o644)
            half.replace(path)
        except BaseException:
            half.unlink(missing_ok=True)
            raise
