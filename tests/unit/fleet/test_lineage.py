"""From which images an image is made."""

from pathlib import Path

import pytest

from orchestrate.fleet import lineage
from orchestrate.fleet.load import load
from orchestrate.fleet.models import BakedImage

FLEET = load(Path(__file__).parents[2] / "golden" / "example" / "fleet")
FILE = FLEET.file


def test_a_chain_ends_at_the_vendors_image() -> None:
    assert lineage.chain(FILE, "ssh-node") == ("ssh-node", "base", "debian-12")
    assert lineage.source(FILE, "ssh-node").user == "admin"


def test_a_vendors_image_is_a_chain_of_one() -> None:
    assert lineage.chain(FILE, "ubuntu-22.04") == ("ubuntu-22.04",)


def test_a_circle_ends_where_it_closes() -> None:
    baked = {"one": BakedImage(parent="two"), "two": BakedImage(parent="one")}
    file = FILE.model_copy(update={"baked": baked})
    assert lineage.chain(file, "one") == ("one", "two")


def test_an_image_that_does_not_exist_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="nope"):
        lineage.chain(FILE, "nope")


def test_the_role_is_called_like_the_image_unless_it_says_so() -> None:
    baked = {"old": BakedImage(parent="debian-12", role="base")}
    file = FILE.model_copy(update={"baked": baked})
    assert lineage.role(file, "old") == "base"
    assert lineage.role(FILE, "ssh-node") == "ssh-node"


def test_an_image_is_used_where_clusters_name_it_not_where_they_name_its_children() -> None:
    assert lineage.regions(FLEET, "ssh-node") == {"us-west-2", "eu-west-1"}
    assert lineage.regions(FLEET, "debian-12") == set()
    assert lineage.children(FILE, "debian-12") == ["base"]
