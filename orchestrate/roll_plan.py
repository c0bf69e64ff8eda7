"""What a roll has before it: which hosts of which groups are to go, and how fast."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestrate.aws import groups
from orchestrate.aws.groups import Group, Template
from orchestrate.aws.session import Session
from orchestrate.errors import OrchestrateError
from orchestrate.hosts import rolling
from orchestrate.hosts.rollout import Share


@dataclass(frozen=True)
class Plan:
    """A group, what it launches from now, and which of its hosts were launched from another.

    `surged` is how much larger than it should be an earlier roll, that was killed, has left it.
    """

    group: Group
    template: Template
    old: tuple[str, ...]
    surged: int = 0

    @property
    def wanted(self) -> int:
        """How many hosts it is to have."""
        return self.group.desired - self.surged

    @property
    def to_do(self) -> bool:
        """Whether a roll has anything to do in it."""
        return bool(self.old or self.surged)

    @property
    def label(self) -> str:
        return rolling.label(self.group)


@dataclass(frozen=True)
class Pace:
    """How fast: how many of a group may be without service, how many more it may have meanwhile,
    and for how many seconds nothing may happen before the roll is given up.
    """

    max_unavailable: Share = field(default=Share(1))
    surge: int = 0
    patience_s: float = 900.0

    def unavailable(self, wanted: int) -> int:
        """A percentage never rounds down to none, unless there is a surge to go on with."""
        share = self.max_unavailable.of(wanted)
        return max(share, 1) if self.max_unavailable.percent and not self.surge else share


def plan(
    session: Session,
    named: Sequence[Group],
    surged: Mapping[str, int],
) -> list[Plan]:
    """What there is to do in each of these groups.

    `surged` says, by label, how much larger than it should be an earlier roll left a group. Raises
    OrchestrateError for a group that doesn't use a launch template.
    """
    return [_plan(session, group, surged.get(rolling.label(group), 0)) for group in named]


def refuse_impossible(plans: Sequence[Plan], pace: Pace) -> None:
    """Raise OrchestrateError naming every group that could not be rolled at this pace."""
    wrong = []
    for one in plans:
        group, surge = one.group, min(pace.surge, len(one.old))
        if surge and one.wanted + surge > group.max:
            wrong.append(
                f"{one.label}: {one.wanted} hosts and {surge} more exceed max: {group.max}"
            )
        if one.old and not surge and not pace.unavailable(one.wanted):
            wrong.append(f"{one.label}: no host may be unavailable and none is added")
    if wrong:
        raise OrchestrateError(
            "\n".join(wrong), fix="allow more with --max-unavailable, or less --surge"
        )
    stopped = [one.label for one in plans if one.old and "Launch" in one.group.suspended]
    if stopped:
        raise OrchestrateError(
            f"no host would come in the place of another: {', '.join(stopped)} launches none, "
            "its process Launch is suspended",
            fix="resume it in EC2, or with `aws autoscaling resume-processes`",
        )


def _plan(session: Session, group: Group, surged: int) -> Plan:
    if group.template is None:
        raise OrchestrateError(
            "it launches from no launch template, so nobody can tell its old hosts",
            where=rolling.label(group),
        )
    template = groups.resolved(session, group.region, group.template)
    old = [
        member.id
        for member in group.members
        if not (member.leaving or member.aside or rolling.is_current(member, template))
    ]
    return Plan(group, template, tuple(old), surged)
