"""`orchestrate init`: a fleet that is right from the first minute, and never one overwritten."""

from pathlib import Path

import pytest

from orchestrate.chef import archive
from orchestrate.cli.init import CHECKOUT
from orchestrate.cli.main import main
from orchestrate.fleet.load import load


def init(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["init", *arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_the_new_fleet_passes_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert init(str(tmp_path / "deeplab")) == 0
    capsys.readouterr()
    with pytest.raises(SystemExit) as checked:
        main(["--root", str(tmp_path / "deeplab"), "check"])
    assert checked.value.code == 0
    assert capsys.readouterr().out == "2 files, 1 cluster, 0 sites, no findings\n"


def test_it_ends_with_the_next_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    init(str(tmp_path))
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.strip() == "orchestrate apply cluster-us-west"


def test_options_go_into_the_files(tmp_path: Path) -> None:
    init(
        *(str(tmp_path), "--name", "vision", "--account", "210987654321"),
        *("--domain", "vision.example.org", "--region", "eu-west-1"),
    )
    fleet = load(tmp_path / "fleet")
    assert (fleet.file.name, fleet.file.account) == ("vision", "210987654321")
    assert fleet.file.domain == "vision.example.org"
    assert list(fleet.clusters) == ["cluster-eu-west"]


def test_the_fleet_is_named_after_its_folder(tmp_path: Path) -> None:
    init(str(tmp_path / "2nd Vision_Lab"))
    assert load(tmp_path / "2nd Vision_Lab" / "fleet").file.name == "nd-vision-lab"


def test_a_fleet_that_is_there_is_not_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fleet").mkdir()
    (tmp_path / "fleet" / "mine.txt").write_text("precious")
    assert init(str(tmp_path)) == 1
    assert "there is a fleet already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*")] == ["fleet", "mine.txt"]


def test_options_that_make_no_fleet_are_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert init(str(tmp_path), "--account", "12", "--region", "us-weast-2") == 1
    shown = capsys.readouterr().err
    assert "did you mean 'us-west-2'?" in shown
    assert "'account' is '12'" in shown
    assert list(tmp_path.iterdir()) == []


def test_what_git_should_ignore_is_ignored_and_an_own_list_kept(tmp_path: Path) -> None:
    init(str(tmp_path / "new"))
    assert (tmp_path / "new" / ".gitignore").read_text() == ".orchestrate/\n"
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / ".gitignore").write_text("mine\n")
    init(str(tmp_path / "old"))
    assert (tmp_path / "old" / ".gitignore").read_text() == "mine\n"


def test_hosts_have_what_converges_and_verifies_them(tmp_path: Path) -> None:
    init(str(tmp_path / "new"))
    roles_there = {file.stem for file in (tmp_path / "new" / "chef" / "roles").glob("*.json")}
    for cluster in load(tmp_path / "new" / "fleet").clusters.values():
        assert {"bastion", *(group.role for group in cluster.node_groups.values())} <= roles_there
    for role in ("bastion", "ssh-node"):
        assert archive.pack(tmp_path / "new" / "chef", role, stand_in=True).digest == (
            archive.pack(CHECKOUT / "chef", role, stand_in=True).digest
        )
    assert (tmp_path / "new" / "tests" / "infra" / "base").is_dir()
    assert not list((tmp_path / "new").rglob("__pycache__"))


def test_cookbooks_that_are_there_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "chef" / "cookbooks").mkdir(parents=True)
    (tmp_path / "chef" / "mine.txt").write_text("precious")
    init(str(tmp_path))
    assert {file.name for file in (tmp_path / "chef").iterdir()} == {"cookbooks", "mine.txt"}
