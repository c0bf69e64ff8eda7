"""The control groups of the lab's hosts: one per host in every hierarchy the machine has.

A host's processes are counted, limited and found by them; whatever sits in a lab's groups is the
lab's, so a sweep may end it. Works on cgroup v1, v2 and the mixture of both.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrate.errors import LabError

MOUNT = Path("/sys/fs/cgroup")
FOLDER = "orchestrate-lab"
PATIENCE_S = 10.0
# See "Delegation" in the kernel's cgroup-v2.rst; `tasks` is v1's.
DELEGATED = ("cgroup.procs", "cgroup.threads", "cgroup.subtree_control", "tasks")


def parents(self_cgroup: str, mount: Path = MOUNT) -> list[Path]:
    """Where hosts' groups belong, from the text of /proc/self/cgroup.

    v1: below the caller's own group, so that its limits count for the hosts too. v2: below the
    root, since a group with processes of its own (the caller's) can't hand on its controllers.
    """
    if (mount / "cgroup.controllers").exists():
        return [mount]
    found = []
    for line in self_cgroup.splitlines():
        _, controllers, path = line.split(":", 2)
        hierarchy = mount / (controllers.removeprefix("name=") or "unified")
        if hierarchy.is_dir():
            own = hierarchy / path.lstrip("/") if controllers else hierarchy
            found.append(own if own.is_dir() else hierarchy)
    return found


def create(lab: str, host: str, root: int) -> list[Path]:
    """Make a host's groups, e.g. for ("ol0-", "i-0123"); answers with their folders.

    `root`, a user, may make groups below them and move processes there, and lift no limit of them.
    """
    groups = []
    for parent in parents(Path("/proc/self/cgroup").read_text()):
        group = parent
        for name in (FOLDER, lab, host):
            group = group / name
            group.mkdir(exist_ok=True)
            _inherit_cpuset(group)
        for given in (group, *(group / name for name in DELEGATED)):
            if given.exists():
                os.chown(given, root, root)
        groups.append(group)
    return groups


def of_lab(lab: str, mount: Path = MOUNT) -> list[Path]:
    """Every group of a lab, wherever the daemon that made it was at home."""
    return [group for folder in _lab_folders(mount) if (group := folder / lab).is_dir()]


def freeze(groups: list[Path], frozen: bool) -> None:
    """Stop every process in these groups where it is, or let all go on. Fine when they are gone."""
    words = {"freezer.state": ("THAWED", "FROZEN"), "cgroup.freeze": ("0", "1")}
    for group in groups:
        for name, states in words.items():
            if (group / name).exists():
                (group / name).write_text(states[frozen])


@contextmanager
def frozen(groups: list[Path]) -> Iterator[None]:
    """Every process in these groups stands still while inside. Raises LabError if one does not.

    Groups that were frozen before stay so.
    """
    if not groups or _frozen(groups):
        yield
        return
    try:
        freeze(groups, frozen=True)
        deadline = time.monotonic() + PATIENCE_S
        while not _frozen(groups):
            if time.monotonic() > deadline:
                raise LabError("the processes do not stand still", where=str(groups[0]))
            time.sleep(0.005)
        yield
    finally:
        freeze(groups, frozen=False)


def kill(groups: list[Path]) -> None:
    """End every process in these groups and below, however deep. Raises LabError if one stays."""
    # To a frozen process not even SIGKILL comes through, in cgroup v1.
    freeze([Path(where) for group in groups for where, _, _ in os.walk(group)], frozen=False)
    deadline = time.monotonic() + PATIENCE_S
    while found := _processes(groups):
        for pid in found:
            _kill(pid)
        if time.monotonic() > deadline:
            raise LabError(f"processes {sorted(found)} do not end", where=str(groups[0]))
        time.sleep(0.02)


def remove(groups: list[Path]) -> None:
    """Remove empty groups with all below them. Raises LabError if one stays."""
    deadline = time.monotonic() + PATIENCE_S
    for group in groups:
        # A group stays busy for a moment after its last process.
        while group.is_dir() and not _removed(group):
            if time.monotonic() > deadline:
                raise LabError("a control group does not go away", where=str(group))
            time.sleep(0.02)


def remove_lab(lab: str) -> None:
    """Remove a lab's groups, and the folder of all labs if this was the last."""
    groups = of_lab(lab)
    remove(groups)
    for folder in {group.parent for group in groups}:
        if not any(child.is_dir() for child in folder.iterdir()):
            _removed(folder)


def _frozen(groups: list[Path]) -> bool:
    """By cgroup v1, which freezes in both where a machine has both; else by v2."""
    states = {"freezer.state": "FROZEN", "cgroup.events": "frozen 1"}
    for name, word in states.items():
        if files := [group / name for group in groups if (group / name).exists()]:
            return all(word in file.read_text().splitlines() for file in files)
    return False


def _lab_folders(mount: Path) -> Iterator[Path]:
    for where, names, _ in os.walk(mount):
        if FOLDER in names:
            yield Path(where) / FOLDER
            names.remove(FOLDER)


def _processes(groups: list[Path]) -> set[int]:
    found: set[int] = set()
    for group in groups:
        for where, _, files in os.walk(group):
            if "cgroup.procs" in files:
                found.update(_members(Path(where) / "cgroup.procs"))
    return found


def _members(procs: Path) -> list[int]:
    try:
        found = [int(pid) for pid in procs.read_text().split()]
    except OSError:  # removed since, or a threaded group
        return []
    # 0 stands for a process of another pid namespace, and to `kill` for our own group.
    return [pid for pid in found if pid]


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _removed(group: Path) -> bool:
    try:
        for where, _, _ in os.walk(group, topdown=False):
            Path(where).rmdir()
    except OSError:
        return False
    return True


def _inherit_cpuset(group: Path) -> None:
    # v1: a new cpuset has no processor and no memory, and takes no process.
    for name in ("cpuset.cpus", "cpuset.mems"):
        own, above = group / name, group.parent / name
        if own.exists() and above.exists() and not (group / "cgroup.controllers").exists():
            own.write_text(above.read_text())
