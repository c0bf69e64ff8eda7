"""What lies in a folder, and what of it counts."""

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path, PurePath

import pytest

from orchestrate.chef import archive, check
from orchestrate.content import counts, files
from orchestrate.fleet.load import read
from orchestrate.images import revision
from orchestrate.terraform.digest import of_folder

CHECKOUT = Path(__file__).resolve().parents[2]
BASE = CHECKOUT / "tests" / "cases" / "fleet" / "base"
LEFT_BEHIND = (
    "default.rb~",
    "#default.rb#",
    ".default.rb.swp",
    "default.rb.bak",
    "default.rb.orig",
    "default.rb.rej",
    "4913",
    ".DS_Store",
    "._default.rb",
    "._base.json",
    "._main.tf",
    "._x.yaml",
    "Thumbs.db",
    ".nfs0000000000000001",
    "__pycache__/a.pyc",
    ".git/HEAD",
    ".idea/workspace.xml",
)


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_what_tools_leave_behind_does_not_count(name: str) -> None:
    assert not counts(PurePath(name))
    assert not counts(PurePath("recipes") / name)


@pytest.mark.parametrize(
    "name", ["default.rb", ".bashrc", "a~b.erb", "unit.conf", "orig.rb", "swap.swp.rb", "bak/x.rb"]
)
def test_what_people_wrote_counts(name: str) -> None:
    assert counts(PurePath(name))


def littered(folder: Path) -> None:
    """Put everything into every folder that somebody may find there without having written it."""
    for place in [folder, *(each for each in folder.rglob("*") if each.is_dir())]:
        for name in LEFT_BEHIND:
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_bytes(b"\x00left behind")
        # Emacs's lock on a file is a link to nowhere; a language server leaves its socket.
        for name in (".#default.rb", ".#base.json", ".#x.yaml", ".#main.tf"):
            (place / name).symlink_to("me@here.1234:1")
        (place / "empty").mkdir()
    here = Path.cwd()
    os.chdir(folder)  # a socket's path may have about a hundred bytes
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("server.sock")
    finally:
        os.chdir(here)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """What of this repository decides what hosts and images are, below a folder with a bad name."""
    root = tmp_path / "work.orig" / ".git" / "checkout"
    for name in ("chef", "terraform/modules", "packer"):
        shutil.copytree(CHECKOUT / name, root / name)
    shutil.copytree(BASE, root / "fleet")
    return root


def digests(root: Path) -> dict[str, object]:
    """Everything that says whether a host, an image, a plan or a fleet is still the same."""
    packed = {
        role: archive.pack(root / "chef", role, stand_in=True)
        for role in ("bastion", "gpu-worker", "storage")
    }
    written = CHECKOUT / "terraform/modules"
    modules = [each.name for each in written.iterdir() if each.is_dir()]
    return {
        "archives": {role: (one.digest, one.data) for role, one in packed.items()},
        "modules": {name: of_folder(root / "terraform/modules" / name) for name in modules},
        "chef": check.findings(root, None),
        "fleet": str(read(root / "fleet")),
    }


def owner_only(root: Path) -> None:
    """The modes that a checkout has under umask 077."""
    for path in root.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)


def read_only(root: Path) -> None:
    for path in root.rglob("*"):
        if path.is_file():
            path.chmod(path.stat().st_mode & 0o555)


@pytest.mark.parametrize("change", [littered, owner_only, read_only])
def test_nothing_becomes_another_for_what_nobody_wrote(
    repository: Path, change: Callable[[Path], None]
) -> None:
    before = digests(repository)
    assert before["chef"] == []
    change(repository)
    assert digests(repository) == before


def test_a_line_somebody_wrote_changes_what_it_should(repository: Path) -> None:
    before = digests(repository)
    file = repository / "chef/cookbooks/bastion/recipes/default.rb"
    file.write_text(file.read_text() + "# more\n")
    after = digests(repository)
    assert {name for name in before if before[name] != after[name]} == {"archives"}


def test_files_come_in_one_order_and_without_folders(tmp_path: Path) -> None:
    for name in ("b/c", "b-a", "a"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [str(path.relative_to(tmp_path)) for path in files(tmp_path)] == ["a", "b/c", "b-a"]


def test_a_commit_is_not_dirty_for_what_an_editor_left(tmp_path: Path) -> None:
    from tests.unit.images.test_revision import repository as committed

    commit = committed(tmp_path)
    littered(tmp_path / "chef")
    (tmp_path / "chef" / "server.sock").unlink()
    assert revision.of(tmp_path, "chef") == revision.Revision(commit)
    (tmp_path / "chef" / "new.rb").touch()
    assert revision.of(tmp_path, "chef") == revision.Revision(commit, dirty=True)
