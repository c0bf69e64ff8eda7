"""Commands over a real SSH connection, to logins whose shells print, read and exit."""

import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import paramiko
import pytest

from orchestrate.hosts import channel
from orchestrate.hosts.channel import Answer, execute
from orchestrate.hosts.failures import ConnectionLost, Unreachable

KEY = paramiko.ECDSAKey.generate()


class Sshd(paramiko.ServerInterface):  # type: ignore[misc]
    """Runs what it is given by a bash that reads a file first, as sshd's bash reads .bashrc."""

    def __init__(self, startup: Path) -> None:
        self._startup = startup

    def check_auth_none(self, _username: str) -> int:
        return int(paramiko.AUTH_SUCCESSFUL)

    def check_channel_request(self, _kind: str, _id: int) -> int:
        return int(paramiko.OPEN_SUCCEEDED)

    def check_channel_exec_request(self, one: Any, command: bytes) -> bool:
        threading.Thread(target=self._run, args=(one, command.decode()), daemon=True).start()
        return True

    def _run(self, one: Any, command: str) -> None:
        pipe, env = subprocess.PIPE, {"PATH": "/usr/bin:/bin", "BASH_ENV": str(self._startup)}
        process = subprocess.Popen(
            ["bash", "-c", command], env=env, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0
        )
        sides = [
            threading.Thread(target=self._feed, args=(one, process.stdin), daemon=True),
            threading.Thread(target=self._pass, args=(process.stdout, one.sendall)),
            threading.Thread(target=self._pass, args=(process.stderr, one.sendall_stderr)),
        ]
        for side in sides:
            side.start()
        for side in sides[1:]:
            side.join()
        with suppress(OSError):
            one.send_exit_status(process.wait())
            one.close()

    def _feed(self, one: Any, stdin: Any) -> None:
        with suppress(OSError):
            while chunk := one.recv(4096):
                stdin.write(chunk)
            stdin.close()

    def _pass(self, stream: Any, send: Callable[[bytes], None]) -> None:
        with suppress(OSError):  # whoever asked has gone
            while chunk := stream.read(4096):
                send(chunk)


@pytest.fixture
def startup(tmp_path: Path) -> Path:
    file = tmp_path / "bashrc"
    file.touch()
    return file


@pytest.fixture
def transport(startup: Path) -> Iterator[Any]:
    ours, theirs = socket.socketpair()
    server, client = paramiko.Transport(theirs), paramiko.Transport(ours)
    server.add_server_key(KEY)
    server.start_server(server=Sshd(startup), event=threading.Event())
    client.start_client(timeout=30)
    client.auth_none("admin")
    yield client
    client.close()
    server.close()


@pytest.mark.parametrize("text", ["", "echo hello; echo problem >&2", "printf 'no end\\r'"])
def test_the_answer_is_the_commands_alone(transport: Any, startup: Path, text: str) -> None:
    startup.write_text(text)
    seen: list[bytes] = []
    found = execute(transport, "cat; exit 3", b"sent", on_output=seen.append, seconds=30)
    assert found == Answer(3, b"sent", b"")
    assert b"".join(seen) == b"sent"


@pytest.mark.parametrize("text", ["read -r line; echo you said $line", "cat >&2"])
def test_what_is_for_the_command_is_not_given_to_what_reads_before_it(
    transport: Any, startup: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    startup.write_text(text)
    monkeypatch.setattr(channel, "BEGIN_SECONDS", 1.0)
    with pytest.raises(Unreachable, match="it waits") as given_up:
        execute(transport, "cat", b"for the command", seconds=30)
    assert "for the command" not in str(given_up.value)


def test_without_input_a_startup_file_that_reads_finds_the_end(
    transport: Any, startup: Path
) -> None:
    startup.write_text("read -r line; echo you said $line")
    assert execute(transport, "echo well", seconds=30) == Answer(0, b"well\n", b"")


def test_a_shell_that_runs_nothing_says_what_it_said(transport: Any, startup: Path) -> None:
    startup.write_text("echo closed for maintenance; exit 4")
    with pytest.raises(Unreachable, match=r"exit code 4, and said: closed for maintenance"):
        execute(transport, "true", seconds=30)


def test_a_command_that_does_not_end_is_given_up_and_was_begun(transport: Any) -> None:
    with pytest.raises(ConnectionLost, match="did not end"):
        execute(transport, "sleep 60", seconds=1)


def test_long_output_on_both_streams_is_read_whole(transport: Any, startup: Path) -> None:
    startup.write_text("seq 20000; seq 20000 >&2")
    found = execute(transport, "seq 30000; seq 30000 >&2", seconds=60)
    assert found.stdout == found.stderr
    assert len(found.stdout.splitlines()) == 30000
