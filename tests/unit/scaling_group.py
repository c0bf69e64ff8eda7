"""An auto scaling group that behaves as AWS's do, but for the time it takes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from orchestrate.aws.groups import Group, Member, Template
from orchestrate.errors import AwsError
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.observe import Observed
from orchestrate.hosts.results import Outcome, Result
from orchestrate.roll import Hands, Rolled, roll
from orchestrate.roll_plan import Pace, Plan
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
