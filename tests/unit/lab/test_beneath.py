"""Whoever decides what is in a folder leads nobody out of it."""

import errno
import os
import posixpath
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrate.errors import LabError
from orchestrate.lab import beneath
from orchestrate.lab.beneath import Tree

SECRET = "root:$y$secret:20000:0:99999:7:::\n"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """What is outside: a folder with a file of mode 600, as /etc and /etc/shadow are."""
    folder = tmp_path / "machine"
    folder.mkdir()
    (folder / "shadow").write_text(SECRET)
    (folder / "shadow").chmod(0o600)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "hosts" / "root"
    (folder / "etc").mkdir(parents=True)
    return folder


Trap = Callable[[Path, Path], str]


def _linked(name: str, target: str) -> Trap:
    def lay(root: Path, machine: Path) -> str:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target.format(machine=machine))
        return name if target.endswith("shadow") else f"{name}/shadow"

    return lay


TRAPS: dict[str, Trap] = {
    "a link": _linked("etc/passwd", "{machine}/shadow"),
    "a link upward": _linked("etc/passwd", "../../../machine/shadow"),
    "a folder that is a link": _linked("srv/home", "{machine}"),
    "a folder that is a link upward": _linked("srv/home", "../../../machine"),
    "a process's root": _linked("etc/passwd", "/proc/self/root{machine}/shadow"),
    "a process's folder": _linked("etc/cwd", "/proc/self/cwd"),
    "a name with dots": lambda *_: "../../machine/shadow",
    "a name with dots inside": lambda *_: "etc/../../../machine/shadow",
    "the machine's name": lambda _, machine: str(machine / "shadow"),
}


def _kept(machine: Path) -> bool:
    file = machine / "shadow"
    seen = file.stat()
    whole = file.read_text() == SECRET and seen.st_mode & 0o777 == 0o600
    return whole and [*machine.iterdir()] == [file] and seen.st_uid == os.geteuid()


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_nothing_outside_is_read(root: Path, machine: Path, trap: Trap) -> None:
    name = trap(root, machine)
    with pytest.raises(LabError):
        Tree(root).read(name)


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_nothing_outside_is_written_made_or_removed(root: Path, machine: Path, trap: Trap) -> None:
    name, tree = trap(root, machine), Tree(root)
    doings: list[Callable[[], object]] = [
        lambda: tree.remove(name),
        lambda: tree.write(name, "mine\n", 0o666, (os.geteuid(), os.getegid())),
        lambda: tree.folder(f"{posixpath.dirname(name)}/made", 0o777, (os.geteuid(), os.getegid())),
        lambda: tree.link(name, "elsewhere"),
        lambda: tree.rename(posixpath.dirname(name), "shadow", "moved"),
        lambda: tree.write(f"{name}/deeper", "mine\n"),
    ]
    for do in doings:
        try:
            do()
        except LabError as refused:
            assert str(root) in str(refused)
        assert _kept(machine)


def test_links_of_the_root_lead_where_they_do_for_the_host(root: Path) -> None:
    (root / "data").mkdir()
    (root / "home").symlink_to("/data")
    (root / "etc/mtab").symlink_to("../../../../data/admin/file")

    Tree(root).write("home/admin/file", "inside\n")

    assert (root / "data/admin/file").read_text() == "inside\n"
    assert Tree(root).read("/etc/mtab") == "inside\n"


def test_a_file_takes_the_place_of_a_link_rather_than_of_what_it_leads_to(root: Path) -> None:
    (root / "other").write_text("other")
    (root / "etc/hosts").symlink_to("/other")

    Tree(root).write("etc/hosts", "own\n", 0o640)

    assert not (root / "etc/hosts").is_symlink()
    assert (root / "etc/hosts").stat().st_mode & 0o777 == 0o640
    assert (root / "other").read_text() == "other"


def test_a_pipe_is_refused_and_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "etc/passwd")
    with pytest.raises(LabError, match="etc/passwd: not a file"):
        Tree(root).read("etc/passwd")


def test_a_file_without_end_is_refused(root: Path) -> None:
    with (root / "etc/passwd").open("w") as file:
        file.truncate(2**40)
    with pytest.raises(LabError, match=os.strerror(errno.EFBIG)):
        Tree(root).read("etc/passwd")


def test_bytes_that_are_no_text_are_kept_as_they_are(root: Path) -> None:
    (root / "etc/passwd").write_bytes(b"\xff\xfe:x\n")
    Tree(root).write("copy", Tree(root).read("etc/passwd"))
    assert (root / "copy").read_bytes() == b"\xff\xfe:x\n"


def test_what_is_not_there_is_none_of_its_names(root: Path) -> None:
    (root / "etc/a").touch()
    (root / "etc/b").symlink_to("/nowhere")
    tree = Tree(root)
    assert [tree.has(name) for name in ("etc/a", "etc/b", "etc/c", "etc/a/b")] == [
        *(True, True, False, False)
    ]
    assert tree.names("etc", "[ab]") == ["a", "b"]
    assert tree.names("usr") == []
    tree.remove("usr/nothing")


def test_a_kernel_that_cannot_is_refused_and_nothing_is_opened_another_way(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "etc/passwd").touch()
    monkeypatch.setattr(beneath, "OPENAT2", 4095)  # no system call has this number

    why = beneath.missing()

    assert why is not None
    assert "Linux 5.6" in why
    with pytest.raises(LabError, match="Function not implemented"):
        Tree(root).read("etc/passwd")


def test_this_kernel_can() -> None:
    assert beneath.missing() is None
