"""What would make a destroy fail midway."""

import pytest

from orchestrate.runs import obstacles
from orchestrate.runs.obstacles import InTheWay, Obstacle

BUCKET, ZONE, GROUP = "west/bucket/results", "west/zone/private", "west/group/cpu"
OURS = [("bastion.west.example.net", "A"), ("*.west.example.net", "CNAME")]


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (obstacles.of_bucket(BUCKET, 0, 100), []),
        (obstacles.of_bucket(BUCKET, 42, 100), ["holds 42 objects and versions"]),
        (obstacles.of_bucket(BUCKET, 1000, 1000), ["holds 1,000 or more objects and versions"]),
        (obstacles.of_zone(ZONE, [], OURS), []),
        (obstacles.of_zone(ZONE, [("bastion.west.example.net.", "A")], OURS), []),
        (obstacles.of_zone(ZONE, [("\\052.west.example.net.", "CNAME")], OURS), []),
        (
            obstacles.of_zone(ZONE, [("wiki.west.example.net.", "A")], OURS),
            ["has records that others made: wiki.west.example.net A"],
        ),
        (
            obstacles.of_zone(ZONE, [("bastion.west.example.net.", "TXT")], OURS),
            ["has records that others made: bastion.west.example.net TXT"],
        ),
        (obstacles.of_group(GROUP, ["AZRebalance"], []), []),
        (obstacles.of_group(GROUP, ["Terminate"], []), ["its process Terminate is suspended"]),
        (obstacles.of_group(GROUP, [], ["i-1"]), ["i-1 protected from scale-in"]),
    ],
)
def test_what_is_in_the_way_is_seen(found: list[Obstacle], says: list[str]) -> None:
    assert [one.what for one in found] == says


def test_a_stranger_in_the_vpc_is_named_by_what_it_is() -> None:
    host = obstacles.of_interface("west", "eni-1", "i-9", True, "")
    assert (host.name, host.remedy) == ("west/instance/i-9", "")
    lambdas = obstacles.of_interface("west", "eni-2", "", True, "AWS Lambda VPC ENI")
    assert (lambdas.name, lambdas.remedy) == ("west/interface/eni-2", "")
    assert "AWS Lambda" in lambdas.what
    left = obstacles.of_interface("west", "eni-3", "", False, "")
    assert left.remedy


@pytest.mark.parametrize(
    ("one", "ends"),
    [
        (Obstacle(BUCKET, "holds 3", "it is emptied first", free=True), "it is emptied first"),
        (Obstacle(GROUP, "is held", "it is lifted"), "it is lifted; with --force west/group/cpu"),
        (Obstacle("west/instance/i-9", "runs"), "runs; only its owner can take it away"),
    ],
)
def test_a_plan_says_what_an_apply_of_it_will_want_to_be_told(one: Obstacle, ends: str) -> None:
    said = obstacles.beforehand(one)
    assert said.endswith(ends)
    assert said.startswith("in the way: ") is not one.free


FREE = Obstacle(BUCKET, "holds 3", "it is emptied first", free=True)
MAY = Obstacle(GROUP, "its process Terminate is suspended", "it is lifted")
MUST_NOT = Obstacle("west/instance/i-9", "runs in its VPC")


def test_what_goes_with_named_data_is_not_asked_about_again() -> None:
    obstacles.refuse_unforced([FREE], ())


@pytest.mark.parametrize("forced", [GROUP, "west/group/*", "west/*"])
def test_what_may_be_forced_is_forced_by_its_name(forced: str) -> None:
    obstacles.refuse_unforced([FREE, MAY], [forced])


@pytest.mark.parametrize("forced", ["*", "east/group/cpu", "*/group/cpu", "west/group/gpu"])
def test_nothing_is_forced_by_another_name(forced: str) -> None:
    with pytest.raises(InTheWay, match="west/group/cpu"):
        obstacles.refuse_unforced([MAY], [forced])


def test_all_that_is_in_the_way_is_listed_at_once_with_what_may_be_forced() -> None:
    with pytest.raises(InTheWay) as refused:
        obstacles.refuse_unforced([FREE, MAY, MUST_NOT], ["west/instance/*"])
    assert GROUP in refused.value.what
    assert "west/instance/i-9" in refused.value.what
    assert BUCKET not in refused.value.what
    assert "add --force west/group/cpu" in refused.value.fix
    assert "--force west/instance" not in refused.value.fix
    assert "take away what is not to be forced" in refused.value.fix
