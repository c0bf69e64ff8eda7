"""Standard input, output and error, whatever the caller made of them: closed, full, or a pipe whose
reader has left.
"""

import os
import select
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

# A program that a signal ends; 13 is SIGPIPE, what `| head` sends to any other program.
READER_GONE = 128 + 13
DESCRIPTORS = (0, 1, 2)
NOWHERE = Path(os.devnull)


def settle() -> None:
    """Let each stream lead somewhere, and print whatever text there is.

    A closed one leads to /dev/null: the next file that is opened would else take its number, and
    get what is printed.
    """
    for descriptor in DESCRIPTORS:
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or NOWHERE.open(encoding="utf-8")
    sys.stdout = _printing(sys.stdout)
    sys.stderr = _printing(sys.stderr)


def flush() -> None:
    """Write out what standard output still holds; raises OSError where that fails."""
    sys.stdout.flush()


def give_up_output() -> None:
    """Let what standard output still holds go nowhere: Python would fail over it once more."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def reader_is_gone() -> bool:
    """Whether nobody reads standard output any more."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return False
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(seen & select.POLLERR for _, seen in poll.poll(0))


def _printing(stream: TextIO | None) -> TextIO:
    if stream is None:
        return NOWHERE.open("w", encoding="utf-8")
    # What a terminal's encoding lacks, or a file's name that is no UTF-8, is no reason to stop.
    if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
        reconfigure(errors="backslashreplace")
    return stream
