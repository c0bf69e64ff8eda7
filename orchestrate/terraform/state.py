"""Where a state stands (lineage and serial), and whether a saved plan still fits it (S3).

Terraform itself refuses a stale plan, but only when its turn comes, when others have already been
applied; and not at all when the plan was made before there was a state. The current state comes in
as bytes: reading it from S3 is somebody else's work.
"""

import json
import re
import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrate.errors import OrchestrateError, StalePlan
from orchestrate.plain_text import shown


@dataclass(frozen=True)
class Position:
    """`lineage` is given to a state once, at birth; `serial` counts its versions."""

    lineage: str
    serial: int

    @property
    def born(self) -> bool:
        return bool(self.lineage)


NOTHING = Position("", 0)


class Unreadable(OrchestrateError):
    """A state that is none: cut off, not JSON, or of a shape that Terraform never wrote."""


def parse(state: bytes | None) -> Mapping[str, Any]:
    """A state file's content; nothing where there is no state yet. Pure.

    Raises Unreadable. The bucket keeps older versions, so there is a way back.
    """
    if not state or not state.strip():
        return {}
    try:
        told = json.loads(state)
        if not isinstance(told, dict):
            raise TypeError(f"a {type(told).__name__} where an object belongs")
        for each in told.get("resources", ()):
            [one.get("attributes") for one in each["instances"]]
        for output in told.get("outputs", {}).values():
            output["value"]
        return {**told, "serial": int(told.get("serial", 0))}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise Unreadable(
            f"its state cannot be read: {shown(problem)}",
            fix="bring back an older version of it: the bucket keeps them "
            "(`aws s3api list-object-versions`); other stacks go on as they are",
        ) from problem


def position(state: bytes | None) -> Position:
    """The position of a state file's content; NOTHING where there is no state yet."""
    told = parse(state)
    return Position(str(told.get("lineage", "")), told["serial"]) if told else NOTHING


def count_resources(state: bytes | None) -> int:
    """How many resources exist that this state knows of; data sources don't count. Pure."""
    resources = parse(state).get("resources", ())
    return sum(len(each["instances"]) for each in resources if each.get("mode") == "managed")


def is_alive(state: bytes | None) -> bool:
    """Whether a stack has something; one whose state cannot be read may, so it counts. Pure."""
    try:
        return count_resources(state) > 0
    except Unreadable:
        return True


def output_names(state: bytes | None) -> frozenset[str]:
    """The outputs that a state has; one that an apply failed before is not among them, and of one
    that cannot be read there are none. Pure.
    """
    try:
        return frozenset(parse(state).get("outputs", ()))
    except Unreadable:
        return frozenset()


def attributes(state: bytes | None) -> dict[str, Mapping[str, Any]]:
    """What the state knows of each resource, by Terraform's address. Pure."""
    return {
        _address(each, instance): instance.get("attributes", {})
        for each in parse(state).get("resources", ())
        if each.get("mode") == "managed"
        for instance in each["instances"]
    }


def _address(resource: Mapping[str, Any], instance: Mapping[str, Any]) -> str:
    module = f"{resource['module']}." if resource.get("module") else ""
    key = instance.get("index_key")
    index = "" if key is None else f"[{json.dumps(key)}]"
    return f"{module}{resource.get('type', '')}.{resource.get('name', '')}{index}"


def aliases(state: bytes | None) -> tuple[str, ...]:
    """The aliases of the providers that its resources belong to; ours are names of regions. Pure.

    Terraform destroys nothing whose provider its root does not have.
    """
    resources = parse(state).get("resources", ())
    found = (re.search(r"\]\.([\w-]+)$", str(each.get("provider", ""))) for each in resources)
    return tuple(sorted({each[1] for each in found if each}))


def region(state: bytes | None) -> str:
    """The region that most of its resources' ARNs name; "" where none does. Pure.

    For a stack whose file is gone: nothing else says any more where it is.
    """
    arns = re.findall(r'"arn:[\w-]+:[\w-]+:([a-z]+(?:-[a-z]+)+-\d+):', json.dumps(parse(state)))
    return Counter(arns).most_common(1)[0][0] if arns else ""


def planned_position(plan: Path) -> Position:
    """The state that a saved plan was made from.

    A plan file is a zip archive; its member `tfstate` is that state. Raises StalePlan when the
    file is missing or isn't a plan.
    """
    try:
        with zipfile.ZipFile(plan) as archive:
            return position(archive.read("tfstate"))
    except (OSError, KeyError, Unreadable, zipfile.BadZipFile) as error:
        raise StalePlan("not a saved plan", where=str(plan), fix="make a new plan") from error


def why_stale(planned: Position, current: Position) -> str:
    """Why a plan made at one position cannot be applied at another; "" when it can. Pure."""
    if planned == current:
        return ""
    if planned.lineage != current.lineage:
        if not planned.born:
            return "the stack has been applied for the first time since"
        return "the stack's state is another one now" if current.born else "its state is gone"
    if planned.serial < current.serial:
        moved = current.serial - planned.serial
        return f"the state has moved on by {moved} version{'s' if moved != 1 else ''} since"
    return "the state has been set back to an older version since"
