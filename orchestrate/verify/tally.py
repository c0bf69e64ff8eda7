"""Verdicts as they come to be: events go in, one by one. Pure but for telling the observer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from orchestrate.verify.events import Broken, Collected, Ended, Event, Result, Started, Unreachable
from orchestrate.verify.verdicts import Case, Verdict

if TYPE_CHECKING:
    from orchestrate.verify.run import Observer


class Tally:
    """Counts what `hosts` are found to be."""

    def __init__(self, hosts: Sequence[str], observer: "Observer") -> None:
        self.hosts = hosts
        self.broken: list[Broken] = []
        self.done: dict[str, Verdict] = {}
        self._observer = observer
        self._expected: dict[str, int] = {}
        self._begun: set[str] = set()
        self._tests: dict[str, list[Case]] = {host: [] for host in hosts}
        self._unreachable: dict[str, str] = {}

    def take(self, event: Event) -> None:
        match event:
            case Collected(hosts):
                self._expected = dict(hosts)
            case Broken():
                self.broken.append(event)
            case Started(host):
                self._begun.add(host)
                self._observer.started(host, self._expected.get(host, 0))
            case Result(host, test):
                self._tests[host].append(test)
                self._observer.tested(host, test)
            case Unreachable(host, why):
                self._unreachable[host] = why
            case Ended(host, seconds):
                self.done[host] = self._verdict(host, seconds)
                self._observer.ended(self.done[host])

    def verdicts(self) -> list[Verdict]:
        """Every host's, in the order of `hosts`."""
        return [self.done.get(host) or self._verdict(host, 0.0) for host in self.hosts]

    def _verdict(self, host: str, seconds: float) -> Verdict:
        why = self._unreachable.get(host, "")
        return Verdict(host, tuple(self._tests[host]), why, seconds)
