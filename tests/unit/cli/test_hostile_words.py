"""Hostile text as every argument, option and variable of every command: refused in words, or data.

Commands, arguments and options are found by walking click's, so that new ones are asked as well.
What needs a lab finds none here; what it would do with names is asked of the parts that choose.
"""

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from orchestrate.cli import context, main
from orchestrate.errors import OrchestrateError
from orchestrate.fleet import load as loading
from orchestrate.fleet.models import Fleet
from orchestrate.hosts import inventory, rolling
from orchestrate.hosts.rollout import share
from tests.hostile import HOSTILE, MARK

EXAMPLE = Path(__file__).parents[2] / "golden" / "example" / "fleet"
# What a command line or a variable can't hold never gets here (execve(2); UTF-8 of Python's own).
POSSIBLE = {
    what: text
    for what, text in HOSTILE.items()
    if "\0" not in text and not any("\ud800" <= letter < "\udc80" for letter in text)
}
VARIABLES = ("ORCHESTRATE_TARGET", "ORCHESTRATE_ROOT", "ORCHESTRATE_LAB_DIR", "COLUMNS", "TERM")
STRANGE = pytest.mark.parametrize("text", POSSIBLE.values(), ids=POSSIBLE)
Said = Callable[[list[str]], str]


@cache
def example() -> Fleet:
    return loading.load(EXAMPLE)


def commands() -> Iterator[tuple[list[str], click.Command]]:
    """Every command by the words that name it."""
    todo: list[tuple[list[str], click.Command]] = [([], main.cli)]
    with click.Context(main.cli) as ctx:
        while todo:
            words, command = todo.pop()
            if isinstance(command, click.Group):
                inner = {
                    name: command.get_command(ctx, name) for name in command.list_commands(ctx)
                }
                todo += [([*words, name], one) for name, one in inner.items() if one]
            else:
                yield words, command


def takes_words(parameter: click.Parameter) -> bool:
    """Whether it takes text that isn't where a file is to be written, which is the operator's."""
    flag = isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count)
    return not flag and not isinstance(parameter.type, click.Path)


def arguments(command: click.Command, text: str) -> list[str]:
    """The words after a command's name: every argument being the text."""
    free = [one for one in command.params if takes_words(one)]
    words = [text for one in free if isinstance(one, click.Argument)]
    return ["--", *words] if words else []


def options(command: click.Command, text: str) -> list[str]:
    """The same with every option for a text."""
    free = [one for one in command.params if takes_words(one) and isinstance(one, click.Option)]
    return [f"{one.opts[0]}={text}" for one in free if one.type is click.STRING]


# `lab up` takes a number and would start a lab.
ALL = {" ".join(words): (words, one) for words, one in commands() if words != ["lab", "up"]}
ROOT = ["--root", "repository"]
NUMBERS = ("--wait", "--target")


@pytest.fixture
def said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Said:
    """Call it to run a command line in a copy of the example fleet: all that it printed."""
    fleet = example()
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository" / "fleet").symlink_to(EXAMPLE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORCHESTRATE_LAB_DIR", str(tmp_path / "no-lab"))
    monkeypatch.setenv("ORCHESTRATE_TARGET", "lab")
    monkeypatch.setattr(loading, "load", lambda _: fleet)
    monkeypatch.setattr(context, "adopt", lambda _: None)

    def run(words: list[str]) -> str:
        code = main._code(words)
        out, err = capsys.readouterr()
        assert code in (0, 1, 2), err
        return out + err

    return run


def is_told_well(printed: str) -> bool:
    return (
        printed.replace("\n", "").replace("\t", "").isprintable()
        and "bug in orchestrate" not in printed
        and "Traceback" not in printed
    )


def test_the_walk_finds_commands_with_words_to_ask() -> None:
    asked = [name for name, (_, one) in ALL.items() if arguments(one, "x") or options(one, "x")]
    assert {"hosts", "converge", "ssh", "plan", "runs", "graph", "lab shell", "init"} <= {*asked}


@STRANGE
def test_an_argument_is_refused_or_data(said: Said, tmp_path: Path, text: str) -> None:
    for words, command in ALL.values():
        if line := arguments(command, text):
            assert is_told_well(said([*ROOT, *words, *line])), words
    assert not list(tmp_path.rglob(MARK))


# Most commands share the few options for texts; a third of the list is enough.
@pytest.mark.parametrize("what", [*POSSIBLE][::3])
def test_so_is_an_option(said: Said, tmp_path: Path, what: str) -> None:
    for words, command in ALL.values():
        if line := options(command, POSSIBLE[what]):
            root = [] if words == ["init"] else ROOT
            printed = said([*root, *words, *line, *arguments(command, POSSIBLE[what])])
            assert is_told_well(printed), words
    assert not list(tmp_path.rglob(MARK))


@STRANGE
def test_so_is_a_number_or_a_choice(said: Said, text: str) -> None:
    """click reads them, of all commands alike."""
    for option in NUMBERS:
        assert is_told_well(said([*ROOT, "hosts", f"{option}={text}"]))


@STRANGE
def test_so_is_a_command_s_name(said: Said, text: str) -> None:
    assert is_told_well(said([text]))
    assert is_told_well(said(["lab", text]))


@STRANGE
def test_so_is_a_variable(said: Said, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    for name in VARIABLES:
        with monkeypatch.context() as patch:
            patch.setenv(name, text)
            printed = said([*([] if "ROOT" in name else ROOT), "status"])
        assert is_told_well(printed), name


@STRANGE
def test_what_chooses_hosts_and_groups_refuses_on_a_line(text: str) -> None:
    fleet = example()
    for refuse in (
        lambda: inventory.select(inventory.hosts(fleet, ()), [text]),
        lambda: rolling.choose([], [text]),
        lambda: share(text),
    ):
        try:
            refuse()
        except OrchestrateError as refused:
            assert refused.what.isprintable()
            assert len(refused.what) < 2000


def test_the_environment_is_as_it_was(said: Said) -> None:
    before = dict(os.environ)
    said(["status"])
    assert dict(os.environ) == before
