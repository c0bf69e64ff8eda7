"""Builds that AWS has and the catalogue lacks: kept by a lab, offered by the next, taken up."""

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrate.aws import images
from orchestrate.aws.images import Ami
from orchestrate.aws.session import Session
from orchestrate.fleet import names
from orchestrate.fleet.load import load
from orchestrate.images import earlier, labels
from orchestrate.images.catalogue import Build, Catalogue, recorded
from orchestrate.images.needs import Earlier
from orchestrate.lab.gaps import baked_images, hosts
from orchestrate.lab.kept_images import KeptImage
from tests.unit.conftest import reset
from tests.unit.images.builds import build

WEST, RECIPE = "us-west-2", "f" * 64
FLEET = load(Path(__file__).parents[3] / "fleet")
ONE = build("base-20261101-0000-aaaaaa", parent="ami-0d")


class Keeper:
    """Hosts whose disks are copied at once; notes which images it is to keep."""

    def __init__(self) -> None:
        self.kept: dict[str, KeptImage] = {}

    def snapshot(self, instance_id: str, layer: str, *, reboot: bool) -> None: ...

    def layer_state(self, layer: str) -> str:
        return "whole"

    def state(self, instance_id: str) -> None: ...

    def prune(self) -> None: ...

    def keep_image(self, image: KeptImage) -> None:
        self.kept[image.layer] = image

    def forget_image(self, layer: str) -> None:
        self.kept.pop(layer)


@pytest.fixture
def keeper(session: Session, monkeypatch: pytest.MonkeyPatch) -> Keeper:
    made = Keeper()
    monkeypatch.setattr(hosts, "_keepers", [made])
    return made


def bake(session: Session, one: Build, **more: str) -> Ami:
    """An image as a bake leaves it, all but for what Packer does."""
    ec2 = session.ec2(WEST)
    vendor = ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"]
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    started = ec2.run_instances(ImageId=vendor, MinCount=1, MaxCount=1, SubnetId=subnet)
    name = names.image(FLEET, one.id)
    ec2.create_image(InstanceId=started["Instances"][0]["InstanceId"], Name=name)
    (ami,) = images.named(session, WEST, [name])
    images.tag(session, ami, {**labels.of_image(FLEET, "base", one), **more})
    return ami


def found(session: Session, catalogue: Catalogue | None = None) -> list[Earlier]:
    known = Catalogue() if catalogue is None else catalogue
    return earlier.unknown(session, WEST, FLEET, ["base"], known)["base"]


@pytest.mark.parametrize(
    "one",
    [ONE, replace(ONE, dirty=True), replace(ONE, commit=""), replace(ONE, commit="", dirty=True)],
)
def test_a_tested_image_is_the_build_that_its_tags_say(session: Session, one: Build) -> None:
    ami = bake(session, one, **{labels.RECIPE: RECIPE})
    here = replace(
        one, regions={WEST: ami.id}, root_device=ami.root_device, architecture=ami.architecture
    )
    assert found(session) == [Earlier(here, RECIPE)]


def test_what_did_not_pass_its_tests_is_not_found(session: Session) -> None:
    bake(session, ONE)
    assert found(session) == []


def test_what_the_catalogue_knows_is_not_found(session: Session) -> None:
    bake(session, ONE, **{labels.RECIPE: RECIPE})
    assert found(session, recorded(Catalogue(), "base", ONE)) == []


@pytest.mark.parametrize("tag", ["orchestrate:built", "orchestrate:image", "fleet"])
def test_what_has_other_tags_is_not_found(session: Session, tag: str) -> None:
    bake(session, ONE, **{labels.RECIPE: RECIPE, tag: "another"})
    assert found(session) == []


def test_an_image_outlives_its_lab(session: Session, endpoint: str, keeper: Keeper) -> None:
    ami = bake(session, ONE, **{labels.RECIPE: RECIPE})
    (before,) = found(session)
    (kept,) = keeper.kept.values()
    assert kept.layer in ami.snapshots

    reset(endpoint)
    assert found(session) == []
    baked_images.offer([kept])

    (after,) = found(session)
    assert after.build == replace(before.build, regions=after.build.regions)
    assert after.build.regions != before.build.regions
    (offered,) = images.named(session, WEST, [ami.name])
    assert offered.created == ami.created


def test_an_image_that_was_removed_is_kept_no_longer(session: Session, keeper: Keeper) -> None:
    ami = bake(session, ONE)
    images.remove(session, ami)
    assert keeper.kept == {}


def test_a_copy_elsewhere_is_not_kept_and_takes_nothing_along(
    session: Session, keeper: Keeper
) -> None:
    ami = bake(session, ONE)
    made = images.copy(session, ami, "eu-west-1", description="copy", tags={"a": "b"})
    (copy,) = images.existing(session, [("eu-west-1", made)])
    images.tag(session, copy, {"c": "d"})
    images.remove(session, copy)
    assert [kept.region for kept in keeper.kept.values()] == [WEST]


def test_an_image_that_cannot_be_offered_is_left_out(
    session: Session, endpoint: str, keeper: Keeper
) -> None:
    bake(session, ONE, **{labels.RECIPE: RECIPE})
    (kept,) = keeper.kept.values()
    reset(endpoint)
    strange = [replace(kept, created="yesterday"), replace(kept, region="moon-1")]
    baked_images.offer([*strange, kept])
    assert len(found(session)) == 1
