"""Which hosts of a group may be replaced next, so that enough of them serve all the time. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from orchestrate.aws.groups import IN_SERVICE, Group, Member, Template
from orchestrate.errors import OrchestrateError
from orchestrate.plain_text import shown


@dataclass(frozen=True)
class Seen:
    """A member of a group as it is now. `current`: launched from what the group launches now;
    `serving`: in service, and it was seen to be in order.
    """

    id: str
    current: bool
    serving: bool


def next_batch(members: Sequence[Seen], *, wanted: int, max_unavailable: int) -> tuple[str, ...]:
    """The members to terminate now; none while one has to wait, or when all are current.

    Of the `wanted` hosts no more than `max_unavailable` may be without service because of us.
    Members that serve nobody go first and cost nothing, but no faster than so many at once: a host
    that doesn't answer may yet be at work.
    """
    old = [member for member in members if not member.current]
    coming = max(wanted - len(members), 0)
    silent = [member.id for member in old if not member.serving]
    some = silent[: max(max_unavailable - coming, 1 - coming, 0)]
    serving = sum(member.serving for member in members)
    spare = max(serving - (wanted - max_unavailable) - len(some), 0)
    return (*some, *[member.id for member in old if member.serving][:spare])


def to_give_back(desired: int, wanted: int, extra: int) -> int:
    """By how many to shrink a group that wants `desired` hosts now, was to have `wanted`, and was
    made `extra` larger for a roll: what somebody else has changed since is not undone.
    """
    return max(min(extra, desired - wanted), 0)


def members(
    group: Group, template: Template, in_order: Collection[str], gone: Collection[str]
) -> list[Seen]:
    """The members that are neither on their way out nor set aside.

    `in_order` are the ids of those seen to be so, `gone` of those that were terminated, which AWS
    may list as before for some seconds.
    """
    return [
        Seen(one.id, is_current(one, template), one.lifecycle == IN_SERVICE and one.id in in_order)
        for one in group.members
        if not (one.leaving or one.aside or one.id in gone)
    ]


def is_current(member: Member, template: Template) -> bool:
    """Whether it was launched from this version of the template."""
    return member.template == template


def label(group: Group) -> str:
    """What a group is called here: `cpu.cluster-us-west`."""
    return f"{group.tags.get('group', group.name)}.{place(group)}"


def place(group: Group) -> str:
    """The cluster it is in."""
    return group.tags.get("cluster", group.region)


def choose(groups: Sequence[Group], words: Sequence[str]) -> list[Group]:
    """The groups that any of the words names: `cpu` in all clusters, `cpu.cluster-us-west` in one.

    Raises OrchestrateError naming every word that fits none, with the nearest that would.
    """
    known: Mapping[str, Group] = {label(group): group for group in groups}
    short = {group.tags.get("group", "") for group in groups}
    strange = [word for word in words if word not in known and word not in short]
    if strange:
        raise OrchestrateError("\n".join(_unknown(word, [*known, *short]) for word in strange))
    return [
        group
        for name, group in sorted(known.items())
        if name in words or group.tags.get("group") in words
    ]


def _unknown(word: str, known: Sequence[str]) -> str:
    if word.partition(".")[0] in ("bastion", "vpn"):
        way = "`orchestrate apply` replaces it when its image changes"
        return f"'{shown(word)}' is no node group; {way}"
    near = get_close_matches(word, known, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(known)}"
    return f"no node group '{shown(word)}'; {hint}"
