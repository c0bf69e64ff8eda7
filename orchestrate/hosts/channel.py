"""One command on an open SSH connection, to its end: bytes in, both outputs, exit code.

Fabric's own `run` decodes text, polls its streams a hundred times a second and takes no bytes to
send; here an archive goes in, a log comes out as it is written, and silence is looked into.
"""

from __future__ import annotations

import secrets
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from orchestrate.errors import OrchestrateError
from orchestrate.hosts import login_shell
from orchestrate.hosts.failures import ConnectionLost, does_not_run
from orchestrate.hosts.login_shell import AfterMark
from orchestrate.hosts.ssh_config import CONNECT_SECONDS

CHUNK = 1 << 16
# After this long without a word the host is asked whether it is still there.
SILENCE_SECONDS = 20.0
# So long may a login's startup files take.
BEGIN_SECONDS = 30.0


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
    """Have /bin/sh run a command over paramiko's `transport`, whatever shell the login has.

    `on_output` gets its stdout as it comes. Raises ConnectionLost when the connection ends before
    the command, or `seconds` have passed; Unreachable when the login's shell doesn't run what it is
    given; and whatever paramiko raises.
    """
    mark = secrets.token_hex(8)
    channel = transport.open_session(timeout=CONNECT_SECONDS)
    try:
        channel.exec_command(login_shell.line(command, mark))
        return _Following(transport, channel, mark, stdin, on_output).run(seconds)
    finally:
        channel.close()


class _Following:
    """One command at work."""

    def __init__(
        self,
        transport: Any,
        channel: Any,
        mark: str,
        stdin: bytes,
        on_output: Callable[[bytes], None],
    ) -> None:
        self._transport = transport
        self._channel = channel
        self._out, self._err = AfterMark(mark), AfterMark(mark)
        self._stdout, self._stderr = bytearray(), bytearray()
        self._stdin = stdin
        self._on_output = on_output

    def run(self, seconds: float) -> Answer:
        channel = self._channel
        if not self._stdin:
            self._send()
        deadline = time.monotonic() + seconds
        begins = time.monotonic() + min(BEGIN_SECONDS, seconds)
        readable = select.poll()
        # The descriptor of a paramiko channel is readable when any of its streams is, or has ended.
        readable.register(channel.fileno(), select.POLLIN)
        while True:
            # Asked before reading: what came before the end is then read below.
            ended = channel.closed or channel.eof_received
            self._read()
            if ended:
                return self._answer()
            left = (deadline if self._out.begun else begins) - time.monotonic()
            if left <= 0:
                raise self._too_late(seconds)
            if not readable.poll(min(left, SILENCE_SECONDS) * 1000):
                _still_there(self._transport)

    def _read(self) -> None:
        begun = self._out.begun
        while self._channel.recv_ready():
            chunk = self._out.take(self._channel.recv(CHUNK))
            if chunk:
                self._stdout += chunk
                self._on_output(chunk)
        while self._channel.recv_stderr_ready():
            self._stderr += self._err.take(self._channel.recv_stderr(CHUNK))
        if self._stdin and self._out.begun and not begun:
            # Only now: a .bashrc that reads would have taken it.
            self._send()

    def _send(self) -> None:
        try:
            self._channel.sendall(self._stdin)
            self._channel.shutdown_write()
        except OSError:
            # It ended without reading all; why, it says itself.
            pass

    def _answer(self) -> Answer:
        code = _exit_code(self._channel)
        if not self._out.begun:
            raise does_not_run(f"it ended with exit code {code}", self._said())
        return Answer(code, bytes(self._stdout), bytes(self._stderr))

    def _too_late(self, seconds: float) -> OrchestrateError:
        if self._out.begun:
            return ConnectionLost(f"the command did not end within {seconds:g} s")
        return does_not_run("it waits for something", self._said())

    def _said(self) -> str:
        said = (self._err.before or self._out.before).decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(said) if line.strip()), "")


def _still_there(transport: Any) -> None:
    """Raise unless the host opens another channel: a frozen or cut off host doesn't."""
    transport.open_session(timeout=CONNECT_SECONDS).close()


def _exit_code(channel: Any) -> int:
    if not channel.status_event.wait(CONNECT_SECONDS) or channel.exit_status < 0:
        raise ConnectionLost("the connection ended before the command did")
    return int(channel.exit_status)
