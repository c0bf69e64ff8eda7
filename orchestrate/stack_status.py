"""How each stack stands, from the fleet and the state bucket."""

from dataclasses import asdict, dataclass
from typing import Literal

from orchestrate.aws import state_bucket
from orchestrate.aws.session import Session
from orchestrate.errors import AwsError, OrchestrateError
from orchestrate.fleet.models import Fleet
from orchestrate.target import Target
from orchestrate.terraform import roots, state
from orchestrate.workplace import bucket_of

Standing = Literal["applied", "not applied", "no longer in the fleet", "unreadable"]


@dataclass(frozen=True)
class StackStatus:
    """One stack: `resources` are those its state knows, `serial` counts the state's versions.

    Of one that is "unreadable", `problem` says why.
    """

    stack: str
    region: str
    standing: Standing
    resources: int
    serial: int
    lock: state_bucket.Lock | None
    problem: str = ""

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def statuses(fleet: Fleet, target: Target) -> list[StackStatus]:
    """Every stack of the fleet in the order of an apply, then those left behind by an older one.

    Raises AwsError when the bucket cannot be read.
    """
    session, bucket = Session(target), bucket_of(fleet)
    stacks = roots.stacks(fleet)
    states = {name: _read(session, bucket, name) for name in state_bucket.stacks(session, bucket)}
    locks = {lock.stack: lock for lock in state_bucket.locks(session, bucket)}
    left_behind = sorted(n for n in states if n not in stacks and _holds_something(states[n]))
    return [
        _status(name, stacks.get(name), states.get(name), locks.get(name))
        for name in (*stacks, *left_behind)
    ]


def _read(
    session: Session, bucket: state_bucket.StateBucket, name: str
) -> bytes | OrchestrateError | None:
    """A stack's state, or why it is withheld: one that is denied is no reason to tell of none."""
    try:
        return state_bucket.read_state(session, bucket, name)
    except AwsError as error:
        return error


def _holds_something(content: bytes | OrchestrateError | None) -> bool:
    return isinstance(content, OrchestrateError) or state.is_alive(content)


def _status(
    name: str,
    stack: roots.Stack | None,
    content: bytes | OrchestrateError | None,
    lock: state_bucket.Lock | None,
) -> StackStatus:
    region = stack.region if stack else ""
    try:
        if isinstance(content, OrchestrateError):
            raise content
        resources, serial = state.count_resources(content), state.position(content).serial
    except OrchestrateError as error:
        return StackStatus(name, region, "unreadable", 0, 0, lock, str(error))
    standing: Standing = "applied" if resources else "not applied"
    if stack is None:
        standing = "no longer in the fleet"
    return StackStatus(name, region, standing, resources, serial, lock)
