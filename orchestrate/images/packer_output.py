"""What Packer prints with `-machine-readable`, as typed lines. Pure.

The format: https://developer.hashicorp.com/packer/docs/commands#machine-readable-output
"""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["say", "message", "error"]

_COMMA = "%!(PACKER_COMMA)"
# `==> amazon-ebs.image: `, `    amazon-ebs.image: ` in front of what a person would read.
_PREFIX = re.compile(r"^(?:==>\s+|\s+)?amazon-ebs\.image:\s?", re.MULTILINE)


@dataclass(frozen=True)
class Line:
    """One thing said: `say` begins a step, `message` is its detail, `error` what went wrong."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Artifact:
    """The AMI that came of it."""

    region: str
    ami: str


def parse(line: str) -> Line | Artifact | None:
    """One line of output; None for what says nothing to anybody here."""
    fields = line.split(",", 3)
    if len(fields) < 4 or not fields[0].isdigit():
        # What isn't Packer's form is a crash or a plugin's word.
        return Line("message", line) if line.strip() else None
    _, _, kind, data = fields
    if kind == "ui":
        return _said(data)
    if kind == "artifact":
        return _artifact(data)
    return None


def _said(data: str) -> Line | None:
    kind, _, text = data.partition(",")
    told, ours = _PREFIX.subn("", _plain(text).strip("\n"))
    if kind not in ("say", "message", "error") or not told.strip():
        return None
    # What Packer says of itself, not of the build, begins no step.
    return Line("message" if kind == "say" and not ours else kind, told.rstrip())  # type: ignore[arg-type]


def _artifact(data: str) -> Artifact | None:
    """`0,id,us-west-2:ami-0abc` is the one of several facts about an artifact that matters."""
    found = re.fullmatch(r"\d+,id,(?P<region>[\w-]+):(?P<ami>ami-\w+)", _plain(data))
    return Artifact(found["region"], found["ami"]) if found else None


def _plain(text: str) -> str:
    return text.replace(_COMMA, ",").replace("\\n", "\n").replace("\\r", "")
