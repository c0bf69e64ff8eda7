"""What the pytest process tells, a JSON object a line, as it happens. Pure."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from orchestrate.verify.verdicts import Case, Outcome


@dataclass(frozen=True)
class Collected:
    """How many tests each host is going to get."""

    hosts: Mapping[str, int]


@dataclass(frozen=True)
class Broken:
    """A suite that cannot be read; then nothing runs."""

    where: str
    text: str


@dataclass(frozen=True)
class Started:
    """A host's connection is being opened."""

    host: str


@dataclass(frozen=True)
class Result:
    """A test has ended on a host."""

    host: str
    test: Case


@dataclass(frozen=True)
class Unreachable:
    """A host could not be asked, or not to the end."""

    host: str
    why: str


@dataclass(frozen=True)
class Ended:
    """A host is done with, reached or not."""

    host: str
    seconds: float


Event = Collected | Broken | Started | Result | Unreachable | Ended
_KINDS = {kind.__name__.lower(): kind for kind in (Collected, Broken, Started, Unreachable, Ended)}
_RESULT = "result"


def line(event: Event) -> str:
    """An event as a line, with its end."""
    return json.dumps({"event": type(event).__name__.lower(), **asdict(event)}) + "\n"


def parse(text: str) -> Event | None:
    """The event of a line, None where it is anything else: a crash's last words, a warning."""
    try:
        fields = json.loads(text)
        kind = fields.pop("event")
        if kind == _RESULT:
            test = {**fields["test"], "outcome": Outcome(fields["test"]["outcome"])}
            return Result(fields["host"], Case(**test))
        made: Event = _KINDS[kind](**fields)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return made
