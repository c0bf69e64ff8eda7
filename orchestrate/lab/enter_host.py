"""A program: makes a host's root out of its layers, as its user namespace sees it, and goes on as
the command that boots it. Python's own library alone, and started without any other.

    enter_host.py FIRST_ID ROOT OWN LAYER... -- CONTROL_GROUP... -- COMMAND...

Files on disk belong to users 0 to 65535. The host's processes are users FIRST_ID and up, so each
layer is mounted with its owners moved (an idmapped mount, mount_setattr(2)), and overlayfs on top
of these: nothing is copied, nothing changes its owner. OWN has the host's own `disk` and `work`.
All of it is mounted in a namespace of this process's own and vanishes with it.
"""
# pathlib takes as long to load as all the rest.
# ruff: noqa: PTH102, PTH123

import contextlib
import ctypes
import os
import resource
import sys
from collections.abc import Callable

IDS = 65536
MOST_FILES = 1048576  # what kernels allow a process, unless told otherwise
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000  # <sched.h>
MS_REC, MS_SLAVE = 0x4000, 0x80000  # <sys/mount.h>
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442  # the same on every architecture
OPEN_TREE_CLONE, MOVE_MOUNT_F_EMPTY_PATH, MOUNT_ATTR_IDMAP = 1, 4, 0x100000  # <linux/mount.h>
AT_FDCWD, AT_EMPTY_PATH = -100, 0x1000  # <fcntl.h>
PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP = 28, 4  # <linux/prctl.h>, <linux/securebits.h>

libc = ctypes.CDLL(None, use_errno=True)


class MountAttributes(ctypes.Structure):
    """`struct mount_attr` of mount_setattr(2)."""

    _fields_ = (
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    )


def main(words: list[str]) -> None:
    """Never returns. Raises OSError."""
    mounts, groups, command = _split(words)
    first, root, own, layers = int(mounts[0]), mounts[1], mounts[2], mounts[3:]
    done(libc.unshare(CLONE_NEWNS), "unshare")
    # slave: what the machine unmounts later goes from here too, or the host would keep dead
    # network namespaces alive; what is mounted here stays here.
    done(libc.mount(b"none", b"/", None, MS_REC | MS_SLAVE, None), "/")
    moved = user_namespace(first)
    # Names for the layers, which overlayfs covers; it needs them while it is mounted only.
    done(libc.mount(b"layers", root.encode(), b"tmpfs", 0, b"mode=700"), root)
    names = [f"{root}/{number}" for number in range(len(layers) + 1)]
    for layer, name in zip([own, *layers], names, strict=True):
        os.mkdir(name)
        mount_moved(layer, name, moved)
    os.close(moved)
    options = f"lowerdir={':'.join(names[1:])},upperdir={names[0]}/disk,workdir={names[0]}/work"
    as_user(first, lambda: done(_overlay(root, options), f"overlay: {options}"))
    for group in groups:
        with open(f"{group}/cgroup.procs", "w") as processes:
            processes.write(str(os.getpid()))
    raise_limits()
    os.execvp(command[0], command)  # noqa: S606 - the lab's own words


def raise_limits() -> None:
    """Nobody in the host can raise a limit later: that is a right of the machine's root."""
    most = {
        resource.RLIMIT_NOFILE: MOST_FILES,
        resource.RLIMIT_MEMLOCK: resource.RLIM_INFINITY,
        resource.RLIMIT_NPROC: resource.RLIM_INFINITY,
        resource.RLIMIT_SIGPENDING: resource.RLIM_INFINITY,
    }
    for kind, limit in most.items():
        # Where this machine's root may not either (CAP_SYS_RESOURCE), its own limit stays.
        with contextlib.suppress(ValueError):
            resource.setrlimit(kind, (resource.getrlimit(kind)[0], limit))


def done(answer: int, what: str) -> int:
    """What a system call answered. Raises OSError when it failed."""
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return answer


def user_namespace(first: int) -> int:
    """A descriptor of a user namespace with nobody in it, whose users are the machine's from
    `first` on.
    """
    ready, told = os.pipe()
    mapped, go = os.pipe()
    child = os.fork()
    if child == 0:
        refused = libc.unshare(CLONE_NEWUSER)
        os.write(told, b"n" if refused else b"y")
        os.read(mapped, 1)
        os._exit(0)
    if os.read(ready, 1) != b"y":
        raise OSError("this kernel makes no user namespaces")
    for kind in ("uid", "gid"):
        with open(f"/proc/{child}/{kind}_map", "w") as ids:
            ids.write(f"0 {first} {IDS}")
    found = os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    os.write(go, b".")
    os.waitpid(child, 0)
    for end in (ready, told, mapped, go):
        os.close(end)
    return found


def mount_moved(source: str, target: str, users: int) -> None:
    """Mount a folder with its owners moved as a user namespace has them."""
    flags = OPEN_TREE_CLONE | os.O_CLOEXEC
    tree = done(libc.syscall(OPEN_TREE, AT_FDCWD, source.encode(), flags), source)
    wish = MountAttributes(attr_set=MOUNT_ATTR_IDMAP, userns_fd=users)
    size = ctypes.sizeof(wish)
    asked = (MOUNT_SETATTR, tree, b"", AT_EMPTY_PATH, ctypes.byref(wish), size)
    done(libc.syscall(*asked), f"{source}: owners cannot be moved (Linux 5.19; ext4, XFS, Btrfs)")
    moving = (MOVE_MOUNT, tree, b"", AT_FDCWD, target.encode(), MOVE_MOUNT_F_EMPTY_PATH)
    done(libc.syscall(*moving), target)
    os.close(tree)


def as_user(first: int, do: Callable[[], object]) -> None:
    """Do something as the host's root, yet with all that the machine's root may: overlayfs makes
    files as whoever mounted it, and in its layers only users of the host's exist.
    """
    done(libc.prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0), "prctl")
    libc.setfsgid(first)
    libc.setfsuid(first)
    do()
    libc.setfsuid(0)
    libc.setfsgid(0)
    done(libc.prctl(PR_SET_SECUREBITS, 0, 0, 0, 0), "prctl")


def _overlay(root: str, options: str) -> int:
    return int(libc.mount(b"overlay", root.encode(), b"overlay", 0, options.encode()))


def _split(words: list[str]) -> tuple[list[str], list[str], list[str]]:
    one = words.index("--")
    two = words.index("--", one + 1)
    return words[:one], words[one + 1 : two], words[two + 1 :]


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as refused:
        sys.exit(f"a host's root cannot be made: {refused.filename}: {refused.strerror}")
