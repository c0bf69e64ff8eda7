"""`orchestrate render`: roots as files."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from orchestrate.cli.main import cli
from orchestrate.errors import OrchestrateError

ROOT = Path(__file__).parents[2] / "golden" / "example"


def run(*arguments: str) -> str:
    done = CliRunner().invoke(
        cli, ["--root", str(ROOT), "render", *arguments], catch_exceptions=False
    )
    assert done.exit_code == 0
    return done.output


def test_all_stacks_are_written_by_default(tmp_path: Path) -> None:
    run("--out", str(tmp_path))
    assert {folder.name for folder in tmp_path.iterdir()} == {
        "global",
        "mesh",
        *(file.stem for file in (ROOT / "fleet" / "clusters").iterdir()),
    }


def test_only_the_named_stacks_are_written(tmp_path: Path) -> None:
    said = run("mesh", "--out", str(tmp_path), "--json")
    assert [folder.name for folder in tmp_path.iterdir()] == ["mesh"]
    document = json.loads(said)
    assert document["folder"] == str(tmp_path.resolve())
    assert set(document["stacks"]["mesh"]) == {file.name for file in (tmp_path / "mesh").iterdir()}


def test_a_wrong_name_gets_the_nearest_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(OrchestrateError, match=r"no stack 'globl'; did you mean global\?"):
        run("globl", "mesh", "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_rendering_leaves_the_ledger_alone(tmp_path: Path) -> None:
    before = (ROOT / "fleet" / "addresses.lock.yaml").read_bytes()
    run("--out", str(tmp_path))
    assert (ROOT / "fleet" / "addresses.lock.yaml").read_bytes() == before
