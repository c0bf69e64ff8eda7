"""What came out: of each test, of each host, of all. Pure data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path


class Outcome(StrEnum):
    """How a test ended; one that broke before it could check anything has failed."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class State(StrEnum):
    """How a host stands. Unreachable is not failed: nothing is known of such a host. One that is
    left out was named, and is on its way out or not the fleet's any more.
    """

    PASSED = "passed"
    FAILED = "failed"
    UNREACHABLE = "unreachable"
    UNTESTED = "untested"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class Case:
    """One test on one host.

    `where` is file:line; `message` the assertion, or why it was skipped; `commands` what the test
    ran on the host, with the output; `details` pytest's whole text. The last two only of failures.
    """

    suite: str
    name: str
    outcome: Outcome
    seconds: float
    where: str = ""
    message: str = ""
    commands: str = ""
    details: str = ""


@dataclass(frozen=True)
class Verdict:
    """One host's tests. `unreachable` says why it could not be asked (to the end), else "".

    `log` has all of it; None where no test was to run. `left_out` says why it wasn't to be asked.
    """

    host: str
    tests: tuple[Case, ...] = ()
    unreachable: str = ""
    seconds: float = 0.0
    log: Path | None = None
    left_out: str = ""

    @property
    def state(self) -> State:
        if self.left_out:
            return State.LEFT_OUT
        if self.unreachable:
            return State.UNREACHABLE
        if self.failures:
            return State.FAILED
        return State.PASSED if self.tests else State.UNTESTED

    @property
    def failures(self) -> list[Case]:
        return [test for test in self.tests if test.outcome is Outcome.FAILED]

    def count(self, outcome: Outcome) -> int:
        return sum(test.outcome is outcome for test in self.tests)


@dataclass(frozen=True)
class Verdicts:
    """Every host's verdict, in the order asked for. `logs` is the folder with everything."""

    hosts: Sequence[Verdict]
    logs: Path

    @property
    def ok(self) -> bool:
        """Whether every host was reached and none failed."""
        return not self.of(State.FAILED) and not self.of(State.UNREACHABLE)

    @property
    def never_tested(self) -> set[str]:
        """The hosts of which nothing was asked: left out, or no test is for them."""
        return {one.host for one in (*self.of(State.LEFT_OUT), *self.of(State.UNTESTED))}

    def without(self, left_out: Mapping[str, str]) -> "Verdicts":
        """These, and hosts that were left out, with why."""
        rows = [Verdict(host, left_out=why) for host, why in left_out.items()]
        return replace(self, hosts=[*self.hosts, *rows])

    def of(self, state: State) -> list[Verdict]:
        return [verdict for verdict in self.hosts if verdict.state is state]
