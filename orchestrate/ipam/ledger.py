"""The ledger file: read whole, written whole, by one writer at a time.

The decisions are in `allocate`, the text in `grammar`; here are only the file and its lock.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from ipaddress import IPv4Network
from pathlib import Path
from tempfile import NamedTemporaryFile

from filelock import FileLock, Timeout

from orchestrate.errors import OrchestrateError
from orchestrate.fleet.models import Fleet
from orchestrate.fleet.ranges import wanted
from orchestrate.ipam import grammar
from orchestrate.ipam.allocate import allocate
from orchestrate.ipam.records import Ledger

NAME = "addresses.lock.yaml"
PATIENCE = 60.0  # seconds; a writer holds the lock for well under one


@dataclass(frozen=True)
class Difference:
    """What the ledger says, and what it would say once everything wanted has its range."""

    before: Ledger
    after: Ledger

    @cached_property
    def added(self) -> dict[str, IPv4Network]:
        """Ranges the ledger lacks: wanted, and not given yet."""
        given = self.before.given
        return {key: r for key, r in self.after.allocations.items() if key not in given}

    @cached_property
    def released(self) -> dict[str, IPv4Network]:
        """Ranges nobody wants any more."""
        given = self.after.given
        return {key: r for key, r in self.before.allocations.items() if key not in given}

    @cached_property
    def rested(self) -> dict[str, IPv4Network]:
        """Ranges whose quarantine is over: nobody has them, anybody may."""
        still = {rest.range for rest in self.after.resting} | set(self.after.allocations.values())
        rests = ((rest.was.key, rest.range) for rest in self.before.resting)
        return {key: range_ for key, range_ in rests if range_ not in still}


def read(path: Path) -> Ledger:
    """The ledger as it stands; an empty one where there is no file yet.

    Raises InvalidInput with every finding of a corrupt file.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return Ledger()
    return grammar.parse(text, f"{path.parent.name}/{path.name}")


def preview(path: Path, fleet: Fleet, today: date) -> Difference:
    """What `write` would do; writes nothing. For plan, render and check.

    Raises InvalidInput for a corrupt file, or a fleet that cannot get what it wants.
    """
    before = read(path)
    return Difference(before, allocate(fleet.file.addresses, before, wanted(fleet), today))


def write(path: Path, fleet: Fleet, today: date) -> Difference:
    """Give the fleet the ranges it lacks, and write the ledger if that changes it.

    Safe beside other writers: from reading to writing the lock is held. Raises as `preview`
    does, and OrchestrateError where the file cannot be written or another writer keeps the lock.
    """
    try:
        with alone(path):
            difference = preview(path, fleet, today)
            if difference.after != difference.before or not path.exists():
                _replace(path, grammar.write(difference.after))
    except OSError as error:
        raise OrchestrateError(
            f"cannot write the ledger: {error.strerror}",
            where=str(error.filename or path),
            fix="the ledger is as it was; make room or give access, and run this again",
        ) from error
    return difference


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the writers' lock. Its file stays in `.orchestrate/`, which git ignores."""
    lock = path.resolve().parent.parent / ".orchestrate" / f"{path.name}.lock"
    lock.parent.mkdir(exist_ok=True)
    try:
        with FileLock(lock, timeout=PATIENCE):
            yield
    except Timeout as held:
        raise OrchestrateError(
            f"another orchestrate has been writing it for {PATIENCE:.0f} seconds",
            where=str(path),
            fix="wait for it to end; the lock goes with its process",
        ) from held


def _replace(path: Path, text: str) -> None:
    """Write so that a reader, or a crash, sees the old file or the new one, never half of one."""
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
