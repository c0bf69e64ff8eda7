"""Completion, as the shells ask for it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from orchestrate.cli.complete import forget_hosts, remember_hosts

CODE = Path(__file__).parents[3]
Run = Callable[..., Result]


def offered(repository: Path, line: str) -> list[str]:
    """What bash would offer for the last word of a line."""
    told = subprocess.run(
        [sys.executable, "-m", "orchestrate"],
        env={
            **os.environ,
            "PYTHONPATH": str(CODE),
            "ORCHESTRATE_ROOT": str(repository),
            "_ORCHESTRATE_COMPLETE": "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split(" ")) - 1),
        },
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.stderr == ""
    return [entry.removeprefix("plain,") for entry in told.stdout.split()]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("orchestrate gr", ["graph"]),
        ("orchestrate graph cluster-e", ["cluster-eu-west"]),
        ("orchestrate graph s", ["site-sf"]),
        ("orchestrate output ", ["global", "mesh", "cluster-eu-west", "cluster-us-east"]),
        ("orchestrate graph --sv", ["--svg"]),
        ("orchestrate hosts bas", ["bastion.cluster-us-west"]),
        ("orchestrate ssh site", ["site-sf"]),
        ("orchestrate roll cpu-", ["cpu-spot", "cpu-spot.cluster-us-west"]),
        ("orchestrate roll gpu-v", ["gpu-v100", "gpu-v100.cluster-us-west"]),
        ("orchestrate bake ssh", ["ssh-node"]),
    ],
)
def test_names_come_from_the_fleet_and_the_hosts_last_seen(
    repository: Path, line: str, words: list[str]
) -> None:
    remember_hosts(repository / ".orchestrate", ["bastion.cluster-us-west"])
    assert offered(repository, line)[: len(words)] == words


def test_hosts_that_are_destroyed_are_not_offered(repository: Path) -> None:
    names = ["bastion.cluster-us-west", "bastion.cluster-us-east", "bastion.cluster-gone"]
    remember_hosts(repository / ".orchestrate", names)
    forget_hosts(repository / ".orchestrate", ["cluster-us-east", "mesh"])
    assert offered(repository, "orchestrate ssh bast") == ["bastion.cluster-us-west"]


def test_a_broken_fleet_still_completes(repository: Path) -> None:
    (repository / "fleet" / "fleet.yaml").write_text("{")
    (repository / ".orchestrate").mkdir()
    (repository / ".orchestrate" / "hosts.json").write_text("not json")
    assert offered(repository, "orchestrate ssh cluster-e") == ["cluster-eu-west"]


def test_outside_a_repository_nothing_is_offered_and_nothing_printed(tmp_path: Path) -> None:
    assert offered(tmp_path, "orchestrate graph ") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(orchestrate: Run, shell: str) -> None:
    script = orchestrate("completion", shell)
    assert script.exit_code == 0
    assert f"_ORCHESTRATE_COMPLETE={shell}_complete" in script.output


def test_bash_accepts_its_script(orchestrate: Run, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    assert bash
    script = tmp_path / "completion.bash"
    script.write_text(orchestrate("completion", "bash").output)
    words = [bash, "-c", f"source {script} && complete -p orchestrate"]
    told = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "_orchestrate_completion orchestrate" in told.stdout
