"""`orchestrate schema`: where the schemas go, and where they don't."""

import json
import shutil
from pathlib import Path

import pytest

from orchestrate.cli.main import main
from orchestrate.fleet.schema import schemas

BASE = Path(__file__).resolve().parents[2] / "cases" / "fleet" / "base"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(BASE, tmp_path / "fleet")
    return tmp_path


def schema(root: Path, *arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--root", str(root), "schema", *arguments])
    assert ended.value.code == 0


def written(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def test_schemas_go_beside_the_fleet(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema(root)
    assert written(root / "fleet" / "schema") == schemas()
    assert capsys.readouterr().out.count("wrote ") == len(schemas())


def test_schemas_go_where_one_says(root: Path, tmp_path: Path) -> None:
    schema(root, "--out", str(tmp_path / "a" / "b"))
    assert written(tmp_path / "a" / "b") == schemas()
    assert not (root / "fleet" / "schema").exists()


def test_json_prints_and_writes_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema(root, "--json")
    assert json.loads(capsys.readouterr().out).keys() == schemas().keys()
    assert not (root / "fleet" / "schema").exists()


def test_a_check_does_not_take_the_schemas_for_fleet_files(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema(root)
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["--root", str(root), "check", "--json"])
    said = json.loads(capsys.readouterr().out)
    assert not any("schema" in found["file"] for found in said["findings"])
