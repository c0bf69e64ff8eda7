"""Files that keep a record for good (the ledger, the catalogue): one writer at a time, and a reader
or a crash sees the old file or the new one, never half of one.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

from filelock import FileLock, Timeout

from orchestrate.errors import InvalidInput, OrchestrateError
from orchestrate.findings import Finding, Place

PATIENCE_S = 60.0  # a writer holds the lock for well under a second


def read(path: Path) -> str | None:
    """The whole text; None where there is no file yet. What is no UTF-8 the grammar refuses.

    Raises InvalidInput for what cannot be read: a folder, a file of somebody else.
    """
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        what = f"can't be read: {(error.strerror or str(error)).lower()}"
        fix = "make it a file that you may read; `git checkout` brings it back"
        raise InvalidInput([Finding(Place(called(path)), what, fix)]) from error


def called(path: Path) -> str:
    """What findings call a record: `fleet/addresses.lock.yaml`."""
    return f"{path.parent.name}/{path.name}"


@contextmanager
def writing(path: Path, what: str) -> Iterator[None]:
    """Hold the writers' lock of a record, `what` by name; its file stays in `.orchestrate/`.

    Raises OrchestrateError where another writer keeps the lock, and for an OSError inside.
    """
    try:
        lock = _lock(path)
        lock.parent.mkdir(exist_ok=True)
        with FileLock(lock, timeout=PATIENCE_S):
            yield
    except Timeout as held:
        raise OrchestrateError(
            f"another orchestrate has been writing it for {PATIENCE_S:.0f} seconds",
            where=str(path),
            fix="wait for it to end; the lock goes with its process",
        ) from held
    except OSError as error:
        raise OrchestrateError(
            f"cannot write the {what}: {error.strerror}",
            where=str(error.filename or path),
            fix=f"the {what} is as it was; make room or give access, and run this again",
        ) from error


def replace(path: Path, text: str) -> None:
    """Write the whole file anew; raises OSError, and leaves it as it was then."""
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


def _lock(path: Path) -> Path:
    """`.orchestrate/x.lock` of `fleet/x`, `.orchestrate/lab-x.lock` of `.orchestrate/lab/x`."""
    folder = path.resolve().parent
    if folder.parent.name == ".orchestrate":
        return folder.parent / f"{folder.name}-{path.name}.lock"
    return folder.parent / ".orchestrate" / f"{path.name}.lock"
