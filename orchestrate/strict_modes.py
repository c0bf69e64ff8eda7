"""Whether anybody else could have written what is about to be trusted.

The rule of sshd's StrictModes: a file counts as one's own when it and every folder above it belong
to oneself or to root, and nobody else may write there. A folder like /tmp, where all may make files
but only their owners exchange them (the sticky bit), may be above.
"""

import grp
import os
import pwd
import stat
from pathlib import Path

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def distrusted(path: Path) -> str:
    """Why somebody else may have a hand in what is at `path`, in one line; "" when nobody has.

    What isn't there yet is nobody's; then the folders above it count.
    """
    named = path.absolute()
    # Both ways: as it is named, whose links lead somewhere, and where they lead.
    for way in dict.fromkeys((named, named.resolve())):
        for each in (*reversed(way.parents), way):
            try:
                seen = each.lstat()
            except FileNotFoundError:
                break
            if why := _others(each, seen, above=each != way):
                return why
    return ""


def _others(path: Path, seen: os.stat_result, *, above: bool) -> str:
    if seen.st_uid not in (0, os.geteuid()):
        return f"{path} belongs to {_user(seen.st_uid)}"
    if stat.S_ISLNK(seen.st_mode) or (above and seen.st_mode & stat.S_ISVTX):
        return ""
    writable = seen.st_mode & OTHERS_WRITE
    if writable == stat.S_IWGRP and _private(seen):
        return ""
    return f"{path} may be written by others than {_user(seen.st_uid)}" if writable else ""


def _private(seen: os.stat_result) -> bool:
    """Whether the group is its owner's alone, as Debian has one for each user."""
    try:
        group, owner = grp.getgrgid(seen.st_gid), pwd.getpwuid(seen.st_uid)
    except KeyError:
        return False
    return group.gr_name == owner.pw_name and set(group.gr_mem) <= {owner.pw_name}


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"
