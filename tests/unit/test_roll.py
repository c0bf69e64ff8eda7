"""A roll of a group that behaves as AWS's do, but for the time it takes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from orchestrate.aws.groups import Group, Member, Template
from orchestrate.errors import AwsError, OrchestrateError
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.observe import Observed
from orchestrate.hosts.results import Outcome, Result
from orchestrate.hosts.rollout import Share
from orchestrate.roll import Hands, Rolled, roll
from orchestrate.roll_plan import Pace, Plan, refuse_impossible
from orchestrate.shell import Stop

OLD, NEW = Template("lt-1", "1"), Template("lt-1", "2")


@dataclass
class Cloud:
    """An auto scaling group that launches a replacement at the next look but one; also a session
    for the calls that a roll makes, and what its hosts say when they are asked.
    """

    desired: int
    members: dict[str, Member] = field(default_factory=dict)
    at_least: int = 99
    terminated: list[str] = field(default_factory=list)
    launched: int = 0
    time: float = 0.0
    stop: Stop = field(default_factory=Stop)
    notes: list[str] = field(default_factory=list)
    launches: bool = True
    new_are: Callable[[str], Outcome] = lambda _: Outcome.CHANGED
    silent: frozenset[str] = frozenset()
    drained: list[str] = field(default_factory=list)
    stop_after: int = 99
    surges: list[tuple[int, int]] = field(default_factory=list)
    activities: list[dict[str, Any]] = field(default_factory=list)
    surged: int = 0
    breaks: list[str] = field(default_factory=list)
    error: BaseException = field(default_factory=lambda: AwsError("AWS does not answer"))

    # What a session is asked for.

    def autoscaling(self, _region: str) -> "Cloud":
        return self

    @contextmanager
    def calling(self, _purpose: str) -> Iterator[None]:
        yield

    def set_desired_capacity(self, **given: Any) -> None:
        self.desired = given["DesiredCapacity"]
        while len(self.members) > self.desired:
            self.members.popitem()
        if "resize" in self.breaks:
            self.breaks.remove("resize")
            raise AwsError("cannot set the size: InternalFailure")

    def describe_scaling_activities(self, **_: Any) -> dict[str, Any]:
        return {"Activities": self.activities}

    def terminate_instance_in_auto_scaling_group(self, **given: Any) -> None:
        del self.members[given["InstanceId"]]
        self.terminated.append(given["InstanceId"])
        self.desired -= given["ShouldDecrementDesiredCapacity"]
        self.at_least = min(self.at_least, len(self.members))
        if len(self.terminated) >= self.stop_after:
            self.stop.request()

    # What a roll is given.

    def look(self) -> Observed:
        if "look" in self.breaks and self.terminated:
            raise self.error
        pending = [id_ for id_, one in self.members.items() if one.lifecycle == "Pending"]
        for id_ in pending:
            self.members[id_] = Member(id_, template=NEW)
        while self.launches and len(self.members) < self.desired:
            self.launched += 1
            id_ = f"new{self.launched}"
            self.members[id_] = Member(id_, "Pending", template=NEW)
        return Observed([host(id_) for id_ in self.members], {}, [self.group])

    def gate(self, hosts: Sequence[Host]) -> list[Result]:
        return [Result(each.name, self.new_are(each.instance_id), "ill") for each in hosts]

    @property
    def group(self) -> Group:
        tags = {"group": "cpu", "cluster": "c"}
        members = tuple(self.members.values())
        return Group("g", "us-west-2", 0, 5, self.desired, members, tags, NEW)

    def note(self, _group: str, what: str) -> None:
        self.notes.append(what)

    def surge(self, _group: str, wanted: int, extra: int) -> None:
        self.surges.append((wanted, extra))

    def rolled(self, pace: Pace) -> Rolled:
        def sleep(seconds: float) -> None:
            self.time += seconds

        hands = Hands(
            self,  # type: ignore[arg-type]  # as much of a session as a roll needs
            self.look,
            self.gate,
            lambda each: each.instance_id not in self.silent,
            drain=lambda each: self.drained.append(each.instance_id),
            clock=lambda: self.time,
            sleep=sleep,
        )
        old = tuple(id_ for id_, one in self.members.items() if one.template == OLD)
        return roll(Plan(self.group, NEW, old, self.surged), pace, hands, self, self.stop)


def host(id_: str) -> Host:
    return Host(id_, "c", "cpu-worker", "cpu", "z", id_, "running", "10.1.0.1", "", "u")


def cloud(old: int = 3, **given: Any) -> Cloud:
    ids = [f"old{number}" for number in range(1, old + 1)]
    return Cloud(old, {id_: Member(id_, template=OLD) for id_ in ids}, **given)


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
