"""A misspelt name is told where the fleet's files show it, before that no lab is running."""

import os
import shutil
from pathlib import Path

import pytest

from orchestrate.cli.main import main

EXAMPLE = Path(__file__).parents[2] / "golden" / "example" / "fleet"
COMMANDS = ["hosts", "ssh", "roll", "verify", "converge", "output"]


@pytest.fixture(autouse=True)
def no_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a fleet, and the folder of a lab that was never started."""
    shutil.copytree(EXAMPLE, tmp_path / "fleet")
    # A command makes the environment its own; this one comes back.
    monkeypatch.setattr(os, "environ", os.environ.copy())
    monkeypatch.setenv("ORCHESTRATE_LAB_DIR", str(tmp_path / "lab"))
    return tmp_path


def told(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["--root", str(root), *arguments])
    assert ended.value.code == 1
    return capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_misspelt_cluster_is_told_with_the_nearest(
    no_lab: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    # A last word of `output` may be an output's name.
    said = told(no_lab, capsys, command, "cluster-us-wst", *["zone"] * (command == "output"))
    assert "cluster-us-wst'" in said
    assert "cluster-us-west" in said
    assert "not running" not in said


@pytest.mark.parametrize("command", ["show", "promote", "rollback"])
@pytest.mark.parametrize("name", ["ssh-nod", "bsae", "ssh-node-20261129-1"])
def test_a_misspelt_image_is_told(
    no_lab: Path, capsys: pytest.CaptureFixture[str], command: str, name: str
) -> None:
    said = told(no_lab, capsys, "images", command, name)
    assert f"no image or build '{name}'" in said
    assert "not running" not in said


@pytest.mark.parametrize("name", ["ssh-node", "ssh_node"])
def test_of_an_image_that_the_fleet_has_it_is_told_that_no_lab_runs(
    no_lab: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert "the lab is not running" in told(no_lab, capsys, "images", "show", name)


@pytest.mark.parametrize("command", COMMANDS)
def test_of_a_right_one_it_is_told_that_no_lab_runs(
    no_lab: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert "the lab is not running" in told(no_lab, capsys, command, "cluster-us-west")
