"""A lab's state folder: nobody else's, and nothing of anybody else's is read from it."""

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrate.errors import LabError
from orchestrate.lab import client, control, own_folder, saved_cloud
from orchestrate.lab.kept_images import KeptImages
from orchestrate.lab.paths import LabFiles

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
NOBODY = 65534


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LabFiles:
    monkeypatch.setenv("ORCHESTRATE_CACHE", str(tmp_path / "cache"))
    return LabFiles(tmp_path / "state" / "lab")


def test_a_new_folder_and_its_files_are_for_their_owner_only(files: LabFiles) -> None:
    own_folder.make(files)
    own_folder.write(files.record, "{}")
    saved_cloud.write(files.cloud, 0, b"")

    assert files.folder.stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o777 for each in files.folder.iterdir()} == {0o600}


def test_a_folder_of_ours_that_others_could_look_into_is_closed(files: LabFiles) -> None:
    files.folder.mkdir(parents=True)
    files.folder.chmod(0o755)
    own_folder.make(files)
    assert files.folder.stat().st_mode & 0o777 == 0o700


def test_a_link_at_a_file_s_name_is_not_followed(files: LabFiles, tmp_path: Path) -> None:
    own_folder.make(files)
    (tmp_path / "precious").write_text("precious")
    for name in ("lab.json", "lab.json.new"):
        (files.folder / name).symlink_to(tmp_path / "precious")

    own_folder.write(files.record, "{}")

    assert (tmp_path / "precious").read_text() == "precious"
    assert files.record.read_text() == "{}"


def _planted(files: LabFiles) -> None:
    files.cloud.write_bytes(b"")
    os.chown(files.cloud, NOBODY, NOBODY)


def _writable(files: LabFiles) -> None:
    files.record.write_text("{}")
    files.record.chmod(0o666)


HANDS: dict[str, Callable[[LabFiles], object]] = {
    "another's folder": lambda files: os.chown(files.folder, NOBODY, NOBODY),
    "another's folder above": lambda files: os.chown(files.folder.parent, NOBODY, NOBODY),
    "a folder that all may write": lambda files: files.folder.chmod(0o777),
    "a folder like /tmp itself": lambda files: files.folder.chmod(0o1777),
    "a folder above that all may write": lambda files: files.folder.parent.chmod(0o777),
    "a saved cloud of another's": _planted,
    "a record that all may write": _writable,
}
USES: dict[str, Callable[[LabFiles], object]] = {
    "up": lambda files: control.up(files, False, lambda _: None),
    "down": lambda files: control.down(files, lambda _: None),
    "a command": client.running,
}


@needs_root
@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("hand", HANDS.values(), ids=HANDS)
def test_nothing_is_done_with_a_folder_that_another_has_a_hand_in(
    files: LabFiles, hand: Callable[[LabFiles], object], use: Callable[[LabFiles], object]
) -> None:
    files.folder.mkdir(parents=True)
    hand(files)
    with pytest.raises(LabError, match="not a lab of yours") as refused:
        use(files)
    assert "ORCHESTRATE_LAB_DIR" in refused.value.fix


@needs_root
@pytest.mark.parametrize("part", [".", "rootfs", "authority"])
def test_hosts_do_not_boot_from_another_s_cache(files: LabFiles, tmp_path: Path, part: str) -> None:
    (tmp_path / "cache" / part).mkdir(parents=True)
    os.chown(tmp_path / "cache" / part, NOBODY, NOBODY)
    with pytest.raises(LabError, match="not a cache of yours"):
        control.up(files, False, lambda _: None)
    assert not files.record.exists()


def test_images_kept_where_others_write_are_not_used(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images").chmod(0o777)
    with pytest.raises(LabError, match="not images of yours"):
        KeptImages(tmp_path / "images", "root").whole()


class Code:
    """Another user's code, as it ran as root."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.mark}",)  # noqa: TID251


def test_a_saved_cloud_that_holds_code_is_no_cloud(tmp_path: Path) -> None:
    held = pickle.dumps(Code(tmp_path / "ran"), pickle.HIGHEST_PROTOCOL)
    saved_cloud.write(tmp_path / "cloud.saved", 0, held)

    assert not saved_cloud.restore(tmp_path / "cloud.saved", 0)
    assert not (tmp_path / "ran").exists()
