"""Roots on disk."""

from pathlib import Path

from orchestrate.terraform import roots
from orchestrate.terraform.write import modules_from, write


def test_a_folder_holds_exactly_the_files_that_were_rendered(tmp_path: Path) -> None:
    write(tmp_path / "new", {"main.tf": "one", "old.tf": "old"})
    write(tmp_path / "new", {"main.tf": "two"})
    assert {file.name: file.read_text() for file in (tmp_path / "new").iterdir()} == {
        "main.tf": "two"
    }


def test_what_terraform_keeps_beside_the_roots_stays(tmp_path: Path) -> None:
    (tmp_path / ".terraform").mkdir()
    (tmp_path / ".terraform" / "modules.tf").write_text("theirs")
    (tmp_path / ".terraform.lock.hcl").write_text("theirs")
    write(tmp_path, {"main.tf": "ours"})
    assert (tmp_path / ".terraform" / "modules.tf").read_text() == "theirs"
    assert (tmp_path / ".terraform.lock.hcl").read_text() == "theirs"


def test_an_unchanged_file_is_not_touched(tmp_path: Path) -> None:
    write(tmp_path, {"main.tf": "same"})
    before = (tmp_path / "main.tf").stat()
    write(tmp_path, {"main.tf": "same"})
    after = (tmp_path / "main.tf").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_the_path_to_the_modules_leads_there_from_any_folder(tmp_path: Path) -> None:
    path = modules_from(tmp_path)
    assert not Path(path).is_absolute()
    (tmp_path / "stack").mkdir()
    assert (tmp_path / "stack" / path).resolve() == roots.MODULES.resolve()
