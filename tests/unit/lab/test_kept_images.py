"""Images kept beyond a lab: whole or not there, bounded, one lab's as good as another's."""

import os
import shutil
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrate.errors import CommandFailed
from orchestrate.lab import kept_images
from orchestrate.lab.kept_images import DOCUMENT, LAYER, KeptImage, KeptImages

BASE = KeptImage(
    layer="snap-1",
    below=(),
    account="123456789012",
    region="us-west-2",
    name="deeplab-base-1",
    description="base",
    architecture="x86_64",
    root_device="/dev/xvda",
    login="admin",
    created="2026-11-01T10:00:00+00:00",
    tags={"orchestrate:recipe": "f" * 64},
)
NODE = replace(BASE, layer="snap-2", below=("snap-1",), created="2026-11-01T11:00:00+00:00")


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    """What a lab has of an image: files, a link, a file that is gone, an empty folder."""
    made = tmp_path / "lab" / "snap-1"
    (made / "disk/etc").mkdir(parents=True)
    (made / "containerd").mkdir()
    (made / "disk/etc/motd").write_text("baked")
    (made / "disk/etc/link").symlink_to("motd")
    return made


@pytest.fixture
def cache(tmp_path: Path) -> KeptImages:
    return KeptImages(tmp_path / "cache", "root-1")


def test_a_later_lab_gets_the_image_with_its_layer(
    cache: KeptImages, layer: Path, tmp_path: Path
) -> None:
    cache.keep(BASE, layer)
    shutil.rmtree(layer)

    later = KeptImages(tmp_path / "cache", "root-1")
    assert later.whole() == [BASE]
    later.give("snap-1", tmp_path / "later")

    assert (tmp_path / "later/disk/etc/motd").read_text() == "baked"
    assert (tmp_path / "later/disk/etc/link").readlink() == Path("motd")
    assert (tmp_path / "later/containerd").is_dir()


def test_nobody_else_reaches_what_was_secret_or_runs_as_root_in_an_image(
    cache: KeptImages, layer: Path, tmp_path: Path
) -> None:
    (layer / "disk/etc/motd").chmod(0o4755)
    (tmp_path / "cache").mkdir(mode=0o755)

    cache.keep(BASE, layer)

    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


def test_what_is_told_later_is_kept_too(cache: KeptImages, layer: Path) -> None:
    cache.keep(BASE, layer)
    named = replace(BASE, tags={"Name": "base"})
    cache.keep(named, layer)
    assert cache.whole() == [named]


def cut_short(kept: Path) -> None:
    os.truncate(kept / LAYER / "disk/etc/motd", 2)


def written_to(kept: Path) -> None:
    (kept / LAYER / "disk/etc/new").write_text("more")


def file_lost(kept: Path) -> None:
    (kept / LAYER / "disk/etc/link").unlink()


def no_json(kept: Path) -> None:
    (kept / DOCUMENT).write_text('{"format": 1, "ima')


def no_document(kept: Path) -> None:
    (kept / DOCUMENT).unlink()


def another_format(kept: Path) -> None:
    (kept / DOCUMENT).write_text('{"format": 0, "root": "root-1"}')


def other_fields(kept: Path) -> None:
    text = (kept / DOCUMENT).read_text()
    (kept / DOCUMENT).write_text(text.replace('"login"', '"user"'))


@pytest.mark.parametrize(
    "damage",
    [cut_short, written_to, file_lost, no_json, no_document, another_format, other_fields],
)
def test_what_is_damaged_is_not_used_and_made_anew(
    cache: KeptImages, layer: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    kept_images.link(layer, fresh := tmp_path / "fresh")
    shutil.copytree(layer, whole := tmp_path / "whole", symlinks=True)
    cache.keep(BASE, fresh)
    damage(tmp_path / "cache" / "snap-1")
    assert cache.whole() == []

    cache.keep(BASE, whole)
    assert cache.whole() == [BASE]


def test_an_image_without_what_it_stands_on_is_not_used(cache: KeptImages, layer: Path) -> None:
    cache.keep(BASE, layer)
    cache.keep(NODE, layer)
    assert cache.whole() == [BASE, NODE]
    cache.forget("snap-1")
    assert cache.whole() == []


def test_another_root_file_system_has_images_of_its_own(
    cache: KeptImages, layer: Path, tmp_path: Path
) -> None:
    cache.keep(BASE, layer)
    assert KeptImages(tmp_path / "cache", "root-2").whole() == []


def test_a_killed_process_leaves_nothing_that_counts(
    cache: KeptImages, layer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(kept_images, "census", killed)
        with pytest.raises(KeyboardInterrupt):
            cache.keep(BASE, layer)
    assert [path.name for path in (tmp_path / "cache").glob("snap-*")] == ["snap-1.unfinished"]

    assert cache.whole() == []
    assert list((tmp_path / "cache").glob("snap-*")) == []
    cache.keep(BASE, layer)
    assert cache.whole() == [BASE]


def test_the_oldest_goes_where_there_is_too_much(layer: Path, tmp_path: Path) -> None:
    _, size = kept_images.census(layer)
    cache = KeptImages(tmp_path / "cache", "root-1", most_bytes=2 * size)
    days = [
        replace(BASE, layer=f"snap-{day}", created=f"2026-11-0{day}T00:00:00+00:00")
        for day in (2, 1, 3)
    ]
    for one in days:
        cache.keep(one, layer)
    assert [one.layer for one in cache.whole()] == ["snap-2", "snap-3"]


def test_a_layer_that_cannot_be_copied_is_not_kept(cache: KeptImages, tmp_path: Path) -> None:
    with pytest.raises(CommandFailed):
        cache.keep(BASE, tmp_path / "nothing")
    assert cache.whole() == []


def test_files_are_shared_not_copied(cache: KeptImages, layer: Path, tmp_path: Path) -> None:
    cache.keep(BASE, layer)
    kept = tmp_path / "cache/snap-1" / LAYER / "disk/etc/motd"
    assert kept.samefile(layer / "disk/etc/motd")


def test_where_images_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ORCHESTRATE_CACHE", str(tmp_path))
    monkeypatch.delenv(kept_images.FOLDER_VARIABLE, raising=False)
    assert kept_images.folder() == tmp_path / "images"
    monkeypatch.setenv(kept_images.FOLDER_VARIABLE, "/elsewhere")
    assert kept_images.folder() == Path("/elsewhere")
    monkeypatch.setenv(kept_images.FOLDER_VARIABLE, "")
    assert kept_images.folder() is None
