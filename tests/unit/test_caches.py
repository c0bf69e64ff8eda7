"""What runs leave behind is their owner's alone: saved plans have secrets in them."""

import stat
from pathlib import Path

import pytest

from orchestrate.caches import work_folder


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def test_nobody_else_enters_the_folder_of_a_checkouts_runs(tmp_path: Path) -> None:
    folder = work_folder(tmp_path)
    assert folder == tmp_path / ".orchestrate"
    assert mode(folder) == 0o700


def test_one_that_was_open_is_shut(tmp_path: Path) -> None:
    (tmp_path / ".orchestrate").mkdir()
    (tmp_path / ".orchestrate").chmod(0o755)
    assert mode(work_folder(tmp_path)) == 0o700


def test_one_in_the_cache_is_shut_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORCHESTRATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("os.access", lambda *_: False)
    folder = work_folder(tmp_path)
    assert folder.is_relative_to(tmp_path / "cache")
    assert mode(folder) == 0o700
