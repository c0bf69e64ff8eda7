"""Slots: what keeps the labs of one machine apart.

A slot gives a lab its public range and the prefix of its namespaces. It is taken by locks that
the kernel drops with the process, so a killed daemon never keeps one.

There are two, since labs meet in two ways. A file, for those that see the same folders; and a name
in the network, for those that see the same links and routes but other folders, as two chroots do.
"""

import contextlib
import errno
import fcntl
import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from orchestrate.errors import LabError
from orchestrate.lab.spec import SLOTS


def lock_folder() -> Path:
    """Where every user's labs meet: the system's lock folder, else the one for temporary files."""
    system = Path("/run/lock")
    return system if os.access(system, os.W_OK) else Path(tempfile.gettempdir())


@contextlib.contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold the lock of `path` while inside; False when somebody else does. Never waits.

    Where the folder is everybody's, something else may have been put there: a pipe, a link.
    """
    try:
        handle = _open(path)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EACCES, errno.ENXIO):
            raise
        yield False
        return
    try:
        yield _locked(handle)
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open(path: Path) -> int:
    # Not O_CREAT on an existing file: in a sticky folder the kernel refuses that for a file of
    # another user's (fs.protected_regular); flock needs no more than reading.
    # Nor waiting for whoever may write into a pipe.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        return os.open(path, flags | os.O_CREAT, 0o644)


def path(slot: int) -> Path:
    return lock_folder() / f"orchestrate-lab-{slot}.lock"


def network_name(slot: int) -> str:
    """A socket's name in no folder: every network namespace has its own (unix(7), abstract)."""
    return f"\0orchestrate-lab-{slot}"


@contextlib.contextmanager
def claimed(slot: int) -> Iterator[bool]:
    """Hold a slot while inside; False when another lab has it. Never waits."""
    with held(path(slot)) as mine:
        # Who hasn't the file leaves the name alone: its owner may be about to take it.
        if not mine:
            yield False
            return
        with _named(network_name(slot)) as alone:
            yield alone


@contextlib.contextmanager
def _named(name: str) -> Iterator[bool]:
    """Hold the name of a socket while inside; False when somebody else does."""
    if sys.platform != "linux":
        yield True
        return
    with socket.socket(socket.AF_UNIX) as holder:
        try:
            holder.bind(name)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            yield False
            return
        yield True


@contextlib.contextmanager
def take(preferred: int | None = None) -> Iterator[int]:
    """Hold the first free slot while inside, `preferred` before all others.

    Raises LabError when every slot is taken.
    """
    order = sorted(range(SLOTS), key=lambda slot: slot != preferred)
    for slot in order:
        with claimed(slot) as mine:
            if mine:
                yield slot
                return
    raise LabError(
        f"all {SLOTS} lab slots of this machine are taken",
        where=str(lock_folder()),
        fix="take one lab down: `orchestrate lab down` with its ORCHESTRATE_LAB_DIR",
    )
