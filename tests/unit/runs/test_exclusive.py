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
with exclusive(Path(sys.argv[1]), "lab", ["orchestrate", "apply", "--all"]):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_run_is_refused_and_told_of_the_first(tmp_path: Path) -> None:
    with exclusive(tmp_path, "lab", ["orchestrate", "apply", "west"]):
        with pytest.raises(RunInProgress) as raised, exclusive(tmp_path, "lab", ["orchestrate"]):
            pass
        assert f"process {os.getpid()}: orchestrate apply west" in str(raised.value)


def test_another_target_is_another_run(tmp_path: Path) -> None:
    with exclusive(tmp_path, "lab", ["a"]), exclusive(tmp_path, "aws", ["b"]):
        assert (tmp_path / "aws.lock").exists()


def test_the_next_run_may_start_when_the_first_has_ended(tmp_path: Path) -> None:
    for argv in (["orchestrate", "apply", "a-very-long-name"], ["orchestrate"]):
        with exclusive(tmp_path, "lab", argv):
            assert '"orchestrate"' in (tmp_path / "lab.lock").read_text()
    # Nothing of the longer first one is left behind the second.
    assert (tmp_path / "lab.lock").read_text().endswith('["orchestrate"]}')


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
    with pytest.raises(RunInProgress, match=str(holder.pid)), exclusive(tmp_path, "lab", ["b"]):
        pass
    holder.kill()
    holder.communicate()
    with exclusive(tmp_path, "lab", ["b"]):
        pass
