"""The story of a roll: hosts of an older launch template are replaced, a batch at a time.

The group itself launches the replacements; the next batch goes when they are in service, converged
and in order. Nothing here prints; what an operator sees goes through `Watcher`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Protocol

from orchestrate.aws import groups
from orchestrate.aws.groups import IN_SERVICE, Group
from orchestrate.aws.session import Session
from orchestrate.errors import AwsError, OrchestrateError
from orchestrate.hosts import rolling
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.observe import Observed
from orchestrate.hosts.results import Outcome, Result
from orchestrate.hosts.rolling import Seen
from orchestrate.roll_plan import Pace, Plan
from orchestrate.shell import Stop

LOOK_EVERY_S = 3.0
# AWS begins a launch within seconds to a minute, or has a reason not to.
LAUNCHES_WITHIN_S = 90.0
MOST_AT_ONCE = 16


class Watcher(Protocol):
    """Hears what happens to a group, by its label."""

    def note(self, group: str, what: str) -> None: ...

    def surge(self, group: str, wanted: int, extra: int) -> None:
        """The group, which is to have `wanted` hosts, is about to be, or is now, `extra` larger."""


@dataclass(frozen=True)
class Hands:
    """What a roll can do. `look` sees hosts and groups anew; `gate` brings new hosts in order and
    says how each ended, UNREACHABLE where it is to be asked again; `answers` asks an old one
    whether it is there; `drain` is called before a host is terminated.
    """

    session: Session
    look: Callable[[], Observed]
    gate: Callable[[Sequence[Host]], Sequence[Result]]
    answers: Callable[[Host], bool]
    drain: Callable[[Host], None] = lambda _: None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True)
class Rolled:
    """How it ended for a group: the ids replaced, and those of an older template that are `left`.

    `unchecked` are new ones that nobody has seen in order yet; `cause` says why it ended early;
    `larger` is by how much the group was left larger than it should be, because AWS refused.
    """

    label: str
    replaced: tuple[str, ...]
    left: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    cause: str = ""
    interrupted: bool = False
    larger: int = 0

    @property
    def well(self) -> bool:
        return not (self.left or self.unchecked or self.cause or self.larger)


def roll(one: Plan, pace: Pace, hands: Hands, watcher: Watcher, stop: Stop) -> Rolled:
    """Replace the old hosts of a group. After a request to stop no further host is terminated.

    However it ends, the group is as large afterwards as it should be; `Rolled.larger` says where
    AWS refused that. What AWS refuses before is the `cause` of an early end.
    """
    rolling_now = _Roll(one, pace, hands, watcher, stop)
    try:
        ended = rolling_now.run()
    finally:
        larger = rolling_now.give_back()
    return replace(ended, larger=larger)


class _Roll:
    """One group on its way. `_extra` is how much larger than meant it is now, by the surge;
    `_in_order` the members seen to be so: new ones by the gate, old ones by an answer.
    """

    def __init__(self, one: Plan, pace: Pace, hands: Hands, watcher: Watcher, stop: Stop) -> None:
        self._plan = one
        self._pace = pace
        self._hands = hands
        self._watcher = watcher
        self._stop = stop
        self._extra = 0
        self._replaced: list[str] = []
        self._in_order: set[str] = set()
        self._said = ""
        self._deadline = self._later()
        self._launching_since = hands.clock()
        self._most = 0

    def run(self) -> Rolled:
        """Make the group larger by the surge, and replace; an error of AWS's is why that ended."""
        try:
            self._grow()
            return self._replace()
        except AwsError as error:
            left = tuple(one for one in self._plan.old if one not in self._replaced)
            return Rolled(self._plan.label, tuple(self._replaced), left, cause=str(error))

    def _grow(self) -> None:
        one = self._plan
        self._extra = max(one.surged, min(self._pace.surge, len(one.old)))
        if self._extra > one.surged:
            # Written down first: an answer that is lost doesn't mean that it didn't grow.
            self._watcher.surge(one.label, one.wanted, self._extra)
            groups.resize(self._hands.session, one.group, one.wanted + self._extra)

    def give_back(self) -> int:
        """Let the group be as large as it should be; how much larger it still is."""
        if not self._extra:
            return 0
        one = self._plan
        try:
            now = self._group(self._hands.look())
            back = rolling.to_give_back(now.desired, one.wanted, self._extra)
            if back:
                groups.resize(self._hands.session, now, now.desired - back)
        except OrchestrateError:
            return self._extra
        self._watcher.surge(one.label, one.wanted, 0)
        return 0

    def _replace(self) -> Rolled:
        while True:
            seen = self._hands.look()
            group = self._group(seen)
            cause = self._see_to(group, {host.instance_id: host for host in seen.hosts})
            members = rolling.members(group, self._plan.template, self._in_order, self._replaced)
            wanted = group.desired - self._extra
            if cause or self._stop.requested or self._done(members, wanted):
                return self._ended(members, cause)
            if not self._next(members, group, wanted, seen):
                names = {host.instance_id: host.name for host in seen.hosts}
                waits = self._waits(members, wanted, names)
                cause = self._why_not_launching(group)
                if cause:
                    return self._ended(members, f"{waits}: {cause}")
                if self._hands.clock() > self._deadline:
                    minutes = self._pace.patience_s / 60
                    return self._ended(members, f"{waits} for {minutes:g} minutes")
                self._say(waits)
                self._hands.sleep(LOOK_EVERY_S)

    def _see_to(self, group: Group, hosts: Mapping[str, Host]) -> str:
        """Find out who is in order of those not known to be; why the roll must end, if it must."""
        open_ones = [
            (hosts[member.id], rolling.is_current(member, self._plan.template))
            for member in group.members
            if member.lifecycle == IN_SERVICE
            and member.id in hosts
            and member.id not in self._in_order
        ]
        old = [host for host, current in open_ones if not current]
        with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
            answered = list(pool.map(self._hands.answers, old))
        good = [host for host, answers in zip(old, answered, strict=True) if answers]
        new = [host for host, current in open_ones if current]
        results = list(self._hands.gate(new)) if new else []
        well = {result.host for result in results if result.well}
        good += [host for host in new if host.name in well]
        if good:
            self._in_order |= {host.instance_id for host in good}
            self._deadline = self._later()
        failed = [one for one in results if one.outcome in (Outcome.FAILED, Outcome.LEFT)]
        return f"the new {failed[0].host} is not in order: {failed[0].cause}" if failed else ""

    def _done(self, members: Sequence[Seen], wanted: int) -> bool:
        serving = sum(member.serving for member in members)
        return all(member.current for member in members) and serving >= wanted

    def _next(self, members: Sequence[Seen], group: Group, wanted: int, seen: Observed) -> bool:
        """Terminate what may go now; whether anything did."""
        unavailable = self._pace.unavailable(wanted)
        batch = rolling.next_batch(members, wanted=wanted, max_unavailable=unavailable)
        names = {host.instance_id: host for host in seen.hosts}
        left = sum(not member.current for member in members)
        for instance in batch:
            if self._stop.requested:
                break
            host = names.get(instance)
            if host:
                self._hands.drain(host)
            # The last old ones make up for the surge: nobody is launched in their place.
            shrink = left <= self._extra
            groups.terminate(self._hands.session, group, instance, shrink=shrink)
            if shrink:
                self._extra -= 1
                self._watcher.surge(self._plan.label, self._plan.wanted, self._extra)
            left -= 1
            self._replaced.append(instance)
            self._say(f"replaces {host.name if host else instance}, {left} more to go")
        if batch:
            self._deadline = self._later()
        return bool(batch)

    def _ended(self, members: Sequence[Seen], cause: str) -> Rolled:
        return Rolled(
            self._plan.label,
            tuple(self._replaced),
            tuple(member.id for member in members if not member.current),
            tuple(member.id for member in members if member.current and not member.serving),
            cause,
            self._stop.requested and not cause,
        )

    def _waits(self, members: Sequence[Seen], wanted: int, names: Mapping[str, str]) -> str:
        """What keeps the next batch waiting, in words."""
        missing = max(wanted + self._extra - len(members), 0)
        silent = [names.get(one.id, one.id) for one in members if not one.serving]
        words = [f"{missing} to be launched"] if missing else []
        words += [f"{', '.join(silent)} to be in service and answer"] if silent else []
        return f"waits for {' and '.join(words) or 'its group'}"

    def _why_not_launching(self, group: Group) -> str:
        """Why nobody will come whom the group still has to launch; "" while somebody may."""
        if len(group.members) >= group.desired or len(group.members) > self._most:
            self._launching_since = self._hands.clock()
        self._most = len(group.members)
        if self._hands.clock() - self._launching_since <= LAUNCHES_WITHIN_S:
            return ""
        return groups.why_not_launching(self._hands.session, group)

    def _group(self, seen: Observed) -> Group:
        ours = self._plan.group
        for group in seen.groups:
            if (group.name, group.region) == (ours.name, ours.region):
                return group
        raise OrchestrateError("the group is gone", where=self._plan.label)

    def _later(self) -> float:
        return self._hands.clock() + self._pace.patience_s

    def _say(self, what: str) -> None:
        if what != self._said:
            self._watcher.note(self._plan.label, what)
        self._said = what
