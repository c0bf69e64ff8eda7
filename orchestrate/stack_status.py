"""How each stack stands, from the fleet and the state bucket."""

from dataclasses import asdict, dataclass
from typing import Literal

from orchestrate.aws import state_bucket
from orchestrate.aws.session import Session
from orchestrate.fleet.models import Fleet
from orchestrate.target import Target
from orchestrate.terraform import roots, state
from orchestrate.workplace import bucket_of

Standing = Literal["applied", "not applied", "no longer in the fleet"]


@dataclass(frozen=True)
class StackStatus:
    """One stack: `resources` are those its state knows, `serial` counts the state's versions."""

    stack: str
    region: str
    standing: Standing
    resources: int
    serial: int
    lock: state_bucket.Lock | None

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def statuses(fleet: Fleet, target: Target) -> list[StackStatus]:
    """Every stack of the fleet in the order of an apply, then those left behind by an older one.

    Raises AwsError when the bucket cannot be read.
    """
    session, bucket = Session(target), bucket_of(fleet)
    stacks = roots.stacks(fleet)
    states = {
        name: state_bucket.read_state(session, bucket, name)
        for name in state_bucket.stacks(session, bucket)
    }
    locks = {lock.stack: lock for lock in state_bucket.locks(session, bucket)}
    left_behind = sorted(n for n in states if n not in stacks and state.count_resources(states[n]))
    return [
        _status(name, stacks.get(name), states.get(name), locks.get(name))
        for name in (*stacks, *left_behind)
    ]


def _status(
    name: str, stack: roots.Stack | None, content: bytes | None, lock: state_bucket.Lock | None
) -> StackStatus:
    resources = state.count_resources(content)
    standing: Standing = "applied" if resources else "not applied"
    if stack is None:
        standing = "no longer in the fleet"
    region = stack.region if stack else ""
    return StackStatus(name, region, standing, resources, state.position(content).serial, lock)
