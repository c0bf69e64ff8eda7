"""A shell that stays open; here one of this machine, without SSH and sudo before it."""

from collections.abc import Iterator

import pytest

from orchestrate import shell
from orchestrate.verify.root_shell import Answer, Gone, RootShell, reason


@pytest.fixture
def opened() -> Iterator[RootShell]:
    opened = RootShell(shell.talk(["/bin/sh"]))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("true", Answer(0, b"", b"")),
        ("exit 7", Answer(7, b"", b"")),
        ("echo out; echo err >&2; false", Answer(1, b"out\n", b"err\n")),
        ("printf 'no end'", Answer(0, b"no end", b"")),
        ("printf 'a\\n\\n\\n'", Answer(0, b"a\n\n\n", b"")),
        (r"printf '\377\000'", Answer(0, b"\xff\x00", b"")),
        ("echo 'it'\"'\"'s'", Answer(0, b"it's\n", b"")),
        ("cat", Answer(0, b"", b"")),
        ("sleep 60 & echo at once", Answer(0, b"at once\n", b"")),
        ("exec 2>&-; kill -15 $$", Answer(143, b"", b"Terminated\n")),
    ],
)
def test_a_command_gives_its_exit_code_and_its_output_byte_for_byte(
    opened: RootShell, command: str, answer: Answer
) -> None:
    assert opened.run(command) == answer


def test_a_syntax_error_harms_no_later_command(opened: RootShell) -> None:
    assert opened.run("if then '").code == 2
    assert opened.run("echo well").stdout == b"well\n"


def test_what_one_command_sets_another_does_not_see(opened: RootShell) -> None:
    opened.run("cd /usr; export NAME=value")
    assert opened.run("pwd; echo $NAME").stdout.splitlines()[1] == b""


def test_long_output_on_both_streams_is_read_whole(opened: RootShell) -> None:
    answer = opened.run("seq 200000; seq 200000 >&2")
    assert answer.stdout == answer.stderr
    assert answer.stdout.endswith(b"\n200000\n")


def test_a_command_that_does_not_end_is_given_up(opened: RootShell) -> None:
    with pytest.raises(TimeoutError):
        opened.run("sleep 60", seconds=0.2)


def test_the_end_of_the_shell_says_what_was_said_last() -> None:
    opened = RootShell(shell.talk(["/bin/sh", "-c", "echo 'ssh: no route' >&2; read line"]))
    with pytest.raises(Gone, match=r"^no route$"):
        opened.run("true")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", "the connection was closed"),
        (
            "ssh: connect to host 10.0.0.9 port 22: Connection refused\n",
            "connect to host 10.0.0.9 port 22: Connection refused",
        ),
        (
            "admin@10.0.0.9: Permission denied (publickey).\n",
            "admin@10.0.0.9: Permission denied (publickey).",
        ),
        (
            "@@@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nmore\n",
            "the host shows another key than before; it may not be the same machine",
        ),
        (
            "kex_exchange_identification: Connection closed by remote host\n"
            "Connection closed by UNKNOWN port 65535\n",
            "it did not take the connection",
        ),
        ("sudo: a password is required\n", "sudo: a password is required"),
    ],
)
def test_why_ssh_failed_is_said_in_a_line(said: str, why: str) -> None:
    assert reason(said) == why
