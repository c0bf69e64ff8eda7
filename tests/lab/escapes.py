"""A program for a host's root: tries to act on the machine, each attempt in a process of its own.

Prints JSON: what the kernel answered to the last step of each, such as "EPERM", or "done". Steps
before the last may fail, as they do where there is less to take down. Standard library alone:
hosts have no more.
"""

import ctypes
import errno
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
INIT_MODULE, OPEN_BY_HANDLE_AT, SETNS, SYSLOG = 175, 304, 308, 103  # x86-64
MACHINE = int(sys.argv[1]) if __name__ == "__main__" else 0  # a process of the machine's


def sh(words: str) -> None:
    subprocess.run(words, shell=True, check=False, capture_output=True)


def write(path: str, text: str = "1") -> None:
    handle = os.open(path, os.O_WRONLY)
    os.write(handle, text.encode())


def call(number: int, *arguments: object) -> None:
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "")


def mounted(kind: str, options: str = "") -> str:
    """A fresh mount of a kernel's file system, where one can be had."""
    place = f"/mnt/{kind}-{os.getpid()}"
    Path(place).mkdir(parents=True)
    sh(f"mount -t {kind} {f'-o {options}' if options else ''} {kind} {place}")
    return place


def core_pattern() -> None:
    sh("mount -o remount,rw,bind /proc/sys; mount -o remount,rw /proc/sys; umount -l /proc/sys")
    write("/proc/sys/kernel/core_pattern", "|/tmp/mine")


def core_pattern_of_a_fresh_proc() -> None:
    write(f"{mounted('proc')}/sys/kernel/core_pattern", "|/tmp/mine")


def modprobe_path() -> None:
    write(f"{mounted('proc')}/sys/kernel/modprobe", "/tmp/mine")


def sysrq() -> None:
    write(f"{mounted('proc')}/sysrq-trigger", "h")


def fresh_sysfs() -> None:
    write(f"{mounted('sysfs')}/kernel/mm/transparent_hugepage/enabled", "never")


def uevent_helper() -> None:
    sh("mount -o remount,rw /sys; mount -o remount,rw,bind /sys/kernel")
    write("/sys/kernel/mm/transparent_hugepage/enabled", "never")


def release_agent() -> None:
    """What runs as root on the machine when a control group empties (cgroup v1)."""
    write(f"{mounted('cgroup', 'memory')}/release_agent", "/tmp/mine")


def own_memory_limit() -> None:
    place = mounted("cgroup", "memory")
    first = f"{place}/memory.limit_in_bytes"
    write(first if Path(first).exists() else "/sys/fs/cgroup/memory.max", "1048576000000")


def block_device() -> None:
    place = f"/var/tmp/disk-{os.getpid()}"
    os.mknod(place, stat.S_IFBLK | 0o600, Path("/").stat().st_dev or os.makedev(8, 0))
    os.open(place, os.O_RDONLY)


def memory_device() -> None:
    os.mknod(f"/var/tmp/mem-{os.getpid()}", stat.S_IFCHR | 0o600, os.makedev(1, 1))


def kernel_log_device() -> None:
    os.mknod(f"/var/tmp/kmsg-{os.getpid()}", stat.S_IFCHR | 0o600, os.makedev(1, 11))


def kernel_log() -> None:
    call(SYSLOG, 3, ctypes.create_string_buffer(4096), 4096)


def module() -> None:
    call(INIT_MODULE, b"\x7fELF", 4, b"")


def clock() -> None:
    time.clock_settime(time.CLOCK_REALTIME, 0)


def signal_to_the_machine() -> None:
    os.kill(MACHINE, signal.SIGTERM)


def priority_of_the_machine() -> None:
    os.setpriority(os.PRIO_PROCESS, 0, -20)


def host_name_space_of_init() -> None:
    """The namespaces that the kernel would have for the machine's first process."""
    handle = os.open(f"/proc/{MACHINE}/ns/mnt", os.O_RDONLY)
    call(SETNS, handle, 0)


def file_by_its_handle() -> None:
    """The file system's root, by its inode: beyond every mount."""
    handle = os.open("/var/lib/containerd", os.O_RDONLY)
    wish = bytearray(16)
    wish[0:12] = (8).to_bytes(4, "little") + (1).to_bytes(4, "little") + (2).to_bytes(4, "little")
    call(OPEN_BY_HANDLE_AT, handle, bytes(wish), os.O_RDONLY)


def swap() -> None:
    call(167, b"/var/tmp/swap", 0)


ATTEMPTS: dict[str, Callable[[], None]] = {
    name: one
    for name, one in list(globals().items())
    if callable(one)
    and getattr(one, "__module__", "") == __name__
    and name not in ("sh", "write", "call", "mounted", "Callable", "answer")
}


def answer(attempt: Callable[[], None]) -> str:
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            attempt()
            os.write(told, b"done")
        except OSError as refused:
            os.write(told, errno.errorcode.get(refused.errno or 0, "?").encode())
        finally:
            os._exit(0)
    os.close(told)
    said = os.read(ready, 100).decode()
    os.waitpid(child, 0)
    return said


if __name__ == "__main__":
    print(json.dumps({name: answer(attempt) for name, attempt in ATTEMPTS.items()}))
