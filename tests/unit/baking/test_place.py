"""What images are made from, and what is refused before anything is started."""

import shutil
from pathlib import Path

import pytest

from orchestrate import bake
from orchestrate.aws.session import Session
from orchestrate.baking import publish
from orchestrate.baking.place import BakePlace
from orchestrate.cli.bake_view import Program
from orchestrate.errors import InvalidInput, MissingTool, OrchestrateError
from orchestrate.fleet import names
from orchestrate.fleet.load import load
from orchestrate.images import packer
from orchestrate.images.needs import Finish
from orchestrate.shell import Stop
from tests.unit.images.builds import build

ROOT = Path(__file__).parents[3]
WEST = "us-west-2"


@pytest.fixture
def place(session: Session, tmp_path: Path) -> BakePlace:
    """The repository's fleet with a cookbook of two lines."""
    chef = tmp_path / "chef"
    recipes = chef / "cookbooks" / "one" / "recipes"
    recipes.mkdir(parents=True)
    (recipes / "default.rb").write_text("file '/etc/one' do\nend\n")
    (recipes.parent / "metadata.rb").write_text("name 'one'\n")
    shutil.copytree(ROOT / "chef" / "roles", chef / "roles")
    for role in (chef / "roles").glob("*.json"):
        role.write_text('{"run_list": ["recipe[one]"]}')
    suite = tmp_path / "tests" / "infra" / "one" / "test_one.py"
    suite.parent.mkdir(parents=True)
    suite.write_text("")
    return BakePlace(
        tmp_path, load(ROOT / "tests" / "golden" / "example" / "fleet"), session.target, session
    )


def key_pairs(place: BakePlace) -> list[object]:
    return list(place.session.ec2(WEST).describe_key_pairs()["KeyPairs"])


def asked(*images: str) -> bake.Request:
    return bake.Request(("orchestrate", "bake", *images), images)


def test_a_broken_cookbook_is_told_with_its_line_and_nothing_is_started(place: BakePlace) -> None:
    recipe = place.root / "chef" / "cookbooks" / "one" / "recipes" / "default.rb"
    recipe.write_text("file '/etc/one' do\n  mode '0644'\n")
    with pytest.raises(InvalidInput) as refused:
        bake.bake(place, asked("base"), Program())
    assert "recipes/default.rb:" in str(refused.value)
    assert key_pairs(place) == []


def test_an_image_that_nothing_would_test_is_refused(place: BakePlace) -> None:
    shutil.rmtree(place.root / "tests")
    with pytest.raises(OrchestrateError, match="nothing would test base, ssh-node"):
        bake.bake(place, asked("ssh-node"), Program())
    assert key_pairs(place) == []


def test_a_missing_packer_is_told_and_nothing_is_started(
    place: BakePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(packer.VARIABLE, "/nowhere/packer")
    with pytest.raises(MissingTool) as refused:
        bake.bake(place, asked("base"), Program())
    assert "apt-get install packer" in refused.value.fix
    assert key_pairs(place) == []
    assert not (place.work_folder / "runs").exists()


def test_a_cluster_that_is_applied_lends_its_public_subnet(place: BakePlace) -> None:
    ec2 = place.session.ec2(WEST)
    found = place.subnet()
    default = ec2.describe_subnets(SubnetIds=[found.id])["Subnets"][0]
    assert default["DefaultForAz"]
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    name = names.subnet(place.fleet, "cluster-us-west", "public", "us-west-2b")
    made = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.1.0/24")["Subnet"]["SubnetId"]
    ec2.create_tags(Resources=[made], Tags=[{"Key": "Name", "Value": name}])
    assert (place.subnet().id, place.subnet().vpc) == (made, vpc)


def test_without_any_subnet_it_is_told_how_to_get_one(place: BakePlace) -> None:
    ec2 = place.session.ec2(WEST)
    for subnet in ec2.describe_subnets()["Subnets"]:
        ec2.delete_subnet(SubnetId=subnet["SubnetId"])
    with pytest.raises(OrchestrateError) as refused:
        place.subnet()
    assert "create-default-vpc --region us-west-2" in refused.value.fix


def test_a_vendor_without_such_an_image_is_told(place: BakePlace) -> None:
    file = place.fleet.file
    gone = file.images["debian-12"].model_copy(update={"name": "debian-9-*"})
    fleet = place.fleet.model_copy(
        update={"file": file.model_copy(update={"images": {"debian-12": gone}})}
    )
    with pytest.raises(OrchestrateError, match="no image 'debian-9-") as refused:
        BakePlace(place.root, fleet, place.target, place.session).vendor("debian-12")
    assert refused.value.where == "fleet.yaml, images: debian-12"


def test_a_parent_whose_ami_is_gone_is_told(place: BakePlace) -> None:
    lost = build("base-20261101-0000-aaaaaa", regions={WEST: "ami-0ffff"})
    publish.record(place, "base", lost)
    with pytest.raises(OrchestrateError, match=f"its parent {lost.id} has no AMI") as refused:
        place.source("ssh-node")
    assert "orchestrate bake --force base" in refused.value.fix


def test_only_a_labs_archive_has_the_stand_in(place: BakePlace) -> None:
    chef = place.root / "chef" / "stand-in"
    chef.mkdir()
    (chef / "run").write_text("#!/bin/sh\n")
    real = BakePlace(place.root, place.fleet, type(place.target)("aws"), place.session)
    assert place.archive("base").digest != real.archive("base").digest
    before = real.archive("base").digest
    (chef / "run").unlink()
    assert real.archive("base").digest == before


def test_nothing_is_promoted_where_a_region_lacks_it(place: BakePlace) -> None:
    one = build("ssh-node-20261101-0000-aaaaaa")
    publish.record(place, "ssh-node", one)
    with pytest.raises(OrchestrateError, match="missing in"):
        publish.publish(place, "ssh-node", Finish(one, ()), lambda _: None, Stop())
