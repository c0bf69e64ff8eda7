"""Ctrl-C and kill -9 on a real run with real children (S1, S2)."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrate.runs import history, processes, resume
from orchestrate.target import Target
from tests.unit.runs import driver


def until(condition: Callable[[], object]) -> None:
    """Wait for what another process does."""
    while not condition():
        time.sleep(0.01)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for each stack; `global` has nothing to wait for."""
    for stack in driver.AFTER:
        (tmp_path / stack).mkdir()
    (tmp_path / "global" / "finish").touch()
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """A run that has applied `global` and is at work on `east` and `south`."""
    root = Path(__file__).parents[3]
    process = subprocess.Popen(
        [sys.executable, str(Path(driver.__file__)), str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    until(lambda: at_work(folder) == {"east", "south"})
    yield process
    let_finish(folder)
    process.wait()


def let_finish(folder: Path) -> None:
    """Let those at work come to their end, interrupted or not; it is for the test to say when."""
    for stack in driver.AFTER:
        (folder / stack / "finish").touch()


def at_work(folder: Path) -> set[str]:
    """The stacks whose stub holds its lock and is known to the journal."""
    run = history.last_run(folder / "runs", Target("lab"))
    known = run.stacks.items() if run else ()
    children = {stack for stack, record in known if record.child and processes.alive(record.child)}
    return {stack for stack in children if (folder / stack / "lock").exists()}


def sigints(folder: Path) -> dict[str, str]:
    return {file.parent.name: file.read_text().strip() for file in folder.glob("*/sigints")}


@pytest.mark.parametrize("times", [1, 3])
def test_ctrl_c_interrupts_each_child_once_waits_for_it_and_starts_no_more(
    run: "subprocess.Popen[str]", folder: Path, times: int
) -> None:
    for _ in range(times):
        # As a terminal does it: to the whole foreground process group.
        os.killpg(run.pid, signal.SIGINT)
        time.sleep(0.05)
    until(lambda: sigints(folder).keys() == {"east", "south"})
    let_finish(folder)
    said, _ = run.communicate()
    assert json.loads(said) == {
        "global": "done",
        "east": "interrupted",
        "south": "interrupted",
        "west": "not started",
        "mesh": "not started",
    }
    assert run.returncode == 130
    assert sigints(folder) == {"east": "1", "south": "1"}
    assert not list(folder.glob("*/lock"))


def test_after_ctrl_c_the_journal_tells_what_is_left(
    run: "subprocess.Popen[str]", folder: Path
) -> None:
    os.killpg(run.pid, signal.SIGINT)
    until(lambda: sigints(folder).keys() == {"east", "south"})
    let_finish(folder)
    run.communicate()
    last = history.last_run(folder / "runs", Target("lab"))
    assert last
    left = resume.unfinished(last, processes.alive)
    assert left
    assert left.left == ("east", "mesh", "south", "west")
    assert "was interrupted; done: global" in left.message
    assert left.command == "orchestrate apply east mesh south west --target lab"
    assert not left.orphans


def test_kill_9_leaves_terraform_to_finish_and_the_next_run_knows(
    run: "subprocess.Popen[str]", folder: Path
) -> None:
    run.kill()
    run.communicate()
    last = history.last_run(folder / "runs", Target("lab"))
    assert last
    assert last.exit_code is None
    left = resume.unfinished(last, processes.alive)
    assert left
    assert "was killed while at work on east, south; done: global" in left.message
    assert sorted(left.orphans) == ["east", "south"]
    for stack in left.orphans:
        (folder / stack / "finish").touch()
    until(lambda: not any(map(processes.alive, left.orphans.values())))
    assert not list(folder.glob("*/lock"))
    streams = [file.read_text() for file in (last_folder(folder) / "logs").glob("*.stream")]
    assert streams == ["working\nended\n"] * 2
    after = resume.unfinished(last, processes.alive)
    assert after
    assert not after.orphans


def last_folder(folder: Path) -> Path:
    return next((folder / "runs").iterdir())
