"""AMIs that the catalogue names and AWS doesn't have."""

from pathlib import Path

import pytest

from orchestrate.aws.session import Session
from orchestrate.changes import Action, Change
from orchestrate.errors import OrchestrateError
from orchestrate.images import catalogue_file
from orchestrate.images.catalogue import Catalogue, promoted, recorded
from orchestrate.images.launch_guard import refuse_launches
from orchestrate.images.presence import Absent, absent, forget, in_use, usable
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


def test_of_what_is_gone_new_hosts_miss_current_builds_alone() -> None:
    current, old = gone(NEW.id, EAST, "ami-0d"), gone(OLD.id, EAST, "ami-0b")
    assert in_use(BOTH, [old, current]) == (current,)


LOST = {"cluster-east": (gone(NEW.id, EAST, "ami-0d"),), "cluster-west": ()}


def change(stack: str, kind: str, action: Action) -> Change:
    return Change(stack, f"{kind}.this", kind, action)


@pytest.mark.parametrize(
    ("stack", "kind", "action"),
    [
        ("cluster-east", "aws_launch_template", Action.DESTROY),
        ("cluster-east", "aws_s3_bucket", Action.ADD),
        ("cluster-east", "aws_route", Action.REPLACE),
        ("cluster-west", "aws_instance", Action.ADD),
        ("mesh", "aws_instance", Action.ADD),
    ],
)
def test_a_lost_image_is_no_trouble_to_what_launches_nothing_from_it(
    stack: str, kind: str, action: Action
) -> None:
    refuse_launches([change(stack, kind, action)], LOST)


@pytest.mark.parametrize("kind", ["aws_instance", "aws_launch_template", "aws_autoscaling_group"])
@pytest.mark.parametrize("action", [Action.ADD, Action.CHANGE, Action.REPLACE])
def test_what_would_launch_from_a_lost_image_is_refused_with_the_way_back(
    kind: str, action: Action
) -> None:
    with pytest.raises(OrchestrateError, match="ami-0d") as refused:
        refuse_launches([change("cluster-east", kind, action)], LOST)
    assert "orchestrate images rollback base" in refused.value.fix


def test_a_reset_lab_has_its_catalogue_forgotten(session: Session, tmp_path: Path) -> None:
    there = build("base-20261103-0000-cccccc", regions={WEST: made(session, WEST)})
    path = catalogue_file.path_of(tmp_path, "lab")
    catalogue_file.update(path, lambda _: recorded(BOTH, "base", there))
    assert len(absent(session, catalogue_file.read(path))) == 4
    found = usable(session, path)
    assert {one.ami for one in found.forgotten} == {"ami-0a", "ami-0b", "ami-0c", "ami-0d"}
    assert found.catalogue == catalogue_file.read(path) == recorded(Catalogue(), "base", there)
    assert usable(session, path).forgotten == ()
