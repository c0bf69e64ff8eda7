"""A roll of a group that behaves as AWS's do, but for the time it takes."""

from dataclasses import replace
from typing import Any

import pytest

from orchestrate.aws.groups import Member
from orchestrate.errors import OrchestrateError
from orchestrate.hosts.results import Outcome
from orchestrate.hosts.rollout import Share
from orchestrate.roll_plan import Pace, Plan, refuse_impossible
from orchestrate.shell import Stop
from tests.unit.scaling_group import NEW, Cloud, cloud


@pytest.mark.parametrize(
    ("pace", "at_least"),
    [
        (Pace(), 2),
        (Pace(Share(2)), 1),
        (Pace(Share(34, percent=True)), 2),
        (Pace(Share(1, percent=True)), 2),
        (Pace(Share(0), surge=1), 3),
        (Pace(Share(0), surge=2), 3),
        (Pace(Share(1), surge=1), 2),
    ],
    ids=["one by one", "two", "a third", "at least one", "one more", "two more", "both"],
)
def test_all_are_replaced_and_enough_serve_all_the_time(pace: Pace, at_least: int) -> None:
    there = cloud()
    ended = there.rolled(pace)
    assert ended.well
    assert there.terminated == there.drained == ["old1", "old2", "old3"] == list(ended.replaced)
    assert {one.template for one in there.members.values()} == {NEW}
    assert (there.desired, len(there.members)) == (3, 3)
    assert there.at_least >= at_least


def test_a_replacement_that_is_not_in_order_is_the_last() -> None:
    there = cloud(new_are=lambda _: Outcome.FAILED)
    ended = there.rolled(Pace())
    assert there.terminated == ["old1"]
    assert ended.cause == "the new new1 is not in order: ill"
    assert (ended.left, ended.unchecked, ended.well) == (("old2", "old3"), ("new1",), False)


def test_one_that_cannot_be_reached_yet_is_asked_again() -> None:
    asked: list[str] = []

    def later(id_: str) -> Outcome:
        asked.append(id_)
        return Outcome.UNREACHABLE if asked.count(id_) < 4 else Outcome.UNCHANGED

    there = cloud(new_are=later)
    assert there.rolled(Pace()).well
    assert asked.count("new1") == 4


@pytest.mark.parametrize(
    ("given", "cause"),
    [
        (
            {"new_are": lambda _: Outcome.UNREACHABLE},
            "waits for new1 to be in service and answer for 15 minutes",
        ),
    ],
)
def test_a_group_that_doesn_t_come_back_ends_the_roll(given: Any, cause: str) -> None:
    there = cloud(**given)
    ended = there.rolled(Pace())
    assert (ended.cause, ended.left) == (cause, ("old2", "old3"))


def test_an_old_host_that_doesn_t_answer_goes_first() -> None:
    there = cloud(silent=frozenset({"old3"}))
    assert there.rolled(Pace()).well
    assert there.terminated == ["old3", "old1", "old2"]


@pytest.mark.parametrize("pace", [Pace(), Pace(surge=2)])
def test_after_a_request_to_stop_none_is_terminated_and_the_group_has_its_size(pace: Pace) -> None:
    there = cloud(stop_after=1)
    ended = there.rolled(pace)
    assert there.terminated == ["old1"]
    assert there.desired == 3
    assert (ended.interrupted, ended.cause) == (True, "")
    assert ended.left == ("old2", "old3")


def test_what_is_done_already_is_not_done_again() -> None:
    there = cloud(stop_after=1)
    there.rolled(Pace())
    there.stop, there.stop_after = Stop(), 99
    assert there.rolled(Pace()).well
    assert there.terminated == ["old1", "old2", "old3"]


@pytest.mark.parametrize(
    ("pace", "cause"),
    [
        (Pace(Share(1)), ""),
        (Pace(Share(1, percent=True)), ""),
        (Pace(Share(0)), "cpu.c: no host may be unavailable and none is added"),
        (Pace(Share(0), surge=2), ""),
        (Pace(surge=3), "cpu.c: 3 hosts and 3 more exceed max: 5"),
    ],
)
def test_a_pace_that_the_group_doesn_t_allow_is_refused(pace: Pace, cause: str) -> None:
    plan = Plan(cloud().group, NEW, ("old1", "old2", "old3"))
    if not cause:
        refuse_impossible([plan], pace)
        return
    with pytest.raises(OrchestrateError, match=cause):
        refuse_impossible([plan], pace)


def launch(status: str, message: str = "") -> dict[str, Any]:
    told = {"Description": "Launching a new EC2 instance: i-1", "StatusCode": status}
    return {**told, "StatusMessage": message} if message else told


@pytest.mark.parametrize(
    ("activities", "cause", "at_most_s"),
    [
        ([launch("Failed", "We have no capacity.")], ": We have no capacity.", 100),
        ([], ": its group has begun no launch", 100),
        ([launch("Successful"), launch("Failed", "old")], ": its group has begun no launch", 100),
        ([launch("PreInService"), launch("Failed", "old")], " for 15 minutes", 950),
    ],
    ids=["failed", "never tried", "tried before", "under way"],
)
def test_a_host_that_nobody_launches_is_not_waited_for(
    activities: list[dict[str, Any]], cause: str, at_most_s: int
) -> None:
    there = cloud(launches=False, activities=activities)
    ended = there.rolled(Pace())
    assert ended.cause == f"waits for 1 to be launched{cause}"
    assert there.time < at_most_s
    assert there.desired == 3


def test_a_group_that_may_launch_nobody_is_refused() -> None:
    group = replace(cloud().group, suspended=("AZRebalance", "Launch"))
    with pytest.raises(OrchestrateError, match=r"cpu\.c launches none"):
        refuse_impossible([Plan(group, NEW, ("old1",))], Pace())


def test_a_growth_that_was_refused_and_done_all_the_same_is_given_back() -> None:
    there = cloud(breaks=["resize"])
    ended = there.rolled(Pace(Share(0), surge=1))
    assert (ended.cause, ended.larger) == ("cannot set the size: InternalFailure", 0)
    assert (there.desired, there.terminated, ended.left) == (3, [], ("old1", "old2", "old3"))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("a bug")])
def test_whatever_ends_a_roll_the_group_gets_its_size_back(error: BaseException) -> None:
    there = cloud(new_are=lambda _: exec_raise(error))
    with pytest.raises(type(error)):
        there.rolled(Pace(Share(0), surge=2))
    assert there.desired == 3
    assert there.surges == [(3, 2), (3, 0)]


def exec_raise(error: BaseException) -> Outcome:
    raise error


def test_a_size_that_cannot_be_given_back_is_said_and_stays_written_down() -> None:
    there = cloud(breaks=["look"])
    ended = there.rolled(Pace(Share(0), surge=1))
    assert (ended.cause, ended.larger, ended.well) == ("AWS does not answer", 1, False)
    assert there.surges == [(3, 1)]


def test_a_surge_that_a_killed_roll_left_is_used_and_given_back() -> None:
    """The group of three was made one larger, and nobody came after."""
    there = cloud(surged=1)
    there.desired = 4
    assert there.rolled(Pace(Share(0), surge=1)).well
    assert there.terminated == ["old1", "old2", "old3"]
    assert (there.desired, len(there.members)) == (3, 3)


def test_a_surge_that_was_left_after_the_last_host_is_given_back() -> None:
    there = Cloud(4, {f"new{n}": Member(f"new{n}", template=NEW) for n in range(4)}, surged=1)
    assert there.rolled(Pace()).well
    assert (there.desired, there.terminated) == (3, [])
    assert there.surges == [(3, 0)]
