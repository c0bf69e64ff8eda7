"""What a login's shell is given, run by shells that read it differently."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrate.hosts.login_shell import AfterMark, line

MARK = "8f2c1d"
SHELLS = [shell for shell in ("dash", "bash", "tcsh", "zsh", "fish") if shutil.which(shell)]
SCRIPT = 'echo "$1"\necho \'a\\nb\' "it\'s" !! 100% =ls\ncat\nexit 3'
COMMAND = shlex.join(["sh", "-c", SCRIPT, "script", "two words!"])


def given(shell: str, home: Path | None = None) -> tuple[int, bytes, bytes]:
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home or "/nowhere")}
    env |= {"BASH_ENV": str(home / ".bashrc")} if home else {}
    done = subprocess.run(
        [shell, "-c", line(COMMAND, MARK)],
        input=b"sent",
        env=env,
        capture_output=True,
        check=False,
    )
    return done.returncode, AfterMark(MARK).take(done.stdout), AfterMark(MARK).take(done.stderr)


def test_there_are_shells_to_ask() -> None:
    assert {"dash", "bash"} <= {*SHELLS}


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_has_sh_run_the_command_as_it_is(shell: str) -> None:
    code, out, err = given(shell)
    assert code == 3
    assert out.splitlines()[0] == b"two words!"
    assert out.splitlines()[-1] == b"sent"
    assert b"it's !! 100% =ls" in out
    assert err == b""


def test_the_line_has_nothing_in_it_that_shells_read_differently() -> None:
    """Even between quotes csh looks for `!` and line ends, fish for a backslash."""
    words = line(COMMAND, MARK)
    assert not {"\n", "\\", "!", "`"} & {*words}
    assert words.count("'") == 2


@pytest.mark.parametrize(
    "startup",
    [
        "echo hello; echo problem >&2",
        "printf 'no line end'; printf 'none either' >&2",
        "set -x",
        "printf 'hello\\r\\n\\377\\376\\n'",
        "trap 'echo bye' EXIT",
        "alias echo=false exec=false; echo() { false; }; export -f echo",
    ],
)
def test_what_startup_files_print_is_no_part_of_the_answer(startup: str, tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text(startup + "\n")
    assert given("bash", home=tmp_path) == given("dash")


def test_a_mark_that_comes_in_pieces_is_found() -> None:
    stream = AfterMark(MARK)
    pieces = [b"noise 8f", b"2c", b"1d", b"\nan", b"swer 8f2c1d\n"]
    assert [stream.take(piece) for piece in pieces] == [b"", b"", b"", b"an", b"swer 8f2c1d\n"]
    assert stream.begun


def test_without_a_mark_there_is_no_answer() -> None:
    stream = AfterMark(MARK)
    assert stream.take(b"This account is currently not available.\n") == b""
    assert (stream.begun, stream.before[:4]) == (False, b"This")
