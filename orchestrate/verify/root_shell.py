"""A root shell on a host that stays open: one SSH login, then one round trip a command."""

import os
import secrets
import select
import selectors
import shlex
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from orchestrate import shell
from orchestrate.hosts import login_shell
from orchestrate.hosts.login_shell import AfterMark

if TYPE_CHECKING:
    import subprocess

# A login through a slow door; a host that doesn't take connections is given up before, by
# OpenSSH's ConnectTimeout.
OPEN_SECONDS = 60.0
COMMAND_SECONDS = 60.0
AS_LOGGED_IN = "exec /bin/sh"
# As root where the login may, else as one who reads everything: chef/cookbooks/base/files/look.sh.
BECOME_ROOT = """\
if [ "$(id -u)" = 0 ]; then exec /bin/sh; fi
look=/usr/local/sbin/orchestrate-look
if [ -x $look ] && ! sudo -n -l /bin/sh >/dev/null 2>&1; then exec sudo -n $look; fi
exec sudo -n /bin/sh"""
# Whatever else a login's shell prints before; nothing is sent until it came, or a .bashrc that
# reads would take it.
GREETING = "orchestrate-is-in"
GET_SSH = "install OpenSSH's client (Debian: apt-get install openssh-client)"
CHUNK = 1 << 16


class Gone(Exception):
    """The connection could not be had, or has ended. The text says why, in a line."""


@dataclass(frozen=True)
class Answer:
    """How a command ended, and what it printed."""

    code: int
    stdout: bytes
    stderr: bytes


class RootShell:
    """One host's shell, reading commands from a pipe. Each runs in an `sh -c` of its own.

    A command's end shows by a mark on both streams, which no output can hold by chance.
    """

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._mark = secrets.token_hex(16).encode()

    @classmethod
    def open(cls, config: Path, host: str, become: str = BECOME_ROOT) -> "RootShell":
        """Log in and `become` the shell. Raises Gone."""
        argv = ["ssh", "-T", "-F", str(config), host, login_shell.line(become, GREETING)]
        opened = cls(shell.talk(argv, get_it=GET_SSH))
        try:
            opened._await_greeting(time.monotonic() + OPEN_SECONDS)
            opened.run("true", OPEN_SECONDS)
        except TimeoutError:
            raise Gone(f"it took the connection and said nothing for {OPEN_SECONDS:g} s") from None
        return opened

    def _await_greeting(self, deadline: float) -> None:
        out, said, heard = _of(self._process.stdout), AfterMark(GREETING), b""
        while not said.begun:
            if not select.select([out], [], [], max(deadline - time.monotonic(), 0))[0]:
                self.close()
                raise TimeoutError
            chunk = out.read(CHUNK)
            if not chunk:
                raise Gone(self._last_words(heard))
            said.take(chunk)
            heard = said.before

    def run(self, command: str, seconds: float = COMMAND_SECONDS) -> Answer:
        """Run a command to its end; it reads nothing.

        Raises Gone when the connection ends, TimeoutError after `seconds`; both leave it closed.
        """
        mark = self._mark.decode()
        line = (
            f"/bin/sh -c {shlex.quote(command)} </dev/null\n"
            f"printf '\\n{mark} %d\\n' $?; printf '\\n{mark}\\n' >&2\n"
        )
        try:
            _of(self._process.stdin).write(line.encode())
        except BrokenPipeError:
            raise Gone(self._last_words()) from None
        return self._answer(time.monotonic() + seconds)

    def close(self) -> None:
        """End the connection, whatever runs there."""
        self._kill()

    def _answer(self, deadline: float) -> Answer:
        out, err = _of(self._process.stdout), _of(self._process.stderr)
        said = {out: bytearray(), err: bytearray()}
        with selectors.DefaultSelector() as ready:
            for stream in said:
                ready.register(stream, selectors.EVENT_READ)
            while not (self._whole(said[out]) and self._whole(said[err])):
                streams = ready.select(max(deadline - time.monotonic(), 0))
                if not streams:
                    self.close()
                    raise TimeoutError
                for key, _ in streams:
                    stream = out if key.fileobj is out else err
                    chunk = stream.read(CHUNK)
                    if not chunk:
                        raise Gone(self._last_words(bytes(said[err])))
                    said[stream] += chunk
        return self._parted(bytes(said[out]), bytes(said[err]))

    def _whole(self, said: bytearray) -> bool:
        return said.endswith(b"\n") and self._mark in said[-len(self._mark) - 8 :]

    def _parted(self, out: bytes, err: bytes) -> Answer:
        stdout, _, code = out.rpartition(b"\n" + self._mark)
        stderr, _, _ = err.rpartition(b"\n" + self._mark)
        return Answer(int(code), stdout, stderr)

    def _last_words(self, said: bytes = b"") -> str:
        """Why it ended, from all that SSH or sudo has printed."""
        return reason((said + self._kill()).decode(errors="replace"))

    def _kill(self) -> bytes:
        """End OpenSSH, and the one that it jumps with; the rest of what they said of errors."""
        # A group that has ended by itself is gone when its first process was waited for.
        with suppress(ProcessLookupError):
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)
        _, rest = self._process.communicate()
        return rest


def _of(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # shell.talk opens all three
    return stream


def reason(said: str) -> str:
    """Why SSH failed, in a line, from what it said; the last line is the one that counts. Pure."""
    # ssh(1) behind a shared door: the connection that knows more belongs to the door.
    if "kex_exchange_identification: Connection closed" in said:
        return "it did not take the connection"
    if "HOST IDENTIFICATION HAS CHANGED" in said or "Host key verification failed" in said:
        return "the host shows another key than before; it may not be the same machine"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1].removeprefix("ssh: ") if lines else "the connection was closed"
