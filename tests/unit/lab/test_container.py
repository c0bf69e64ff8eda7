"""What a host's supervisor says is heard from nobody else."""

import os
import socket
import sys

import pytest

from orchestrate import shell
from orchestrate.lab.container import _notifications

SAY = """
import os, socket, sys
os.setgid(65534), os.setuid(65534)
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as here:
    here.sendto(b"X_NSPAWN_LEADER_PID=1\\nREADY=1", "\\0" + sys.argv[1])
"""


def test_what_systemd_says_is_heard_line_by_line() -> None:
    name = f"orchestrate-test-{os.getpid()}"
    with (
        _notifications(name) as (address, heard),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as here,
    ):
        here.sendto(b"STATUS=x\nX_NSPAWN_LEADER_PID=4711\n", address.replace("@", "\0"))
        assert heard() == [b"STATUS=x", b"X_NSPAWN_LEADER_PID=4711"]
        assert heard() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_another_user_of_the_machine_is_not_heard() -> None:
    name = f"orchestrate-test-{os.getpid()}"
    with _notifications(name) as (_, heard):
        shell.run([sys.executable, "-I", "-S", "-c", SAY, name])
        assert heard() == []
