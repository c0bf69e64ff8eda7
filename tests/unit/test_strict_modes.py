"""Who else could have written what is about to be trusted."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrate.strict_modes import distrusted

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
NOBODY = 65534


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "above" / "folder" / "file"
    path.parent.mkdir(parents=True)
    path.write_text("own")
    path.chmod(0o600)
    return path


def test_what_is_ours_alone_is_trusted_and_so_is_what_is_not_there(file: Path) -> None:
    assert distrusted(file) == ""
    assert distrusted(file.parent / "none" / "at all") == ""


@pytest.mark.parametrize("mode", [0o602, 0o666, 0o777])
def test_a_file_that_others_may_write_is_not(file: Path, mode: int) -> None:
    file.chmod(mode)
    assert f"{file} may be written by others" in distrusted(file)


@pytest.mark.parametrize("up", [0, 1])
def test_nor_is_one_in_a_folder_where_others_may_exchange_it(file: Path, up: int) -> None:
    file.parents[up].chmod(0o777)
    assert f"{file.parents[up]} may be written by others" in distrusted(file)


def test_a_folder_where_only_owners_exchange_their_files_may_be_above(file: Path) -> None:
    file.parent.chmod(0o1777)
    assert distrusted(file) == ""
    assert distrusted(file.parent) != ""


def _give(path: Path) -> None:
    os.chown(path, NOBODY, NOBODY)


def _link(path: Path) -> None:
    real = path.rename(path.with_name("real"))
    path.symlink_to(real)
    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def _lead_to_anothers(path: Path) -> None:
    real = path.rename(path.with_name("real"))
    path.symlink_to(real)
    _give(real)


def _share_with_a_group(path: Path) -> None:
    os.chown(path, 0, NOBODY)
    path.chmod(0o660)


TAKEN: dict[str, Callable[[Path], None]] = {
    "the file": _give,
    "its folder": lambda path: _give(path.parent),
    "a folder above": lambda path: _give(path.parents[1]),
    "a link that another laid": _link,
    "where a link leads": _lead_to_anothers,
    "its group": _share_with_a_group,
}


@needs_root
@pytest.mark.parametrize("take", TAKEN.values(), ids=TAKEN)
def test_nothing_is_trusted_that_another_user_has_a_hand_in(
    file: Path, take: Callable[[Path], None]
) -> None:
    take(file)
    assert distrusted(file) != ""


@needs_root
def test_a_group_of_its_owner_s_alone_may_write(file: Path) -> None:
    file.chmod(0o660)
    assert distrusted(file) == ""
