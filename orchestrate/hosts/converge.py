"""Converge one host: see that the configuration is there, run it, learn what came of it.

A host that has the configuration needs one connection and one command.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from orchestrate.errors import OrchestrateError
from orchestrate.hosts.channel import Answer
from orchestrate.hosts.failures import ConnectionLost, Unreachable
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.on_host import as_login, as_root
from orchestrate.hosts.results import Outcome, Report, Result, Run, told
from orchestrate.hosts.ssh import Connections

# The exit codes of run.sh (and BUSY of converge.sh) that aren't the client's.
NOT_SHIPPED, BUSY = 76, 75
SHIP_SECONDS = 120.0
BOOT_SECONDS = 60
# States of `systemctl is-system-running` in which a host serves; units are looked at by name.
SERVING = {"running", "degraded"}
GOES_ON = (
    "what was begun there goes on and is written to /var/lib/orchestrate/converge.log; "
    "converge it again to see"
)
FULL = "No space left on device"


@dataclass(frozen=True)
class Task:
    """A host, and what it is to become: the archive by its digest, and the text of node.json."""

    host: Host
    digest: str
    node: str
    archive: bytes = field(repr=False)


@dataclass(frozen=True)
class How:
    """`who` says whose run it is, to those who come second; `seconds` is how long one may take."""

    why_run: bool = False
    stand_in: bool = False
    who: str = "orchestrate"
    seconds: float = 3600.0


class Listener(Protocol):
    """Follows one host; called from the thread that works on it."""

    def doing(self, what: str) -> None:
        """A verb phrase: `connecting`, `shipping`, `converging`."""

    def output(self, chunk: bytes) -> None:
        """What the client prints, as it comes."""


def converge(ways: Connections, task: Task, how: How, listener: Listener) -> Result:
    """Converge one host; whatever goes wrong there is in the result."""
    begun = time.monotonic()
    try:
        result = result_of(task, _run(ways, task, how, listener), how)
    except Unreachable as error:
        result = _ended(task, Outcome.UNREACHABLE, error)
    except ConnectionLost as error:
        # run.sh finishes what it has begun.
        outcome = Outcome.LEFT if ways.closed else Outcome.FAILED
        result = replace(_ended(task, outcome, error), fix=GOES_ON)
    except OrchestrateError as error:
        result = _ended(task, Outcome.FAILED, error)
    return replace(result, seconds=time.monotonic() - begun)


def health(ways: Connections, host: Host, result: Result) -> Result:
    """The result of a host that went well so far, after a look at it over a new connection.

    The old connection would stay open even if nobody could log in any more.
    """
    command = as_login("health", str(BOOT_SECONDS))
    try:
        answer = ways.run_anew(host, command, seconds=BOOT_SECONDS + 20)
    except OrchestrateError as error:
        return replace(
            result,
            outcome=Outcome.FAILED,
            cause=f"unhealthy: after the converge nobody can log in: {error.what}",
            fix="look at its console; what was changed is in the log",
        )
    sick = ailments(answer.text, result.troubled)
    return replace(result, outcome=Outcome.FAILED, cause=f"unhealthy: {sick}") if sick else result


def ailments(text: str, before: frozenset[str]) -> str:
    """What is wrong with a host, of what `health.sh` prints; "" if nothing is. Pure.

    Units that were in trouble before we came are not ours to answer for.
    """
    facts = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    state = facts.get("system", "").strip() or "unknown"
    if state not in SERVING:
        return f"systemd says {state}"
    return _in_trouble(frozenset(facts.get("troubled now", "").split()) - before)


def _run(ways: Connections, task: Task, how: How, listener: Listener) -> Answer:
    listener.doing("connecting")
    ways.open(task.host)
    listener.doing("converging")
    answer = _converge_there(ways, task, how, listener.output)
    if answer.code != NOT_SHIPPED:
        return answer
    listener.doing("shipping")
    shipped = ways.run(
        task.host, as_root(task.host, "ship", task.digest), task.archive, seconds=SHIP_SECONDS
    )
    if shipped.code:
        return shipped
    listener.doing("converging")
    return _converge_there(ways, task, how, listener.output)


def _converge_there(
    ways: Connections, task: Task, how: How, on_output: Callable[[bytes], None]
) -> Answer:
    options, stand_in = "--why-run" if how.why_run else "", "1" if how.stand_in else ""
    command = as_root(task.host, "run", task.digest, options, stand_in, how.who)
    return ways.run(
        task.host, command, task.node.encode(), on_output=on_output, seconds=how.seconds
    )


def result_of(task: Task, answer: Answer, how: How) -> Result:
    """What an answer of `run.sh` (or `ship.sh`) means. Pure."""
    run = told(answer.complaint)
    if answer.code or run is None or run.report is None or run.report.error:
        return _failure(task.host, answer, run)
    sick = frozenset() if how.why_run else run.troubled_now - run.troubled_before
    if sick:
        cause = f"unhealthy: {_in_trouble(sick)}"
        return Result(task.host.name, Outcome.FAILED, cause, report=run.report)
    outcome = Outcome.CHANGED if run.report.updates else Outcome.UNCHANGED
    return Result(task.host.name, outcome, report=run.report, troubled=run.troubled_before)


def _failure(host: Host, answer: Answer, run: Run | None) -> Result:
    report = run.report if run else None
    cause, fix = _cause(answer, report)
    where = f"chef/{report.where}" if report and report.where else ""
    return Result(host.name, Outcome.FAILED, cause, where, fix, report)


def _cause(answer: Answer, report: Report | None) -> tuple[str, str]:
    """Why it failed, and what to do about it."""
    error = report.error if report else ""
    log = answer.text.strip().splitlines()
    # Of a client that died before its first resource, its own last words say more than converge.sh,
    # and of Ruby's the first of a backtrace.
    last = next(
        (line for line in reversed(log) if not line.startswith(("converge.sh: ", "\t"))), ""
    )
    if answer.code == BUSY:
        return f"another run is at work there: {_who(answer, log)}", "wait for it, and try again"
    if FULL in answer.complaint or FULL in error or FULL in last:
        return "its disk is full", "make room (`df -h`, `journalctl --vacuum-size=100M`)"
    if report and error:
        return (error if report.resources or report.where else f"{error}: {last}"), ""
    if "sudo:" in answer.complaint:
        return answer.complaint.splitlines()[-1], "its login must be able to use sudo unasked"
    words = last or (answer.complaint.splitlines() or ["it said nothing"])[-1]
    return f"the run ended with exit code {answer.code} and no report: {words}", ""


def _who(answer: Answer, log: Sequence[str]) -> str:
    """Who is at work on a busy host: run.sh says it on stderr, converge.sh in the log."""
    told = [line for line in answer.complaint.splitlines() if line.startswith("busy: ")]
    return (told or log or ["it has not said who"])[-1].removeprefix("busy: ")


def _in_trouble(units: frozenset[str]) -> str:
    if not units:
        return ""
    verb = "is" if len(units) == 1 else "are"
    return f"{', '.join(sorted(units))} {verb} failed or restarting"


def _ended(task: Task, outcome: Outcome, error: OrchestrateError) -> Result:
    return Result(task.host.name, outcome, error.what, fix=error.fix)
