"""A test run whose labs had incidents fails, though all its tests passed."""

import os
import sys
from pathlib import Path

import pytest

from orchestrate import shell
from orchestrate.lab.incidents import REPORT_VARIABLE

ROOT = Path(__file__).parents[2]
CONFTEST = "from tests.lab_report import register as pytest_configure\n"
TEST = """
from orchestrate.lab.call import Call
from orchestrate.lab.incidents import counted

def test_a_lab():
    with counted("a-lab") as incidents:
        incidents.called()
        {happened}
"""
TWICE = 'incidents.twice(Call("", "us-west-2", "ec2", "CreateVpc"))'


def _run(folder: Path, happened: str, *more: str) -> shell.Finished:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(TEST.format(happened=happened))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop(REPORT_VARIABLE, None)
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *more, "test_it.py"]
    return shell.run(argv, cwd=folder, env=environment, timeout_s=60, check=False)


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_call_that_came_twice_in_any_process_fails_the_run(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    done = _run(tmp_path, TWICE, *workers)

    assert done.code == 1, done.stdout
    assert "1 passed" in done.stdout
    assert "1 calls: 1 came twice without a fault, 0 exceptions" in done.stdout
    assert "FAILED came twice: ec2 CreateVpc" in done.stdout


def test_a_run_without_incidents_says_so_and_passes(tmp_path: Path) -> None:
    done = _run(tmp_path, "pass")

    assert done.code == 0, done.stdout
    assert "1 calls: 0 came twice without a fault, 0 exceptions" in done.stdout
