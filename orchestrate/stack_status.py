"""How each stack stands, from the fleet and the state bucket."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

from orchestrate.aws import state_bucket
from orchestrate.aws.session import Session
from orchestrate.errors import AwsError, OrchestrateError
from orchestrate.findings import Finding, Place
from orchestrate.fleet.models import Fleet
from orchestrate.hosts.observe import Observed, observe
from orchestrate.hosts.strangers import Stranger
from orchestrate.plain_text import shown
from orchestrate.runs import history, processes
from orchestrate.runs.history import Run
from orchestrate.runs.resume import left_halfway
from orchestrate.target import Target
from orchestrate.terraform import half_made, roots, state
from orchestrate.workplace import bucket_of

Standing = Literal["applied", "incomplete", "not applied", "no longer in the fleet", "unreadable"]


@dataclass(frozen=True)
class StackStatus:
    """One stack: `resources` are those its state knows, `serial` counts the state's versions.

    Of one that is "unreadable" or "incomplete", `problem` says why. `old_hosts` are, by
    node group, a cluster's hosts that stem from an older launch template than the group has now.
    `strangers` are the instances of its region that are no hosts because of what their tags say.
    """

    stack: str
    region: str
    standing: Standing
    resources: int
    serial: int
    lock: state_bucket.Lock | None
    problem: str = ""
    old_hosts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    strangers: Sequence[Stranger] = ()

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def statuses(fleet: Fleet, target: Target, runs: Path) -> list[StackStatus]:
    """Every stack of the fleet in the order of an apply, then those left behind by an older one.

    `runs` are this checkout's journals. Raises AwsError when the bucket cannot be read.
    """
    session, bucket = Session(target), bucket_of(fleet)
    stacks = roots.stacks(fleet)
    states = {name: _read(session, bucket, name) for name in state_bucket.stacks(session, bucket)}
    locks = {lock.stack: lock for lock in state_bucket.locks(session, bucket)}
    left_behind = sorted(n for n in states if n not in stacks and _holds_something(states[n]))
    seen = _look(session, fleet) if fleet.clusters.keys() & states.keys() else None
    past = list(history.newest_first(runs, target, "apply", "destroy"))
    found = [
        _status(name, stacks.get(name), states.get(name), locks.get(name), past)
        for name in (*stacks, *left_behind)
    ]
    return [_with_hosts(each, fleet, seen) for each in found] if seen else found


def strange_states(fleet: Fleet, target: Target) -> list[Finding]:
    """Objects in the state bucket that look like states of stacks and can be none's."""
    bucket = bucket_of(fleet)
    return [
        Finding(
            Place(f"bucket {bucket.name}"),
            f"no stack is called so, and nothing reads it: '{shown(key)}'",
            "find out who wrote it, and delete it",
            "warning",
        )
        for key in state_bucket.strange(Session(target), bucket)
    ]


def _look(session: Session, fleet: Fleet) -> Observed | None:
    """The hosts there are; None where AWS doesn't let us look."""
    with suppress(AwsError):
        return observe(session, fleet)
    return None


def _with_hosts(status: StackStatus, fleet: Fleet, seen: Observed) -> StackStatus:
    """A stack's status with what is remarkable about its hosts."""
    old: dict[str, list[str]] = {}
    for host in seen.hosts:
        if host.place == status.stack and host.behind and not host.leaving:
            old.setdefault(host.group, []).append(host.name)
    # Nobody can say whose a stranger is; it is told of once, with the first cluster of its region.
    first = {cluster.region: name for name, cluster in reversed(fleet.clusters.items())}
    strangers = [one for one in seen.strangers if first.get(one.region) == status.stack]
    return replace(status, old_hosts=old, strangers=strangers)


def left_behind(fleet: Fleet, target: Target) -> dict[str, int]:
    """The stacks that the fleet no longer has and that have something: how many resources, by name.

    Raises AwsError, and Unreadable for a state of theirs.
    """
    session, bucket = Session(target), bucket_of(fleet)
    names = [n for n in state_bucket.stacks(session, bucket) if n not in roots.stacks(fleet)]
    found = {
        name: state.count_resources(state_bucket.read_state(session, bucket, name))
        for name in names
    }
    return {name: count for name, count in found.items() if count}


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
    past: Sequence[Run],
) -> StackStatus:
    region = stack.region if stack else ""
    try:
        if isinstance(content, OrchestrateError):
            raise content
        resources, serial = state.count_resources(content), state.position(content).serial
    except OrchestrateError as error:
        return StackStatus(name, region, "unreadable", 0, 0, lock, str(error))
    if stack is None:
        return StackStatus(name, region, "no longer in the fleet", resources, serial, lock)
    lacking = _lacking(name, stack, content, past) if resources else ""
    if lacking:
        return StackStatus(name, region, "incomplete", resources, serial, lock, lacking)
    standing: Standing = "applied" if resources else "not applied"
    return StackStatus(name, region, standing, resources, serial, lock)


def _lacking(name: str, stack: roots.Stack, content: bytes | None, past: Sequence[Run]) -> str:
    """What is known to be lacking of a stack that has resources: by its state, and by what runs
    from this checkout left; "" where nothing is.
    """
    halfway = left_halfway(past, name, state.position(content).serial, processes.alive)
    tainted = len(half_made.tainted(content))
    if halfway or tainted:
        return halfway or f"{tainted} of its resources {'is' if tainted == 1 else 'are'} half made"
    untold = stack.tells - state.output_names(content)
    return "its first apply did not come to its end" if untold else ""
