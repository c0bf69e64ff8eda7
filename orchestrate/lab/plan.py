"""What has to be done to have the hosts that are wanted. Pure: no clock, no process, no file."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from orchestrate.lab.spec import AnySpec, Found, Wanted

Step = Literal["boot", "power off", "terminate"]

LONGEST_BACK_OFF_S = 60.0


@dataclass(frozen=True)
class Known:
    """A host as it is. `busy`: a step is being done; `failed`: the last one that went wrong."""

    state: Found
    busy: bool = False
    failed: Step | None = None
    retry_at: float = 0.0


def plan_hosts(specs: Iterable[AnySpec], known: Mapping[str, Known], now: float) -> dict[str, Step]:
    """The next step of each host that needs one, by instance id.

    Who is no longer listed goes. A host that ended by itself while it should run is booted again.
    A step that failed is tried again at its `retry_at` (on the clock of `now`), another at once.
    """
    wanted: dict[str, Wanted] = dict.fromkeys(known, "terminated")
    wanted.update({spec.instance_id: spec.state for spec in specs})
    steps = {}
    for instance_id, state in wanted.items():
        host = known.get(instance_id)
        step = _step(state, host)
        if step and not (host and _must_wait(host, step, now)):
            steps[instance_id] = step
    return steps


def admitted(specs: Iterable[AnySpec], having: Collection[str], limit: int) -> list[AnySpec]:
    """The specs without those instances for which there is no place among `limit` hosts.

    Who has a host (`having`, running or stopped) keeps it; places left go to the first listed,
    racks before instances and the oldest of these. Stopped and terminated ones are always listed:
    they need none.
    """
    listed = list(specs)
    living = {spec.instance_id for spec in listed if spec.state != "terminated"}
    waiting = [
        spec.instance_id
        for spec in listed
        if spec.state == "running" and spec.instance_id not in having
    ]
    places = max(0, limit - len(living & set(having)))
    over = set(waiting[places:])
    return [spec for spec in listed if spec.instance_id not in over]


def back_off_s(failures: int) -> float:
    """How long to wait after the n-th failure in a row: 1, 2, 4, ... 60 seconds."""
    doublings = min(failures - 1, 6)  # no further than needed: floats end at a thousand
    return min(2.0**doublings, LONGEST_BACK_OFF_S)


def _step(wanted: Wanted, host: Known | None) -> Step | None:
    if wanted == "running":
        return "boot" if host is None or host.state in ("stopped", "failed") else None
    if host is None:
        return None
    if wanted == "terminated":
        return "terminate"
    return "power off" if host.state != "stopped" else None


def _must_wait(host: Known, step: Step, now: float) -> bool:
    return host.busy or (host.failed == step and now < host.retry_at)
