"""Network namespaces by name: make them, look into them, remove them. Knows no lab.

All through iproute2, in batches: one process for all that one namespace is told.
"""

import ctypes
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from orchestrate import shell

FOLDER = Path("/run/netns")
PACKAGES = "apt-get install iproute2 nftables"
CLONE_NEWNET = 0x40000000  # <sched.h>

Made = TypeVar("Made")


def ip(lines: Sequence[str], namespace: str = "") -> None:
    """Tell `ip` all `lines` in a namespace ("" is the main one). Raises CommandFailed."""
    if lines:
        where = ["-n", namespace] if namespace else []
        text = "".join(f"{line}\n" for line in lines)
        shell.run(["ip", *where, "-batch", "-"], stdin=text, get_it=PACKAGES)


def nft(ruleset: str, namespace: str) -> None:
    """Load rules in a namespace, all or none. Raises CommandFailed."""
    argv = ["ip", "netns", "exec", namespace, "nft", "-f", "-"]
    shell.run(argv, stdin=ruleset, get_it=PACKAGES)


def sysctl(settings: Sequence[str], namespace: str) -> None:
    """Set `name=value` kernel parameters of a namespace. Raises CommandFailed."""
    argv = ["ip", "netns", "exec", namespace, "sysctl", "-qw", *settings]
    shell.run(argv, get_it="apt-get install procps")


def named(prefix: str) -> list[str]:
    """The namespaces whose names begin so."""
    if not FOLDER.is_dir():
        return []
    return sorted(path.name for path in FOLDER.iterdir() if path.name.startswith(prefix))


def links(prefix: str) -> list[str]:
    """The main namespace's links whose names begin so."""
    folder = Path("/sys/class/net")
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(prefix))


def remove(names: Sequence[str]) -> None:
    """Remove namespaces with all links in them; missing ones are no matter."""
    lines = [f"netns delete {name}" for name in names if (FOLDER / name).exists()]
    ip(lines)


def close_folder() -> None:
    """Undo what iproute2 does for a machine's first namespace, if the last one is gone.

    It mounts the folder of names on itself, and never takes that back. (Such a mount looks like
    none to stat, so this just tries.)
    """
    if FOLDER.is_dir() and not any(FOLDER.iterdir()):
        shell.run(["umount", str(FOLDER)], check=False)


def remove_link(name: str, namespace: str = "") -> None:
    """Remove a link and its other end; a missing one is no matter."""
    if not namespace or (FOLDER / namespace).exists():
        where = ["-n", namespace] if namespace else []
        shell.run(["ip", *where, "link", "delete", name], check=False, get_it=PACKAGES)


def remove_rule(selector: str, namespace: str) -> None:
    """Remove a routing rule, named by what it selects; a missing one is no matter."""
    if (FOLDER / namespace).exists():
        shell.run(["ip", "-n", namespace, "rule", "delete", *selector.split()], check=False)


def within(namespace: str, make: Callable[[], Made]) -> Made:
    """What `make` makes in a namespace, such as a socket, which stays there for good.

    In a thread that ends afterwards: a network namespace is each thread's own. Raises OSError.
    """

    def enter_and_make() -> Made:
        _enter(namespace)
        return make()

    with ThreadPoolExecutor(1, "within") as visitor:
        return visitor.submit(enter_and_make).result()


def _enter(namespace: str) -> None:
    # os.setns comes with Python 3.12.
    libc = ctypes.CDLL(None, use_errno=True)
    door = os.open(FOLDER / namespace, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if libc.setns(door, CLONE_NEWNET):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(FOLDER / namespace))
    finally:
        os.close(door)
