"""AMIs that the catalogue names and AWS doesn't have."""

from pathlib import Path

import pytest

from orchestrate.aws.session import Session
from orchestrate.errors import OrchestrateError
from orchestrate.images import catalogue_file
from orchestrate.images.catalogue import Catalogue, promoted, recorded
from orchestrate.images.presence import Absent, absent, forget, refuse, usable
from tests.unit.images.builds import build

WEST, EAST = "us-west-2", "us-east-1"
OLD = build("base-20261101-0000-aaaaaa", regions={WEST: "ami-0a", EAST: "ami-0b"})
NEW = build("base-20261102-0000-bbbbbb", regions={WEST: "ami-0c", EAST: "ami-0d"})
BOTH = promoted(recorded(recorded(Catalogue(), "base", OLD), "base", NEW), "base", NEW.id, [])
PATH = Path("fleet/images.lock.yaml")


def gone(build_id: str, region: str, ami: str) -> Absent:
    return Absent("base", build_id, region, ami)


def made(session: Session, region: str) -> str:
    """A new AMI of the account's own in a lab."""
    ec2 = session.ec2(region)
    vendor = ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"]
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    started = ec2.run_instances(ImageId=vendor, MinCount=1, MaxCount=1, SubnetId=subnet)
    instance = started["Instances"][0]["InstanceId"]
    return ec2.create_image(InstanceId=instance, Name=f"deeplab-{instance}")["ImageId"]


def test_a_build_gone_from_one_region_keeps_the_others() -> None:
    left = forget(BOTH, [gone(NEW.id, EAST, "ami-0d")])
    assert left.shelf("base").builds[NEW.id].regions == {WEST: "ami-0c"}
    assert left.shelf("base").current == NEW.id


def test_a_build_gone_everywhere_is_forgotten() -> None:
    left = forget(BOTH, [gone(NEW.id, EAST, "ami-0d"), gone(NEW.id, WEST, "ami-0c")])
    assert list(left.shelf("base").builds) == [OLD.id]
    assert left.shelf("base").current == ""


def test_an_ami_that_was_baked_anew_meanwhile_is_not_forgotten() -> None:
    assert forget(BOTH, [gone(NEW.id, EAST, "ami-0ffff"), gone("base-x", EAST, "ami-0d")]) == BOTH


def test_on_aws_a_current_build_that_is_gone_is_an_error_with_the_way_back() -> None:
    with pytest.raises(OrchestrateError, match="ami-0d") as refused:
        refuse(BOTH, [gone(NEW.id, EAST, "ami-0d")], PATH)
    assert "orchestrate images rollback base" in refused.value.fix


def test_on_aws_an_old_build_that_is_gone_is_nobodys_trouble() -> None:
    refuse(BOTH, [gone(OLD.id, EAST, "ami-0b")], PATH)


def test_a_reset_lab_has_its_catalogue_forgotten(session: Session, tmp_path: Path) -> None:
    there = build("base-20261103-0000-cccccc", regions={WEST: made(session, WEST)})
    path = catalogue_file.path_of(tmp_path, "lab")
    catalogue_file.update(path, lambda _: recorded(BOTH, "base", there))
    assert len(absent(session, catalogue_file.read(path))) == 4
    found = usable(session, path)
    assert {one.ami for one in found.forgotten} == {"ami-0a", "ami-0b", "ami-0c", "ami-0d"}
    assert found.catalogue == catalogue_file.read(path) == recorded(Catalogue(), "base", there)
    assert usable(session, path).forgotten == ()
