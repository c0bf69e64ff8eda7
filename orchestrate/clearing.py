"""Looks for what would make a destroy fail midway, before it begins; and takes it away after the
operator has agreed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from orchestrate.aws import remains
from orchestrate.changes import Change
from orchestrate.errors import AwsError
from orchestrate.execution import Plan
from orchestrate.runs import data_guard, obstacles
from orchestrate.runs.data_guard import data_name
from orchestrate.runs.obstacles import Obstacle
from orchestrate.stack_results import changes_of
from orchestrate.terraform import state
from orchestrate.workplace import Workplace

Tell = Callable[[str], None]
# What is looked at, and by which attribute AWS knows it; one that is only half made may have none.
LOOKED_AT = {
    "aws_s3_bucket": "bucket",
    "aws_route53_zone": "zone_id",
    "aws_autoscaling_group": "name",
    "aws_vpc": "id",
}


@dataclass(frozen=True)
class Found:
    """Something in the way, and how it is taken away."""

    obstacle: Obstacle
    clear: Callable[[Tell], None]


def look(work: Workplace, changes: Iterable[Change]) -> list[Found]:
    """Everything in the way of what is destroyed; asks AWS only of kinds that can be in the way."""
    every = list(changes)
    going = [one for one in every if one.destructive and one.resource_type in LOOKED_AT]
    # Of all that change: mesh's records are in global's zone.
    stacks = {one.stack for one in every} if going else set()
    texts = {stack: work.state_of(stack) for stack in stacks}
    known = {stack: state.attributes(text) for stack, text in texts.items()}
    return [
        found
        for one in going
        if known[one.stack].get(one.address, {}).get(LOOKED_AT[one.resource_type])
        for found in _Look(work, one, known).found()
    ]


def foresee(work: Workplace, plans: Mapping[str, Plan]) -> list[Obstacle]:
    """What an apply of these plans would find in its way, for whoever only looks at them.

    What the reader of a plan may not see is told of as such, and fails no plan.
    """
    try:
        changes = [change for plan in plans.values() for change in changes_of(plan)]
        return [one.obstacle for one in look(work, changes)]
    except AwsError as error:
        return [Obstacle("what is in the way", f"could not be seen: {error.what}", unseen=True)]


def idle(
    destroy_data: Sequence[str], force: Sequence[str], changes: Iterable[Change], found: list[Found]
) -> Iterator[str]:
    """A line for each name or pattern on the command line that means nothing of what goes."""
    data = [data_name(change) for change in changes if change.destroys_data]
    for option, given, there in (
        ("--destroy-data", destroy_data, data),
        ("--force", force, [one.obstacle.name for one in found]),
    ):
        for pattern in data_guard.idle(given, there):
            yield f"note: {option} {pattern} names nothing that this run takes away"


def clear(found: Iterable[Found], tell: Tell) -> None:
    for one in found:
        one.clear(tell)


@dataclass(frozen=True)
class _Look:
    """A look at one resource. `known` are the attributes of all resources by stack and address."""

    work: Workplace
    change: Change
    known: Mapping[str, Mapping[str, Mapping[str, Any]]]

    @property
    def region(self) -> str:
        return self.work.known[self.change.stack].region

    @property
    def own(self) -> Mapping[str, Any]:
        return self.known[self.change.stack][self.change.address]

    def found(self) -> Iterator[Found]:
        match self.change.resource_type:
            case "aws_s3_bucket":
                return self._bucket()
            case "aws_route53_zone":
                return self._zone()
            case "aws_autoscaling_group":
                return self._group()
        return self._vpc()

    def _bucket(self) -> Iterator[Found]:
        session, bucket = self.work.session, str(self.own["bucket"])
        counted = remains.versions(session, self.region, bucket)

        def clear(tell: Tell) -> None:
            say = lambda gone: tell(f"emptying bucket {bucket}: {gone:,} of {counted:,} gone")  # noqa: E731
            remains.empty(session, self.region, bucket, say)

        for one in obstacles.of_bucket(data_name(self.change), counted, remains.MOST_COUNTED):
            yield Found(one, clear)

    def _zone(self) -> Iterator[Found]:
        session, zone = self.work.session, str(self.own["zone_id"])
        everything = [each for stack in self.known.values() for each in stack.items()]
        ours = {
            (str(each.get("fqdn") or each["name"]), str(each["type"]))
            for address, each in everything
            if "aws_route53_record." in address and each.get("zone_id") == zone
        }
        there = remains.records(session, self.region, zone)

        def clear(tell: Tell) -> None:
            for record in there:
                if list(obstacles.of_zone("", [(record.name, record.type)], ours)):
                    tell(f"deleting {record.name} {record.type}")
                    remains.delete_record(session, self.region, zone, record)

        named = [(record.name, record.type) for record in there]
        for one in obstacles.of_zone(data_name(self.change), named, ours):
            yield Found(one, clear)

    def _group(self) -> Iterator[Found]:
        session, group = self.work.session, str(self.own["name"])
        seen = remains.group(session, self.region, group)
        label = re.sub(r"^module\.node_group_|\.aws_autoscaling_group.*$", "", self.change.address)
        name = f"{self.change.stack}/group/{label}"

        def clear(tell: Tell) -> None:
            tell(f"letting group {group} terminate its hosts")
            remains.let_go(session, self.region, group, seen.protected)

        for one in obstacles.of_group(name, seen.suspended, seen.protected):
            yield Found(one, clear)

    def _vpc(self) -> Iterator[Found]:
        session, stack = self.work.session, self.change.stack
        named = str(self.known[stack])
        members = {
            instance
            for address, each in self.known[stack].items()
            if ".aws_autoscaling_group." in address
            for instance in remains.group(session, self.region, str(each["name"])).instances
        }
        for one in remains.interfaces(session, self.region, str(self.own["id"])):
            ours = one.id in named or (one.instance and one.instance in named)
            if not ours and one.instance not in members:
                yield Found(
                    obstacles.of_interface(
                        stack, one.id, one.instance, one.in_use, one.description
                    ),
                    partial(self._delete, one.id),
                )

    def _delete(self, interface: str, tell: Tell) -> None:
        tell(f"deleting network interface {interface}")
        remains.delete_interface(self.work.session, self.region, interface)
