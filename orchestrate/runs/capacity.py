"""How many stacks to work on at once on this machine."""

import os
import re
from pathlib import Path

# A terraform with the AWS provider at its peak, garbage collected as usual (measured, 5.100).
BYTES_PER_STACK = 800_000_000
# The rest of the machine needs to live as well.
RESERVE_BYTES = 500_000_000
NO_LIMIT = 2**63


def slots(cores: int, available_bytes: int, per_stack_bytes: int = BYTES_PER_STACK) -> int:
    """How many stacks at once: one more than cores (measured to be the fastest: while one waits
    for AWS another computes), fewer where memory is short, never none. Pure.
    """
    return max(1, min(cores + 1, (available_bytes - RESERVE_BYTES) // per_stack_bytes))


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_bytes() -> int:
    """Memory that can be had without swapping, in the machine and in our control group."""
    return min(_of_machine(), _of_control_group())


def _of_machine() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _of_control_group() -> int:
    # In a container these are the container's own (version 2, then 1); "max" means no limit.
    group = Path("/sys/fs/cgroup")
    for limit, used, kinds in (
        ("memory.max", "memory.current", "memory.stat"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat"),
    ):
        try:
            texts = ((group / name).read_text() for name in (limit, used, kinds))
            return headroom(*texts)
        except (OSError, ValueError):
            continue
    return NO_LIMIT


def headroom(limit: str, used: str, kinds: str) -> int:
    """Bytes left in a control group, from the texts of its limit, its usage and its memory.stat.

    Pages of files that nobody reads count as used but are given back on demand. Raises ValueError
    when there is no limit. Pure.
    """
    # Version 1 tells the group's own and, with `total_`, that of the groups within as well.
    idle = re.findall(r"^(?:total_)?inactive_file (\d+)$", kinds, re.MULTILINE)
    return int(limit) - int(used) + max(map(int, idle), default=0)
