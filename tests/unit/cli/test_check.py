"""`orchestrate check`: all findings at once, in an order and form one can work through."""

import json
import shutil
from pathlib import Path

import pytest

from orchestrate.cli.main import main

REPOSITORY = Path(__file__).resolve().parents[3]
BASE = REPOSITORY / "tests" / "cases" / "fleet" / "base"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(BASE, tmp_path / "fleet")
    return tmp_path


def check(root: Path, *arguments: str) -> int:
    """Run the command in this process; its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["--root", str(root), "check", *arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def replace(file: Path, old: str, new: str) -> None:
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))


def break_two_files(root: Path) -> None:
    replace(root / "fleet" / "sites" / "site-sf.yaml", "host: sf-gw1", "host: sf-gw7")
    replace(root / "fleet" / "clusters" / "cluster-west.yaml", "min: 1", "min: 9")
    replace(
        root / "fleet" / "clusters" / "cluster-west.yaml", "region: us-west-2", "region: us-mars-1"
    )


def test_a_fleet_that_is_right_is_one_line_and_exit_0(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("chef", "tests"):
        (root / folder).symlink_to(REPOSITORY / folder)
    with pytest.raises(SystemExit):
        main(["--root", str(root), "addresses", "--write"])
    capsys.readouterr()
    assert check(root) == 0
    assert capsys.readouterr().out == "4 files, 2 clusters, 1 site, no findings\n"


def test_errors_end_with_exit_1_and_are_sorted_by_file_and_line(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    break_two_files(root)
    assert check(root) == 1
    shown = capsys.readouterr().out.splitlines()
    west = "fleet/clusters/cluster-west.yaml"
    places = [line.partition(": ")[0] for line in shown if line.startswith("fleet/")]
    assert places == [f"{west}:2", f"{west}:15", "fleet/sites/site-sf.yaml:6"]
    assert shown[-1] == "4 files, 2 clusters, 1 site, 3 errors"


def test_each_file_is_a_block_of_its_own(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    break_two_files(root)
    check(root)
    blocks = capsys.readouterr().out.split("\n\n")
    assert len(blocks) == 3  # two files and the summary
    assert all(block.count("fix: ") == block.count("error: ") for block in blocks)


def test_a_warning_is_shown_and_leaves_the_exit_code_alone(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(root) == 0
    shown = capsys.readouterr().out
    assert "addresses.lock.yaml: warning: no range yet" in shown
    assert "chef: warning: there is no such folder" in shown
    assert shown.endswith("2 warnings\n")


def test_json_has_the_same_findings_for_programs(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    break_two_files(root)
    assert check(root, "--json") == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["files"], said["clusters"], said["sites"]) == (4, 2, 1)
    assert said["findings"][1] == {
        "file": "fleet/clusters/cluster-west.yaml",
        "line": 15,
        "level": "error",
        "what": "'adhoc' has min 9 above max 8",
        "fix": "raise max or lower min",
    }


def test_a_ledger_with_merge_markers_is_found_beside_the_fleets_own_mistakes(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    break_two_files(root)
    (root / "fleet" / "addresses.lock.yaml").write_text("<<<<<<< HEAD\n=======\n>>>>>>> other\n")
    assert check(root) == 1
    shown = capsys.readouterr().out
    assert "fleet/addresses.lock.yaml:1: error: " in shown
    assert "us-mars-1" in shown


def test_nothing_is_coloured_where_nobody_looks(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    break_two_files(root)
    check(root)
    assert "\x1b" not in capsys.readouterr().out
