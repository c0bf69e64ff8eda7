"""Hold hosts against their suites: pytest in a process of its own, followed while it works."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from orchestrate import environment
from orchestrate.errors import CommandFailed, Interrupted, OrchestrateError
from orchestrate.hosts import ssh_settings
from orchestrate.hosts.ssh_config import Access
from orchestrate.shell import Running, Stop, ended, start
from orchestrate.verify import checks as nodes_file
from orchestrate.verify import events, way
from orchestrate.verify.checks import Check
from orchestrate.verify.log import write_log
from orchestrate.verify.tally import Tally
from orchestrate.verify.verdicts import Case, Verdict, Verdicts

SUITES = Path("tests") / "infra"
# A test mostly waits for its host; the hosts of a large fleet take turns.
MOST_AT_ONCE = 32
# pytest's exit codes: all passed, some failed, nothing was to run.
PASSED, FAILED, INTERRUPTED, NOTHING = 0, 1, 2, 5


class Observer(Protocol):
    """Follows hosts while they are verified; called from the thread that called `run`."""

    def started(self, host: str, tests: int) -> None:
        """A host's turn has come; so many tests are going to run there."""

    def tested(self, host: str, test: Case) -> None: ...

    def ended(self, verdict: Verdict) -> None:
        """A host is done with; its log is not written yet."""


class Unseen:
    """For whoever only wants the verdicts."""

    def started(self, host: str, tests: int) -> None: ...

    def tested(self, host: str, test: Case) -> None: ...

    def ended(self, verdict: Verdict) -> None: ...


def run(
    checks: Sequence[Check],
    *,
    access: Access,
    root: Path,
    logs: Path,
    only: str = "",
    at_once: int = MOST_AT_ONCE,
    observer: Observer | None = None,
    stop: Stop | None = None,
) -> Verdicts:
    """Run the suites of every check, `at_once` hosts at a time, and return what came out.

    `root` is the repository with `tests/infra`; `only` is pytest's -k. `logs` becomes a folder with
    a log per host, and with what `pytest --nodes` needs to run the same again by hand. Hosts have
    different names. Raises OrchestrateError when a suite is broken, no test fits or pytest
    itself fails, MissingTool without OpenSSH, and Interrupted when `stop` was requested.
    """
    stop = stop or Stop()
    folder = root / SUITES
    nodes = _prepare(checks, access, folder, logs)
    if checks and access.identity is None:
        # A mistake in them would look like silence of every host.
        ssh_settings.ask(checks[0].host.name, Path(nodes.ssh_config))
    wanted = sorted({suite for node in nodes.nodes.values() for suite in node.suites})
    tally = Tally([check.host.name for check in checks], observer or Unseen())
    if wanted:
        paths = [folder / suite for suite in wanted]
        running = _start(paths, root, logs, only=only, at_once=at_once, stop=stop)
        _follow(running, tally, only, stop)
    return Verdicts([write_log(logs, verdict) for verdict in tally.verdicts()], logs)


def existing_suites(root: Path) -> frozenset[str]:
    """The suites that a repository has."""
    return frozenset(path.parent.name for path in (root / SUITES).glob("*/test_*.py"))


def _prepare(checks: Sequence[Check], access: Access, suites: Path, logs: Path) -> nodes_file.Nodes:
    """Write the files that the pytest process reads."""
    logs.mkdir(parents=True, exist_ok=True)
    config = logs / "ssh_config"
    hosts = {host.name: host for check in checks for host in (check.host, *check.doors)}
    config.write_text(way.config(hosts.values(), access))
    written = existing_suites(suites.parents[1])
    nodes = nodes_file.nodes(checks, written, str(suites), str(config))
    path = logs / "nodes.json"
    path.touch(mode=0o600)
    path.write_text(nodes_file.dump(nodes))
    return nodes


def _start(
    suites: Sequence[Path], root: Path, logs: Path, *, only: str, at_once: int, stop: Stop
) -> Running:
    """pytest with our plugin and testinfra's, and nothing of the repository's own settings."""
    output = logs / "events.jsonl"
    ours = ("-p", "testinfra.plugin", "-p", "orchestrate.verify.plugin")
    without = ("-p", "no:terminal", "-p", "no:cacheprovider", "--override-ini", "addopts=")
    places = ("--import-mode=importlib", "--rootdir", root, "--confcutdir", root)
    asked = ("--nodes", logs / "nodes.json", "--events", output, "--at-once", at_once)
    chosen = ("-k", only) if only else ()
    argv = [sys.executable, "-m", "pytest", *ours, *without, *places, *asked, *chosen, *suites]
    # The plugin is found beside this package, what suites share (`tests.infra`) below `root`.
    env = environment.suites(os.environ, root, Path(__file__).parents[2])
    return start([str(word) for word in argv], output, stop=stop, cwd=root, env=env)


def _follow(running: Running, tally: Tally, only: str, stop: Stop) -> None:
    """Count until pytest has ended; raise if it didn't end as it should."""
    said: list[str] = []
    try:
        for line in running.lines():
            event = events.parse(line)
            if event is None:
                said.append(line)
            else:
                tally.take(event)
    finally:
        code = running.wait()
    if stop.requested:
        done, whole = len(tally.done), len(tally.hosts)
        raise Interrupted(f"interrupted; {done} of {whole} hosts were verified")
    if tally.broken:
        raise _broken(tally.broken)
    if code == NOTHING and only:
        raise OrchestrateError(f"no test fits -k {only!r}")
    if code not in (PASSED, FAILED, NOTHING):
        raise CommandFailed(["pytest"], ended(code), "\n".join(said[-40:]))


def _broken(broken: Sequence[events.Broken]) -> OrchestrateError:
    lines = [f"{one.where}: the suite cannot be read\n{one.text}" for one in broken]
    return OrchestrateError("\n".join(lines), fix="nothing was verified; mend the suite")
