"""One command on an open SSH connection, to its end: bytes in, both outputs, exit code.

Fabric's own `run` decodes text, polls its streams a hundred times a second and takes no bytes to
send; here an archive goes in, a log comes out as it is written, and silence is looked into.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from orchestrate.hosts.failures import ConnectionLost
from orchestrate.hosts.ssh_config import CONNECT_SECONDS

CHUNK = 1 << 16
# After this long without a word the host is asked whether it is still there.
SILENCE_SECONDS = 20.0


@dataclass(frozen=True)
class Answer:
    """What a command left: exit code, and what it printed."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        return self.stdout.decode(errors="replace")

    @property
    def complaint(self) -> str:
        return self.stderr.decode(errors="replace").strip()


def execute(
    transport: Any,
    command: str,
    stdin: bytes = b"",
    *,
    on_output: Callable[[bytes], None] = lambda _: None,
    seconds: float,
) -> Answer:
    """Run a command over paramiko's `transport`; `on_output` gets its stdout as it comes.

    Raises ConnectionLost when the connection ends before the command, or `seconds` have passed;
    and whatever paramiko raises.
    """
    channel = transport.open_session(timeout=CONNECT_SECONDS)
    try:
        channel.exec_command(command)
        _send(channel, stdin)
        return _follow(transport, channel, on_output, seconds)
    finally:
        channel.close()


def _send(channel: Any, stdin: bytes) -> None:
    try:
        channel.sendall(stdin)
        channel.shutdown_write()
    except OSError:
        # It ended without reading all; why, it says itself.
        pass


def _follow(
    transport: Any, channel: Any, on_output: Callable[[bytes], None], seconds: float
) -> Answer:
    stdout, stderr = bytearray(), bytearray()
    deadline = time.monotonic() + seconds
    readable = select.poll()
    # The descriptor of a paramiko channel is readable when any of its streams is, or has ended.
    readable.register(channel.fileno(), select.POLLIN)
    while True:
        # Asked before reading: what came before the end is then read below.
        ended = channel.closed or channel.eof_received
        while channel.recv_ready():
            chunk = channel.recv(CHUNK)
            stdout += chunk
            on_output(chunk)
        while channel.recv_stderr_ready():
            stderr += channel.recv_stderr(CHUNK)
        if ended:
            return Answer(_exit_code(channel), bytes(stdout), bytes(stderr))
        left = deadline - time.monotonic()
        if left <= 0:
            raise ConnectionLost(f"the command did not end within {seconds:g} s")
        if not readable.poll(min(left, SILENCE_SECONDS) * 1000):
            _still_there(transport)


def _still_there(transport: Any) -> None:
    """Raise unless the host opens another channel: a frozen or cut off host doesn't."""
    transport.open_session(timeout=CONNECT_SECONDS).close()


def _exit_code(channel: Any) -> int:
    if not channel.status_event.wait(CONNECT_SECONDS) or channel.exit_status < 0:
        raise ConnectionLost("the connection ended before the command did")
    return int(channel.exit_status)
