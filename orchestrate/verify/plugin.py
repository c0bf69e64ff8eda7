"""The pytest plugin: `pytest tests/infra --nodes FILE` tests the hosts of a nodes file.

Without --nodes it does nothing, and testinfra's own `--hosts` counts.
"""

from collections import defaultdict
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

from orchestrate.verify import backend, checks, doors
from orchestrate.verify.backend import NodeBackend
from orchestrate.verify.checks import Nodes
from orchestrate.verify.events import Broken, Collected, Event, line
from orchestrate.verify.per_host import PerHost
from orchestrate.verify.report import COMMANDS

HOSTS_AT_ONCE = 32
SHOWN_COMMANDS = 5
# How testinfra asks for a file's mode.
ASK_MODE = "# stat -Lc %a "


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("orchestrate")
    group.addoption("--nodes", type=Path, help="Test these hosts; `orchestrate verify` wrote them.")
    group.addoption("--at-once", type=int, default=HOSTS_AT_ONCE, help="How many hosts at a time.")
    group.addoption("--events", type=Path, help="Append what happens, a JSON object a line.")


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("--nodes", None)
    if path:
        nodes = checks.parse(path.read_text(), str(path))
        backend.register(Path(nodes.ssh_config))
        config.pluginmanager.register(Verification(nodes, config), "orchestrate-verification")


@pytest.fixture(scope="module")
def node(request: pytest.FixtureRequest, host: Any) -> Mapping[str, object]:
    """What the host was told to be: the part "orchestrate" of its node JSON."""
    verification = request.config.pluginmanager.get_plugin("orchestrate-verification")
    if verification is None:
        pytest.skip("only with --nodes is it known what the host was told")
    expected: Mapping[str, object] = verification.nodes.nodes[host.backend.hostname].orchestrate
    return expected


class Verification:
    """The hooks of one run with --nodes."""

    def __init__(self, nodes: Nodes, config: pytest.Config) -> None:
        self.nodes = nodes
        self._events: Path | None = config.getoption("--events")

    @pytest.hookimpl(tryfirst=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Each suite for the hosts that have it, by the attribute that testinfra reads."""
        suite = self._suite(metafunc.definition.path)
        hosts = [one.name for one in self.nodes.nodes.values() if suite in one.suites]
        metafunc.module.testinfra_hosts = [f"{backend.SCHEME}://{name}" for name in hosts]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Without a host there is nothing to test."""
        items[:] = [item for item in items if _host(item)]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._tell(Broken(report.nodeid, report.longreprtext))

    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """A process per host; but pytest's own way for a debugger, or after a broken suite."""
        option = session.config.option
        if session.testsfailed or option.collectonly or option.usepdb:
            return None
        hosts: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in session.items:
            hosts[_host(item)].append(item)
        self._tell(Collected({host: len(items) for host, items in hosts.items()}))
        nodes = self.nodes.nodes
        ways = {nodes[host].door for host in hosts if not nodes[host].down} - {""}
        with doors.opened(Path(self.nodes.ssh_config), sorted(ways)) as (config, shut):
            NodeBackend.ssh_config = config
            PerHost(
                session,
                at_once=option.at_once,
                suite_of=lambda item: self._suite(item.path),
                blocked=lambda host: nodes[host].down or shut.get(nodes[host].door, ""),
                tell=self._tell,
            ).run(hosts)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """A failure shows the last things that were asked of the host."""
        report = yield
        heard = NodeBackend.heard()
        if report.failed and heard:
            report.sections.append((COMMANDS, "\n".join(heard[-SHOWN_COMMANDS:])))
        if call.when == "teardown":
            heard.clear()
        return report

    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> list[str] | None:
        """Modes of files as people write them: testinfra has them as numbers."""
        if not (isinstance(left, int) and isinstance(right, int)) or not NodeBackend.heard():
            return None
        asked_for_mode = NodeBackend.heard()[-1].startswith(ASK_MODE)
        return [f"mode {left:#o} {op} {right:#o}"] if asked_for_mode else None

    def _suite(self, path: Path) -> str:
        """The folder of a test's file below the suites."""
        return path.relative_to(self.nodes.suites).parts[0]

    def _tell(self, event: Event) -> None:
        if self._events:
            with self._events.open("a") as file:
                file.write(line(event))


def _host(item: pytest.Item) -> str:
    """The host that a test is for; "" where it was given none."""
    given = getattr(item, "callspec", None)
    chosen: Any = given.params.get("_testinfra_host") if given else None
    return str(chosen.backend.hostname) if chosen else ""
