"""Runs collected tests with a process per host, forked from pytest when all is imported.

The tests of a host run one after another over its one connection; hosts run side by side. Reports
travel to the parent as pytest-xdist sends them, and there meet pytest's own hooks, so that its
terminal, its JUnit file and its exit code know of them.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from types import FrameType

import pytest

from orchestrate.shell import ended
from orchestrate.verify.backend import NodeBackend
from orchestrate.verify.events import Ended, Event, Result, Started, Unreachable
from orchestrate.verify.report import tested
from orchestrate.verify.root_shell import Gone
from orchestrate.verify.verdicts import Case, Outcome

# What a child sends: the index of a test and its reports, or why the host is gone.
Message = tuple[int, list[dict[str, object]]] | str


@dataclass
class Turn:
    """A host's tests at work in a child, and how many of them have been reported."""

    host: str
    items: Sequence[pytest.Item]
    pid: int
    begun: float
    reported: int = 0


class PerHost:
    """One run of all hosts, `at_once` of them at a time; `blocked`: why one need not be tried."""

    def __init__(
        self,
        session: pytest.Session,
        *,
        at_once: int,
        suite_of: Callable[[pytest.Item], str],
        blocked: Callable[[str], str],
        tell: Callable[[Event], None],
    ) -> None:
        self._session = session
        self._at_once = at_once
        self._suite_of = suite_of
        self._blocked = blocked
        self._tell = tell
        self._turns: dict[Connection, Turn] = {}

    def run(self, hosts: dict[str, list[pytest.Item]]) -> None:
        """Run every host's tests. Whatever interrupts it ends the children too."""
        waiting = iter(hosts.items())
        try:
            while self._fill(waiting) or self._turns:
                for end in wait(list(self._turns)):
                    assert isinstance(end, Connection)
                    self._take(end)
                if stopped := self._session.shouldfail or self._session.shouldstop:
                    raise pytest.Session.Interrupted(stopped)
        finally:
            for turn in self._turns.values():
                with suppress(ProcessLookupError):
                    os.kill(turn.pid, signal.SIGTERM)
                os.waitpid(turn.pid, 0)

    def _fill(self, waiting: Iterator[tuple[str, list[pytest.Item]]]) -> bool:
        """Start as many as may run; whether any did."""
        before = len(self._turns)
        while len(self._turns) < self._at_once:
            host, items = next(waiting, ("", []))
            if not host:
                break
            self._tell(Started(host))
            if why := self._blocked(host):
                self._tell(Unreachable(host, why))
                self._tell(Ended(host, 0.0))
            else:
                self._start(host, items)
        return len(self._turns) > before

    def _start(self, host: str, items: Sequence[pytest.Item]) -> None:
        ours, childs = Pipe(duplex=False)
        pid = os.fork()
        if not pid:
            code = 1
            try:
                signal.signal(signal.SIGTERM, _leave)
                _child(self._session.config, host, items, childs)
                code = 0
            finally:
                NodeBackend.close_all()
                os._exit(code)
        childs.close()
        self._turns[ours] = Turn(host, items, pid, time.monotonic())

    def _take(self, end: Connection) -> None:
        turn = self._turns[end]
        try:
            message: Message = end.recv()
        except EOFError:
            self._over(end, turn)
            return
        if isinstance(message, str):
            self._tell(Unreachable(turn.host, message))
        else:
            index, sent = message
            turn.reported = index + 1
            self._report(turn.host, turn.items[index], sent)

    def _report(self, host: str, item: pytest.Item, sent: list[dict[str, object]]) -> None:
        hook = item.ihook
        reports = [
            hook.pytest_report_from_serializable(config=item.config, data=data) for data in sent
        ]
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in reports:
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        self._tell(Result(host, tested(self._suite_of(item), _name(item, host), reports)))

    def _over(self, end: Connection, turn: Turn) -> None:
        end.close()
        del self._turns[end]
        _, status = os.waitpid(turn.pid, 0)
        if status and turn.reported < len(turn.items):
            self._tell(Result(turn.host, self._crashed(turn, os.waitstatus_to_exitcode(status))))
        self._tell(Ended(turn.host, time.monotonic() - turn.begun))

    def _crashed(self, turn: Turn, code: int) -> Case:
        """What to say of the test that took its process with it."""
        item, left = turn.items[turn.reported], len(turn.items) - turn.reported - 1
        message = f"the process that ran it {ended(code)}; {left} tests after it were not run"
        where = f"{item.location[0]}:{(item.location[1] or 0) + 1}"
        name = _name(item, turn.host)
        return Case(self._suite_of(item), name, Outcome.FAILED, 0.0, where, message)


class Sender:
    """In a child: keeps the reports of the test that runs."""

    def __init__(self) -> None:
        self.reports: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.reports.append(report)


def _child(
    config: pytest.Config, host: str, items: Sequence[pytest.Item], parent: Connection
) -> None:
    """Run a host's tests and send their reports, until the host is gone."""
    try:
        NodeBackend.shell(host)
    except Gone as gone:
        parent.send(str(gone))
        return
    sender = Sender()
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal:
        config.pluginmanager.unregister(terminal)
    config.pluginmanager.register(sender)
    for index, item in enumerate(items):
        following = items[index + 1] if index + 1 < len(items) else None
        sender.reports.clear()
        config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if why := NodeBackend.gone(host):
            parent.send(f"lost after {index} of {len(items)} tests: {why}")
            return
        to_data = config.hook.pytest_report_to_serializable
        parent.send((index, [to_data(config=config, report=one) for one in sender.reports]))


def _leave(_number: int, _frame: FrameType | None) -> None:
    """In a child whose parent goes: let `finally` end the connection."""
    raise SystemExit


def _name(item: pytest.Item, host: str) -> str:
    """`test_x`, or `test_x[case]`, without the host that testinfra adds."""
    return item.name.replace(f"[node://{host}]", "").replace(f"node://{host}-", "")
