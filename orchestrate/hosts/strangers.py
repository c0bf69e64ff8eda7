"""Instances and groups that are none of ours, for AWS says of them what none of ours has. Pure.

Whoever may tag an instance writes its tags, and names made of them go into SSH configurations,
file names and command lines. So here, once for all: an instance whose tags are no plain words, or
whose id or address is none, is left out, and a finding tells of it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import get_args

from orchestrate.aws.groups import Group
from orchestrate.aws.instances import Instance
from orchestrate.findings import Finding, Place
from orchestrate.fleet.models import Fleet, Role
from orchestrate.plain_text import is_word, shown

# The tags that a host's name, place and role are made of.
ROLES = frozenset(get_args(Role))
TAGS = ("cluster", "role", "group")
_ID = re.compile(r"i-[0-9a-f]{1,40}")
# Of AWS's own words, like `shutting-down` and `us-west-2-lax-1a`.
_WORD_OF_AWS = re.compile(r"([a-z0-9][a-z0-9-]{0,62})?")
ASK = "look at it in EC2; if it is what it says, tell those who keep this program"
_LIFECYCLE = re.compile(r"[A-Za-z]{1,40}(:[A-Za-z]{1,40})?")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
UNTAG = "correct the tag, or take away the tag `fleet` from what is none of ours"


@dataclass(frozen=True)
class Stranger:
    """An instance or a group that is left out: its id or name as it can be shown, its region, and
    what is wrong.
    """

    id: str
    region: str
    findings: tuple[Finding, ...]


def parted(
    fleet: Fleet, instances: Iterable[Instance]
) -> tuple[list[Instance], tuple[Stranger, ...]]:
    """The instances with our tags: those that can be hosts, and those that can't."""
    plain, strange = [], []
    for instance in instances:
        if not {"cluster", "role"} <= instance.tags.keys():
            continue
        if found := tuple(_findings(fleet, instance)):
            strange.append(Stranger(shown(instance.id), instance.region, found))
        else:
            plain.append(instance)
    return plain, tuple(strange)


def parted_groups(groups: Iterable[Group]) -> tuple[list[Group], tuple[Stranger, ...]]:
    """The auto scaling groups that can be node groups of ours, and those that can't."""
    plain, strange = [], []
    for group in groups:
        if found := tuple(_about_group(group)):
            strange.append(Stranger(shown(group.name), group.region, found))
        else:
            plain.append(group)
    return plain, tuple(strange)


def _about_group(group: Group) -> Iterator[Finding]:
    place = Place(f"auto scaling group {shown(group.name)} in {group.region}")
    if _NAME.fullmatch(group.name) is None:
        yield _finding(place, "its name is no plain word", ASK)
    for key in ("cluster", "group"):
        word = group.tags.get(key)
        if word is not None and not is_word(word):
            yield _finding(place, f"its tag '{key}' is '{shown(word)}', which is no plain word")
    for member in group.members:
        if _ID.fullmatch(member.id) is None or _LIFECYCLE.fullmatch(member.lifecycle) is None:
            said = f"{shown(member.id)} {shown(member.lifecycle)}"
            yield _finding(place, f"AWS says of a member '{said}'", ASK)


def _findings(fleet: Fleet, instance: Instance) -> Iterator[Finding]:
    place = Place(f"instance {shown(instance.id)} in {instance.region}")
    for key in TAGS:
        word = instance.tags.get(key, "")
        # A door has no group; a tag without a value says nothing.
        if not is_word(word) and (word or key != "group"):
            yield _finding(place, f"its tag '{key}' is '{shown(word)}', which is no plain word")
        elif key == "role" and word not in ROLES:
            yield _finding(place, f"its tag 'role' is '{word}', which no host has")
        elif key == "cluster" and word in fleet.sites:
            yield _finding(place, f"its tag 'cluster' is '{word}', which is a site")
    for what, said, plain in _told_by_aws(instance):
        if not plain:
            yield _finding(place, f"AWS says that its {what} is '{shown(said)}'", ASK)


def _told_by_aws(instance: Instance) -> Iterator[tuple[str, str, bool]]:
    yield "id", instance.id, _ID.fullmatch(instance.id) is not None
    for what, said in (("state", instance.state), ("zone", instance.zone)):
        yield what, said, _WORD_OF_AWS.fullmatch(said) is not None
    for what, said in (("address", instance.private_ip), ("public address", instance.public_ip)):
        yield what, said, not said or _is_address(said)


def _is_address(text: str) -> bool:
    try:
        return str(IPv4Address(text)) == text
    except ValueError:
        return False


def _finding(place: Place, what: str, fix: str = UNTAG) -> Finding:
    return Finding(place, f"left out of the hosts: {what}", fix, "warning")
