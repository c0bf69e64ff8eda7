"""Images that outlive their lab: baked in one, taken up in the next, tested in both."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrate.lab.hosts import missing
from orchestrate.lab.kept_images import FOLDER_VARIABLE
from orchestrate.lab.paths import LabFiles
from tests.lab import bakery
from tests.lab.bakery import HERE, Bakery
from tests.lab.conftest import LabFolder

pytestmark = pytest.mark.hosts


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bakery]:
    """A bakery in a lab of its own, which keeps images in a folder of its own."""
    if (why := missing()) or not shutil.which("packer"):
        pytest.skip(f"no images here: {why or 'packer is not installed'}")
    folder = tmp_path_factory.mktemp("outlive")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(FOLDER_VARIABLE, str(folder / "kept"))
        lab = LabFolder(LabFiles(folder / "lab"))
        lab.up()
        (folder / "bakery").mkdir()
        yield bakery.build(lab, folder / "bakery")
        assert lab.orchestrate("down").code == 0


def another_lab(shop: Bakery) -> None:
    assert shop.account.lab.orchestrate("down").code == 0
    shop.account.lab.up()


def test_what_one_lab_baked_the_next_one_tests_and_publishes(shop: Bakery) -> None:
    baked = shop.bake("ssh-node")
    assert {image: one["to_do"] for image, one in baked.items()} == {
        "base": "bake",
        "ssh-node": "bake",
    }
    another_lab(shop)

    taken_up = shop.bake("ssh-node")

    for image in ("base", "ssh-node"):
        build, before = taken_up[image]["build"], baked[image]["build"]
        assert taken_up[image]["to_do"] == f"test and publish {before['id']}"
        assert build["id"] == before["id"]
        assert build["regions"].keys() == before["regions"].keys()
        assert build["regions"] != before["regions"]
    assert shop.left() == []
    assert {one["to_do"] for one in shop.bake("--all").values()} == {"nothing"}


def test_a_damaged_layer_is_not_offered_and_its_image_baked_anew(shop: Bakery) -> None:
    kept = Path(shop.environment[FOLDER_VARIABLE])
    for marker in kept.glob("*/layer/disk/etc/marker"):
        marker.write_text("by hand")
    another_lab(shop)
    assert shop.images(HERE) == []
    assert shop.bake("base")["base"]["to_do"] == "bake"
