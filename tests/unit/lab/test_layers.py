"""Layers: copies of disks, whole or not there."""

from pathlib import Path

import pytest

from orchestrate.errors import CommandFailed, LabError
from orchestrate.lab.disk import Disk
from orchestrate.lab.layers import Layers, copy_containerd, upper


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    found = Disk(tmp_path / "host")
    for folder in (found.upper, found.containerd):
        folder.mkdir(parents=True)
    (found.upper / "file").write_text("baked")
    (found.containerd / "blob").write_text("blob")
    return found


def test_a_layer_has_what_the_disk_had(disk: Disk, tmp_path: Path) -> None:
    layers = Layers(tmp_path / "layers")
    assert layers.state("snap-1") == "copying"
    layers.copy(disk, "snap-1")
    (disk.upper / "file").write_text("changed")

    (layer,) = layers.folders(["snap-1"])

    assert layers.state("snap-1") == "whole"
    assert (upper(layer) / "file").read_text() == "baked"


def test_a_new_disk_gets_the_images_containers_and_keeps_its_own(
    disk: Disk, tmp_path: Path
) -> None:
    layers = Layers(tmp_path / "layers")
    layers.copy(disk, "snap-1")
    fresh = Disk(tmp_path / "fresh")
    fresh.containerd.mkdir(parents=True)

    copy_containerd(tmp_path / "layers" / "snap-1", fresh)
    (fresh.containerd / "blob").write_text("own")
    copy_containerd(tmp_path / "layers" / "snap-1", fresh)

    assert (fresh.containerd / "blob").read_text() == "own"


def test_a_copy_that_failed_leaves_nothing_and_says_why(disk: Disk, tmp_path: Path) -> None:
    layers = Layers(tmp_path / "layers")
    with pytest.raises(CommandFailed):
        layers.copy(Disk(tmp_path / "nobody"), "snap-1")
    layers.fail("snap-1", "no such disk")

    assert layers.state("snap-1") == "no such disk"
    assert list(layers.folder.iterdir()) == []


def test_a_missing_layer_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="snap-1"):
        Layers(tmp_path / "layers").folders(["snap-1"])


def test_only_what_nobody_needs_is_removed(disk: Disk, tmp_path: Path) -> None:
    layers = Layers(tmp_path / "layers")
    for name in ("snap-1", "snap-2", "snap-3"):
        layers.copy(disk, name)
    (tmp_path / "layers" / "snap-4.unfinished").mkdir()

    layers.prune({"snap-2", "snap-4"})

    assert {path.name for path in layers.folder.iterdir()} == {"snap-2", "snap-4.unfinished"}
