import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrate.runs.exclusive import RunInProgress, exclusive

HOLD = """
import sys, time
from pathlib import Path
from orchestrate.runs.exclusive import exclusive
with exclusive(Path(sys.argv[1]), "lab", ["west"], ["orchestrate", "apply", "--all"]):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_run_on_a_stack_is_refused_and_told_of_the_first(tmp_path: Path) -> None:
    with exclusive(tmp_path, "lab", ["global", "west"], ["orchestrate", "apply", "west"]):
        with (
            pytest.raises(RunInProgress) as raised,
            exclusive(tmp_path, "lab", ["east", "global", "west"], ["orchestrate"]),
        ):
            pass
        said = f"global, west: process {os.getpid()}: orchestrate apply west"
        assert said in str(raised.value)
        assert "east:" not in str(raised.value)


def test_a_run_that_was_refused_holds_nothing(tmp_path: Path) -> None:
    with exclusive(tmp_path, "lab", ["west"], ["a"]):
        with pytest.raises(RunInProgress), exclusive(tmp_path, "lab", ["east", "west"], ["b"]):
            pass
        with exclusive(tmp_path, "lab", ["east"], ["c"]):
            pass


def test_other_stacks_and_other_targets_are_free(tmp_path: Path) -> None:
    with (
        exclusive(tmp_path, "lab", ["west"], ["a"]),
        exclusive(tmp_path, "lab", ["east"], ["b"]),
        exclusive(tmp_path, "aws", ["west"], ["c"]),
    ):
        assert (tmp_path / "locks" / "aws" / "west.lock").exists()


def test_what_a_run_is_through_with_is_free_while_it_goes_on(tmp_path: Path) -> None:
    with exclusive(tmp_path, "lab", ["global", "west"], ["a"]) as held:
        held.release(["global", "unknown"])
        with exclusive(tmp_path, "lab", ["global", "east"], ["b"]):
            pass
        with pytest.raises(RunInProgress, match="west"), exclusive(tmp_path, "lab", ["west"], []):
            pass


def test_the_next_run_may_start_when_the_first_has_ended(tmp_path: Path) -> None:
    lock = tmp_path / "locks" / "lab" / "west.lock"
    for argv in (["orchestrate", "apply", "a-very-long-name"], ["orchestrate"]):
        with exclusive(tmp_path, "lab", ["west"], argv):
            assert '"orchestrate"' in lock.read_text()
    # Nothing of the longer first one is left behind the second.
    assert lock.read_text().endswith('["orchestrate"]}')


def test_a_run_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    with (
        pytest.raises(RunInProgress, match=str(holder.pid)),
        exclusive(tmp_path, "lab", ["west"], ["b"]),
    ):
        pass
    holder.kill()
    holder.communicate()
    with exclusive(tmp_path, "lab", ["west"], ["b"]):
        pass
