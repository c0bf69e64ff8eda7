"""`make demo`, with a program in place of orchestrate that notes what it is asked."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts import demo

LAB = ["lab up", "bootstrap"]
RACKS = ["converge site-sf", "verify site-sf"]
IMAGES = ["apply global --yes", "bake base ssh-node cpu-worker"]
CLUSTER = ["apply cluster-us-west --yes"]


class Program:
    """Plays orchestrate: ends well but for the command `fails`, in a lab with or without hosts."""

    def __init__(self, folder: Path) -> None:
        self.note = folder / "asked"
        self.hosts = True
        self.fails = self.interrupted = "none"

    def argv(self, command: Sequence[str]) -> list[str]:
        words = " ".join(command)
        if command[1:] == ["status", "--json"]:
            return ["echo", json.dumps({"real_hosts": self.hosts})]
        if words == self.interrupted:
            return ["sh", "-c", f"kill -INT $PPID; sleep 0.5; echo 'ended in order' >> {self.note}"]
        code = int(words == self.fails)
        return ["sh", "-c", f"echo '{words}' >> {self.note}; echo said of {words}; exit {code}"]

    @property
    def asked(self) -> list[str]:
        return self.note.read_text().splitlines()


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    made = Program(tmp_path)
    monkeypatch.setattr(demo, "argv", made.argv)
    monkeypatch.setattr(demo, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(demo, "STOP", threading.Event())
    return made


@pytest.mark.parametrize(
    ("without", "asked"),
    [
        ([], [*LAB, *RACKS, *IMAGES, *CLUSTER]),
        (["racks"], [*LAB, *IMAGES, *CLUSTER]),
        (["images"], [*LAB, *RACKS, *CLUSTER]),
        (["images", "racks"], [*LAB, *CLUSTER]),
    ],
)
def test_what_is_left_out_is_not_done(
    program: Program,
    capsys: pytest.CaptureFixture[str],
    without: list[str],
    asked: list[str],
) -> None:
    assert demo.main(without) == 0
    assert sorted(program.asked) == sorted(asked)
    assert program.asked[:2] == LAB
    said = capsys.readouterr().out
    assert said.startswith("Starts a lab, applies cluster-us-west")
    assert all(f"  {part} " in said for part in demo.PARTS)
    assert (f"left out: {', '.join(without)}" in said) is bool(without)
    if "images" not in without:
        assert program.asked.index(CLUSTER[0]) > max(map(program.asked.index, IMAGES))


def test_without_hosts_it_suggests_nothing_that_needs_them(
    program: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    program.hosts = False
    assert demo.main([]) == 0
    assert program.asked == [*LAB, *CLUSTER]
    said = capsys.readouterr().out
    assert "bin/orchestrate status" in said
    assert "orchestrate ssh" not in said
    assert "images list" not in said


def test_the_end_says_how_long_each_step_took(
    program: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    demo.main([])
    said = capsys.readouterr().out
    for command in [*LAB, *RACKS, *IMAGES, *CLUSTER]:
        assert f"  {command}" in said
    assert "the whole" in said


@pytest.mark.parametrize("fails", ["lab up", "apply cluster-us-west --yes", *RACKS, *IMAGES])
def test_a_step_that_fails_makes_the_demo_fail(
    program: Program, capsys: pytest.CaptureFixture[str], fails: str
) -> None:
    program.fails = fails
    assert demo.main([]) != 0
    said = capsys.readouterr().out
    assert "The cluster stands" not in said
    if fails in RACKS:
        assert f"said of {fails}" in said


def test_ctrl_c_leaves_a_command_the_time_to_end_and_begins_no_other(program: Program) -> None:
    program.interrupted = "bootstrap"
    assert demo.main([]) == 130
    assert program.asked == ["lab up", "ended in order"]


def test_what_cannot_be_left_out_is_refused_before_anything_begins(program: Program) -> None:
    assert demo.main(["rack"]) == 64
    assert not program.note.exists()


@pytest.mark.parametrize(
    ("answers", "left_out"),
    [([""], set()), (["racks, images"], {"racks", "images"}), (["rack", "racks"], {"racks"})],
)
def test_a_person_is_asked_until_the_answer_is_understood(
    monkeypatch: pytest.MonkeyPatch, answers: list[str], left_out: set[str]
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: answers.pop(0))
    assert demo.ask() == left_out


def test_nobody_is_asked_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    assert demo.ask() == set()
