"""The command line as a whole: finding commands, complaining well, exit codes, staying quick."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from orchestrate.cli import main as command_line
from orchestrate.cli.main import COMMANDS, cli, main
from orchestrate.errors import Interrupted, OrchestrateError

ROOT = Path(__file__).resolve().parents[3]


def run(*arguments: str) -> int:
    """Run `orchestrate` in this process; its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_says_of_itself_what_the_overview_says(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.name == name
    assert command.get_short_help_str(limit=200) == COMMANDS[name][1]


def test_the_overview_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    shown = capsys.readouterr().out
    assert [name for name in COMMANDS if f"\n  {name} " not in shown] == []


def test_a_mistyped_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("aply") == 1
    assert "did you mean 'apply'?" in capsys.readouterr().err


def test_a_strange_command_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("xyzzy") == 1
    said = capsys.readouterr().err
    assert [name for name in COMMANDS if name not in said] == []


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (OrchestrateError("it broke", where="stack mesh", fix="mend it"), 1, "mend it"),
        (Interrupted("stopped 2 stacks"), 130, "stopped 2 stacks"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.Abort(), 130, "interrupted"),
    ],
    ids=["error", "interrupted run", "ctrl-c", "ctrl-c at a question"],
)
def test_an_error_becomes_a_message_and_an_exit_code(
    raised: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_args: object, **_kwargs: object) -> None:
        raise raised

    monkeypatch.setattr(command_line.cli, "main", fail)
    assert run("status") == code
    shown = capsys.readouterr()
    assert shown.err.startswith("orchestrate: ")
    assert said in shown.err
    assert shown.out == ""


def test_outside_of_a_repository_the_error_names_the_way_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORCHESTRATE_ROOT", raising=False)
    assert run("check") == 1
    assert "orchestrate init" in capsys.readouterr().err


def test_help_imports_nothing_slow() -> None:
    listing = "import sys, runpy\nsys.argv = ['orchestrate', '--help']\n"
    program = (
        f"{listing}try: runpy.run_module('orchestrate')\n"
        "except SystemExit: pass\nprint(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    slow = {"boto3", "rich", "pydantic", "yaml", "jinja2", "moto", "fabric", "python_terraform"}
    slow |= {"hashlib"}  # which loads OpenSSL
    assert slow & set(done.stderr.splitlines()) == set()


def test_a_plan_brings_no_ssh_and_no_lab_along() -> None:
    """fabric takes longer to import than a plan of one stack is to wait for, and so does moto:
    of the lab, commands need only where it is.
    """
    modules = (
        "orchestrate.apply, orchestrate.cli.operator, orchestrate.cli.before_hosts, "
        "orchestrate.lab.client"
    )
    program = f"import sys, {modules}\nprint(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    slow = {"fabric", "paramiko", "pytest", "moto", "boto3", "werkzeug", "orchestrate.lab.spec"}
    assert slow & set(done.stdout.splitlines()) == set()


def test_the_wrapper_runs_this_checkout_from_anywhere(tmp_path: Path) -> None:
    wrapper = tmp_path / "orchestrate"
    wrapper.symlink_to(ROOT / "bin" / "orchestrate")
    done = subprocess.run(
        [wrapper, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("orchestrate, version ")


def test_a_bug_is_one_line_and_a_file_with_the_rest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def fail(*_args: object, **_kwargs: object) -> None:
        raise KeyError("nobody thought of it")

    monkeypatch.setattr(command_line.cli, "main", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run("status") == 1
    shown = capsys.readouterr().err
    assert "this is a bug in orchestrate: KeyError at test_main.py:" in shown
    assert "Traceback" not in shown
    (kept,) = tmp_path.iterdir()
    assert str(kept) in shown
    assert "Traceback" in kept.read_text()


def test_a_connection_that_broke_is_not_taken_for_a_reader_that_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def hangs_up(*_args: object, **_kwargs: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("orchestrate.cli.context.find_root", hangs_up)
    assert run("check") == 1
    assert "has hung up" in capsys.readouterr().err
