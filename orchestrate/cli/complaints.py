"""What errors of files, disks and streams mean to an operator, and what he does about them.

The system's errors come from anywhere; each becomes what every other error is: what, where, next.
"""

import errno
import os
import tempfile
import traceback
from pathlib import Path

from orchestrate.errors import OrchestrateError

# By the system's code. What isn't here is said in the system's own words alone.
NEXT = {
    errno.EACCES: "give access to it, or run this as whoever owns it",
    errno.EDQUOT: "make room within your quota, and run this again",
    errno.EIO: "the disk or its connection is failing: look at `dmesg`",
    errno.EISDIR: "a folder stands where a file belongs: move it away",
    errno.EMFILE: "let more files be open at once: `ulimit -n 4096`",
    errno.ENOENT: "bring it back, or name another",
    errno.ENOSPC: "make room on that disk (see `df -h`), and run this again",
    errno.ENOTDIR: "a file stands where a folder belongs: move it away",
    errno.EPERM: "give access to it, or run this as whoever owns it",
    errno.EROFS: "it lies on a read-only disk: name a place that can be written to",
}


def of_system(error: OSError) -> OrchestrateError:
    """An error of the operating system: a file, a disk, a stream. Pure."""
    where = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    what = (error.strerror or str(error) or type(error).__name__).lower()
    return OrchestrateError(
        what if where else f"cannot read or write: {what}",
        where=where,
        fix=NEXT.get(error.errno or 0, ""),
    )


def of_text(error: UnicodeError) -> OrchestrateError:
    """Bytes that are no text, or text that a terminal cannot show. Pure."""
    if isinstance(error, UnicodeDecodeError):
        bad, line = error.object[error.start], error.object[: error.start].count(b"\n") + 1
        return OrchestrateError(
            f"a file that has to be UTF-8 is not: byte 0x{bad:02x} in line {line}",
            fix="`orchestrate check` names files of the fleet; save it as UTF-8",
        )
    return OrchestrateError(str(error), fix="use a UTF-8 locale: LC_ALL=C.UTF-8")


def of_bug(error: Exception) -> OrchestrateError:
    """A mistake in this program: in one line what and where, and all of it in a file."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    what = f"this is a bug in orchestrate: {type(error).__name__} at {place}: {error}"
    text = "".join(traceback.format_exception(error))
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="orchestrate-bug-", suffix=".txt", delete=False
        ) as kept:
            kept.write(text)
    except OSError:
        return OrchestrateError(f"{what}\n{text}", fix="report it with the lines above")
    return OrchestrateError(what, fix=f"report it together with {kept.name}")
