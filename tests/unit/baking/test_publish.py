"""S14: copies in other regions, of which some fail; against the lab's own API with faults."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrate.aws import session as sessions
from orchestrate.aws.session import Session
from orchestrate.baking import publish
from orchestrate.baking.place import BakePlace
from orchestrate.errors import Interrupted, OrchestrateError
from orchestrate.fleet.load import load
from orchestrate.images.catalogue import Build, current
from orchestrate.images.needs import Finish, Wanted, decide
from orchestrate.lab.faults.book import book
from orchestrate.lab.faults.models import ApiFault
from orchestrate.shell import Stop
from tests.unit.images.builds import build

WEST, EAST, EUROPE = "us-west-2", "us-east-1", "eu-west-1"
ROOT = Path(__file__).parents[3]
IMAGE = "ssh-node"
OTHERS = (EUROPE, EAST)


@pytest.fixture
def place(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BakePlace]:
    """A repository whose ssh-node is used in three regions; calls that fail are given up soon."""
    monkeypatch.setattr(sessions, "ATTEMPTS", 1)
    monkeypatch.setattr(BakePlace, "regions_of", lambda *_: frozenset({WEST, *OTHERS}))
    yield BakePlace(
        tmp_path,
        load(ROOT / "tests" / "golden" / "example" / "fleet"),
        session.target,
        Session(session.target),
    )
    book.clear([])


def baked(place: BakePlace) -> Build:
    """A build that is in the build region only, written down as it is."""
    ec2 = place.session.ec2(WEST)
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    vendor = ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"]
    started = ec2.run_instances(ImageId=vendor, MinCount=1, MaxCount=1, SubnetId=subnet)
    one = build(f"{IMAGE}-20261101-0000-aaaaaa")
    ami = ec2.create_image(
        InstanceId=started["Instances"][0]["InstanceId"], Name=f"deeplab-{one.id}"
    )
    made = replace(one, regions={WEST: ami["ImageId"]})
    publish.record(place, IMAGE, made)
    return made


def fail_in(region: str) -> None:
    book.add(ApiFault(kind="unavailable", service="ec2", action="CopyImage", region=region))


def copies(place: BakePlace, region: str) -> list[dict[str, str]]:
    """The tags of every image and snapshot of ours in a region."""
    ec2 = place.session.ec2(region)
    things = [
        *ec2.describe_images(Owners=["self"])["Images"],
        *(s for s in ec2.describe_snapshots()["Snapshots"] if s["OwnerId"] == "123456789012"),
    ]
    return [{tag["Key"]: tag["Value"] for tag in one.get("Tags", [])} for one in things]


def finish(place: BakePlace, one: Build, *regions: str, stop: Stop | None = None) -> Build:
    step = Finish(one, regions)
    return publish.publish(place, IMAGE, step, lambda _: None, stop or Stop())


def test_a_build_is_promoted_once_every_region_has_it(place: BakePlace) -> None:
    one = finish(place, baked(place), *OTHERS)
    assert set(one.regions) == {WEST, *OTHERS}
    assert current(place.read(), IMAGE) == one
    for region in OTHERS:
        assert [tags["orchestrate:build"] for tags in copies(place, region)] == [one.id, one.id]


def test_a_region_that_fails_stops_the_promotion_and_is_done_alone_later(place: BakePlace) -> None:
    one = baked(place)
    fail_in(EUROPE)
    with pytest.raises(OrchestrateError, match="not promoted\n    eu-west-1: "):
        finish(place, one, *OTHERS)
    assert current(place.read(), IMAGE) is None
    assert copies(place, EUROPE) == []

    book.clear([])
    known = place.read().shelf(IMAGE).builds[one.id]
    assert set(known.regions) == {WEST, EAST}
    wanted = {IMAGE: Wanted(one.parent, False, one.cookbooks, frozenset({WEST, *OTHERS}))}
    step = decide(place.read(), wanted)[IMAGE]
    assert step == Finish(known, (EUROPE,))
    whole = finish(place, known, EUROPE)
    assert current(place.read(), IMAGE) == whole
    assert whole.regions[EAST] == known.regions[EAST]


def test_a_copy_that_an_earlier_try_left_is_taken_up(place: BakePlace) -> None:
    one = baked(place)
    left = place.session.ec2(EAST).copy_image(
        SourceImageId=one.regions[WEST], SourceRegion=WEST, Name=f"deeplab-{one.id}"
    )
    assert finish(place, one, EAST, EUROPE).regions[EAST] == left["ImageId"]


def test_after_a_request_to_stop_nothing_more_is_copied(place: BakePlace) -> None:
    stop = Stop()
    stop.request()
    with pytest.raises(Interrupted):
        finish(place, baked(place), *OTHERS, stop=stop)
    assert [copies(place, region) for region in OTHERS] == [[], []]


def test_what_was_interrupted_is_not_promoted(place: BakePlace) -> None:
    stop = Stop()
    stop.request()
    with pytest.raises(Interrupted, match="the next bake promotes"):
        finish(place, baked(place), stop=stop)
    assert current(place.read(), IMAGE) is None


def test_a_build_that_is_held_back_is_copied_and_not_promoted(place: BakePlace) -> None:
    one = baked(place)
    step = Finish(one, OTHERS, held_back=True)
    copied = publish.publish(place, IMAGE, step, lambda _: None, Stop())
    assert set(copied.regions) == {WEST, *OTHERS}
    assert current(place.read(), IMAGE) is None


def test_a_build_without_any_ami_is_not_copied(place: BakePlace) -> None:
    gone = build(f"{IMAGE}-20261101-0000-aaaaaa", regions={WEST: "ami-0ffff"})
    with pytest.raises(OrchestrateError, match="no AMI left to copy"):
        finish(place, gone, EAST)
